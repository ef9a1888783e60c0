/** The kit as whole processes of what is built: its starts, and the cost of an exchange. */

import { existsSync } from 'node:fs';
import { runOften } from './command.ts';
import { type Figure, key, startCore } from './peers.ts';

const often = 5;
const dist = new URL('../../../dist/petstore-conformance.js', import.meta.url).pathname;

async function measureStarts(): Promise<readonly Figure[]> {
  const starts = [
    { name: '--help', words: ['--help'], most: 80 },
    { name: 'explain', words: ['explain'], most: 80 },
    { name: 'run, embedded', words: ['run', '--seed', '1', '--quiet'], most: 550 },
  ];
  const figures: Figure[] = [];
  for (const { name, words, most } of starts) {
    const taken = await runOften(often, words);
    figures.push({ name, measure: 'ms', values: taken.map(({ wallMs }) => wallMs), goal: { atMost: most } });
  }
  return figures;
}

/** CPU time of the kit alone: its target is another process, and its start is taken off. */
async function measureExchange(requests: number, times: number): Promise<Figure> {
  const target = await startCore();
  const starts = await runOften(times, ['explain']);
  const words = ['run', `${target.url}/v1`, '--max-requests', String(requests), '--seed', '1', '--quiet'];
  const runs = await runOften(times, words, key);
  await target.stop();
  const values = runs.map(({ cpuMs }, at) => (cpuMs - starts[at]!.cpuMs) / requests);
  return { name: `an exchange, of ${requests}`, measure: 'ms of CPU', values, goal: { atMost: 0.3 } };
}

export async function measureKit(): Promise<readonly Figure[]> {
  if (!existsSync(dist)) throw new Error('There is no dist/: npm run build writes it.');
  return [...(await measureStarts()), await measureExchange(300, 3)];
}
