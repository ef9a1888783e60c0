/** §4.2 Add an animal: the animals that a run creates, each with values that no other has tried. */

import { type PetStatus, petStatuses } from '../../spec/facts.ts';
import type { Scenario } from '../engine/check.ts';
import type { Exchange } from '../engine/exchange.ts';
import { isJsonObject, type JsonObject, writeJson } from '../engine/json.ts';
import { readNewPet } from '../engine/read-request.ts';
import { bodyOf, statusOf } from '../engine/read-response.ts';
import type { PlannedRequest, Session } from '../engine/session.ts';
import { confirmStatuses, createAccepted, createInWay, mayCreate, tasteOf } from './4.2-creations.ts';
import { everyInvalidBody, firstInvalidBodies, moreInvalidBodies } from './4.2-invalid-bodies.ts';
import { hardName, longName, maySend, namesAround, namesLikeOthers, rareName, shuffle } from './4.2-names.ts';
import { whyNothingIsCreated } from './4.2-refusals.ts';
import { writeEscaped, writeFreely, writings } from './4.2-writings.ts';
import { isRemoved } from './4.3-get-pet.ts';
import {
  createPet,
  createPetFrom,
  drawUnknownId,
  getPet,
  idsIn,
  knownIds,
  listPets,
  plainCategory,
  plainPet,
} from './requests.ts';

const firstAnimals: Scenario = {
  kind: 'scenario',
  id: 'first-animals',
  rank: 1,
  // What is created here is what lists and reads are judged by.
  verifies: [
    'create-answer',
    'pet-id',
    'pet-name-kept',
    'pet-category-id-kept',
    'pet-status-kept',
    'get-answer',
    'get-until-removal',
    'list-complete',
    'list-status-filter',
    'list-limit',
  ],
  title: 'Creates animals that carry several hard values at once, and plainer ones where they are refused',
  run: async (session, { note }) => {
    if (session.settings.isReadOnly) return;
    await createAccepted(session, {
      name: (tag) => hardName(session, tag),
      categoryId: 2n ** 53n + 1n,
      status: 'available',
    });
    await createAccepted(session, {
      name: (tag) => rareName(session, tag),
      categoryId: 2n ** 63n - 1n,
      status: 'pending',
      write: writeEscaped,
    });
    await createInWay(session, () => createPetFrom(writeFreely(plainPet(session))));
    // While there may be no such animal, but others: an empty page is an array too.
    await session.send(listPets('status=sold'));
    await createAccepted(session, {
      name: (tag) => `${tag}Bo`,
      isMild: true,
      categoryId: -(2n ** 63n),
      status: 'sold',
      write: (pet) => writeJson(Object.fromEntries(Object.entries(pet).reverse())),
    });
    await confirmStatuses(session);
    const reason = whyNothingIsCreated(session);
    if (reason !== undefined) note('create-answer', reason);
  },
};

/** Where integers of some size turn, each with a neighbour. */
const turns = [
  -1n,
  2n ** 32n + 5n,
  -(2n ** 53n) - 1n,
  0n,
  2n ** 31n,
  2n ** 31n - 1n,
  -(2n ** 31n) - 1n,
  2n ** 53n - 1n,
  10n ** 18n + 7n,
  2n ** 32n - 1n,
  -(2n ** 53n),
  2n ** 62n + 1n,
  -(2n ** 63n) + 1n,
  2n ** 63n - 2n,
  2n ** 16n,
  -(2n ** 31n),
  2n ** 53n,
  2n ** 8n,
];

/** A category of a turn, or one that the user names, in turn. */
function categoryInTurn(session: Session, at: number): bigint {
  const { categoryIds } = session.settings;
  return !tasteOf(session).takesOtherCategories && categoryIds.length > 0
    ? categoryIds[at % categoryIds.length]!
    : turns[at % turns.length]!;
}

/** The ids of the animals that the run has created: those of others are not put at risk. */
function createdIds(session: Session): readonly bigint[] {
  return session.exchanges.filter((exchange) => statusOf(exchange) === 201).flatMap(idsIn);
}

/** Of what looks like something else so many names come early. */
const firstLookAlikes = 3;

const moreAnimals: Scenario = {
  kind: 'scenario',
  id: 'more-animals',
  rank: 2,
  verifies: ['pet-id-assigned', 'pet-id-unique', 'pet-name-kept', 'pet-category-id-kept', 'pet-status-kept'],
  title: 'Creates animals with an id of the client, and with names that look like something else',
  run: async (session) => {
    if (!mayCreate(session)) return;
    const [existing] = createdIds(session);
    await session.send(createPet({ ...plainPet(session, 'pending'), id: drawUnknownId(session) }));
    if (existing !== undefined) await session.send(createPet({ ...plainPet(session, 'sold'), id: existing }));
    const names = shuffle(namesLikeOthers(session), session.random).slice(0, firstLookAlikes);
    for (const [at, name] of names.entries()) {
      const status = petStatuses[at % petStatuses.length]!;
      await createAccepted(session, { name: () => name, categoryId: categoryInTurn(session, at), status });
    }
  },
};

/** What happens between neighbours in time: creations side by side, and reads at once. */
const neighboursInTime: Scenario = {
  kind: 'scenario',
  id: 'side-by-side',
  rank: 4,
  verifies: ['pet-id-unique', 'pet-status-kept', 'get-answer', 'list-complete'],
  title: 'Creates three animals side by side and reads each, then three more and lists them',
  run: async (session) => {
    if (!mayCreate(session)) return;
    const createThree = (): Promise<readonly Exchange[]> =>
      session.sendTogether(petStatuses.map((status) => createPet(plainPet(session, status))));
    const ids = (await createThree()).flatMap(idsIn);
    if (!isRemoved(session)) await session.sendTogether(ids.map((id) => getPet(id)));
    await session.send(listPets('limit=100'));
    await createThree();
    await session.send(listPets('limit=100'));
  },
};

