/** Decides whether a request may be sent, and when: within the budget and within the rate limit of the target. */

import type { Exchange } from '../http/exchange.ts';
import { secondMs } from '../http/tolerances.ts';
import { reason } from '../verdict/reasons.ts';
import { readingOf } from '../world/readings.ts';
import type { Budget } from './budget.ts';
import type { Prepared } from './planned-request.ts';
import { createQuotas, type Hold, isWithKey } from './quotas.ts';
import { createRateLimitState } from './rate-limit-state.ts';
import { createWaits, type WaitOptions, type Waits } from './waits.ts';

/** Sends a request once for a check; `repeats` is the number of the exchange that it repeats. */
export type Transmit = (prepared: Prepared, check: string, repeats?: number) => Promise<Exchange>;

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

/** The hold that ends last; if it has ended already, the next request may be sent at once. */
function longestHold(holds: readonly Hold[]): Hold {
  return holds.reduce((one, other) => (other.until > one.until ? other : one));
}

/** Admits one request after the other, when neither the budget nor a limit stands against it. */
function createAdmission({ settings, clock }: WaitOptions, budget: Budget, waits: Waits) {
  const limit = createRateLimitState();
  const quotas = createQuotas(settings, limit.learned);
  let waitedForLimitMs = 0;

  return {
    /** Resolves when a request may be sent. */
    async untilAdmitted(prepared: Prepared, underWay: ReadonlySet<Promise<Exchange>>): Promise<void> {
      for (;;) {
        waits.throwIfStopped();
        budget.check(prepared.creation);
        if (limit.mayBeUsedUpBy(underWay.size)) {
          await Promise.race(underWay);
          continue;
        }
        const { until, why, isOfUser = false } = longestHold([limit.held(), ...quotas.holds(prepared.credential)]);
        const ms = until - clock.now();
        if (ms <= 0) return;
        // The requests of a raised budget are worth sending only as long as none of them has to wait.
        if (budget.isBeyondFirst()) {
          budget.bound(budget.requests(), budget.size().maxRequests);
          continue;
        }
        if (!isOfUser) waitedForLimitMs += ms;
        await waits.wait(ms, why);
      }
    },
    /** Takes a request that is sent now from the budget and from the quotas. */
    spend({ creation, credential }: Prepared): void {
      budget.spend(creation);
      quotas.noteSent(credential, clock.now());
    },
    /** Takes an answer into account; stops the run if further requests may get the key banned. */
    note(exchange: Exchange): void {
      limit.note(exchange);
      const count = limit.refusedForGood();
      if (count !== undefined) waits.stop(reason('refused-in-a-row', { count }));
    },
    waitedForLimitMs: () => waitedForLimitMs,
  };
}

export function createPace(options: WaitOptions, budget: Budget, transmit: Transmit) {
  const waits = createWaits(options);
  const admission = createAdmission(options, budget, waits);
  /** The requests under way; each promise settles with its request. */
  const underWay = new Set<Promise<Exchange>>();
  /** Settles when the last request in the line may be sent; the next one waits for that. */
  let lastInLine: Promise<unknown> = Promise.resolve();

  function start(...request: Parameters<Transmit>): Promise<Exchange> {
    const sending = transmit(...request)
      .then((exchange) => {
        admission.note(exchange);
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
        await admission.untilAdmitted(prepared, underWay);
        // Without an await since the last check, no other request can take what is left.
        admission.spend(prepared);
        return { sending: start(prepared, check, repeats) };
      });
      lastInLine = admitted.catch(() => undefined);
      return (await admitted).sending;
    },
    /** The same without waiting for any limit. */
    async sendAtOnce(prepared: Prepared, check: string): Promise<Exchange> {
      waits.throwIfStopped();
      admission.spend(prepared);
      return transmit(prepared, check);
    },
    wait: waits.wait,
    waits: waits.reported,
    /** How long requests have waited for a limit of the target, in all. */
    waitedForLimitMs: admission.waitedForLimitMs,
    stop: waits.stop,
  };
}

export type Pace = ReturnType<typeof createPace>;
