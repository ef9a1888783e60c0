/** Relays for tests, the targets behind them, and clients that send bytes. */

import { type AddressInfo, connect, createServer, type Server } from 'node:net';
import { type Relay, type RelayedExchange, startRelay } from '../../traffic/relay.ts';

export async function listening(server: Server): Promise<number> {
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  return (server.address() as AddressInfo).port;
}

/** A target that answers each request with these bytes, and records what it received. */
export async function startTarget(
  answer: string | Buffer,
): Promise<{ server: Server; port: number; got: () => string }> {
  let got = '';
  const server = createServer((socket) => {
    socket
      .on('error', () => undefined)
      .on('data', (chunk) => {
        got += chunk.toString('latin1');
        if (!got.endsWith('\r\n\r\n') && !got.endsWith('END')) return;
        socket.write(answer);
        if (!answer.includes('Content-Length') && !answer.includes('chunked')) socket.end();
      });
  });
  return { server, port: await listening(server), got: () => got };
}

interface Relayed {
  readonly relay: Relay;
  readonly passed: RelayedExchange[];
}

export async function startFor(
  port: number,
  path = '/v1',
  options: { readonly silenceMs?: number } = {},
): Promise<Relayed> {
  const passed: RelayedExchange[] = [];
  const relay = await startRelay({
    baseUrl: `http://127.0.0.1:${port}${path}`,
    host: '127.0.0.1',
    port: 0,
    onExchange: (exchange) => passed.push(exchange),
    ...options,
  });
  return { relay, passed };
}

/** All that comes back for some bytes, until the other side ends or has sent so many. */
export function talk(port: number, bytes: string, until = Number.POSITIVE_INFINITY): Promise<string> {
  return new Promise((resolve) => {
    let got = '';
    const socket = connect(port, '127.0.0.1', () => socket.write(bytes, 'latin1'));
    socket.on('data', (chunk) => {
      got += chunk.toString('latin1');
      if (got.length >= until) socket.destroy();
    });
    socket.on('error', () => undefined).on('close', () => resolve(got));
  });
}

export function portOf({ baseUrl }: Relay): number {
  return Number(new URL(baseUrl).port);
}
