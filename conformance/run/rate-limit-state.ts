/** What is known of the rate limit of the target, and how long the next request has to wait. */

import type { Exchange } from '../http/exchange.ts';
import { refusedWaitsMs } from '../http/tolerances.ts';
import { isRefused } from '../world/evidence.ts';
import { endOfRefusal, remainingOf, untilReset } from '../world/readings.ts';

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
  readonly isOfUser?: boolean;
}

/** A refusal at the pace of the learned quota makes it slower. */
const slower = 1.5;
/** After so many served requests the time of a learned quota is shortened: other clients may have caused the refusals. */
const servedBeforeFaster = 65;
/** The time is multiplied by this. */
const faster = 0.8;
/** The run ends after more refusals in a row than this, if it waited as they said: further ones may get the key banned (§8). */
const mostKeptInVain = 3;

/** Whether requests with a credential use up the limit of the API key. The key that the run exhausts has one of its own. */
export function isWithKey({ kind }: Exchange['credential']): boolean {
  return kind === 'valid' || kind === 'lenient';
}

export function createRateLimitState() {
  /** The requests left by the latest answer; none before the first one and after a refusal. */
  let left = 0;
  /** Whether any were left since the last wait for a reset: X-RateLimit-Remaining that is always 0 does not tell. */
  let hadLeft = true;
  let held: Hold = { until: 0, why: '' };
  /** Refusals since a request was last served; those that overlap in time count once. */
  let refusalsInRow = 0;
  let lastRefusal: Exchange | undefined;
  /** The quota that refusals without X-RateLimit headers taught. */
  let learned: Quota | undefined;
  /** How many requests were served since the last refusal. */
  let served = 0;
  /** When the first of the served requests was sent. Unix milliseconds. */
  let servedSince = 0;

  function hold(until: number, why: string): void {
    if (until > held.until) held = { until, why };
  }

  /** Learns a quota when a request is served after refusals: so many were served from the first of them until now. */
  function learn(refusal: Exchange, answer: Exchange): void {
    if (served === 0 || remainingOf(refusal) !== undefined) return;
    // A refusal without Retry-After and reset does not say when the limit has room again: on average, half-way between the
    // refusal and the answer.
    const isStated = endOfRefusal(refusal).stated !== undefined;
    const until = isStated ? answer.startedAt : (refusal.startedAt + answer.startedAt) / 2;
    learned = learned ? { ...learned, ms: slower * learned.ms } : { most: served, ms: until - servedSince };
  }

  function noteAnswer(exchange: Exchange): void {
    // The headers of an answer to another key, or to none, are those of another limit.
    if (isWithKey(exchange.credential)) {
      left = remainingOf(exchange) ?? Number.POSITIVE_INFINITY;
      const reset = untilReset(exchange);
      if (left <= 0 && hadLeft && reset !== undefined)
        hold(exchange.endedAt + reset, 'no requests are left until the reset');
      hadLeft = left > 0;
    }
    if (lastRefusal !== undefined && refusalsInRow > 0 && exchange.sent > lastRefusal.answered) {
      learn(lastRefusal, exchange);
      refusalsInRow = 0;
      served = 0;
    }
    if (served === 0) servedSince = exchange.startedAt;
    served += 1;
    if (learned !== undefined && served % servedBeforeFaster === 0) learned = { ...learned, ms: learned.ms * faster };
  }

  /** Takes a 429 into account: nothing is sent until its time is over, and then one request at a time until one is served. */
  function noteRefusal(exchange: Exchange): void {
    const { stated: end } = endOfRefusal(exchange);
    if (lastRefusal === undefined || exchange.sent >= lastRefusal.answered) {
      left = 0;
      lastRefusal = exchange;
      refusalsInRow += 1;
    }
    // A first refusal that says when it ends is obeyed to the letter. Later ones are waited for longer than they say.
    const isTrusted = refusalsInRow === 1 && end !== undefined;
    const leastMs = isTrusted ? 0 : (refusedWaitsMs[refusalsInRow - 1] ?? 0);
    hold(Math.max(end ?? 0, exchange.endedAt + leastMs), 'the target answered 429');
  }

  return {
    /** Takes an answer into account, or that there is none. */
    note(exchange: Exchange): void {
      if (isRefused(exchange)) noteRefusal(exchange);
      else if (exchange.response !== undefined) noteAnswer(exchange);
    },
    /** The number of refusals in a row if further requests may get the key banned; undefined if not. */
    refusedForGood(): number | undefined {
      const isSilent = lastRefusal !== undefined && endOfRefusal(lastRefusal).stated === undefined;
      return refusalsInRow > (isSilent ? refusedWaitsMs.length : mostKeptInVain) ? refusalsInRow : undefined;
    },
    /** Whether the requests under way may use up what is left, so that the next one must wait for an answer. */
    mayBeUsedUpBy: (underWay: number) => underWay > 0 && left <= underWay,
    held: () => held,
    learned: (): readonly Quota[] => (learned === undefined ? [] : [learned]),
  };
}
