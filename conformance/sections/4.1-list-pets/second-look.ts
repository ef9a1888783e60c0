/**
 * Asks again for what seems missing. How soon an animal is listed or found is open, and a cache may answer with an old
 * copy, so a suspicion costs requests and waiting, and becomes a failure only if it stays. Once a wait has shown that the
 * target is late, further suspicions are not worth another one.
 */

import { petStatuses } from '../../../spec/operations.ts';
import type { Exchange } from '../../http/exchange.ts';
import { readPetId } from '../../http/read-request.ts';
import { askAgainAtMs, refreshMs } from '../../http/tolerances.ts';
import type { Scenario } from '../../run/scenario.ts';
import type { Session } from '../../run/session.ts';
import { waitToSettle } from '../../run/settling.ts';
import { type History, readHistory } from '../../verdict/history.ts';
import { mayBeEvicted, reads } from '../4.3-get-pet/reads.ts';
import { createPet, getPet, listPets, plainPet } from '../requests.ts';
import { equalPages, fewestEqualPages, fewestInOrder, laterLongerPages, missingAnimals } from './completeness.ts';
import { patienceOf } from './freshness.ts';
import { type ListedPage, pagesOfQuery } from './listed-pages.ts';
import { isFailingAlready, isListedPromptly, missedLate, type Suspicion, suspicionIn } from './suspicion.ts';

const checkOf = (rank: Scenario['rank']): string => `second-look-${rank}`;
/** A run waits for old copies this often; later suspicions stay unjudged. */
const mostLongWaits = 2;
/** The rounds of requests after a long wait of which two must agree, and the least that is worth the wait. */
const [mostRounds, fewestRounds] = [3, 2];

interface Learned {
  longWaits: number;
  /** Set once what seemed missing was shown later: the target answers with old copies, or shows new animals late. */
  isLate: boolean;
  /** The lengths at which pages stay although there are more animals: the service caps them or keeps no more. */
  readonly caps: Set<number>;
}

const learnedBySession = new WeakMap<readonly Exchange[], Learned>();

function learnedIn({ exchanges }: Session): Learned {
  const learned = learnedBySession.get(exchanges) ?? { longWaits: 0, isLate: false, caps: new Set() };
  learnedBySession.set(exchanges, learned);
  return learned;
}

function historyOf(session: Session): History {
  return readHistory(session.exchanges, session.settings);
}

function lastNumber({ exchanges }: Session): number {
  return exchanges.at(-1)?.number ?? 0;
}

function isEmpty({ ids, pages, defaults }: Suspicion): boolean {
  return ids.length + pages.length + defaults.length === 0;
}

function costOf({ ids, pages, defaults }: Suspicion): number {
  return ids.length + queriesOf(pages).length + 3 * defaults.length;
}

/** As much of a suspicion as the budget can settle: all of it, its first part, or nothing. */
function affordable({ budget }: Session, { ids, pages, defaults }: Suspicion): Suspicion {
  const parts: readonly Suspicion[] = [
    { ids, pages, defaults },
    { ids: ids.slice(0, 1), pages, defaults: [] },
    { ids: [], pages: pages.slice(0, 1), defaults: [] },
    { ids: ids.slice(0, 1), pages: [], defaults: [] },
    { ids: [], pages: [], defaults },
  ];
  const isSettled = (part: Suspicion): boolean => fewestRounds * costOf(part) <= budget.requestsLeft();
  return parts.find((part) => !isEmpty(part) && isSettled(part)) ?? { ids: [], pages: [], defaults: [] };
}

function queryOfPage({ exchange }: ListedPage): string {
  return exchange.request.target.split('?')[1] ?? '';
}

const wholeCatalogue = 'limit=100';

