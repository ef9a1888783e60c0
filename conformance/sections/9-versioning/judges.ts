/** §9 Versioning: judges the version segment, and that getPet works until its removal. */

import { readPetId } from '../../http/read-request.ts';
import { statusOf } from '../../http/read-response.ts';
import { type Finding, fails, holds } from '../../verdict/finding.ts';
import { isKnownBefore, type World } from '../../world/world.ts';
import { reads, saysRemoved } from '../4.3-get-pet/judges.ts';
import type { Judge } from '../judge.ts';

function judgeBaseAddress(world: World): readonly Finding[] {
  const [first] = world.answered;
  if (first === undefined) return [];
  const segment = world.settings.baseUrl.split('/').at(-1) ?? '';
  if (segment === 'v1') return [holds('version-base-address', first)];
  const facts = { expected: `a base address that ends in v1`, received: `one that ends in ${segment}` };
  return [fails('version-base-address', 'no-version-segment', facts, first)];
}

/** A service that answers 405 or 410 now and then has begun to remove the operation. */
function judgeAvailability(world: World): readonly Finding[] {
  const known = reads(world).filter((exchange) => {
    const id = readPetId(exchange);
    return typeof id === 'bigint' && isKnownBefore(world, exchange, id);
  });
  const gone = known.filter(saysRemoved);
  if (gone.length === 0)
    return known.filter((one) => statusOf(one) === 200).map((exchange) => holds('get-until-removal', exchange));
  const statuses = [...new Set(gone.map(statusOf))].join(' and ');
  const facts = {
    expected: `getPet to answer until 5 December 2030`,
    received: `${statuses} for ${gone.length} of ${known.length} reads`,
  };
  return [fails('get-until-removal', 'removed-early', facts, ...gone.slice(0, 3))];
}

export const versioningJudges: readonly Judge[] = [
  {
    id: 'base-address-has-version',
    verifies: ['version-base-address'],
    title: 'The base address ends in v1',
    scope: 'record',
    judge: judgeBaseAddress,
  },
  {
    id: 'get-pet-is-there',
    verifies: ['get-until-removal'],
    title: 'getPet answers until its removal',
    scope: 'key',
    judge: judgeAvailability,
  },
];
