/** §4.1 List all animals: the listings that a run sends. */

import { type PetStatus, petStatuses } from '../../../spec/operations.ts';
import { pageOf } from '../../http/read-response.ts';
import type { Scenario } from '../../run/scenario.ts';
import type { Session } from '../../run/session.ts';
import { waitToSettle } from '../../run/settling.ts';
import { readHistory } from '../../verdict/history.ts';
import { createdIds } from '../4.2-create-pet/creations.ts';
import { isRemoved } from '../4.3-get-pet/reads.ts';
import { confirmation } from '../confirmation.ts';
import { shuffle } from '../orders.ts';
import { createPet, getPet, idsIn, knownIds, listPets, plainPet, readOf } from '../requests.ts';

async function sendListings(session: Session, queries: readonly string[]): Promise<void> {
  await session.sendAll(queries.map((query) => listPets(query)));
}

/** Browsers and HTTP libraries accept several types, with parameters. */
const acceptedByBrowsers = { accept: 'application/json, text/plain, */*;q=0.8' };

export const firstPages: Scenario = {
  id: 'first-pages',
  rank: 1,
  canRunInParallel: true,
  verifies: ['list-answer', 'list-complete'],
  title: 'Lists all animals',
  run: async (session) => {
    await session.send({ ...listPets('limit=100'), headers: acceptedByBrowsers });
  },
};

/** A query for one animal that at least two match, by the status that most known animals have, or else without a filter. */
function queryForOne({ exchanges, settings }: Session): string {
  const { knownSince } = readHistory(exchanges, settings);
  const countOf = (status: PetStatus): number => knownSince.get(status)?.length ?? 0;
  const [status] = petStatuses.toSorted((one, other) => countOf(other) - countOf(one));
  const hasNoneTwice = (knownSince.get('any')?.length ?? 0) > 1 && countOf(status!) === 1;
  return hasNoneTwice ? 'limit=1' : `status=${status}&limit=1`;
}

export const firstShortPage: Scenario = {
  id: 'first-short-page',
  rank: 1,
  canRunInParallel: true,
  verifies: ['list-answer', 'list-limit', 'list-status-filter'],
  title: 'Lists one animal, of the status that most of the first animals have',
  run: (session) => sendListings(session, [queryForOne(session)]),
};

export const morePages: Scenario = {
  id: 'more-pages',
  rank: 2,
  canRunInParallel: true,
  verifies: ['list-limit', 'list-limit-default', 'list-status-filter', 'list-complete'],
  title: 'Lists without a limit, one animal of any status, and by status',
  // A cache of one page that ignores the limit shows in the second.
  run: (session) => sendListings(session, ['', 'limit=1', 'status=pending&limit=100']),
};

export const firstDisallowedQueries: Scenario = {
  id: 'first-disallowed-queries',
  rank: 2,
  canRunInParallel: true,
  verifies: ['list-answer', 'list-limit', 'list-limit-refused', 'list-status-refused', 'errors-listed'],
  title: 'Lists with limits below and beyond the range, with text as limit, and by unknown statuses',
  run: (session) =>
    sendListings(session, [
      'limit=0',
      'limit=9223372036854775808',
      'status=unknown',
      // Where these fail, the other parameter hardly matters.
      'limit=-1&status=AVAILABLE',
      'limit=abc&status=sold&status=pending',
    ]),
};

/** Shows whether a request that was refused has stored an animal. */
export const pageAfterRefusals: Scenario = {
  id: 'page-after-refusals',
  rank: 2,
  verifies: ['create-refused-stores-nothing', 'auth-refused-stores-nothing'],
  title: 'Lists all after invalid bodies were refused',
  run: (session) => sendListings(session, ['limit=100']),
};

function countShown(session: Session, status: PetStatus | 'any'): number {
  const { known } = readHistory(session.exchanges, session.settings);
  const shown = [...known.values()].filter((pet) => status === 'any' || pet.status === status);
  return Math.min(100, Math.max(1, shown.length));
}

function drawBetween({ random }: Session, from: number, to: number): number {
  return from + Math.floor(random() * Math.max(1, to - from + 1));
}

/** Limits below the default, alone and with each status, in both orders of the parameters. */
function shortQueries(session: Session): readonly string[] {
  const byStatus = petStatuses.flatMap((status) => [
    `status=${status}&limit=1`,
    // Where more animals match than the limit allows, the page proves the limit.
    `limit=${drawBetween(session, 2, Math.min(9, countShown(session, status) - 1))}&status=${status}`,
  ]);
  const limits = [drawBetween(session, 2, 9), drawBetween(session, 11, 19), 10];
  return [...byStatus, ...limits.map((limit) => `limit=${limit}`)];
}

