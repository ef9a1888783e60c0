/** The step of a run that confirms what its answers claim: pages that lack animals, and reads that do not find them. */

import { confirm } from '../run/confirm.ts';
import type { Scenario } from '../run/suite.ts';
import { claimsOfListings } from './4.1-list-pets/claims.ts';
import { claimsOfReads } from './4.3-get-pet/claims.ts';
import { isRemoved } from './4.3-get-pet/reads.ts';

export function confirmation(rank: Scenario['rank']): Scenario {
  return {
    id: `confirm-${rank}`,
    rank,
    verifies: ['list-complete', 'list-limit-default', 'get-answer', 'get-until-removal'],
    title: 'Asks again for animals that were not shown yet, after a while',
    run: (session, state) =>
      confirm(session, state, [...(isRemoved(session) ? [] : claimsOfReads(session)), ...claimsOfListings(session)]),
  };
}
