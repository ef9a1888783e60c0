/** Other answers to what the interface leaves open: for each gap, how a store differs from the reference server. */

import { gaps as allGaps, type GapChoices, type OpenGapId, type ReferenceAnswers } from '../../spec/gaps.ts';
import { seededRandom } from '../../spec/random.ts';
import {
  type ApiKey,
  type Behaviour,
  codeOf,
  createPetStore,
  type Handle,
  type Limits,
  type NewPet,
  readHeader,
  reference,
  refuse,
  type StoreResponse,
  type Window,
} from '../index.ts';
import { allowOrigin, changing, harmless, keysFor, refuseUntil, type Wrap, withHeaders } from './wraps.ts';

/** The contents of a store, and its answers to gaps; those of the reference where nothing is chosen. */
export interface TwinOptions {
  readonly keys?: readonly ApiKey[];
  readonly animals?: readonly NewPet[];
  readonly gaps?: Partial<GapChoices>;
  /** Returns numbers from 0 to 1 for random ids and orders; Math.random by default. */
  readonly random?: () => number;
}

/** What replaces the behaviour of the reference, a wrap around the handle, and numbers in place of those of the plans. */
interface Difference extends Partial<Behaviour> {
  readonly wrap?: Wrap;
  readonly limits?: Partial<Limits>;
}

/** What an answer may build on: the behaviour so far, the size behind the answer, and the options of the store. */
interface Given extends Required<Omit<TwinOptions, 'keys'>> {
  readonly inner: Behaviour;
  readonly size: string;
}

type Answer = Difference | ((given: Given) => Difference);
type Fields = Readonly<Record<string, unknown>>;

/** Ranges and single numbers, as in `-5..7,12`. */
function isIn(size: string): (value: bigint) => boolean {
  const ranges = size.split(',').map((part) => {
    const [, least, most = least] = /^(-?\d{1,19})(?:\.\.(-?\d{1,19}))?$/.exec(part) ?? [];
    if (least === undefined) throw new RangeError(`${part} is no range`);
    return [BigInt(least), BigInt(most!)] as const;
  });
  return (value) => ranges.some(([least, most]) => value >= least && value <= most);
}

function readCount(size: string): number {
  if (!/^[1-9]\d{0,8}$/.test(size)) throw new RangeError(`${size} is no count`);
  return Number(size);
}

function refusing(complaint: string, isRefused: (pet: NewPet, body: Fields) => boolean): Difference {
  return { complaintOf: (pet, body) => (isRefused(pet, body as Fields) ? complaint : undefined) };
}

function refusingNames(isAccepted: (name: string) => boolean): Difference {
  return refusing('The field name is outside what this store accepts.', ({ name }) => !isAccepted(name));
}
const atMost = (count: number): Difference => refusingNames((name) => [...name].length <= count);

/** The fields of a body that neither a NewPet nor a Pet has. */
function unknownFields(body: object): Fields {
  const { name, categoryId, status, id, ...unknown } = body as Fields;
  return unknown;
}

/** Rewrites the Errors; a 429 may have another body. */
function changingErrors(change: (status: number) => object): Difference {
  return {
    wrap: changing(({ body, ...answer }) => {
      if (answer.status < 400 || !body.startsWith('{')) return undefined;
      return { ...answer, body: JSON.stringify({ ...JSON.parse(body), ...change(answer.status) }) };
    }),
  };
}
const extra = { kind: 'extra', tags: [], owner: null };

function onStatus(status: number, change: (answer: StoreResponse) => StoreResponse): Difference {
  return { wrap: changing((answer) => (answer.status === status ? change(answer) : undefined)) };
}
const plain429 = (body: string): Difference =>
  onStatus(429, (answer) => ({ ...withHeaders(answer, { 'Content-Type': 'text/plain' }), body }));

/** Removes some headers from the answers that have the first of them. */
function withoutHeaders(...names: readonly string[]): Difference {
  const change = ({ headers, ...answer }: StoreResponse): StoreResponse | undefined => {
    if (!Object.hasOwn(headers, names[0]!)) return undefined;
    return {
      ...answer,
      headers: Object.fromEntries(Object.entries(headers).filter(([name]) => !names.includes(name))),
    };
  };
  return { wrap: changing(change) };
}

/** Reads a limit outside 1 to 100, or one that is no integer. */
const limitThat =
  (isInteger: boolean, readLimit: Behaviour['readLimit']): Answer =>
  ({ inner }) => ({
    readLimit: (text) => (/^-?\d+$/.test(text) === isInteger ? readLimit(text) : inner.readLimit(text)),
  });
