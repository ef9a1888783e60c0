/** Decides whether a request may be sent, and when: within the budget and within the rate limit of the target. */

import { planLimits } from '../../spec/facts.ts';
import { runConcurrently } from '../http/concurrency.ts';
import type { Exchange } from '../http/exchange.ts';
import { longestSpacingMs } from '../http/tolerances.ts';
import { isReason, type Reason, reason, reasonInWords } from '../verdict/reasons.ts';
import type { Settings } from '../verdict/settings.ts';
import { type Budget, BudgetSpent, type Creation } from './budget.ts';
import {
  createRateLimitState,
  mustAwaitAnswers,
  nextWait,
  noteAnswer,
  noteRefusal,
  type RateLimitedClient,
  type RateLimitState,
} from './rate-limit-state.ts';

/** Time, injected. */
export interface Clock {
  /** Unix milliseconds. */
  readonly now: () => number;
  /** Resolves after so many milliseconds. */
  readonly sleep: (ms: number) => Promise<void>;
}

/** Ends the run early. */
export class RunStopped extends Error {
  readonly reason: Reason;

  constructor(reason: Reason) {
    super(reasonInWords(reason));
    this.reason = reason;
  }
}

/** Why a signal aborted: as its owner says, else since the user interrupts. */
export function reasonOf({ reason: given }: AbortSignal): Reason {
  return isReason(given) ? given : reason('interrupted', {});
}

/** Settles as `work` does, or rejects with RunStopped when the signal aborts. */
export function untilStopped<Result>(work: Promise<Result>, signal: AbortSignal): Promise<Result> {
  return new Promise((resolve, reject) => {
    const stop = (): void => reject(new RunStopped(reasonOf(signal)));
    signal.addEventListener('abort', stop, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop));
    if (signal.aborted) stop();
  });
}

/** Runs tasks of a run, so many at a time; the error that ends the run takes precedence over others. */
export function runTasks<Result>(
  tasks: readonly (() => Promise<Result>)[],
  atATime: number,
): Promise<readonly Result[]> {
  return runConcurrently(tasks, atATime, (error) => error instanceof RunStopped);
}

/** Stops the run for everybody who waits or comes later; throws a RunStopped with the reason. */
type StopRun = (reason: Reason) => never;

export interface PaceOptions {
  readonly settings: Settings;
  readonly clock: Clock;
  readonly budget: Budget;
  readonly signal?: AbortSignal;
  readonly onWait?: (ms: number, why: string) => void;
}

/** Repeated requests after a 429 may get the key banned (§8): so many refusals in a row, or in a run, end it. */
const mostRefusalsInRow = 3;
const mostRefusals = 12;

/** Ends the run once, for everybody who still wants to send. */
function createStop({ settings, clock, signal, onWait }: PaceOptions) {
  let stopped: RunStopped | undefined;

  function stop(why: Reason): never {
    stopped ??= new RunStopped(why);
    throw stopped;
  }

  function throwIfStopped(): void {
    if (stopped !== undefined) throw stopped;
    if (signal?.aborted) stop(reasonOf(signal));
  }

  async function wait(ms: number, why: string): Promise<void> {
    const { maxWaitMs } = settings;
    if (ms > maxWaitMs) {
      stop(reason('wait-too-long', { seconds: Math.ceil(ms / 1000), why, most: maxWaitMs / 1000 }));
    }
    // The short distance between requests is not reported: there would be a line for every request.
    if (ms > longestSpacingMs) onWait?.(ms, why);
    await clock.sleep(ms);
    throwIfStopped();
  }

  return { stop, throwIfStopped, wait };
}

/** Takes the answer to a request into account, and ends the run after too many refusals. */
function note(state: RateLimitState, exchange: Exchange, stop: StopRun): void {
  const isRefused = exchange.response?.status === 429;
  if (isRefused) noteRefusal(state, exchange);
  else noteAnswer(state, exchange);
  if (state.refusalsInRow < mostRefusalsInRow && state.refusals < mostRefusals) return;
  stop(reason(state.refusals < mostRefusals ? 'refused-in-a-row' : 'refused-often', { count: state.refusals }));
}

function createTicket(state: RateLimitState, now: number, stop: StopRun) {
  const { promise, resolve } = Promise.withResolvers<void>();
  state.recent.push(now);
  if (state.spacingMs > 0) state.heldUntil = Math.max(state.heldUntil, now + state.spacingMs);
  state.underWay.add(promise);
  return {
    /** Reports the exchange, or undefined if there is none; to be called once. Throws RunStopped after too many refusals. */
    settle(exchange: Exchange | undefined): void {
      state.underWay.delete(promise);
      resolve();
      if (exchange !== undefined) note(state, exchange, stop);
    },
  };
}

function createStates({ plan, ratePerMinute }: Settings): Readonly<Record<RateLimitedClient, RateLimitState>> {
  const ofPlan = plan === undefined ? undefined : planLimits[plan].perMinute;
  const most = Math.min(ofPlan ?? Number.POSITIVE_INFINITY, ratePerMinute ?? Number.POSITIVE_INFINITY);
  return {
    key: createRateLimitState(most),
    'rate-limit-key': createRateLimitState(ratePerMinute),
    'without-key': createRateLimitState(ratePerMinute),
  };
}

export function createPace(options: PaceOptions) {
  const { settings, clock, budget } = options;
  const { stop, throwIfStopped, wait } = createStop(options);
  const states = createStates(settings);

  /**
   * A promise to await before the next request of a client; undefined if it may be sent at once. Everybody who waits for the
   * same limit shares one wait, so that a stepped clock moves once for all of them.
   */
  function blockedBy(client: RateLimitedClient): Promise<void> | undefined {
    const state = states[client];
    if (state.waiting !== undefined) return state.waiting;
    if (mustAwaitAnswers(state)) return Promise.race(state.underWay);
    const next = nextWait(client, state, clock.now(), settings.maxWaitMs);
    if (next === undefined) return undefined;
    if (budget.isBeyondFirst()) {
      // The requests of a raised budget are worth sending only as long as none of them has to wait.
      if (client === 'key') budget.close();
      throw new BudgetSpent('requests', budget.size().maxRequests);
    }
    state.waiting = wait(next.ms, next.why)
      .then(next.release)
      .finally(() => {
        state.waiting = undefined;
      });
    return state.waiting;
  }

  return {
    /** Resolves when a request may be sent, and spends it; rejects with BudgetSpent or RunStopped. */
    async admit(client: RateLimitedClient, creation: Creation) {
      for (;;) {
        throwIfStopped();
        budget.check(creation);
        const blocker = blockedBy(client);
        if (blocker === undefined) break;
        await blocker;
      }
      // Without an await since the last check, no other request can take what is left.
      budget.spend(creation);
      return createTicket(states[client], clock.now(), stop);
    },
    /** The same without waiting for any limit. */
    admitAtOnce(creation: Creation): void {
      throwIfStopped();
      budget.spend(creation);
    },
    /** Waits, or stops the run if the wait is longer than --max-wait. */
    wait,
    stop,
  };
}

export type Pace = ReturnType<typeof createPace>;
