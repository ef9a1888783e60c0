/** The uvu adapter, run by uvu itself against servers that keep and break the interface. */

import { spawn } from 'node:child_process';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { requirements } from '../../spec/requirements.ts';
import { startOtherServer } from './other-server.ts';

const root = new URL('../..', import.meta.url).pathname;

function runUvu(
  env: Readonly<Record<string, string>>,
): Promise<{ readonly code: number | null; readonly output: string }> {
  return new Promise((resolve) => {
    const args = ['node_modules/uvu/bin.js', '--no-color', 'conformance', 'uvu\\.suite\\.ts$'];
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

test('a conforming target passes one test for each requirement', async () => {
  const { baseUrl, key, server } = await startOtherServer();
  const { code, output } = await runUvu({ PETSTORE_BASE_URL: baseUrl, PETSTORE_API_KEY: key });
  server.close();
  assert.is(code, 0, output);
  assert.match(output, new RegExp(`Passed:\\s+${requirements.length + 1}`));
});

test('a broken sentence fails its own test, with what came and a curl line', async () => {
  const { baseUrl, key, server } = await startOtherServer({
    breaks: (answer) => {
      answer.body = answer.body.replaceAll('"message"', '"text"');
    },
  });
  const { code, output } = await runUvu({ PETSTORE_BASE_URL: baseUrl, PETSTORE_API_KEY: key });
  server.close();
  assert.is(code, 1);
  assert.match(output, /FAIL {2}.*"§2 error-message: Every Error carries a message, a string\."/);
  assert.match(output, new RegExp(`Passed:\\s+${requirements.length}\\b`));
});

test('without a base address every test fails with what to set', async () => {
  const { code, output } = await runUvu({ PETSTORE_BASE_URL: 'nowhere', PETSTORE_API_KEY: 'some-key' });
  assert.is(code, 1);
  assert.match(output, /must start with http/);
  assert.match(output, /Passed:\s+0/);
});

test.run();