const limit422 = (): StoreResponse => refuse(422, 'The limit must be an integer from 1 to 100.');

/** Another refusal, or none, of another media type. */
const otherMediaType =
  (refuseType: () => StoreResponse | undefined): Answer =>
  ({ inner }) => ({
    refuseBody(request) {
      const refusal = inner.refuseBody(request);
      return refusal?.status === 415 ? refuseType() : refusal;
    },
  });

/** Moves some drawn animals to the front, as the beginning of a shuffle. */
function shuffled(animals: readonly string[], count: number, random: () => number): readonly string[] {
  const order = [...animals];
  for (let at = 0; at < Math.min(count, order.length); at += 1) {
    const drawn = Math.min(at + Math.floor(random() * (order.length - at)), order.length - 1);
    [order[at], order[drawn]] = [order[drawn]!, order[at]!];
  }
  return order;
}

/** The last `lengthMs`. Requests leave at whole seconds, so that Remaining rises only when Reset, in seconds, moves too. */
function createSlidingWindow(limit: number, lengthMs: number): Window {
  let leaving: readonly number[] = [];
  return (now, requests) => {
    const at = Math.ceil((now + lengthMs) / 1000) * 1000;
    leaving = [...leaving.filter((each) => each > now), ...(requests > 0 ? [at] : [])];
    return { limit, remaining: limit - leaving.length, endsAt: leaving[0] ?? now + lengthMs };
  };
}

const window =
  (sized: keyof Limits, shownWindow: Behaviour['shownWindow'], createWindow = reference.createWindow): Answer =>
  ({ size }) => ({ createWindow, shownWindow, limits: size === '' ? {} : { [sized]: readCount(size) } });

/** After ten refusals in a minute every request with the key is refused until the end of the next minute. */
const banning: Wrap = (handle) => {
  const clients = new Map<string, { minute: number; refusals: number; until: number }>();
  return (request, now) => {
    const key = readHeader(request, 'authorization');
    const client = clients.get(key) ?? { minute: 0, refusals: 0, until: 0 };
    const isBanned = now < client.until;
    const answer = handle(isBanned ? harmless(request) : request, now);
    const minute = Math.floor(now / 60_000);
    if (answer.status === 429 && !isBanned) {
      const refusals = minute === client.minute ? client.refusals + 1 : 1;
      clients.set(key, Object.assign(client, { minute, refusals }));
      if (refusals >= 10) client.until = (minute + 2) * 60_000;
    }
    if (now >= client.until) return answer;
    const reset = answer.status === 429 ? Number(answer.headers['X-RateLimit-Reset']) * 1000 : 0;
    return refuseUntil(Math.max(client.until, reset), now, answer);
  };
};

