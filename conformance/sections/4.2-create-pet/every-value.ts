/** §4.2 Creates, as far as the budget allows, enough animals for a full page, and one for every hard value. */

import { type PetStatus, petStatuses } from '../../../spec/operations.ts';
import type { Exchange } from '../../http/exchange.ts';
import { isJsonObject, type JsonObject, writeJson } from '../../http/json.ts';
import { bodyOf, statusOf } from '../../http/read-response.ts';
import type { PlannedRequest } from '../../run/planned-request.ts';
import type { Scenario } from '../../run/scenario.ts';
import type { Session } from '../../run/session.ts';
import { shuffle } from '../orders.ts';
import { createPet, createPetFrom, drawUnknownId, knownIds, listPets, plainCategory, plainPet } from '../requests.ts';
import {
  boundaries,
  categoryAt,
  createdIds,
  createOrConfirm,
  isAccepted,
  learnedAcceptance,
  mayCreate,
} from './creations.ts';
import { unknownFields } from './invalid-values.ts';
import { writings } from './json-texts.ts';
import { commonEdges, longName, lookAlikeNames, maySend, namesWithAffixes } from './names.ts';

/** Bounds the attempts on a target that accepts every animal and lists none. */
const mostAttempts = 30;
/** One more than the default page holds. */
const enoughAnimals = 21;

interface Several {
  /** Whether the existing animals and those under way are enough. */
  readonly isEnough: (at: number, underWay: number) => boolean;
  /** Creates one; resolves with false if no further one is worth trying. */
  readonly create: (at: number) => Promise<boolean>;
}

/** Creates animals until there are enough; resolves with false if a refusal shows that no further one is worth trying. */
async function createSeveral(session: Session, { isEnough, create }: Several): Promise<boolean> {
  let underWay = 0;
  let isWorthwhile = true;
  const tasks = Array.from({ length: mostAttempts }, (_nothing, at) => async () => {
    if (!isWorthwhile || !mayCreate(session) || isEnough(at, underWay)) return;
    underWay += 1;
    isWorthwhile = (await create(at)) && isWorthwhile;
    underWay -= 1;
  });
  await session.doAll(tasks);
  return isWorthwhile;
}

/**
 * Creates one available animal for each way to write it, with a name that resembles another type and a hard category.
 * Once the target refuses one of these, plain animals show whether the writing is the reason.
 */
function writtenAnimals(session: Session): Several['create'] {
  const ways = shuffle(writings, session.random);
  const names = lookAlikeNames(session);
  let takesLookAlikes = true;
  return async (at) => {
    const write = ways[at] ?? writeJson;
    const plainly = (): JsonObject => plainPet(session, 'available');
    const name = at < ways.length ? names[at] : undefined;
    if (name !== undefined && takesLookAlikes) {
      const categoryId = categoryAt(session, boundaries.length - 1 - at);
      if (await isAccepted(session, createPetFrom(write({ ...plainly(), name, categoryId })))) return true;
      takesLookAlikes = false;
      if (!(await isAccepted(session, createPet(plainly())))) return false;
    }
    return createOrConfirm(session, () => createPetFrom(write(plainly())), 'available');
  };
}

/**
 * How a body is sent is open: any 4xx may refuse chunks, but an accepted animal is judged. The chunks of the second body
 * end within the characters of its name.
 */
async function createInChunks(session: Session): Promise<void> {
  const tag = session.newName();
  for (const name of [tag, `${tag} é漢🦄`]) {
    const mayBeSent = name === tag || (learnedAcceptance(session).takesHardNames && maySend(session, name));
    if (!mayCreate(session) || !mayBeSent) return;
    const request = createPet({ ...plainPet(session, 'available'), name });
    if (!(await isAccepted(session, { ...request, headers: { 'transfer-encoding': 'chunked' } }))) return;
  }
}

export const enoughForDefault: Scenario = {
  id: 'enough-for-the-default-page',
  rank: 4,
  verifies: ['list-limit-default', 'create-answer', 'pet-name-kept', 'pet-category-id-kept'],
  title: 'Creates animals until the catalogue holds more than a default page, each written in a way of its own',
  run: async (session) => {
    const isWorthwhile = await createSeveral(session, {
      isEnough: (at, underWay) => at >= writings.length && knownIds(session).length + underWay >= enoughAnimals,
      create: writtenAnimals(session),
    });
    if (!isWorthwhile) return;
    await session.send(listPets());
    await createInChunks(session);
  },
};

function isCreatedAvailable(exchange: Exchange): boolean {
  const body = bodyOf(exchange);
  return statusOf(exchange) === 201 && isJsonObject(body) && body['status'] === 'available';
}

