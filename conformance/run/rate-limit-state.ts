/** What is known of the limit of one client, and how long its next request has to wait. */

import type { Exchange } from '../http/exchange.ts';
import { endOfRefusal, remainingOf, untilReset } from '../http/read-response.ts';
import { refusedWaitsMs } from '../http/tolerances.ts';

/** The clients that a run keeps in pace. The key that it exhausts is sent past the pace. */
export type RateLimitedClient = 'key' | 'without-key';

/** At most so many requests within so many milliseconds. */
export interface Quota {
  readonly most: number;
  readonly ms: number;
}

export interface Wait {
  readonly ms: number;
  readonly why: string;
  /** Whether it only keeps the distance between requests. */
  readonly isPace?: true;
}

/** Milliseconds until quotas have room, by the times at which requests were sent. */
export function untilRoom(sent: readonly number[], quotas: readonly Quota[], now: number): number {
  return Math.max(0, ...quotas.map(({ most, ms }) => (sent.at(-most) ?? Number.NEGATIVE_INFINITY) + ms - now));
}

/** A refusal at the pace of the learned quota makes it slower. */
const slower = 1.5;
/** After so many served requests it is tried with a shorter time, since other clients may have caused the refusals. */
const [servedBeforeFaster, faster] = [50, 0.8];
/** Repeated requests after a 429 may get the key banned (§8): so many after waits that were kept end the run. */
const mostKeptInVain = 3;

/** The limit of a client, with the quotas that the plan of its key sets. */
export function createRateLimitState(client: RateLimitedClient, quotas: readonly Quota[] = []) {
  /** The requests under way; each promise settles with its request. */
  const underWay = new Set<Promise<void>>();
  /** When requests were sent, Unix milliseconds. */
  const sent: number[] = [];
  /** The latest answer; undefined before the first one and after a refusal. */
  let last: Exchange | undefined;
  let hasWaitedForReset = false;
  /** Set where none were left right after a reset: X-RateLimit-Remaining does not tell how many are left. */
  let isDistrusted = false;
  /** Nothing may be sent before this time, Unix milliseconds. */
  let heldUntil = 0;
  /** Refusals since a request was last served; those that overlap in time count once. */
  let refusalsInRow = 0;
  let lastRefusal: Exchange | undefined;
  /** The quota that refusals without X-RateLimit headers taught. */
  let learned: Quota | undefined;
  /** How many requests were served since the last refusals were over, and when the first of them was sent. */
  let [served, servedSince] = [0, 0];

  /** The requests left by the headers, less those under way; at least one if the headers do not tell. */
  function requestsLeft(): number {
    const remaining = last === undefined || isDistrusted ? undefined : remainingOf(last);
    return remaining === undefined ? 1 : remaining - underWay.size;
  }

  /** Learns from refusals, now that a request is served: the limit has served so many from the first of them to it. */
  function learn(refusal: Exchange, answer: Exchange): void {
    if (served === 0 || remainingOf(refusal) !== undefined) return;
    // Where no refusal said until when, the limit had room again at some time since the last one.
    const isTold = endOfRefusal(refusal) !== undefined;
    const until = isTold ? answer.startedAt : (refusal.startedAt + answer.startedAt) / 2;
    learned = learned ? { ...learned, ms: slower * learned.ms } : { most: served, ms: until - servedSince };
  }

  function noteAnswer(exchange: Exchange): void {
    if (exchange.response === undefined) return;
    if (hasWaitedForReset) isDistrusted = remainingOf(exchange) === 0;
    hasWaitedForReset = false;
    last = exchange;
    if (lastRefusal !== undefined && refusalsInRow > 0 && exchange.sent > lastRefusal.answered) {
      learn(lastRefusal, exchange);
      [refusalsInRow, served] = [0, 0];
    }
    if (served === 0) servedSince = exchange.startedAt;
    served += 1;
    if (learned !== undefined && served % servedBeforeFaster === 0) learned = { ...learned, ms: learned.ms * faster };
  }

  /** Takes a 429 into account: nothing is sent until it is over, and then one request at a time until one is served. */
  function noteRefusal(exchange: Exchange): void {
    const end = endOfRefusal(exchange);
    if (lastRefusal === undefined || exchange.sent >= lastRefusal.answered) {
      [last, lastRefusal] = [undefined, exchange];
      refusalsInRow += 1;
    }
    // The first refusal is obeyed as it says.
    const least = refusalsInRow === 1 && end !== undefined ? 0 : (refusedWaitsMs[refusalsInRow - 1] ?? 0);
    heldUntil = Math.max(heldUntil, end ?? 0, exchange.endedAt + least);
  }

  return {
    underWay,
    sent,
    /** Takes an answer into account, or that there is none. */
    note(exchange: Exchange): void {
      if (exchange.response?.status === 429) noteRefusal(exchange);
      else noteAnswer(exchange);
    },
    refusalsInRow: () => refusalsInRow,
    isRefusedForGood(): boolean {
      const isSilent = lastRefusal !== undefined && endOfRefusal(lastRefusal) === undefined;
      return refusalsInRow > (isSilent ? refusedWaitsMs.length : mostKeptInVain);
    },
    /** Whether the next request must wait for an answer, since those under way may use up what is left. */
    mustAwaitAnswers: () => underWay.size > 0 && (last === undefined || requestsLeft() <= 0),
    nextWait(now: number): Wait | undefined {
      if (heldUntil > now) return { ms: heldUntil - now, why: 'the target answered 429' };
      // Requests without a key get 401 in any case, so only a 429 makes them wait.
      const reset = client === 'key' && last !== undefined && requestsLeft() <= 0 ? untilReset(last) : undefined;
      if (last !== undefined && reset !== undefined) {
        const ms = last.endedAt + reset - now;
        if (ms > 0) return { ms, why: 'no requests are left until the reset' };
        [last, hasWaitedForReset] = [undefined, true];
      }
      const ms = untilRoom(sent, learned === undefined ? quotas : [...quotas, learned], now);
      return ms > 0 ? { ms, why: 'more requests would be refused', isPace: true } : undefined;
    },
  };
}
