/** Requirements about a client that is refused for its number (§8), and one whose limit is used up. */

import type { Exchange } from '../../http/exchange.ts';
import { earlyTimerMs, underWayMs } from '../../http/tolerances.ts';
import { breaks, type ClientCheck, type ClientFinding, holds } from '../finding.ts';

/** More than so many requests while one is refused are hammering. */
const mostWhileRefused = 4;
/** Waits that differ by less do not grow. */
const leastGrowth = 1.35;

/** When a 429 says that the client may come back, Unix milliseconds. */
function endOf({ response, endedAt, startedAt }: Exchange): number {
  const retryAfter = response?.headers['retry-after'] ?? '';
  return /^\d+$/.test(retryAfter) ? endedAt + Number(retryAfter) * 1000 : Date.parse(retryAfter) || startedAt;
}

function isRefused({ response }: Exchange): boolean {
  return response?.status === 429;
}

function isSame(one: Exchange, other: Exchange): boolean {
  return (
    one.request.method === other.request.method &&
    one.request.target === other.request.target &&
    one.request.body === other.request.body
  );
}

/** Whether a request came after an answer had left. */
function isAfter(later: Exchange, earlier: Exchange): boolean {
  return later.sent > earlier.answered && later.startedAt >= earlier.endedAt;
}

/** Whether it was sent by a client that knew of the refusal: one that asks the same again does. */
function knowsOf(refusal: Exchange, later: Exchange): boolean {
  if (!isAfter(later, refusal)) return false;
  return isSame(later, refusal) || later.startedAt >= refusal.endedAt + underWayMs;
}

/** What was sent with knowledge of a refusal, before its time was over. */
function sentTooSoon(refusal: Exchange, exchanges: readonly Exchange[]): readonly Exchange[] {
  const end = endOf(refusal);
  return exchanges.filter((one) => knowsOf(refusal, one) && one.startedAt < end - earlyTimerMs);
}

function judgeWait(refusal: Exchange, exchanges: readonly Exchange[]): readonly ClientFinding[] {
  const [early] = sentTooSoon(refusal, exchanges);
  if (early !== undefined) {
    const asked = Math.round(endOf(refusal) - refusal.endedAt);
    const waited = early.startedAt - refusal.endedAt;
    const message = `expected nothing for ${asked} ms, as Retry-After "${refusal.response?.headers['retry-after']}" asks, received a request after ${waited} ms`;
    return [breaks('client-waits', 'too-soon', message, refusal, early)];
  }
  const next = exchanges.find((one) => knowsOf(refusal, one));
  return next === undefined ? [] : [holds('client-waits', refusal, next)];
}

function judgeHammering(refusal: Exchange, exchanges: readonly Exchange[]): ClientFinding {
  const count = sentTooSoon(refusal, exchanges).length;
  if (count <= mostWhileRefused) return holds('client-no-hammering', refusal);
  const message = `expected a client that waits, received ${count} requests while it was refused`;
  return breaks('client-no-hammering', 'hammering', message, refusal);
}

/** The refusals that a client ran into one after the other with the same request. */
function* rowsOf(exchanges: readonly Exchange[]): Generator<readonly Exchange[]> {
  const bySameness = Map.groupBy(exchanges, ({ request }) =>
    JSON.stringify([request.method, request.target, request.body]),
  );
  for (const same of bySameness.values()) {
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

function judgeBackoff(row: readonly Exchange[]): readonly ClientFinding[] {
  const waits = row.slice(1).map((exchange, at) => exchange.startedAt - row[at]!.endedAt);
  // One wait or two may be what Retry-After asked for, and a busy machine makes one longer.
  if (waits.length < 3) return [];
  if (Math.max(...waits) > Math.min(...waits) * leastGrowth) return [holds('client-backs-off', ...row)];
  const message = `expected waits that grow, received ${waits.join(', ')} ms`;
  return [breaks('client-backs-off', 'no-backoff', message, ...row)];
}

function judgeRemaining(exchange: Exchange, exchanges: readonly Exchange[]): readonly ClientFinding[] {
  const { 'x-ratelimit-remaining': remaining, 'x-ratelimit-reset': reset = '' } = exchange.response?.headers ?? {};
  // Without a valid key it is the limit of nobody.
  if (remaining !== '0' || exchange.credential.kind !== 'valid' || isRefused(exchange)) return [];
  const next = exchanges.find((one) => isAfter(one, exchange));
  if (next === undefined) return [];
  if (next.startedAt > Number(reset) * 1000 - earlyTimerMs) return [holds('client-remaining', exchange, next)];
  const early = Number(reset) * 1000 - next.startedAt;
  const message = `expected nothing before the reset, received a request ${early} ms before it`;
  return [breaks('client-remaining', 'remaining-ignored', message, exchange, next)];
}

/** In one world the first failure says it all: those that follow come of it. */
function withFirstFailure(findings: readonly ClientFinding[]): readonly ClientFinding[] {
  const first = findings.find(({ failure }) => failure !== undefined);
  return findings.filter((finding) => finding.failure === undefined || finding === first);
}

export const waitChecks: readonly ClientCheck[] = [
  {
    verifies: ['client-waits'],
    judge: ({ exchanges }) => withFirstFailure(exchanges.filter(isRefused).flatMap((one) => judgeWait(one, exchanges))),
  },
  {
    verifies: ['client-no-hammering'],
    judge: ({ exchanges }) =>
      withFirstFailure(exchanges.filter(isRefused).map((one) => judgeHammering(one, exchanges))),
  },
  { verifies: ['client-backs-off'], judge: ({ exchanges }) => [...rowsOf(exchanges)].flatMap(judgeBackoff) },
  {
    verifies: ['client-remaining'],
    judge: ({ exchanges }) => exchanges.flatMap((one) => judgeRemaining(one, exchanges)),
  },
];
