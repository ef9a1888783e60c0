/** `--last-failed REPORT`: judges what failed in a report, and first sends the requests that showed it. */

import { isRequirementId, type RequirementId } from '../../spec/requirements.ts';
import { NotRepeatable, resend } from '../run/resend.ts';
import { runConformance } from '../run/run.ts';
import type { Scenario } from '../run/scenario.ts';
import { stepOfReport } from '../verdict/counterexample.ts';
import type { Judge } from './judge-target.ts';
import type { Values } from './options.ts';
import { shown } from './readers.ts';
import { findSteps } from './saved-failure.ts';
import { readReport } from './saved-report.ts';
import { UsageError } from './usage-error.ts';

/** The requirements that fail in the report and that --only allows, and what judges them again. */
export function readLastFailed(
  file: string,
  only: Values<'run'>['only'],
): { readonly only: ReadonlySet<RequirementId>; readonly judge: Judge } {
  const report = readReport(file);
  const failed = report.requirements.flatMap(({ id, verdict, failures }) =>
    verdict === 'fail' && isRequirementId(id) && (only?.has(id) ?? true) ? [{ id, failures }] : [],
  );
  if (failed.length === 0) {
    throw new UsageError(`${shown(file)} has no requirement that failed, so there is nothing to judge again.`);
  }
  const found = failed.flatMap(({ id, failures }) =>
    failures.map((failure, at) => ({ at, id, found: findSteps(report, file, id, failure) })),
  );
  // The first failure of each requirement has the shortest requests.
  const sequences = found
    .sort((one, other) => one.at - other.at)
    .flatMap(({ id, found: steps }) => (typeof steps === 'string' ? [] : [{ id, ...steps }]));
  const scenario: Scenario = {
    id: 'last-failed',
    rank: 1,
    // The scenarios of another requirement judge it alone.
    verifies: [...new Set(sequences.map(({ id }) => id))],
    title: 'Repeats the requests that showed a failure',
    run: async (session, { suite }) => {
      for (const { foundations, steps } of sequences) {
        await resend(session, suite, [...foundations, ...steps].map(stepOfReport)).catch((error: unknown) => {
          // Another key may lack a credential that the key of the report had.
          if (!(error instanceof NotRepeatable)) throw error;
        });
      }
    },
  };
  return {
    only: new Set(failed.map(({ id }) => id)),
    judge: (options) =>
      runConformance({ ...options, suite: { ...options.suite, checks: [scenario, ...options.suite.checks] } }),
  };
}
