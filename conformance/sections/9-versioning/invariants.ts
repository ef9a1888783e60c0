/** §9 Versioning: judges the version segment, and that getPet works until its removal. */

import { type Exchange, happenedBefore } from '../../http/exchange.ts';
import { readPetId } from '../../http/read-request.ts';
import { statusOf } from '../../http/read-response.ts';
import { refreshMs } from '../../http/tolerances.ts';
import type { Invariant } from '../../verdict/check.ts';
import { betweenResets } from '../../verdict/emptied.ts';
import { type Finding, fails, holds } from '../../verdict/finding.ts';
import { type History, isKnownBefore, isSameKey } from '../../verdict/history.ts';
import { isBeyondCopies } from '../4.1-list-pets/freshness.ts';
import { mayBeMissing, reads, saysRemoved } from '../4.3-get-pet/reads.ts';

function judgeBaseAddress(history: History): readonly Finding[] {
  const [first] = history.answered;
  if (first === undefined) return [];
  const segment = history.settings.baseUrl.split('/').at(-1) ?? '';
  if (segment === 'v1') return [holds('version-base-address', first)];
  const facts = { expected: 'a base address that ends in v1', received: `one that ends in ${segment}` };
  return [fails('version-base-address', 'no-version-segment', facts, first)];
}

/** Whether a read answers 404 for an animal that must be there. */
function isMissing(history: History, exchange: Exchange): boolean {
  const id = readPetId(exchange);
  return statusOf(exchange) === 404 && typeof id === 'bigint' && !mayBeMissing(history, exchange, id);
}

/** Whether a page has shown the animal that a read asks for. */
function isListed(history: History, exchange: Exchange): boolean {
  const id = readPetId(exchange);
  return typeof id === 'bigint' && history.lastListed.has(id);
}

/** Whether reads say twice that the operation is gone, and others answer: one more read then proves nothing. */
function isNowAndThen(gone: readonly Exchange[], answered: readonly Exchange[]): boolean {
  return gone.length > 1 && answered.length > 0;
}

/**
 * Fails reads of an animal of the run that answer 404 again and again after a 200, when no copy can be older than the
 * animal: a cache would have refreshed its copy by the first of them.
 */
function goneNowAndThen(history: History, known: readonly Exchange[]): readonly Finding[] {
  // §4.3 reports animals that are missing for good.
  if (known.some((exchange) => isMissing(history, exchange))) return [];
  const own = reads(history).filter((exchange) => {
    const id = readPetId(exchange);
    const created = typeof id === 'bigint' ? history.createdById.get(id)?.exchange : undefined;
    return created !== undefined && isSameKey(created, exchange) && isBeyondCopies(history, exchange, created.endedAt);
  });
  for (const [target, late] of Map.groupBy(own, ({ request }) => request.target)) {
    const found = late.filter((exchange) => statusOf(exchange) === 200);
    const [first, last] = [found[0], found.at(-1)];
    if (first === undefined || last === undefined) continue;
    // A 404 with no later 200 may mean that the service has evicted the animal.
    const gone = late.filter(
      (exchange) =>
        statusOf(exchange) === 404 && exchange.startedAt - first.endedAt >= refreshMs && happenedBefore(exchange, last),
    );
    if (gone.length < 2) continue;
    const facts = {
      expected: 'getPet to answer until 5 December 2030',
      received: `404 for ${gone.length} of ${late.length} reads of ${target}, which answered 200 in between`,
      status: 404,
    };
    return [{ ...fails('get-until-removal', 'removed-early', facts, first, ...gone.slice(0, 2)), isConfirmed: true }];
  }
  return [];
}

/** Judges getPet as removed where it finds none of the animals that must be there. */
function judgeAvailability(history: History): readonly Finding[] {
  const known = reads(history).filter((exchange) => {
    const id = readPetId(exchange);
    return typeof id === 'bigint' && isKnownBefore(history, exchange, id) && statusOf(exchange) !== 401;
  });
  // A service that answers 405 or 410 now and then has begun to remove the operation.
  const gone = known.filter(saysRemoved);
  const answered = known.filter((exchange) => statusOf(exchange) === 200);
  if (gone.length > 0) {
    const statuses = [...new Set(gone.map(statusOf))].join(' and ');
    const facts = {
      expected: 'getPet to answer until 5 December 2030',
      received: `${statuses} for ${gone.length} of ${known.length} reads`,
      status: statusOf(gone[0]!),
    };
    const failing = fails('get-until-removal', 'removed-early', facts, ...gone.slice(0, 3));
    return [isNowAndThen(gone, answered) ? { ...failing, isConfirmed: true } : failing];
  }
  const vanished = goneNowAndThen(history, known);
  if (vanished.length > 0) return vanished;
  if (answered.length > 0) return answered.map((exchange) => holds('get-until-removal', exchange));
  const missing = known.filter((exchange) => statusOf(exchange) !== 404 || isMissing(history, exchange));
  const [first] = missing;
  if (first === undefined || (statusOf(first) ?? 0) >= 500) return [];
  // Where no page shows the animals either, they are missing, and getPet is right: §4.1 and §4.3 report them.
  if (missing.every((exchange) => statusOf(exchange) === 404 && !isListed(history, exchange))) return [];
  const facts = {
    expected: 'getPet to answer until 5 December 2030',
    received: `${statusOf(first)} for every known animal`,
    status: statusOf(first),
  };
  const failing = fails('get-until-removal', 'removed-early', facts, ...missing.slice(0, 3));
  return [statusOf(first) === 404 ? { ...failing, isConfirmed: true } : failing];
}

export const versioningInvariants: readonly Invariant[] = [
  {
    id: 'base-address-has-version',
    verifies: ['version-base-address'],
    title: 'The base address ends in v1',
    judge: judgeBaseAddress,
  },
  {
    id: 'get-pet-is-there',
    verifies: ['get-until-removal'],
    title: 'getPet answers until its removal',
    judge: betweenResets(judgeAvailability),
  },
];
