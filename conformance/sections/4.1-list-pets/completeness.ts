/** §4.1 "List all animals": judges whether a page lacks an animal of the run that it had room for. */

import { type Exchange, happenedBefore } from '../../http/exchange.ts';
import { isInt64, isJsonObject, type JsonValue } from '../../http/json.ts';
import { memoize } from '../../http/memoize.ts';
import { readPetId } from '../../http/read-request.ts';
import { animalsOf, pointerTo } from '../../http/read-response.ts';
import { secondMs } from '../../http/tolerances.ts';
import type { Invariant } from '../../verdict/check.ts';
import { counted } from '../../verdict/counts.ts';
import { betweenResets } from '../../verdict/emptied.ts';
import { type Finding, fails, holds } from '../../verdict/finding.ts';
import {
  type CreatedPet,
  createdBefore,
  type History,
  idsOf,
  isAuthorized,
  isCreatedAfter,
  isSameKey,
  mayBeGone,
  settledBefore,
} from '../../verdict/history.ts';
import { isSettled } from '../../verdict/settings.ts';
import { roundingHint } from '../2-resources/differing-texts.ts';
import { createdByName } from '../4.2-create-pet/created-by-name.ts';
import { mayBeExpired } from '../4.3-get-pet/expired.ts';
import { lastShownFresh, longestPage, mayBeEvicted } from '../4.3-get-pet/reads.ts';
import { areConfirmed } from './freshness.ts';
import { hasRoomFor, isFull, type ListedPage, listedPages, pagesByQuery, pagesOfQuery } from './listed-pages.ts';

/** By id, the statuses that animals were shown with: an animal that was shown with two may change again. */
const statusesOf = memoize((history: History): ReadonlyMap<bigint, ReadonlySet<JsonValue | undefined>> => {
  const statuses = new Map<bigint, Set<JsonValue | undefined>>();
  const note = (id: bigint, status: JsonValue | undefined): void => {
    statuses.set(id, (statuses.get(id) ?? new Set()).add(status));
  };
  // A 201 may merely echo what was sent.
  for (const { id, sent, returned } of history.created) {
    if (sent?.status !== undefined || returned['status'] !== undefined) note(id, returned['status']);
  }
  for (const exchange of history.answered) {
    if (exchange.operation === 'createPet' || !isAuthorized(exchange)) continue;
    for (const { id, status } of animalsOf(exchange)) if (isInt64(id)) note(id, status);
  }
  return statuses;
});

function matches(history: History, { id }: CreatedPet, status: ListedPage['status']): boolean {
  const shown = statusesOf(history).get(id);
  return status === 'any' || (shown?.size === 1 && shown.has(status));
}

/** The animals of the run that match the query of a page and are not in it, although it is not full. */
export function missingAnimals(history: History, view: ListedPage): readonly CreatedPet[] {
  const { exchange, status, ids, page } = view;
  if (isFull(view)) return [];
  // An animal that is shown under another id is not missing; `judgeIds` reports it.
  const isShown = (pet: CreatedPet): boolean =>
    page.entries.some((entry) => isJsonObject(entry) && createdByName(history).get(entry['name'] ?? null) === pet);
  return createdBefore(history, exchange).filter(
    (pet) => !ids.has(pet.id) && matches(history, pet, status) && !isShown(pet),
  );
}

/** The later pages of the same filter and no larger limit that hold all that a page does and more. */
export function laterLongerPages(history: History, view: ListedPage): readonly ListedPage[] {
  return listedPages(history).filter(
    (other) =>
      other.status === view.status &&
      other.most <= view.most &&
      other.ids.size > view.ids.size &&
      isSameKey(other.exchange, view.exchange) &&
      happenedBefore(view.exchange, other.exchange) &&
      view.ids.isSubsetOf(other.ids),
  );
}

/** Whether a page shows the whole catalogue, as far as the run knows it. */
function isWhole(history: History, view: ListedPage): boolean {
  const { exchange, status, ids } = view;
  if (status !== 'any' || isFull(view)) return false;
  if (settledBefore(history, exchange).some((pet) => !ids.has(pet.id))) return false;
  return [...history.known].every(
    ([id, { since }]) =>
      since > exchange.sent || ids.has(id) || history.createdById.has(id) || mayBeGone(history, exchange, id),
  );
}

export const wholeCatalogues = memoize((history: History): readonly ListedPage[] =>
  listedPages(history).filter((view) => isWhole(history, view)),
);

