/** §4.2 Creates the animals of every run, each with as many hard values as possible. */

import { defined } from '../../../spec/defined.ts';
import { type PetStatus, petStatuses } from '../../../spec/operations.ts';
import { noKey } from '../../http/credentials.ts';
import { writeJson } from '../../http/json.ts';
import { secondMs } from '../../http/tolerances.ts';
import type { Scenario } from '../../run/scenario.ts';
import type { Session } from '../../run/session.ts';
import { isRemoved } from '../4.3-get-pet/reads.ts';
import { findCredential } from '../5-authentication/credentials.ts';
import { createPet, createPetFrom, drawUnknownId, getPet, idsIn, listPets, plainPet } from '../requests.ts';
import {
  categoryAt,
  confirmStatuses,
  createAccepted,
  createdIds,
  createOrConfirm,
  learnedAcceptance,
  mayCreate,
  plainNames,
} from './creations.ts';
import { crowdedAnimals, drawnAnimals } from './drawn-animals.ts';
import { enoughForDefault, everyValue } from './every-value.ts';
import { everyInvalidBody, invalidBodiesInCompany, rareInvalidBodies } from './invalid-bodies.ts';
import { writeEscaped, writeFreely } from './json-texts.ts';
import { hardName, lookAlikeNames, namesWithAffixes, rareName, takesLookAlikes } from './names.ts';
import { whyNothingIsCreated } from './refusals.ts';

export const firstAnimals: Scenario = {
  id: 'first-animals',
  rank: 1,
  // Listings and reads are judged by these animals, and without them no more are created.
  verifies: [
    'create-answer',
    'pet-id',
    'pet-id-unique',
    'pet-id-assigned',
    'list-answer',
    'list-limit-default',
    'pet-name-kept',
    'pet-category-id-kept',
    'pet-status-kept',
    'get-answer',
    'get-until-removal',
    'list-complete',
    'list-status-filter',
    'list-limit',
  ],
  title: 'Creates animals that carry several hard values at once, and plainer ones if those are refused',
  run: async (session, { note }) => {
    if (session.settings.isReadOnly) return;
    // The first is pending: a listing of available animals that ignores its filter shows it first.
    await createAccepted(session, {
      name: (tag) => hardName(session, tag),
      categoryId: 2n ** 53n + 1n,
      status: 'pending',
    });
    await session.doAll<unknown>([
      () =>
        createAccepted(session, {
          name: (tag) => rareName(session, tag),
          categoryId: 2n ** 63n - 1n,
          status: 'available',
          write: writeEscaped,
        }),
      () => createOrConfirm(session, () => createPetFrom(writeFreely(plainPet(session)))),
    ]);
    await confirmStatuses(session);
    const reason = whyNothingIsCreated(session);
    if (reason !== undefined) note('create-answer', reason);
  },
};

export const secondAnimals: Scenario = {
  id: 'second-animals',
  rank: 2,
  verifies: [
    'list-answer',
    'list-status-filter',
    'create-answer',
    'pet-id-assigned',
    'pet-id-unique',
    'pet-category-id-kept',
    'pet-status-kept',
  ],
  title: 'Creates the first sold animal with an id of the client, and one with the name of an earlier one',
  run: async (session) => {
    if (!mayCreate(session)) return;
    // There may be no sold animal yet: an empty page is an array, too.
    await session.send(listPets('status=sold&limit=2'));
    const isLookAlikeTaken = session.settings.isDisposable && learnedAcceptance(session).takesHardNames;
    // A service that refuses unknown fields gets the animal without its id.
    await createAccepted(session, {
      name: (tag) => (isLookAlikeTaken ? '007' : `${tag}Bo`),
      isModeratelyHard: true,
      categoryId: 0n,
      status: 'sold',
      write: (pet) => writeJson(Object.fromEntries(Object.entries({ ...pet, id: drawUnknownId(session) }).reverse())),
    });
    await confirmStatuses(session);
    const [name] = plainNames(session);
    // Names may have to be unique, so it may be refused.
    if (name !== undefined) await session.send(createPet({ ...plainPet(session, 'sold'), name }));
  },
};

/** Headers of clients, gateways and tracing that name a request, each with a number that a service may take for the id. */
function idHeaders(session: Session): Readonly<Record<string, string>> {
  const names = ['idempotency-key', 'x-idempotency-key', 'x-request-id', 'request-id', 'x-correlation-id', 'x-pet-id'];
  return Object.fromEntries(names.map((name) => [name, String(drawUnknownId(session))]));
}

