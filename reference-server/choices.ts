/** Where the interface is silent: for each gap the answers that this server can give, each as a value or a function. */

import type { GapChoices, ReferenceAnswers } from '../spec/gaps.ts';
import type { JsonValue } from './json.ts';
import {
  createFixedWindow,
  createSlidingWindow,
  type LimitRules,
  type Limits,
  type Meter,
  plans,
} from './rate-limit.ts';

/** How the server treats a query parameter that is not allowed: it uses another value, or refuses with a status. */
export type Fallback<Value> = { readonly use: Value } | { readonly refuse: number };

type Fields = Readonly<Record<string, JsonValue>>;

const accept = (_value?: unknown): boolean => true;
const refuse = (_value?: unknown): boolean => false;
const use =
  <const Value>(value: Value) =>
  () => ({ use: value });
const refuseWith = (status: number) => () => ({ refuse: status });
type CreateMeter = (limits: Limits) => Meter;
const meterNothing =
  (windowMs: number): Meter =>
  (now) => {
    const { endsAt } = createFixedWindow(0, windowMs)(now, 0);
    return { limit: 0, remaining: 0, reset: Math.ceil(endsAt / 1000), until: undefined };
  };

const isAtMost =
  (most: number) =>
  (name: string): boolean =>
    // A code point takes up to two characters.
    name.length <= 2 * most && [...name].length <= most;
const isIn =
  (ranges: readonly (readonly [least: bigint, most: bigint])[]) =>
  (value: bigint): boolean =>
    ranges.some(([least, most]) => value >= least && value <= most);

/** Gap id → answer id → how this server behaves; the first answer of each gap is the reference choice. */
export const choices = {
  cors: { none: false, 'any-origin': true },
  'known-categories': { accepted: accept, 'refused-400': isIn([[1n, 10n]]) },
  'name-limits': {
    any: accept,
    'at-most-100': isAtMost(100),
    'plain-only': (name: string) => /^[A-Za-z0-9 -]{1,30}$/.test(name),
    'not-empty': (name: string) => /[^\s\p{C}]/u.test(name),
    'at-most-255': isAtMost(255),
    'other-length': isAtMost(200),
  },
  'duplicate-names': { accepted: () => undefined, 'refused-400': () => new Set<string>() },
  'status-omitted': { available: 'available', pending: 'pending', sold: 'sold', absent: undefined },
  'id-form': {
    sequential: (count: number) => BigInt(count),
    // An odd factor spreads 53 random bits over all 64 and keeps them distinct.
    random: (_count: number, random: () => number) =>
      BigInt.asIntN(64, BigInt(Math.floor(random() * 2 ** 53)) * 0x9e3779b97f4a7c15n),
    large: (count: number) => 2n ** 63n - BigInt(count),
    negative: (count: number) => -BigInt(count),
  },
  'extra-response-fields': { none: {}, extra: { kind: 'extra', tags: [], owner: null } },
  'limit-out-of-range': {
    'refused-400': refuseWith(400),
    'refused-422': refuseWith(422),
    clamped: (limit: number) => ({ use: Math.min(100, Math.max(1, limit)) }),
    ignored: use(undefined),
  },
  'limit-not-integer': { 'refused-400': refuseWith(400), 'refused-422': refuseWith(422), ignored: use(undefined) },
  'status-filter-unknown': {
    'refused-400': refuseWith(400),
    'refused-422': refuseWith(422),
    ignored: use(undefined),
    'empty-page': use('none'),
  },
  'unknown-query-parameters': { ignored: accept, 'refused-400': refuse },
  'list-order': { 'oldest-first': 'oldest-first', 'newest-first': 'newest-first', shuffled: 'shuffled' },
  'page-cap': { 'as-asked': 100, fewer: 10 },
  'short-pages': { 'filter-before-limit': undefined },
  visibility: { 'at-once': undefined },
  'later-pages': { none: undefined, 'link-header': (next: string) => ({ Link: `<${next}>; rel="next"` }) },
  'extra-body-fields': { ignored: () => ({}), kept: (more: Fields) => ({ more }), 'refused-400': () => undefined },
  'client-sent-id': { ignored: accept, 'refused-400': refuse },
  'integer-written-as-decimal': { accepted: accept, 'refused-400': refuse },
  'other-media-type': { 'refused-415': 415, 'refused-400': 400, accepted: undefined },
  'chunked-bodies': { accepted: undefined, 'refused-411': 411 },
  'location-header': { none: () => ({}), sent: (path: string) => ({ Location: path }) },
  'pet-id-not-int64': { 'not-found-404': 404, 'refused-400': 400 },
  'other-operations': { 'refused-405': 405, 'refused-404': 404 },
  'key-scope': { shared: undefined },
  'bearer-case': { accepted: /^Bearer +([!-~]+)$/i, 'refused-401': /^Bearer +([!-~]+)$/ },
  'www-authenticate': { sent: { 'WWW-Authenticate': 'Bearer' }, none: {} },
  'error-codes': {
    'snake-case': (code: string) => code,
    'upper-case': (code: string) => code.toUpperCase(),
    numeric: (_code: string, status: number) => String(1_000 + status),
    generic: () => 'error',
  },
  'too-many-requests-body': { error: undefined, empty: '', text: 'Too many requests.' },
  'rate-limit-window': {
    tightest: {
      createWindow: createFixedWindow,
      show: (short, day) => (day.remaining < short.remaining ? day : short),
    },
    minute: { createWindow: createFixedWindow, show: (short) => short },
    day: { createWindow: createFixedWindow, show: (_short, day) => day },
    sliding: { createWindow: createSlidingWindow, show: (short) => short },
  } satisfies Readonly<Record<string, LimitRules>>,
  'rate-limit-without-key': {
    'free-per-address': (createFor: CreateMeter) => () => createFor(plans.free),
    'same-as-key': (createFor: CreateMeter, ofKey: Limits) => () => createFor(ofKey),
    zero: (_createFor: CreateMeter, _ofKey: Limits, windowMs: number) => () => meterNothing(windowMs),
  },
  'limit-scope': { 'per-key': undefined },
  'refused-requests': { counted: undefined },
  'retry-after-form': {
    seconds: (until: number, now: number) => String(Math.ceil((until - now) / 1000)),
    'http-date': (until: number) => new Date(Math.ceil(until / 1000) * 1000).toUTCString(),
  },
  ban: { 'banned-429': 10, none: Number.POSITIVE_INFINITY },
  'after-removal': { 'gone-410': 410, 'not-found-404': 404, continues: undefined },
  'deprecation-headers': {
    sunset: (successor: string) => ({
      Sunset: 'Thu, 05 Dec 2030 00:00:00 GMT',
      Link: `<${successor}>; rel="successor-version"`,
    }),
    none: () => ({}),
  },
} as const satisfies { readonly [Id in keyof ReferenceAnswers]: Readonly<Record<ReferenceAnswers[Id], unknown>> };

