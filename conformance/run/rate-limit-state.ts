/** What is known of the limit of one client, and how long its next request has to wait. */

import type { Exchange } from '../http/exchange.ts';
import { endOfRefusal, remainingOf, untilReset } from '../http/read-response.ts';
import { refusedWaitsMs } from '../http/tolerances.ts';

/** The clients that a target can tell apart, as far as a run knows. */
export type RateLimitedClient = 'key' | 'rate-limit-key' | 'without-key';

/** At most so many requests within so many milliseconds. */
export interface Quota {
  readonly most: number;
  readonly ms: number;
}

export function createRateLimitState(quotas: readonly Quota[] = []) {
  return {
    /** The requests under way; each promise settles with its request. */
    underWay: new Set<Promise<void>>(),
    /** When requests were sent, Unix milliseconds. */
    sent: [] as number[],
    /** The answer with the latest headers; undefined before the first one and after a refusal. */
    last: undefined as Exchange | undefined,
    hasWaitedForReset: false,
    /** Set where none were left right after a reset: X-RateLimit-Remaining does not tell how many are left. */
    isDistrusted: false,
    /** Nothing may be sent before this time, Unix milliseconds. */
    heldUntil: 0,
    /** Refusals since a request was last served; those that overlap in time count once. */
    refusalsInRow: 0,
    lastRefusal: undefined as Exchange | undefined,
    /** By the plan of the key or the option of the user. */
    quotas,
    /** The quota that refusals without X-RateLimit headers taught. */
    learned: undefined as Quota | undefined,
    /** How many requests were served since the last refusals were over, and when the first of them was sent. */
    served: 0,
    servedSince: 0,
    /** Pending while requests of this client wait. */
    waiting: undefined as Promise<void> | undefined,
  };
}

export type RateLimitState = ReturnType<typeof createRateLimitState>;

export interface Wait {
  readonly ms: number;
  readonly why: string;
  /** Whether it only keeps the distance between requests. */
  readonly isPace?: true;
}

/** The requests left by the headers, less those under way; undefined if the headers do not tell. */
function requestsLeft({ last, underWay, isDistrusted }: RateLimitState): number | undefined {
  const remaining = last === undefined || isDistrusted ? undefined : remainingOf(last);
  return remaining === undefined ? undefined : remaining - underWay.size;
}

/** Whether the next request must wait for an answer, since those under way may use up what is left. */
export function mustAwaitAnswers(state: RateLimitState): boolean {
  if (state.underWay.size === 0) return false;
  return state.last === undefined || (requestsLeft(state) ?? 1) <= 0;
}

/** After so many served requests the learned quota is tried with a shorter time, since other clients may have caused it. */
const servedBeforeFaster = 50;
const faster = 0.8;
/** A refusal at the pace of the learned quota makes it slower by at least this, and by no more than twice. */
const [slower, slowest] = [1.25, 2];

/** The quota that the refusals before an answer taught: the limit has served so many requests from the first of them to it. */
function learnFrom({ learned, served, servedSince, lastRefusal }: RateLimitState, answer: Exchange) {
  if (served === 0 || lastRefusal === undefined || remainingOf(lastRefusal) !== undefined) return learned;
  const most = learned?.most ?? served;
  // Where no refusal said until when, the limit had room again at some time since the last one.
  const isTold = endOfRefusal(lastRefusal) !== undefined;
  const until = isTold ? answer.startedAt : (lastRefusal.startedAt + answer.startedAt) / 2;
  const ms = ((until - servedSince) * most) / served;
  return { most, ms: learned === undefined ? ms : Math.min(Math.max(ms, slower * learned.ms), slowest * learned.ms) };
}

export function noteAnswer(state: RateLimitState, exchange: Exchange): void {
  if (exchange.response === undefined) return;
  if (state.hasWaitedForReset) state.isDistrusted = remainingOf(exchange) === 0;
  state.hasWaitedForReset = false;
  if (state.last === undefined || exchange.sent > state.last.sent) state.last = exchange;
  const { lastRefusal } = state;
  const isAfter = lastRefusal === undefined || exchange.sent > lastRefusal.answered;
  if (state.refusalsInRow > 0 && isAfter) {
    state.learned = learnFrom(state, exchange);
    [state.refusalsInRow, state.served] = [0, 0];
  }
  if (state.served === 0) state.servedSince = exchange.startedAt;
  state.served += 1;
  if (state.learned !== undefined && state.served % servedBeforeFaster === 0) {
    state.learned = { ...state.learned, ms: state.learned.ms * faster };
  }
}

/** Takes a 429 into account: nothing is sent until it is over, and then one request at a time until one is served. */
export function noteRefusal(state: RateLimitState, exchange: Exchange): void {
  const isSame = state.lastRefusal !== undefined && exchange.sent < state.lastRefusal.answered;
  const end = endOfRefusal(exchange);
  if (!isSame) {
    state.last = undefined;
    state.lastRefusal = exchange;
    state.refusalsInRow += 1;
  }
  // The first refusal is obeyed as it says.
  const least = state.refusalsInRow === 1 && end !== undefined ? 0 : (refusedWaitsMs[state.refusalsInRow - 1] ?? 0);
  state.heldUntil = Math.max(state.heldUntil, end ?? 0, exchange.endedAt + least);
}

/** Repeated requests after a 429 may get the key banned (§8): so many after waits that were kept end the run. */
const mostKeptInVain = 3;

export function isRefusedForGood({ refusalsInRow, lastRefusal }: RateLimitState): boolean {
  const isSilent = lastRefusal !== undefined && endOfRefusal(lastRefusal) === undefined;
  return refusalsInRow > (isSilent ? refusedWaitsMs.length : mostKeptInVain);
}

/** Milliseconds until quotas have room, by the times at which requests were sent. */
export function untilRoom(sent: readonly number[], quotas: readonly Quota[], now: number): number {
  return Math.max(0, ...quotas.map(({ most, ms }) => (sent.at(-most) ?? Number.NEGATIVE_INFINITY) + ms - now));
}

/**
 * Milliseconds until the reset of a client that has no request left. Requests without a key get 401 in any case, so only a 429
 * makes them wait.
 */
function untilNextWindow(client: RateLimitedClient, state: RateLimitState, now: number): number | undefined {
  const { last } = state;
  const reset = last === undefined || (requestsLeft(state) ?? 1) > 0 ? undefined : untilReset(last);
  if (last === undefined || reset === undefined) return undefined;
  return client === 'key' ? last.endedAt + reset - now : undefined;
}

export function nextWait(client: RateLimitedClient, state: RateLimitState, now: number): Wait | undefined {
  if (state.heldUntil > now) return { ms: state.heldUntil - now, why: 'the target answered 429' };
  const untilNext = untilNextWindow(client, state, now);
  if (untilNext !== undefined && untilNext > 0) {
    return { ms: untilNext, why: 'no requests are left until the reset' };
  }
  if (untilNext !== undefined) [state.last, state.hasWaitedForReset] = [undefined, true];
  const { sent, quotas, learned } = state;
  const ms = untilRoom(sent, learned === undefined ? quotas : [...quotas, learned], now);
  return ms > 0 ? { ms, why: 'more requests would be refused', isPace: true } : undefined;
}
