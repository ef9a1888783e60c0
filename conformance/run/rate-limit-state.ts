/** The rate-limit state of one client: its known limit, and how long its next request has to wait. */

import { planLimits } from '../../spec/facts.ts';
import type { Exchange } from '../http/exchange.ts';
import { announcedWait, remainingOf, untilReset } from '../http/read-response.ts';
import { burstPauseMs, longestMinuteMs, longestSpacingMs, minuteMs, shortestSpacingMs } from '../http/tolerances.ts';

/** The clients that a target can tell apart, as far as a run knows. */
export type RateLimitedClient = 'key' | 'rate-limit-key' | 'without-key';

/** The pace that a refusal taught. Without confirmation it holds for one window: another client may have used the key. */
interface LearnedPace {
  readonly perMinute: number;
  /** Unix milliseconds. */
  readonly until: number;
  /** Set on an unconfirmed guess: headers that speak of this minute and say that requests are left overrule it. */
  readonly yieldsToHeaders: boolean;
}

export function createRateLimitState(mostPerMinute = Number.POSITIVE_INFINITY) {
  return {
    /** The requests under way; each promise settles with its request. */
    underWay: new Set<Promise<void>>(),
    /** When the requests of the last minute were sent, Unix milliseconds. */
    recent: [] as number[],
    /** The answer with the latest headers; undefined before the first one and after a refusal. */
    last: undefined as Exchange | undefined,
    /** Nothing may be sent before this time, Unix milliseconds. */
    heldUntil: 0,
    /** How many answers in a row said, right after a reset, that no requests are left. */
    emptyResets: 0,
    hasWaitedForReset: false,
    /** Refusals since a request was last served; those that overlap in time count once. */
    refusalsInRow: 0,
    refusals: 0,
    lastRefusal: undefined as Exchange | undefined,
    /** The distance that requests keep, milliseconds: 0 until a limit on bursts refuses one. */
    spacingMs: 0,
    /** By the plan of the key or the option of the user. */
    mostPerMinute,
    learned: undefined as LearnedPace | undefined,
    /** Pending while requests of this client wait. */
    waiting: undefined as Promise<void> | undefined,
  };
}

export type RateLimitState = ReturnType<typeof createRateLimitState>;

export interface Wait {
  readonly ms: number;
  readonly why: string;
  /** Notes that the wait is over, whatever a clock says. */
  readonly release: () => void;
}

/** Headers that claim so often that a new window is empty do not tell how many requests are left. */
const mostEmptyResets = 2;

/** The requests left by the headers, less those under way; undefined if the headers do not tell. */
function requestsLeft({ last, underWay, emptyResets }: RateLimitState): number | undefined {
  const remaining = last === undefined || emptyResets >= mostEmptyResets ? undefined : remainingOf(last);
  return remaining === undefined ? undefined : remaining - underWay.size;
}

/** Whether the next request must wait for an answer, since those under way may use up what is left. */
export function mustAwaitAnswers(state: RateLimitState): boolean {
  if (state.underWay.size === 0) return false;
  return state.last === undefined || (requestsLeft(state) ?? 1) <= 0;
}

/** Whether the headers speak of a window of a minute, in which requests are left. */
function hasRequestsThisMinute(state: RateLimitState): boolean {
  const reset = state.last && untilReset(state.last);
  return reset !== undefined && reset <= longestMinuteMs && (requestsLeft(state) ?? 0) > 0;
}

function paceOf(state: RateLimitState, now: number): number {
  const { learned, mostPerMinute } = state;
  if (learned === undefined || now >= learned.until) return mostPerMinute;
  // After one refusal the next request waits for Retry-After alone: its answer shows whether the headers overrule the guess.
  const mayAskHeaders = state.last === undefined && state.refusalsInRow < 2;
  if (learned.yieldsToHeaders && (mayAskHeaders || hasRequestsThisMinute(state))) return mostPerMinute;
  return Math.min(mostPerMinute, learned.perMinute);
}

/** Milliseconds until fewer requests than allowed were sent in the last minute. */
function untilMinuteHasRoom(state: RateLimitState, now: number): number {
  const { recent } = state;
  while ((recent[0] ?? now) <= now - minuteMs) recent.shift();
  const perMinute = paceOf(state, now);
  const oldest = recent.at(-perMinute);
  return recent.length < perMinute || oldest === undefined ? 0 : Math.max(0, oldest + minuteMs - now);
}

const planPaces: readonly number[] = Object.values(planLimits).flatMap(({ perMinute }) => perMinute ?? []);

/**
 * The limit that a refusal suggests: at first the smallest plan that allows as many requests as were served in the last
 * minute, after a further refusal just these. It is confirmed if it is exactly a plan, or about the same as last time.
 */
