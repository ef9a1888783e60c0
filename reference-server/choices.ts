/** Where the interface is silent: for each gap the answers that this server can give, each as a value or a function. */

import type { GapChoices } from '../spec/gaps.ts';
import type { components } from '../spec/openapi.ts';
import type { JsonValue } from './json.ts';
import {
  createFixedWindow,
  createMeter,
  createSlidingWindow,
  type LimitRules,
  type Meter,
  plans,
} from './rate-limit.ts';

type Fields = Readonly<Record<string, JsonValue>>;
type Headers = Readonly<Record<string, string>>;

/** How the server treats a query parameter that is not allowed: it uses another value, or refuses with a status. */
export type Fallback<Value> = { readonly use: Value } | { readonly refuse: number };

/** Gap id → what the server has to know there. Gaps to which it has one answer are missing. */
export interface Behaviour {
  readonly 'known-categories': (categoryId: bigint) => boolean;
  readonly 'name-limits': (name: string) => boolean;
  /** Creates the record of names in use, where no two animals may share one. */
  readonly 'duplicate-names': () => Set<string> | undefined;
  readonly 'status-omitted': components['schemas']['PetStatus'] | undefined;
  readonly 'id-form': (count: number, random: () => number) => bigint;
  readonly 'extra-response-fields': Readonly<Record<string, unknown>>;
  readonly 'limit-out-of-range': (limit: number) => Fallback<number | undefined>;
  readonly 'limit-not-integer': () => Fallback<number | undefined>;
  readonly 'status-filter-unknown': () => Fallback<'none' | undefined>;
  readonly 'unknown-query-parameters': () => boolean;
  readonly 'list-order': GapChoices['list-order'];
  readonly 'later-pages': ((next: string) => Headers) | undefined;
  readonly 'extra-body-fields': (more: Fields) => { readonly more?: Fields } | undefined;
  readonly 'client-sent-id': (id: JsonValue) => boolean;
  readonly 'integer-written-as-decimal': (value: bigint) => boolean;
  readonly 'other-media-type': 415 | 400 | undefined;
  readonly 'location-header': (path: string) => Headers;
  readonly 'pet-id-not-int64': 404 | 400;
  readonly 'other-operations': 405 | 404;
  readonly 'bearer-case': RegExp;
  readonly 'www-authenticate': Headers;
  readonly 'error-codes': (code: string, status: number) => string;
  readonly 'too-many-requests-body': string | undefined;
  readonly 'rate-limit-window': LimitRules;
  readonly 'rate-limit-without-key': (windowMs: number, rules: LimitRules) => () => Meter;
  readonly 'retry-after-form': (until: number, now: number) => string;
  readonly ban: number;
  readonly 'after-removal': 410 | 404 | undefined;
  readonly 'deprecation-headers': (successor: string) => Headers;
}

type Choices = {
  readonly [Id in keyof GapChoices]: {
    readonly [Answer in GapChoices[Id]]: Id extends keyof Behaviour ? Behaviour[Id] : undefined;
  };
};

const accept = (): true => true;
const refuse = (): false => false;
const use =
  <Value>(value: Value) =>
  () => ({ use: value });
const refuseWith = (status: number) => () => ({ refuse: status });

