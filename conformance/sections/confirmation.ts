/** The step of a run that confirms what its answers claim: pages that lack animals, and reads that do not find them. */

import type { Exchange } from '../http/exchange.ts';
import { confirm } from '../run/confirm.ts';
import type { Scenario } from '../run/scenario.ts';
import type { Session } from '../run/session.ts';
import { claimsOfListings } from './4.1-list-pets/claims.ts';
import { claimsOfReads } from './4.3-get-pet/claims.ts';
import { isRemoved } from './4.3-get-pet/reads.ts';

/** By run: the keys of the claims that need no further look. */
const closedOf = new WeakMap<readonly Exchange[], Set<string>>();

function closedIn({ exchanges }: Session): Set<string> {
  const closed = closedOf.get(exchanges) ?? new Set();
  closedOf.set(exchanges, closed);
  return closed;
}

export function confirmation(rank: Scenario['rank']): Scenario {
  return {
    id: `confirm-${rank}`,
    rank,
    verifies: ['list-complete', 'list-limit-default', 'get-answer', 'get-until-removal'],
    title: 'Asks again for animals that were not shown yet, after a while',
    run: (session, context) =>
      confirm(session, context, closedIn(session), [
        ...(isRemoved(session) ? [] : claimsOfReads(session)),
        ...claimsOfListings(session),
      ]),
  };
}
