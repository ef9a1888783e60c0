/** Starts the server as its users do, and the peers that it is compared with. */

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import type { Question } from './load.ts';
import { type Peer, startPeer } from './peer.ts';

/** The last of the server's keys. */
export const key = 'key-of-the-benchmark';

const fileOf = (path: string): string => new URL(path, import.meta.url).pathname;
const folder = mkdtempSync(`${tmpdir()}/benchmark-`);
process.once('exit', () => rmSync(folder, { recursive: true }));
const prism = createRequire(import.meta.url).resolve('@stoplight/prism-cli/dist/index.js');

export interface Stock {
  readonly animals?: number;
  /** In addition to the one that is used. */
  readonly keys?: number;
}

/** The arguments for a server whose limits are never reached. */
function wordsFor({ animals = 0, keys = 0 }: Stock): readonly string[] {
  const limits = { plan: 'enterprise', perMinute: 1e9, perDay: 1e9 };
  const others = Array.from({ length: keys }, (_nothing, at) => ({ key: `key-number-${at}`, ...limits }));
  const file = `${folder}/keys-${keys}.json`;
  writeFileSync(file, JSON.stringify([...others, { key, ...limits }]));
  return ['--port', 'PORT', '--keys', file, '--seed-animals', String(animals)];
}

/** Starts a server whose limits are never reached. */
export function startServer(stock: Stock = {}, more: readonly string[] = []): Promise<Peer> {
  return startPeer(fileOf('../../../conformance/cli/petstore-server.ts'), [...wordsFor(stock), ...more]);
}

/** The build, since sources take longer to load. */
export const built = fileOf('../../../dist/petstore-server.js');

/** The arguments for node that start the build, and a server that does nothing. */
export const starts = {
  server: [built, ...wordsFor({})],
  bare: ['-e', `require('node:http').createServer((_, answer) => answer.end('{}')).listen(PORT, '127.0.0.1')`],
} as const;

/** Starts a server that sends the same answer as ours to every request. */
export async function startBare({ url }: Peer, { path, body }: Question): Promise<Peer> {
  const headers = { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' };
  const answer = await fetch(url + path, body === undefined ? { headers } : { method: 'POST', headers, body });
  const byNode = ['connection', 'date', 'keep-alive'];
  const sent = [...answer.headers].filter(([name]) => !byNode.includes(name));
  const canned = { status: answer.status, headers: Object.fromEntries(sent), body: await answer.text() };
  return startPeer(fileOf('peers/bare.ts'), ['PORT', JSON.stringify(canned)]);
}

export function startFastify({ animals = 0 }: Stock): Promise<Peer> {
  process.env['PETSTORE_API_KEY'] = key;
  return startPeer(fileOf('peers/fastify.ts'), ['PORT', String(animals)]);
}

export function startPrism(): Promise<Peer> {
  return startPeer(prism, ['mock', fileOf('../../../spec/openapi.yaml'), '--host', '127.0.0.1', '--port', 'PORT']);
}
