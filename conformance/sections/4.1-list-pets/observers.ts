/** Observes listings (§4.1): queries that are not allowed, the order and length of pages, and when new animals are shown. */

import type { AnswerId } from '../../../spec/gaps.ts';
import { isAllowedLimit } from '../../../spec/operations.ts';
import { type Exchange, happenedBefore } from '../../http/exchange.ts';
import { isJsonObject, type JsonObject } from '../../http/json.ts';
import { isAllowed, isPetStatus, pageSize, queryOf, readListing, readPetId } from '../../http/read-request.ts';
import { pageOf, statusOf } from '../../http/read-response.ts';
import { countKnownBefore, type History, isAuthorized, type Page } from '../../world/history.ts';
import {
  isFull,
  type ListedPage,
  latePages,
  listedPages,
  longestPage,
  missingAnimals,
  promptPages,
} from '../../world/pages.ts';
import { reads } from '../4.3-get-pet/reads.ts';
import { collectAnswers, type Observe, observationOf, refusalAnswer, withSize } from '../observation.ts';

const defaultLimit = 20;

const isAllowedStatus = (status: string | null): boolean => status === null || isPetStatus(status);
const isKnownParameter = (name: string): boolean => name === 'limit' || name === 'status';

/** Listings whose query matches. No parameter stands in it twice, and each parameter is known by `isKnown`. */
function listingsWith(
  history: History,
  matches: (query: URLSearchParams) => boolean,
  isKnown: (name: string) => boolean = isKnownParameter,
): readonly Exchange[] {
  return history.answered.filter((exchange) => {
    if (exchange.operation !== 'listPets' || exchange.credential.kind === 'lenient') return false;
    const query = queryOf(exchange);
    const names = [...query.keys()];
    return isAuthorized(exchange) && new Set(names).size === names.length && names.every(isKnown) && matches(query);
  });
}

/** How a limit that is not allowed was answered. Only in a query without a filter does the limit alone make a page short. */
function readLimit(history: History, exchange: Exchange) {
  const refusal = refusalAnswer(exchange, 400, 404, 422);
  const length = queryOf(exchange).has('status') ? undefined : pageOf(exchange)?.length;
  if (refusal !== undefined || length === undefined) return refusal;
  const longest = longestPage(history);
  if (length === 0) return longest > 0 ? 'empty-page' : undefined;
  if (length > defaultLimit) return 'largest-page';
  return length === defaultLimit && longest > defaultLimit ? 'ignored' : undefined;
}

const limitsThat =
  (matches: (limit: string) => boolean) =>
  (query: URLSearchParams): boolean =>
    matches(query.get('limit') ?? '') && isAllowedStatus(query.get('status'));

export const limitOutOfRange: Observe<'limit-out-of-range'> = (history) => {
  // A limit beyond 32 bits may be read as no integer.
  const isOutside = (limit: string): boolean => /^-?(0|[1-9]\d{0,8})$/.test(limit) && !isAllowedLimit(limit);
  return collectAnswers(listingsWith(history, limitsThat(isOutside)), (exchange) => {
    const isBelow = Number(queryOf(exchange).get('limit')) < 1;
    const isOne = isBelow && !queryOf(exchange).has('status') && pageOf(exchange)?.length === 1;
    if (isOne) return longestPage(history) > 1 ? 'clamped' : undefined;
    const answer = readLimit(history, exchange);
    return answer === 'largest-page' && !isBelow ? 'clamped' : answer;
  });
};

/** Some services read text that holds a digit as a number. */
export const limitNotInteger: Observe<'limit-not-integer'> = (history) =>
  collectAnswers(
    listingsWith(
      history,
      limitsThat((limit) => /^[a-z]+$/i.test(limit)),
    ),
    (exchange) => readLimit(history, exchange),
  );

/** Whether the plain listings right before and after an exchange show animals, so that an empty page is an answer. */
function isBetweenAnimals(history: History, exchange: Exchange): boolean {
  const plain = listedPages(history).filter(({ status }) => status === 'any');
  const before = plain.findLast((page) => happenedBefore(page.exchange, exchange));
  const after = plain.find((page) => happenedBefore(exchange, page.exchange));
  const around = [before, after].filter((view) => view !== undefined);
  return around.length > 0 && around.every(({ page }) => page.entries.length > 0);
}

