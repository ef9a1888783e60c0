/** The one door to a run: settings, keys and a signal in, a frozen report out. */

import { randomBytes, randomInt } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { defined } from '../../spec/defined.ts';
import type { RequirementId } from '../../spec/requirements.ts';
import type { Keys } from '../http/credentials.ts';
import { conformanceSuite } from '../sections/index.ts';
import type { VerdictOptions } from '../verdict/outcome.ts';
import type { Report } from '../verdict/report.ts';
import type { BudgetSize, Settings } from '../world/settings.ts';
import { budgetFor } from './budget.ts';
import { type RunOptions, runConformance } from './run.ts';
import { realTime, stopSignal, type Time } from './stop.ts';
import { checkKeys, type KeyNames, openAddress, openEmbedded, type Target } from './target.ts';

type Optional = 'baseUrl' | 'plan' | 'nameTemplate' | 'isDisposable' | 'ratePerMinute' | 'seed' | 'today';
type Given = 'categoryIds' | 'headers' | 'isReadOnly' | 'concurrency' | 'maxWaitMs' | 'settleMs';

/** What a user says of a run: the options of a command line or of a program have these members. */
export interface JudgeSettings
  extends Partial<BudgetSize>,
    Partial<Pick<Settings, Optional>>,
    Pick<Settings, Given>,
    Pick<VerdictOptions, 'requiresAll' | 'isLastFailed' | 'waivers'> {
  readonly only?: ReadonlySet<RequirementId>;
  readonly timeoutMs: number;
  readonly deadlineMs: number;
}

/** What a caller sees of a run as it happens. */
export type Watch = Pick<RunOptions, 'onExchange' | 'onWait' | 'onBudget'>;

/** Sends and judges; other than by the scenarios of a run for pacts and for failures that are judged again. */
export type Judge = (options: RunOptions & { readonly signal: AbortSignal }) => Promise<Report>;

export interface Judging {
  readonly settings: JudgeSettings;
  /** The keys of a target at an address, and how the user gave them. */
  readonly keys: Partial<Keys>;
  readonly keyNames: KeyNames;
  /** Ends the run: the report says so and holds what was judged until then. */
  readonly signal: AbortSignal;
  readonly watch?: Watch;
  readonly run?: Judge;
  readonly time?: Time;
}

/** Whether the target may be damaged for good: as the user says, else on this machine, where nobody else depends on it. */
export function isDisposable(given: Pick<JudgeSettings, 'isDisposable' | 'baseUrl'>): boolean {
  const { hostname } = new URL(given.baseUrl ?? 'http://localhost');
  return given.isDisposable ?? /^(localhost|127(\.\d+){3}|\[::1\])$/.test(hostname);
}

function runOptionsFor(given: JudgeSettings, { baseUrl, plan, keys, transport, clock }: Target): RunOptions {
  const { requiresAll, only, isLastFailed, waivers, deadlineMs: _deadline, ...settings } = given;
  return {
    suite: conformanceSuite,
    settings: {
      ...defined({ plan }),
      ...settings,
      ...budgetFor(given),
      seed: given.seed ?? randomInt(2 ** 31),
      today: given.today ?? Date.now(),
      baseUrl,
      isDisposable: isDisposable(given),
      hasRateLimitKey: keys.rateLimit !== undefined,
    },
    keys,
    transport,
    clock,
    runTag: randomBytes(3).toString('hex'),
    verdictOptions: defined({ requiresAll, only, isLastFailed, waivers }),
  };
}

/**
 * Judges the target that the settings name, the embedded reference server without an address, and closes it whatever
 * happens. Rejects with a UsageError before the first request, or for our own errors.
 */
export async function judge(judging: Judging): Promise<Report> {
  const { settings, signal, watch = {}, run = runConformance, time = realTime } = judging;
  const { baseUrl, deadlineMs } = settings;
  const stop = stopSignal(deadlineMs, signal, time);
  // Handlers of signals could not run while modules were loaded. They run here and keep the first request back.
  await nextTurn();
  await nextTurn();
  const target =
    baseUrl === undefined
      ? openEmbedded(Date.now())
      : openAddress(baseUrl, checkKeys(judging.keys, judging.keyNames), settings, time.clock(stop));
  // A request under way breaks off.
  stop.addEventListener('abort', target.close);
  const beganAt = performance.now();
  try {
    const report = await run({ ...runOptionsFor(settings, target), ...watch, signal: stop });
    // The clock of the embedded server jumps over waits; the report holds the time that the caller waited.
    const durationMs = Math.round(performance.now() - beganAt);
    const isEmbedded = baseUrl === undefined ? true : undefined;
    return Object.freeze({ ...report, target: defined({ ...report.target, isEmbedded }), durationMs });
  } finally {
    target.close();
  }
}
