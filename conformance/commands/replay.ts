/** `replay REPORT FAILURE`: sends the shortest sequence of one failure again and says whether it still fails. */

import { randomBytes } from 'node:crypto';
import { conformanceSuite } from '../checks/index.ts';
import { drawDefaults, readSettings, withBaseUrl } from '../command-line/arguments.ts';
import { readConfiguration, surroundings, UsageError } from '../command-line/configuration.ts';
import { createProgress, createStop } from '../command-line/progress.ts';
import { readReport } from '../command-line/saved-report.ts';
import { openTarget } from '../command-line/target.ts';
import { BudgetSpent, createBudget } from '../engine/budget.ts';
import { isFailing } from '../engine/check.ts';
import { sendAgain } from '../engine/counterexample.ts';
import { judgeHistory } from '../engine/findings.ts';
import { readHistory } from '../engine/history.ts';
import { RunStopped } from '../engine/pace.ts';
import type { Report, ReportedRequirement } from '../engine/report.ts';
import { reportExchange } from '../engine/report.ts';
import { createSession } from '../engine/session.ts';
import { escapeForTerminal } from '../reporters/escape.ts';
import { exchangeLines } from '../reporters/evidence.ts';

/** What has no answer is asked once more, and what was answered with 429 once after that. */
const attemptsPerStep = 3;

interface Failure {
  readonly requirement: ReportedRequirement;
  readonly sequence: readonly number[];
}

/** The failure that a user names by its requirement. */
function findFailure(report: Report, name: string, file: string): Failure {
  const failing = report.requirements.filter(({ failures }) => failures.length > 0);
  const requirement = failing.find(({ id }) => id === name);
  const [failure] = requirement?.failures ?? [];
  if (requirement === undefined || failure === undefined) {
    const names = failing.map(({ id }) => id).join(', ') || 'none';
    throw new UsageError(`${file} has no failure of "${name}"; those it has: ${names}.`);
  }
  return { requirement, sequence: failure.sequence ?? failure.exchanges };
}

/** Sends one failure of a report again: 1 when it still fails, 0 when not, 3 when the target does not answer. */
export async function replay(argv: readonly string[], interruption: AbortSignal): Promise<number> {
  const { configuration, positionals } = readConfiguration(argv, surroundings());
  const [file, name, ...rest] = positionals;
  if (file === undefined || name === undefined) {
    throw new UsageError('replay takes a JSON report and the id of a requirement that fails in it.');
  }
  const report = readReport(file);
  const { requirement, sequence } = findFailure(report, name, file);
  const steps = sequence.flatMap((number) => {
    const exchange = report.exchanges.find((candidate) => candidate.number === number);
    return exchange === undefined ? [] : [exchange];
  });
  if (steps.some(({ credential }) => credential === 'the rate-limit key')) {
    throw new UsageError(`A failure of ${name} takes a key to exhaust: judge it again with run --only ${name}.`);
  }
  // The report says where it failed; another base address may be named all the same.
  const usualTarget = new Map([
    ['base-url', { values: [report.target.baseUrl], origin: file }] as const,
    ...configuration,
  ]);
  const args = readSettings(withBaseUrl({ configuration: usualTarget, positionals: rest }), drawDefaults());
  const signal = createStop(args.deadlineMs, interruption);
  const target = await openTarget(args, signal);
  const settings = { ...args.settings, baseUrl: target.baseUrl, hasRateLimitKey: false };
  const progress = createProgress();
  const session = createSession({
    settings,
    keys: target.keys,
    transport: target.transport,
    clock: target.clock,
    budget: createBudget(attemptsPerStep * steps.length, attemptsPerStep * steps.length),
    runTag: randomBytes(3).toString('hex'),
    signal,
    onWait: progress.wait,
  });
  try {
    session.enter('replay');
    const again = await sendAgain(session, conformanceSuite, steps);
    progress.end();
    const unanswered = again.find(({ response }) => response === undefined);
    if (unanswered !== undefined) {
      process.stdout.write(
        escapeForTerminal(`The target gave no answer: ${unanswered.failure?.message ?? ''}.`).concat('\n'),
      );
      return 3;
    }
    const failures = judgeHistory(readHistory(again, settings), conformanceSuite, undefined, requirement.id).filter(
      isFailing,
    );
    const failure = failures.find((finding) => finding.requirement === requirement.id);
    const lines = again.flatMap((exchange) => exchangeLines(reportExchange(exchange)));
    const verdict =
      failure === undefined
        ? `${requirement.id} does not fail any more.`
        : `STILL FAILS §${requirement.section} ${requirement.id}\n  ${failure.failure.code}: ${escapeForTerminal(failure.failure.message)}`;
    process.stdout.write(`${[...lines, verdict].join('\n')}\n`);
    return failure === undefined ? 0 : 1;
  } catch (error) {
    if (!(error instanceof RunStopped) && !(error instanceof BudgetSpent)) throw error;
    process.stdout.write(`${escapeForTerminal(error.message)}\n`);
    return 3;
  } finally {
    progress.end();
    await target.close();
  }
}