type Choices = typeof choices;
/** Gap id → how the server behaves there. */
export type Behaviour = { readonly [Id in keyof Choices]: Choices[Id][keyof Choices[Id]] };

/** Gap id → the ids of the answers that this server can give, the reference choice first. */
export const gapChoices: Readonly<Record<string, readonly string[]>> = Object.fromEntries(
  Object.entries(choices).map(([id, answers]) => [id, Object.keys(answers)]),
);

/** Ranges and single numbers, as in `refused-400 -5..7,12`. */
function readRanges(size: string): readonly (readonly [bigint, bigint])[] | undefined {
  const parts = size.split(',').map((part) => /^(-?\d{1,19})(?:\.\.(-?\d{1,19}))?$/.exec(part));
  if (parts.includes(null)) return undefined;
  return parts.map((part) => [BigInt(part![1]!), BigInt(part![2] ?? part![1]!)]);
}

/** How the server behaves for an answer with a size of its own; undefined where the answer has none like that. */
function readSized(gap: string, answer: string, size: string) {
  const ranges = readRanges(size);
  const count = /^[1-9]\d{0,8}$/.test(size) ? Number(size) : undefined;
  if (gap === 'known-categories' && answer === 'refused-400') return ranges && isIn(ranges);
  if (gap === 'name-limits' && answer === 'other-length') return count && isAtMost(count);
  if (gap === 'page-cap' && answer === 'fewer') return count && Math.min(count, 100);
  if (gap !== 'rate-limit-window' || count === undefined) return undefined;
  const rules = choices[gap][answer as keyof Choices['rate-limit-window']];
  return { ...rules, limits: answer === 'day' ? { perDay: count } : { perMinute: count } };
}

function readChoice(gap: string, answers: Readonly<Record<string, unknown>>, choice: string): unknown {
  const [answer = '', size] = choice.split(' ');
  const behaviour = !Object.hasOwn(answers, answer) || size === undefined ? undefined : readSized(gap, answer, size);
  if (behaviour !== undefined) return behaviour;
  if (size === undefined && Object.hasOwn(answers, answer)) return answers[answer];
  throw new RangeError(
    `The gap "${gap}" has the answers ${Object.keys(answers).join(', ')}, not ${JSON.stringify(choice.slice(0, 50))}.`,
  );
}

/** The behaviour for some choices; throws a RangeError for an unknown gap or answer. */
export function readBehaviour(chosen: Partial<GapChoices>): Behaviour {
  const unknown = Object.keys(chosen).find((id) => !Object.hasOwn(choices, id));
  if (unknown !== undefined) {
    throw new RangeError(`There is no gap ${JSON.stringify(unknown.slice(0, 50))}; spec/README.md lists all gaps.`);
  }
  const behaviour = Object.entries(choices).map(([id, answers]) => {
    const choice: unknown = chosen[id as keyof GapChoices] ?? Object.keys(answers)[0]!;
    // An object may have a member toString, which String would call.
    return [id, readChoice(id, answers, typeof choice === 'object' ? '{…}' : String(choice))];
  });
  return Object.fromEntries(behaviour) as Behaviour;
}
