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
import { keysFor } from './faults.ts';
import { allowOrigin, changing, harmless, refuseUntil, type Wrap, withHeaders, withoutHeaders } from './wraps.ts';

/** What replaces the behaviour of the reference, a wrap around the handle, and numbers in place of those of the plans. */
interface Difference extends Partial<Behaviour> {
  readonly wrap?: Wrap;
  readonly limits?: Partial<Limits>;
}

/** What an answer may build on: the behaviour so far, the size behind the answer, and the options of the store. */
interface Given {
  readonly inner: Behaviour;
  readonly size: string | undefined;
  readonly random: () => number;
  readonly animals: readonly NewPet[];
  readonly gaps: Partial<GapChoices>;
}

type Differ = (given: Given) => Difference;

/** Ranges and single numbers, as in `-5..7,12`. */
function isIn(size: string): (value: bigint) => boolean {
  const ranges = size.split(',').map((part) => {
    const [, least, most] = /^(-?\d{1,19})(?:\.\.(-?\d{1,19}))?$/.exec(part) ?? [];
    if (least === undefined) throw new RangeError(`${part} is no range`);
    return [BigInt(least), BigInt(most ?? least)] as const;
  });
  return (value) => ranges.some(([least, most]) => value >= least && value <= most);
}

function readCount(size: string): number {
  if (!/^[1-9]\d{0,8}$/.test(size)) throw new RangeError(`${size} is no count`);
  return Number(size);
}

/** Adds a reason to refuse an animal, after those that there are already. */
function refusingPets(
  complaint: string,
  isRefused: (pet: NewPet, body: Readonly<Record<string, unknown>>) => boolean,
): Differ {
  return ({ inner }) => ({
    complaintOf: (pet, body) =>
      inner.complaintOf(pet, body) ??
      (isRefused(pet, body as Readonly<Record<string, unknown>>) ? complaint : undefined),
  });
}

function refusingNames(isAccepted: (name: string) => boolean): Differ {
  return refusingPets('The field name is outside what this store accepts.', ({ name }) => !isAccepted(name));
}

const atMost = (count: number): Differ => refusingNames((name) => [...name].length <= count);

function furtherFieldsOf(body: object): object {
  const { name, categoryId, status, id, ...further } = body as Readonly<Record<string, unknown>>;
  return further;
}

const extra = { kind: 'extra', tags: [], owner: null };

/** Rewrites the Errors; a 429 may have another body. */
function changingErrors(change: (error: { readonly status: number }) => object): Wrap {
  return changing((answer) => {
    const isError = answer.status >= 400 && answer.body.startsWith('{');
    return isError ? { ...answer, body: JSON.stringify(change(JSON.parse(answer.body))) } : undefined;
  });
}

const withCode =
  (codeFor: (status: number) => string): Differ =>
  () => ({
    wrap: changingErrors((error) => ({ ...error, code: codeFor(error.status) })),
  });

const refusingLimit =
  (isInteger: boolean, readLimit: (text: string) => number | StoreResponse): Differ =>
  ({ inner }) => ({
    readLimit: (text) => (/^-?\d+$/.test(text) === isInteger ? readLimit(text) : inner.readLimit(text)),
  });
const limit422 = (): StoreResponse => refuse(422, 'The limit must be an integer from 1 to 100.');

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
  const leaving: { readonly at: number; count: number }[] = [];
  let used = 0;
  return (now, requests) => {
    while (leaving[0] !== undefined && leaving[0].at <= now) used -= leaving.shift()!.count;
    if (requests > 0) {
      const at = Math.ceil((now + lengthMs) / 1000) * 1000;
      if (leaving.at(-1)?.at !== at) leaving.push({ at, count: 0 });
      leaving.at(-1)!.count += requests;
      used += requests;
    }
    return { limit, remaining: limit - used, endsAt: leaving[0]?.at ?? now + lengthMs };
  };
}

const minuteMs = 60_000;
const refusalsBeforeBan = 10;