/** Asks for pages: for filtered ones between two of the whole catalogue, and for empty ones between two without a filter. */
function queriesOf(pages: Suspicion['pages']): readonly string[] {
  const queries = pages.map(queryOfPage);
  const filtered = pages.filter(({ status }) => status !== 'any');
  if (filtered.length === 0) return queries;
  const empty = filtered.filter(({ ids, most }) => ids.size === 0 && most >= fewestInOrder);
  const around = new Set([wholeCatalogue, ...empty.map(({ most }) => `limit=${most}`)]);
  return [...around, ...queries.filter((query) => !around.has(query)), ...around];
}

async function askAgain(session: Session, { ids, pages, defaults }: Suspicion): Promise<void> {
  for (const id of ids) await session.send(getPet(id));
  for (const query of queriesOf(pages)) await session.send(listPets(query));
  for (const status of defaults) {
    const filter = status === 'any' ? '' : `status=${status}`;
    const limited = status === 'any' ? 'limit=20' : `limit=20&status=${status}`;
    for (const query of [limited, filter, limited]) await session.send(listPets(query));
  }
}

/** The suspicions that remain after the answers since an exchange. */
function stillSuspected(session: Session, suspicion: Suspicion, after: number): Suspicion {
  const now = suspicionIn(historyOf(session), after, learnedIn(session).caps);
  return {
    ids: suspicion.ids.filter((id) => now.ids.includes(id)),
    pages: now.pages,
    defaults: suspicion.defaults.filter((status) => now.defaults.includes(status)),
  };
}

function mayTestRoom({ settings, budget }: Session): boolean {
  return !settings.isReadOnly && budget.creationsLeft() > 0;
}

/**
 * Creates one more animal and asks for the page before and after it: a page that grows had room for the animal it lacks.
 * One that shows the new animal in place of another is capped, and so is one that stays as it is where other pages show
 * new animals at once.
 */
async function testRoom(session: Session, page: ListedPage): Promise<void> {
  if (!mayTestRoom(session)) return;
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
  if (page.status !== 'any') await session.send(listPets(wholeCatalogue));
  const history = historyOf(session);
  const last = pagesOfQuery(history, page).at(-1);
  const hasNew = history.created.some(({ exchange, id }) => exchange === created && last?.ids.has(id));
  const isSameLength = last?.exchange === after && last.page.entries.length === page.page.entries.length;
  if (isSameLength && (hasNew || isListedPromptly(history))) learnedIn(session).caps.add(page.page.entries.length);
}

/** Tests the room of pages that show animals; for an empty page only time is a proof. */
async function testRooms(session: Session, suspicion: Suspicion, after: number): Promise<Suspicion> {
  let open = suspicion;
  for (const page of suspicion.pages.filter(({ page: { entries } }) => entries.length > 0)) {
    await testRoom(session, page);
    open = { ...open, pages: stillSuspected(session, open, after).pages };
    if (open.pages.length === 0) break;
  }
  return open;
}

function neverRead(history: History): readonly bigint[] {
  const asked = new Set(reads(history).map(readPetId));
  return history.created
    .map(({ id }) => id)
    .filter((id) => !asked.has(id))
    .slice(0, 1);
}

async function waitUntil(session: Session, at: number): Promise<void> {
  const ms = at - session.clock.now();
  if (ms > 0) await session.wait(ms, 'a cache may still answer with older copies');
}

/** An animal of another client may be known from an old copy of a page: asks for that page, too. */
async function listAgain(session: Session, ids: readonly bigint[]): Promise<void> {
  for (const id of ids) {
    const { createdById, known } = historyOf(session);
    const shownBy = known.get(id)?.shownBy;
    if (createdById.has(id) || shownBy?.operation !== 'listPets') continue;
    await session.send(listPets(shownBy.request.target.split('?')[1]));
  }
}

/** Asks once more, and says what is open then. Some services fail on the first read of an animal, or on the second of two. */
async function ask(session: Session, open: Suspicion): Promise<Suspicion> {
  const after = lastNumber(session);
  const unread = open.ids.length === 0 ? [] : neverRead(historyOf(session));
  const ids = [...unread, ...open.ids.flatMap((id) => [id, id])];
  await askAgain(session, { ...open, ids });
  const still = stillSuspected(session, { ...open, ids: [...open.ids, ...unread] }, after);
  return { ...still, ids: [...new Set(still.ids)] };
}

