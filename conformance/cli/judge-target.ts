/** Judges the target that a command line names, and shows the progress. */

import { defined } from '../../spec/defined.ts';
import { redactor } from '../http/redact.ts';
import { secretsInHeaders } from '../http/secret-names.ts';
import type { Values } from '../options/options.ts';
import { budgetFor } from '../run/budget.ts';
import { type Judge, type JudgeSettings, judge, type Watch } from '../run/judge.ts';
import { UsageError } from '../run/usage-error.ts';
import { reason } from '../verdict/reasons.ts';
import type { Report } from '../verdict/report.ts';
import type { Host } from './host.ts';
import { checkOutputs, type OutputValues } from './outputs.ts';
import { apiKeyVariable, environmentSecrets, rateLimitKeyVariable } from './own-secrets.ts';
import { createProgress, type Progress } from './progress.ts';

/** The options that a command which judges a target reads. */
export type RunValues = JudgeSettings & OutputValues & Pick<Values<'run'>, 'start'>;

function showProgress({ count, expect, wait }: Progress, { baseUrl }: JudgeSettings): Watch {
  return {
    onExchange: () => count(''),
    onBudget: expect,
    // The clock of the embedded server jumps over waits.
    ...(baseUrl === undefined ? {} : { onWait: wait }),
  };
}

/** Judges while the service runs that --start names. */
async function judgeStarted(
  { start, baseUrl, headers }: RunValues,
  secrets: readonly string[],
  signal: AbortSignal,
  judgeRunning: () => Promise<Report>,
): Promise<Report> {
  if (start === undefined) return judgeRunning();
  if (baseUrl === undefined) throw new UsageError('--start needs BASE_URL, the address at which the service answers.');
  const { startService } = await import('./start-service.ts');
  const { endedEarly, end, keepOutput } = await startService(start, baseUrl, signal);
  const report = await judgeRunning().finally(end);
  const why = endedEarly === undefined ? report.reason : reason('service-ended', { ending: endedEarly });
  const outputFile = keepOutput(redactor([...secrets, ...secretsInHeaders(headers)]));
  return { ...report, ...defined({ reason: why }), target: { ...report.target, outputFile } };
}

/** Judges the target that the options name. Rejects before the first request or not at all. */
export async function judgeTarget(
  values: RunValues,
  { interruption: signal, time }: Host,
  run?: Judge,
): Promise<Report> {
  const { reporters: _reporters, isVerbose: _verbose, isQuiet, start: _start, ...settings } = values;
  await checkOutputs(values);
  const { [apiKeyVariable]: api, [rateLimitKeyVariable]: rateLimit } = process.env;
  const others = environmentSecrets(process.env);
  const progress = createProgress(isQuiet ? 'quiet' : budgetFor(settings).maxRequests);
  const keys = defined({ api, rateLimit, others });
  const keyNames = { api: apiKeyVariable, rateLimit: rateLimitKeyVariable };
  const watch = showProgress(progress, settings);
  const judging = { settings, keys, keyNames, signal, time, watch, ...defined({ run }) };
  return judgeStarted(values, [api ?? '', rateLimit ?? '', ...others], signal, () => judge(judging)).finally(
    progress.end,
  );
}