/** A target that accepts all and shows none would be asked for ever. */
const mostAttempts = 30;
/** One more than the default page holds. */
const enoughAnimals = 21;

/** The ways in which a plain animal may be written and sent, in an order by the seed. */
function waysOf(session: Session): readonly (() => PlannedRequest)[] {
  const pet = (): JsonObject => plainPet(session, 'available');
  return shuffle(
    [
      ...writings.map((write) => () => createPetFrom(write(pet()))),
      () => ({ ...createPet(pet()), headers: { 'transfer-encoding': 'chunked' } }),
    ],
    session.random,
  );
}

const enoughForDefault: Scenario = {
  kind: 'scenario',
  id: 'enough-for-the-default-page',
  rank: 4,
  verifies: ['list-limit-default', 'create-answer'],
  title: 'Creates plain animals until the catalogue holds more than a default page, each written in a way of its own',
  run: async (session) => {
    const ways = waysOf(session);
    for (let at = 0; at < mostAttempts && mayCreate(session); at += 1) {
      const isEnough = knownIds(session).length >= enoughAnimals;
      const way = ways[at];
      if (isEnough && way === undefined) return;
      const make = way ?? (() => createPet(plainPet(session, 'available')));
      if (!(await createInWay(session, make, 'available'))) return;
    }
  },
};

/** The plain name of an animal that was created. */
function plainNameOf(exchange: Exchange): string | undefined {
  const reading = readNewPet(exchange);
  const isPlain = exchange.operation === 'createPet' && reading.kind === 'valid' && reading.isPlainName;
  return isPlain && statusOf(exchange) === 201 ? reading.pet.name : undefined;
}

function isCreatedAvailable(exchange: Exchange): boolean {
  const body = bodyOf(exchange);
  return statusOf(exchange) === 201 && isJsonObject(body) && body['status'] === 'available';
}

/** How many refused names in a row tell that a service wants plain ones. */
const refusalsBeforePlain = 3;

/** Creates animals of one status, so that a filtered page can be longer than the default one. */
async function createAvailable(session: Session, status: PetStatus): Promise<void> {
  const names = namesAround(session, tasteOf(session).takesHardNames ? 'with-middles' : 'short');
  let refusals = 0;
  for (let at = 0; at < mostAttempts && mayCreate(session); at += 1) {
    if (session.exchanges.filter(isCreatedAvailable).length >= enoughAnimals) return;
    const around = refusals < refusalsBeforePlain ? names[at] : undefined;
    const tag = session.newName();
    const { takesOtherCategories } = tasteOf(session);
    const categoryId = takesOtherCategories ? categoryInTurn(session, at) : plainCategory(session);
    const answer = await session.send(createPet({ name: around?.(tag) ?? tag, categoryId, status }));
    const isRefused = statusOf(answer) !== 201;
    if (around === undefined && isRefused) return;
    if (around !== undefined) refusals = isRefused ? refusals + 1 : 0;
  }
}

/** What is longer than any column, and what is open: whether it is accepted says nothing, what becomes of it does. */
function strangeBodies(session: Session): readonly PlannedRequest[] {
  const pet = (): JsonObject => plainPet(session);
  const { name: aName, categoryId } = pet();
  const named = (name: string): readonly PlannedRequest[] =>
    maySend(session, name) ? [createPet({ ...pet(), name })] : [];
  const [existing] = createdIds(session);
  return [
    ...named(longName(session.newName(), 9_000)),
    ...named(`${session.newName()} \u0000 \u0007 \u001b`),
    // Half a character is no text: how it is kept is open.
    ...named(`${session.newName()} \ud83e`),
    ...named(''),
    // Names may have to be unique; where they need not be, these are two animals.
    ...named(session.exchanges.map(plainNameOf).find((name) => name !== undefined) ?? session.newName()),
    createPet({ ...pet(), colour: 'brown' }),
    createPet({ ...pet(), id: existing ?? drawUnknownId(session) }),
    createPetFrom(`{"name":"${session.newName()}","categoryId":1.0}`),
    createPetFrom(writeJson(pet()), undefined, 'text/plain'),
    createPetFrom(`\ufeff${writeJson(pet())}`),
    createPetFrom(`{"name":"Rex","name":${writeJson(aName!)},"categoryId":${writeJson(categoryId!)}}`),
    createPetFrom(`{"n":1e-320,"m":1${'0'.repeat(40)}.5E-40,${writeJson(pet()).slice(1)}`),
  ];
}

const everyValue: Scenario = {
  kind: 'scenario',
  id: 'every-value',
  rank: 5,
  verifies: ['create-answer', 'pet-name-kept', 'pet-category-id-kept', 'pet-status-kept'],
  title: 'Creates animals with names that begin, go on and end in every hard way, and with every hard category',
  run: async (session) => {
    if (!mayCreate(session)) return;
    await createAvailable(session, 'available');
    const names = shuffle(namesLikeOthers(session), session.random).slice(0, firstLookAlikes);
    await session.sendAll([
      ...names.map((name) => createPet({ ...plainPet(session), name })),
      ...strangeBodies(session),
    ]);
  },
};

export const bodyScenarios: readonly Scenario[] = [
  firstAnimals,
  firstInvalidBodies,
  moreAnimals,
  moreInvalidBodies,
  neighboursInTime,
  enoughForDefault,
  everyValue,
  everyInvalidBody,
];
