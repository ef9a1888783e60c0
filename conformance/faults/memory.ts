/**
 * Faults of what a service remembers: a part of one request that takes effect in another one. The values of both requests
 * are ordinary, so that rows in a fixed order reveal them by chance at most: sequences whose values and order are drawn do.
 */

import { isPetStatus } from '../../reference-server/index.ts';
import { pageLimit } from '../../spec/operations.ts';
import { writeJson } from '../http/json.ts';
import { type Call, changes, errorAnswer, isListing, readCall, type Wrap, withBody } from '../services/wraps.ts';
import type { FaultTable } from './fault.ts';

const filterSent = ({ query }: Call): string | undefined => {
  const filter = query.get('status');
  return isPetStatus(filter) ? filter : undefined;
};
const limitSent = ({ query }: Call): number => Number(query.get('limit') ?? 0);
const isFilteredListing = (call: Call): boolean => isListing(call) && filterSent(call) !== undefined;
const isCreationCall = ({ operation }: Call): boolean => operation === 'createPet';

/** Changes a request by the one that the service had before it, among those that match. */
const changedBy =
  (matches: (call: Call) => boolean, change: (call: Call, before: Call) => Call['request'] | undefined): Wrap =>
  (handle, keys) => {
    let before: Call | undefined;
    return (request, now) => {
      const call = readCall(request, now, keys);
      if (!matches(call)) return handle(request, now);
      const changed = before === undefined ? undefined : change(call, before);
      before = call;
      return handle(changed ?? request, now);
    };
  };

/** Changes the query of a listing by that of the listing before. */
const queryChangedBy = (
  change: (call: Call, before: Call) => Readonly<Record<string, string | number>> | undefined,
): Wrap =>
  changedBy(
    (call) => isListing(call) && call.isAuthorized,
    (call, before) => {
      const changed = change(call, before);
      if (changed === undefined) return undefined;
      const query = new URLSearchParams(call.query);
      for (const [name, value] of Object.entries(changed)) query.set(name, String(value));
      return { ...call.request, target: `/v1/pets?${query}` };
    },
  );

const anyCall = (): boolean => true;
const hasOrder = ({ query }: Call, ...names: readonly string[]): boolean => [...query.keys()].join() === names.join();

/** Two parameters are bound by their place, and the statement of the listing before is used again. */
const filterBoundByPlace = queryChangedBy((call, before) => {
  const isExchanged = hasOrder(call, 'status', 'limit') && hasOrder(before, 'limit', 'status');
  const filter = filterSent(before);
  return isExchanged && filterSent(call) !== undefined && filter !== undefined ? { status: filter } : undefined;
});

const haveOneFilter = (call: Call, before: Call): boolean =>
  filterSent(call) !== undefined && filterSent(call) === filterSent(before);

/** The key keeps the limit that it gave with this filter last. */
const limitKept = queryChangedBy((call, before) => {
  const limit = limitSent(before);
  const isShown = limit > pageLimit.usual && limit <= pageLimit.most;
  return haveOneFilter(call, before) && isShown && !call.query.has('limit') ? { limit } : undefined;
});

/** A page is kept while its filter stays, and answers a smaller limit as well. */
const pageKept = queryChangedBy((call, before) => {
  const limit = limitSent(before);
  const isSmaller = limitSent(call) > 0 && limitSent(call) < limit && limit <= pageLimit.most;
  return haveOneFilter(call, before) && isSmaller ? { limit } : undefined;
});

/** The animal of a creation that is refused for its key stays in a variable that the next request shares. */
const fieldOfRefused = (field: 'status' | 'categoryId'): Wrap =>
  changedBy(anyCall, (call, before) => {
    const left = isCreationCall(before) && !before.isAuthorized ? before.pet[field] : undefined;
    const isTaken = isCreationCall(call) && call.isAuthorized && isPetStatus(call.pet['status']) && left !== undefined;
    const isLegal = typeof left === 'bigint' || isPetStatus(left);
    return isTaken && isLegal ? withBody(call.request, writeJson({ ...call.pet, [field]: left })) : undefined;
  });

/** The filter of a listing that is refused for its key is the status of the creation after it. */
const filterOfRefused: Wrap = changedBy(anyCall, (call, before) => {
  const filter = isListing(before) && !before.isAuthorized ? filterSent(before) : undefined;
  const isTaken = isCreationCall(call) && isPetStatus(call.pet['status']) && filter !== undefined;
  return isTaken ? withBody(call.request, writeJson({ ...call.pet, status: filter })) : undefined;
});

/** A connection keeps the refusal of a key for the next request of the same kind. */
const refusalKept: Wrap = (handle, keys) => {
  let isRefused = false;
  return (request, now) => {
    const call = readCall(request, now, keys);
    const isAnsweredLikeIt = isRefused && isFilteredListing(call) && call.isAuthorized;
    isRefused = isFilteredListing(call) && !call.isAuthorized;
    const answer = handle(request, now);
    return isAnsweredLikeIt ? errorAnswer(401, answer) : answer;
  };
};

/** A connection keeps the key of the request before it for the next one of the same kind. */
const keyKept = changedBy(anyCall, (call, before) => {
  const isWrong = call.authorization?.startsWith('Bearer ') === true && !call.isAuthorized;
  return isWrong && isFilteredListing(call) && isFilteredListing(before) && before.isAuthorized
    ? before.request
    : undefined;
});

/** The cursor of a page stays: the next one with this filter begins with the animal that ended it, and shows it again. */
const cursorKept: Wrap = (handle, keys) => {
  let before: Call | undefined;
  return changes.json(
    (page, call) => {
      const previous = before;
      before = call;
      if (previous === undefined || !haveOneFilter(call, previous) || !Array.isArray(page)) return undefined;
      const shown = limitSent(previous);
      const isContinued = shown > 0 && shown < limitSent(call) && shown < page.length;
      return isContinued ? [page[shown - 1]!, ...page.slice(0, -1)] : undefined;
    },
    (call, { status }) => isFilteredListing(call) && status === 200,
  )(handle, keys);
};

/** Few of the pairs that a run of three hundred requests draws have these limits and filters. */
const inLongRuns = (wrap: Wrap) => ({ wrap, within: 1_000 }) as const;

export const memoryFaults: FaultTable = {
  'list-status-filter': { 'filter-bound-by-its-place': inLongRuns(filterBoundByPlace) },
  'list-limit-default': { 'limit-kept-for-the-key': inLongRuns(limitKept) },
  'list-limit': { 'page-kept-for-smaller-limits': inLongRuns(pageKept) },
  'pet-id-unique': { 'cursor-kept-for-the-next-page': inLongRuns(cursorKept) },
  'pet-status-kept': {
    'status-of-the-refused-creation-before': fieldOfRefused('status'),
    'filter-of-the-refused-listing-before': filterOfRefused,
  },
  'pet-category-id-kept': { 'category-of-the-refused-creation-before': fieldOfRefused('categoryId') },
  'auth-valid-key': { 'refusal-kept-for-the-next-listing': refusalKept },
  'auth-invalid-key': { 'key-kept-for-the-next-listing': inLongRuns(keyKept) },
};