/** Whether the service ignored a parameter that matches no animal, or answered it with an empty page. */
function readMatches(history: History, exchange: Exchange): 'ignored' | 'empty-page' | undefined {
  const length = pageOf(exchange)?.length;
  if (length === undefined || length > 0) return length === undefined ? undefined : 'ignored';
  return isBetweenAnimals(history, exchange) ? 'empty-page' : undefined;
}

export const statusFilterUnknown: Observe<'status-filter-unknown'> = (history) => {
  // No status in any letter case, with or without spaces around it.
  const isUnknown = (status: string): boolean => /^[A-Za-z]+$/.test(status) && !isPetStatus(status.toLowerCase());
  const asked = listingsWith(
    history,
    (query) => isUnknown(query.get('status') ?? '') && isAllowedLimit(query.get('limit')),
  );
  return collectAnswers(asked, (exchange) => refusalAnswer(exchange, 400, 404, 422) ?? readMatches(history, exchange));
};

export const unknownQueryParameters: Observe<'unknown-query-parameters'> = (history) => {
  const asked = listingsWith(
    history,
    (query) =>
      [...query.keys()].some((name) => !isKnownParameter(name)) &&
      // A gateway may refuse odd characters and long queries.
      /^[\w&=.-]{1,60}$/.test(query.toString()) &&
      isAllowedLimit(query.get('limit')),
    (name) => name !== 'status',
  );
  return collectAnswers(asked, (exchange) => refusalAnswer(exchange, 400, 422) ?? readMatches(history, exchange));
};

function animalsOn({ entries }: Page): readonly JsonObject[] {
  return entries.filter(isJsonObject);
}

/** The places on one page of the animals that another shows as well, in the order of the other. */
function commonPlaces(one: Page, other: Page): readonly number[] {
  const places = new Map(animalsOn(one).map(({ id }, at) => [id, at]));
  return animalsOn(other).flatMap(({ id }) => places.get(id) ?? []);
}

const isRising = (values: readonly (bigint | string | number)[]): boolean =>
  values.every((value, at) => at === 0 || value >= values[at - 1]!);

/** The direction of each pair of animals that the run created one after the other and that a page shows side by side. */
function pairsOn(history: History, page: Page): readonly ('rising' | 'falling')[] {
  const ours = animalsOn(page).flatMap(({ id }) => history.createdById.get(id as bigint) ?? []);
  return ours.slice(1).flatMap((pet, at): readonly ('rising' | 'falling')[] => {
    const before = ours[at]!;
    if (happenedBefore(before.exchange, pet.exchange)) return ['rising'];
    return happenedBefore(pet.exchange, before.exchange) ? ['falling'] : [];
  });
}

function isSortedBy(page: Page, field: 'id' | 'name'): boolean {
  const values = animalsOn(page).map((animal) => animal[field]);
  return isRising(values.filter((value) => typeof value === 'bigint' || typeof value === 'string'));
}

/** Two pairs often point the same way by chance, four rarely do. */
const fewestPairs = 4;
/** So many pages, each with so many animals in the same order as on the page before, do not agree by chance. */
const [fewestAlike, fewestCommon] = [2, 5];

export const listOrder: Observe<'list-order'> = (history) => {
  const pages = history.pages.filter(({ exchange }) => exchange.credential.kind !== 'lenient');
  const common = pages.map((page, at) => (at === 0 ? [] : commonPlaces(pages[at - 1]!, page)));
  const differing = pages.find((_page, at) => !isRising(common[at]!));
  if (differing !== undefined) return observationOf('shuffled', differing.exchange);
  const pairs = pages.flatMap((page) => pairsOn(history, page));
  const example = pages.toSorted((one, other) => other.entries.length - one.entries.length)[0];
  if (pairs.length < fewestPairs) return undefined;
  const answer = (): AnswerId<'list-order'> | undefined => {
    if (!pairs.includes('falling')) return 'oldest-first';
    if (!pairs.includes('rising')) return 'newest-first';
    if (pages.every((page) => isSortedBy(page, 'id'))) return 'by-id';
    if (pages.every((page) => isSortedBy(page, 'name'))) return 'by-name';
    // Pages in a random order that share few animals may agree by chance.
    return common.filter(({ length }) => length >= fewestCommon).length < fewestAlike ? undefined : 'another';
  };
  return observationOf(answer(), example?.exchange);
};

