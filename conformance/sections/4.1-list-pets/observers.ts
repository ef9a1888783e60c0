/** Observes listings (§4.1): the answers to queries that are not allowed, the order of animals, and later pages. */

import type { AnswerId } from '../../../spec/gaps.ts';
import { isAllowedLimit, petStatuses } from '../../../spec/operations.ts';
import { type Exchange, happenedBefore } from '../../http/exchange.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../http/json.ts';
import { isAllowed, isPetStatus, pageSize, queryOf, readListing } from '../../http/read-request.ts';
import { pageOf } from '../../http/read-response.ts';
import { countKnownBefore, type History, isAuthorized, type Page } from '../../verdict/history.ts';
import { longestPage } from '../../world/pages.ts';
import { collectAnswers, type Observe, observationOf, refusalAnswer } from '../observation.ts';

const defaultLimit = 20;

function listingsWith(history: History, matches: (query: URLSearchParams) => boolean): readonly Exchange[] {
  return history.answered.filter(
    (exchange) =>
      exchange.operation === 'listPets' &&
      exchange.credential.kind !== 'lenient' &&
      isAuthorized(exchange) &&
      matches(queryOf(exchange)),
  );
}

const isAllowedStatus = (status: string | null): boolean => status === null || isPetStatus(status);
const isKnownParameter = (name: string): boolean => name === 'limit' || name === 'status';

/** Whether a query has no parameter twice and none that is unknown. */
function hasNoMore(query: URLSearchParams): boolean {
  return query.size === new Set(query.keys()).size && [...query.keys()].every(isKnownParameter);
}

/** Whether the limit is the only part of a query that is not allowed. */
function hasLimit(query: URLSearchParams, matches: (limit: string) => boolean): boolean {
  const limit = query.get('limit');
  return limit !== null && matches(limit) && hasNoMore(query) && isAllowedStatus(query.get('status'));
}

/** The page of a query without a filter, so that only its limit can make the page short. */
function readPage(exchange: Exchange): readonly JsonValue[] | undefined {
  return queryOf(exchange).has('status') ? undefined : pageOf(exchange);
}

export const limitOutOfRange: Observe<'limit-out-of-range'> = (history) => {
  const longest = longestPage(history);
  // A limit beyond 32 bits may be read as no integer.
  const isOutside = (limit: string): boolean => /^-?(0|[1-9]\d{0,8})$/.test(limit) && !isAllowedLimit(limit);
  return collectAnswers(
    listingsWith(history, (query) => hasLimit(query, isOutside)),
    (exchange) => {
      const refusal = refusalAnswer(exchange, 400, 404, 422);
      const length = readPage(exchange)?.length;
      if (refusal !== undefined || length === undefined) return refusal;
      if (length === 0) return longest > 0 ? 'empty-page' : undefined;
      const isBelow = Number(queryOf(exchange).get('limit')) < 1;
      if (isBelow && length === 1) return longest > 1 ? 'clamped' : undefined;
      if (length > defaultLimit) return isBelow ? 'largest-page' : 'clamped';
      return length === defaultLimit && longest > defaultLimit ? 'ignored' : undefined;
    },
  );
};

export const limitNotInteger: Observe<'limit-not-integer'> = (history) => {
  const longest = longestPage(history);
  // Some services read text that holds a digit as a number.
  const isText = (limit: string): boolean => /^[a-z]+$/i.test(limit);
  return collectAnswers(
    listingsWith(history, (query) => hasLimit(query, isText)),
    (exchange) => {
      const refusal = refusalAnswer(exchange, 400, 404, 422);
      const length = readPage(exchange)?.length;
      if (refusal !== undefined || length === undefined) return refusal;
      if (length === 0) return longest > 0 ? 'empty-page' : undefined;
      if (length > defaultLimit) return 'largest-page';
      return length === defaultLimit && longest > defaultLimit ? 'ignored' : undefined;
    },
  );
};

/** Whether a text is no status in any letter case, with or without spaces around it. */
function isUnknownStatus(status: string | null): boolean {
  return status !== null && /^[A-Za-z]+$/.test(status) && !isPetStatus(status.toLowerCase());
}

/** Whether the plain listings right before and after an exchange show animals, so that an empty page is an answer. */
function isBetweenAnimals(history: History, exchange: Exchange): boolean {
  const plain = history.pages.filter((page) => {
    const query = queryOf(page.exchange);
    return !query.has('status') && hasNoMore(query) && isAllowedLimit(query.get('limit'));
  });
  const before = plain.findLast((page) => happenedBefore(page.exchange, exchange));
  const after = plain.find((page) => happenedBefore(exchange, page.exchange));
  const around = [before, after].filter((page) => page !== undefined);
  return around.length > 0 && around.every(({ entries }) => entries.length > 0);
}

/** Whether the service ignored a parameter that matches no animal, or answered it with an empty page. */
function readMatches(history: History, exchange: Exchange): 'ignored' | 'empty-page' | undefined {
  const length = pageOf(exchange)?.length;
  if (length === undefined || length > 0) return length === undefined ? undefined : 'ignored';
  return isBetweenAnimals(history, exchange) ? 'empty-page' : undefined;
}

export const statusFilterUnknown: Observe<'status-filter-unknown'> = (history) => {
  const asked = listingsWith(
    history,
    (query) => isUnknownStatus(query.get('status')) && hasNoMore(query) && isAllowedLimit(query.get('limit')),
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
      !query.has('status') &&
      query.size === new Set(query.keys()).size &&
      isAllowedLimit(query.get('limit')),
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

const isRising = (places: readonly number[]): boolean =>
  places.every((place, at) => at === 0 || place > places[at - 1]!);

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
  const values = animalsOn(page)
    .map((animal) => animal[field])
    .filter((value) => typeof value === 'bigint' || typeof value === 'string');
  return values.every((value, at) => at === 0 || value >= values[at - 1]!);
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
  if (example === undefined || pairs.length < fewestPairs) return undefined;
  const answer = (): AnswerId<'list-order'> | undefined => {
    if (!pairs.includes('falling')) return 'oldest-first';
    if (!pairs.includes('rising')) return 'newest-first';
    if (pages.every((page) => isSortedBy(page, 'id'))) return 'by-id';
    if (pages.every((page) => isSortedBy(page, 'name'))) return 'by-name';
    // Pages in a random order that share few animals may agree by chance.
    return common.filter(({ length }) => length >= fewestCommon).length < fewestAlike ? undefined : 'another';
  };
  const id = answer();
  return id === undefined ? undefined : observationOf(id, example.exchange);
};

/** Whether a page is full and the catalogue holds more animals that match. */
function hasLaterPage(history: History, { exchange, entries }: Page): boolean {
  const listing = readListing(exchange);
  if (!isAllowed(listing) || entries.length < pageSize(listing)) return false;
  const isFilter = petStatuses.find((status) => status === listing.status) ?? 'any';
  return countKnownBefore(history, exchange, isFilter) > entries.length;
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