/** Gap → answer → the difference; none for the answers of the reference. */
const differences: { readonly [Id in OpenGapId]?: Readonly<Partial<Record<ReferenceAnswers[Id], Answer>>> } = {
  cors: { 'any-origin': { wrap: allowOrigin('*') } },
  'known-categories': {
    'refused-400': ({ size }) => {
      const isKnown = isIn(size);
      return refusing('The field categoryId names no category.', ({ categoryId }) => !isKnown(categoryId));
    },
  },
  'name-limits': {
    'at-most-100': atMost(100),
    'plain-only': refusingNames((name) => /^[A-Za-z0-9 -]{1,30}$/.test(name)),
    'not-empty': refusingNames((name) => /[^\s\p{C}]/u.test(name)),
    'at-most-255': atMost(255),
    'other-length': ({ size }) => atMost(readCount(size)),
  },
  'duplicate-names': {
    'refused-400': ({ inner, animals }) => {
      const names = new Set<unknown>(animals.map(({ name }) => name));
      return {
        ...refusing('Another animal has this name.', ({ name }) => names.has(name)),
        // Only an animal that is added has further fields.
        furtherFields(body) {
          names.add((body as Fields)['name']);
          return inner.furtherFields(body);
        },
      };
    },
  },
  'status-omitted': {
    pending: { omittedStatus: () => 'pending' },
    sold: { omittedStatus: () => 'sold' },
    absent: { omittedStatus: () => undefined },
  },
  'id-form': {
    // An odd factor spreads 53 random bits over all 64 and keeps them distinct.
    random: ({ random }) => ({
      nextId: () => BigInt.asIntN(64, BigInt(Math.floor(random() * 2 ** 53)) * 0x9e3779b97f4a7c15n),
    }),
    large: { nextId: (count) => 2n ** 63n - BigInt(count) },
    negative: { nextId: (count) => -BigInt(count) },
  },
  'extra-response-fields': {
    extra: ({ inner }) => ({
      ...changingErrors(() => extra),
      furtherFields: (body) => ({ ...extra, ...inner.furtherFields(body) }),
    }),
  },
  'limit-out-of-range': {
    'refused-422': limitThat(true, limit422),
    clamped: limitThat(true, (text) => Math.min(100, Math.max(1, Number(text)))),
    ignored: limitThat(true, () => 20),
  },
  'limit-not-integer': { 'refused-422': limitThat(false, limit422), ignored: limitThat(false, () => 20) },
  'status-filter-unknown': {
    'refused-422': { readFilter: () => refuse(422, 'The status must be available, pending or sold.') },
    ignored: { readFilter: () => undefined },
    'empty-page': { readFilter: (text) => text },
  },
  'unknown-query-parameters': {
    'refused-400': ({ inner, gaps }) => ({
      answerPage(matching, limit, query) {
        const known = ['limit', 'status', ...(gaps['later-pages'] === 'link-header' ? ['after'] : [])];
        if ([...query.keys()].every((name) => known.includes(name))) return inner.answerPage(matching, limit, query);
        return refuse(400, 'The query has a parameter that listPets does not know.');
      },
    }),
  },
  'list-order': {
    'newest-first': ({ inner }) => ({
      answerPage: (matching, limit, query) => inner.answerPage(matching.toReversed(), limit, query),
    }),
    shuffled: ({ inner, random }) => ({
      answerPage: (matching, limit, query) => inner.answerPage(shuffled(matching, limit, random), limit, query),
    }),
  },
  'page-cap': {
    fewer({ inner, size }) {
      const most = readCount(size);
      return { answerPage: (matching, limit, query) => inner.answerPage(matching, Math.min(limit, most), query) };
    },
  },
  'later-pages': {
    'link-header': ({ inner }) => ({
      answerPage(matching, limit, query) {
        const after = query.get('after') ?? '';
        const end = (/^\d{1,9}$/.test(after) ? Number(after) : 0) + limit;
        const answer = inner.answerPage(matching.slice(end - limit), limit, query);
        const next = new URLSearchParams({ ...Object.fromEntries(query), after: String(end) });
        return end >= matching.length ? answer : withHeaders(answer, { Link: `</v1/pets?${next}>; rel="next"` });
      },
    }),
  },
  'extra-body-fields': {
    kept: { furtherFields: unknownFields },
    'refused-400': refusing(
      'The body has fields that a NewPet does not have.',
      (_pet, body) => Object.keys(unknownFields(body)).length > 0,
    ),
  },
  'client-sent-id': {
    'refused-400': refusing('The field id is assigned by the store.', (_pet, { id }) => id !== undefined),
  },
  'integer-written-as-decimal': {
    'refused-400': refusing(
      'The field categoryId must be written without a fraction or exponent.',
      (_pet, { categoryId }) => /[.e]/i.test(JSON.stringify(categoryId)),
    ),
  },
  'other-media-type': {
    'refused-400': otherMediaType(() => refuse(400, 'The body must be sent as application/json.')),
    accepted: otherMediaType(() => undefined),
  },
  'chunked-bodies': {
    'refused-411': ({ inner }) => ({
      refuseBody: (request) =>
        readHeader(request, 'transfer-encoding') === ''
          ? inner.refuseBody(request)
          : refuse(411, 'The body must be sent with its Content-Length.'),
    }),
  },
  'location-header': {
    sent: onStatus(201, (answer) => {
      return withHeaders(answer, { Location: `/v1/pets/${/^\{"id":(-?\d+)/.exec(answer.body)?.[1]}` });
    }),
  },
  'pet-id-not-int64': { 'refused-400': { noInt64: () => 400 } },
  'other-operations': { 'refused-404': { refuseOther: () => reference.refuseOther('') } },
  'bearer-case': { 'refused-401': { readToken: (authorization) => /^Bearer +([!-~]+)$/.exec(authorization)?.[1] } },
  'www-authenticate': { none: withoutHeaders('WWW-Authenticate') },
  'error-codes': {
    'upper-case': changingErrors((status) => ({ code: codeOf(status).toUpperCase() })),
    numeric: changingErrors((status) => ({ code: String(1_000 + status) })),
    generic: changingErrors(() => ({ code: 'error' })),
  },
  'too-many-requests-body': { empty: plain429(''), text: plain429('Too many requests.') },
  'rate-limit-window': {
    tightest: window('perMinute', reference.shownWindow),
    minute: window('perMinute', (minute) => minute),
    day: window('perDay', (_minute, day) => day),
    sliding: window('perMinute', (minute) => minute, createSlidingWindow),
  },
  'rate-limit-without-key': {
    'same-as-key': { limitsWithoutKey: (first) => first },
    zero: { limitsWithoutKey: () => ({ perMinute: 0, perDay: Number.POSITIVE_INFINITY }) },
  },
  'retry-after-form': {
    'http-date': onStatus(429, (answer) => {
      const reset = new Date(Number(answer.headers['X-RateLimit-Reset']) * 1000);
      return withHeaders(answer, { 'Retry-After': reset.toUTCString() });
    }),
  },
  ban: { 'banned-429': { wrap: banning } },
  'after-removal': { 'not-found-404': { removed: () => 404 }, continues: { removed: () => undefined } },
  'deprecation-headers': { none: withoutHeaders('Sunset', 'Link') },
};

