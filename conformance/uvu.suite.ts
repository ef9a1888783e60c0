/**
 * The suite as uvu tests, one for each requirement:
 * `PETSTORE_BASE_URL=… PETSTORE_API_KEY=… npx uvu conformance 'uvu\.suite\.ts$'`.
 * PETSTORE_RATE_LIMIT_KEY is read as well, and every option by its variable, such as PETSTORE_PLAN.
 */

import { randomBytes } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { requirements } from '../spec/requirements.ts';
import { conformanceSuite } from './checks/index.ts';
import { drawDefaults, readRunArguments } from './command-line/arguments.ts';
import { surroundings } from './command-line/configuration.ts';
import { runConformance } from './engine/run.ts';
import { fetchTransport } from './engine/transport.ts';

const { PETSTORE_BASE_URL, PETSTORE_API_KEY, PETSTORE_RATE_LIMIT_KEY } = process.env;
const test = suite('Pet Store Service Interface 1.0.0');

async function judge() {
  if (PETSTORE_BASE_URL === undefined || PETSTORE_API_KEY === undefined) {
    throw new Error('Set PETSTORE_BASE_URL to the base address and PETSTORE_API_KEY to a key of it.');
  }
  const { baseUrl = '', settings, timeoutMs } = readRunArguments([], drawDefaults(), surroundings());
  const transport = fetchTransport(timeoutMs, process.env);
  const report = await runConformance({
    suite: conformanceSuite,
    settings: { ...settings, baseUrl, hasRateLimitKey: PETSTORE_RATE_LIMIT_KEY !== undefined },
    keys: {
      api: PETSTORE_API_KEY,
      ...(PETSTORE_RATE_LIMIT_KEY === undefined ? {} : { rateLimit: PETSTORE_RATE_LIMIT_KEY }),
    },
    transport,
    clock: { now: Date.now, sleep: (ms) => setTimeout(ms) },
    runTag: randomBytes(3).toString('hex'),
  });
  transport.close();
  return report;
}

// Outside any hook: uvu reads a hook that throws as a suite without tests.
const run = judge().then(
  (report) => ({ report }),
  (error: unknown) => ({ error }),
);

test('the run came to a verdict', async () => {
  const outcome = await run;
  if ('error' in outcome) throw outcome.error;
  assert.is.not(outcome.report.verdict, 'inconclusive', outcome.report.reason);
});

for (const { id, section, level, statement } of requirements) {
  test(`§${section} ${id}: ${statement}`, async () => {
    const outcome = await run;
    if ('error' in outcome) throw outcome.error;
    const judged = outcome.report.requirements.find((requirement) => requirement.id === id);
    const reasons = judged?.failures.map(({ message, curl }) => `${message}\n${curl}`).join('\n');
    if (level === 'required') assert.is.not(judged?.verdict, 'fail', reasons);
    assert.is.not(judged?.verdict, 'error', judged?.reason);
  });
}

test.run();
