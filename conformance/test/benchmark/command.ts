/** Runs what is built as a whole process, and tells what it took. */

import { spawn } from 'node:child_process';
import { once } from 'node:events';

interface Taken {
  readonly wallMs: number;
  /** CPU time, of user and system. */
  readonly cpuMs: number;
}

const dist = new URL('../../../dist/petstore-conformance.js', import.meta.url).pathname;
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
export async function runOften(times: number, words: readonly string[], key?: string): Promise<readonly Taken[]> {
  const taken: Taken[] = [];
  for (let time = 0; time < times; time += 1) taken.push(await runCommand(words, key));
  return taken;
}
