/** Judges the target that a command line names, and shows the progress. */

import { defined } from '../../spec/defined.ts';
import { keysInEnvironment } from '../http/secret-names.ts';
import { requireAddress } from '../options/gate.ts';
import type { Values } from '../options/options.ts';
import { budgetFor } from '../run/budget.ts';
import { type JudgeSettings, judgeService, type Run, type Watch } from '../run/judge.ts';
import { UsageError } from '../run/usage-error.ts';
import type { Report } from '../verdict/report.ts';
import { configurationFile } from './configuration.ts';
import type { Host } from './host.ts';
import { checkOutputs, type OutputValues } from './outputs.ts';
import { createProgress } from './progress.ts';

/** The options that a command which judges a target reads. */
export type RunValues = JudgeSettings & OutputValues & Pick<Values<'run'>, 'start'>;

/** Judges while the service runs that --start names. */
async function judgeStarted(
  { start, baseUrl }: RunValues,
  signal: AbortSignal,
  judgeRunning: (signal: AbortSignal) => Promise<Report>,
): Promise<Report> {
  if (start === undefined) return judgeRunning(signal);
  if (baseUrl === undefined) throw new UsageError('--start needs BASE_URL, the address at which the service answers.');
  const { startService } = await import('./start-service.ts');
  const { end, outputFile, ended } = await startService(start, baseUrl, signal);
  const report = await judgeRunning(AbortSignal.any([signal, ended])).catch(async (error: unknown) => {
    await end();
    throw error;
  });
  const isStillThere = await end();
  const target = { ...report.target, outputFile };
  // The animals went with the service.
  if (!isStillThere) return { ...report, target, created: [] };
  const left = `Something still answers at ${baseUrl} after the end of what --start started: it has left its process group, so end it by hand.`;
  return { ...report, target, notes: [...(report.notes ?? []), left] };
}

const adviceOnLine = {
  advice: `give BASE_URL, PETSTORE_BASE_URL or base-url in ${configurationFile}`,
  byName: '--embedded',
};

/**
 * Judges the target that the options name; `sign` says what makes the call look like a gate. Rejects before the first request
 * or not at all.
 */
export async function judgeTarget(
  values: RunValues,
  { interruption: signal, time }: Host,
  sign: string | undefined,
  run?: Run,
): Promise<Report> {
  const { reporters: _reporters, isVerbose: _verbose, isQuiet, start: _start, ...settings } = values;
  await checkOutputs(values);
  requireAddress(values, sign, adviceOnLine);
  const { PETSTORE_API_KEY: api, PETSTORE_RATE_LIMIT_KEY: rateLimit } = process.env;
  const progress = createProgress({ isQuiet, most: budgetFor(settings).maxRequests, counted: 'requests' });
  const keys = defined({ api, rateLimit, others: keysInEnvironment(process.env) });
  const keyNames = { api: 'PETSTORE_API_KEY', rateLimit: 'PETSTORE_RATE_LIMIT_KEY' };
  const watch: Watch = {
    onExchange: () => progress.count(''),
    onBudget: progress.expect,
    // The clock of the embedded server jumps over waits.
    ...(settings.baseUrl === undefined ? {} : { onWait: progress.wait }),
  };
  const judging = { settings, keys, keyNames, time, watch, ...defined({ run }) };
  const judgeUntil = (stop: AbortSignal): Promise<Report> => judgeService({ ...judging, signal: stop });
  return judgeStarted(values, signal, judgeUntil).finally(progress.end);
}
