/** When the target shows a new animal, and how many animals its pages hold. */

import { type PetStatus, petStatuses } from '../../../spec/operations.ts';
import { type Exchange, happenedBefore } from '../../http/exchange.ts';
import { readPetId } from '../../http/read-request.ts';
import { statusOf } from '../../http/read-response.ts';
import {
  type CreatedPet,
  createdBefore,
  type History,
  isSameKey,
  isSettledBefore,
  type KnownPet,
  settledBefore,
} from '../../verdict/history.ts';
import { mayBeEvicted, reads } from '../4.3-get-pet/reads.ts';
import { type Observe, observationOf, withSize } from '../observation.ts';
import {
  fewestEqualPages,
  isVarying,
  laterLongerPages,
  missingAnimals,
  showsOldCopies,
  wholeCatalogues,
} from './completeness.ts';
import { areConfirmed } from './freshness.ts';
import { isFull, type ListedPage, listedPages, pagesOfQuery } from './listed-pages.ts';
import { isListedPromptly } from './suspicion.ts';

function readsOfCreated(history: History): readonly (readonly [Exchange, CreatedPet])[] {
  return reads(history).flatMap((exchange): readonly (readonly [Exchange, CreatedPet])[] => {
    const id = readPetId(exchange);
    const pet = typeof id === 'bigint' ? history.createdById.get(id) : undefined;
    const isOfIt = pet !== undefined && happenedBefore(pet.exchange, exchange) && isSameKey(pet.exchange, exchange);
    return isOfIt ? [[exchange, pet]] : [];
  });
}

/** The first exchange that lacks an animal which a later exchange of its kind shows. */
function firstTooEarly(history: History): Exchange | undefined {
  const found = readsOfCreated(history);
  const tooEarly = found.find(
    ([exchange, { id }]) =>
      statusOf(exchange) === 404 &&
      found.some(([later, pet]) => pet.id === id && statusOf(later) === 200 && happenedBefore(exchange, later)),
  );
  const withoutIt = (isVarying(history) ? [] : listedPages(history)).find((view) => {
    const missing = missingAnimals(history, view);
    const later = missing.length === 0 ? [] : laterLongerPages(history, view);
    return missing.some(({ id }) => later.some(({ ids }) => ids.has(id)));
  });
  return tooEarly?.[0] ?? withoutIt?.exchange;
}

export const visibility: Observe<'visibility'> = (history) => {
  const tooEarly = firstTooEarly(history);
  if (tooEarly !== undefined) return observationOf('later', tooEarly);
  const { settleMs } = history.settings;
  const isSoon = (exchange: Exchange, pet: CreatedPet): boolean =>
    happenedBefore(pet.exchange, exchange) && exchange.startedAt - pet.exchange.endedAt < settleMs;
  const found = readsOfCreated(history).find(([exchange, pet]) => statusOf(exchange) === 200 && isSoon(exchange, pet));
  const listed = listedPages(history).find(({ exchange, ids }) =>
    history.created.some((pet) => ids.has(pet.id) && isSoon(exchange, pet)),
  );
  return observationOf('at-once', found?.[0] ?? listed?.exchange);
};

/**
 * Whether a page that lacks an animal was made after its creation, so that it is not an old copy. Younger animals on the
 * page prove it, a new query does where other pages showed new animals at once, and so may later requests.
 */
function isNoOldCopy(history: History, view: ListedPage, pet: CreatedPet): boolean {
  const isYounger = ({ id, exchange }: CreatedPet): boolean =>
    view.ids.has(id) && happenedBefore(pet.exchange, exchange);
  if (history.created.some(isYounger)) return true;
  const pages = pagesOfQuery(history, view);
  if (isListedPromptly(history) && happenedBefore(pet.exchange, pages[0]!.exchange)) return true;
  const without = pages.filter(({ ids }) => !ids.has(pet.id));
  return areConfirmed(
    history,
    without.map(({ exchange }) => exchange),
    pet.exchange.endedAt,
  );
}

