/** Asks once more for the animals that were not seen yet, when they had time to appear: how soon that is, is open. */

import { type PetStatus, petStatuses } from '../../../spec/operations.ts';
import { type Exchange, happenedBefore } from '../../http/exchange.ts';
import { readPetId } from '../../http/read-request.ts';
import { statusOf } from '../../http/read-response.ts';
import type { Scenario } from '../../run/scenario.ts';
import type { Session } from '../../run/session.ts';
import { waitToSettle } from '../../run/settling.ts';
import { countLastingBefore, type History, readHistory } from '../../verdict/history.ts';
import { reads } from '../4.3-get-pet/reads.ts';
import { createPet, getPet, listPets, plainPet } from '../requests.ts';
import { isFull, type ListedPage, listedPages, missingAnimals, proofOfRoom } from './completeness.ts';

const checkOf = (rank: Scenario['rank']): string => `second-look-${rank}`;
/** What a second look at most costs but for rare cases: a small budget keeps as many for it. */
export const requestsOfSecondLook = 4;
/** A read of each kind is enough to tell: more of them would say the same. */
const mostReads = 2;

function look(session: Session): History {
  return readHistory(session.exchanges, session.settings);
}

/** The number of the last exchange that asked once more. */
function lastLook({ exchanges }: Session): number {
  return exchanges.findLast(({ check }) => check.startsWith('second-look'))?.number ?? 0;
}

/** The ids of the run's animals whose last read did not find them. */
function unfound(history: History, after: number): readonly bigint[] {
  const last = new Map<bigint, Exchange>();
  for (const exchange of reads(history)) {
    const id = readPetId(exchange);
    const pet = typeof id === 'bigint' ? history.createdById.get(id) : undefined;
    if (pet !== undefined && happenedBefore(pet.exchange, exchange)) last.set(pet.id, exchange);
  }
  return [...last].flatMap(([id, read]) => (statusOf(read) === 404 && read.number > after ? [id] : []));
}

/** The pages with a limit since then that lack an animal which no later page of their kind shows. */
function incomplete(history: History, after: number): readonly ListedPage[] {
  const views = listedPages(history);
  return views.filter((view, at) => {
    if (view.exchange.number <= after || view.isDefault) return false;
    const later = views.slice(at + 1).filter(({ status }) => status === view.status);
    return missingAnimals(history, view).some(({ id }) => !later.some(({ ids }) => ids.has(id)));
  });
}

/** The pages without a limit since then that are short although there are more animals. */
function shortDefaults(history: History, after: number): readonly ListedPage[] {
  return listedPages(history).filter(
    (view) =>
      view.exchange.number > after &&
      view.isDefault &&
      view.status === 'any' &&
      !isFull(view) &&
      countLastingBefore(history, view.exchange, 'any') > view.ids.size,
  );
}

/** The whole catalogue, and between two looks at it the filters that lacked something. */
async function askForPages(session: Session, statuses: ReadonlySet<PetStatus | 'any'>): Promise<void> {
  const filters = petStatuses.filter((status) => statuses.has(status));
  const whole = filters.length === 0 ? [] : ['limit=100'];
  for (const query of ['limit=100', ...filters.map((status) => `status=${status}&limit=100`), ...whole]) {
    await session.send(listPets(query));
  }
}

/**
 * Where the catalogue lacks an animal still, the service may hold no more in a page, or keep no more: one more animal
 * tells, in a page of another limit, since the same may be remembered.
 */
async function askForOneMore(session: Session): Promise<void> {
  const history = look(session);
  const view = listedPages(history).findLast(({ status, most }) => status === 'any' && most === 100);
  if (view === undefined || session.settings.isReadOnly) return;
  const missing = missingAnimals(history, view);
  if (missing.length === 0 || missing.some((pet) => proofOfRoom(history, view, pet) !== undefined)) return;
  const shown = history.created.find(({ id }) => view.ids.has(id))?.sent?.status;
  await session.send(createPet(plainPet(session, shown)));
  await session.send(listPets('limit=99'));
}

async function lookAgain(session: Session): Promise<void> {
  const history = look(session);
  const after = lastLook(session);
  const [ids, views, defaults] = [unfound(history, after), incomplete(history, after), shortDefaults(history, after)];
  if (ids.length + views.length + defaults.length === 0) return;
  await waitToSettle(session);
  for (const id of ids.slice(0, mostReads)) await session.send(getPet(id));
  if (views.length > 0) {
    await askForPages(session, new Set(views.map(({ status }) => status)));
    await askForOneMore(session);
  }
  if (defaults.length === 0) return;
  for (const query of ['limit=20', '', 'limit=20']) await session.send(listPets(query));
}

/** What scenarios of a rank did not find is asked for at its end. */
export function secondLook(rank: Scenario['rank']): Scenario {
  return {
    kind: 'scenario',
    id: checkOf(rank),
    rank,
    verifies: ['list-complete', 'list-limit-default', 'get-answer', 'get-until-removal'],
    title: 'Asks again for animals that were not seen yet, after a while',
    run: lookAgain,
  };
}
