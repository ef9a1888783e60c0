/** Opens a target, has it judged and closes it again, whatever happens in between. */

import { randomBytes, randomInt } from 'node:crypto';
import { type RunOptions, runConformance } from '../run/run.ts';
import { conformanceSuite } from '../sections/index.ts';
import type { Report } from '../verdict/report.ts';
import { readCommit } from './commit.ts';
import type { Values } from './options.ts';
import { checkOutputs, evidenceScope } from './outputs.ts';
import { createProgress, type Progress } from './progress.ts';
import { withReferenceAnswers } from './reference-answers.ts';
import { createStop, type Stop } from './stop.ts';
import { openTarget, type Target } from './target.ts';

/** What a run needs of the options. A verification of pacts has no use for some that have a default. */
export type RunValues = Omit<Values<'run'>, 'printsConfiguration'>;

/** What sends to a target and judges it. */
export type Judge = (options: RunOptions & { readonly signal: AbortSignal }) => Promise<Report>;

/** Nobody else depends on a target on this machine. */
function isLoopback(baseUrl: string): boolean {
  return /^(localhost|127(\.\d+){3}|\[::1\])$/.test(new URL(baseUrl).hostname);
}

function runOptionsFor(values: RunValues, target: Target): RunOptions {
  const { requiresAll, only, waivers } = values;
  const commit = readCommit();
  return {
    suite: conformanceSuite,
    settings: {
      ...(target.plan === undefined ? {} : { plan: target.plan }),
      ...values,
      seed: values.seed ?? randomInt(2 ** 31),
      today: values.today ?? Date.now(),
      baseUrl: target.baseUrl,
      isDisposable: values.isDisposable ?? isLoopback(target.baseUrl),
      hasRateLimitKey: target.keys.rateLimit !== undefined,
    },
    keys: target.keys,
    transport: target.transport,
    clock: target.clock,
    runTag: randomBytes(3).toString('hex'),
    verdictOptions: {
      requiresAll,
      ...(only === undefined ? {} : { only }),
      ...(waivers === undefined ? {} : { waivers }),
    },
    ...(commit === undefined ? {} : { commit }),
    scope: evidenceScope(values),
  };
}

/** Who follows a run while it goes on. */
export type Watch = Pick<RunOptions, 'onScenario' | 'onExchange' | 'onWait'>;

/** Judges a target that is open, and closes it whatever happens; rejects before the first request or not at all. */
export async function judgeOpened(
  values: RunValues,
  target: Target,
  watch: Watch & Stop,
  judge: Judge = runConformance,
): Promise<Report> {
  const beganAt = performance.now();
  try {
    checkOutputs(values);
    const report = await judge({ ...runOptionsFor(values, target), ...watch });
    const durationMs = Math.round(performance.now() - beganAt);
    // The clock of the embedded server jumps over waits; what is told is what the user waited.
    const told = await withReferenceAnswers(report);
    return { ...told, durationMs };
  } finally {
    await target.close();
  }
}

/** Shows each request under the title of its scenario: those of several may be under way side by side. */
export function showProgress(
  progress: Pick<Progress, 'count' | 'wait'>,
  { isJumping }: Pick<Target, 'isJumping'>,
): Watch {
  const titles = new Map<string, string>();
  let title = '';
  return {
    onScenario: (scenario) => void titles.set(scenario.id, scenario.title),
    onExchange: ({ check }) => {
      // What asks once more is no scenario: the one before it stays.
      title = titles.get(check) ?? title;
      progress.count(title);
    },
    onWait: (ms, why) => {
      if (!isJumping) progress.wait(ms, why);
    },
  };
}

/** Judges the target that the options name, and shows how far it is; rejects before the first request or not at all. */
export async function judgeTarget(values: RunValues, interruption: AbortSignal, judge?: Judge): Promise<Report> {
  const stop = createStop(values.deadlineMs, interruption);
  const target = await openTarget(values, stop.signal);
  const progress = createProgress(values.isQuiet ? 'quiet' : values.maxRequests);
  const watch = showProgress(progress, target);
  return judgeOpened(values, target, { ...watch, ...stop }, judge).finally(() => progress.end());
}
