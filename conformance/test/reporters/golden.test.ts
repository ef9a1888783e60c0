/** The golden reports are what the reporters write of the sample, and the sample holds what a report can hold. */

import { readFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { goldenReports } from './golden.ts';
import { sampleReport } from './sample-report.ts';

const root = new URL('../../../', import.meta.url);
const { requirements, interactions = [], gaps, exchanges } = sampleReport;

for (const [path, content] of goldenReports()) {
  test(`${path} is what npm run generate writes`, () => {
    assert.fixture(content, readFileSync(new URL(path, root), 'utf8'));
  });
}

test('the sample is a report by the schema', () => {
  const ajv = new Ajv2020({ strict: false });
  addFormats.default(ajv);
  const schema = readFileSync(new URL('conformance/report.schema.json', root), 'utf8');
  const validate = ajv.compile(JSON.parse(schema) as object);
  assert.ok(validate(JSON.parse(JSON.stringify(sampleReport))), ajv.errorsText(validate.errors));
});

test('the sample holds every verdict, waiver, recheck and interaction that there is', () => {
  const sorted = (values: readonly (string | undefined)[]): readonly (string | undefined)[] =>
    [...new Set(values)].sort();
  assert.equal(sorted(requirements.map(({ verdict }) => verdict)), [
    'error',
    'fail',
    'inconclusive',
    'not-applicable',
    'pass',
    'skipped',
    'warn',
  ]);
  assert.equal(sorted(requirements.flatMap(({ waiver }) => (waiver === undefined ? [] : [waiver.state]))), [
    'expired',
    'stale',
    'unused',
    'waived',
  ]);
  assert.equal(sorted(requirements.flatMap(({ recheck = [] }) => recheck)), [
    'fails-again',
    'flaky',
    'not-asked-again',
  ]);
  assert.equal(sorted(requirements.flatMap(({ shrinking = [] }) => shrinking)), ['finished', 'stopped']);
  assert.equal(sorted(interactions.map(({ verdict }) => verdict)), ['fail', 'not-verifiable', 'pass', 'pending']);
});

test('the sample cites exchanges that it holds, with and without a response, and gaps seen and not seen', () => {
  const numbers = new Set(exchanges.map(({ number }) => number));
  const failures = requirements.flatMap((requirement) => requirement.failures);
  const cited = failures.flatMap(({ exchanges: shown, sequence = [] }) => [...shown, ...sequence]);
  assert.ok(cited.every((number) => numbers.has(number)));
  assert.ok(failures.some(({ sequence }) => sequence === undefined));
  assert.ok(failures.some(({ sequence = [] }) => sequence.length > 1));
  assert.ok(requirements.some((requirement) => requirement.failures.length > 3));
  assert.equal(new Set(exchanges.map(({ response }) => response === undefined)).size, 2);
  assert.equal(new Set(gaps.map(({ observed }) => observed.length === 0)).size, 2);
});

test.run();
