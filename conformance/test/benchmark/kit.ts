/** The kit as whole processes of what is built: its starts, and runs on a real service. */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { type Figure, key, startOurs } from './peers.ts';

const often = 5;
const dist = new URL('../../../dist/petstore-conformance.js', import.meta.url).pathname;

interface Taken {
  readonly wallMs: number;
  /** CPU time, of user and system. */
  readonly cpuMs: number;
  readonly peakMegabytes: number;
}

/** Loaded before the command: tells what it used when it ends. */
const tellUsage =
  'data:text/javascript,process.on("exit",()=>console.error("\\n"+JSON.stringify(process.resourceUsage())))';

/** Rejects where it ends with another exit code than 0 or 1. */
async function runCommand(words: readonly string[], key = ''): Promise<Taken> {
  const startedAt = performance.now();
  const child = spawn(process.execPath, ['--import', tellUsage, dist, ...words], {
    stdio: ['ignore', 'ignore', 'pipe'],
    env: { ...process.env, PETSTORE_API_KEY: key },
  });
  const kill = (): boolean => child.kill('SIGKILL');
  process.once('exit', kill);
  let errors = '';
  child.stderr.on('data', (chunk) => {
    errors = `${errors}${chunk}`.slice(-10_000);
  });
  const [code] = await once(child, 'close');
  const wallMs = performance.now() - startedAt;
  process.off('exit', kill);
  if (code !== 0 && code !== 1) throw new Error(`${words.join(' ')} ended with ${code}: ${errors}`);
  const used = JSON.parse(errors.trim().split('\n').at(-1)!) as NodeJS.ResourceUsage;
  return { wallMs, cpuMs: (used.userCPUTime + used.systemCPUTime) / 1000, peakMegabytes: used.maxRSS / 1024 };
}

/** One after the other. */
async function runOften(times: number, words: readonly string[], key?: string): Promise<readonly Taken[]> {
  const taken: Taken[] = [];
  for (let time = 0; time < times; time += 1) taken.push(await runCommand(words, key));
  return taken;
}

/** What every command waits for. */
async function measureStarts(): Promise<readonly Figure[]> {
  const figures: Figure[] = [];
  for (const name of ['--help', 'explain']) {
    const values = (await runOften(often, [name])).map(({ wallMs }) => wallMs);
    figures.push({ name, measure: 'ms', values, goal: { atMost: 80 } });
  }
  return figures;
}

/** Runs on petstore-server. */
async function measureRuns(): Promise<readonly Figure[]> {
  const target = await startOurs();
  const figures: Figure[] = [];
  for (const [requests, mostMs] of [
    [60, 400],
    [300, 1_000],
    [1_000, 3_000],
  ] as const) {
    const words = ['run', `${target.url}/v1`, '--max-requests', String(requests), '--seed', '1', '--quiet'];
    const [name, runs] = [`run of ${requests}`, await runOften(often, words, key)];
    figures.push({ name, measure: 'ms', values: runs.map(({ wallMs }) => wallMs), goal: { atMost: mostMs } });
    figures.push({ name, measure: 'ms of CPU', values: runs.map(({ cpuMs }) => cpuMs) });
    const megabytes = runs.map(({ peakMegabytes }) => peakMegabytes);
    figures.push({ name, measure: 'MB at most', values: megabytes, goal: { atMost: 150 } });
  }
  await target.stop();
  return figures;
}

export async function measureKit(): Promise<readonly Figure[]> {
  if (!existsSync(dist)) throw new Error('There is no dist/: npm run build writes it.');
  return [...(await measureStarts()), ...(await measureRuns())];
}
