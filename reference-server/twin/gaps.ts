/** Other answers to what the interface leaves open: how a store with each of them differs from the reference server. */

import { suggest } from '../../conformance/options/suggest.ts';
import { defined } from '../../spec/defined.ts';
import { gaps as allGaps, type Gap, type GapChoices, type OpenGapId, type ReferenceAnswers } from '../../spec/gaps.ts';
import { pageLimit } from '../../spec/operations.ts';
import type { ApiKey, Behaviour, Handle, Limits, NewPet, StoreResponse } from '../index.ts';
import { codeOf, createPetStore, readHeader, reference, refuse } from '../index.ts';
import {
  checkOptions,
  type OptionCheck,
  readAnimals,
  readKeys,
  takesFunction,
  takesListOf,
  takesObject,
} from './options.ts';
import { allowOrigin, changing, keysFor, type Wrap, withHeaders } from './wraps.ts';

/** The contents of a store, and its answers to gaps; those of the reference where nothing is chosen. */
export interface TwinOptions {
  readonly keys?: readonly ApiKey[];
  readonly animals?: readonly NewPet[];
  readonly gaps?: Partial<GapChoices>;
  /** Returns numbers from 0 to 1 for random ids and orders; Math.random by default. */
  readonly random?: () => number;
  /** What it decides otherwise than the reference, before the answers to gaps. */
  readonly behaviour?: Partial<Behaviour>;
}

/** What replaces the behaviour so far, a wrap around the handle, and numbers in place of those of the plans. */
type Difference = Partial<Behaviour> & { readonly wrap?: Wrap; readonly limits?: Partial<Limits> };
/** What an answer may build on: the behaviour so far, the number after the answer, and random numbers. */
type GapContext = { readonly inner: Behaviour; readonly size?: number; readonly random: () => number };
type Differ = (given: GapContext) => Difference;
type ExtraFields = Readonly<Record<string, unknown>>;

function refusingPets(complaint: string, refuses: (pet: NewPet, body: ExtraFields) => boolean): Differ {
  return ({ inner }) => ({
    refusePet: (pet, body) => (refuses(pet, body as ExtraFields) ? refuse(400, complaint) : inner.refusePet(pet, body)),
  });
}
const refusingNames = (isAccepted: (name: string) => boolean): Differ =>
  refusingPets('The field name is outside what this store accepts.', ({ name }) => !isAccepted(name));

/** Refuses names of animals that were added. */
const uniqueNames: Differ = (given) => {
  const taken = new Set<unknown>();
  return {
    ...refusingPets('Another animal has this name.', ({ name }) => taken.has(name))(given),
    // Only an animal that is added has further fields.
    furtherFields(body) {
      taken.add((body as ExtraFields)['name']);
      return given.inner.furtherFields(body);
    },
  };
};

const linksToLaterPages: Differ = ({ inner }) => ({
  answerPage(matching, limit, query) {
    const start = Math.max(0, Number.parseInt(query.get('after') ?? '', 10) || 0);
    const answer = inner.answerPage(matching.slice(start), limit, query);
    if (start + limit >= matching.length) return answer;
    const next = new URLSearchParams({ ...Object.fromEntries(query), after: String(start + limit) });
    return withHeaders(answer, { Link: `</v1/pets?${next}>; rel="next"` });
  },
});

/** The fields of a body that neither a NewPet nor a Pet has. */
function unknownFields(body: object): ExtraFields {
  const { name, categoryId, status, id, ...unknown } = body as ExtraFields;
  return unknown;
}

function onStatus(status: number, change: (answer: StoreResponse) => StoreResponse): Difference {
  return { wrap: changing((answer) => (answer.status === status ? change(answer) : undefined)) };
}

/** Changes fields of Errors; a 429 may have another body. */
function onErrors(fields: (status: number) => object): Difference {
  return {
    wrap: changing((answer) => {
      if (answer.status < 400 || !answer.body.startsWith('{')) return undefined;
      return { ...answer, body: JSON.stringify({ ...JSON.parse(answer.body), ...fields(answer.status) }) };
    }),
  };
}

const extra = { kind: 'extra', tags: [], owner: null };
const unprocessable = (): StoreResponse => refuse(422, 'The query has a value that is not allowed.');
const plain429 = (body: string): Difference =>
  onStatus(429, (answer) => ({ ...withHeaders(answer, { 'Content-Type': 'text/plain' }), body }));

