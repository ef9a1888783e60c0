/**
 * Draws requests from the one table of values. Each request crosses what the rows keep apart: a field, a value, the other
 * fields, a way of writing, a key. The request before it is drawn as well, since whole sequences are drawn.
 */

import fc from 'fast-check';
import { type PetStatus, pageLimit, petStatuses } from '../../spec/operations.ts';
import { shuffle } from '../../spec/random.ts';
import type { SentCredential } from '../http/credentials.ts';
import type { Session } from '../run/session.ts';
import type { Probe } from '../run/suite.ts';
import { listPetsProbes } from './4.1-list-pets/probes.ts';
import { attemptsIn } from './4.2-create-pet/attempts.ts';
import { bodyFor, type Creation, mayCreate, worthSending } from './4.2-create-pet/creations.ts';
import { affixedNames, type NameOf, namesLikeValues, namesOfPieces } from './4.2-create-pet/names.ts';
import { createPetProbes, fillBody } from './4.2-create-pet/probes.ts';
import { writeEscaped, writeFreely, writings } from './4.2-create-pet/writings.ts';
import { getPetProbes } from './4.3-get-pet/probes.ts';
import { isRemoved } from './4.3-get-pet/reads.ts';
import { refusedCredentials } from './5-authentication/credentials.ts';
import { createdIds, createPetFrom, getPet, listPets } from './requests.ts';
import { boundaries, commonParts, edges, pieces, rareParts, wrongQueries, wrongValues } from './values.ts';

export type DrawnRequest = Probe['request'];

/** The boundaries of number types, and any int64. */
const categoryIds: fc.Arbitrary<bigint> = fc.oneof(
  fc.constantFrom(...boundaries),
  fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
);

const drawnTexts = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom(...commonParts, ...rareParts, ...pieces, ...edges.flat()) },
  { weight: 1, arbitrary: fc.string({ unit: 'grapheme', maxLength: 40 }) },
);

/** The texts before and after the tag in a name. */
const affixes = fc.oneof(
  fc.tuple(drawnTexts, drawnTexts),
  fc.noBias(fc.integer({ min: 20, max: 3_000 })).map((length) => ['', 'n'.repeat(length)] as const),
);

const affixedName = affixes.map(
  ([front, end]): NameOf =>
    (tag) =>
      `${front}${tag}${end}`,
);

const statuses = fc.option(fc.constantFrom(...petStatuses), { nil: undefined });

const writeUnusually = fc.constantFrom(...writings, writeFreely, writeEscaped);

/** Valid animals. */
const create = (
  name: fc.Arbitrary<NameOf>,
  status: fc.Arbitrary<PetStatus | undefined> = statuses,
): fc.Arbitrary<DrawnRequest> =>
  fc
    .record({
      name,
      categoryId: fc.option(categoryIds, { nil: undefined }),
      status,
      write: fc.option(writeUnusually, { freq: 2, nil: undefined }),
    })
    .map(
      (creation: Creation): DrawnRequest =>
        (own) => {
          return mayCreate(own) ? createPetFrom(bodyFor(own, worthSending(own, creation))) : undefined;
        },
    );

/** A wrong value is written in place of this number, which no other field has. */
const standIn = 1_234_567_890_123_456_789n;

const wrongFields = Object.entries(wrongValues).flatMap(([field, rows]) => rows.map(({ text }) => ({ field, text })));

/** Animals with a wrong value in one field. Name and category are ordinary: a service may refuse others with another status. */
const createWrong: fc.Arbitrary<DrawnRequest> = fc
  .record({ wrong: fc.constantFrom(...wrongFields), status: statuses, write: writeUnusually })
  .map(({ wrong, status, write }) => (own) => {
    if (own.settings.isReadOnly) return undefined;
    const body = bodyFor(own, { status, write: (pet) => write({ ...pet, [wrong.field]: standIn }) });
    return createPetFrom(body.replace(`${standIn}`, () => fillBody(own, wrong.text)));
  });

/**
 * Limits below the number of animals, each as likely as the others: the library prefers the smallest and the largest. One
 * listing of seven has none, since a service that keeps the limit of the listing before shows it there alone.
 */
const limits = fc.oneof(
  { weight: 1, arbitrary: fc.constant(undefined) },
  { weight: 6, arbitrary: fc.constantFrom(...Array.from({ length: 60 }, (_nothing, at) => `${at + 1}`)) },
);

const wrongLimits = fc.constantFrom(
  `${pageLimit.most + 1}`,
  `${10 * pageLimit.most}`,
  ...wrongQueries.flatMap(({ text }) => /^limit=([^&]*)$/.exec(text)?.[1] ?? []),
);

/** Listings with a limit and a status, in either order. */
const list = (
  limit: fc.Arbitrary<string | undefined>,
  status: fc.Arbitrary<PetStatus | undefined> = statuses,
): fc.Arbitrary<DrawnRequest> =>
  fc.record({ limit, status, isReversed: fc.boolean() }).map(({ isReversed, ...parameters }): DrawnRequest => {
    const given = Object.entries(parameters).filter(([, value]) => value !== undefined);
    const query = (isReversed ? given.reverse() : given).map(([name, value]) => `${name}=${value}`).join('&');
    return () => listPets(query);
  });

/** Signs behind an id that a careless reader of a petId cuts off, or takes for the end of the number. */
const signs = ['-', '~', '!', '&', '*', ':', '$', '@', ',', '=', '%23', '%25', '%7C', '%20', '%22', 'n', 'x'];

