/** Servers that only this machine can reach: the relay, and the gateway of Pact's verifier. */

import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface LocalServer {
  readonly origin: string;
  /** Ends its connections too. */
  readonly close: () => Promise<void>;
}

/** Lets a server listen on a port of 127.0.0.1, 0 for a free one; rejects if the port cannot be listened on. */
export async function listenLocally(server: Server, port: number): Promise<LocalServer> {
  await once(server.listen(port, '127.0.0.1'), 'listening');
  const { port: opened } = server.address() as AddressInfo;
  return {
    origin: `http://127.0.0.1:${opened}`,
    close() {
      server.closeAllConnections();
      return server[Symbol.asyncDispose]();
    },
  };
}