/** The length of the longest page of an allowed query. */
export function longestPage(history: History): number {
  return Math.max(0, ...listedPages(history).map(({ page }) => page.entries.length));
}

/** A page with at least this limit shows whether the service caps pages below it. */
const longLimit = 50;
/** A catalogue of fewer animals may fit on a page that is capped. */
const manyAnimals = 20;

export const pageCap: Observe<'page-cap'> = (history) => {
  // Only a read that came late enough to find an animal shows that it was evicted before.
  const evicted = readsOfCreated(history).find(
    ([exchange, pet]) =>
      statusOf(exchange) === 404 &&
      settledBefore(history, exchange).some(({ id }) => id === pet.id) &&
      mayBeEvicted(history, pet.id, exchange),
  );
  if (evicted !== undefined) return observationOf('newest-only', evicted[0]);
  const views = listedPages(history).filter(({ status, most }) => status === 'any' && most >= longLimit);
  const longest = longestPage(history);
  const atEnd = views.filter((view) => !isFull(view) && view.page.entries.length === longest);
  const isShorter = ({ page, most, exchange }: ListedPage): boolean =>
    page.entries.length < Math.min(longest, most) && happenedBefore(atEnd[0]!.exchange, exchange);
  const capped = atEnd.find(
    (view) =>
      settledBefore(history, view.exchange).some((pet) => !view.ids.has(pet.id) && isNoOldCopy(history, view, pet)) ||
      atEnd.some((earlier) => hasGrown(history, earlier, view)),
  );
  // Where lengths vary, the longest is no cap. A shorter page alone may be an old copy.
  const isCap = atEnd.length >= fewestEqualPages && !(isVarying(history) && views.some(isShorter));
  if (capped !== undefined) return isCap ? withSize(observationOf('fewer', capped.exchange), longest) : undefined;
  const whole = wholeCatalogues(history).findLast(({ most, ids }) => most >= longLimit && ids.size >= manyAnimals);
  return observationOf('as-asked', views.find(isFull)?.exchange ?? whole?.exchange);
};

/** Other clients may remove as many animals as the run adds, but hardly this many at once. */
const muchMore = 5;

function hasGrown(history: History, earlier: ListedPage, later: ListedPage): boolean {
  const before = createdBefore(history, earlier.exchange).length;
  const after = settledBefore(history, later.exchange).length;
  const isNew = ({ exchange }: CreatedPet): boolean => happenedBefore(earlier.exchange, exchange);
  return (
    happenedBefore(earlier.exchange, later.exchange) &&
    after - before >= muchMore &&
    history.created.some((pet) => isNew(pet) && isNoOldCopy(history, later, pet))
  );
}

/** The animals of a shorter page may all match by chance. */
const fewestMatches = 3;

export const shortPages: Observe<'short-pages'> = (history) => {
  const longest = longestPage(history);
  const filtered = listedPages(history).flatMap((view) => {
    const status = petStatuses.find((one) => one === view.status);
    return status === undefined || view.most > longest ? [] : [{ view, status }];
  });
  const short = showsOldCopies(history)
    ? undefined
    : filtered.find(({ view, status }) => !isFull(view) && countMatching(history, view, status) >= view.most);
  if (short !== undefined) return observationOf('limit-before-filter', short.view.exchange);
  // The first animals of the catalogue cannot all have two different statuses.
  const full = filtered.filter(({ view }) => isFull(view) && view.most >= fewestMatches);
  const [first] = full;
  const other = full.find(({ status }) => status !== first?.status);
  return observationOf('filter-before-limit', other?.view.exchange);
};

/** How many animals with a status existed before a page and are still shown after it. */
function countMatching(history: History, { exchange }: ListedPage, status: PetStatus): number {
  const isThere = ([id, known]: [bigint, KnownPet]): boolean =>
    known.status === status &&
    isSettledBefore(history, exchange, id) &&
    (history.lastShown.get(id) ?? 0) >= exchange.sent;
  return [...history.known].filter(isThere).length;
}
