/** The examples of the documentation run in their own test runners and record a pact. */

import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { readPacts } from '../../conformance/cli/read-pacts.ts';
import { temporaryFolder } from '../../conformance/test/cli/command.ts';

const run = promisify(execFile);
const example = (name: string): string => new URL(`../example/${name}`, import.meta.url).pathname;

for (const [file, consumer, passed] of [
  ['with-uvu.ts', 'adoption-site-in-uvu', /Passed:\s+2/],
  ['with-node-test.ts', 'adoption-site-in-node-test', /pass 2/],
] as const) {
  test(`${file} passes and records two interactions`, async () => {
    const folder = temporaryFolder();
    const { stdout } = await run(process.execPath, [example(file)], { env: { ...process.env, PACT_FOLDER: folder } });
    assert.match(stdout, passed);
    const {
      pacts: [pact, ...others],
    } = await readPacts([folder]);
    assert.is(others.length, 0);
    assert.is(pact?.consumer, consumer);
    assert.is(pact?.interactions.length, 2);
  });
}

test.run();
