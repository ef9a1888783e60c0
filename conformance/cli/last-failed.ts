/** `--last-failed REPORT`: judges what failed or warned in a report, and first sends the requests that showed it. */

import { defined } from '../../spec/defined.ts';
import { operationOf } from '../../spec/operations.ts';
import { isRequirementId } from '../../spec/requirements.ts';
import type { Values } from '../options/options.ts';
import { shown } from '../options/readers.ts';
import type { Run } from '../run/judge.ts';
import { resend } from '../run/resend.ts';
import { runConformance } from '../run/run.ts';
import type { Scenario } from '../run/suite.ts';
import { UsageError } from '../run/usage-error.ts';
import { requiredCreations } from '../verdict/counterexample.ts';
import type { Report, ReportedExchange, ReportedFailure } from '../verdict/report.ts';
import type { RunValues } from './judge-target.ts';
import { readReport } from './saved-report.ts';

/** The requirements that failed or warned, as far as --only allows, with their failures. */
function brokenRequirementsIn({ requirements }: Report, file: string, only: Values<'run'>['only']) {
  const broken = requirements.flatMap(({ id, failures }) =>
    failures.length > 0 && isRequirementId(id) ? [{ id, failures }] : [],
  );
  const wanted = broken.filter(({ id }) => only?.has(id) ?? true);
  if (wanted.length > 0) return wanted;
  const ids = broken.map(({ id }) => id).join(', ');
  const others = ids === '' ? 'it has no failure and no warning of a service' : `it has failures of ${ids}`;
  throw new UsageError(`${shown(file)} has nothing to judge again: ${others}.`);
}

/**
 * The options of the run that the report describes, so that the same requests go out. Those that decide where the key
 * goes and how much is sent stay the user's.
 */
function valuesOf({ seed, settings }: Report, values: Values<'run'>): Values<'run'> {
  const { nameTemplate, categoryIds, plan } = settings;
  const reported = { seed, nameTemplate, plan, categoryIds: categoryIds.map(BigInt) };
  const given = values.categoryIds.length === 0 ? { ...values, categoryIds: reported.categoryIds } : values;
  return { ...defined(reported), ...given };
}

/**
 * Whether a request of the report is one of an operation. A stranger may have written the report, so no other request carries
 * the key, and none whose path a URL would resolve differently, such as /pets/.. .
 */
function mayCarryKey({ operation, request: { method, target } }: ReportedExchange): boolean {
  const [path = ''] = target.split(/[?#]/);
  const isResolved = URL.parse(`http://target/v1${target}`)?.pathname === `/v1${path}`;
  return isResolved && operation !== 'other' && operationOf(method, path) === operation;
}

/**
 * The requests in a report that showed a failure, after the creations of the animals that they ask for; none if they cannot
 * be sent again: those with the rate-limit key need the whole scenario that exhausts it.
 */
export function requestsOf({ exchanges }: Report, failure: ReportedFailure): readonly ReportedExchange[] {
  const sequence = failure.sequence ?? failure.exchanges;
  const steps = sequence.flatMap((number) => exchanges.find((one) => one.number === number) ?? []);
  if (steps.length < sequence.length) return [];
  const all = [...requiredCreations(steps, exchanges), ...steps];
  return all.every((step) => mayCarryKey(step) && step.credentialId !== 'rate-limit-key') ? all : [];
}

/** The options of the new run, and the function that runs it. With --only, it sends nothing but the saved requests. */
export async function readLastFailed(
  file: string,
  values: Values<'run'>,
): Promise<{ readonly values: RunValues; readonly run: Run }> {
  const report = await readReport(file);
  const { target } = report;
  const broken = brokenRequirementsIn(report, file, values.only);
  // The key is sent to the address that the user names, never to one that only a report names.
  if (values.baseUrl === undefined && target.isEmbedded !== true) {
    throw new UsageError(
      `--last-failed needs BASE_URL, since your key is sent there; the report names ${shown(target.baseUrl, 80)}.`,
    );
  }
  const saved = broken
    .flatMap(({ id, failures }) => failures.map((failure) => ({ id, requests: requestsOf(report, failure) })))
    .filter(({ requests }) => requests.length > 0);
  const scenario: Scenario = {
    id: 'last-failed',
    rank: 1,
    verifies: [...new Set(saved.map(({ id }) => id))],
    run: async (session, { suite }) => {
      for (const { requests } of saved) await resend(session, suite, requests);
    },
  };
  const isRepeatedAlone = values.only !== undefined && scenario.verifies.length === broken.length;
  return {
    values: { ...valuesOf(report, values), only: new Set(broken.map(({ id }) => id)), isLastFailed: true },
    run: (options) => {
      const { checks } = options.suite;
      const others = isRepeatedAlone ? checks.filter((check) => !('run' in check || 'probes' in check)) : checks;
      return runConformance({ ...options, suite: { ...options.suite, checks: [scenario, ...others] } });
    },
  };
}