/** Gap → the answers that a size may follow, and the usual one. */
const sizes: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'known-categories': { 'refused-400': '1..10' },
  'name-limits': { 'other-length': '200' },
  'page-cap': { fewer: '10' },
  'rate-limit-window': { tightest: '', minute: '', day: '', sliding: '' },
};

/** Gap id → the ids of the answers that this server can give, the reference choice first. */
export const gapChoices: Readonly<Record<string, readonly string[]>> = Object.fromEntries(
  allGaps.filter(({ reference: own }) => own !== undefined).map(({ id, answers }) => [id, Object.keys(answers)]),
);

/** What a choice changes; throws a RangeError for an unknown answer or size. */
function differenceOf(gap: string, choice: unknown, given: Omit<Given, 'size'>): Difference {
  const answers = gapChoices[gap]!;
  const [answer = '', size, ...rest] = typeof choice === 'string' ? choice.split(' ') : [];
  try {
    const usual = sizes[gap]?.[answer];
    if (!answers.includes(answer) || rest.length > 0 || (size !== undefined && usual === undefined))
      throw new RangeError(answer);
    const row = (differences[gap as OpenGapId] as Readonly<Record<string, Answer>> | undefined)?.[answer] ?? {};
    return typeof row === 'function' ? row({ ...given, size: size ?? usual ?? '' }) : row;
  } catch {
    const shown = typeof choice === 'string' ? JSON.stringify(choice.slice(0, 50)) : 'what stands there';
    throw new RangeError(`The gap "${gap}" has the answers ${answers.join(', ')}, not ${shown}.`);
  }
}

/** Creates a store with other answers to gaps; throws a RangeError for gaps or answers that there are not. */
export function createTwin({ keys = [], animals = [], gaps = {}, random = Math.random }: TwinOptions) {
  const unknown = Object.keys(gaps).find((gap) => !Object.hasOwn(gapChoices, gap));
  if (unknown !== undefined)
    throw new RangeError(`There is no gap ${JSON.stringify(unknown.slice(0, 50))}; spec/README.md lists all gaps.`);
  // The last gap is the innermost: what is chosen for a page comes before what leads to the next one.
  const chosen = Object.keys(gapChoices).filter((gap) => gaps[gap as OpenGapId] !== undefined);
  let [behaviour, limits, wraps]: [Behaviour, Partial<Limits>, Wrap[]] = [reference, {}, []];
  for (const gap of chosen.toReversed()) {
    const inner = behaviour;
    const difference = differenceOf(gap, gaps[gap as OpenGapId], { inner, random, animals, gaps });
    const { wrap, limits: own, complaintOf, ...rest } = difference;
    const complain: Behaviour['complaintOf'] = (...of) => inner.complaintOf(...of) ?? complaintOf?.(...of);
    behaviour = { ...inner, ...rest, complaintOf: complain };
    limits = { ...limits, ...own };
    if (wrap !== undefined) wraps.push(wrap);
  }
  const { handle } = createPetStore({ keys: keys.map((key) => ({ ...limits, ...key })), animals, behaviour });
  return { handle: wraps.reduce<Handle>((wrapped, wrap) => wrap(wrapped, keysFor(keys)), handle) };
}

/** Draws one answer for each gap by a seed; the same seed draws the same answers. */
export function drawGaps(seed: number): GapChoices {
  const draw = seededRandom(seed);
  const drawn = Object.entries(gapChoices).map(([id, answers]) => [id, answers[Math.floor(draw() * answers.length)]]);
  return Object.fromEntries(drawn) as GapChoices;
}
