/**
 * Asks again for what seems missing. How soon an animal is listed or found is open, and a cache may answer with an old
 * copy, so a suspicion costs requests and waiting, and becomes a failure only if it stays.
 */

import { type PetStatus, petStatuses } from '../../../spec/operations.ts';
import { type Exchange, happenedBefore } from '../../http/exchange.ts';
import { readPetId } from '../../http/read-request.ts';
import { statusOf } from '../../http/read-response.ts';
import { askAgainAtMs, refreshMs } from '../../http/tolerances.ts';
import type { Scenario } from '../../run/scenario.ts';
import type { Session } from '../../run/session.ts';
import { waitToSettle } from '../../run/settling.ts';
import { isFailing } from '../../verdict/finding.ts';
import {
  countLastingBefore,
  type History,
  isSettledBefore,
  readHistory,
  settledBefore,
} from '../../verdict/history.ts';
import { reads } from '../4.3-get-pet/reads.ts';
import { createPet, getPet, listPets, plainPet } from '../requests.ts';
import {
  equalPages,
  fewestEqualPages,
  isFull,
  type ListedPage,
  listedPages,
  missingAnimals,
  pagesAreComplete,
  pagesOfQuery,
  wholeCatalogues,
} from './completeness.ts';
import { roundsOf } from './default-limit.ts';
import { patienceOf } from './freshness.ts';

const checkOf = (rank: Scenario['rank']): string => `second-look-${rank}`;
/** What a second look costs in most cases; scenarios of a small budget leave as many requests for it. */
export const requestsOfSecondLook = 4;
/** How many animals, and how many queries, one look asks for again. */
const [mostReads, mostQueries] = [2, 2];
/** With fewer requests left than these, a run keeps them for the end of the wait. */
const requestsWhileWaiting = 16;
/** A run waits for old copies this often; later suspicions stay unjudged. */
const mostLongWaits = 2;

/** What a run has learned from its second looks. */
interface Learned {
  longWaits: number;
  /** The lengths at which pages stay although there are more animals: the service caps them or keeps no more. */
  readonly caps: Set<number>;
}

const learnedBySession = new WeakMap<readonly Exchange[], Learned>();

function learnedIn({ exchanges }: Session): Learned {
  const learned = learnedBySession.get(exchanges) ?? { longWaits: 0, caps: new Set() };
  learnedBySession.set(exchanges, learned);
  return learned;
}

function historyOf(session: Session): History {
  return readHistory(session.exchanges, session.settings);
}

/** The number of the last exchange of a second look. */
function lastLook({ exchanges }: Session): number {
  return exchanges.findLast(({ check }) => check.startsWith('second-look'))?.number ?? 0;
}

/** What seems missing. */
interface Suspicion {
  /** Known animals that a read did not find. */
  readonly ids: readonly bigint[];
  /** Pages that lack animals of the run, one for each query. */
  readonly pages: readonly ListedPage[];
  /** Filters with which a page without a limit was shorter than it could be. */
  readonly defaults: readonly (PetStatus | 'any')[];
}

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

/** The pages with a limit since an exchange that lack animals, as far as the answer to the same query is still open. */
function incomplete(history: History, after: number, { caps }: Learned): readonly ListedPage[] {
  const views = listedPages(history);
  const lacking = views.filter((view, at) => {
    if (view.exchange.number <= after || view.isDefault || caps.has(view.page.entries.length)) return false;
    if (pagesOfQuery(history, view).at(-1) !== view) return false;
    const missing = missingAnimals(history, view);
    const settled = new Set(settledBefore(history, view.exchange));
    const later = views.slice(at + 1).filter(({ status }) => status === view.status);
    return missing.some((pet) => settled.has(pet) || !later.some(({ ids }) => ids.has(pet.id)));
  });
  // A page by status proves nothing where the whole catalogue does not fit into its limit.
  const whole = wholeCatalogues(history).at(-1);
  const isProvable = ({ status, most }: ListedPage): boolean =>
    status === 'any' || (whole !== undefined && whole.ids.size < most);
  const isFiltered = ({ status }: ListedPage): number => (status === 'any' ? 0 : 1);
  return lacking
    .filter(isProvable)
    .toSorted((one, other) => isFiltered(one) - isFiltered(other) || one.ids.size - other.ids.size);
}