/** Ids of animals with one sign after the other, and perhaps a number, behind it. */
function readWrong({ random }: Session): fc.Arbitrary<DrawnRequest> {
  let left = shuffle(signs, random);
  return fc.record({ at: fc.nat(200), rest: fc.constantFrom('', '1', '7') }).map(({ at, rest }) => (own) => {
    const ids = createdIds(own);
    if (isRemoved(own) || ids.length === 0) return undefined;
    const [sign, ...others] = left;
    left = others.length === 0 ? shuffle(signs, random) : others;
    return getPet(`${ids[at % ids.length]}${sign}${rest}`);
  });
}

const readAny: fc.Arbitrary<DrawnRequest> = fc.nat(200).map((at) => (own) => {
  const ids = createdIds(own);
  return isRemoved(own) || ids.length === 0 ? undefined : getPet(ids[at % ids.length]!);
});

/** A gateway may refuse a longer body before it looks at the key; UTF-16 units. */
const longestWithBadKey = 250;

const badKeys = (session: Session): fc.Arbitrary<SentCredential> =>
  fc.constantFrom(...refusedCredentials(session.keys));

/** The same request with a key that must be refused. */
const withBadKey =
  (requestOf: DrawnRequest, credential: SentCredential): DrawnRequest =>
  (own) => {
    const request = requestOf(own);
    const isSmall = request !== undefined && (request.body ?? '').length < longestWithBadKey;
    return isSmall ? { ...request, credential } : undefined;
  };

/** The rows of all tables, one table as likely as another. */
const rowsOfTables = (session: Session): readonly fc.Arbitrary<DrawnRequest>[] =>
  [...createPetProbes, ...listPetsProbes, ...getPetProbes].flatMap((kind) => {
    const rows = 'probes' in kind ? kind.probes(session).map(({ request }) => request) : [];
    return rows.length === 0 ? [] : [fc.constantFrom(...rows)];
  });

/** Two operations one after the other, and which of the two requests has a bad key. */
interface PairKind {
  readonly operations: readonly ('list' | 'create')[];
  readonly bad: 'first' | 'second' | 'none';
}

const pairKinds = (['list', 'create'] as const).flatMap((one) =>
  (['list', 'create'] as const).flatMap((other) =>
    (['first', 'second', 'none'] as const).map((bad): PairKind => ({ operations: [one, other], bad })),
  ),
);

const equalStatuses = fc.constantFrom(...petStatuses).map((status) => [status, status]);
const otherStatuses = fc.shuffledSubarray([...petStatuses], { minLength: 2, maxLength: 2 });

/** Two requests: what sticks to a connection, to a key or to the request before shows in the second. */
function pairOf(session: Session, { operations, bad }: PairKind): fc.Arbitrary<readonly DrawnRequest[]> {
  // A status that a creation takes over from the request before shows only where the two statuses differ.
  const pairOfStatuses = operations.includes('create') ? otherStatuses : fc.oneof(equalStatuses, otherStatuses);
  const requests = pairOfStatuses.chain((both) => {
    const drawn = {
      list: (at: number) => list(limits, fc.constant(both[at])),
      create: (at: number) => create(affixedName, fc.constant(both[at])),
    };
    return fc.tuple(...operations.map((operation, at) => drawn[operation](at)));
  });
  const badAt = ['first', 'second'].indexOf(bad);
  return fc
    .tuple(requests, badKeys(session))
    .map(([pair, key]) => pair.map((request, at) => (at === badAt ? withBadKey(request, key) : request)));
}

/** One pair of every kind, in any order. */
export function everyPair(session: Session): fc.Arbitrary<readonly DrawnRequest[]> {
  const all = { minLength: pairKinds.length, maxLength: pairKinds.length };
  return fc
    .shuffledSubarray(pairKinds, all)
    .chain((kinds) => fc.tuple(...kinds.map((kind) => pairOf(session, kind))))
    .map((pairs) => pairs.flat());
}

/** The names of the tables that no animal has yet, each once; those that hold one rare part alone come last. */
function namesInTurn(session: Session): NameOf {
  const taken = new Set(attemptsIn(session).map(({ name }) => name));
  const untaken = namesLikeValues(session).filter((nameOf) => !taken.has(nameOf('')));
  const first = shuffle([...untaken, ...namesOfPieces(session)], session.random);
  const names = [...first, ...affixedNames(session)].values();
  return (tag) => names.next().value?.(tag) ?? tag;
}

/** A sequence has so many steps, each of one request or a pair. */
const stepsOfSequence = 6;

/** Valid requests, wrong ones, rows of all tables, and pairs, some of them with a bad key. */
export function anySequence(session: Session): fc.Arbitrary<readonly DrawnRequest[]> {
  const nextName = namesInTurn(session);
  const one = fc.oneof(
    { weight: 18, arbitrary: create(fc.constant(nextName)) },
    { weight: 3, arbitrary: list(limits) },
    { weight: 8, arbitrary: createWrong },
    { weight: 3, arbitrary: list(wrongLimits) },
    { weight: 4, arbitrary: readWrong(session) },
    { weight: 1, arbitrary: readAny },
    ...rowsOfTables(session),
  );
  const alone = one.map((request): readonly DrawnRequest[] => [request]);
  const pair = fc.constantFrom(...pairKinds).chain((kind) => pairOf(session, kind));
  const steps = fc.array(fc.oneof(alone, pair), { minLength: stepsOfSequence, maxLength: stepsOfSequence });
  return steps.map((drawn) => drawn.flat());
}
