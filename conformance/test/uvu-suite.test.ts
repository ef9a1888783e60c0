/** The uvu adapter, run by uvu itself against servers that keep and break the interface. */

import { spawn } from 'node:child_process';
import { dirname, join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { requirements } from '../../spec/requirements.ts';
import { readReport, resultOf, temporaryFolder } from './cli/command.ts';
import { startOtherServer } from './other-server.ts';

const root = new URL('../..', import.meta.url).pathname;
const { KIT_UNDER_TEST: kit } = process.env;
/** The folder and the pattern for uvu: all.ts bundles the suite, a test file by itself runs the sources. */
const suite = kit === undefined ? ['conformance', 'uvu\\.suite\\.ts$'] : [dirname(kit), 'uvu\\.suite\\.js$'];

async function runUvu(env: Readonly<Record<string, string>>) {
  const args = ['node_modules/uvu/bin.js', '--no-color', ...suite];
  // The tests may run in a CI, which the suite would take for a gate.
  const { CI: _ci, ...own } = process.env;
  const child = spawn(process.execPath, args, { cwd: root, env: { ...own, ...env } });
  const { code, stdout, stderr } = await resultOf(child);
  return { code, output: stdout + stderr };
}

function counted(label: 'Total' | 'Passed' | 'Skipped', output: string): number {
  return Number(new RegExp(`${label}:\\s+(\\d+)`).exec(output)?.[1]);
}

test('a requirement is a test: passed, failed with its curl line, or skipped; other reporters are written', async () => {
  const { baseUrl, key } = await startOtherServer({
    breaks: (answer) => {
      answer.body = answer.body.replaceAll('"message"', '"text"');
    },
  });
  const file = join(temporaryFolder(), 'report.json');
  const { code, output } = await runUvu({
    PETSTORE_BASE_URL: baseUrl,
    PETSTORE_API_KEY: key,
    PETSTORE_MAX_REQUESTS: '60',
    PETSTORE_NOW: '2026-11-21',
    PETSTORE_REPORTER: `terminal\njson=${file}`,
  });
  assert.is(code, 1);
  const passed = readReport(file).requirements.filter(({ verdict }) => verdict === 'pass').length;
  assert.is(counted('Passed', output), passed + 1);
  assert.is(counted('Skipped', output), requirements.length - passed - 1);
  assert.is(counted('Total', output) - counted('Passed', output), 1);
  assert.match(output, /FAIL {2}.*"§2 error-message: Every Error carries a message, a string\."/);
  assert.match(output, /message-missing: GET \S+ .*: expected message[\s\S]*\n *curl -i /);
  assert.not.match(output, /✓ pass/);
});

test('a suite without an address fails with one test that says so', async () => {
  const { code, output } = await runUvu({});
  assert.equal([code, counted('Total', output), counted('Passed', output)], [1, 1, 0], output);
  assert.match(output, /No base address is given, and this is a suite of tests: give BASE_URL, PETSTORE_BASE_URL/);
});

test.run();