/** Whether a page is full and the catalogue holds more animals that match. */
function hasLaterPage(history: History, { exchange, entries }: Page): boolean {
  const listing = readListing(exchange);
  if (!isAllowed(listing) || listing.status === 'invalid' || entries.length < pageSize(listing)) return false;
  return countKnownBefore(history, exchange, listing.status) > entries.length;
}

export const laterPages: Observe<'later-pages'> = (history) =>
  collectAnswers(
    history.pages.filter((page) => hasLaterPage(history, page)).map(({ exchange }) => exchange),
    ({ response }) => {
      const { link = '', ...others } = response?.headers ?? {};
      if (/rel="?([a-z]+ )*next\b/i.test(link)) return 'link-header';
      return Object.keys(others).some((name) => /next|cursor|continuation/.test(name)) ? 'other-header' : 'none';
    },
  );

export const visibility: Observe<'visibility'> = (history) => {
  const own = reads(history).filter((read) => history.createdById.has(readPetId(read) as bigint));
  const missed = own.find((read) => {
    const isFoundLater = own.some(
      (later) => readPetId(later) === readPetId(read) && statusOf(later) === 200 && happenedBefore(read, later),
    );
    const isAfter = happenedBefore(history.createdById.get(readPetId(read) as bigint)!.exchange, read);
    return statusOf(read) === 404 && isAfter && isFoundLater;
  });
  const late = missed ?? latePages(history)[0]?.exchange;
  if (late !== undefined) return observationOf('later', late);
  return observationOf('at-once', own.find((read) => statusOf(read) === 200) ?? promptPages(history)[0]?.exchange);
};

/** A page with at least this limit shows whether the service caps pages below it. */
const longLimit = 50;
/** A catalogue of fewer animals may fit on a page that is capped; a fault hardly loses so many at once. */
const [manyAnimals, muchMore] = [20, 5];

export const pageCap: Observe<'page-cap'> = (history) => {
  const views = listedPages(history).filter(({ status, most }) => status === 'any' && most >= longLimit);
  const longest = longestPage(history);
  // Where new animals are shown at once and never later, only a cap leaves them out.
  const isPrompt = promptPages(history).length > 0 && latePages(history).length === 0;
  const capped = views.find(
    (view) => view.page.entries.length === longest && missingAnimals(history, view).length >= muchMore,
  );
  if (capped !== undefined && isPrompt) return withSize(observationOf('fewer', capped.exchange), longest);
  const whole = views.findLast((view) => view.ids.size >= manyAnimals && missingAnimals(history, view).length === 0);
  return observationOf('as-asked', views.find(isFull)?.exchange ?? whole?.exchange);
};

/** The animals of a shorter page may all match by chance. */
const fewestMatches = 3;

export const shortPages: Observe<'short-pages'> = (history) => {
  const longest = longestPage(history);
  // Another key may have animals of its own.
  const filtered = listedPages(history).filter(
    ({ status, most, exchange }) => status !== 'any' && most <= longest && exchange.credential.kind !== 'rate-limit',
  );
  const short =
    latePages(history).length > 0 ? undefined : filtered.find((view) => !isFull(view) && isTooShort(history, view));
  if (short !== undefined) return observationOf('limit-before-filter', short.exchange);
  // The first animals of the catalogue cannot all have two different statuses.
  const full = filtered.filter((view) => isFull(view) && view.most >= fewestMatches);
  const other = full.find(({ status }) => status !== full[0]?.status);
  return observationOf('filter-before-limit', other?.exchange);
};

/** Whether more animals match than the page shows, and they are still there after it. */
function isTooShort(history: History, { exchange, most, status }: ListedPage): boolean {
  const matching = [...history.known].filter(
    ([id, known]) =>
      known.status === status && known.since < exchange.sent && (history.lastShown.get(id) ?? 0) >= exchange.sent,
  );
  return matching.length >= most;
}