/** Pages of fewer animals may show the same ones by chance, in a service that lists in random order. */
export const fewestInOrder = 5;

/**
 * The unfiltered pages with the limit of an empty page by status, if all of them show the same animals: where a service
 * applies the limit before the filter, the page had room for those.
 */
export function unfilteredOf(history: History, { exchange, ids, most }: ListedPage): readonly ListedPage[] {
  if (ids.size > 0 || most < fewestInOrder) return [];
  const pages = listedPages(history).filter(
    (one) => one.status === 'any' && one.most === most && !one.isDefault && isSameKey(one.exchange, exchange),
  );
  return pages.every((one) => pages.every((other) => one.ids.isSubsetOf(other.ids))) ? pages : [];
}

/**
 * The whole catalogue with an animal, before and after a page by status that could have held all of it. A service may
 * apply the limit before the filter, so the page had room only where all animals fit into its limit, or for the animals of
 * the unfiltered page.
 */
function wholeAround(history: History, view: ListedPage, { id }: CreatedPet): readonly ListedPage[] | undefined {
  const { exchange, most } = view;
  const catalogues = wholeCatalogues(history).filter(
    (one) => one.ids.size < most && one.most >= most && isSameKey(one.exchange, exchange),
  );
  const whole = [...catalogues, ...unfilteredOf(history, view)].filter((one) => one.ids.has(id));
  const before = whole.findLast((one) => happenedBefore(one.exchange, exchange));
  const after = whole.find((one) => happenedBefore(exchange, one.exchange));
  return before === undefined || after === undefined ? undefined : [before, after];
}

/**
 * Whether the target was seen to make pages of varying length, or to answer from copies of different age: a page that is
 * not full lacks an animal of the run that pages of the same query show before and after it.
 */
export const isVarying = memoize((history: History): boolean =>
  [...pagesByQuery(history).values()].some((pages) => {
    // Reading every animal takes long, and most queries have no three pages of which one may lack an animal.
    if (pages.length < 3 || pages.every(isFull)) return false;
    const lastShown = new Map<bigint, number>();
    for (const [at, { ids, exchange }] of pages.entries()) {
      for (const id of ids) {
        const before = lastShown.get(id);
        if (before !== undefined && before < at - 1 && history.createdById.has(id)) {
          const between = pages.slice(before + 1, at);
          const isBetween = (page: ListedPage): boolean =>
            happenedBefore(pages[before]!.exchange, page.exchange) && happenedBefore(page.exchange, exchange);
          if (between.some((page) => !isFull(page) && isBetween(page))) return true;
        }
        lastShown.set(id, at);
      }
    }
    return false;
  }),
);

/** Whether an unfiltered page lacked an animal after the settle time which a later page of the same query shows. */
export const showsOldCopies = memoize((history: History): boolean =>
  [...pagesByQuery(history).values()].some((pages) =>
    pages.some((page, at) => {
      if (page.status !== 'any') return false;
      const later = pages.slice(at + 1);
      const settled = new Set(settledBefore(history, page.exchange));
      const missing = missingAnimals(history, page).filter((pet) => settled.has(pet));
      return missing.some(({ id }) => later.some(({ ids }) => ids.has(id)));
    }),
  ),
);

/** So many equal pages of one query rule out pages of varying length. */
export const fewestEqualPages = 3;

/** The pages of the same query with the same animals, of which all are old enough to show another animal. */
export function equalPages(history: History, view: ListedPage, pet: CreatedPet): readonly ListedPage[] {
  return pagesOfQuery(history, view).filter(
    (one) =>
      one.ids.size === view.ids.size &&
      isSettled(history.settings, pet.exchange, one.exchange) &&
      one.ids.isSubsetOf(view.ids),
  );
}

/**
 * A later page of the same query that proves that a page had room: it holds all that the page does, and besides only
 * animals that the run has created since, or that the page lacked as well.
 */
function grownPage(history: History, view: ListedPage, lacking: ReadonlySet<bigint>): ListedPage | undefined {
  return pagesOfQuery(history, view).find((other) => {
    if (other.ids.size <= view.ids.size || !happenedBefore(view.exchange, other.exchange)) return false;
    const more = [...other.ids.difference(view.ids)];
    const isExplained = (id: bigint): boolean => lacking.has(id) || isCreatedAfter(history, view.exchange, id);
    return view.ids.isSubsetOf(other.ids) && more.every(isExplained);
  });
}

