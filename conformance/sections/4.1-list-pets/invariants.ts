/** §4.1 List all animals. */

import type { FailureCode } from '../../../spec/failure-codes.ts';
import { isError } from '../../http/documented.ts';
import { type Exchange, happenedBefore } from '../../http/exchange.ts';
import { isJsonObject, showJson } from '../../http/json.ts';
import { isAllowed, type Listing, pageSize, readListing } from '../../http/read-request.ts';
import { bodyOf, isJson, statusOf } from '../../http/read-response.ts';
import type { Invariant } from '../../verdict/check.ts';
import { type Finding, fails, holds } from '../../verdict/finding.ts';
import {
  countKnownBefore,
  createdBefore,
  type History,
  isAuthorized,
  isSameKey,
  type Page,
  settledBefore,
} from '../../verdict/history.ts';
import { type ListedPage, listedPages, pagesAreComplete } from './completeness.ts';

function listings(history: History): readonly Exchange[] {
  return history.answered.filter((exchange) => exchange.operation === 'listPets' && isAuthorized(exchange));
}

/** Judges status and kind of body; the animals in it are judged in §2. */
function judgeAnswer(exchange: Exchange): readonly Finding[] {
  const status = statusOf(exchange);
  const allowed = isAllowed(readListing(exchange));
  const answer = (code: FailureCode, message: string): readonly Finding[] => [
    fails('list-answer', code, message, exchange),
  ];
  if (status !== 200) {
    // A refused key is a matter of §5; what else refuses a listing that is not allowed is open.
    if (!allowed || status === 401) return [];
    return answer('unexpected-status', `expected 200, received ${status}`);
  }
  const body = bodyOf(exchange);
  if (body === undefined) {
    return isJson(exchange) ? [] : answer('not-json', 'expected an array of animals, received no JSON');
  }
  if (!Array.isArray(body)) return answer('not-an-array', `expected an array of animals, received ${showJson(body)}`);
  const stranger = body.find((entry) => !isJsonObject(entry));
  if (stranger !== undefined) {
    return answer('not-an-animal', `expected animals in the array, received ${showJson(stranger)}`);
  }
  return [holds('list-answer', exchange)];
}

const listingsAnswer: Invariant = {
  kind: 'invariant',
  id: 'listings-answer',
  verifies: ['list-answer'],
  title: 'An allowed listing answers 200 with an array of animals',
  judge: (history) => listings(history).flatMap(judgeAnswer),
};

/** How many animals a page holds, for a message. */
function countOf({ entries, isCut }: Page): string {
  return isCut ? `more than ${entries.length - 1}` : String(entries.length);
}

function judgeLimit(history: History, page: Page): readonly Finding[] {
  const { exchange, entries } = page;
  const listing = readListing(exchange);
  const most = pageSize(listing);
  const requirement = listing.limit === 'default' && isAllowed(listing) ? 'list-limit-default' : 'list-limit';
  if (entries.length > most) {
    const message = `expected at most ${most} animals, received ${countOf(page)}`;
    return [fails(requirement, 'too-many', message, exchange)];
  }
  // A page that could not have been longer proves nothing.
  const matching = listing.status === 'invalid' ? 0 : countKnownBefore(history, exchange, listing.status);
  return matching > most && entries.length === most ? [holds(requirement, exchange)] : [];
}

const pagesKeepTheLimit: Invariant = {
  kind: 'invariant',
  id: 'pages-keep-the-limit',
  verifies: ['list-limit', 'list-limit-default'],
  title: 'No page is longer than its limit',
  judge: (history) => history.pages.flatMap((page) => judgeLimit(history, page)),
};

function sideBySide(one: Exchange, other: Exchange): boolean {
  return !happenedBefore(one, other) && !happenedBefore(other, one);
}

/** Whether the catalogue stood still from one request to another, as far as the run has changed it. */
function stoodStill(history: History, from: ListedPage, until: ListedPage): boolean {
  return settledBefore(history, from.exchange).length === createdBefore(history, until.exchange).length;
}

/**
 * A listing without limit and one with limit 20 are the same question: at the same moment they get as many animals.
 * Other clients add and remove animals meanwhile, so the one without stands between two with the limit that agree.
 */