/** Longer than services usually keep idle connections and remembered values. */
const restMs = 5 * secondMs;
const requestsAfterRest = 4;

const lookAlikesAtFirst = 6;

export const bodyScenarios: readonly Scenario[] = [
  // Concurrent creations, and concurrent reads right after them.
  {
    id: 'side-by-side',
    rank: 4,
    verifies: ['pet-id-unique', 'pet-status-kept', 'get-answer', 'list-complete'],
    title: 'Creates three animals concurrently, reads each, and lists them',
    run: async (session) => {
      if (!mayCreate(session)) return;
      // A target that refuses such names must not be left without animals here.
      const names = takesLookAlikes(session) ? lookAlikeNames(session) : [];
      const pets = petStatuses.map((status, at) => ({ ...plainPet(session, status), ...defined({ name: names[at] }) }));
      const created = await session.sendTogether(pets.map((pet) => createPet(pet)));
      const ids = created.flatMap(idsIn);
      if (!isRemoved(session)) await session.sendTogether(ids.map((id) => getPet(id)));
      await session.send(listPets('limit=100'));
    },
  },
  {
    id: 'look-alike-names',
    rank: 4,
    verifies: ['pet-id-assigned', 'pet-id-unique', 'pet-name-kept', 'pet-category-id-kept', 'pet-status-kept'],
    title: 'Creates animals with names that resemble other types, and one with an id of the client',
    run: async (session) => {
      if (!mayCreate(session)) return;
      // The first differs from an earlier name in letter case alone.
      const lookAlikes = [
        ...plainNames(session)
          .slice(0, 1)
          .map((name) => name.toUpperCase()),
        ...lookAlikeNames(session),
      ];
      const names = session.settings.isDisposable
        ? lookAlikes.slice(0, lookAlikesAtFirst).map((name) => () => name)
        : namesWithAffixes(session, 'short').slice(1, 4);
      const statusAt = (at: number): PetStatus => petStatuses[at % petStatuses.length]!;
      await session.doAll<unknown>([
        () => session.send(createPet({ ...plainPet(session, 'pending'), id: drawUnknownId(session) })),
        () => session.send({ ...createPet(plainPet(session)), headers: idHeaders(session) }),
        ...names.map((name, at) => () => {
          const categoryId = categoryAt(session, at);
          return createAccepted(session, { name, isModeratelyHard: true, categoryId, status: statusAt(at) });
        }),
      ]);
    },
  },
  enoughForDefault,
  everyValue,
  everyInvalidBody,
  drawnAnimals,
  crowdedAnimals,
  rareInvalidBodies,
  // Finds services that lose something while nobody asks; only where a few seconds more do not matter.
  {
    id: 'after-a-rest',
    rank: 8,
    verifies: ['list-answer', 'list-complete', 'get-answer', 'create-answer', 'auth-invalid-key'],
    title: 'Waits some seconds on a disposable target, then creates, lists, reads, and sends a wrong key',
    run: async (session) => {
      const { settings } = session;
      const isPointless = !mayCreate(session) || session.budget.requestsLeft() < requestsAfterRest;
      if (!settings.isDisposable || isPointless || restMs > settings.maxWaitMs) return;
      await session.wait(restMs, 'whether a rest changes anything');
      const [id] = createdIds(session);
      await session.send(createPet(plainPet(session, 'pending')));
      await session.send(listPets('status=pending&limit=100'));
      if (id !== undefined && !isRemoved(session)) await session.send(getPet(id));
      const wrong = findCredential('last-character-changed', session.keys);
      if (wrong !== undefined) await session.send(listPets('limit=1', wrong));
    },
  },
  // Concurrent requests of different kinds: an answer must be that to its own request.
  {
    id: 'kinds-side-by-side',
    rank: 8,
    verifies: [
      'list-answer',
      'create-answer',
      'create-required-fields',
      'get-answer',
      'get-not-found',
      'auth-missing-key',
    ],
    title: 'Sends creations, listings, reads, invalid bodies and requests without a key concurrently',
    run: async (session) => {
      if (!mayCreate(session)) return;
      const [first] = createdIds(session);
      const reads = first === undefined || isRemoved(session) ? [] : [getPet(first), getPet(drawUnknownId(session))];
      for (const status of ['sold', 'pending'] as const) {
        await session.sendTogether([
          createPet(plainPet(session, status)),
          listPets(`status=${status}&limit=3`),
          ...reads,
          createPet({ name: session.newName() }),
          listPets('limit=2', noKey),
          createPet(plainPet(session, 'available')),
          listPets('limit=100'),
        ]);
      }
    },
  },
  invalidBodiesInCompany,
];