/** After ten refusals in a minute every request with the key is refused until the end of the next minute. */
const banning: Wrap = (handle) => {
  const clients = new Map<string, { minute: number; refusals: number; until: number }>();
  return (request, now) => {
    const key = readHeader(request, 'authorization');
    const client = clients.get(key) ?? { minute: 0, refusals: 0, until: 0 };
    const isBanned = now < client.until;
    const answer = handle(isBanned ? harmless(request) : request, now);
    if (!isBanned && answer.status === 429) {
      clients.set(key, client);
      const minute = Math.floor(now / minuteMs);
      if (minute !== client.minute) Object.assign(client, { minute, refusals: 0 });
      client.refusals += 1;
      if (client.refusals >= refusalsBeforeBan) client.until = (minute + 2) * minuteMs;
    }
    if (now >= client.until) return answer;
    const reset = answer.status === 429 ? Number(answer.headers['X-RateLimit-Reset']) * 1000 : 0;
    return refuseUntil(Math.max(client.until, reset), now, answer);
  };
};

function window(
  createWindow: Behaviour['createWindow'],
  shownWindow: Behaviour['shownWindow'],
  sized: keyof Limits,
): Differ {
  return ({ size }) => ({
    createWindow,
    shownWindow,
    ...(size === undefined ? {} : { limits: { [sized]: readCount(size) } }),
  });
}

