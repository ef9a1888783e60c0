/** The sample that the golden reports show holds what a report can hold. generated.test.ts compares them. */

import { readFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { createPetStore } from '../../../reference-server/index.ts';
import { findFault } from '../../faults/index.ts';
import { runInProcess, trialKeys, trialSettings } from '../../proof/trial.ts';
import { keysOfTrials } from '../../services/wraps.ts';
import { sampleReport } from './sample-report.ts';

const root = new URL('../../../', import.meta.url);
const { requirements, interactions = [], gaps, exchanges } = sampleReport;

/** The schema of reports, by which no object has a member that the schema does not name. */
function strictly(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(strictly);
  if (typeof schema !== 'object' || schema === null) return schema;
  const rest = Object.fromEntries(Object.entries(schema).map(([name, value]) => [name, strictly(value)]));
  return 'type' in rest && 'properties' in rest ? { additionalProperties: false, ...rest } : rest;
}

test('the schema names every member of the sample and of a run that finds failures', async () => {
  const ajv = new Ajv2020({ strict: false });
  addFormats.default(ajv);
  const schema = readFileSync(new URL('conformance/report.schema.json', root), 'utf8');
  const validate = ajv.compile(strictly(JSON.parse(schema)) as object);
  const { handle } = createPetStore({ keys: trialKeys });
  const run = await runInProcess(findFault('creation-answers-500').wrap(handle, keysOfTrials), trialSettings(60));
  assert.is(run.exitCode, 1);
  for (const report of [sampleReport, run]) {
    assert.ok(validate(JSON.parse(JSON.stringify(report))), ajv.errorsText(validate.errors));
  }
  assert.not.ok(validate({ ...sampleReport, more: 1 }));
});

test('the sample holds every verdict, waiver, recheck and interaction that there is, and failures of every shape', () => {
  const sorted = (values: readonly (string | undefined)[]): string => [...new Set(values)].sort().join(' ').trim();
  const failures = requirements.flatMap((requirement) => requirement.failures);
  assert.is(
    sorted(requirements.map(({ verdict }) => verdict)),
    'error fail inconclusive not-applicable pass skipped warn',
  );
  assert.is(sorted(requirements.map(({ waiver }) => waiver?.state)), 'expired stale unused waived');
  assert.is(sorted(requirements.map(({ recheck }) => recheck)), 'fails-again flaky not-asked-again');
  assert.is(sorted(interactions.map(({ verdict }) => verdict)), 'fail not-verifiable pass pending');
  assert.is(sorted(failures.map(({ sequence }) => String(Math.min(2, sequence?.length ?? 0)))), '0 1 2');
  assert.is(sorted(exchanges.map(({ response }) => String(response === undefined))), 'false true');
  assert.is(sorted(gaps.map(({ observed }) => String(observed.length === 0))), 'false true');
});

test.run();
