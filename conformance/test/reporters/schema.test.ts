/** The schema of the JSON report names all that a report holds. generated.test.ts compares the golden reports. */

import { readFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { findFault } from '../../faults/index.ts';
import { runInProcess, trialSettings } from '../../proof/trial.ts';
import { handleOf } from '../../services/index.ts';
import { clientOf, explore, report as reportOn } from '../clients/bench.ts';
import { sending } from '../clients/faulty.ts';
import { sampleReport } from './sample-report.ts';

const root = new URL('../../../', import.meta.url);

/** The schema of reports, by which no object has a member that the schema does not name. */
function strictly(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(strictly);
  if (typeof schema !== 'object' || schema === null) return schema;
  const rest = Object.fromEntries(Object.entries(schema).map(([name, value]) => [name, strictly(value)]));
  return 'type' in rest && 'properties' in rest ? { additionalProperties: false, ...rest } : rest;
}

test('the schema names every member of the sample, of a run that finds failures, and of a run of a client', async () => {
  const ajv = new Ajv2020({ strict: false });
  addFormats.default(ajv);
  const schema = readFileSync(new URL('conformance/report.schema.json', root), 'utf8');
  const validate = ajv.compile(strictly(JSON.parse(schema)) as object);
  const run = await runInProcess(handleOf(findFault('creation-answers-500')), trialSettings(60));
  assert.is(run.exitCode, 1);
  const client = reportOn(await explore(clientOf(sending('GET /pets', '404'))));
  for (const report of [sampleReport, run, client])
    assert.ok(validate(JSON.parse(JSON.stringify(report))), ajv.errorsText(validate.errors));
  assert.not.ok(validate({ ...sampleReport, more: 1 }));
});

test.run();