/** Listings without a limit, each between two with limit 20; they are sent one after another. */
const defaultQueries = [
  'limit=20',
  '',
  'limit=20',
  'limit=20&status=available',
  'status=available',
  'status=available&limit=20',
];

/** The whole catalogue before and after the filtered listings. */
const wholeQueries = ['limit=100', ...petStatuses.map((status) => `status=${status}&limit=100`), 'limit=100'];

/** Lists by status with limits that the matching animals fill exactly; after an empty page, also without the status. */
async function sendExactListings(session: Session): Promise<void> {
  const limits = petStatuses.map((status) => `limit=${countShown(session, status)}`);
  const pages = await session.sendAll(petStatuses.map((status, at) => listPets(`${limits[at]}&status=${status}`)));
  // A service may apply the limit before the filter: then the first animals of the catalogue have another status.
  await sendListings(
    session,
    limits.filter((_limit, at) => pageOf(pages[at]!)?.length === 0),
  );
}

/** Limits up to the largest, one of which all animals fill exactly. */
function longQueries(session: Session): readonly string[] {
  const limits = [countShown(session, 'any'), 21, 25, 50, drawBetween(session, 22, 98), 99, 1];
  return limits.map((limit) => `limit=${limit}`);
}

/** Queries that fewer services misread. */
const rarerParameters = [
  ...['1e1', 'null', '0x10', '%00', '10;', '2147483648', '%2B5', '0.9', 'true'].map((limit) => `limit=${limit}`),
  'status=available%20',
  'status=%27%22%C3%A9%00,sold',
  'status=available,sold',
  'limit=0&status=available',
];
const drawnParameters = 4;

/** The id that the next animal has where ids are evenly spaced: a cache may remember that it was unknown. */
function nextId(session: Session): bigint | undefined {
  const [last, previous] = createdIds(session).toReversed();
  return last === undefined || previous === undefined ? undefined : last + (last - previous);
}

/** In the order of their ranks. */
export const listPetsScenarios: readonly Scenario[] = [
  {
    id: 'short-pages',
    rank: 4,
    verifies: ['list-limit', 'list-status-filter'],
    title: 'Lists with limits of one and two digits, with and without every status',
    run: (session) => sendListings(session, shortQueries(session)),
  },
  {
    id: 'listings-around-a-creation',
    rank: 4,
    verifies: ['list-complete', 'list-limit', 'get-answer'],
    title: 'Lists, asks for the next id, creates an animal, and at once lists again and gets it twice',
    run: async (session) => {
      if (session.settings.isReadOnly) return;
      await session.send(listPets('limit=100'));
      await session.sendAll(readOf(session, nextId(session)));
      const [id] = idsIn(await session.send(createPet({ status: 'pending', ...plainPet(session) })));
      const reads = id === undefined || isRemoved(session) ? [] : [getPet(id), getPet(id)];
      for (const request of [listPets('limit=100'), ...reads, listPets('status=pending&limit=100')]) {
        await session.send(request);
      }
    },
  },
  {
    id: 'disallowed-queries',
    rank: 5,
    canRunInParallel: true,
    verifies: ['list-limit', 'list-limit-refused', 'list-status-refused', 'errors-listed'],
    title: 'Lists with further limits and filters that are not allowed',
    run: (session) =>
      sendListings(session, [
        ...['abc', '-1', '', '1.5'].map((limit) => `limit=${limit}`),
        'status=AVAILABLE',
        'status=',
        'limit=101',
        'limit=2&limit=3',
        'status=sold&status=pending',
        ...shuffle(rarerParameters, session.random).slice(0, drawnParameters),
      ]),
  },
  {
    id: 'every-page',
    rank: 5,
    verifies: [
      'list-limit',
      'list-limit-default',
      'list-limit-refused',
      'list-status-refused',
      'list-status-filter',
      'list-complete',
      'create-refused-stores-nothing',
      'auth-refused-stores-nothing',
    ],
    title: 'Lists all, by every status, and with exact limits, when all animals must be listed',
    run: async (session) => {
      await waitToSettle(session);
      await sendListings(session, wholeQueries);
      for (const query of defaultQueries) await session.send(listPets(query));
      await sendExactListings(session);
      await sendListings(session, longQueries(session));
    },
  },
  confirmation(5),
  // Finds services that lose animals after a while.
  {
    id: 'closing-page',
    rank: 6,
    verifies: ['list-complete', 'get-answer', 'create-refused-stores-nothing', 'auth-refused-stores-nothing'],
    title: 'Lists all again, and gets the first animal of the run',
    run: async (session) => {
      await session.send(listPets('limit=100'));
      const [first] = knownIds(session);
      if (first !== undefined && !isRemoved(session)) await session.send(getPet(first));
    },
  },
  confirmation(6),
];
