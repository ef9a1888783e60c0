/** The kit as whole processes of what is built: its starts, and the cost of an exchange. */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { type Figure, key, startCore } from './peers.ts';

const often = 5;
const dist = new URL('../../../dist/petstore-conformance.js', import.meta.url).pathname;

interface Taken {
  readonly wallMs: number;
  /** CPU time, of user and system. */
  readonly cpuMs: number;
}

/** Loaded before the command: tells what it used when it ends. */
const tellUsage = 'data:text/javascript,process.on("exit",()=>console.error("\\n"+JSON.stringify(process.cpuUsage())))';

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
  const { user, system } = JSON.parse(errors.trim().split('\n').at(-1)!) as NodeJS.CpuUsage;
  return { wallMs, cpuMs: (user + system) / 1000 };
}

/** One after the other. */
async function runOften(times: number, words: readonly string[], key?: string): Promise<readonly Taken[]> {
  const taken: Taken[] = [];
  for (let time = 0; time < times; time += 1) taken.push(await runCommand(words, key));
  return taken;
}

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
