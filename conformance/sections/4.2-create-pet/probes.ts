/** §4.2 The creations and the invalid bodies of a run, by rank. */

import { pageLimit, petStatuses } from '../../../spec/operations.ts';
import { shuffle } from '../../../spec/random.ts';
import { requirements } from '../../../spec/requirements.ts';
import { runConcurrently } from '../../http/concurrency.ts';
import type { Exchange } from '../../http/exchange.ts';
import { writeJson } from '../../http/json.ts';
import { idsShownIn, statusOf } from '../../http/read-response.ts';
import type { PlannedRequest } from '../../run/planned-request.ts';
import type { Session } from '../../run/session.ts';
import type { Check, Probe, Scenario } from '../../run/suite.ts';
import { restsOnCreations } from '../../verdict/verdict.ts';
import { isRemoved } from '../4.3-get-pet/reads.ts';
import { findCredential } from '../5-authentication/credentials.ts';
import {
  createdIds,
  createPet,
  createPetFrom,
  drawUnknownId,
  getPet,
  largestPage,
  listPets,
  plainCategory,
  plainPet,
} from '../requests.ts';
import { boundaries, invalidBodies, openBodies, type ValueRow } from '../values.ts';
import { attemptsIn, takesAnyCategory, whyNothingIsCreated } from './attempts.ts';
import { type Creation, creationsOf, learnedAcceptance, mayCreate } from './creations.ts';
import { mayBeTransportRefusal } from './judges.ts';
import { affixedNames, firstNames, namesLikeValues } from './names.ts';
import { writeEscaped, writeFreely, writings } from './writings.ts';

/** So many later creations have categories at boundaries that the interface names; they come before those that it does not name. */
const namedBoundaries = 2;
/** How many animals come after the first ones: a page without a limit is to be full. Drawn requests create further ones. */
const laterAnimals = pageLimit.usual;

/** The first three animals, which everything else needs. A service that reads or lists available ones alone lacks the second. */
const firstCreations: readonly Creation[] = [
  { name: firstNames[0], categoryId: 2n ** 53n + 1n, status: 'available' },
  { name: firstNames[1], categoryId: 2n ** 63n - 1n, status: 'sold', write: writeEscaped },
  { write: writeFreely },
];

/** What is unusual of an animal: its name, which resembles a value or has other text around it, its category, its writing. */
interface Pattern {
  readonly name?: 'like-a-value' | 'affixed';
  readonly isAtBoundary?: true;
  readonly isWrittenUnusually?: true;
}

/** The animals after the first ones, four at a time: the fourth has an ordinary name and category. */
const patterns: readonly Pattern[] = [
  { name: 'like-a-value', isAtBoundary: true },
  { name: 'affixed', isAtBoundary: true, isWrittenUnusually: true },
  { name: 'like-a-value', isAtBoundary: true },
  { isWrittenUnusually: true },
];

/** Takes the values of a list one after the other, and begins again at its end. */
function cycle<Value>(values: readonly Value[]): () => Value {
  let taken = 0;
  return () => {
    taken += 1;
    return values[(taken - 1) % values.length]!;
  };
}

/** Each animal carries a name, a category, a status and a way of writing. */
function laterCreations(session: Session): readonly Creation[] {
  const names = { 'like-a-value': namesLikeValues(session).values(), affixed: affixedNames(session).values() };
  const nextBoundary = cycle(boundaries);
  const nextWriting = cycle([...shuffle(writings, session.random), writeJson, writeEscaped]);
  const statuses = [...petStatuses, undefined];
  return Array.from({ length: laterAnimals / patterns.length }, (_nothing, round) =>
    patterns.map(
      ({ name, isAtBoundary, isWrittenUnusually }, place): Creation => ({
        name: name && names[name].next().value,
        categoryId: isAtBoundary && nextBoundary(),
        // Each round begins with another status, so that every pattern comes to have each of them.
        status: statuses[(place + round) % statuses.length],
        write: isWrittenUnusually && nextWriting(),
      }),
    ),
  ).flat();
}

