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
import { attemptsIn } from './4.2-create-pet/attempts.ts';
import { bodyFor, type Creation, mayCreate, worthSending } from './4.2-create-pet/creations.ts';
import { affixedNames, type NameOf, namesLikeValues, namesOfPieces } from './4.2-create-pet/names.ts';
import { fillBody } from './4.2-create-pet/probes.ts';
import { writeEscaped, writeFreely, writings } from './4.2-create-pet/writings.ts';
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

/** What an animal may have, unless something else is given. */
const drawnParts = {
  categoryId: fc.option(categoryIds, { nil: undefined }),
  status: statuses,
  write: fc.option(writeUnusually, { freq: 2, nil: undefined }),
};

/** Valid animals. */
const create = (
  given: { readonly [Part in keyof Creation]?: fc.Arbitrary<Creation[Part]> },
): fc.Arbitrary<DrawnRequest> =>
  fc.record({ ...drawnParts, ...given }).map(
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
const signs = ['-', '~', '!', '&', '*', ':', '$', '@', '=', '%25', '%7C', '%20', '%22', 'n', 'x'];

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

/** Reads of any animal: a service may mistake an id that has more digits than those of the first ones. */
const readAny: fc.Arbitrary<DrawnRequest> = fc.nat(200).map((at) => (own) => {
  const ids = createdIds(own);
  return isRemoved(own) || ids.length === 0 ? undefined : getPet(ids[at % ids.length]!);
});

/** A gateway may refuse a longer body before it looks at the key; UTF-16 units. */
const longestWithBadKey = 250;
/** An animal that is short enough. */
const shortAnimal = { name: fc.constant(undefined), write: fc.constant(undefined) };

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
function pairOf(
  session: Session,
  { operations, bad }: PairKind,
  name: fc.Arbitrary<NameOf>,
): fc.Arbitrary<readonly DrawnRequest[]> {
  // What a creation takes from the request before it shows only where that has another status.
  const pairOfStatuses = operations.includes('create') ? otherStatuses : fc.oneof(equalStatuses, otherStatuses);
  const badAt = ['first', 'second'].indexOf(bad);
  const requests = pairOfStatuses.chain((both) => {
    const drawn = {
      list: (at: number) => list(limits, fc.constant(both[at])),
      create: (at: number) => {
        const parts = at === badAt ? shortAnimal : { name };
        return create({ ...parts, categoryId: categoryIds, status: fc.constant(both[at]) });
      },
    };
    return fc.tuple(...operations.map((operation, at) => drawn[operation](at)));
  });
  return fc
    .tuple(requests, badKeys(session))
    .map(([pair, key]) => pair.map((request, at) => (at === badAt ? withBadKey(request, key) : request)));
}

/** One pair of every kind, in any order. */
export function everyPair(session: Session): fc.Arbitrary<readonly DrawnRequest[]> {
  const all = { minLength: pairKinds.length, maxLength: pairKinds.length };
  return fc
    .shuffledSubarray(pairKinds, all)
    .chain((kinds) => fc.tuple(...kinds.map((kind) => pairOf(session, kind, affixedName))))
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

/** Valid requests, wrong ones, and pairs, some of them with a bad key. */
export function anySequence(session: Session): fc.Arbitrary<readonly DrawnRequest[]> {
  const nextName = fc.constant(namesInTurn(session));
  const nameInPair = fc.oneof({ weight: 2, arbitrary: nextName }, { weight: 1, arbitrary: affixedName });
  const one = fc.oneof(
    { weight: 18, arbitrary: create({ name: nextName }) },
    { weight: 8, arbitrary: createWrong },
    { weight: 3, arbitrary: list(wrongLimits) },
    { weight: 4, arbitrary: readWrong(session) },
    { weight: 2, arbitrary: readAny },
  );
  const alone = one.map((request): readonly DrawnRequest[] => [request]);
  const pair = fc.constantFrom(...pairKinds).chain((kind) => pairOf(session, kind, nameInPair));
  const steps = fc.array(fc.oneof(alone, pair), { minLength: stepsOfSequence, maxLength: stepsOfSequence });
  return steps.map((drawn) => drawn.flat());
}
