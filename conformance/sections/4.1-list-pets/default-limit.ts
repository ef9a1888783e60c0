/** §4.1 The claim that a page without a limit is not one with the default limit. */

import { pageLimit } from '../../../spec/operations.ts';
import { type Claim, type Look, settled, unprovable } from '../../run/confirm.ts';
import type { Session } from '../../run/session.ts';
import { fails } from '../../verdict/finding.ts';
import { type ListedPage, listedPages } from '../../world/animals.ts';
import { arePagesVarying } from '../../world/room.ts';
import { createdBefore } from '../../world/world.ts';
import { worldOf } from '../requests.ts';
import { askForPage, queryOfPage } from './growth.ts';

/**
 * A page without a limit between two that name the default and are as long as each other: other clients change the catalogue.
 * `last`: the pages of the look before, if there was one.
 */
async function lookAtDefault(session: Session, view: ListedPage, last: readonly ListedPage[]): Promise<Look> {
  const { without, named } = queriesOfDefault(view);
  const before = await askForPage(session, named);
  const page = await askForPage(session, without);
  const after = await askForPage(session, named);
  if (before === undefined || page === undefined || after === undefined) return settled;
  const { length } = before.entries;
  if (after.entries.length !== length || page.entries.length === length) return settled;
  if (arePagesVarying(worldOf(session))) return unprovable;
  // A default is the same at every look.
  if (last.length > 0 && last[1]!.entries.length !== page.entries.length) return settled;
  const shown = [before, page, after];
  return { sight: 'stands', claim: claimOfDefault(session, view, shown) };
}

const usualLimit = `limit=${pageLimit.usual}`;

/** The query without a limit, and the same with the default limit. */
function queriesOfDefault(view: ListedPage) {
  const without = queryOfPage(view);
  return { without, named: without === '' ? usualLimit : `${usualLimit}&${without}` };
}

/** The claim that a page without a limit differs; `shown`: the pages of its last look. */
function claimOfDefault(session: Session, view: ListedPage, shown: readonly ListedPage[]): Claim {
  const { without, named } = queriesOfDefault(view);
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
        expected: `${before.entries.length} animals from GET ${target}, as from GET /pets?${named} just before and after`,
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
    if (view === undefined || length > pageLimit.usual) return [];
    // Only a page that the run added no animal before or since can be compared.
    const count = createdBefore(world, view.exchange).length;
    const comparable = ofFilter.filter(({ exchange }) => createdBefore(world, exchange).length === count);
    const named = comparable.findLast(({ most, isDefault }) => most === pageLimit.usual && !isDefault);
    const roomy = comparable.filter(({ most }) => most >= pageLimit.usual);
    const longest = Math.max(0, ...roomy.map(({ entries }) => entries.length));
    // Where no page names the default, only one that is longer raises the question; a filtered one may be capped.
    const expected = named?.entries.length ?? Math.min(pageLimit.usual, Math.max(length, longest));
    return length === expected ? [] : [claimOfDefault(session, view, [])];
  });
}
