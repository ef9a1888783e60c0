/**
 * The suite as uvu tests, one for each requirement:
 * `PETSTORE_BASE_URL=… PETSTORE_API_KEY=… npx uvu conformance 'uvu\.suite\.ts$'`.
 * Every option of `run` is read from its variable, such as PETSTORE_PLAN, or from the configuration file.
 */

import { suite } from 'uvu';
import { registerTests } from '../library/conformance-tests.ts';
import type { Report } from '../verdict/report.ts';
import { readInvocation } from './configuration.ts';
import { listenToProcess } from './host.ts';
import { judgeTarget } from './judge-target.ts';
import { writeOutputs } from './outputs.ts';

const test = suite('Pet Store Service Interface 1.0.0');

async function judgeInSuite(): Promise<Report> {
  const line = { command: 'run', words: [], given: new Map() } as const;
  const { values, signOfGate } = await readInvocation(line);
  // The standard output belongs to uvu.
  const outputs = { ...values, reporters: values.reporters.filter(({ file }) => file !== undefined) };
  const report = await judgeTarget(outputs, listenToProcess(), signOfGate ?? 'this is a suite of tests');
  await writeOutputs(report, outputs);
  return report;
}

// Judges before registering tests: uvu must know then which are skipped, and takes a throwing hook for no test.
await registerTests(test, judgeInSuite());
test.run();
