/** §4.1 List all animals. */

import { petStatuses } from '../../spec/facts.ts';
import { type Check, type Finding, fails, holds, type Invariant, type Scenario } from '../engine/check.ts';
import { isError } from '../engine/documented.ts';
import type { Exchange } from '../engine/exchange.ts';
import {
  countKnownBefore,
  countLastingBefore,
  createdBefore,
  type History,
  isAuthorized,
  type Page,
  readHistory,
} from '../engine/history.ts';
import { isInt64, isJsonObject, showJson } from '../engine/json.ts';
import { isAllowed, type Listing, pageSize, readListing } from '../engine/read-request.ts';
import { bodyOf, isJson, statusOf } from '../engine/read-response.ts';
import type { Session } from '../engine/session.ts';
import { isRemoved } from './4.3-get-pet.ts';
import { getPet, knownIds, listPets } from './requests.ts';

function listings(history: History): readonly Exchange[] {
  return history.answered.filter((exchange) => exchange.operation === 'listPets' && isAuthorized(exchange));
}

/** Judges status and kind of body; the animals in it are judged in §2. */
function judgeAnswer(exchange: Exchange): readonly Finding[] {
  const status = statusOf(exchange);
  const allowed = isAllowed(readListing(exchange));
  const answer = (code: string, message: string): readonly Finding[] => [fails('list-answer', code, message, exchange)];
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

/**
 * A listing without limit and one with limit 20 are the same question: they get as many animals. Other clients add
 * and remove animals meanwhile, so a page that is shorter is wrong where it left out animals that were there all along.
 */
function judgeDefault(history: History): readonly Finding[] {
  const withTwenty = history.pages.filter(({ exchange }) => readListing(exchange).limit === 20);
  return history.pages.flatMap((page) => {
    const { limit, status, isOpen } = readListing(page.exchange);
    const other = withTwenty.findLast(({ exchange }) => readListing(exchange).status === status);
    if (limit !== 'default' || isOpen || status === 'invalid' || other === undefined) return [];
    const [shorter, longer] = page.entries.length < other.entries.length ? [page, other] : [other, page];
    const evidence = [page.exchange, other.exchange];
    if (shorter.entries.length === longer.entries.length) {
      const isFull = countKnownBefore(history, shorter.exchange, status) > 20;
      return isFull ? [holds('list-limit-default', ...evidence)] : [];
    }
    if (countLastingBefore(history, shorter.exchange, status) <= shorter.entries.length) return [];
    const message = `expected as many animals as with limit=20, ${countOf(other)}, received ${countOf(page)}`;
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

/** Whether a page that asks for more animals than it holds lacks one that was created before. */
function lacksCreated(history: History, { exchange, entries }: Page): boolean {
  const listing = readListing(exchange);
  if (!isAllowed(listing) || listing.limit === 'default' || entries.length >= pageSize(listing)) return false;
  const ids = new Set(entries.map((entry) => (isJsonObject(entry) ? entry['id'] : undefined)));
  return createdBefore(history, exchange).some(
    (pet) => (listing.status === 'any' || pet.sent?.status === listing.status) && !ids.has(pet.id),
  );
}

function judgeComplete(history: History, { exchange, entries }: Page): readonly Finding[] {
  const listing = readListing(exchange);
  if (!isAllowed(listing)) return [];
  const ids = new Set(entries.flatMap((entry) => (isJsonObject(entry) && isInt64(entry['id']) ? [entry['id']] : [])));
  const expected = createdBefore(history, exchange).filter(
    (pet) => listing.status === 'any' || (pet.sent?.status ?? pet.returned['status']) === listing.status,
  );
  const missing = expected.filter((pet) => !ids.has(pet.id));
  if (entries.length < pageSize(listing) && missing.length > 0) {
    // What other pages lack as well is no matter of the default.
    const isOfDefault = listing.limit === 'default' && !history.pages.some((page) => lacksCreated(history, page));
    const requirement = isOfDefault ? 'list-limit-default' : 'list-complete';
    const [first] = missing;
    const message = `expected the created animal ${first!.id} in a page with room for more, received ${entries.length} animals without it`;
    return [fails(requirement, 'animal-missing', message, first!.exchange, exchange)];
  }
  return expected.length > missing.length ? [holds('list-complete', exchange)] : [];
}

const pagesAreComplete: Invariant = {
  kind: 'invariant',
  id: 'pages-are-complete',
  verifies: ['list-complete', 'list-limit-default'],
  title: 'A page with room left holds every matching animal that the run created',
  judge: (history) => history.pages.flatMap((page) => judgeComplete(history, page)),
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

async function sendListings(session: Session, queries: readonly string[]): Promise<void> {
  await session.sendAll(queries.map((query) => listPets(query)));
}

const firstPages: Scenario = {
  kind: 'scenario',
  id: 'first-pages',
  rank: 1,
  verifies: ['list-answer', 'list-limit', 'list-status-filter', 'list-complete'],
  title: 'Lists by the status of the first animals',
  run: (session) => sendListings(session, ['status=available&limit=100']),
};

const morePages: Scenario = {
  kind: 'scenario',
  id: 'more-pages',
  rank: 2,
  verifies: [
    'list-limit-default',
    'list-status-filter',
    'list-limit',
    'list-complete',
    'create-refused-stores-nothing',
    'auth-refused-stores-nothing',
  ],
  title: 'Lists all, without a limit, by every status, and where limit and status meet',
  run: (session) =>
    sendListings(session, [
      'limit=100',
      '',
      'status=pending&limit=100',
      'status=sold&limit=1',
      'limit=101&status=unknown',
    ]),
};

/** As many as the run has shown: a page that they fill to the last place. */
function countSold(session: Session): number {
  const history = readHistory(session.exchanges, session.settings);
  const sold = [...history.known.values()].filter(({ status }) => status === 'sold');
  return Math.min(100, Math.max(1, sold.length));
}

const everyPage: Scenario = {
  kind: 'scenario',
  id: 'every-page',
  rank: 5,
  verifies: [
    'list-limit',
    'list-limit-refused',
    'list-status-refused',
    'list-status-filter',
    'list-complete',
    'create-refused-stores-nothing',
    'auth-refused-stores-nothing',
  ],
  title: 'Lists with the bounds of limit, and with every status and limit',
  run: async (session) => {
    const drawn = 2 + Math.floor(session.random() * 17);
    await sendListings(session, [
      ...petStatuses.flatMap((status) => [
        `status=${status}&limit=1`,
        `limit=${status === 'sold' ? countSold(session) : 3}&status=${status}`,
        `status=${status}`,
      ]),
      'limit=20',
      '',
      'limit=1',
      `limit=${drawn}`,
      'limit=19',
      'limit=21',
      'limit=99',
      'limit=2',
      'limit=100',
      ...petStatuses.map((status) => `status=${status}&limit=100`),
    ]);
  },
};

const strangeParameters: Scenario = {
  kind: 'scenario',
  id: 'strange-parameters',
  rank: 4,
  verifies: ['list-limit', 'list-limit-refused', 'list-status-refused', 'errors-listed'],
  title: 'Lists with limits and filters that are not allowed',
  run: (session) =>
    sendListings(session, [
      'limit=0',
      'limit=101',
      'status=unknown',
      ...['abc', '-1', '', '1.5', '9223372036854775808', '1e1', 'null', '0x10', '%00', '10;'].map(
        (limit) => `limit=${limit}`,
      ),
      'status=AVAILABLE',
      'status=',
      'status=available%20',
      'status=%27%22%C3%A9%00,sold',
      'limit=101&status=sold',
      'limit=0&status=available',
      'limit=2147483648',
      'limit=2&limit=3',
      'status=sold&status=pending',
    ]),
};

/** What was there at first is there at last: services that forget show it late. */
const closingPage: Scenario = {
  kind: 'scenario',
  id: 'closing-page',
  rank: 7,
  verifies: ['list-complete', 'get-answer', 'create-refused-stores-nothing', 'auth-refused-stores-nothing'],
  title: 'Lists all once more, and gets the first animal of the run',
  run: async (session) => {
    await session.send(listPets('limit=100'));
    const [first] = knownIds(session);
    if (first !== undefined && !isRemoved(session)) await session.send(getPet(first));
  },
};

export const listPetsChecks: readonly Check[] = [
  listingsAnswer,
  pagesKeepTheLimit,
  defaultIsTwenty,
  filterLeavesOutOthers,
  pagesAreComplete,
  strangeParametersAreRefused,
  firstPages,
  morePages,
  strangeParameters,
  everyPage,
  closingPage,
];
