/** Starts the server, and the peers that it is compared with. */

import type { Question } from './load.ts';
import { type Peer, startPeer } from './peer.ts';

export const key = 'key-of-the-benchmark';
const animals = '1000';
const fileOf = (name: string): string => new URL(`peers/${name}.ts`, import.meta.url).pathname;

export function startCore(): Promise<Peer> {
  return startPeer(fileOf('core'), ['PORT', key, animals]);
}

/** Starts a server that sends the same answer as ours to every request. */
export async function startBare({ url }: Peer, { path, body }: Question): Promise<Peer> {
  const headers = { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' };
  const answer = await fetch(url + path, body === undefined ? { headers } : { method: 'POST', headers, body });
  const byNode = ['connection', 'date', 'keep-alive'];
  const sent = [...answer.headers].filter(([name]) => !byNode.includes(name));
  const canned = { status: answer.status, headers: Object.fromEntries(sent), body: await answer.text() };
  return startPeer(fileOf('bare'), ['PORT', JSON.stringify(canned)]);
}
