/** Opens a target, judges it, and closes it whatever happens in between. */

import { randomBytes, randomInt } from 'node:crypto';
import { rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { defined } from '../../spec/defined.ts';
import { redactor } from '../http/redact.ts';
import { secretsInHeaders } from '../http/secret-names.ts';
import { budgetFor } from '../run/raised-budget.ts';
import { type RunOptions, runConformance } from '../run/run.ts';
import { conformanceSuite } from '../sections/index.ts';
import type { Report } from '../verdict/report.ts';
import { readCommit } from './commit.ts';
import type { Values } from './options.ts';
import { checkOutputs } from './outputs.ts';
import { apiKeyVariable, environmentSecrets, rateLimitKeyVariable } from './own-secrets.ts';
import { createProgress, type Progress } from './progress.ts';
import { isLoopback } from './readers.ts';
import { withReferenceAnswers } from './reference-answers.ts';
import { createStop, type Host, type Stop } from './stop.ts';
import { openTarget, type Target } from './target.ts';
import { UsageError } from './usage-error.ts';

/** The options that a run reads. `pact verify` has no use for some of those with a default. */
export type RunValues = Omit<Values<'run'>, 'printsConfiguration' | 'isDryRun'>;

export type Judge = (options: RunOptions & { readonly signal: AbortSignal }) => Promise<Report>;

/** Whether the target may be damaged for good: as the user says, else on this machine, where the embedded server is too. */
export function isDisposable({ isDisposable: named, baseUrl }: Pick<RunValues, 'isDisposable' | 'baseUrl'>): boolean {
  return named ?? (baseUrl === undefined || isLoopback(baseUrl));
}

function runOptionsFor(values: RunValues, target: Target): RunOptions {
  const { requiresAll, only, lastFailed, waivers } = values;
  return {
    suite: conformanceSuite,
    settings: {
      ...defined({ plan: target.plan }),
      ...values,
      ...budgetFor(values),
      seed: values.seed ?? randomInt(2 ** 31),
      today: values.today ?? Date.now(),
      baseUrl: target.baseUrl,
      isDisposable: isDisposable({ ...values, baseUrl: target.baseUrl }),
      hasRateLimitKey: target.keys.rateLimit !== undefined,
    },
    keys: target.keys,
    transport: target.transport,
    clock: target.clock,
    runTag: randomBytes(3).toString('hex'),
    verdictOptions: defined({ requiresAll, only, isLastFailed: lastFailed !== undefined, waivers }),
    ...defined({ commit: readCommit() }),
  };
}

export type Watch = Pick<RunOptions, 'onScenario' | 'onExchange' | 'onWait' | 'onBudget'>;

/** Judges an open target, and closes it whatever happens. Rejects before the first request or not at all. */
export async function judgeOpened(
  values: RunValues,
  target: Target,
  watch: Watch & Stop,
  judge: Judge = runConformance,
): Promise<Report> {
  const beganAt = performance.now();
  try {
    checkOutputs(values);
    const options = { ...runOptionsFor(values, target), ...watch };
    const report = await judge(options);
    const durationMs = Math.round(performance.now() - beganAt);
    const complete = await withReferenceAnswers(report);
    const subject = target.isEmbedded ? { ...report.target, isEmbedded: true as const } : report.target;
    // The clock of the embedded server jumps over waits; the report holds the time that the user waited.
    return { ...complete, target: subject, durationMs };
  } finally {
    await target.close();
  }
}

/** Shows each request under the title of its scenario; several scenarios may run at the same time. */
export function showProgress(
  progress: Pick<Progress, 'count' | 'wait' | 'expect'>,
  { isEmbedded }: Pick<Target, 'isEmbedded'>,
): Watch {
  const titles = new Map<string, string>();
  let title = '';
  return {
    onScenario: (scenario) => void titles.set(scenario.id, scenario.title),
    onExchange: ({ check }) => {
      // A recheck is no scenario, so the title before it stays.
      title = titles.get(check) ?? title;
      progress.count(title);
    },
    onBudget: progress.expect,
    onWait: (ms, why) => {
      if (!isEmbedded) progress.wait(ms, why);
    },
  };
}

async function judgeStarted(values: RunValues, stop: Stop, judgeRunning: () => Promise<Report>): Promise<Report> {
  const { start, baseUrl, headers } = values;
  if (start === undefined) return judgeRunning();
  if (baseUrl === undefined) throw new UsageError('--start needs BASE_URL, the address at which the service answers.');
  const { startService } = await import('./start-service.ts');
  const keys = [process.env[apiKeyVariable] ?? '', process.env[rateLimitKeyVariable] ?? ''];
  const redact = redactor([...keys, ...secretsInHeaders(headers), ...environmentSecrets(process.env)]);
  const service = await startService({ command: start, baseUrl, redact, signal: stop.signal });
  const { endedEarly, outputFile } = service;
  const report = await judgeRunning()
    .finally(service.end)
    .catch((error: unknown) => {
      // No report names the output.
      rmSync(dirname(outputFile), { recursive: true, force: true });
      throw error;
    });
  const early = endedEarly && `The command of --start ended ${endedEarly} before it answered.`;
  const reason = [report.reason, early].filter(Boolean).join(' ') || undefined;
  return { ...report, ...defined({ reason }), target: { ...report.target, outputFile } };
}

/** Judges the target that the options name, and shows the progress. Rejects before the first request or not at all. */
export async function judgeTarget(values: RunValues, host: Host, judge?: Judge): Promise<Report> {
  const stop = createStop(values.deadlineMs, host);
  checkOutputs(values);
  return judgeStarted(values, stop, async () => {
    const target = await openTarget(values, host.time.clock(stop.signal));
    const progress = createProgress(values.isQuiet ? 'quiet' : budgetFor(values).maxRequests);
    const watch = showProgress(progress, target);
    return judgeOpened(values, target, { ...watch, ...stop }, judge).finally(() => progress.end());
  });
}
