/** Decides whether a request may be sent, and when: within the budget and within the rate limit of the target. */

import { planLimits } from '../../spec/facts.ts';
import type { Exchange } from '../http/exchange.ts';
import { leastReportedWaitMs, minuteMs, secondMs } from '../http/tolerances.ts';
import { isReason, type Reason, reason, reasonInWords } from '../verdict/reasons.ts';
import type { Settings } from '../world/settings.ts';
import { type Budget, BudgetSpent, type Creation } from './budget.ts';
import { createRateLimitState, type Quota, type RateLimitedClient, untilRoom, type Wait } from './rate-limit-state.ts';

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

export interface PaceOptions {
  readonly settings: Settings;
  readonly clock: Clock;
  readonly budget: Budget;
  readonly signal?: AbortSignal;
  readonly onWait?: (ms: number, why: string) => void;
}

/** How a wait names the client whose limit it is for. */
const clientNames: Readonly<Record<RateLimitedClient, string>> = {
  key: 'the API key',
  'without-key': 'requests without a key',
};

const perMinute = (most: number | undefined): readonly Quota[] => (most === undefined ? [] : [{ most, ms: minuteMs }]);

export function createPace({ settings, clock, budget, signal, onWait }: PaceOptions) {
  const { plan, ratePerMinute, maxWaitMs } = settings;
  const states = {
    key: createRateLimitState('key', perMinute(plan && planLimits[plan].perMinute)),
    'without-key': createRateLimitState('without-key'),
  };
  /** What the requests of a client wait for. */
  const waiting = new Map<RateLimitedClient, Promise<void>>();
  // No more than a second's worth at once.
  const burst = ratePerMinute && { most: Math.ceil(ratePerMinute / 60), ms: secondMs };
  const rate = [...perMinute(ratePerMinute), ...(burst ? [burst] : [])];
  const sent: number[] = [];
  let stopped: RunStopped | undefined;

  /** Stops the run for everybody who waits or comes later. */
  function stop(why: Reason): never {
    stopped ??= new RunStopped(why);
    throw stopped;
  }

  function throwIfStopped(): void {
    if (stopped !== undefined) throw stopped;
    if (signal?.aborted) stop(reasonOf(signal));
  }

  /** Waits, or stops the run if the wait is longer than --max-wait. */
  async function waitFor(ms: number, why: string, { isPace }: Pick<Wait, 'isPace'> = {}): Promise<void> {
    if (ms > maxWaitMs) {
      stop(reason('wait-too-long', { seconds: Math.ceil(ms / 1000), why, most: maxWaitMs / 1000 }));
    }
    if (!isPace || ms > leastReportedWaitMs) onWait?.(ms, why);
    await clock.sleep(ms);
    throwIfStopped();
  }

  function findWait(client: RateLimitedClient): Wait | undefined {
    const now = clock.now();
    const untilNext = states[client].nextWait(now);
    if (untilNext !== undefined) return { ...untilNext, why: `${untilNext.why} (limit of ${clientNames[client]})` };
    const ms = untilRoom(sent, rate, now);
    return ms > 0 ? { ms, why: 'more requests would exceed --rate', isPace: true } : undefined;
  }

  /**
   * A promise to await before the next request of a client; undefined if it may be sent at once. Everybody who waits for the
   * same limit shares one wait, so that a stepped clock moves once for all of them.
   */
  function blockedBy(client: RateLimitedClient): Promise<void> | undefined {
    const state = states[client];
    const shared = waiting.get(client);
    if (shared !== undefined) return shared;
    if (state.mustAwaitAnswers()) return Promise.race(state.underWay);
    const next = findWait(client);
    if (next === undefined) return undefined;
    if (budget.isBeyondFirst()) {
      // The requests of a raised budget are worth sending only as long as none of them has to wait.
      if (client === 'key') budget.close();
      throw new BudgetSpent('requests', budget.size().maxRequests);
    }
    const wait = waitFor(next.ms, next.why, next).finally(() => waiting.delete(client));
    waiting.set(client, wait);
    return wait;
  }

  function spend(client: RateLimitedClient, creation: Creation): void {
    budget.spend(creation);
    for (const times of [sent, states[client].sent]) times.push(clock.now());
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
      spend(client, creation);
      const state = states[client];
      const { promise, resolve } = Promise.withResolvers<void>();
      state.underWay.add(promise);
      return {
        /** Reports the exchange, or undefined if there is none; to be called once. Throws RunStopped after too many refusals. */
        settle(exchange: Exchange | undefined): void {
          state.underWay.delete(promise);
          resolve();
          if (exchange !== undefined) state.note(exchange);
          if (state.isRefusedForGood()) stop(reason('refused-in-a-row', { count: state.refusalsInRow() }));
        },
      };
    },
    /** The same without waiting for any limit. */
    admitAtOnce(client: RateLimitedClient, creation: Creation): void {
      throwIfStopped();
      spend(client, creation);
    },
    wait: (ms: number, why: string): Promise<void> => waitFor(ms, why),
    stop,
  };
}

export type Pace = ReturnType<typeof createPace>;