/** Without another creation, only an empty page, or one that grew since, can be proven to have had room. */
function mayBeProven(session: Session, page: ListedPage): boolean {
  const isGrown = laterLongerPages(historyOf(session), page).length > 0;
  return isGrown || page.page.entries.length === 0 || mayTestRoom(session);
}

/** Asks again while copies may be old, and repeatedly when they cannot be any more. */
async function waitForCopies(session: Session, suspicion: Suspicion): Promise<void> {
  const { clock, budget, settings } = session;
  const history = historyOf(session);
  const start = clock.now();
  const isOthers = suspicion.ids.some((id) => !history.createdById.has(id));
  const since = history.created.at(-1)?.exchange.endedAt ?? history.exchanges[0]?.startedAt ?? start;
  const until = (isOthers ? start : since) + patienceOf(history);
  if (until - start > settings.maxWaitMs) return;
  let open = affordable(session, suspicion);
  if (isEmpty(open)) return;
  const learned = learnedIn(session);
  learned.longWaits += 1;
  for (const at of askAgainAtMs.map((ms) => start + ms).filter((ms) => ms < until)) {
    // A cache answers the first request with its old copy and refreshes it for the second.
    for (const askedAt of [at, at + refreshMs]) {
      if (budget.requestsLeft() < (fewestRounds + 1) * (costOf(open) + open.ids.length + 1)) break;
      await waitUntil(session, askedAt);
      open = await ask(session, open);
      learned.isLate = isEmpty(open);
      if (learned.isLate) return;
    }
  }
  await waitUntil(session, until);
  for (let round = 1; round <= mostRounds; round += 1) {
    learned.isLate = isEmpty(await ask(session, open));
    await listAgain(session, open.ids);
    if (round < mostRounds) await session.wait(refreshMs, 'a cache may refresh its copy');
  }
  const [page] = open.pages;
  if (page === undefined || page.page.entries.length === 0 || isFailingAlready(historyOf(session))) return;
  await testRoom(session, page);
  if (!isFailingAlready(historyOf(session))) learned.caps.add(page.page.entries.length);
}

/** The animals that the service cannot have evicted for newer ones; the whole catalogue shows it. */
export async function keepLasting(session: Session, ids: readonly bigint[]): Promise<readonly bigint[]> {
  const isLasting = (id: bigint): boolean => !mayBeEvicted(historyOf(session), id, session.exchanges.at(-1)!);
  if (!ids.every(isLasting)) await session.send(listPets(wholeCatalogue));
  return ids.filter(isLasting);
}

async function lookAgain(session: Session): Promise<void> {
  const { caps, isLate, longWaits } = learnedIn(session);
  const lastLook = session.exchanges.findLast(({ check }) => check.startsWith('second-look'))?.number ?? 0;
  const suspicion = suspicionIn(historyOf(session), lastLook, caps);
  if (isEmpty(suspicion)) return;
  const late = missedLate(historyOf(session), suspicion);
  await waitToSettle(session);
  const after = lastNumber(session);
  await askAgain(session, suspicion);
  const open = await testRooms(session, stillSuspected(session, suspicion, after), after);
  if (isLate || longWaits >= mostLongWaits) return;
  const ids = await keepLasting(session, [...new Set([...open.ids, ...late])]);
  const pages = open.pages.filter((page) => mayBeProven(session, page));
  await waitForCopies(session, { ...open, ids, pages });
}

export async function listAndLookAgain(session: Session): Promise<void> {
  await session.send(listPets(wholeCatalogue));
  await lookAgain(session);
}

export function secondLook(rank: Scenario['rank']): Scenario {
  return {
    id: checkOf(rank),
    rank,
    verifies: ['list-complete', 'list-limit-default', 'get-answer', 'get-until-removal'],
    title: 'Asks again for animals that were not shown yet, after a while',
    run: lookAgain,
  };
}
