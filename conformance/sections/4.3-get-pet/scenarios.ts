/** §4.3 Get an animal: the reads that a run sends. */

import { isInt64 } from '../../http/json.ts';
import type { Scenario } from '../../run/scenario.ts';
import type { Session } from '../../run/session.ts';
import { waitToSettle } from '../../run/settling.ts';
import { type CreatedPet, readHistory } from '../../verdict/history.ts';
import { inRounds, shuffle } from '../orders.ts';
import { drawUnknownId, getPet, knownIds, readOf } from '../requests.ts';
import { isRemoved } from './reads.ts';
import { aliasesOf, disguises } from './values.ts';

/** Reads of further animals take this part of the requests that are left. */
const shareOfUnread = 8;

/** The animal of the run with the longest name: it has the most hard parts, unless the target refused it. */
export function hardestOf({ exchanges, settings }: Session): bigint | undefined {
  const { created } = readHistory(exchanges, settings);
  const lengthOf = ({ sent }: CreatedPet): number => sent?.name.length ?? 0;
  return created.toSorted((one, other) => lengthOf(other) - lengthOf(one))[0]?.id;
}

export const firstReads: Scenario = {
  id: 'first-reads',
  rank: 1,
  canRunInParallel: true,
  verifies: ['get-answer', 'get-until-removal', 'pet-name-kept', 'pet-category-id-kept'],
  title: 'Gets the animal with the hardest values',
  run: async (session) => {
    const id = hardestOf(session) ?? knownIds(session)[0];
    await session.sendAll(readOf(session, id));
  },
};

export const firstUnknown: Scenario = {
  id: 'first-unknown',
  rank: 1,
  canRunInParallel: true,
  verifies: ['get-not-found', 'get-id-not-int64', 'errors-listed'],
  title: 'Gets an animal that does not exist, and a petId that only begins as one',
  run: async (session) => {
    if (isRemoved(session)) return;
    const known = knownIds(session)[0] ?? 1n;
    await session.sendAll([getPet(drawUnknownId(session)), getPet(`${known}.!`)]);
  },
};

export const moreReads: Scenario = {
  id: 'more-reads',
  rank: 2,
  canRunInParallel: true,
  verifies: ['get-answer', 'get-not-found', 'get-id-not-int64', 'errors-listed'],
  title: 'Gets a sold animal, and petIds that wrap around to the first animal',
  run: async (session) => {
    if (isRemoved(session)) return;
    const [first = 1n] = knownIds(session);
    const { created } = readHistory(session.exchanges, session.settings);
    const sold = created.find(({ sent }) => sent?.status === 'sold');
    // The second is negative: a cast to 32 bits turns it into the id of the first animal.
    const wrapping = [2n ** 64n + first, BigInt.asUintN(32, first) - 2n ** 32n].map((id) => getPet(id));
    await session.sendAll([...readOf(session, sold?.id ?? first), ...wrapping]);
  },
};

/** The sign of an animal's category and about how many digits it has: a service may lose animals by either. */
function widthOf({ returned }: CreatedPet): string {
  const category = String(returned['categoryId']);
  return `${category.startsWith('-')} ${Math.floor(category.length / 4)}`;
}

/** How many disguises a run draws at least; with many requests left it draws all of them. */
const drawnDisguises = 4;
/** The requests left that pay for all disguises. */
const manyRequests = 250;
/** Requests that are kept back for the scenarios that follow. */
const reservedRequests = 7;

export const getPetScenarios: readonly Scenario[] = [
  {
    id: 'every-read',
    rank: 6,
    verifies: ['get-answer', 'get-not-found', 'get-id-not-int64'],
    title: 'Gets animals of the run, the ends of int64, and petIds that are no int64',
    run: async (session) => {
      if (isRemoved(session)) return;
      await waitToSettle(session);
      const ids = knownIds(session);
      const known = ids[0] ?? 1n;
      const suffixed = ['.5', 'abc', ',1', '=1'].map((end) => `${known}${end}`);
      const drawn = session.budget.requestsLeft() > manyRequests ? disguises.length : drawnDisguises;
      const disguised = shuffle(disguises, session.random).slice(0, drawn);
      // Where ids count up, an animal that a refused request left behind has one of the next ids.
      const highest = ids.reduce((most, id) => (id > most ? id : most), 0n);
      const next = [1n, 2n].map((step) => highest + step).filter(isInt64);
      const unknown = [0n, -1n, 2n ** 63n - 1n, ...next, -(2n ** 63n), drawUnknownId(session), 2n ** 53n + 1n];
      const isUnknown = (id: bigint): boolean => !ids.includes(id);
      const segments = [
        // The first animal is read twice in a row; pages show most others.
        ...ids.slice(0, 1),
        ...new Set([0, Math.floor(ids.length / 2), -1].flatMap((at) => ids.at(at) ?? [])),
        // Those that most services mishandle come first, since the usual budget ends here.
        ...unknown.slice(0, 3).filter(isUnknown),
        ...suffixed.slice(0, 1),
        ...[...aliasesOf(ids), ...unknown.slice(3)].filter(isUnknown),
        ...suffixed.slice(1),
        'abc',
        String(2n ** 128n + known),
        ...disguised.map((disguise) => disguise(known)),
      ];
      const most = Math.max(0, session.budget.requestsLeft() - reservedRequests);
      await session.sendAll(segments.slice(0, most).map((segment) => getPet(segment)));
    },
  },
  // A page shows an animal as the listing has it; only a read shows it as the store has it.
  {
    id: 'every-animal',
    rank: 8,
    canRunInParallel: true,
    verifies: ['get-answer', 'pet-name-kept', 'pet-category-id-kept', 'pet-status-kept'],
    title: 'Gets animals of the run that were not read yet, from the whole catalogue',
    run: async (session) => {
      if (isRemoved(session)) return;
      const read = new Set(
        session.exchanges.filter(({ operation }) => operation === 'getPet').map((one) => one.request.target),
      );
      const { created } = readHistory(session.exchanges, session.settings);
      const unread = shuffle(created, session.random).filter(({ id }) => !read.has(`/pets/${id}`));
      const most = Math.floor(session.budget.requestsLeft() / shareOfUnread);
      const drawn = inRounds([...Map.groupBy(unread, widthOf).values()]).slice(0, most);
      await session.sendAll(drawn.map(({ id }) => getPet(id)));
    },
  },
];
