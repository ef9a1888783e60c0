/** §4.1 "List all animals": which animals a page lacks, and what proves that it had room for them. */

import type { PetStatus } from '../../../spec/operations.ts';
import { type Exchange, happenedBefore } from '../../http/exchange.ts';
import { isInt64, type JsonValue } from '../../http/json.ts';
import { memoize } from '../../http/memoize.ts';
import { isAllowed, pageSize, readListing } from '../../http/read-request.ts';
import { animalsOf } from '../../http/read-response.ts';
import type { Invariant } from '../../verdict/check.ts';
import { type Finding, fails, holds } from '../../verdict/finding.ts';
import {
  type CreatedPet,
  createdBefore,
  type History,
  idsOf,
  isAuthorized,
  isSameKey,
  mayBeGone,
  type Page,
  settledBefore,
} from '../../verdict/history.ts';
import { isSettled } from '../../verdict/settling.ts';

/** A page that an allowed query brought. */
export interface ListedPage {
  readonly page: Page;
  readonly exchange: Exchange;
  readonly status: PetStatus | 'any';
  /** The most animals that it may hold. */
  readonly most: number;
  readonly isDefault: boolean;
  readonly ids: ReadonlySet<bigint>;
}

/** The pages of a history, in the order in which they were asked for. */
export const listedPages = memoize(({ pages }: History): readonly ListedPage[] => {
  const inOrder = pages.toSorted((one, other) => one.exchange.sent - other.exchange.sent);
  return inOrder.flatMap((page) => {
    const { exchange } = page;
    const listing = readListing(exchange);
    const { limit, status } = listing;
    if (!isAllowed(listing) || status === 'invalid' || page.isCut) return [];
    const most = pageSize(listing);
    return [{ page, exchange, status, most, isDefault: limit === 'default', ids: new Set(idsOf(page)) }];
  });
});

export function isFull({ page, most }: ListedPage): boolean {
  return page.entries.length >= most;
}

/** By id, the statuses that animals were shown with: an animal that was shown with two may change again. */
const statusesOf = memoize((history: History): ReadonlyMap<bigint, ReadonlySet<JsonValue | undefined>> => {
  const statuses = new Map<bigint, Set<JsonValue | undefined>>();
  const note = (id: bigint, status: JsonValue | undefined): void => {
    statuses.set(id, (statuses.get(id) ?? new Set()).add(status));
  };
  // A 201 may repeat no more than what was sent.
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

/** The animals of the run that a page would show if it had room, and time to learn of them, and does not. */
export function missingAnimals(history: History, view: ListedPage): readonly CreatedPet[] {
  const { exchange, status, ids } = view;
  if (isFull(view)) return [];
  return createdBefore(history, exchange).filter((pet) => !ids.has(pet.id) && matches(history, pet, status));
}

/** Whether an animal of the run could not come or go while a page was made: it was there for long, or not at all. */
function isSteady(history: History, id: bigint, { exchange }: ListedPage): boolean {
  const pet = history.createdById.get(id);
  if (pet === undefined || !isSameKey(pet.exchange, exchange)) return false;
  return happenedBefore(exchange, pet.exchange) || isSettled(history.settings, pet.exchange, exchange);
}

/** The later pages of the same kind that were to hold no more than one, and hold all that it does and more. */
export function laterLongerPages(history: History, view: ListedPage): readonly ListedPage[] {
  return listedPages(history).filter(
    (other) =>
      other.status === view.status &&
      other.most <= view.most &&
      other.ids.size > view.ids.size &&
      isSameKey(other.exchange, view.exchange) &&
      happenedBefore(view.exchange, other.exchange) &&
      [...view.ids].every((id) => other.ids.has(id)),
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

/**
 * The whole catalogue with an animal, before and after a page by status that could have held all of it: wherever the
 * limit is applied, there was room.
 */
function wholeAround(
  history: History,
  { exchange, most }: ListedPage,
  { id }: CreatedPet,
): readonly ListedPage[] | undefined {
  const whole = wholeCatalogues(history).filter(
    (one) => one.ids.has(id) && one.ids.size < most && one.most >= most && isSameKey(one.exchange, exchange),
  );
  const before = whole.findLast((one) => happenedBefore(one.exchange, exchange));
  const after = whole.find((one) => happenedBefore(exchange, one.exchange));
  return before === undefined || after === undefined ? undefined : [before, after];
}

/** Whether nothing young may fill a page and be shown later: of a service that keeps its newest animals only. */
function isAllSettled(history: History, { exchange }: ListedPage): boolean {
  return createdBefore(history, exchange).length === settledBefore(history, exchange).length;
}

/** The pages that prove that another had room for an animal which it lacks; undefined where none do. */
export function proofOfRoom(history: History, view: ListedPage, pet: CreatedPet): readonly ListedPage[] | undefined {
  if (view.status !== 'any') return wholeAround(history, view, pet);
  if (view.page.entries.length === 0 && isAllSettled(history, view)) return [];
  const longer = laterLongerPages(history, view).find(({ ids }) =>
    [...ids].every((id) => view.ids.has(id) || isSteady(history, id, view)),
  );
  return longer === undefined ? undefined : [longer];
}

/** The animals that a page had room for, and that had time to appear in it. */
function judgeComplete(history: History, view: ListedPage): readonly Finding[] {
  const { exchange, page, most, ids } = view;
  const settled = new Set(settledBefore(history, exchange));
  const missing = missingAnimals(history, view).filter((pet) => settled.has(pet));
  for (const pet of missing) {
    const proof = proofOfRoom(history, view, pet);
    if (proof === undefined) continue;
    const message = `expected the animal ${pet.id} in a page with room for ${most}, received ${page.entries.length} animals, without ${missing.length} that the run created`;
    const evidence = [pet.exchange, exchange, ...proof.map((other) => other.exchange)];
    return [fails('list-complete', 'animal-missing', message, ...new Set(evidence))];
  }
  return createdBefore(history, exchange).some((pet) => ids.has(pet.id)) ? [holds('list-complete', exchange)] : [];
}

export const pagesAreComplete: Invariant = {
  kind: 'invariant',
  id: 'pages-are-complete',
  verifies: ['list-complete'],
  title: 'A page with room left holds every matching animal that the run created',
  // What a page without a limit lacks is a matter of the default.
  judge: (history) =>
    listedPages(history)
      .filter(({ isDefault }) => !isDefault)
      .flatMap((view) => judgeComplete(history, view)),
};
