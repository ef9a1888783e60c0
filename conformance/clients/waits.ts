/** The judges of how a client waits after a 429 (§8). */

import type { Exchange } from '../http/exchange.ts';
import { certainGrowthMs, earlyTimerMs, equalWaitsMs, underWayMs } from '../http/tolerances.ts';
import { fails, holds } from '../verdict/finding.ts';
import { type ClientFinding, judgeRequests, type SentRequests } from './requests.ts';

/** More requests than this before Retry-After has passed are hammering. */
const mostWhileRefused = 4;
/** One or two equal waits may be chance. */
const fewestWaits = 3;

/** The instant at which a 429 lets the client come back, Unix milliseconds. */
function endOf({ response, endedAt, startedAt }: Exchange): number {
  const retryAfter = response?.headers['retry-after'] ?? '';
  return /^\d+$/.test(retryAfter) ? endedAt + Number(retryAfter) * 1000 : Date.parse(retryAfter) || startedAt;
}

export function isRefused({ response }: Exchange): boolean {
  return response?.status === 429;
}

function requestKey({ request: { method, target, body } }: Exchange): string {
  return JSON.stringify([method, target, body]);
}

/** Whether a request arrived after an answer had left. */
function isAfter(later: Exchange, earlier: Exchange): boolean {
  return later.sent > earlier.answered && later.startedAt >= earlier.endedAt;
}

/**
 * Whether the client knew of a refusal when it sent a request. A repetition of the refused request proves it; any other
 * request may have been under way, and arrives the later the busier the machine is.
 */
function knowsOf(refusal: Exchange, later: Exchange, latenessMs: number): boolean {
  if (!isAfter(later, refusal)) return false;
  if (requestKey(later) === requestKey(refusal)) return true;
  return later.startedAt >= refusal.endedAt + underWayMs + 2 * latenessMs;
}

/** Whether a request repeats another one that was refused: its wait is that of its own refusal. */
function repeatsAnother(refusal: Exchange, one: Exchange, exchanges: readonly Exchange[]): boolean {
  const key = requestKey(one);
  if (key === requestKey(refusal)) return false;
  return exchanges.some((earlier) => isRefused(earlier) && requestKey(earlier) === key && isAfter(one, earlier));
}

/** The requests that the client sent after it knew of a refusal, before Retry-After had passed. */
function sentTooSoon(refusal: Exchange, { exchanges, latenessMs }: SentRequests): readonly Exchange[] {
  const end = endOf(refusal);
  return exchanges.filter(
    (one) =>
      knowsOf(refusal, one, latenessMs) &&
      one.startedAt < end - earlyTimerMs &&
      !repeatsAnother(refusal, one, exchanges),
  );
}

function judgeWait(refusal: Exchange, requests: SentRequests): readonly ClientFinding[] {
  const [early] = sentTooSoon(refusal, requests);
  if (early !== undefined) {
    const asked = Math.round(endOf(refusal) - refusal.endedAt);
    const waited = early.startedAt - refusal.endedAt;
    const facts = {
      expected: `no request for ${asked} ms, as Retry-After "${refusal.response?.headers['retry-after']}" asks`,
      received: `one after ${waited} ms`,
    };
    return [fails('client-waits', 'too-soon', facts, refusal, early)];
  }
  const next = requests.exchanges.find((one) => knowsOf(refusal, one, requests.latenessMs));
  return next === undefined ? [] : [holds('client-waits', refusal, next)];
}

function judgeHammering(refusal: Exchange, requests: SentRequests): ClientFinding {
  const count = sentTooSoon(refusal, requests).length;
  if (count <= mostWhileRefused) return holds('client-no-hammering', refusal);
  const facts = { expected: 'a client that waits', received: `${count} requests before Retry-After had passed` };
  return fails('client-no-hammering', 'hammering', facts, refusal);
}

/** The refusals of one request that directly follow each other, each with the request that came next. */
export function* refusalRows(exchanges: readonly Exchange[]): Generator<readonly Exchange[]> {
  for (const same of Map.groupBy(exchanges, requestKey).values()) {
    let row: Exchange[] = [];
    for (const exchange of same) {
      row.push(exchange);
      if (isRefused(exchange)) continue;
      yield row;
      row = [];
    }
    if (row.length > 0) yield row;
  }
}

function rangeOf(values: readonly number[]): number {
  return Math.max(...values) - Math.min(...values);
}

/** Waits grow if they do so beyond Retry-After, which may differ from one refusal to the next, and by more than timers vary. */
function judgeBackoff(row: readonly Exchange[], latenessMs: number): readonly ClientFinding[] {
  const waits = row.slice(1).map((exchange, at) => exchange.startedAt - row[at]!.endedAt);
  const beyondAsked = row.slice(1).map((exchange, at) => exchange.startedAt - endOf(row[at]!));
  if (waits.length < fewestWaits) return [];
  const leastGrowth = Math.min(equalWaitsMs + latenessMs, certainGrowthMs);
  if (rangeOf(waits) > leastGrowth && rangeOf(beyondAsked) > leastGrowth) return [holds('client-backs-off', ...row)];
  const facts = {
    expected: 'waits that grow',
    received: `${waits.join(', ')} ms, which are ${beyondAsked.join(', ')} ms beyond Retry-After`,
  };
  return [fails('client-backs-off', 'no-backoff', facts, ...row)];
}

/** Within one run, later failures follow from the first. */
function withFirstFailure(findings: readonly ClientFinding[]): readonly ClientFinding[] {
  const first = findings.find(({ failure }) => failure !== undefined);
  return findings.filter((finding) => finding.failure === undefined || finding === first);
}

function judgeWaits(requests: SentRequests): readonly ClientFinding[] {
  const { exchanges, latenessMs } = requests;
  const refusals = exchanges.filter(isRefused);
  return [
    ...withFirstFailure(refusals.flatMap((one) => judgeWait(one, requests))),
    ...withFirstFailure(refusals.map((one) => judgeHammering(one, requests))),
    ...[...refusalRows(exchanges)].flatMap((row) => judgeBackoff(row, latenessMs)),
  ];
}

/** Everything that the requests of a client show of the client requirements. */
export function judgeSent(requests: SentRequests): readonly ClientFinding[] {
  return [...judgeRequests(requests), ...judgeWaits(requests)];
}
