/** Compares the CPU time of a request with that of a bare node:http server which sends the same answer. */

import { atLeast, type Figure, summarise } from './figures.ts';
import { load, type Question } from './load.ts';
import type { Peer } from './peer.ts';
import { key, startBare, startCore } from './servers.ts';

const body = '{"name":"Rex","categoryId":1,"status":"available"}';
/** Each with the share of a bare server's speed that is its goal. */
const trials = [
  { name: 'getPet', question: { path: '/v1/pets/1', key }, goal: 0.85 },
  { name: 'listPets, 20', question: { path: '/v1/pets', key }, goal: 0.85 },
  { name: 'listPets, 100 and filter', question: { path: '/v1/pets?limit=100&status=available', key }, goal: 0.65 },
  { name: 'createPet', question: { path: '/v1/pets', key, body }, goal: 0.65 },
] as const;

const rounds = 5;

/** Microseconds of CPU time a request. */
async function measure(peer: Peer, question: Question): Promise<number> {
  const { cpuMs: before } = await peer.use();
  const requests = await load(peer.url, question);
  const { cpuMs: after } = await peer.use();
  return ((after - before) / requests) * 1000;
}

/** The two servers take turns, so that other load on the machine affects both; the first round warms them up. */
export async function measureAgainstPeers(): Promise<readonly Figure[]> {
  const figures: Figure[] = [];
  for (const { name, question, goal } of trials) {
    const core = await startCore();
    const peer = await startBare(core, question);
    const costs: { readonly ours: number; readonly bare: number }[] = [];
    for (let round = 0; round <= rounds; round += 1)
      costs.push({ ours: await measure(core, question), bare: await measure(peer, question) });
    await Promise.all([core.stop(), peer.stop()]);
    const [ours, ratios] = [costs.slice(1).map((one) => one.ours), costs.slice(1).map((one) => one.bare / one.ours)];
    figures.push(summarise({ name, measure: 'CPU time, µs a request' }, ours));
    figures.push(summarise({ name: `${name} ÷ bare node:http`, measure: 'CPU time', goal: atLeast(goal) }, ratios));
  }
  return figures;
}
