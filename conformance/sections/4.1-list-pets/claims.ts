/** §4.1 Claims about pages: one has room for an animal of the run and lacks it, and one without a limit has not the default one. */

import { petStatuses } from '../../../spec/operations.ts';
import type { Claim } from '../../run/confirm.ts';
import type { Session } from '../../run/session.ts';
import { missingAnimals, pagesByQuery } from '../../world/animals.ts';
import { missingDespiteRoom } from '../../world/room.ts';
import { worldOf } from '../requests.ts';
import { claimsOfDefaults } from './default-limit.ts';
import { claimOfMissing, isComparable } from './missing.ts';

const filters = ['any', ...petStatuses] as const;

/**
 * For each filter one claim, since the same mistake makes several: for a page that is known to have room, or else for the
 * longest that lacks animals.
 */
function claimsOfPages(session: Session): readonly Claim[] {
  const world = worldOf(session);
  const latest = [...pagesByQuery(world).values()].map((pages) => pages.at(-1)!);
  const lacking = latest
    .filter((view) => isComparable(view) && missingAnimals(world, view).length > 0)
    .toSorted((one, other) => other.most - one.most);
  return filters.flatMap((filter) => {
    const ofFilter = lacking.filter(({ status }) => status === filter);
    const known = ofFilter.find((view) => missingDespiteRoom(world, view).length > 0);
    const chosen = known ?? ofFilter[0];
    return chosen === undefined ? [] : [claimOfMissing(session, chosen)];
  });
}

export function claimsOfListings(session: Session): readonly Claim[] {
  return [...claimsOfPages(session), ...claimsOfDefaults(session, filters)];
}