/** The filters of pages without a limit since an exchange that are short although more animals match. */
function shortDefaults(history: History, after: number, { caps }: Learned): Suspicion['defaults'] {
  const short = listedPages(history).filter(
    (view) =>
      view.exchange.number > after &&
      view.isDefault &&
      view.status === 'any' &&
      !isFull(view) &&
      !caps.has(view.page.entries.length) &&
      countLastingBefore(history, view.exchange, 'any') > view.ids.size,
  );
  const differing = roundsOf(history).filter(
    ({ view, expected }) => view.exchange.number > after && view.page.entries.length !== expected,
  );
  return [...new Set([...short, ...differing.map(({ view }) => view)].map(({ status }) => status))];
}

function suspicionIn(session: Session, after: number): Suspicion {
  const history = historyOf(session);
  return {
    ids: unfound(history, after).slice(0, mostReads),
    pages: isFailingAlready(history) ? [] : incomplete(history, after, learnedIn(session)).slice(0, mostQueries),
    defaults: shortDefaults(history, after, learnedIn(session)).slice(0, 1),
  };
}

function isFailingAlready(history: History): boolean {
  return [...pagesAreComplete.judge(history)].some(isFailing);
}

function isEmpty({ ids, pages, defaults }: Suspicion): boolean {
  return ids.length + pages.length + defaults.length === 0;
}

function queryOfPage({ exchange }: ListedPage): string {
  return exchange.request.target.split('?')[1] ?? '';
}

/** Asks for everything that is suspected: filtered pages between two of the whole catalogue. */
async function askAgain(session: Session, { ids, pages, defaults }: Suspicion): Promise<void> {
  for (const id of ids) await session.send(getPet(id));
  const isFiltered = pages.some(({ status }) => status !== 'any');
  const queries = pages.map(queryOfPage);
  for (const query of isFiltered ? ['limit=100', ...queries, 'limit=100'] : queries) {
    await session.send(listPets(query));
  }
  for (const status of defaults) {
    const filter = status === 'any' ? '' : `status=${status}`;
    const limited = status === 'any' ? 'limit=20' : `limit=20&status=${status}`;
    for (const query of [limited, filter, limited]) await session.send(listPets(query));
  }
}

/**
 * Creates one more animal and asks for the page before and after it: a page that grows had room for the animal it lacks,
 * a page that shows the new animal in place of another is capped.
 */
async function testRoom(session: Session, page: ListedPage): Promise<void> {
  if (session.settings.isReadOnly || session.budget.creationsLeft() === 0) return;
  const query = queryOfPage(page);
  const [missing] = missingAnimals(historyOf(session), page);
  if (missing === undefined) return;
  for (let known = equalPages(historyOf(session), page, missing).length; known < fewestEqualPages; known += 1) {
    await session.send(listPets(query));
  }
  const shown = historyOf(session).created.find(({ id }) => page.ids.has(id))?.sent?.status;
  const status = petStatuses.find((one) => one === page.status) ?? shown;
  const created = await session.send(createPet(plainPet(session, status)));
  const after = await session.send(listPets(query));
  if (page.status !== 'any') await session.send(listPets('limit=100'));
  const views = pagesOfQuery(historyOf(session), page);
  const last = views.at(-1);
  const hasNew = historyOf(session).created.some(({ exchange, id }) => exchange === created && last?.ids.has(id));
  const isSameLength = last?.exchange === after && last.page.entries.length === page.page.entries.length;
  if (isSameLength && hasNew) learnedIn(session).caps.add(page.page.entries.length);
}

/** An animal of the run that no read has asked for. */
function neverRead(history: History): readonly bigint[] {
  const asked = new Set(reads(history).map(readPetId));
  return history.created
    .map(({ id }) => id)
    .filter((id) => !asked.has(id))
    .slice(0, 1);
}

/** Waits until a moment. */
async function waitUntil(session: Session, at: number): Promise<void> {
  const ms = at - session.clock.now();
  if (ms > 0) await session.wait(ms, 'a cache may still answer with older copies');
}

/** What is still suspected, by the answers since an exchange. */
function stillSuspected(session: Session, suspicion: Suspicion, after: number): Suspicion {
  const now = suspicionIn(session, after);
  return {
    ids: suspicion.ids.filter((id) => now.ids.includes(id)),
    pages: now.pages,
    defaults: suspicion.defaults.filter((status) => now.defaults.includes(status)),
  };
}

