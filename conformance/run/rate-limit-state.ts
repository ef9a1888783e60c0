/** What the answers of the target say of its rate limit, and how long the next request has to wait for it. */

import type { Exchange } from '../http/exchange.ts';
import { refusedWaitsMs } from '../http/tolerances.ts';
import { isRefused } from '../world/evidence.ts';
import { endOfRefusal, remainingOf, untilReset } from '../world/readings.ts';
import { createLearnedQuota } from './learned-quota.ts';
import { type Hold, isWithKey } from './quotas.ts';

/** The run ends after more refusals in a row than this, if it waited as they said: further ones may get the key banned (§8). */
const mostKeptInVain = 3;

/** The window of the key, by the X-RateLimit headers. */
function createWindow() {
  /** The requests left by the latest answer; none before the first one and after a refusal. */
  let left = 0;
  /** Whether any were left since the last wait for a reset: X-RateLimit-Remaining that is always 0 does not tell. */
  let hadLeft = true;

  return {
    left: () => left,
    /** After a refusal nothing is known to be left, until an answer says more. */
    close(): void {
      left = 0;
    },
    /** Takes the headers of an answer into account; returns the time of the reset if that has to be waited for. */
    note(exchange: Exchange): number | undefined {
      left = remainingOf(exchange) ?? Number.POSITIVE_INFINITY;
      const isUsedUp = left <= 0 && hadLeft;
      hadLeft = left > 0;
      const resetMs = untilReset(exchange);
      return isUsedUp && resetMs !== undefined ? exchange.endedAt + resetMs : undefined;
    },
  };
}

/** The refusals since a request was last served; those that overlap in time count once. */
function createRefusals() {
  let inRow = 0;
  let last: Exchange | undefined;

  return {
    /** Whether a request was sent before the last refusal was known. */
    isOverlapping: ({ sent }: Exchange) => last !== undefined && sent < last.answered,
    count(refusal: Exchange): void {
      last = refusal;
      inRow += 1;
    },
    /** When a request may be sent after this refusal, Unix milliseconds. */
    endOf(refusal: Exchange): number {
      const { stated } = endOfRefusal(refusal);
      // A first refusal that says when it ends is obeyed to the letter. Later ones are waited for longer than they say.
      if (inRow === 1 && stated !== undefined) return stated;
      const leastMs = refusedWaitsMs[inRow - 1] ?? 0;
      return Math.max(stated ?? 0, refusal.endedAt + leastMs);
    },
    /** Returns the last refusal if this answer is the first one to a request that was sent after it. */
    endedBy(answer: Exchange): Exchange | undefined {
      if (last === undefined || inRow === 0 || answer.sent <= last.answered) return undefined;
      inRow = 0;
      return last;
    },
    /** The number of refusals in a row if further requests may get the key banned; undefined if not. */
    forGood(): number | undefined {
      if (last === undefined) return undefined;
      const isSilent = endOfRefusal(last).stated === undefined;
      const most = isSilent ? refusedWaitsMs.length : mostKeptInVain;
      return inRow > most ? inRow : undefined;
    },
  };
}

export function createRateLimitState() {
  const window = createWindow();
  const refusals = createRefusals();
  const learned = createLearnedQuota();
  let held: Hold = { until: 0, why: '' };

  function hold(until: number, why: string): void {
    if (until > held.until) held = { until, why };
  }

  function noteAnswer(exchange: Exchange): void {
    // The headers of an answer to another key, or to none, are those of another limit.
    const reset = isWithKey(exchange.credential) ? window.note(exchange) : undefined;
    if (reset !== undefined) hold(reset, 'no requests are left until the reset');
    const refusal = refusals.endedBy(exchange);
    if (refusal !== undefined) learned.noteEndOf(refusal, exchange);
    learned.noteServed(exchange);
  }

  /** Takes a 429 into account: nothing is sent until its time is over, and then one request at a time until one is served. */
  function noteRefusal(exchange: Exchange): void {
    if (!refusals.isOverlapping(exchange)) {
      refusals.count(exchange);
      window.close();
    }
    hold(refusals.endOf(exchange), 'the target answered 429');
  }

  return {
    /** Takes an answer into account, or that there is none. */
    note(exchange: Exchange): void {
      if (isRefused(exchange)) noteRefusal(exchange);
      else if (exchange.response !== undefined) noteAnswer(exchange);
    },
    refusedForGood: refusals.forGood,
    /** Whether the requests under way may use up what is left, so that the next one must wait for an answer. */
    mayBeUsedUpBy: (underWay: number) => underWay > 0 && window.left() <= underWay,
    held: () => held,
    learned: learned.quota,
  };
}