/** After so many refused names in a row only plain ones are sent. */
const refusalsBeforePlain = 3;

/** So many names are sent even if there are enough animals: a long one, and one for each common beginning. */
const namesToTry = 1 + commonEdges.length;
const keptCreations = 21;
/** As many names that resemble another type come here at most; a larger budget draws the others later. */
const mostLookAlikes = 9;

/** Creates animals of one status, so that a filtered page can be longer than the default one. */
async function createAvailable(session: Session, status: PetStatus): Promise<void> {
  const names = namesWithAffixes(session, learnedAcceptance(session).takesHardNames ? 'with-middles' : 'short');
  let refusals = 0;
  const takesMore = (): boolean => refusals < refusalsBeforePlain;
  await createSeveral(session, {
    isEnough: (at, underWay) => {
      const isTried = !takesMore() || at >= namesToTry || session.budget.creationsLeft() <= keptCreations;
      return isTried && session.exchanges.filter(isCreatedAvailable).length + underWay >= enoughAnimals;
    },
    create: async (at) => {
      const around = takesMore() ? names[at] : undefined;
      const tag = session.newName();
      const categoryId = categoryAt(session, at);
      const name = around?.(tag) ?? tag;
      // A number at the end of the text may be read otherwise than one before a comma.
      const pet = at % 2 === 0 ? { name, categoryId, status } : { status, name, categoryId };
      const answer = await session.send(createPet(pet));
      const isRefused = statusOf(answer) !== 201;
      if (around !== undefined) refusals = isRefused ? refusals + 1 : 0;
      return around !== undefined || !isRefused || categoryId !== plainCategory(session);
    },
  });
}

function withoutMediaType({ contentType: _type, ...request }: PlannedRequest): PlannedRequest {
  return request;
}

/** Bodies that the target may accept or refuse, some longer than any column: if they are accepted, the animal is judged. */
function strangeBodies(session: Session): readonly PlannedRequest[] {
  const pet = (): JsonObject => plainPet(session);
  const category = String(plainCategory(session));
  const twice = `"name":"${session.newName()}","name":"${session.newName()}"`;
  const named = (name: string): readonly PlannedRequest[] =>
    maySend(session, name) ? [createPet({ ...pet(), name })] : [];
  const [existing] = createdIds(session);
  const { takesOtherCategories } = learnedAcceptance(session);
  const twin = createPet({ ...pet(), ...(takesOtherCategories ? { categoryId: 2n ** 53n + 1n } : {}) });
  return [
    ...named(longName(session.newName(), 9_000)),
    ...named(`${session.newName()} \u0000 \u0007 \u001b`),
    // A lone surrogate is no text: how it is stored is open.
    ...named(`${session.newName()} \ud83e`),
    // An animal without a name carries no tag of the run.
    ...(session.settings.isDisposable ? named('') : []),
    // Names may have to be unique; otherwise these are two animals.
    twin,
    twin,
    // Unknown fields of every JSON type at once, and an id that is null.
    createPet(Object.assign({ id: null }, pet(), ...unknownFields) as JsonObject),
    createPet({ ...pet(), id: existing ?? drawUnknownId(session) }),
    createPetFrom(`{"name":"${session.newName()}","categoryId":${category}.0}`),
    // 1200 by another spelling, on a target that takes any category.
    ...(takesOtherCategories ? [createPetFrom(`{"name":"${session.newName()}","categoryId":12e2}`)] : []),
    createPetFrom(writeJson(pet()), undefined, 'text/plain'),
    withoutMediaType(createPet(pet())),
    createPetFrom(`\ufeff${writeJson(pet())}`),
    createPetFrom(`{${twice},"categoryId":${category}}`),
    createPetFrom(`{"n":1e-320,"m":1${'0'.repeat(40)}.5E-40,${writeJson(pet()).slice(1)}`),
  ];
}

export const everyValue: Scenario = {
  id: 'every-value',
  rank: 4,
  verifies: ['create-answer', 'pet-name-kept', 'pet-category-id-kept', 'pet-status-kept'],
  title: 'Creates animals with hard beginnings, middles and ends of names, and with every hard category',
  run: async (session) => {
    if (!mayCreate(session)) return;
    await createAvailable(session, 'available');
    const room = session.budget.creationsLeft() - keptCreations;
    const names = lookAlikeNames(session).slice(0, Math.max(3, Math.min(mostLookAlikes, room)));
    await session.sendAll([
      ...names.map((name, at) => createPet({ ...plainPet(session, petStatuses[at % petStatuses.length]), name })),
      ...strangeBodies(session),
    ]);
  },
};