/** A gap and one of its answers. */
type ChosenAnswer = { [Id in OpenGapId]: `${Id}=${ReferenceAnswers[Id] & string}` }[OpenGapId];
/** Missing for the answers of the reference. */
const differences: { readonly [Each in ChosenAnswer]?: Difference | Differ } = {
  'cors=any-origin': { wrap: allowOrigin('*') },
  'known-categories=refused-400': refusingPets('There is no such category.', ({ categoryId }) => {
    return categoryId < 1n || categoryId > 10n;
  }),
  'name-limits=at-most-100': refusingNames((name) => [...name].length <= 100),
  'name-limits=plain-only': refusingNames((name) => /^[A-Za-z0-9 -]{1,30}$/.test(name)),
  'name-limits=not-empty': refusingNames((name) => /[^\s\p{C}]/u.test(name)),
  'name-limits=at-most-255': refusingNames((name) => [...name].length <= 255),
  'name-limits=other-length': refusingNames((name) => [...name].length <= 200),
  'duplicate-names=refused-400': uniqueNames,
  'status-omitted=pending': { omittedStatus: () => 'pending' },
  'status-omitted=sold': { omittedStatus: () => 'sold' },
  'status-omitted=absent': { omittedStatus: () => undefined },
  // An odd factor spreads 53 random bits over all 64 and keeps them distinct.
  'id-form=random': ({ random }) => ({
    nextId: () => BigInt.asIntN(64, BigInt(Math.floor(random() * 2 ** 53)) * 0x9e3779b97f4a7c15n),
  }),
  // Not from the very end, nor from -1 on: a test may take these for the ids of nobody.
  'id-form=large': { nextId: (count) => 2n ** 63n - 1_000_000n - BigInt(count) },
  'id-form=negative': { nextId: (count) => -1_000_000n - BigInt(count) },
  'extra-response-fields=extra': ({ inner }) => ({
    ...onErrors(() => extra),
    furtherFields: (body) => ({ ...extra, ...inner.furtherFields(body) }),
  }),
  'limit-out-of-range=refused-422': { limitOutOfRange: unprocessable },
  'limit-out-of-range=clamped': {
    limitOutOfRange: (text) => Math.min(pageLimit.most, Math.max(pageLimit.least, Number(text))),
  },
  'limit-out-of-range=ignored': { limitOutOfRange: () => pageLimit.usual },
  'limit-not-integer=refused-422': { limitNotInteger: unprocessable },
  'limit-not-integer=ignored': { limitNotInteger: () => pageLimit.usual },
  'status-filter-unknown=refused-422': { readFilter: unprocessable },
  'status-filter-unknown=ignored': { readFilter: () => undefined },
  'status-filter-unknown=empty-page': { readFilter: (text) => text },
  'unknown-query-parameters=refused-400': ({ inner }) => ({
    answerPage(matching, limit, query) {
      const isKnown = [...query.keys()].every((name) => ['limit', 'status', 'after'].includes(name));
      return isKnown ? inner.answerPage(matching, limit, query) : refuse(400, 'The query has an unknown parameter.');
    },
  }),
  'list-order=newest-first': ({ inner }) => ({
    answerPage: (matching, limit, query) => inner.answerPage(matching.toReversed(), limit, query),
  }),
  'list-order=shuffled': ({ inner, random }) => ({
    answerPage(matching, limit, query) {
      const places = new Map(matching.map((animal) => [animal, random()]));
      const shuffled = matching.toSorted((one, other) => places.get(one)! - places.get(other)!);
      return inner.answerPage(shuffled, limit, query);
    },
  }),
  'page-cap=fewer': ({ inner, size = 10 }) => ({
    answerPage: (matching, limit, query) => inner.answerPage(matching, Math.min(limit, size), query),
  }),
  'later-pages=link-header': linksToLaterPages,
  'extra-body-fields=kept': { furtherFields: unknownFields },
  'extra-body-fields=refused-400': refusingPets('The body has fields that a NewPet does not have.', (_pet, body) => {
    return Object.keys(unknownFields(body)).length > 0;
  }),
  'client-sent-id=refused-400': refusingPets(
    'The field id is assigned by the store.',
    (_pet, { id }) => id !== undefined,
  ),
  'integer-written-as-decimal=refused-400': refusingPets(
    'The field categoryId must be written without a fraction or exponent.',
    (_pet, { categoryId }) => /[.e]/i.test(JSON.stringify(categoryId)),
  ),
  'other-media-type=refused-400': {
    refuseMediaType: () => refuse(400, 'The body must be sent as application/json.'),
  },
  'other-media-type=accepted': { refuseMediaType: () => undefined },
  'chunked-bodies=refused-411': {
    refuseBody: (request) =>
      readHeader(request, 'transfer-encoding') === '' ? undefined : refuse(411, 'The body has no Content-Length.'),
  },
  'location-header=sent': onStatus(201, (answer) => {
    return withHeaders(answer, { Location: `/v1/pets/${/^\{"id":(-?\d+)/.exec(answer.body)?.[1]}` });
  }),
  'pet-id-not-int64=refused-400': { noInt64: () => 400 },
  'other-operations=refused-404': { refuseOther: () => reference.refuseOther('') },
  'bearer-case=refused-401': { readToken: (authorization) => /^Bearer +([!-~]+)$/.exec(authorization)?.[1] },
  'www-authenticate=none': {
    wrap: changing(({ headers: { 'WWW-Authenticate': _challenge, ...headers }, ...answer }) => ({
      ...answer,
      headers,
    })),
  },
  'error-codes=upper-case': onErrors((status) => ({ code: codeOf(status).toUpperCase() })),
  'error-codes=numeric': onErrors((status) => ({ code: String(1_000 + status) })),
  'error-codes=generic': onErrors(() => ({ code: 'error' })),
  'too-many-requests-body=empty': plain429(''),
  'too-many-requests-body=text': plain429('Too many requests.'),
  'rate-limit-window=minute': ({ size: perMinute }) => {
    return { limits: defined({ perMinute }), shownWindow: (minute) => minute };
  },
  'rate-limit-window=day': ({ size: perDay }) => ({ limits: defined({ perDay }), shownWindow: (_minute, day) => day }),
  'rate-limit-without-key=same-as-key': { limitsWithoutKey: (first) => first },
  'rate-limit-without-key=zero': { limitsWithoutKey: () => ({ perMinute: 0, perDay: Number.POSITIVE_INFINITY }) },
  'retry-after-form=http-date': onStatus(429, (answer) => {
    const reset = new Date(Number(answer.headers['X-RateLimit-Reset']) * 1000);
    return withHeaders(answer, { 'Retry-After': reset.toUTCString() });
  }),
  'after-removal=not-found-404': { removed: () => 404 },
  'after-removal=continues': { removed: () => undefined },
  'deprecation-headers=none': {
    wrap: changing(({ headers: { Sunset, Link, ...headers }, ...answer }) =>
      Sunset === undefined ? undefined : { ...answer, headers },
    ),
  },
};