/** Gap → answer → the difference; none for the answers of the reference. */
const differences: { readonly [Id in OpenGapId]?: Readonly<Partial<Record<ReferenceAnswers[Id], Differ>>> } = {
  cors: { 'any-origin': () => ({ wrap: allowOrigin('*') }) },
  'known-categories': {
    'refused-400': (given) => {
      const isKnown = isIn(given.size ?? '1..10');
      return refusingPets('The field categoryId names no category.', ({ categoryId }) => !isKnown(categoryId))(given);
    },
  },
  'name-limits': {
    'at-most-100': atMost(100),
    'plain-only': refusingNames((name) => /^[A-Za-z0-9 -]{1,30}$/.test(name)),
    'not-empty': refusingNames((name) => /[^\s\p{C}]/u.test(name)),
    'at-most-255': atMost(255),
    'other-length': (given) => atMost(readCount(given.size ?? '200'))(given),
  },
  'duplicate-names': {
    'refused-400': (given) => {
      const names = new Set(given.animals.map(({ name }) => name));
      // A name that is not in use is in use from now on: no reason is found behind this one.
      return refusingPets('Another animal has this name.', ({ name }) => names.size === names.add(name).size)(given);
    },
  },
  'status-omitted': {
    pending: () => ({ omittedStatus: () => 'pending' }),
    sold: () => ({ omittedStatus: () => 'sold' }),
    absent: () => ({ omittedStatus: () => undefined }),
  },
  'id-form': {
    // An odd factor spreads 53 random bits over all 64 and keeps them distinct.
    random: ({ random }) => ({
      nextId: () => BigInt.asIntN(64, BigInt(Math.floor(random() * 2 ** 53)) * 0x9e3779b97f4a7c15n),
    }),
    large: () => ({ nextId: (count) => 2n ** 63n - BigInt(count) }),
    negative: () => ({ nextId: (count) => -BigInt(count) }),
  },
  'extra-response-fields': {
    extra: ({ inner }) => ({
      furtherFields: (body) => ({ ...extra, ...inner.furtherFields(body) }),
      wrap: changingErrors((error) => ({ ...error, ...extra })),
    }),
  },
  'limit-out-of-range': {
    'refused-422': refusingLimit(true, limit422),
    clamped: refusingLimit(true, (text) => Math.min(100, Math.max(1, Number(text)))),
    ignored: refusingLimit(true, () => 20),
  },
  'limit-not-integer': {
    'refused-422': refusingLimit(false, limit422),
    ignored: refusingLimit(false, () => 20),
  },
  'status-filter-unknown': {
    'refused-422': () => ({ readFilter: () => refuse(422, 'The status must be available, pending or sold.') }),
    ignored: () => ({ readFilter: () => undefined }),
    'empty-page': () => ({ readFilter: (text) => text }),
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
      const most = readCount(size ?? '10');
      return { answerPage: (matching, limit, query) => inner.answerPage(matching, Math.min(limit, most), query) };
    },
  },
  'later-pages': {
    'link-header': ({ inner }) => ({
      answerPage(matching, limit, query) {
        const after = query.get('after') ?? '';
        const end = (/^\d{1,9}$/.test(after) ? Number(after) : 0) + limit;
        const answer = inner.answerPage(matching.slice(end - limit), limit, query);
        if (end >= matching.length) return answer;
        const next = new URLSearchParams(query);
        next.set('after', String(end));
        return withHeaders(answer, { Link: `</v1/pets?${next}>; rel="next"` });
      },
    }),
  },
  'extra-body-fields': {
    kept: () => ({ furtherFields: furtherFieldsOf }),
    'refused-400': refusingPets(
      'The body has fields that a NewPet does not have.',
      (_pet, body) => Object.keys(furtherFieldsOf(body)).length > 0,
    ),
  },
  'client-sent-id': {
    'refused-400': refusingPets('The field id is assigned by the store.', (_pet, body) => body['id'] !== undefined),
  },
  'integer-written-as-decimal': {
    'refused-400': refusingPets('The field categoryId must be written without a fraction or exponent.', (_pet, body) =>
      /[.e]/i.test(JSON.stringify(body['categoryId'])),
    ),
  },
  'other-media-type': {
    'refused-400': ({ inner }) => ({
      refuseBody(request) {
        const refusal = inner.refuseBody(request);
        return refusal?.status === 415 ? refuse(400, 'The body must be sent as application/json.') : refusal;
      },
    }),
    accepted: ({ inner }) => ({
      refuseBody(request) {
        const refusal = inner.refuseBody(request);
        return refusal?.status === 415 ? undefined : refusal;
      },
    }),
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
    sent: () => ({
      wrap: changing((answer) => {
        const id = answer.status === 201 ? /^\{"id":(-?\d+)/.exec(answer.body)?.[1] : undefined;
        return id === undefined ? undefined : withHeaders(answer, { Location: `/v1/pets/${id}` });
      }),
    }),
  },
  'pet-id-not-int64': { 'refused-400': () => ({ noInt64: () => 400 }) },
  'other-operations': {
    'refused-404': () => ({ refuseOther: () => reference.refuseOther('') }),
  },
  'bearer-case': {
    'refused-401': () => ({ readToken: (authorization) => /^Bearer +([!-~]+)$/.exec(authorization)?.[1] }),
  },
  'www-authenticate': {
    none: () => ({ wrap: changing((answer) => withoutHeaders(answer, 'WWW-Authenticate')) }),
  },
  'error-codes': {
    'upper-case': withCode((status) => codeOf(status).toUpperCase()),
    numeric: withCode((status) => String(1_000 + status)),
    generic: withCode(() => 'error'),
  },
  'too-many-requests-body': {
    empty: () => ({ wrap: withPlain429('') }),
    text: () => ({ wrap: withPlain429('Too many requests.') }),
  },
  'rate-limit-window': {
    tightest: window(reference.createWindow, reference.shownWindow, 'perMinute'),
    minute: window(reference.createWindow, (minute) => minute, 'perMinute'),
    day: window(reference.createWindow, (_minute, day) => day, 'perDay'),
    sliding: window(createSlidingWindow, (minute) => minute, 'perMinute'),
  },
  'rate-limit-without-key': {
    'same-as-key': () => ({ limitsWithoutKey: (first) => first }),
    zero: () => ({ limitsWithoutKey: () => ({ perMinute: 0, perDay: Number.POSITIVE_INFINITY }) }),
  },
  'retry-after-form': {
    'http-date': () => ({
      wrap: changing((answer) => {
        const reset = Number(answer.headers['X-RateLimit-Reset']) * 1000;
        return answer.status === 429
          ? withHeaders(answer, { 'Retry-After': new Date(reset).toUTCString() })
          : undefined;
      }),
    }),
  },
  ban: { 'banned-429': () => ({ wrap: banning }) },
  'after-removal': {
    'not-found-404': () => ({ removed: () => 404 }),
    continues: () => ({ removed: () => undefined }),
  },
  'deprecation-headers': {
    none: () => ({
      wrap: changing((answer) => ('Sunset' in answer.headers ? withoutHeaders(answer, 'Sunset', 'Link') : undefined)),
    }),
  },
};

