/** A command as a client: its environment, its output, and the end of its processes. */

import { readFileSync, statSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { ClientResult } from '../../clients/client-run.ts';
import { CommandNotStarted, runCommand } from '../../clients/run-command.ts';
import { temporaryFolder } from '../cli/command.ts';

const folder = temporaryFolder();
let runs = 0;

/** Each run has a key of its own, as the runs of `client` do. */
function newEnvironment() {
  runs += 1;
  const key = `client-${String(runs).padStart(16, '0')}-${process.pid}`;
  return { baseUrl: 'http://127.0.0.1:1/v1', key, categoryId: 4_711n };
}
const never = new AbortController().signal;

interface Options {
  readonly environment?: Readonly<Record<string, string>>;
  readonly timeoutMs?: number;
  readonly secrets?: readonly string[];
  readonly signal?: AbortSignal;
}

/** Runs a script of node as the command. */
function run(script: string, { environment = {}, timeoutMs = 30_000, secrets = [], signal = never }: Options = {}) {
  const command = [process.execPath, '-e', script] as const;
  return runCommand({ command, environment, timeoutMs, folder, secrets })(
    newEnvironment(),
    'list-order=shuffled',
    signal,
  );
}

function printedIn({ output = '' }: ClientResult): string {
  return readFileSync(output, 'utf8');
}

test('it gets the address, the key and a category, besides the rest of its environment', async () => {
  const names = 'PETSTORE_BASE_URL PETSTORE_CATEGORY_ID OTHER'.split(' ');
  const script = `console.log(${JSON.stringify(names)}.map((name) => process.env[name]).join(' '), process.env.PETSTORE_API_KEY.length)`;
  const result = await run(script, { environment: { OTHER: 'else' } });
  assert.equal([result.isPassed, result.ending], [true, 'exit code 0']);
  assert.is(printedIn(result), `http://127.0.0.1:1/v1 4711 else ${newEnvironment().key.length}\n`);
});

test('its exit code and its signal are how it ended', async () => {
  const [code, signal] = await Promise.all([run('process.exit(7)'), run('process.kill(process.pid, "SIGTERM")')]);
  assert.equal([code.isPassed, code.ending], [false, 'exit code 7']);
  assert.equal([signal.isPassed, signal.ending], [false, 'its end by SIGTERM']);
});

test('its output goes to a file that only its owner can read, without keys', async () => {
  const secret = 'a-real-key-of-staging';
  const script = `console.log('out', process.env.PETSTORE_API_KEY); console.error('err', ${JSON.stringify(secret)}, Buffer.from(process.env.PETSTORE_API_KEY).toString('base64'))`;
  const result = await run(script, { secrets: [secret] });
  assert.match(result.output ?? '', /\d{3}-list-order-shuffled\.txt$/);
  assert.is(statSync(result.output!).mode & 0o777, 0o600);
  const lines = printedIn(result).trimEnd().split('\n').sort();
  assert.equal(lines, ['err [key] [key]', 'out [key]']);
});

test('of a long output the beginning is kept', async () => {
  const result = await run("process.stdout.write('x'.repeat(3_000_000))");
  assert.is(printedIn(result).length, 1024 * 1024);
  assert.ok(result.isPassed);
});

/** Whether a process ends soon. */
async function isGone(pid: number): Promise<boolean> {
  for (let attempt = 0; attempt < 100; attempt += 1) {
    try {
      process.kill(pid, 0);
    } catch {
      return true;
    }
    await sleep(20);
  }
  return false;
}

/** A script with a child that would live for a minute, and tells its number. */
const withChild = `const child = require('node:child_process').spawn(process.execPath, ['-e', 'setTimeout(() => {}, 60_000)'], { stdio: 'inherit' }); console.log(child.pid);`;

test('it is killed with its children when its time is over', async () => {
  const result = await run(withChild, { timeoutMs: 1_500 });
  assert.equal([result.isPassed, result.ending], [false, 'no end within 1.5 s (--time-limit allows more)']);
  assert.ok(await isGone(Number(printedIn(result))));
});

test('a child that it leaves behind is killed, and does not keep it from ending', async () => {
  const result = await run(`${withChild} child.unref(); setTimeout(() => process.exit(0), 100)`);
  assert.ok(result.isPassed);
  assert.ok(await isGone(Number(printedIn(result))));
});

test('a process in a session of its own, which holds the output open, does not keep the run from ending', async () => {
  const daemon = `const child = require('node:child_process').spawn(process.execPath, ['-e', 'setTimeout(() => {}, 60_000)'], { stdio: 'inherit', detached: true }); console.log(child.pid); child.unref(); setTimeout(() => process.exit(0), 100)`;
  const result = await run(daemon);
  assert.ok(result.isPassed);
  process.kill(Number(printedIn(result)));
});

test('the last ten lines that it printed are at hand, without colours and keys', async () => {
  const { printed } = await run(
    "for (let n = 1; n <= 12; n += 1) console.log(n + '\\x1b[31m\\x1b[0m\\n'); console.error(process.env.PETSTORE_API_KEY)",
  );
  assert.is(printed?.length, 10);
  assert.equal(printed?.toSorted().slice(0, 2), ['10', '11']);
  assert.ok(printed?.includes('[key]'));
});

test('it ends with the signal', async () => {
  const stop = new AbortController();
  const running = run(withChild, { signal: stop.signal });
  setTimeout(() => stop.abort(), 500);
  assert.is((await running).isPassed, false);
  const late = await run('setTimeout(() => {}, 60_000)', { signal: AbortSignal.abort(), timeoutMs: 5_000 });
  assert.equal([late.isPassed, late.ending], [false, 'its end by SIGKILL']);
});

test('a command that cannot be started is an error of its own', async () => {
  const options = { command: ['/no/such/command'], environment: {}, timeoutMs: 1_000, folder, secrets: [] } as const;
  const error = await runCommand(options)(newEnvironment(), 'reference', never).catch((reason: unknown) => reason);
  assert.instance(error, CommandNotStarted);
  assert.is((error as Error).message, 'ENOENT');
});

test.run();
