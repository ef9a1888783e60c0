/** The judges of how a client waits after a 429 (§8). */

import { type Exchange, happenedBefore } from '../http/exchange.ts';
import { memoize } from '../http/memoize.ts';
import { earlyTimerMs, equalWaitsMs, underWayMs } from '../http/tolerances.ts';
import { fails, holds } from '../verdict/finding.ts';
import { isRefused } from '../world/evidence.ts';
import { type ClientFinding, judgeRequests } from './requests.ts';

/** More requests than this before Retry-After has passed are hammering. */
const mostWhileRefused = 4;
/** One or two equal waits may be chance. */
const fewestWaits = 3;

/** When a 429 lets the client come back, Unix milliseconds; at once if it does not say. */
function endOfRefusalFor({ response, endedAt, startedAt }: Exchange): number {
  const retryAfter = response?.headers['retry-after'] ?? '';
  return /^\d+$/.test(retryAfter) ? endedAt + Number(retryAfter) * 1000 : Date.parse(retryAfter) || startedAt;
}

/** Equal for a request and its repetitions. */
const requestKey = memoize(({ request: { method, target, body } }: Exchange) => JSON.stringify([method, target, body]));

function isLater(earlier: Exchange, one: Exchange): boolean {
  return happenedBefore(earlier, one) && one.startedAt >= earlier.endedAt;
}

function repeats(refusal: Exchange, one: Exchange): boolean {
  return isRefused(refusal) && isLater(refusal, one) && requestKey(refusal) === requestKey(one);
}

/** A refusal, and what its client sent when it knew of it. */
interface KnownRefusal {
  readonly refusal: Exchange;
  readonly later: readonly Exchange[];
  /** Those of them that did not wait as Retry-After asks. */
  readonly early: readonly Exchange[];
}

/** The end of the wait that a refusal asks for, as facts repeat it. */
function askedBy({ response }: Exchange): string {
  return `Retry-After "${response?.headers['retry-after']}"`;
}

function judgeGoingOn({ refusal, later }: KnownRefusal): readonly ClientFinding[] {
  const goesOn = later.some(({ operation }) => operation === refusal.operation);
  return goesOn ? [holds('client-goes-on', refusal)] : [];
}

function judgeWaiting({ refusal, later: [next], early: [tooSoon] }: KnownRefusal): readonly ClientFinding[] {
  if (tooSoon !== undefined) {
    const askedMs = Math.round(endOfRefusalFor(refusal) - refusal.endedAt);
    const facts = {
      expected: `no request for ${askedMs} ms, as ${askedBy(refusal)} asks`,
      received: `the first that could know of it after ${tooSoon.startedAt - refusal.endedAt} ms`,
    };
    return [fails('client-waits', 'too-soon', facts, refusal, tooSoon)];
  }
  return next === undefined ? [] : [holds('client-waits', refusal, next)];
}

function judgeHammering({ refusal, early }: KnownRefusal): readonly ClientFinding[] {
  if (early.length <= mostWhileRefused) return [holds('client-no-hammering', refusal)];
  const received = `${early.length} requests before ${askedBy(refusal)} had passed`;
  return [fails('client-no-hammering', 'hammering', { expected: 'a client that waits', received }, refusal)];
}

function judgeWaits(all: readonly Exchange[]): readonly ClientFinding[] {
  const repeated = new Set(all.filter((one) => all.some((earlier) => repeats(earlier, one))));
  const knowsOf = (refusal: Exchange, one: Exchange): boolean => {
    // A client that repeats a refused request knew of this refusal, and the request is judged by no other one.
    if (repeated.has(one)) return repeats(refusal, one);
    // Any other request may already have been under way when the refusal came.
    return isLater(refusal, one) && one.startedAt >= refusal.endedAt + underWayMs;
  };
  return all.filter(isRefused).flatMap((refusal) => {
    // Another key, or none, has another limit.
    const ofLimit = all.filter(({ credential: { kind } }) => kind === refusal.credential.kind);
    const later = ofLimit.filter((one) => knowsOf(refusal, one));
    const end = endOfRefusalFor(refusal);
    const known = { refusal, later, early: later.filter((one) => one.startedAt < end - earlyTimerMs) };
    return [...judgeGoingOn(known), ...judgeWaiting(known), ...judgeHammering(known)];
  });
}

/** The refusals of the same request that directly follow each other, each row with the repetition that was served. */
function refusalRows(all: readonly Exchange[]): readonly (readonly Exchange[])[] {
  return [...Map.groupBy(all, requestKey).values()].flatMap((same) => {
    const rows: Exchange[][] = [[]];
    for (const exchange of same) {
      rows.at(-1)!.push(exchange);
      if (!isRefused(exchange)) rows.push([]);
    }
    return rows;
  });
}

/** Waits grow if they differ by more than timers vary, with Retry-After and without it, which may grow from 429 to 429. */
function judgeBackoff(row: readonly Exchange[]): readonly ClientFinding[] {
  const waitsSince = (since: (refusal: Exchange) => number): readonly number[] =>
    row.slice(1).map(({ startedAt }, at) => startedAt - since(row[at]!));
  const waits = waitsSince(({ endedAt }) => endedAt);
  const beyondAsked = waitsSince(endOfRefusalFor);
  if (waits.length < fewestWaits) return [];
  const isGrowing = [waits, beyondAsked].every((some) => Math.max(...some) - Math.min(...some) > equalWaitsMs);
  if (isGrowing) return [holds('client-backs-off', ...row)];
  const facts = {
    expected: 'waits that grow',
    received: `${waits.join(', ')} ms, which are ${beyondAsked.join(', ')} ms beyond Retry-After`,
  };
  return [fails('client-backs-off', 'no-backoff', facts, ...row)];
}

/** Everything that the requests of a client, in the order in which they arrived, show of the client requirements. */
export function judgeSent(all: readonly Exchange[]): readonly ClientFinding[] {
  return [...judgeRequests(all), ...judgeWaits(all), ...refusalRows(all).flatMap(judgeBackoff)];
}
