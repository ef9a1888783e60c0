/** Relays requests to a mock server and notes whether a client sends its key, which no pact can forbid. */

import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Relays a request to the mock server unchanged, and its answer back. */
function relay(incoming: IncomingMessage, outgoing: ServerResponse, mockUrl: string): void {
  const { method, url = '/', rawHeaders } = incoming;
  const { hostname, port } = new URL(mockUrl);
  const onward = request({ hostname, port, path: url, method, headers: rawHeaders }, (answer) => {
    outgoing.writeHead(answer.statusCode ?? 500, answer.rawHeaders);
    answer.pipe(outgoing);
  });
  onward.on('error', () => outgoing.destroy());
  incoming.pipe(onward);
}

/** Starts a request log on a port of this machine; 0 takes a free one. */
export async function startRequestLog(mockUrl: string, port: number) {
  let isSeen = false;
  const server = createServer((incoming, outgoing) => {
    isSeen ||= incoming.headers.authorization !== undefined;
    relay(incoming, outgoing, mockUrl);
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(port, '127.0.0.1', resolve);
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    hasSeenKey: () => isSeen,
    close: (): Promise<void> => {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}