/** Answers that a size may follow: the longest page, or the requests in a window. */
const sizeOfAnswer = /^(fewer|minute|day)$/;

/** Gap id → the ids of the answers that this server can give, the reference choice first. */
export const gapChoices: Readonly<Record<string, readonly string[]>> = Object.fromEntries(
  allGaps.flatMap(({ id, answers, reference: own }) => {
    const given = Object.keys(answers).filter((one) => one === own || Object.hasOwn(differences, `${id}=${one}`));
    return own === undefined ? [] : [[id, given]];
  }),
);

/** The answers of a gap that can be chosen; throws a RangeError for a gap that there is not, or that has none. */
function answersOf(id: string): readonly string[] {
  const answers = Object.hasOwn(gapChoices, id) ? gapChoices[id] : undefined;
  if (answers !== undefined) return answers;
  const gap: Gap | undefined = allGaps.find((one) => one.id === id);
  if (gap === undefined) {
    const hint = suggest(id, Object.keys(gapChoices));
    throw new RangeError(`There is no gap ${JSON.stringify(id.slice(0, 50))}.${hint} spec/README.md lists all gaps.`);
  }
  throw new RangeError(`The gap ${id} has no answer to choose: ${gap.unobservable}`);
}

/** What a choice changes; throws a RangeError for an unknown gap, answer or size. */
function differenceFrom(gap: string, choice: unknown, base: GapContext): Difference {
  const answers = answersOf(gap);
  const text = typeof choice === 'string' ? choice : '';
  const [, answer = '', size] = /^(\S+)(?: ([1-9]\d{0,8}))?$/.exec(text) ?? [];
  if (!answers.includes(answer) || (size !== undefined && !sizeOfAnswer.test(answer))) {
    const given = JSON.stringify(text.slice(0, 50));
    const hint = suggest(answer, answers);
    throw new RangeError(`The gap ${gap} has the answers ${answers.join(', ')}, not ${given}.${hint}`);
  }
  const difference = differences[`${gap}=${answer}` as ChosenAnswer] ?? {};
  if (typeof difference !== 'function') return difference;
  return difference(size === undefined ? base : { ...base, size: Number(size) });
}

export const twinChecks = {
  keys: takesListOf(readKeys),
  animals: takesListOf(readAnimals),
  // The gaps and their answers are checked where they are read.
  gaps: takesObject,
  random: takesFunction,
  behaviour: takesObject,
} as const satisfies Record<keyof TwinOptions, OptionCheck>;

/** Creates a store with other answers to gaps; throws a RangeError for options that it cannot work with. */
export function createTwin(options: TwinOptions) {
  checkOptions(options, twinChecks);
  const { keys = [], animals = [], gaps = {}, random = Math.random, behaviour: own } = options;
  let behaviour = { ...reference, ...own };
  let limits = {};
  const wraps = [];
  // The last gap is the innermost: what is chosen for a page comes before what leads to the next one.
  for (const gap of new Set([...Object.keys(gapChoices).reverse(), ...Object.keys(gaps)])) {
    const choice = gaps[gap as OpenGapId];
    if (choice === undefined) continue;
    const { wrap, limits: numbers, ...rest } = differenceFrom(gap, choice, { inner: behaviour, random });
    behaviour = { ...behaviour, ...rest };
    limits = { ...limits, ...numbers };
    if (wrap !== undefined) wraps.push(wrap);
  }
  const { handle } = createPetStore({ keys: keys.map((key) => ({ ...limits, ...key })), animals, behaviour });
  return { handle: wraps.reduce<Handle>((wrapped, wrap) => wrap(wrapped, keysFor(keys)), handle) };
}
