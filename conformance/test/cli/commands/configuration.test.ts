/** A run goes by what is configured: the file above its folder, the environment, and its own words. */

import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { readReport, run, temporaryFolder } from '../command.ts';

const folder = temporaryFolder();
const nested = join(folder, 'services', 'pets');
mkdirSync(nested, { recursive: true });
mkdirSync(join(folder, '.git'));
const configuration = join(folder, 'petstore-conformance.config.yaml');

function rowOf(stdout: string, name: string): readonly string[] {
  const line = stdout.split('\n').find((candidate) => candidate.startsWith(`${name} `));
  return line?.split(/ {2,}/) ?? [];
}

test('the file is found upwards, the environment wins over it, the command line over both, and all is shown', async () => {
  const text = ['max-requests: 60', 'plan: free', 'seed: 5', 'category-id: [7, 9007199254740993]', 'read-only: true'];
  writeFileSync(configuration, `${text.join('\n')}\n`);
  const args = [
    'run',
    '--print-config',
    '--seed',
    '9',
    '--header',
    'X-Gateway-Key: hidden-4711',
    '--header',
    'X-Team: pets',
  ];
  const env = { PETSTORE_PLAN: 'pro', PETSTORE_SEED: '7', PETSTORE_API_KEY: 'never-shown-4711' };
  const { code, stdout } = await run(args, env, { cwd: nested });
  assert.is(code, 0);
  assert.equal(rowOf(stdout, 'max-requests').slice(1), ['60', configuration]);
  assert.equal(rowOf(stdout, 'category-id').slice(1), ['7, 9007199254740993', configuration]);
  assert.equal(rowOf(stdout, 'plan').slice(1), ['pro', 'PETSTORE_PLAN']);
  assert.equal(rowOf(stdout, 'seed').slice(1), ['9', '--seed']);
  assert.equal(rowOf(stdout, 'max-wait').slice(1), ['75', 'default']);
  assert.equal(rowOf(stdout, 'api-key').slice(1), ['(set, not shown)', 'PETSTORE_API_KEY']);
  assert.equal(rowOf(stdout, 'header')[1], 'X-Gateway-Key: (not shown), X-Team: pets');
  assert.not.match(stdout, /4711/);
});

test('a run goes by the file', async () => {
  const report = join(folder, 'by-file.json');
  writeFileSync(configuration, `max-requests: 21\nreporter: ['json=${report}']\n`);
  const { code, stdout } = await run(['run'], {}, { cwd: nested });
  assert.is(code, 0);
  assert.match(stdout, /^Conforms \(\d+ of 53 requirements pass\): the embedded reference server \(http:[^\n]*\)\n/);
  assert.ok(stdout.endsWith(`\nWritten to ${report}.\n`), stdout);
  assert.is(readReport(report).requests, 21);
});

test('a wrong file ends with 2', async () => {
  writeFileSync(configuration, 'plan: gold');
  const { code, stderr } = await run(['run'], {}, { cwd: nested });
  assert.is(code, 2);
  assert.match(stderr, /^plan in .* takes one of free/);
});

test.run();
