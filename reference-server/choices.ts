/** Where the interface is silent: for each gap the answers that this server can give, each as a function or a value. */

import type { GapChoices } from '../spec/gaps.ts';
import type { Behaviour } from './behaviour.ts';
import { freeLimits } from './keys.ts';
import { createFixedWindow, createMeter, createSlidingWindow } from './rate-limit.ts';

type Choices = { readonly [Id in keyof GapChoices]: { readonly [Answer in GapChoices[Id]]: Behaviour[Id] } };

const accept = (): true => true;
const refuse = (): false => false;
const use =
  <Value>(value: Value) =>
  () => ({ use: value });
const refuseWith = (status: number) => () => ({ refuse: status });

/** Gap id → answer id → what this server then does; the first answer of each is the reference choice. */
export const choices: Choices = {
  'known-categories': { accepted: accept, 'refused-400': (categoryId) => categoryId >= 1n && categoryId <= 10n },
  'name-limits': {
    any: accept,
    'at-most-100': (name) => [...name].length <= 100,
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
    'free-per-address': (windowMs, rules) => () => createMeter(freeLimits, windowMs, Number.POSITIVE_INFINITY, rules),
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

/** Looks up what the server does; throws a RangeError, which names the allowed ones, for an unknown gap or answer. */
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

/** One answer for each gap, drawn by a seed (mulberry32): the same seed draws the same. */
export function surprise(seed: number): GapChoices {
  let state = seed >>> 0;
  function draw(): number {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }
  const drawn = Object.entries(gapChoices).map(([id, answers]) => [id, answers[Math.floor(draw() * answers.length)]]);
  return Object.fromEntries(drawn) as GapChoices;
}
