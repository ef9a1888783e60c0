/** §4.2 The creations and the invalid bodies of a run, by rank. */

import { type PetStatus, petStatuses } from '../../../spec/operations.ts';
import type { RequirementId } from '../../../spec/requirements.ts';
import { writeJson } from '../../http/json.ts';
import { statusOf } from '../../http/read-response.ts';
import type { PlannedRequest } from '../../run/planned-request.ts';
import type { Probe, ProbeKind } from '../../run/probe.ts';
import type { Check } from '../../run/scenario.ts';
import type { Session } from '../../run/session.ts';
import { isRemoved } from '../4.3-get-pet/reads.ts';
import { shuffle } from '../orders.ts';
import { createPet, createPetFrom, drawUnknownId, getPet, idsIn, listPets, plainPet } from '../requests.ts';
import { attemptsIn } from './accepted.ts';
import {
  fillBody,
  hazardous,
  malformed,
  missingFields,
  type Rows,
  reversed,
  unknownFields,
  utf16Bodies,
  wrongFields,
} from './bodies.ts';
import { type Creation, createdIds, creationsOf, mayCreate, type Name, unconfirmedStatuses } from './creations.ts';
import { affixedNames, firstNames, halfNames, lookAlikes, packedNames } from './names.ts';
import { mayBeTransportRefusal, whyNothingIsCreated } from './refusals.ts';
import { rareWritings, writeEscaped, writeFreely, writings } from './writings.ts';

/** Categories at the ends of number types, and beyond what a double holds, the likeliest to be changed first. */
export const boundaries: readonly bigint[] = [
  ...[
    -1n,
    2n ** 32n + 5n,
    -(2n ** 63n),
    -(2n ** 53n) - 1n,
    2n ** 31n,
    2n ** 31n - 1n,
    -(2n ** 31n) - 1n,
    2n ** 53n - 1n,
  ],
  ...[10n ** 18n + 7n, 2n ** 32n - 1n, -(2n ** 53n), 2n ** 62n + 1n, -(2n ** 63n) + 1n, 2n ** 63n - 2n, 2n ** 16n],
  ...[-(2n ** 31n), 2n ** 53n, 2n ** 8n, 2n ** 60n + 1n, -(2n ** 32n) - 5n, 2n ** 24n + 1n, -(10n ** 18n) - 7n],
  ...[-(2n ** 15n), 123_456_789_012_345_678n, 2n ** 7n, 123_456_789n, 2n ** 40n - 1n, -(2n ** 47n), 2n ** 56n + 1n],
];

/** How many more animals come within three hundred requests (a default page is to be full), and within a thousand. */
const [inThreeHundred, inAThousand] = [20, 64];

const statusAt = (at: number): PetStatus | undefined => [...petStatuses, undefined][(at + (at >> 2)) % 4];

/** The first three animals; what everything else stands on. */
const firstCreations: readonly Creation[] = [
  // The first is pending: a listing of available animals that ignores its filter shows it first.
  {
    name: { kind: 'first', of: firstNames[0], parts: halfNames },
    categoryId: 2n ** 53n + 1n,
    status: 'pending',
  },
  { name: { kind: 'first', of: firstNames[1] }, categoryId: 2n ** 63n - 1n, status: 'available', write: writeEscaped },
  { write: writeFreely },
];

/** Each animal carries a name, a category, a status and a way of writing; every fourth is ordinary but for the last two. */
function laterCreations(session: Session): readonly Creation[] {
  const similar = lookAlikes(session).map((name): Name => ({ kind: 'look-alike', of: () => name }));
  const affixed = affixedNames(session).map((of): Name => ({ kind: 'affixed', of }));
  const packed = packedNames(session).map((of): Name => ({ kind: 'packed', of }));
  const ways = [
    ...shuffle(writings, session.random),
    ...shuffle(rareWritings, session.random),
    writeJson,
    writeEscaped,
  ];
  return Array.from({ length: inAThousand }, (_nothing, at): Creation => {
    const kinds = at < inThreeHundred ? [similar, affixed, similar] : [packed, similar, affixed];
    return {
      name: at % 4 === 3 ? undefined : (kinds[at % 4]!.shift() ?? affixed.shift()),
      categoryId: at % 4 === 3 ? undefined : at === 0 ? 0n : boundaries[(at - 1) % boundaries.length],
      status: statusAt(at),
      write: at % 2 === 0 ? undefined : ways[(at >> 1) % ways.length],
    };
  });
}