/**
 * Whether a service that keeps its newest animals only, and lists them late, may have replaced an animal before it listed
 * it: no answer shows it any more, while pages have shown others of the run.
 */
function mayBeReplaced(history: History, { exchange }: ListedPage, pet: CreatedPet): boolean {
  const { lastListed, created } = history;
  return (lastShownFresh(history).get(pet.id) ?? 0) < exchange.sent && created.some(({ id }) => lastListed.has(id));
}

/** The proof that a page lacks an animal for which it had room. */
interface Proof {
  readonly exchanges: readonly Exchange[];
  /** Set where only the time since the creation rules out an old copy. */
  readonly isByTime: boolean;
}

/** Undefined where the page may be short, cut or an old copy. */
function proofOf(
  history: History,
  view: ListedPage,
  pet: CreatedPet,
  missing: readonly CreatedPet[],
): Proof | undefined {
  if (pagesOfQuery(history, view).length < fewestEqualPages || isVarying(history)) return undefined;
  // Animals that are too young to be listed may be all that a service keeps, since it keeps the newest only.
  const young = createdBefore(history, view.exchange).length - settledBefore(history, view.exchange).length;
  if (young >= Math.max(1, longestPage(history))) return undefined;
  const equal = equalPages(history, view, pet);
  if (equal.length < fewestEqualPages || mayBeExpired(history, pet, view.exchange)) return undefined;
  // The whole catalogue around a page by status is longer than that page could be.
  if (view.status === 'any' && !hasRoomFor(history, view, missing)) return undefined;
  const around = view.status === 'any' ? [] : wholeAround(history, view, pet);
  if (around === undefined) return undefined;
  const lasting = areConfirmed(
    history,
    equal.map(({ exchange }) => exchange),
    pet.exchange.endedAt,
  );
  const lacking = new Set(lasting ? missing.map(({ id }) => id) : []);
  const later = grownPage(history, view, lacking);
  const grown = later !== undefined && mayBeEvicted(history, pet.id, later.exchange) ? undefined : later;
  const isEmpty =
    view.ids.size === 0 && view.page.entries.length === 0 && young === 0 && !mayBeReplaced(history, view, pet);
  // A grown page without the animal shows younger ones, so it is no older copy.
  const isFresh = grown !== undefined && !grown.ids.has(pet.id);
  if ((grown === undefined && !isEmpty) || !(isFresh || lasting)) return undefined;
  const shown = isFresh ? equal.slice(-fewestEqualPages) : [...equal.slice(0, 1), ...equal.slice(1 - fewestEqualPages)];
  const pages = [...new Set([...shown, view]), ...around, ...(grown === undefined ? [] : [grown])];
  const ids = new Set(grown === undefined ? [] : grown.ids);
  const added = history.created.filter(({ id, exchange }) => ids.has(id) && happenedBefore(view.exchange, exchange));
  const exchanges = [pet.exchange, ...pages.map(({ exchange }) => exchange), ...added.map(({ exchange }) => exchange)];
  const inOrder = [...new Set(exchanges)].toSorted((one, other) => one.number - other.number);
  return { exchanges: inOrder, isByTime: !isFresh };
}

/** Whether getPet shows an animal of the run never under the id of its 201: then the ids in the 201s are the wrong ones. */
const areWrongIn201s = memoize((history: History): boolean =>
  [...Map.groupBy(history.created, ({ id }) => id)].some(([id, [pet, ...others]]) => {
    const asked = history.answered.filter((exchange) => isAuthorized(exchange) && readPetId(exchange) === id);
    const isShown = asked.some((exchange) => animalsOf(exchange).some(({ name }) => name === pet?.sent?.name));
    // §2 reports an id that was assigned twice.
    return asked.length > 0 && !isShown && others.length === 0;
  }),
);

