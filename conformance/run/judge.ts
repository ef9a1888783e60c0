/** The one door to a run: settings, keys and a signal in, a frozen report out. It opens the target and closes it. */

import { randomBytes, randomInt } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { createPetStore } from '../../reference-server/index.ts';
import { defined } from '../../spec/defined.ts';
import type { RequirementId } from '../../spec/requirements.ts';
import type { Keys } from '../http/credentials.ts';
import { fetchTransport } from '../http/transport.ts';
import { conformanceSuite } from '../sections/index.ts';
import { createClock, inProcess } from '../services/in-process.ts';
import { serverKeys } from '../services/wraps.ts';
import type { VerdictOptions } from '../verdict/outcome.ts';
import type { Report } from '../verdict/report.ts';
import type { Settings } from '../world/settings.ts';
import { budgetFor } from './budget.ts';
import { type RunOptions, runConformance } from './run.ts';
import { realTime, stopSignal, type Time } from './stop.ts';
import { UsageError } from './usage-error.ts';

type RequiredSetting = 'categoryIds' | 'headers' | 'isReadOnly' | 'concurrency' | 'maxWaitMs' | 'settleMs';

/** The settings that a user gives: the options of a command line or of a program have these members. */
export interface JudgeSettings
  extends Partial<Omit<Settings, RequiredSetting | 'raisedBudget' | 'hasRateLimitKey'>>,
    Pick<Settings, RequiredSetting>,
    Pick<VerdictOptions, 'requiresAll' | 'maxOutages' | 'isLastFailed' | 'waivers'> {
  readonly only?: ReadonlySet<RequirementId>;
  /** Whether the embedded server is judged where no address is given; the caller has decided it. */
  readonly isEmbedded?: boolean;
  readonly timeoutMs: number;
  readonly deadlineMs: number;
}

/** What a caller sees of a run as it happens. */
export type Watch = Pick<RunOptions, 'onExchange' | 'onWait' | 'onBudget'>;

/** Sends and judges: `runConformance`, or what `pact verify` and --last-failed do in its place. */
export type Run = (options: RunOptions & { readonly signal: AbortSignal }) => Promise<Report>;

export interface Judging {
  readonly settings: JudgeSettings;
  /** The keys of a target at an address, and how the user gave them. */
  readonly keys: Partial<Keys>;
  readonly keyNames: Readonly<Record<'api' | 'rateLimit', string>>;
  /** Ends the run: the report says so and holds what was judged until then. */
  readonly signal: AbortSignal;
  readonly watch?: Watch;
  readonly run?: Run;
  readonly time?: Time;
}

interface Target extends Pick<RunOptions, 'keys' | 'transport' | 'clock'>, Pick<Settings, 'baseUrl' | 'plan'> {
  readonly close: () => void;
}

/** The reference server without a socket, with two keys that only this run knows, on a clock that jumps over waits. */
function openEmbedded(): Target {
  const newKey = (): string => `embedded-${randomBytes(12).toString('hex')}`;
  const keys = { api: newKey(), rateLimit: newKey() };
  const clock = createClock(Date.now());
  const transport = inProcess(createPetStore({ keys: serverKeys(keys.api, keys.rateLimit) }).handle, clock);
  return { baseUrl: 'http://embedded/v1', keys, plan: 'business', clock, transport, close: () => undefined };
}

/** What is wrong with a key → the words of a sentence, the likeliest mistake first. No sentence repeats a key. */
const keyComplaints: readonly (readonly [wrong: RegExp, complaint: string])[] = [
  [/^$/, 'is empty: does the secret exist in this environment? Set it to the key, or leave it out'],
  [/^\s*Bearer\s/i, 'begins with "Bearer ": set it to the key alone, since the kit writes the rest of the header'],
  [/[\r\n]/, 'holds a line break: was it read from a file? Set it to the key alone'],
  [/\s/, 'holds a blank or a tab: set it to the key alone'],
  [/[^\x21-\x7e]/, 'holds a character that is not visible ASCII: check how it is set'],
];

function complaintOf(key: string): string | undefined {
  return keyComplaints.find(([wrong]) => wrong.test(key))?.[1];
}

/** Throws a UsageError for keys that cannot be used. No sentence repeats a key. */
function checkKeys(given: Partial<Keys>, names: Judging['keyNames']): Keys {
  const { api, rateLimit } = given;
  if (api === undefined) throw new UsageError(`${names.api} is not set: set it to the API key of the target.`);
  for (const which of ['api', 'rateLimit'] as const) {
    const key = given[which];
    const complaint = key === undefined ? undefined : complaintOf(key);
    if (complaint !== undefined) throw new UsageError(`${names[which]} ${complaint}.`);
  }
  if (api !== rateLimit) return { ...given, api };
  throw new UsageError(`${names.rateLimit} must be another key than ${names.api}, since the run exhausts it.`);
}

/** A target at an address. It sends nothing yet. */
function openAddress(baseUrl: string, judging: Judging, clock: Target['clock']): Target {
  const { timeoutMs, concurrency } = judging.settings;
  const keys = checkKeys(judging.keys, judging.keyNames);
  const transport = fetchTransport(timeoutMs, process.env, { mostOpen: concurrency });
  return { baseUrl, keys, clock, transport, close: transport.close };
}

/** Whether the target may be damaged for good: as the user says, else on this machine, where nobody else depends on it. */
export function isDisposable(given: Pick<JudgeSettings, 'isDisposable' | 'baseUrl'>): boolean {
  const { hostname } = new URL(given.baseUrl ?? 'http://localhost');
  return given.isDisposable ?? /^(localhost|127(\.\d+){3}|\[::1\])$/.test(hostname);
}

function runOptionsFor(given: JudgeSettings, { baseUrl, plan, keys, transport, clock }: Target): RunOptions {
  const { requiresAll, maxOutages, only, isLastFailed, waivers, ...others } = given;
  const { isEmbedded: _embedded, deadlineMs: _deadline, ...settings } = others;
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
    verdictOptions: defined({ requiresAll, maxOutages, only, isLastFailed, waivers }),
  };
}

/**
 * Judges the target that the settings name, the embedded reference server without an address, and closes it whatever
 * happens. Rejects with a UsageError before the first request, or for our own errors.
 */
export async function judgeService(judging: Judging): Promise<Report> {
  const { settings, signal, watch = {}, run = runConformance, time = realTime } = judging;
  const { baseUrl, deadlineMs } = settings;
  const stop = stopSignal(deadlineMs, signal, time);
  // Handlers of signals could not run while modules were loaded. They run here, before the first request.
  await nextTurn();
  await nextTurn();
  const target = baseUrl === undefined ? openEmbedded() : openAddress(baseUrl, judging, time.clock(stop));
  // Breaks off the requests under way.
  stop.addEventListener('abort', target.close);
  const beganAt = performance.now();
  try {
    const report = await run({ ...runOptionsFor(settings, target), ...watch, signal: stop });
    // The clock of the embedded server jumps over waits; the report holds the time that the caller waited.
    const durationMs = Math.round(performance.now() - beganAt);
    if (baseUrl !== undefined) return Object.freeze({ ...report, durationMs });
    // Its animals are gone with it.
    return Object.freeze({
      ...report,
      target: { ...report.target, isEmbedded: true as const },
      created: [],
      durationMs,
    });
  } finally {
    target.close();
  }
}
