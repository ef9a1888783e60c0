/** Compares the server with a bare node:http server. */

import { compare, compete, describe } from './comparison.ts';
import { atLeast, type Figure } from './figures.ts';
import { key, startBare, startCore } from './servers.ts';

const body = '{"name":"Rex","categoryId":1,"status":"available"}';
/** Each with the share of a bare server's speed that is its goal. */
const trials = [
  { name: 'getPet', question: { path: '/v1/pets/1', key }, goal: 0.85 },
  { name: 'listPets, 20', question: { path: '/v1/pets', key }, goal: 0.85 },
  { name: 'listPets, 100 and filter', question: { path: '/v1/pets?limit=100&status=available', key }, goal: 0.65 },
  { name: 'createPet', question: { path: '/v1/pets', key, body }, goal: 0.65 },
] as const;

export async function measureAgainstPeers(): Promise<readonly Figure[]> {
  const figures: Figure[] = [];
  for (const { name, question, goal } of trials) {
    const core = await startCore();
    const peers = [core, await startBare(core, question)];
    const [ours = [], bare = []] = await compete(peers.map((peer) => ({ peer, question })));
    await Promise.all(peers.map((peer) => peer.stop()));
    figures.push(...describe(name, ours), ...compare(`${name} ÷ bare node:http`, atLeast(goal), ours, bare));
  }
  return figures;
}
