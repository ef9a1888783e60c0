/** The uvu adapter, run by uvu itself against servers that keep and break the interface. */

import { spawn } from 'node:child_process';
import { dirname, join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { requirements } from '../../spec/requirements.ts';
import { readReport, temporaryFolder } from './cli/command.ts';
import { type OtherServerOptions, startOtherServer } from './other-server.ts';

const root = new URL('../..', import.meta.url).pathname;
const folder = temporaryFolder();

const { KIT_UNDER_TEST: kit } = process.env;
/** The folder and the pattern for uvu: all.ts bundles the suite, a test file by itself runs the sources. */
const suite = kit === undefined ? ['conformance', 'uvu\\.suite\\.ts$'] : [dirname(kit), 'uvu\\.suite\\.js$'];

interface Outcome {
  readonly code: number | null;
  readonly output: string;
}

function runUvu(env: Readonly<Record<string, string>>): Promise<Outcome> {
  return new Promise((resolve) => {
    const args = ['node_modules/uvu/bin.js', '--no-color', ...suite];
    const child = spawn(process.execPath, args, { cwd: root, env: { ...process.env, ...env } });
    let output = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (chunk) => {
        output += chunk;
      });
    }
    child.on('close', (code) => resolve({ code, output }));
  });
}

/** Runs the suite against another server with sixty requests and the options that are given. */
async function judgeOther(options: OtherServerOptions, env: Readonly<Record<string, string>> = {}): Promise<Outcome> {
  const { baseUrl, key, server } = await startOtherServer(options);
  try {
    return await runUvu({
      PETSTORE_BASE_URL: baseUrl,
      PETSTORE_API_KEY: key,
      PETSTORE_MAX_REQUESTS: '60',
      PETSTORE_NOW: '2026-11-21',
      ...env,
    });
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

function counted(label: 'Total' | 'Passed' | 'Skipped', { output }: Outcome): number {
  return Number(new RegExp(`${label}:\\s+(\\d+)`).exec(output)?.[1]);
}

const withoutMessage: OtherServerOptions = {
  breaks: (answer) => {
    answer.body = answer.body.replaceAll('"message"', '"text"');
  },
};

test('a requirement that holds is a passed test, one that was not judged a skipped test with its reason', async () => {
  const file = join(folder, 'report.json');
  const outcome = await judgeOther({}, { PETSTORE_REPORTER: `terminal\njson=${file}` });
  assert.is(outcome.code, 0, outcome.output);
  const report = readReport(file);
  const passed = report.requirements.filter(({ verdict }) => verdict === 'pass').length;
  assert.is(counted('Passed', outcome), passed + 1);
  assert.is(counted('Skipped', outcome), requirements.length - passed);
  assert.match(outcome.output, /^skipped §8 rate-exceeded: .* \(skipped: set PETSTORE_RATE_LIMIT_KEY to a key/m);
  assert.match(
    outcome.output,
    /^skipped §1 service-staging-paths: .* \(not applicable: A run judges one base address/m,
  );
  assert.not.match(outcome.output, /✓ pass/);
});

test('a broken requirement fails its own test, with the received value and a curl line', async () => {
  const outcome = await judgeOther(withoutMessage);
  assert.is(outcome.code, 1);
  assert.match(outcome.output, /FAIL {2}.*"§2 error-message: Every Error carries a message, a string\."/);
  assert.match(outcome.output, /message-missing: expected message.*\n *curl -i /);
  assert.is(counted('Total', outcome) - counted('Passed', outcome), 1);
});

test('an unreadable option fails the suite, and no request is sent', async () => {
  const address = { PETSTORE_BASE_URL: 'http://127.0.0.1:9/v1', PETSTORE_API_KEY: 'some-key' };
  for (const [env, sentence] of [
    [{}, /Set PETSTORE_BASE_URL to the base address/],
    [{ ...address, PETSTORE_PLAN: 'gold' }, /PETSTORE_PLAN takes one of free/],
    [{ ...address, PETSTORE_REPORTER: 'json=/dev/null/x' }, /x cannot be written: not a directory \(ENOTDIR\)/],
  ] as const) {
    const outcome = await runUvu(env);
    assert.is(outcome.code, 1, outcome.output);
    assert.match(outcome.output, sentence);
    assert.is(counted('Total', outcome), 1);
    assert.is(counted('Passed', outcome), 0);
  }
});

test.run();
