/** Decides whether a request may be sent, and when: within the budget and within the rate limit of the target. */

import { planLimits } from '../../spec/facts.ts';
import type { Exchange } from '../http/exchange.ts';
import { leastReportedWaitMs, minuteMs, secondMs } from '../http/tolerances.ts';
import { type Reason, reason, reasonInWords, reasonOf } from '../verdict/reasons.ts';
import type { ReportedWait } from '../verdict/report.ts';
import { readingOf } from '../world/readings.ts';
import type { Settings } from '../world/settings.ts';
import type { Budget } from './budget.ts';
import type { Prepared } from './planned-request.ts';
import { createRateLimitState, type Hold, isWithKey, type Quota } from './rate-limit-state.ts';

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

/** Sends a request once for a check; `repeats` is the number of the exchange that it repeats. */
export type Transmit = (prepared: Prepared, check: string, repeats?: number) => Promise<Exchange>;

export interface PaceOptions {
  readonly settings: Settings;
  readonly clock: Clock;
  /** Ends the run; the owner of the transport closes it at the same time. */
  readonly signal?: AbortSignal;
  /** The run waits so many milliseconds before it sends again. */
  readonly onWait?: (ms: number, why: string) => void;
}

const perMinute = (most: number | undefined): readonly Quota[] => (most === undefined ? [] : [{ most, ms: minuteMs }]);

/** When quotas have room, by the times at which requests were sent. */
const roomAt = (sent: readonly number[], quotas: readonly Quota[], why: string, isOfUser = false): readonly Hold[] =>
  quotas.map(({ most, ms }) => ({ until: (sent.at(-most) ?? Number.NEGATIVE_INFINITY) + ms, why, isOfUser }));

/** A run that waits this long for its limit is told what makes it shorter. */
const noteworthyWaitMs = 30 * secondMs;

/** A sentence on the time that the limit of the key has cost, and on what saves it; nothing where it was short. */
export function describeLimitWait(waitedMs: number, exchanges: readonly Exchange[]): readonly string[] {
  if (waitedMs < noteworthyWaitMs) return [];
  const last = exchanges.findLast(({ credential }) => isWithKey(credential));
  const most = last === undefined ? undefined : readingOf(last).limit;
  const ofLimit = most === undefined ? 'the rate limit' : `the limit of ${most} requests`;
  const waited = `The run waited ${Math.round(waitedMs / secondMs)} s for ${ofLimit}`;
  return [`${waited}: a key with a larger limit, or a smaller --max-requests, makes it shorter.`];
}

export function createPace({ settings, clock, signal, onWait }: PaceOptions, budget: Budget, transmit: Transmit) {
  const { plan, ratePerMinute, maxWaitMs } = settings;
  const limit = createRateLimitState();
  // No more than a second's worth at once.
  const rate = perMinute(ratePerMinute).flatMap((one) => [one, { most: Math.ceil(one.most / 60), ms: secondMs }]);
  const ofPlan = perMinute(plan && planLimits[plan].perMinute);
  /** When requests were sent, Unix milliseconds. */
  const sent: number[] = [];
  /** Those of them that used up the limit of the API key. */
  const sentWithKey: number[] = [];
  /** The requests under way; each promise settles with its request. */
  const underWay = new Set<Promise<Exchange>>();
  /** Settles when the last request in the line may be sent; the next one waits for that. */
  let lastInLine: Promise<unknown> = Promise.resolve();
  const waits: ReportedWait[] = [];
  let stopped: RunStopped | undefined;
  let waitedForLimitMs = 0;

  /** Stops the run for everybody who waits or comes later. */
  function stop(why: Reason): never {
    stopped = new RunStopped(why);
    throw stopped;
  }

  function throwIfStopped(): void {
    if (stopped !== undefined) throw stopped;
    if (signal?.aborted) stop(reasonOf(signal));
  }

  /** Waits, or stops the run if the wait is longer than --max-wait. */
  async function wait(ms: number, why: string): Promise<void> {
    if (ms > maxWaitMs) stop(reason('wait-too-long', { seconds: Math.ceil(ms / 1000), why, most: maxWaitMs / 1000 }));
    const startedAt = clock.now();
    const isReported = ms >= leastReportedWaitMs;
    if (isReported) onWait?.(ms, why);
    await clock.sleep(ms);
    const durationMs = clock.now() - startedAt;
    if (isReported) waits.push({ startedAt: new Date(startedAt).toISOString(), durationMs, why });
    throwIfStopped();
  }

  /** The hold that ends last; if it has ended already, the next request may be sent at once. */
  function longestHold(isWithKey: boolean): Hold {
    const holds = [
      limit.held(),
      ...roomAt(sent, limit.learned(), 'more requests would be refused'),
      ...(isWithKey ? roomAt(sentWithKey, ofPlan, 'more requests would be refused') : []),
      ...roomAt(sent, rate, 'more requests would exceed --rate', true),
    ];
    return holds.reduce((one, other) => (other.until > one.until ? other : one));
  }

  function spend(prepared: Prepared): void {
    budget.spend(prepared.creation);
    sent.push(clock.now());
    if (isWithKey(prepared.credential)) sentWithKey.push(clock.now());
  }

  /** Resolves when a request may be sent. */
  async function untilAdmitted(prepared: Prepared): Promise<void> {
    for (;;) {
      throwIfStopped();
      budget.check(prepared.creation);
      if (limit.mayBeUsedUpBy(underWay.size)) {
        await Promise.race(underWay);
        continue;
      }
      const { until, why, isOfUser } = longestHold(isWithKey(prepared.credential));
      const ms = until - clock.now();
      if (ms <= 0) return;
      // The requests of a raised budget are worth sending only as long as none of them has to wait.
      if (budget.isBeyondFirst()) {
        budget.bound(budget.requests(), budget.size().maxRequests);
        continue;
      }
      if (isOfUser !== true) waitedForLimitMs += ms;
      await wait(ms, why);
    }
  }

  function start(...request: Parameters<Transmit>): Promise<Exchange> {
    const sending = transmit(...request)
      .then((exchange) => {
        limit.note(exchange);
        const count = limit.refusedForGood();
        if (count !== undefined) stop(reason('refused-in-a-row', { count }));
        return exchange;
      })
      .finally(() => underWay.delete(sending));
    underWay.add(sending);
    return sending;
  }

  return {
    /** Sends when the limit allows, and spends the budget; rejects with BudgetSpent or RunStopped. */
    async send(prepared: Prepared, check: string, repeats?: number): Promise<Exchange> {
      const admitted = lastInLine.then(async () => {
        await untilAdmitted(prepared);
        // Without an await since the last check, no other request can take what is left.
        spend(prepared);
        return { sending: start(prepared, check, repeats) };
      });
      lastInLine = admitted.catch(() => undefined);
      return (await admitted).sending;
    },
    /** The same without waiting for any limit. */
    async sendAtOnce(prepared: Prepared, check: string): Promise<Exchange> {
      throwIfStopped();
      spend(prepared);
      return transmit(prepared, check);
    },
    wait,
    waits: waits as readonly ReportedWait[],
    /** How long requests have waited for a limit of the target, in all. */
    waitedForLimitMs: () => waitedForLimitMs,
    stop,
  };
}

export type Pace = ReturnType<typeof createPace>;