function creationProbes(session: Session): readonly Probe[] {
  const send = creationsOf();
  // An ordinary animal of each status that no accepted animal has: the first ones may have been refused for their names. Reads
  // of rank 2.15 follow, before pages by status show these animals.
  const untaken = petStatuses.map((status): Probe => {
    const { request, ...rest } = send(2.12, { status });
    const isTaken = (own: Session) => attemptsIn(own).some((one) => one.isAccepted && one.status === status);
    return { ...rest, request: (own) => (isTaken(own) ? undefined : request(own)) };
  });
  return [
    ...firstCreations.map((creation) => send(0, creation)),
    ...untaken,
    ...laterCreations(session).map((creation, at) => send(at < namedBoundaries ? 3.5 : 4, creation)),
  ];
}

/** A category by which the animal of a body without a name is known, if the target accepts any category. */
function markingCategory(session: Session): bigint {
  if (!takesAnyCategory(session)) return plainCategory(session);
  return 2n ** 40n + BigInt(Math.floor(session.random() * 2 ** 40));
}

/** Writes a body of the table with the names, categories and ids of a run. */
export function fillBody(session: Session, template: string): string {
  const pet = () => writeJson(plainPet(session));
  const fillers: Readonly<Record<string, () => string>> = {
    '%N': () => writeJson(session.newName()),
    '%T': () => session.newName(),
    '%P': pet,
    '%p': () => pet().slice(1),
    '%J': () => writeJson(pet()),
    '%C': () => String(plainCategory(session)),
    '%M': () => String(markingCategory(session)),
    '%I': () => String(createdIds(session)[0]),
  };
  return template.replace(/%[NTPpJCMI]/g, (token) => fillers[token]!());
}

/** A creation that the interface does not describe. */
const open = (rank: number, template: string, changes: Partial<PlannedRequest> = {}): Probe => ({
  rank,
  request: (session) =>
    mayCreate(session) ? { ...createPetFrom(fillBody(session, template)), ...changes } : undefined,
});

/** Creations on which the interface is silent: accepted or refused, the animals in the answers are judged. */
const openProbes: readonly Probe[] = [
  // The same body twice.
  { ...open(4, '%P'), next: (_session, { request: { body = '' } }) => [open(4, body)] },
  open(4, '%P', { contentType: 'text/plain' }),
  // How a body is sent is open: any 4xx may refuse chunks.
  open(4, '%P', { headers: { 'transfer-encoding': 'chunked' } }),
  open(6, '%P', { contentType: undefined }),
  // A service may validate only bodies of exactly application/json.
  open(4, '{"name":%N,"status":"sold"}', { contentType: 'application/json; charset=utf-8' }),
];

const rowsFor = ({ settings }: Session, rows: readonly ValueRow[]): readonly ValueRow[] =>
  rows.filter(({ isHazardous }) => settings.isDisposable || !isHazardous);

const { missingFields, wrongFields, malformed, notUtf8 } = invalidBodies;

function refusedBodies(session: Session, ...tables: readonly (readonly ValueRow[])[]): readonly Probe[] {
  if (session.settings.isReadOnly) return [];
  let isValidSent = false;
  /** After a refusal with another status than 400, sends a valid body: a target that refuses it alike may have read neither. */
  const next: Probe['next'] = (session, exchange) => {
    const status = statusOf(exchange) ?? 0;
    const isDoubtful = status > 401 && status < 500 && !mayBeTransportRefusal(exchange);
    if (isValidSent || !isDoubtful || !mayCreate(session)) return [];
    isValidSent = true;
    return [{ rank: 0, request: (own) => createPet(plainPet(own)) }];
  };
  return rowsFor(session, tables.flat()).map(
    ({ rank, text }): Probe => ({ rank, request: (own) => createPetFrom(fillBody(own, text)), next }),
  );
}

