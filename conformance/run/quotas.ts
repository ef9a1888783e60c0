/** Quotas that a run keeps to by its own count: that of the plan, that of --rate, and what refusals have taught. */

import { planLimits } from '../../spec/facts.ts';
import type { Exchange } from '../http/exchange.ts';
import { minuteMs, secondMs } from '../http/tolerances.ts';
import type { Settings } from '../world/settings.ts';

/** At most so many requests within so many milliseconds. */
export interface Quota {
  readonly most: number;
  readonly ms: number;
}

/** Nothing may be sent before a time, Unix milliseconds. */
export interface Hold {
  readonly until: number;
  readonly why: string;
  /** Set if the user asks for it, and not the target. */
  readonly isOfUser?: true;
}

/** Whether requests with a credential use up the limit of the API key. The key that the run exhausts has one of its own. */
export function isWithKey({ kind }: Exchange['credential']): boolean {
  return kind === 'valid' || kind === 'lenient';
}

/** When a quota has room, by the times at which requests were sent, Unix milliseconds. */
function roomAt(sent: readonly number[], { most, ms }: Quota): number {
  const oldest = sent.at(-most) ?? Number.NEGATIVE_INFINITY;
  return oldest + ms;
}

/** The quotas of --rate: no more than a second's worth is sent at once. */
function quotasOfRate(perMinute: number): readonly Quota[] {
  return [
    { most: perMinute, ms: minuteMs },
    { most: Math.ceil(perMinute / 60), ms: secondMs },
  ];
}

/** Counts what is sent against quotas; `learned` returns the one that refusals have taught. */
export function createQuotas({ plan, ratePerMinute }: Settings, learned: () => Quota | undefined) {
  const mostOfPlan = plan && planLimits[plan].perMinute;
  const ofRate = ratePerMinute === undefined ? [] : quotasOfRate(ratePerMinute);
  /** When requests were sent, Unix milliseconds. */
  const sent: number[] = [];
  /** Those of them that used up the limit of the API key. */
  const sentWithKey: number[] = [];

  return {
    noteSent(credential: Exchange['credential'], now: number): void {
      sent.push(now);
      if (isWithKey(credential)) sentWithKey.push(now);
    },
    /** Until when each quota has no room for a request. */
    holds(credential: Exchange['credential']): readonly Hold[] {
      const holds: Hold[] = [];
      const taught = learned();
      if (taught !== undefined) holds.push({ until: roomAt(sent, taught), why: 'more requests would be refused' });
      if (mostOfPlan !== undefined && isWithKey(credential)) {
        const ofPlan = { most: mostOfPlan, ms: minuteMs };
        holds.push({ until: roomAt(sentWithKey, ofPlan), why: 'more requests would be refused' });
      }
      for (const quota of ofRate)
        holds.push({ until: roomAt(sent, quota), why: 'more requests would exceed --rate', isOfUser: true });
      return holds;
    },
  };
}
