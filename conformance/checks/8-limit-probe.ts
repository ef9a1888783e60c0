/** §8 Behaviour when exceeded: uses up a key that the user gave for it, by exactly one request too many. */

import { type Check, type Finding, fails, holds, type Invariant, type Scenario } from '../engine/check.ts';
import { rateLimitKey } from '../engine/credentials.ts';
import type { Exchange } from '../engine/exchange.ts';
import type { History } from '../engine/history.ts';
import { dateOf, readInteger, readRetryAfter, statusOf } from '../engine/read-response.ts';
import type { Session } from '../engine/session.ts';
import { createPet, listPets, plainPet } from './requests.ts';

function numberOf(exchange: Exchange, name: string): number | undefined {
  const value = exchange.response === undefined ? 'missing' : readInteger(exchange.response, `x-ratelimit-${name}`);
  return typeof value === 'number' ? value : undefined;
}

/** The exchanges of the key that may be exhausted, up to and including its first refusal. */
function probeOf(history: History): readonly Exchange[] {
  const probe = history.exchanges.filter(
    (exchange) => exchange.credential.kind === 'rate-limit' && exchange.response !== undefined,
  );
  const refusal = probe.findIndex((exchange) => statusOf(exchange) === 429);
  return refusal === -1 ? probe : probe.slice(0, refusal + 1);
}

/** Requests that a bucket which fills may serve after it said that nothing is left. */
function refill(probe: readonly Exchange[], from: Exchange, to: Exchange): number {
  const resets = new Set(probe.slice(0, probe.indexOf(from) + 1).map((exchange) => numberOf(exchange, 'reset')));
  // The reset of a bucket moves with every request; one that stays is that of a window, which does not fill.
  if (resets.size === 1) return 0;
  return 1 + Math.ceil(((to.endedAt - from.startedAt) * (numberOf(from, 'limit') ?? 0)) / 60_000);
}

/** The most requests that others may have sent with the same key between two of the probe, by what its headers show. */
function takenByOthers(probe: readonly Exchange[]): number {
  const drops = probe.slice(1).flatMap((later, at) => {
    const earlier = probe[at]!;
    const [before, after] = [numberOf(earlier, 'remaining'), numberOf(later, 'remaining')];
    const isServed = statusOf(later) !== 429 && numberOf(earlier, 'reset') === numberOf(later, 'reset');
    return isServed && before !== undefined && after !== undefined ? [before - after - 1] : [];
  });
  const [first] = probe;
  const isFresh = first === undefined || (numberOf(first, 'remaining') ?? 0) >= (numberOf(first, 'limit') ?? 0) - 1;
  // A key that was not fresh when the probe began has other users.
  return Math.max(isFresh ? 0 : 1, ...drops);
}

/** When a target answered, by its own clock. */
function timeOf(exchange: Exchange): number {
  return exchange.response === undefined ? exchange.endedAt : dateOf(exchange.response, exchange.endedAt);
}

const minuteMs = 61_000;

/**
 * A plan has two limits, and the headers may speak of the one that has not refused: of the day, where the reset is more
 * than a minute ahead, or of the minute, where the refusal lasts for more than a minute longer.
 */
function speaksOfOtherWindow(refusal: Exchange): boolean {
  if (refusal.response === undefined) return false;
  const untilReset = (numberOf(refusal, 'reset') ?? 0) * 1000 - timeOf(refusal);
  const waitMs = readRetryAfter(refusal.response, refusal.endedAt) ?? 0;
  return untilReset > minuteMs || (untilReset > 0 && waitMs > untilReset + minuteMs);
}

function judgeExceeded(history: History): readonly Finding[] {
  const probe = probeOf(history);
  const empty = probe.find((exchange) => numberOf(exchange, 'remaining') === 0 && statusOf(exchange) !== 429);
  const refusal = probe.at(-1);
  const before = probe.at(-2);
  if (refusal === undefined) return [];
  if (empty !== undefined) {
    const after = probe.slice(probe.indexOf(empty) + 1);
    // Reset and Date are whole seconds: one may be rounded up, the other down.
    const inWindow = after.filter((exchange) => timeOf(exchange) + 2_000 < (numberOf(empty, 'reset') ?? 0) * 1000);
    const served = inWindow.filter((exchange) => statusOf(exchange) !== 429 && statusOf(exchange) !== undefined);
    const last = served.at(-1);
    if (last !== undefined && served.length > refill(probe, empty, last)) {
      const message = `expected 429 after X-RateLimit-Remaining 0, received ${statusOf(last)}`;
      return [fails('rate-exceeded', 'not-refused', message, empty, last)];
    }
  }
  if (statusOf(refusal) !== 429 || before === undefined) return [];
  const left = numberOf(before, 'remaining') ?? 0;
  const isSameLimit = numberOf(before, 'limit') === numberOf(refusal, 'limit');
  if (left > 0 && speaksOfOtherWindow(refusal)) return [];
  if (left > takenByOthers(probe) && isSameLimit && numberOf(before, 'reset') === numberOf(refusal, 'reset')) {
    const message = `expected no 429 while X-RateLimit-Remaining said ${left}, received one`;
    return [fails('rate-exceeded', 'refused-early', message, before, refusal)];
  }
  return left > 0 ? [] : [holds('rate-exceeded', before, refusal)];
}