function creationProbes(session: Session): readonly Probe[] {
  const send = creationsOf();
  return [
    ...firstCreations.map((creation) => send(0, creation)),
    ...laterCreations(session).map((creation, at) => send(at < inThreeHundred ? 4 : 7, creation)),
  ];
}

const one = (rank: number, request: (session: Session) => PlannedRequest | undefined): Probe => ({
  rank,
  request: (session) => (mayCreate(session) ? request(session) : undefined),
});

const withMore = (session: Session, more: string): string =>
  `{${more},${writeJson(plainPet(session, petStatuses[more.length % 3])).slice(1)}`;

function withoutMediaType({ contentType: _type, ...request }: PlannedRequest): PlannedRequest {
  return request;
}

/** Creations that the interface does not describe: accepted or refused, the animals in the answers are judged. */
const openProbes: readonly Probe[] = [
  // An id of the client, and the name and the body of an earlier animal: names may have to be unique.
  one(2, (session) => createPetFrom(writeJson(reversed({ id: drawUnknownId(session), ...plainPet(session, 'sold') })))),
  ...['name', 'body'].map((same) =>
    one(same === 'name' ? 2 : 4, (session) => {
      const last = attemptsIn(session).findLast(({ isAccepted, shape }) => isAccepted && shape !== undefined);
      if (last === undefined) return undefined;
      if (same === 'body') return createPetFrom(last.exchange.request.body ?? '');
      return createPet({ ...plainPet(session, 'sold'), name: last.name });
    }),
  ),
  one(4, (session) => {
    const [existing] = createdIds(session);
    return existing === undefined ? undefined : createPet({ ...plainPet(session), id: existing });
  }),
  one(4, (session) => createPetFrom(withMore(session, unknownFields.slice(0, 3).join()))),
  one(4, (session) => createPetFrom(writeJson(plainPet(session)).replace(/("categoryId":-?\d+)/, '$1.0'))),
  one(4, (session) => createPetFrom(writeJson(plainPet(session)), undefined, 'text/plain')),
  one(6, (session) => withoutMediaType(createPet(plainPet(session)))),
  one(6, (session) => createPetFrom(`\ufeff${writeJson(plainPet(session))}`)),
  one(6, (session) => createPetFrom(withMore(session, `"name":"${session.newName()}"`))),
  // How a body is sent is open: any 4xx may refuse chunks.
  one(4, (session) => ({
    ...createPet(plainPet(session, 'available')),
    headers: { 'transfer-encoding': 'chunked' },
  })),
  ...unknownFields.map((fields) => one(7, (session) => createPetFrom(withMore(session, fields)))),
  ...[
    'null',
    '"5"',
    '""',
    'true',
    '1.5',
    '[]',
    '{}',
    '0',
    '0',
    '-1',
    '9223372036854775808',
    '"2305843009213693951"',
  ].map((id) => one(7, (session) => createPetFrom(withMore(session, `"id":${id}`)))),
  one(7, (session) =>
    createPetFrom(`{"n":1e-320,"m":1${'0'.repeat(40)}.5E-40,${writeJson(plainPet(session)).slice(1)}`),
  ),
  // Animals without a name, and with one that is no text, carry no tag of the run.
  ...['', ' \u0000', ' \ud83e', ` ${'long name '.repeat(900)}`].map((end) =>
    one(end.length < 4 ? 4 : 6, (session) => {
      const name = end === '' ? '' : `${session.newName()}${end}`;
      return session.settings.isDisposable ? createPet({ ...plainPet(session), name }) : undefined;
    }),
  ),
  ...utf16Bodies.map((write) =>
    one(7, (session) =>
      session.settings.isDisposable ? createPetFrom(write(writeJson(plainPet(session)))) : undefined,
    ),
  ),
];

/**
 * After an invalid body was refused with another status than 400: a target that refuses a valid one alike may have read
 * neither.
 */
function showWhetherRead(): NonNullable<Probe['next']> {
  let isShown = false;
  return (session, exchange) => {
    const status = statusOf(exchange) ?? 0;
    const isDoubtful = status > 401 && status < 500 && status !== 429 && !mayBeTransportRefusal(exchange);
    if (isShown || !isDoubtful || !mayCreate(session)) return [];
    isShown = true;
    return [{ rank: 0, request: (own) => createPet(plainPet(own)) }];
  };
}

