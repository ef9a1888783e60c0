/** Servers of other protocols and proxies, for tests of the network between a run and its target. */

import { readFileSync } from 'node:fs';
import { createServer, request } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { type AddressInfo, connect } from 'node:net';

export const tls = (name: string): string => new URL(`./tls/${name}`, import.meta.url).pathname;

export async function listening<Server extends { listen: (port: number, host: string, done: () => void) => unknown }>(
  server: Server & { address: () => unknown },
): Promise<number> {
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  return (server.address() as AddressInfo).port;
}

/** HTTPS before a server that speaks HTTP only. */
export async function startTls(target: string) {
  const server = createTlsServer(
    { cert: readFileSync(tls('server.pem')), key: readFileSync(tls('server-key.pem')) },
    (incoming, outgoing) => {
      const { method = 'GET', headers } = incoming;
      const onwards = request(new URL(incoming.url ?? '/', target), { method, headers }, (answer) => {
        outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
        answer.pipe(outgoing);
      });
      incoming.pipe(onwards);
    },
  );
  return { server, port: await listening(server) };
}

/** A proxy for plain requests and tunnels, which records their targets. */
export async function startProxy() {
  const asked: string[] = [];
  const server = createServer((incoming, outgoing) => {
    asked.push(incoming.url ?? '');
    const { method = 'GET', headers } = incoming;
    const onwards = request(incoming.url ?? '', { method, headers }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(outgoing);
    });
    incoming.pipe(onwards);
  });
  server.on('connect', ({ url = '' }, socket, head) => {
    asked.push(`CONNECT ${url}`);
    const onwards = connect(Number(url.split(':')[1]), '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 Connection established\r\n\r\n');
      onwards.write(head);
      onwards.pipe(socket).pipe(onwards);
    });
    for (const end of [socket, onwards]) end.on('error', () => end.destroy());
  });
  return { server, asked, url: `http://127.0.0.1:${await listening(server)}` };
}