function withPlain429(body: string): Wrap {
  return changing((answer) =>
    answer.status === 429 ? { ...withHeaders(answer, { 'Content-Type': 'text/plain' }), body } : undefined,
  );
}

/** Answers that a size may follow. */
const sized: readonly string[] = ['refused-400', 'other-length', 'fewer', 'tightest', 'minute', 'day', 'sliding'];
const sizedGaps: readonly string[] = ['known-categories', 'name-limits', 'page-cap', 'rate-limit-window'];

/** Gap id → the ids of the answers that this server can give, the reference choice first. */
export const gapChoices: Readonly<Record<string, readonly string[]>> = Object.fromEntries(
  allGaps.filter(({ reference: own }) => own !== undefined).map(({ id, answers }) => [id, Object.keys(answers)]),
);

/** What a choice changes; throws a RangeError for an unknown gap, answer or size. */
function differenceOf(gap: string, choice: string, given: Omit<Given, 'size'>): Difference {
  const answers = gapChoices[Object.hasOwn(gapChoices, gap) ? gap : ''];
  if (answers === undefined) {
    throw new RangeError(`There is no gap ${JSON.stringify(gap.slice(0, 50))}; spec/README.md lists all gaps.`);
  }
  const [answer = '', size, ...rest] = choice.split(' ');
  try {
    const mayHaveSize = sizedGaps.includes(gap) && sized.includes(answer) && rest.length === 0;
    if (!answers.includes(answer) || (size !== undefined && !mayHaveSize)) throw new RangeError(choice);
    const differ = (differences[gap as OpenGapId] as Readonly<Record<string, Differ>> | undefined)?.[answer];
    return differ?.({ ...given, size }) ?? {};
  } catch {
    const shown = JSON.stringify(choice.slice(0, 50));
    throw new RangeError(`The gap "${gap}" has the answers ${answers.join(', ')}, not ${shown}.`);
  }
}

/** The contents of a store, and its answers to gaps; those of the reference where nothing is chosen. */
export interface TwinOptions {
  readonly keys?: readonly ApiKey[];
  readonly animals?: readonly NewPet[];
  readonly gaps?: Partial<GapChoices>;
  /** Returns numbers from 0 to 1 for random ids and orders; Math.random by default. */
  readonly random?: () => number;
}

/** Creates a store with other answers to gaps; throws a RangeError for gaps or answers that there are not. */
export function createTwin({ keys = [], animals = [], gaps = {}, random = Math.random }: TwinOptions) {
  let [inner, limits, wraps]: [Behaviour, Partial<Limits>, Wrap[]] = [reference, {}, []];
  // The last gap is the innermost: what is chosen for a page comes before what leads to the next one.
  const unknown = Object.keys(gaps).filter((gap) => !Object.hasOwn(gapChoices, gap));
  for (const gap of [...unknown, ...Object.keys(gapChoices).toReversed()]) {
    const choice: unknown = gaps[gap as OpenGapId];
    if (choice === undefined) continue;
    // An object may have a member toString, which String would call.
    const text = typeof choice === 'object' ? '{…}' : String(choice);
    const { wrap, limits: own, ...behaviour } = differenceOf(gap, text, { inner, random, animals, gaps });
    inner = { ...inner, ...behaviour };
    limits = { ...limits, ...own };
    if (wrap !== undefined) wraps.push(wrap);
  }
  const { handle } = createPetStore({ keys: keys.map((key) => ({ ...limits, ...key })), animals, behaviour: inner });
  return { handle: wraps.reduce<Handle>((wrapped, wrap) => wrap(wrapped, keysFor(keys)), handle) };
}

/** Draws one answer for each gap by a seed; the same seed draws the same answers. */
export function drawGaps(seed: number): GapChoices {
  const draw = seededRandom(seed);
  const drawn = Object.entries(gapChoices).map(([id, answers]) => [id, answers[Math.floor(draw() * answers.length)]]);
  return Object.fromEntries(drawn) as GapChoices;
}
