/** Measures the time from the start of a process to its first answer. */

import { existsSync } from 'node:fs';
import { atMost, type Figure, summarise } from './figures.ts';
import { measureStart } from './peer.ts';
import { built, starts } from './servers.ts';

const rounds = 15;

/** Returns no figures without a build. */
export async function measureStarts(): Promise<readonly Figure[]> {
  if (!existsSync(built)) return [];
  const taken: { readonly server: number; readonly bare: number }[] = [];
  for (let round = 0; round < rounds; round += 1) {
    taken.push({ server: await measureStart(starts.server), bare: await measureStart(starts.bare) });
  }
  const name = 'start to first answer';
  return [
    summarise(
      { name, measure: 'ms' },
      taken.map(({ server }) => server),
    ),
    summarise(
      { name: `${name} ÷ bare node:http`, measure: 'time', goal: atMost(1.3) },
      taken.map(({ server, bare }) => server / bare),
    ),
  ];
}
