/** Servers of the interface in different styles, each with legal choices of its own, as neighbour teams write them. */

import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface RunningNeighbour {
  readonly baseUrl: string;
  readonly close: () => Promise<void>;
}

/** Starts one, which reads the time from `now`, Unix milliseconds. */
export type Neighbour = (now: () => number) => Promise<RunningNeighbour>;

/** Puts a server on a free port of this machine. */
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
