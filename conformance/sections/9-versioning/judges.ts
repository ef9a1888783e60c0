/** §9 Versioning: judges the version segment, and that getPet works until its removal. */

import { removalDayInWords } from '../../../spec/facts.ts';
import { statusOf } from '../../http/read-response.ts';
import { type Finding, fails, holds, type Judge } from '../../verdict/finding.ts';
import type { World } from '../../world/world.ts';
import { readsOfKnown, saysRemoved } from '../4.3-get-pet/reads.ts';

/** The version is the last segment of the base address: v1 (§9). */
function judgeBaseAddress(world: World): readonly Finding[] {
  const [first] = world.answered;
  if (first === undefined) return [];
  const { baseUrl } = world.settings;
  const segment = baseUrl.slice(baseUrl.lastIndexOf('/') + 1);
  if (segment === 'v1') return [holds('version-base-address', first)];
  const facts = { expected: 'a base address that ends in v1', received: `one that ends in ${segment}` };
  return [fails('version-base-address', 'no-version-segment', facts, first)];
}

/**
 * "Before removal the operation continues to respond" (§9): fails if getPet says that it is removed, or never returns a known
 * animal. A 404 to each known animal is a claim (4.3-get-pet/claims.ts).
 */
function judgeAvailability(world: World): readonly Finding[] {
  const known = readsOfKnown(world).filter((exchange) => statusOf(exchange) !== 401);
  const gone = known.filter(saysRemoved);
  const answered = known.filter((exchange) => statusOf(exchange) === 200);
  const never = answered.length > 0 ? [] : known.filter((exchange) => ![404, 500].includes(statusOf(exchange) ?? 500));
  const shown = gone.length > 0 ? gone : never;
  if (shown.length === 0) return answered.map((exchange) => holds('get-until-removal', exchange));
  const statuses = [...new Set(shown.map(statusOf))].join(' and ');
  const facts = {
    expected: `getPet to answer until ${removalDayInWords}`,
    received: `${statuses} for ${shown.length} of ${known.length} reads`,
    status: statusOf(shown[0]!),
  };
  return [fails('get-until-removal', 'removed-early', facts, ...shown.slice(0, 3))];
}

export const versioningJudges: readonly Judge[] = [
  { id: 'base-address-has-version', verifies: ['version-base-address'], judge: judgeBaseAddress },
  { id: 'get-pet-is-there', verifies: ['get-until-removal'], judge: judgeAvailability },
];