function judgeAfterwards(history: History): readonly Finding[] {
  const refusal = probeOf(history).at(-1);
  if (refusal === undefined || statusOf(refusal) !== 429) return [];
  const later = history.exchanges.filter(
    (exchange) => exchange.sent > refusal.answered && exchange.response !== undefined,
  );
  const other = later.find((exchange) => exchange.credential.kind === 'valid');
  const again = later.find((exchange) => exchange.credential.kind === 'rate-limit');
  const findings: Finding[] = [];
  const before = history.exchanges.findLast(
    (exchange) => exchange.credential.kind === 'valid' && exchange.answered < refusal.answered,
  );
  const isSpent = before === undefined || numberOf(before, 'remaining') === 0;
  if (other !== undefined && statusOf(other) === 429) {
    // A key that had nothing left itself tells nothing.
    if (isSpent || speaksOfOtherWindow(other)) return findings;
    const message = 'expected another key to be served while this one is refused, received 429 for it';
    findings.push(fails('rate-per-key', 'other-key-refused', message, refusal, other));
  } else if (other !== undefined) findings.push(holds('rate-per-key', refusal, other));
  const waitMs = readRetryAfter(refusal.response!, refusal.endedAt);
  if (again === undefined || waitMs === undefined || again.startedAt < refusal.endedAt + waitMs) return findings;
  // A date of Retry-After is by the clock of the target, which nothing tells where there is no Date.
  const isByUnknownClock =
    refusal.response?.headers['date'] === undefined && !/^\s*\d/.test(refusal.response?.headers['retry-after'] ?? '');
  // A window that is new and empty again was used up by others.
  const isOtherWindow =
    numberOf(again, 'reset') !== numberOf(refusal, 'reset') &&
    numberOf(again, 'remaining') === 0 &&
    timeOf(again) >= (numberOf(refusal, 'reset') ?? 0) * 1000;
  if (statusOf(again) === 429 && (isByUnknownClock || isOtherWindow)) return findings;
  if (statusOf(again) === 429) {
    const message = `expected to be served after ${Math.ceil(waitMs / 1000)} s as Retry-After said, received 429`;
    findings.push(fails('rate-recovery', 'still-refused', message, refusal, again));
  } else findings.push(holds('rate-recovery', refusal, again));
  return findings;
}

const excessIsRefused: Invariant = {
  kind: 'invariant',
  id: 'excess-is-refused',
  verifies: ['rate-exceeded'],
  title: 'The first request beyond the limit answers 429, none before',
  judge: judgeExceeded,
};

const refusalEnds: Invariant = {
  kind: 'invariant',
  id: 'refusal-ends',
  verifies: ['rate-recovery', 'rate-per-key'],
  title: 'A refused key is served again after Retry-After, and no other is refused for it',
  judge: judgeAfterwards,
};

const probed = ['rate-exceeded', 'rate-retry-after', 'rate-recovery', 'rate-per-key'] as const;

/** What came of using a key up: the refusal, or why there is none where that can be told. */
export interface Exhaustion {
  readonly refusal?: Exchange;
  readonly reason?: string;
}

/** Sends until the key is refused, as far as the budget reaches. */
export async function exhaust(session: Session, key: string): Promise<Exhaustion> {
  const request = listPets('limit=1', rateLimitKey(key));
  let exchange = await session.sendOnce(request);
  let afterEmpty = 0;
  while (statusOf(exchange) !== 429) {
    const left = numberOf(exchange, 'remaining');
    const isServed = statusOf(exchange) === 200 || statusOf(exchange) === 201;
    if (!isServed || left === undefined) return {};
    // The refusal, the other key and the recovery come on top.
    if (left + 3 > session.budget.requestsLeft()) {
      return {
        reason: `exhausting the key takes ${left + 3} more requests, the budget has ${session.budget.requestsLeft()}: raise --max-requests`,
      };
    }
    // A target that goes on serving has shown what there is to show.
    if (left === 0) afterEmpty += 1;
    if (afterEmpty > 3) return {};
    // The excess is a creation: the limit is one of all operations.
    const mayCreate =
      !session.settings.isReadOnly && session.budget.creationsLeft() > 0 && left === 0 && afterEmpty === 1;
    exchange = await session.sendOnce(mayCreate ? createPet(plainPet(session), rateLimitKey(key)) : request);
  }
  return { refusal: exchange };
}

const exhaustKey: Scenario = {
  kind: 'scenario',
  id: 'exhaust-key',
  rank: 3,
  verifies: probed,
  title: 'Uses the rate-limit key up, asks with the other one, waits as long as Retry-After says, asks again',
  run: async (session, { note }) => {
    const key = session.keys.rateLimit;
    if (key === undefined) return;
    const { refusal, reason } = await exhaust(session, key);
    if (reason !== undefined) for (const requirement of probed) note(requirement, reason);
    if (refusal?.response === undefined) return;
    await session.send(listPets('limit=1'));
    const waitMs = readRetryAfter(refusal.response, refusal.endedAt);
    if (waitMs === undefined) return;
    if (waitMs > session.settings.maxWaitMs) {
      note('rate-recovery', `Retry-After asks for ${Math.ceil(waitMs / 1000)} s, longer than --max-wait`);
      return;
    }
    await session.wait(waitMs + 50, 'Retry-After of the rate-limit key');
    await session.sendOnce(listPets('limit=1', rateLimitKey(key)));
  },
};

export const limitProbe: readonly Check[] = [excessIsRefused, refusalEnds, exhaustKey];
