/** The server with a million animals, a hundred thousand keys and as many client addresses. */

import { compare, compete, type Rival } from './comparison.ts';
import { atLeast, atMost, type Figure, summarise } from './figures.ts';
import type { Question } from './load.ts';
import { key, startServer } from './servers.ts';

const million = 1_000_000;
const manyKeys = 100_000;
const body = '{"name":"Rex","categoryId":1,"status":"available"}';
const page: Question = { path: '/v1/pets?limit=100&status=available', key };
const creation: Question = { path: '/v1/pets', key, body };
const reading: Question = { path: '/v1/pets/1', key };

/** How much longer one takes than another, in CPU time and in time on the wall. */
function slower(
  name: string,
  most: number,
  [one = [], other = []]: Awaited<ReturnType<typeof compete>>,
): readonly Figure[] {
  return compare(name, atLeast(1), other, one).map((figure) => ({ ...figure, goal: atMost(most) }));
}

/** Bytes of heap, and outside of it, that one more animal takes. */
async function measureMemory(): Promise<Figure> {
  const sizes: number[] = [];
  for (const _round of [1, 2, 3]) {
    const [empty, full] = [await startServer(), await startServer({ animals: million })];
    const [before, after] = [await empty.use('memory'), await full.use('memory')];
    sizes.push((after.heldBytes - before.heldBytes) / million);
    await Promise.all([empty.stop(), full.stop()]);
  }
  return summarise({ name: 'memory per animal, 1,000,000', measure: 'bytes', goal: atMost(140) }, sizes);
}

async function measureCatalogue(): Promise<readonly Figure[]> {
  const [small, large, empty] = [
    await startServer({ animals: 400 }),
    await startServer({ animals: million }),
    await startServer(),
  ];
  const ask = (question: Question): Rival[] => [large, small].map((peer) => ({ peer, question }));
  const pages = await compete(ask(page));
  const creations = await compete([large, empty].map((peer) => ({ peer, question: creation })));
  await Promise.all([small, large, empty].map((peer) => peer.stop()));
  return [
    ...slower('listPets, 100 and filter: 1,000,000 animals ÷ 400', 1.1, pages),
    ...slower('createPet: 1,000,000 animals ÷ none', 1.2, creations),
  ];
}

async function measureKeys(): Promise<readonly Figure[]> {
  const rivals = [await startServer({ animals: 1, keys: manyKeys }), await startServer({ animals: 1 })];
  const costs = await compete(rivals.map((peer) => ({ peer, question: reading })));
  await Promise.all(rivals.map((peer) => peer.stop()));
  return slower('getPet: 100,000 keys ÷ one', 1.05, costs);
}

export async function measureGrowth(): Promise<readonly Figure[]> {
  return [await measureMemory(), ...(await measureCatalogue()), ...(await measureKeys())];
}
