/** The kit against a server that is not ours and keeps no state: the Prism mock of openapi.yaml. */

import { type ChildProcess, spawn } from 'node:child_process';
import { createRequire } from 'node:module';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { fetchTransport } from '../http/transport.ts';
import { trialSettings } from '../proof/trial.ts';
import { patienceMs } from './http/servers.ts';
import { runOver } from './run/bench.ts';

const description = new URL('../../spec/openapi.yaml', import.meta.url).pathname;

/**
 * What a mock without state, which answers from examples and accepts any token, cannot keep. What it refuses itself gets a
 * problem of its own, without X-RateLimit headers; the reset of the example is over.
 */
const broken = [
  'pet-id-unique',
  'pet-category-id-kept',
  'pet-name-kept',
  'pet-status-kept',
  'error-code',
  'error-message',
  'error-status',
  'list-limit',
  'list-status-filter',
  'get-not-found',
  'auth-invalid-key',
  'rate-limit-header',
  'rate-remaining-header',
  // Whatever animal is read, it shows that of the example.
  'rate-reset-header',
  'get-answer',
  // It reads the body before the key.
  'auth-bearer-header',
  'auth-missing-key',
];

/** Resolves when the mock says that it listens. */
async function startMock(): Promise<{ readonly baseUrl: string; readonly child: ChildProcess }> {
  const cli = createRequire(import.meta.url).resolve('@stoplight/prism-cli/dist/index.js');
  const child = spawn(process.execPath, [cli, 'mock', description, '-p', '0']);
  const baseUrl = await new Promise<string>((resolve, reject) => {
    let output = '';
    child.stdout.on('data', (chunk) => {
      output += chunk;
      const [, address] = /Prism is listening on (http:\S+:\d+)\s/.exec(output) ?? [];
      if (address !== undefined) resolve(address);
    });
    child.on('exit', () => reject(new Error(`Prism did not start: ${output}`)));
  });
  return { baseUrl, child };
}

test('the mock breaks only requirements that need state, passes shapes and refusals, and the run comes to its end without a wait', async () => {
  const { baseUrl, child } = await startMock();
  const transport = fetchTransport(patienceMs);
  let waitedMs = 0;
  const sleep = (ms: number): Promise<void> => {
    waitedMs += ms;
    return Promise.resolve();
  };
  const settings = trialSettings(300, { settleMs: 0, baseUrl, hasRateLimitKey: false });
  const judged = runOver(transport, settings, { clock: { now: Date.now, sleep } });
  // A mock that lives on would keep the test from ending.
  const report = await judged.finally(() => {
    transport.close();
    child.kill();
  });
  // Of a malformed escape Prism would die.
  assert.equal([report.exitCode, report.reason, waitedMs], [1, undefined, 0]);
  assert.ok(report.requests > 200, String(report.requests));
  const idsOf = (verdict: string) => report.requirements.filter((one) => one.verdict === verdict).map(({ id }) => id);
  // Its counter starts anew with each answer, which only requests in quick succession show.
  const failed = idsOf('fail').filter((id) => id !== 'rate-remaining-falls');
  assert.equal(failed.toSorted(), broken.toSorted());
  const passed: readonly string[] = idsOf('pass');
  for (const id of ['service-json', 'pet-id', 'list-answer', 'create-required-fields', 'create-invalid-values']) {
    assert.ok(passed.includes(id), id);
  }
  // A base address without the version segment is a warning.
  assert.equal(idsOf('warn').includes('version-base-address'), true);
});

test.run();
