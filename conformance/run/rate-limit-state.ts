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
    /** Takes the headers of an answer into account; returns whether the window was used up by its request. */
    note(exchange: Exchange): boolean {
      left = remainingOf(exchange) ?? Number.POSITIVE_INFINITY;
      const isUsedUp = left <= 0 && hadLeft;
      hadLeft = left > 0;
      return isUsedUp;
    },
  };
}

/** The refusals since a request was last served; those that overlap in time count once. */
function createRefusals() {
  let row: readonly Exchange[] = [];
  /** The event of the last refusal of any row. */
  let lastAnswered = 0;

  return {
    /** Whether a request was sent before the last refusal was known. */
    isOverlapping: ({ sent }: Exchange) => sent < lastAnswered,
    count(refusal: Exchange): void {
      row = [...row, refusal];
      lastAnswered = refusal.answered;
    },
    /** When a request may be sent after this refusal, Unix milliseconds. */
    endOf(refusal: Exchange): number {
      const { stated } = endOfRefusal(refusal);
      // A first refusal that says when it ends is obeyed to the letter. Later ones are waited for longer than they say.
      if (row.length === 1 && stated !== undefined) return stated;
      const leastMs = refusedWaitsMs[row.length - 1] ?? 0;
      return Math.max(stated ?? 0, refusal.endedAt + leastMs);
    },
    /** Ends the row if a request that was sent after its last refusal is served; returns that refusal. */
    endBy(answer: Exchange): Exchange | undefined {
      const last = row.at(-1);
      if (answer.sent < lastAnswered) return undefined;
      row = [];
      return last;
    },
    /** The number of refusals in a row if further requests may get the key banned; undefined if not. */
    forGood(): number | undefined {
      const last = row.at(-1);
      if (last === undefined) return undefined;
      const isSilent = endOfRefusal(last).stated === undefined;
      const most = isSilent ? refusedWaitsMs.length : mostKeptInVain;
      return row.length > most ? row.length : undefined;
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
    const isUsedUp = isWithKey(exchange.credential) && window.note(exchange);
    if (isUsedUp) hold(exchange.endedAt + (untilReset(exchange) ?? 0), 'no requests are left until the reset');
    const refusal = refusals.endBy(exchange);
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