/** One in so many bodies names its charset: a service may validate only bodies of exactly application/json. */
const encodingEvery = 8;

function invalidBodies(
  tables: readonly Rows[],
  isHazardous: 'hazardous' | 'harmless' = 'harmless',
): ProbeKind['probes'] {
  return ({ settings }) => {
    if (settings.isReadOnly || (isHazardous === 'hazardous' && !settings.isDisposable)) return [];
    const next = showWhetherRead();
    return tables.flatMap((rows) =>
      Object.entries(rows).flatMap(([rank, bodies]) =>
        bodies.map((body, at): Probe => {
          const type = Number(rank) > 2 && at % encodingEvery === 0 ? '; charset=utf-8' : '';
          return {
            rank: Number(rank),
            request: (session) => createPetFrom(fillBody(session, body), undefined, `application/json${type}`),
            next,
          };
        }),
      ),
    );
  };
}

const stored: RequirementId = 'create-refused-stores-nothing';

export const createPetProbes: readonly Check[] = [
  {
    id: 'creations',
    verifies: [
      'create-answer',
      'pet-id',
      'pet-id-unique',
      'pet-id-assigned',
      'pet-name-kept',
      'pet-category-id-kept',
      'pet-status-kept',
      // Listings and reads are judged by these animals.
      ...(['list-answer', 'list-complete', 'list-limit', 'list-limit-default', 'list-status-filter'] as const),
      ...(['get-answer', 'get-until-removal'] as const),
    ],
    title:
      'Creates animals with hard names, categories, statuses and ways of writing, and plainer ones if they are refused',
    probes: creationProbes,
  },
  {
    id: 'refused-statuses',
    rank: 0.5,
    verifies: ['create-answer'],
    title: 'Repeats the statuses that were refused between accepted animals',
    run: async (session, { note }) => {
      const accepted = attemptsIn(session).find(({ isAccepted }) => isAccepted);
      for (const status of accepted === undefined ? [] : unconfirmedStatuses(session)) {
        for (const each of [accepted?.status, status, accepted?.status])
          await session.send(createPet(plainPet(session, each)));
      }
      const reason = session.settings.isReadOnly ? undefined : whyNothingIsCreated(session);
      if (reason !== undefined) note('create-answer', reason);
    },
  },
  {
    id: 'open-creations',
    verifies: ['create-answer', 'pet-id-assigned', 'pet-id-unique', 'pet-name-kept', 'pet-category-id-kept'],
    title: 'Creates animals in ways that the interface leaves open, with ids, unknown fields and names of others',
    probes: () => openProbes,
  },
  {
    id: 'missing-fields',
    verifies: ['create-required-fields', stored],
    title: 'Sends bodies that lack a field',
    probes: invalidBodies([missingFields]),
  },
  {
    id: 'wrong-values',
    verifies: ['create-invalid-values', stored],
    title: 'Sends bodies with a wrong name, categoryId or status',
    probes: invalidBodies(wrongFields),
  },
  {
    id: 'malformed-bodies',
    verifies: ['create-malformed-body', stored],
    title: 'Sends bodies that are no JSON, or no object',
    probes: invalidBodies([malformed]),
  },
  {
    id: 'hazardous-bodies',
    verifies: ['create-malformed-body', 'create-body-utf8', stored],
    title: 'Sends bodies with bytes that are not UTF-8, raw control characters and enormous numbers',
    probes: invalidBodies([hazardous], 'hazardous'),
  },
  // Concurrent creations, and concurrent reads right after them: an answer must be that to its own request.
  {
    id: 'side-by-side',
    rank: 4.5,
    verifies: ['pet-id-unique', 'pet-status-kept', 'get-answer', 'list-complete', 'list-answer', 'create-answer'],
    title: 'Sends creations, reads, listings and invalid bodies concurrently',
    run: async (session) => {
      if (!mayCreate(session)) return;
      const created = await session.sendTogether(petStatuses.map((status) => createPet(plainPet(session, status))));
      const reads = isRemoved(session) ? [] : created.flatMap(idsIn).map((id) => getPet(id));
      await session.sendTogether([...reads, listPets('limit=100'), createPet({ name: session.newName() })]);
    },
  },
];
