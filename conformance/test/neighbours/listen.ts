/** Puts a server of a neighbour on a free port of this machine, and takes it away again. */

import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { RunningNeighbour } from './index.ts';

export async function listen(server: Server): Promise<RunningNeighbour> {
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const { port } = server.address() as AddressInfo;
  return {
    baseUrl: `http://127.0.0.1:${port}/v1`,
    async close() {
      server.closeAllConnections();
      await server[Symbol.asyncDispose]();
    },
  };
}