/** The first thing that is suspected, which is asked for while waiting. */
function firstOf({ ids, pages, defaults }: Suspicion): Suspicion {
  if (pages.length > 0) return { ids: [], pages: pages.slice(0, 1), defaults: [] };
  return ids.length > 0 ? { ids: ids.slice(0, 1), pages, defaults: [] } : { ids, pages, defaults };
}

/** Asks again while copies may be old, and twice when they cannot be any more; `late` were missed although settled. */
async function waitForCopies(session: Session, suspicion: Suspicion, late: readonly bigint[]): Promise<void> {
  const learned = learnedIn(session);
  const history = historyOf(session);
  const since = Math.max(history.created.at(-1)?.exchange.endedAt ?? 0, history.exchanges[0]?.startedAt ?? 0);
  const isOthers = late.some((id) => !history.createdById.has(id));
  const until = (isOthers ? session.clock.now() : since) + patienceOf(history);
  if (until - session.clock.now() > session.settings.maxWaitMs || learned.longWaits >= mostLongWaits) return;
  learned.longWaits += 1;
  const start = session.clock.now();
  let open = suspicion;
  for (const at of askAgainAtMs) {
    if (isEmpty(open) || start + at >= until || session.budget.requestsLeft() < requestsWhileWaiting) break;
    await waitUntil(session, start + at);
    const after = session.exchanges.at(-1)?.number ?? 0;
    await askAgain(session, firstOf(open));
    if (isEmpty(stillSuspected(session, firstOf(open), after))) {
      await askAgain(session, open);
      open = stillSuspected(session, open, after);
    }
  }
  if (isEmpty(open) && late.length === 0) return;
  await waitUntil(session, until);
  // Some services fail on the first read of an animal, or on the second of two in a row.
  const again: Suspicion = { ...open, ids: late.flatMap((id) => [id, id]) };
  if (late.length > 0) for (const id of neverRead(historyOf(session))) await session.send(getPet(id));
  const rounds = session.budget.requestsLeft() < requestsWhileWaiting ? [1, 3] : [1, 2, 3];
  for (const round of rounds) {
    await askAgain(session, again);
    for (const id of late) {
      const shownBy = historyOf(session).known.get(id)?.shownBy;
      if (isOthers && shownBy?.operation === 'listPets')
        await session.send(listPets(shownBy.request.target.split('?')[1]));
    }
    if (round < 3) await session.wait(refreshMs, 'a cache may refresh its copy');
  }
  const [page] = open.pages;
  if (page === undefined || page.page.entries.length === 0 || isFailingAlready(historyOf(session))) return;
  await testRoom(session, page);
  if (!isFailingAlready(historyOf(session))) learned.caps.add(page.page.entries.length);
}

async function lookAgain(session: Session): Promise<void> {
  const suspicion = suspicionIn(session, lastLook(session));
  if (isEmpty(suspicion)) return;
  const before = historyOf(session);
  const late = suspicion.ids.filter((id) =>
    reads(before).some(
      (exchange) => statusOf(exchange) === 404 && readPetId(exchange) === id && isSettledBefore(before, exchange, id),
    ),
  );
  await waitToSettle(session);
  const after = session.exchanges.at(-1)?.number ?? 0;
  await askAgain(session, suspicion);
  let open = stillSuspected(session, suspicion, after);
  for (const page of open.pages.filter(({ page: { entries } }) => entries.length > 0)) {
    await testRoom(session, page);
    open = { ...open, pages: stillSuspected(session, open, after).pages };
    if (open.pages.length === 0) break;
  }
  const missed = [...new Set([...open.ids, ...late])];
  if (!isEmpty(open) || missed.length > 0) await waitForCopies(session, open, missed);
}

/** Asks again at the end of a rank for what its scenarios did not find. */
export function secondLook(rank: Scenario['rank']): Scenario {
  return {
    kind: 'scenario',
    id: checkOf(rank),
    rank,
    verifies: ['list-complete', 'list-limit-default', 'get-answer', 'get-until-removal'],
    title: 'Asks again for animals that were not shown yet, after a while',
    run: lookAgain,
  };
}