function judgeDefault(history: History): readonly Finding[] {
  const views = listedPages(history);
  return views.flatMap((view, at) => {
    if (!view.isDefault) return [];
    const isTwin = (one: ListedPage): boolean =>
      readListing(one.exchange).limit === 20 &&
      one.status === view.status &&
      isSameKey(one.exchange, view.exchange) &&
      !sideBySide(one.exchange, view.exchange);
    const [before, after] = [views.slice(0, at).findLast(isTwin), views.slice(at + 1).find(isTwin)];
    if (before === undefined || after === undefined || !stoodStill(history, before, after)) return [];
    const [expected, received] = [before.page.entries.length, view.page.entries.length];
    // Where a limit is applied before the filter, pages that are not full say little.
    const isTold = expected === after.page.entries.length && (view.status === 'any' || expected === 20);
    const evidence = [before, view, after].map(({ exchange }) => exchange);
    if (!isTold || (received === expected && expected < 20)) return [];
    if (received === expected) return [holds('list-limit-default', ...evidence)];
    const message = `expected as many animals as with limit=20 right before and after, ${expected}, received ${countOf(view.page)}`;
    return [fails('list-limit-default', 'default-differs', message, ...evidence)];
  });
}

const defaultIsTwenty: Invariant = {
  kind: 'invariant',
  id: 'default-is-twenty',
  verifies: ['list-limit-default'],
  title: 'Without limit a page is as long as with limit 20',
  judge: judgeDefault,
};

function judgeFilter(history: History, { exchange, entries }: Page): readonly Finding[] {
  const { limit, status, isOpen } = readListing(exchange);
  // What answers a limit that is not allowed is open, its filter included.
  if (isOpen || limit === 'invalid' || status === 'any' || status === 'invalid') return [];
  const stranger = entries.find((entry) => isJsonObject(entry) && entry['status'] !== status);
  if (isJsonObject(stranger)) {
    const message = `expected only animals that are ${status}, received one with status ${showJson(stranger['status'])}`;
    return [fails('list-status-filter', 'other-status', message, exchange)];
  }
  // A filter has shown itself where there was something to leave out.
  const others = countKnownBefore(history, exchange, 'any') - countKnownBefore(history, exchange, status);
  return others > 0 ? [holds('list-status-filter', exchange)] : [];
}

const filterLeavesOutOthers: Invariant = {
  kind: 'invariant',
  id: 'filter-leaves-out-others',
  verifies: ['list-status-filter'],
  title: 'A listing by status holds only animals of that status',
  judge: (history) => history.pages.flatMap((page) => judgeFilter(history, page)),
};

function judgeRefusal(exchange: Exchange): readonly Finding[] {
  const listing: Listing = readListing(exchange);
  if (listing.isOpen || isAllowed(listing) || exchange.credential.kind === 'lenient') return [];
  // Where both are wrong a refusal does not say which of them it refuses.
  if (listing.limit === 'invalid' && listing.status === 'invalid') return [];
  const requirement = listing.limit === 'invalid' ? 'list-limit-refused' : 'list-status-refused';
  const what = listing.limit === 'invalid' ? 'limit' : 'status filter';
  const status = statusOf(exchange) ?? 0;
  if (status < 400 || status >= 500) {
    const message = `expected a refusal of the ${what}, received ${status}`;
    return status >= 500 ? [] : [fails(requirement, 'not-refused', message, exchange)];
  }
  if (isError(exchange)) return [holds(requirement, exchange)];
  const message = `expected an Error with the ${status}, received ${showJson(bodyOf(exchange))}`;
  return [fails(requirement, 'refusal-without-error', message, exchange)];
}

const strangeParametersAreRefused: Invariant = {
  kind: 'invariant',
  id: 'strange-parameters-are-refused',
  verifies: ['list-limit-refused', 'list-status-refused'],
  title: 'A limit or status that is not allowed is refused with an Error',
  judge: (history) => listings(history).flatMap(judgeRefusal),
};

export const listPetsInvariants: readonly Invariant[] = [
  listingsAnswer,
  pagesKeepTheLimit,
  defaultIsTwenty,
  filterLeavesOutOthers,
  pagesAreComplete,
  strangeParametersAreRefused,
];
