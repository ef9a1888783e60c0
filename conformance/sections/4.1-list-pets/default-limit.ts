/** §4.1 The claim that a page without a limit is no page of 20. */

import { type Claim, type Look, settled, unprovable } from '../../run/confirm.ts';
import type { Session } from '../../run/session.ts';
import { fails } from '../../verdict/finding.ts';
import { type ListedPage, listedPages } from '../../world/animals.ts';
import { arePagesVarying } from '../../world/room.ts';
import { createdBefore } from '../../world/world.ts';
import { worldOf } from '../requests.ts';
import { askForPage, queryOfPage } from './growth.ts';

/**
 * A page without a limit between two with limit 20 that are as long as each other: other clients change the catalogue. `last`:
 * the pages of the look before, if there was one.
 */
async function lookAtDefault(session: Session, view: ListedPage, last: readonly ListedPage[]): Promise<Look> {
  const { without, twenty } = queriesOfDefault(view);
  const before = await askForPage(session, twenty);
  const page = await askForPage(session, without);
  const after = await askForPage(session, twenty);
  if (before === undefined || page === undefined || after === undefined) return settled;
  const { length } = before.entries;
  if (after.entries.length !== length || page.entries.length === length) return settled;
  if (arePagesVarying(worldOf(session))) return unprovable;
  // A default is the same at every look.
  if (last.length > 0 && last[1]!.entries.length !== page.entries.length) return settled;
  const shown = [before, page, after];
  return { sight: 'stands', claim: claimOfDefault(session, view, shown) };
}

/** The query without a limit, and the same with limit 20. */
function queriesOfDefault(view: ListedPage) {
  const without = queryOfPage(view);
  return { without, twenty: without === '' ? 'limit=20' : `limit=20&${without}` };
}

/** The claim that a page without a limit differs; `shown`: the pages of its last look. */
function claimOfDefault(session: Session, view: ListedPage, shown: readonly ListedPage[]): Claim {
  const { without, twenty } = queriesOfDefault(view);
  const newest = worldOf(session).created.at(-1)?.exchange ?? view.exchange;
  return {
    requirement: 'list-limit-default',
    key: `default ${view.status}`,
    since: newest.endedAt,
    takesTime: true,
    cost: 3,
    costOfProof: 0,
    look: (own) => lookAtDefault(own, view, shown),
    failures: () => {
      const [before, page] = shown as [ListedPage, ListedPage];
      const target = without === '' ? '/pets' : `/pets?${without}`;
      const facts = {
        expected: `${before.entries.length} animals from GET ${target}, as from GET /pets?${twenty} just before and after`,
        received: `${page.entries.length}`,
      };
      // The page that fails comes last, since it is what a report sends again.
      const exchanges = [...shown.filter((one) => one !== page), page].map(({ exchange }) => exchange);
      return [fails('list-limit-default', 'default-differs', facts, ...exchanges)];
    },
  };
}

/** The filters with which the latest page without a limit differs from what other pages show. */
export function claimsOfDefaults(session: Session, filters: readonly ListedPage['status'][]): readonly Claim[] {
  const world = worldOf(session);
  return filters.flatMap((filter): readonly Claim[] => {
    const ofFilter = listedPages(world).filter(
      ({ status, exchange }) => status === filter && exchange.credential.kind === 'valid',
    );
    const view = ofFilter.findLast(({ isDefault }) => isDefault);
    const length = view?.entries.length ?? 0;
    if (view === undefined || length > 20) return [];
    // Only a page that the run added no animal before or since can be compared.
    const count = createdBefore(world, view.exchange).length;
    const comparable = ofFilter.filter(({ exchange }) => createdBefore(world, exchange).length === count);
    const twenty = comparable.findLast(({ most, isDefault }) => most === 20 && !isDefault);
    const longest = Math.max(0, ...comparable.filter(({ most }) => most >= 20).map(({ entries }) => entries.length));
    // Without a page of 20 to compare with, only one that is longer raises the question; a filtered one may be capped.
    const expected = twenty?.entries.length ?? Math.min(20, Math.max(length, longest));
    return length === expected ? [] : [claimOfDefault(session, view, [])];
  });
}
