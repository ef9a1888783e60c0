/** The judges of how a client waits after a 429 (§8). */

import type { Exchange } from '../http/exchange.ts';
import { earlyTimerMs, equalWaitsMs, underWayMs } from '../http/tolerances.ts';
import { fails, holds } from '../verdict/finding.ts';
import { type ClientFinding, judgeRequests } from './requests.ts';

/** More requests than this before Retry-After has passed are hammering. */
const mostWhileRefused = 4;
/** One or two equal waits may be chance. */
const fewestWaits = 3;

export function isLimited({ response }: Exchange): boolean {
  return response?.status === 429;
}

/** The instant at which a 429 lets the client come back, Unix milliseconds. */
function endOf({ response, endedAt, startedAt }: Exchange): number {
  const retryAfter = response?.headers['retry-after'] ?? '';
  return /^\d+$/.test(retryAfter) ? endedAt + Number(retryAfter) * 1000 : Date.parse(retryAfter) || startedAt;
}

function requestKey({ request: { method, target, body } }: Exchange): string {
  return JSON.stringify([method, target, body]);
}

/**
 * Whether the client knew of a refusal when it sent a request. A repetition of the refused request proves it; any other
 * request may have been under way.
 */
function knowsOf(refusal: Exchange, later: Exchange): boolean {
  if (later.sent <= refusal.answered || later.startedAt < refusal.endedAt) return false;
  return requestKey(later) === requestKey(refusal) || later.startedAt >= refusal.endedAt + underWayMs;
}

/** Whether a request repeats another one that was refused: its wait is that of its own refusal. */
function repeatsAnother(refusal: Exchange, one: Exchange, all: readonly Exchange[]): boolean {
  const key = requestKey(one);
  return (
    key !== requestKey(refusal) &&
    all.some((earlier) => isLimited(earlier) && requestKey(earlier) === key && knowsOf(earlier, one))
  );
}

function judgeRefusal(refusal: Exchange, all: readonly Exchange[]): readonly ClientFinding[] {
  const end = endOf(refusal);
  const later = all.filter((one) => knowsOf(refusal, one));
  const early = later.filter((one) => one.startedAt < end - earlyTimerMs && !repeatsAnother(refusal, one, all));
  const asked = `Retry-After "${refusal.response?.headers['retry-after']}"`;
  const findings: ClientFinding[] = later.slice(0, 1).map((next) => holds('client-waits', refusal, next));
  if (early.length > 0) {
    const facts = {
      expected: `no request for ${Math.round(end - refusal.endedAt)} ms, as ${asked} asks`,
      received: `the first that could know of it after ${early[0]!.startedAt - refusal.endedAt} ms`,
    };
    findings[0] = fails('client-waits', 'too-soon', facts, refusal, early[0]!);
  }
  if (early.length <= mostWhileRefused) return [...findings, holds('client-no-hammering', refusal)];
  const facts = { expected: 'a client that waits', received: `${early.length} requests before ${asked} had passed` };
  return [...findings, fails('client-no-hammering', 'hammering', facts, refusal)];
}

/** The refusals of one request that directly follow each other, each with the request that came next. */
export function refusalRows(all: readonly Exchange[]): readonly (readonly Exchange[])[] {
  return [...Map.groupBy(all, requestKey).values()].flatMap((same) => {
    const rows: Exchange[][] = [[]];
    for (const exchange of same) {
      rows.at(-1)!.push(exchange);
      if (!isLimited(exchange)) rows.push([]);
    }
    return rows;
  });
}

/** How long after the answer to the one before each request of a row came, milliseconds. */
export function waitsIn(
  row: readonly Exchange[],
  since = ({ endedAt }: Exchange): number => endedAt,
): readonly number[] {
  return row.slice(1).map((exchange, at) => exchange.startedAt - since(row[at]!));
}

/** Waits grow if they do so beyond Retry-After, which may differ from one refusal to the next, and by more than timers vary. */
function judgeBackoff(row: readonly Exchange[]): readonly ClientFinding[] {
  const [waits, beyondAsked] = [waitsIn(row), waitsIn(row, endOf)];
  if (waits.length < fewestWaits) return [];
  const isGrowing = [waits, beyondAsked].every((all) => Math.max(...all) - Math.min(...all) > equalWaitsMs);
  if (isGrowing) return [holds('client-backs-off', ...row)];
  const facts = {
    expected: 'waits that grow',
    received: `${waits.join(', ')} ms, which are ${beyondAsked.join(', ')} ms beyond Retry-After`,
  };
  return [fails('client-backs-off', 'no-backoff', facts, ...row)];
}

/** Everything that the requests of a client, in the order in which they arrived, show of the client requirements. */
export function judgeSent(all: readonly Exchange[]): readonly ClientFinding[] {
  return [
    ...judgeRequests(all),
    ...all.filter(isLimited).flatMap((refusal) => judgeRefusal(refusal, all)),
    ...refusalRows(all).flatMap(judgeBackoff),
  ];
}
