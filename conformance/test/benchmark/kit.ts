/** The kit as whole processes of what is built: starts, runs, long runs, slow targets and long pages. */

import { existsSync } from 'node:fs';
import { key, startCore } from '../../../reference-server/test/benchmark/against-peers.ts';
import { atMost, type Figure, summarise } from '../../../reference-server/test/benchmark/figures.ts';
import { startPeer } from '../../../reference-server/test/benchmark/peer.ts';
import { runOften, type Taken } from './command.ts';

const often = 5;
const dist = new URL('../../../dist/petstore-conformance.js', import.meta.url).pathname;
const longPages = new URL('long-pages.ts', import.meta.url).pathname;
const slowTarget = new URL('slow-target.ts', import.meta.url).pathname;

const wallOf = (taken: readonly Taken[]): number[] => taken.map(({ wallMs }) => wallMs);
const memoryOf = (taken: readonly Taken[]): number[] => taken.map(({ mebibytes }) => mebibytes);
const runFor = (requests: number, ...more: readonly string[]): readonly string[] => [
  ...['run', ...more, '--max-requests', String(requests), '--seed', '1', '--quiet'],
];

async function measureStarts(): Promise<readonly Figure[]> {
  const starts = [
    { name: '--help', words: ['--help'], most: 80 },
    { name: 'explain', words: ['explain'], most: 80 },
    { name: 'run --max-requests 60, embedded', words: runFor(60), most: 350 },
    { name: 'run, embedded', words: ['run', '--seed', '1', '--quiet'], most: 550 },
  ];
  const figures: Figure[] = [];
  for (const { name, words, most } of starts) {
    const taken = await runOften(often, words);
    figures.push(summarise({ name, measure: 'ms', goal: atMost(most) }, wallOf(taken)));
  }
  return figures;
}

/** CPU time of the kit alone: its target is another process, and its start is taken off. */
async function measureExchange(requests: number, times: number): Promise<Figure> {
  const target = await startCore();
  const starts = await runOften(times, ['explain']);
  const runs = await runOften(times, runFor(requests, `${target.url}/v1`), key);
  await target.stop();
  const costs = runs.map(({ cpuMs }, at) => (cpuMs - starts[at]!.cpuMs) / requests);
  return summarise({ name: `an exchange, of ${requests}`, measure: 'ms of CPU', goal: atMost(0.3) }, costs);
}

async function measureSlowTarget(): Promise<Figure> {
  const target = await startPeer(slowTarget, [key]);
  const taken = await runOften(often, runFor(60, `${target.url}/v1`, '--concurrency', '8'), key);
  await target.stop();
  const name = 'run --max-requests 60 --concurrency 8, a target with 100 ms latency';
  return summarise({ name, measure: 'ms', goal: atMost(975) }, wallOf(taken));
}

async function measureLongPages(): Promise<readonly Figure[]> {
  const target = await startPeer(longPages, [key]);
  const taken = await runOften(3, runFor(60, `${target.url}/v1`), key);
  await target.stop();
  const name = 'run --max-requests 60, 16,000 animals (10 MB) on every page';
  return [
    summarise({ name, measure: 'ms', goal: atMost(3_000) }, wallOf(taken)),
    summarise({ name, measure: 'MiB', goal: atMost(250) }, memoryOf(taken)),
  ];
}

async function measureLongRun(): Promise<Figure> {
  const taken = await runOften(1, runFor(100_000, '--concurrency', '4'));
  return summarise({ name: 'run --max-requests 100000, embedded', measure: 'MiB', goal: atMost(150) }, memoryOf(taken));
}

async function measureSelfTest(): Promise<Figure> {
  const taken = await runOften(1, ['self-test']);
  return summarise({ name: 'self-test', measure: 'ms', goal: atMost(25_000) }, wallOf(taken));
}

function requireBuilt(): void {
  if (!existsSync(dist)) throw new Error('There is no dist/: npm run build writes it.');
}

export async function measureKit(): Promise<readonly Figure[]> {
  requireBuilt();
  return [
    ...(await measureStarts()),
    await measureExchange(300, 3),
    await measureSlowTarget(),
    ...(await measureLongPages()),
  ];
}

/** What takes minutes. */
export async function measureLongRuns(): Promise<readonly Figure[]> {
  requireBuilt();
  return [await measureExchange(5_000, 1), await measureLongRun(), await measureSelfTest()];
}
