/** Servers that tests listen on, some of other protocols or proxies between a run and its target. */

import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { type AddressInfo, connect, type Server, type Socket } from 'node:net';

/** Milliseconds for an answer: however busy the machine is, none is late. */
export const patienceMs = 60_000;

/** The path of a key or a certificate. */
export const tls = (name: string): string => new URL(`./tls/${name}`, import.meta.url).pathname;

/** Listens on a free port, which it resolves with. The server keeps no process alive, so no test needs to close it. */
export async function listening(server: Server): Promise<number> {
  server.on('connection', (socket: Socket) => socket.unref());
  await once(server.listen(0, '127.0.0.1'), 'listening');
  server.unref();
  return (server.address() as AddressInfo).port;
}

/** A free port. It lies below those that systems choose by themselves, so that no other socket gets it meanwhile. */
export async function freePort(): Promise<number> {
  const [server, port] = [createServer(), randomInt(20_000, 30_000)];
  try {
    await once(server.listen(port, '127.0.0.1'), 'listening');
  } catch {
    return freePort();
  }
  await once(server.close(), 'close');
  return port;
}

/** Passes a request on: to its own address, or where a target lies. */
function forward(incoming: IncomingMessage, outgoing: ServerResponse, target?: string): void {
  const { method = 'GET', headers, url = '' } = incoming;
  const onwards = request(new URL(url, target), { method, headers }, (answer) => {
    outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
    answer.pipe(outgoing);
  });
  incoming.pipe(onwards);
}

/** HTTPS before a server that speaks HTTP only. */
export async function startTls(target: string) {
  const server = createTlsServer(
    { cert: readFileSync(tls('server.pem')), key: readFileSync(tls('server-key.pem')) },
    (incoming, outgoing) => forward(incoming, outgoing, target),
  );
  return { port: await listening(server) };
}

/** A proxy for plain requests and tunnels, which records their targets. */
export async function startProxy() {
  const asked: string[] = [];
  const server = createServer((incoming, outgoing) => {
    asked.push(incoming.url ?? '');
    forward(incoming, outgoing);
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
  return { asked, url: `http://127.0.0.1:${await listening(server)}` };
}