/** Judges the ids of the animals in a page that the run has created: each has the id of its 201, and none that of another. */
function judgeIds(history: History, { exchange, page }: ListedPage): readonly Finding[] {
  const entries = page.entries.filter(isJsonObject);
  for (const entry of entries) {
    const { id, name } = entry;
    const pet = createdByName(history).get(name ?? null);
    if (pet === undefined || !isInt64(id) || id === pet.id || !happenedBefore(pet.exchange, exchange)) continue;
    // §2 reports an animal that is listed under its own id and lends its name to another.
    if (entries.some((other) => other['id'] === pet.id && other['name'] === name)) continue;
    const hint = roundingHint(pet.id, id);
    if (areWrongIn201s(history)) {
      const facts = {
        expected: `the id of the animal in its 201, as in pages: ${id}`,
        received: `${pet.id}, and getPet finds others or none under such ids${hint}`,
      };
      return [fails('create-answer', 'id-differs', facts, pet.exchange, exchange)];
    }
    const facts = {
      expected: `the animal ${pet.id} in pages under the id of its 201`,
      received: `its name with the id ${id}${hint}`,
      pointer: pointerTo(exchange, entry, 'id'),
    };
    return [fails('list-complete', 'id-differs', facts, pet.exchange, exchange)];
  }
  return [];
}

/** Says that an unfiltered page looks filtered: none of its animals has a status of those that are missing. */
function filterHint(history: History, { status, page }: ListedPage, missing: readonly CreatedPet[]): string {
  const shown = new Set(page.entries.flatMap((entry) => (isJsonObject(entry) ? [entry['status']] : [])));
  const lacking = missing.map(({ id }) => statusesOf(history).get(id));
  const isFiltered = lacking.every((statuses) => statuses?.size === 1 && ![...statuses].some((one) => shown.has(one)));
  return status === 'any' && shown.size > 0 && isFiltered ? ', as if it were filtered by status' : '';
}

/**
 * Whether time alone brought an animal into a later page of the same query: the interface does not say how soon it must be
 * listed. A creation in between excuses nothing, since a page that always lacks the newest animal shows it then.
 */
function isListedLater(history: History, view: ListedPage, { id }: CreatedPet): boolean {
  const isBetween = ({ exchange }: CreatedPet, page: ListedPage): boolean =>
    happenedBefore(view.exchange, exchange) && !happenedBefore(page.exchange, exchange);
  return pagesOfQuery(history, view).some(
    (one) =>
      one.ids.has(id) &&
      happenedBefore(view.exchange, one.exchange) &&
      !history.created.some((pet) => isBetween(pet, one)),
  );
}

function keepsFilter({ status, page }: ListedPage): boolean {
  return status === 'any' || page.entries.every((entry) => !isJsonObject(entry) || entry['status'] === status);
}

/** The animals that a page had room for, and that had time to appear in it. */
function judgeComplete(history: History, view: ListedPage): readonly Finding[] {
  const { exchange, page, most, ids } = view;
  const differing = judgeIds(history, view);
  if (differing.length > 0) return differing;
  // §2 reports an id twice in a page, and `filter-leaves-out-others` another status: the entry may stand for what is missing.
  if (ids.size < idsOf(page).length || !keepsFilter(view)) return [];
  const settled = new Set(settledBefore(history, exchange));
  const missing = missingAnimals(history, view).filter((pet) => settled.has(pet) && !isListedLater(history, view, pet));
  for (const pet of missing) {
    const proof = proofOf(history, view, pet, missing);
    if (proof === undefined) continue;
    const seconds = Math.floor((exchange.startedAt - pet.exchange.endedAt) / secondMs);
    const hint = proof.isByTime ? `, ${seconds} s after its creation (--settle, if the target needs longer)` : '';
    const shown = page.entries.length === 0 ? 'an empty page' : `${counted(page.entries.length, 'animal')} without it`;
    const others = missing.length === 1 ? '' : `; ${missing.length} animals of the run are missing`;
    const received = `${shown}${others}${filterHint(history, view, missing)}${hint}`;
    const facts = {
      expected: `the animal ${pet.id} from GET ${exchange.request.target}, a page with room for ${most}`,
      received,
    };
    const failing = fails('list-complete', 'animal-missing', facts, ...proof.exchanges);
    return [proof.isByTime ? { ...failing, isConfirmed: true } : failing];
  }
  return createdBefore(history, exchange).some((pet) => ids.has(pet.id)) ? [holds('list-complete', exchange)] : [];
}

export const pagesAreComplete: Invariant = {
  id: 'pages-are-complete',
  verifies: ['list-complete', 'create-answer'],
  title: 'A page with room left holds every matching animal that the run created',
  // `default-is-twenty` judges pages without a limit.
  judge: betweenResets((history) =>
    listedPages(history).flatMap((view) => (view.isDefault ? judgeIds(history, view) : judgeComplete(history, view))),
  ),
};
