/** Finds the animals that seem to be missing in a run so far, by the latest answers to the same requests. */

import type { PetStatus } from '../../../spec/operations.ts';
import { type Exchange, happenedBefore } from '../../http/exchange.ts';
import { readPetId } from '../../http/read-request.ts';
import { statusOf } from '../../http/read-response.ts';
import { isFailing } from '../../verdict/finding.ts';
import { countLastingBefore, type History, isSettledBefore, settledBefore } from '../../verdict/history.ts';
import { isSettled } from '../../verdict/settings.ts';
import { reads } from '../4.3-get-pet/reads.ts';
import { isVarying, missingAnimals, pagesAreComplete, unfilteredOf, wholeCatalogues } from './completeness.ts';
import { roundsOf } from './default-limit.ts';
import { isFull, type ListedPage, listedPages, pagesOfQuery } from './listed-pages.ts';

export interface Suspicion {
  /** Known animals that a read did not find. */
  readonly ids: readonly bigint[];
  /** Pages that lack animals of the run, one for each query. */
  readonly pages: readonly ListedPage[];
  /** Filters with which a page without a limit was shorter than it could be. */
  readonly defaults: readonly (PetStatus | 'any')[];
}

/** The lengths at which pages stay although there are more animals: the service caps them or keeps no more. */
export type Caps = ReadonlySet<number>;

/** How many animals, and how many queries, one look asks for again. */
const [mostReads, mostQueries] = [2, 2];

/** The known animals that reads since an exchange did not find. */
function unfound(history: History, after: number): readonly bigint[] {
  const missed = reads(history).filter((exchange) => exchange.number > after && statusOf(exchange) === 404);
  const ids = missed.flatMap((exchange) => {
    const id = readPetId(exchange);
    const known = typeof id === 'bigint' ? history.known.get(id) : undefined;
    return known !== undefined && typeof id === 'bigint' && known.since < exchange.sent ? [{ id, exchange }] : [];
  });
  // A read right after the creation counts only where no later one finds the animal.
  const isFoundLater = (id: bigint, miss: Exchange): boolean =>
    reads(history).some((later) => happenedBefore(miss, later) && statusOf(later) === 200 && readPetId(later) === id);
  const open = ids.filter(({ id, exchange }) => isSettledBefore(history, exchange, id) || !isFoundLater(id, exchange));
  return [...new Set(open.map(({ id }) => id))];
}

export function missedLate(history: History, { ids }: Suspicion): readonly bigint[] {
  const isLate = (exchange: Exchange, id: bigint): boolean =>
    statusOf(exchange) === 404 && readPetId(exchange) === id && isSettledBefore(history, exchange, id);
  return ids.filter((id) => reads(history).some((exchange) => isLate(exchange, id)));
}

/** The pages with a limit since an exchange that lack animals, as far as the answer to the same query is still open. */
function incomplete(history: History, after: number, caps: Caps): readonly ListedPage[] {
  const views = listedPages(history);
  const lacking = views.filter((view, at) => {
    if (view.exchange.number <= after || view.isDefault || caps.has(view.page.entries.length)) return false;
    if (pagesOfQuery(history, view).at(-1) !== view) return false;
    const missing = missingAnimals(history, view);
    const settled = new Set(settledBefore(history, view.exchange));
    const later = views.slice(at + 1).filter(({ status }) => status === view.status);
    return missing.some((pet) => settled.has(pet) || !later.some(({ ids }) => ids.has(pet.id)));
  });
  // A page by status proves nothing where the whole catalogue does not fit into its limit, or lacks the animals as well.
  const isProvable = (view: ListedPage): boolean => {
    if (view.status === 'any') return true;
    const lacks = new Set(missingAnimals(history, view).map(({ id }) => id));
    if (unfilteredOf(history, view).some(({ ids }) => [...ids].some((id) => lacks.has(id)))) return true;
    const unfiltered = views.findLast(({ status, most }) => status === 'any' && most >= view.most);
    const mayBeShown = missingAnimals(history, view).some(
      ({ id, exchange }) =>
        unfiltered === undefined || unfiltered.ids.has(id) || !happenedBefore(exchange, unfiltered.exchange),
    );
    const whole = wholeCatalogues(history).at(-1);
    return mayBeShown && whole !== undefined && whole.ids.size < view.most;
  };
  const isFiltered = ({ status }: ListedPage): number => (status === 'any' ? 0 : 1);
  return lacking
    .filter(isProvable)
    .toSorted((one, other) => isFiltered(one) - isFiltered(other) || one.ids.size - other.ids.size);
}

/** The filters whose latest page without a limit is short, or differs from those with limit 20 around it. */
function shortDefaults(history: History, after: number, caps: Caps): Suspicion['defaults'] {
  const rounds = roundsOf(history);
  const latest = listedPages(history).filter(
    (view) => view.isDefault && view.exchange.number > after && pagesOfQuery(history, view).at(-1) === view,
  );
  const short = latest.filter((view) => {
    const length = view.page.entries.length;
    const round = rounds.find((one) => one.view === view);
    if (round !== undefined) return length !== round.expected;
    if (view.status !== 'any' || isFull(view) || caps.has(length)) return false;
    return countLastingBefore(history, view.exchange, 'any') > view.ids.size;
  });
  return [...new Set(short.map(({ status }) => status))];
}

export function isFailingAlready(history: History): boolean {
  return [...pagesAreComplete.judge(history)].some(isFailing);
}

/** The suspicions that the answers since an exchange leave open. Pages of varying length prove nothing, so they are none. */
export function suspicionIn(history: History, after: number, caps: Caps): Suspicion {
  const ids = unfound(history, after).slice(0, mostReads);
  if (isVarying(history)) return { ids, pages: [], defaults: [] };
  const pages = incomplete(history, after, caps).slice(0, mostQueries);
  return {
    ids,
    // To judge every page takes longer than to find that none is suspicious.
    pages: pages.length > 0 && isFailingAlready(history) ? [] : pages,
    defaults: shortDefaults(history, after, caps).slice(0, 1),
  };
}

/** Whether pages have shown an animal of the run sooner than it had to appear: then a short page is no late one. */
export function isListedPromptly(history: History): boolean {
  return listedPages(history).some(({ ids, exchange }) =>
    [...ids].some((id) => {
      const creation = history.createdById.get(id)?.exchange;
      return creation !== undefined && !isSettled(history.settings, creation, exchange);
    }),
  );
}
