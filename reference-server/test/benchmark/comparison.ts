/** Compares servers by one request: they take turns, so that other load on the machine affects each of them. */

import { type Figure, type Goal, summarise } from './figures.ts';
import { load, type Question } from './load.ts';
import type { Peer } from './peer.ts';

export interface Rival {
  readonly peer: Peer;
  readonly question: Question;
}

/** The cost of one round. */
interface Cost {
  /** Milliseconds of CPU time. */
  readonly cpuMs: number;
  readonly perSecond: number;
}

const rounds = 5;

async function measure({ peer, question }: Rival): Promise<Cost> {
  const { cpuMs: before } = await peer.use();
  const { requests, perSecond } = await load(peer.url, question);
  const { cpuMs: after } = await peer.use();
  return { cpuMs: (after - before) / requests, perSecond };
}

/** Measures each rival in several rounds, after one to warm up. */
export async function compete(rivals: readonly Rival[]): Promise<readonly (readonly Cost[])[]> {
  for (const rival of rivals) await measure(rival);
  const costs: Cost[][] = rivals.map(() => []);
  for (let round = 0; round < rounds; round += 1) {
    for (const at of rivals.keys()) {
      const turn = (at + round) % rivals.length;
      costs[turn]?.push(await measure(rivals[turn]!));
    }
  }
  return costs;
}

/** The ratio of two rivals in each round, by CPU time a request and by throughput; above 1 the first one is better. */
export function compare(name: string, goal: Goal, one: readonly Cost[], other: readonly Cost[]): readonly Figure[] {
  const pairs = one.map((cost, round) => [cost, other[round]!] as const);
  const [byCpu, byRate] = [
    pairs.map(([ours, theirs]) => theirs.cpuMs / ours.cpuMs),
    pairs.map(([ours, theirs]) => ours.perSecond / theirs.perSecond),
  ];
  return [
    summarise({ name, measure: 'CPU time', goal }, byCpu),
    summarise({ name, measure: 'throughput', goal }, byRate),
  ];
}

/** The absolute cost of an answer. It explains the ratios and has no goal. */
export function describe(name: string, costs: readonly Cost[]): readonly Figure[] {
  return [
    summarise(
      { name, measure: 'CPU time, µs a request' },
      costs.map(({ cpuMs }) => cpuMs * 1000),
    ),
    summarise(
      { name, measure: 'requests a second' },
      costs.map(({ perSecond }) => perSecond),
    ),
  ];
}
