/** The server with a million animals, a hundred thousand keys and as many client addresses. */

import { createPetStore } from '../../index.ts';
import { heldBytes } from '../garbage.ts';
import { compare, compete, type Rival } from './comparison.ts';
import { atLeast, atMost, type Figure, summarise } from './figures.ts';
import type { Question } from './load.ts';
import { key, startServer } from './servers.ts';

const million = 1_000_000;
const many = 100_000;
const animal = '{"name":"Rex","categoryId":1,"status":"available"}';
const body = new Uint8Array();
const noon = Date.UTC(2026, 10, 21, 12);
const page: Question = { path: '/v1/pets?limit=100&status=available', key };
const creation: Question = { path: '/v1/pets', key, body: animal };
const reading: Question = { path: '/v1/pets/1', key };

/** How many times longer one takes than another, in CPU time and in wall-clock time. */
function slower(
  name: string,
  most: number,
  [one = [], other = []]: Awaited<ReturnType<typeof compete>>,
): readonly Figure[] {
  return compare(name, atLeast(1), other, one).map((figure) => ({ ...figure, goal: atMost(most) }));
}

/** Measures how many bytes one more animal takes, on the heap and outside it. */
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
  const rivals = [await startServer({ animals: 1, keys: many }), await startServer({ animals: 1 })];
  const costs = await compete(rivals.map((peer) => ({ peer, question: reading })));
  await Promise.all(rivals.map((peer) => peer.stop()));
  return slower('getPet: 100,000 keys ÷ one', 1.05, costs);
}

/** Measures addresses in this process, since one machine does not have a hundred thousand of them. */
function measureAddresses(): readonly Figure[] {
  const [costs, sizes]: [number[], number[]] = [[], []];
  const ask = (count: number): { readonly cpuUs: number; readonly held: number } => {
    const { handle } = createPetStore();
    const addresses = Array.from({ length: count }, (_nothing, at) => `2001:db8::${at}`);
    const pass = (): void => {
      for (let at = 0; at < many; at += 1) {
        handle({ method: 'GET', target: '/v1/pets', headers: [], body, address: addresses[at % count]! }, noon);
      }
    };
    const before = heldBytes();
    pass();
    const held = (heldBytes() - before) / count;
    const startedAt = process.cpuUsage();
    for (let passes = 0; passes < 5; passes += 1) pass();
    const { user, system } = process.cpuUsage(startedAt);
    return { cpuUs: (user + system) / (5 * many), held };
  };
  for (let round = 0; round < 5; round += 1) {
    const [one, all] = [ask(1), ask(many)];
    costs.push(all.cpuUs - one.cpuUs);
    sizes.push(all.held);
  }
  return [
    summarise({ name: 'a request from one of 100,000 addresses', measure: 'µs of CPU more', goal: atMost(0.5) }, costs),
    summarise({ name: 'memory per address, until it is idle for a day', measure: 'bytes' }, sizes),
  ];
}

export async function measureGrowth(): Promise<readonly Figure[]> {
  return [await measureMemory(), ...(await measureCatalogue()), ...(await measureKeys()), ...measureAddresses()];
}