/** Gap id → answer id → how this server behaves; the first answer of each gap is the reference choice. */
export const choices: Choices = {
  'known-categories': { accepted: accept, 'refused-400': (categoryId) => categoryId >= 1n && categoryId <= 10n },
  'name-limits': {
    any: accept,
    'at-most-100': (name) => name.length <= 200 && [...name].length <= 100,
    'plain-only': (name) => /^[A-Za-z0-9 -]{1,30}$/.test(name),
    'not-empty': (name) => /[^\s\p{C}]/u.test(name),
  },
  'duplicate-names': { accepted: () => undefined, 'refused-400': () => new Set() },
  'status-omitted': { available: 'available', pending: 'pending', sold: 'sold', absent: undefined },
  'id-form': {
    sequential: (count) => BigInt(count),
    // An odd factor spreads 53 random bits over all 64 and keeps them distinct.
    random: (_count, random) => BigInt.asIntN(64, BigInt(Math.floor(random() * 2 ** 53)) * 0x9e3779b97f4a7c15n),
    large: (count) => 2n ** 63n - BigInt(count),
    negative: (count) => -BigInt(count),
  },
  'extra-response-fields': { none: {}, extra: { kind: 'extra', tags: [], owner: null } },
  'limit-out-of-range': {
    'refused-400': refuseWith(400),
    'refused-422': refuseWith(422),
    clamped: (limit) => ({ use: Math.min(100, Math.max(1, limit)) }),
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
  'page-cap': { 'as-asked': undefined },
  'short-pages': { 'filter-before-limit': undefined },
  visibility: { 'at-once': undefined },
  'later-pages': { none: undefined, 'link-header': (next) => ({ Link: `<${next}>; rel="next"` }) },
  'extra-body-fields': { ignored: () => ({}), kept: (more) => ({ more }), 'refused-400': () => undefined },
  'client-sent-id': { ignored: accept, 'refused-400': refuse },
  'integer-written-as-decimal': { accepted: accept, 'refused-400': refuse },
  'other-media-type': { 'refused-415': 415, 'refused-400': 400, accepted: undefined },
  'location-header': { none: () => ({}), sent: (path) => ({ Location: path }) },
  'pet-id-not-int64': { 'not-found-404': 404, 'refused-400': 400 },
  'other-operations': { 'refused-405': 405, 'refused-404': 404 },
  'key-scope': { shared: undefined },
  'bearer-case': { accepted: /^Bearer +([!-~]+)$/i, 'refused-401': /^Bearer +([!-~]+)$/ },
  'www-authenticate': { sent: { 'WWW-Authenticate': 'Bearer' }, none: {} },
  'error-codes': {
    'snake-case': (code) => code,
    'upper-case': (code) => code.toUpperCase(),
    numeric: (_code, status) => String(1_000 + status),
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
  },
  'rate-limit-without-key': {
    'free-per-address': (windowMs, rules) => () => createMeter(plans.free, windowMs, Number.POSITIVE_INFINITY, rules),
    zero: (windowMs) => () => (now) => {
      const { endsAt } = createFixedWindow(0, windowMs)(now, 0);
      return { limit: 0, remaining: 0, reset: Math.ceil(endsAt / 1000), until: undefined };
    },
  },
  'limit-scope': { 'per-key': undefined },
  'refused-requests': { counted: undefined },
  'retry-after-form': {
    seconds: (until, now) => String(Math.ceil((until - now) / 1000)),
    'http-date': (until) => new Date(Math.ceil(until / 1000) * 1000).toUTCString(),
  },
  ban: { 'banned-429': 10, none: Number.POSITIVE_INFINITY },
  'after-removal': { 'gone-410': 410, 'not-found-404': 404, continues: undefined },
  'deprecation-headers': {
    sunset: (successor) => ({
      Sunset: 'Thu, 05 Dec 2030 00:00:00 GMT',
      Link: `<${successor}>; rel="successor-version"`,
    }),
    none: () => ({}),
  },
};

/** Gap id → the ids of the answers that this server can give, the reference choice first. */
export const gapChoices: Readonly<Record<string, readonly string[]>> = Object.fromEntries(
  Object.entries(choices).map(([id, answers]) => [id, Object.keys(answers)]),
);

/** The behaviour for some choices; throws a RangeError, which names the allowed ones, for an unknown gap or answer. */
export function readBehaviour(chosen: Partial<GapChoices>): Behaviour {
  const unknown = Object.keys(chosen).find((id) => !Object.hasOwn(choices, id));
  if (unknown !== undefined) {
    throw new RangeError(`There is no gap "${unknown}"; the gaps are ${Object.keys(choices).join(', ')}.`);
  }
  const behaviour = Object.entries(choices).map(([id, answers]) => {
    const answer: string = chosen[id as keyof GapChoices] ?? Object.keys(answers)[0]!;
    if (Object.hasOwn(answers, answer)) return [id, (answers as Readonly<Record<string, unknown>>)[answer]];
    throw new RangeError(`The gap "${id}" has the answers ${Object.keys(answers).join(', ')}, not "${answer}".`);
  });
  return Object.fromEntries(behaviour) as Behaviour;
}
