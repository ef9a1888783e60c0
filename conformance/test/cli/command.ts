/** Runs the command: in the process of the test, or in one of its own where the process is what is tested. */

import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import type { IncomingHttpHeaders } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { CommandName } from '../../cli/commands.ts';
import { type Invocation, type Line, readInvocation } from '../../cli/configuration.ts';
import { execute } from '../../cli/execute.ts';
import type { Host } from '../../cli/host.ts';
import { reportError } from '../../cli/last-resort.ts';
import { readLine } from '../../cli/program.ts';
import { realTime } from '../../run/stop.ts';
import type { Report } from '../../verdict/report.ts';
import { type OtherServerOptions, startOtherServer } from '../other-server.ts';
import { jumpingTime } from '../run/bench.ts';

export { jumpingTime };

/** all.ts bundles the command once, since it then starts in half the time; a test file by itself runs the sources. */
export const program = process.env['KIT_UNDER_TEST'] ?? new URL('../../cli.ts', import.meta.url).pathname;

export interface Result {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

type Variables = Readonly<Record<string, string>>;

/** Holds the files of the tests, and what commands leave for their users; it ends with the process. */
const scratch = mkdtempSync(join(tmpdir(), 'petstore-conformance-'));
process.once('exit', () => rmSync(scratch, { recursive: true, force: true, maxRetries: 3 }));

/** A folder of its own for the files of one test file; nobody needs to remove it. */
export function temporaryFolder(): string {
  return mkdtempSync(join(scratch, 'test-'));
}

/** The environment of the tests without what would configure the kit or its output. */
function plainEnvironment(): NodeJS.ProcessEnv {
  const kept = Object.entries(process.env).filter(([name]) => !/^(PETSTORE_|LC_|LANG$|CI$)|_proxy$/i.test(name));
  return { ...Object.fromEntries(kept), TMPDIR: scratch };
}

/** How a process ends, and what it prints. */
export function resultOf(child: ChildProcess): Promise<Result> {
  return new Promise((resolve) => {
    const texts = { stdout: '', stderr: '' };
    for (const name of ['stdout', 'stderr'] as const) {
      child[name]?.on('data', (chunk) => {
        texts[name] += chunk;
      });
    }
    child.on('close', (code) => resolve({ code, ...texts }));
  });
}

/** Starts it in a process of its own, as a user does; the standard output may go to an open file instead. */
export function start(
  args: readonly string[],
  env: Variables = {},
  { stdout, program: started = program }: { readonly stdout?: number; readonly program?: string } = {},
) {
  const child = spawn(process.execPath, [started, ...args], {
    env: { ...plainEnvironment(), ...env },
    stdio: ['ignore', stdout ?? 'pipe', 'pipe'],
  });
  return { child, result: resultOf(child) };
}

/** Collects what is written to a stream, which looks like a pipe meanwhile; `onText` sees all of it each time. */
function collect(stream: NodeJS.WriteStream, onText: (text: string) => void): () => string {
  let text = '';
  const shown = { isTTY: stream.isTTY, columns: stream.columns, write: stream.write };
  const write = (chunk: string | Uint8Array, ...rest: readonly unknown[]): boolean => {
    text += typeof chunk === 'string' ? chunk : Buffer.from(chunk).toString();
    onText(text);
    const done = rest.find((one): one is () => void => typeof one === 'function');
    if (done !== undefined) setImmediate(done);
    return true;
  };
  Object.assign(stream, { isTTY: false, columns: undefined, write });
  return () => {
    Object.assign(stream, shown);
    return text;
  };
}

let earlier: Promise<unknown> = Promise.resolve();

/** Does something where the process has an environment and a folder, which only one may have at a time. */
function inside<Outcome>(variables: Variables, folder: string, act: () => Promise<Outcome>): Promise<Outcome> {
  const change = (to: NodeJS.ProcessEnv, at: string): void => {
    for (const name of Object.keys(process.env)) if (to[name] === undefined) delete process.env[name];
    Object.assign(process.env, to);
    process.chdir(at);
  };
  const outcome = earlier.then(async () => {
    const [before, place] = [{ ...process.env }, process.cwd()];
    change({ ...plainEnvironment(), ...variables }, folder);
    return act().finally(() => change(before, place));
  });
  earlier = outcome.catch(() => undefined);
  return outcome;
}

/** What a command reads of its words, an environment and the configuration file of a folder. */
export function invoke<Name extends CommandName>(
  command: Name,
  words: readonly string[],
  environment: Variables = {},
  folder = '/',
): Promise<Invocation<Name>> {
  const line = readLine([...command.split(' '), ...words], 80) as Line<Name>;
  return inside(environment, folder, () => readInvocation(line));
}

interface RunOptions extends Partial<Host> {
  readonly cwd?: string;
  /** Called with all of the standard error each time the command writes to it. */
  readonly onStderr?: (text: string) => void;
}

/** Runs it in this process, which takes a tenth of the time. A signal of the user comes from the host. */
export function run(args: readonly string[], env: Variables = {}, options: RunOptions = {}): Promise<Result> {
  const { cwd = process.cwd(), onStderr = () => undefined, time = realTime } = options;
  const { interruption = new AbortController().signal } = options;
  return inside(env, cwd, async () => {
    const [stdout, stderr] = [collect(process.stdout, () => undefined), collect(process.stderr, onStderr)];
    const code = await execute(args, { interruption, time }).catch(reportError);
    return { code, stdout: stdout(), stderr: stderr() };
  });
}

/** Runs against a server, with its key unless another is given; resolves with the report and the requests that came, too. */
export async function judgeOther(words: readonly string[], other: OtherServerOptions = {}, key?: string) {
  const { baseUrl, key: own, server } = await startOtherServer(other);
  const asked: { readonly line: string; readonly headers: IncomingHttpHeaders }[] = [];
  server.prependListener('request', ({ method, url, headers }) => {
    asked.push({ line: `${method} ${url}`, headers });
  });
  const file = join(temporaryFolder(), 'report.json');
  const all = ['run', baseUrl, '--reporter', `json=${file}`, '--reporter', 'terminal', ...words];
  const result = await run(all, { PETSTORE_API_KEY: key ?? own }, { time: jumpingTime() });
  assert.not.match(result.stdout, own);
  return { ...result, report: readReport(file), asked };
}

export function readReport(file: string): Report {
  return JSON.parse(readFileSync(file, 'utf8')) as Report;
}

/** The standard error of a run that may last: a line for every ten seconds, as a busy machine needs them. */
export const onlyProgress = /^(\d+\/\d+ (requests|runs)(, \d+ failed)?\.\n)*$/;

/** A call of the command: its exit code, and what each output has. Without a pattern the standard error is empty. */
export interface Call {
  readonly words: string | readonly string[];
  readonly environment?: Variables;
  readonly code: number;
  readonly stdout?: readonly (RegExp | string)[];
  readonly stderr?: RegExp | string;
  /** The files that it reads, by name. */
  readonly files?: Readonly<Record<string, string>>;
}

/** A test for each call, in a folder that holds its files. Wrong usage prints one sentence, and no secret: cr4nary is one. */
export function testCalls(calls: readonly Call[], folder = temporaryFolder()): void {
  for (const { words, environment = {}, code, stdout = [], stderr = /^$/, files = {} } of calls) {
    const list = typeof words === 'string' ? words.split(' ').filter(Boolean) : words;
    const setting = [...Object.values(files), ...Object.keys(environment)].join(' ');
    const title = `${list.join(' ').slice(0, 80)} ${setting}`.replaceAll(/[^\x20-\x7e]/g, ' ').trim();
    test(`"${title}" ends with ${code}`, async () => {
      for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
      const result = await run(list, environment, { cwd: folder });
      assert.is(result.code, code, result.stdout + result.stderr);
      for (const pattern of stdout) assert.match(result.stdout, pattern);
      assert.match(result.stderr, stderr);
      assert.not.match(result.stderr, 'cr4nary');
      if (code === 2 && stdout.length === 0) assert.match(`${result.stdout}>${result.stderr}`, /^>[^\n]+\n$/);
    });
  }
}
