/** Learns a quota that no header tells, such as the burst that a gateway lets through, from its refusals. */

import type { Exchange } from '../http/exchange.ts';
import { endOfRefusal, remainingOf } from '../world/readings.ts';
import type { Quota } from './quotas.ts';

/** A refusal at the pace of the learned quota makes it slower. */
const slower = 1.5;
/** After so many served requests the time of a learned quota is shortened: other clients may have caused the refusals. */
const servedBeforeFaster = 65;
/** The time is multiplied by this. */
const faster = 0.8;

/**
 * When the limit that refused a request had room again. A refusal without Retry-After and reset does not say it: on average,
 * that was half-way between the refusal and the next answer.
 */
function roomAgainAt(refusal: Exchange, answer: Exchange): number {
  const isStated = endOfRefusal(refusal).stated !== undefined;
  return isStated ? answer.startedAt : (refusal.startedAt + answer.startedAt) / 2;
}

export function createLearnedQuota() {
  let quota: Quota | undefined;
  /** How many requests were served since the last refusal. */
  let served = 0;
  /** When the first of the served requests was sent, Unix milliseconds. */
  let servedSince = 0;

  return {
    quota: () => quota,
    /** Takes a served request into account. */
    noteServed({ startedAt }: Exchange): void {
      if (served === 0) servedSince = startedAt;
      served += 1;
      if (quota !== undefined && served % servedBeforeFaster === 0) quota = { ...quota, ms: faster * quota.ms };
    },
    /** Takes the first answer after refusals into account: from the first served request until now, so many had room. */
    noteEndOf(refusal: Exchange, answer: Exchange): void {
      const isInHeaders = remainingOf(refusal) !== undefined;
      if (served > 0 && !isInHeaders) {
        const ms = roomAgainAt(refusal, answer) - servedSince;
        quota = quota === undefined ? { most: served, ms } : { ...quota, ms: slower * quota.ms };
      }
      served = 0;
    },
  };
}
