/** A command as a client: its environment, its output, and the end of its processes. */

import { readFileSync, statSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { ClientResult } from '../../clients/client-run.ts';
import { type CommandOptions, runClientCommand } from '../../clients/run-command.ts';
import { temporaryFolder } from '../cli/command.ts';

const service = { baseUrl: 'http://127.0.0.1:1/v1', key: 'client-key-of-a-run', categoryId: 7n };

/** Runs a script of node as the command. */
function run(script: string, more: Partial<CommandOptions> = {}, signal = new AbortController().signal) {
  const command = [process.execPath, '-e', script] as const;
  const options = { command, environment: {}, timeoutMs: 30_000, folder: temporaryFolder(), secrets: [], ...more };
  return runClientCommand(options)(service, 'list-order=shuffled', signal);
}

const printedIn = ({ output = '' }: ClientResult): string => readFileSync(output, 'utf8');

test('it gets the address, the key and a category, and what it prints is kept for its owner without keys', async () => {
  const secret = 'a-real-key-of-staging';
  const script = `const { PETSTORE_BASE_URL: url, PETSTORE_CATEGORY_ID: category, OTHER: other, PETSTORE_API_KEY: key } = process.env;
    console.log(url, category, other, key);
    for (let n = 1; n <= 12; n += 1) console.log(n + '\\x1b[31m\\x1b[0m\\n');
    console.log(${JSON.stringify(secret)}, Buffer.from(key).toString('base64'));
    console.log('    at a frame of a stack\\n\tfrom one of Ruby');
    process.exitCode = 7;`;
  const result = await run(script, { environment: { OTHER: 'else' }, secrets: [secret] });
  assert.equal([result.isPassed, result.ending], [false, 'exit code 7']);
  assert.match(result.output ?? '', /\d{3}-list-order=shuffled\.txt$/);
  assert.is(statSync(result.output!).mode & 0o777, 0o600);
  const [first, ...rest] = printedIn(result).split('\n');
  assert.is(first, 'http://127.0.0.1:1/v1 7 else [key]');
  assert.ok(rest.includes('    at a frame of a stack'));
  assert.equal(result.printed, [first, '1', '6', '7', '8', '9', '10', '11', '12', '[key] [key]']);
});

test('both streams are in the output, and a long one is cut', async () => {
  const [both, long] = await Promise.all([
    run("console.error('err'); console.log('out')"),
    run("process.stdout.write('x'.repeat(3_000_000))"),
  ]);
  assert.equal(printedIn(both).split('\n').toSorted(), ['', 'err', 'out']);
  assert.equal([long.isPassed, long.ending, printedIn(long).length], [true, 'exit code 0', 1024 * 1024]);
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

test('what it leaves behind does not keep the run from ending, and is killed unless it has a session of its own', async () => {
  const leaves = `${withChild} child.unref(); setTimeout(() => process.exit(0), 100)`;
  const [child, daemon] = await Promise.all([
    run(leaves),
    run(leaves.replace("'inherit' }", "'inherit', detached: true }")),
  ]);
  assert.ok(child.isPassed && daemon.isPassed);
  assert.ok(await isGone(Number(printedIn(child))));
  process.kill(Number(printedIn(daemon)));
});

test('it ends with the run, or by a signal of its own', async () => {
  const [own, late] = await Promise.all([
    run('process.kill(process.pid, "SIGTERM")'),
    run('setTimeout(() => {}, 60_000)', {}, AbortSignal.abort()),
  ]);
  assert.equal([own.isPassed, own.ending], [false, 'its end by SIGTERM']);
  assert.equal([late.isPassed, late.ending], [false, 'its end by SIGKILL']);
});

test.run();
