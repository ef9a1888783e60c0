/** §9 Versioning: judges the version segment, and that getPet works until its removal. */

import { readPetId } from '../../http/read-request.ts';
import { statusOf } from '../../http/read-response.ts';
import type { Invariant } from '../../verdict/check.ts';
import { type Finding, fails, holds } from '../../verdict/finding.ts';
import { type History, isKnownBefore } from '../../verdict/history.ts';
import { mayBeMissing, reads } from '../4.3-get-pet/reads.ts';

function judgeBaseAddress(history: History): readonly Finding[] {
  const [first] = history.answered;
  if (first === undefined) return [];
  const segment = history.settings.baseUrl.split('/').at(-1) ?? '';
  if (segment === 'v1') return [holds('version-base-address', first)];
  const message = `expected a base address that ends in v1, received one that ends in ${segment}`;
  return [fails('version-base-address', 'no-version-segment', message, first)];
}

const baseAddressHasVersion: Invariant = {
  kind: 'invariant',
  id: 'base-address-has-version',
  verifies: ['version-base-address'],
  title: 'The base address ends in v1',
  judge: judgeBaseAddress,
};

/** Judges getPet as removed where it finds none of the animals that must be there. */
function judgeAvailability(history: History): readonly Finding[] {
  const known = reads(history).filter((exchange) => {
    const id = readPetId(exchange);
    return typeof id === 'bigint' && isKnownBefore(history, exchange, id) && statusOf(exchange) !== 401;
  });
  // A service that answers 410 now and then has begun to remove the operation.
  const gone = known.filter((exchange) => statusOf(exchange) === 410);
  if (gone.length > 0) {
    const message = `expected getPet to answer until 5 December 2030, received 410 for ${gone.length} of ${known.length} reads`;
    return [fails('get-until-removal', 'removed-early', message, ...gone.slice(0, 3))];
  }
  const answered = known.filter((exchange) => statusOf(exchange) === 200);
  if (answered.length > 0) return answered.map((exchange) => holds('get-until-removal', exchange));
  const missing = known.filter((exchange) => {
    const id = readPetId(exchange);
    return statusOf(exchange) !== 404 || (typeof id === 'bigint' && !mayBeMissing(history, exchange, id));
  });
  const [first] = missing;
  if (first === undefined || (statusOf(first) ?? 0) >= 500) return [];
  const message = `expected getPet to answer until 5 December 2030, received ${statusOf(first)} for every known animal`;
  const failing = fails('get-until-removal', 'removed-early', message, ...missing.slice(0, 3));
  return [statusOf(first) === 404 ? { ...failing, isConfirmed: true } : failing];
}

const operationIsThere: Invariant = {
  kind: 'invariant',
  id: 'get-pet-is-there',
  verifies: ['get-until-removal'],
  title: 'getPet answers until its removal',
  judge: judgeAvailability,
};

export const versioningInvariants: readonly Invariant[] = [baseAddressHasVersion, operationIsThere];