function learnPace(state: RateLimitState): LearnedPace {
  const { recent, refusals, underWay, heldUntil, learned } = state;
  // The refused request was not served, and those under way may not be either.
  const served = Math.max(1, recent.length - 1 - underWay.size);
  const isSameAgain = learned !== undefined && Math.abs(served - learned.perMinute) <= learned.perMinute / 10;
  if (isSameAgain) return { perMinute: learned.perMinute, until: Number.POSITIVE_INFINITY, yieldsToHeaders: false };
  const perMinute = refusals > 1 ? served : (planPaces.find((limit) => limit >= served) ?? served);
  const isConfirmed = planPaces.includes(served);
  return {
    perMinute,
    until: isConfirmed ? Number.POSITIVE_INFINITY : heldUntil + minuteMs,
    yieldsToHeaders: refusals > 1 && !isConfirmed,
  };
}

export function noteAnswer(state: RateLimitState, exchange: Exchange): void {
  if (exchange.response === undefined) return;
  const remaining = remainingOf(exchange);
  if (state.hasWaitedForReset) state.emptyResets = remaining === 0 ? state.emptyResets + 1 : 0;
  state.hasWaitedForReset = false;
  if (state.last === undefined || exchange.sent > state.last.sent) state.last = exchange;
  if (state.lastRefusal === undefined || exchange.sent > state.lastRefusal.answered) state.refusalsInRow = 0;
}

/**
 * Takes a 429 into account: nothing is sent until it is over, and then one request at a time until one is served. A 429
 * that announces nothing while the headers say that requests are left comes from another limit, as gateways have one on
 * bursts: it takes a short pause and a distance between requests, and teaches nothing about a minute.
 */
export function noteRefusal(state: RateLimitState, exchange: Exchange): void {
  const { lastRefusal } = state;
  const announced = announcedWait(exchange);
  const isSameRefusal = lastRefusal !== undefined && exchange.sent < lastRefusal.answered;
  if (isSameRefusal) {
    if (announced !== undefined) state.heldUntil = Math.max(state.heldUntil, exchange.endedAt + announced);
    return;
  }
  const isBurstLimit = announced === undefined && (requestsLeft(state) ?? 0) > 0;
  const wait = announced ?? (isBurstLimit ? burstPauseMs : minuteMs);
  state.heldUntil = Math.max(state.heldUntil, exchange.endedAt + wait);
  state.last = undefined;
  state.refusals += 1;
  state.refusalsInRow += 1;
  state.lastRefusal = exchange;
  if (isBurstLimit) state.spacingMs = Math.min(longestSpacingMs, Math.max(shortestSpacingMs, 2 * state.spacingMs));
  else state.learned = learnPace(state);
}

/** Whether a client waits for a reset. Requests without a key get 401 in any case, so no run ends for their limit. */
function waitsForReset(client: RateLimitedClient, ms: number, maxWaitMs: number): boolean {
  return client === 'key' || (client === 'without-key' && ms <= maxWaitMs);
}

function waitForReset(state: RateLimitState, now: number): Wait | undefined {
  const { last } = state;
  if (last === undefined || (requestsLeft(state) ?? 1) > 0) return undefined;
  const reset = untilReset(last);
  if (reset === undefined) return undefined;
  const release = (): void => {
    state.last = undefined;
    state.hasWaitedForReset = true;
  };
  return { ms: reset - (now - last.endedAt), why: 'no requests are left until the reset', release };
}

/** How a wait names the client whose limit it is for. */
const clientNames: Readonly<Record<RateLimitedClient, string>> = {
  key: 'the API key',
  'rate-limit-key': 'the rate-limit key',
  'without-key': 'requests without a key',
};

function findWait(client: RateLimitedClient, state: RateLimitState, now: number, maxWaitMs: number): Wait | undefined {
  if (state.heldUntil > now) {
    const release = (): void => {
      state.heldUntil = 0;
    };
    return { ms: state.heldUntil - now, why: 'the target answered 429', release };
  }
  const untilNext = waitForReset(state, now);
  if (untilNext !== undefined && untilNext.ms > 0 && waitsForReset(client, untilNext.ms, maxWaitMs)) return untilNext;
  const untilRoom = untilMinuteHasRoom(state, now);
  const release = (): void => void state.recent.shift();
  return untilRoom > 0 ? { ms: untilRoom, why: 'more requests a minute would be refused', release } : undefined;
}

export function nextWait(
  client: RateLimitedClient,
  state: RateLimitState,
  now: number,
  maxWaitMs: number,
): Wait | undefined {
  const wait = findWait(client, state, now, maxWaitMs);
  return wait && { ...wait, why: `${wait.why} (limit of ${clientNames[client]})` };
}