/** Sends at the same time, as far as the rate limit allows, whatever --concurrency says. */
const sendTogether = ({ send }: Session, requests: readonly PlannedRequest[]): Promise<readonly Exchange[]> =>
  runConcurrently(
    requests.map((request) => () => send(request)),
    requests.length,
  );

/** A scenario of requests that are sent at the same time, where the run may create animals. */
const race = (id: string, rank: number, send: (session: Session) => Promise<unknown>): Scenario => ({
  id,
  rank,
  verifies: [
    'pet-id-unique',
    'pet-id-assigned',
    'pet-category-id-kept',
    'pet-status-kept',
    'get-answer',
    'list-complete',
    'list-answer',
    'create-answer',
    'auth-invalid-key',
  ],
  run: async (session) => {
    if (mayCreate(session)) await send(session);
  },
});

/** Two animals of one name, one with an id of the client: neither takes the place of the other. Names may have to be unique. */
const namesakes = race('namesakes', 2, (session) => {
  const { takesOtherCategories } = learnedAcceptance(session);
  const plain = plainCategory(session);
  const [first, second] = takesOtherCategories ? [-1n, 0n] : [plain, plain];
  const pet = { name: session.newName(), categoryId: second, status: 'pending' };
  return sendTogether(session, [createPet({ id: drawUnknownId(session), ...pet, categoryId: first }), createPet(pet)]);
});

/** Concurrent creations, then reads, a page, a wrong key and an invalid body at once: no request gets the answer to another one. */
const sideBySide = race('side-by-side', 4.5, async (session) => {
  const pets = petStatuses.map((status) => createPet(plainPet(session, status)));
  const created = (await sendTogether(session, pets)).flatMap(idsShownIn);
  const reads = isRemoved(session) ? [] : created.map((id) => getPet(id));
  const wrongKey = findCredential('never-issued', session.keys);
  await sendTogether(session, [
    ...reads,
    ...(wrongKey === undefined ? [] : [{ ...listPets(), credential: wrongKey }]),
    listPets(largestPage),
    createPet({ name: session.newName() }),
  ]);
});

export const createPetProbes: readonly Check[] = [
  {
    id: 'creations',
    createsAnimals: true,
    verifies: [
      'create-answer',
      'pet-id',
      'pet-id-unique',
      'pet-id-assigned',
      'pet-name-kept',
      'pet-category-id-kept',
      'pet-status-kept',
      // Listings and reads are judged by these animals.
      'list-complete',
      'list-limit',
      'list-limit-default',
      'list-status-filter',
    ],
    probes: creationProbes,
  },
  {
    id: 'nothing-created',
    rank: 0.5,
    verifies: ['create-answer'],
    run: async (session, { notes }) => {
      const reason = whyNothingIsCreated(session);
      if (session.settings.isReadOnly || reason === undefined) return;
      for (const { id } of requirements) if (restsOnCreations(id)) notes.set(id, reason);
    },
  },
  {
    id: 'open-creations',
    verifies: ['create-answer', 'pet-id-assigned', 'pet-id-unique', 'pet-name-kept', 'pet-category-id-kept'],
    probes: (session) => [...openProbes, ...rowsFor(session, openBodies).map(({ rank, text }) => open(rank, text))],
  },
  {
    id: 'invalid-bodies',
    verifies: [
      'create-required-fields',
      'create-invalid-values',
      'create-malformed-body',
      'create-refused-stores-nothing',
    ],
    probes: (session) => refusedBodies(session, missingFields, wrongFields, malformed),
  },
  {
    // Alone, so that --only sends no other body.
    id: 'bodies-of-other-bytes',
    verifies: ['create-body-utf8'],
    probes: (session) => refusedBodies(session, notUtf8),
  },
  namesakes,
  sideBySide,
];
