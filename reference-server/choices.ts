/** Where the interface is silent: for each gap the answers that this server can give, each as a function or a value. */

import type { GapChoices } from '../spec/gaps.ts';

/** What becomes of a limit or a filter that is not allowed: another one, or a refusal with a status. */
export type Instead<Value> = { readonly use: Value } | { readonly refuse: number };

const refuse400 = (): { refuse: number } => ({ refuse: 400 });
const refuse422 = (): { refuse: number } => ({ refuse: 422 });
const ignore = (): { use: undefined } => ({ use: undefined });

type Accepts<Value> = (value: Value) => boolean;
type NextId = (count: number, random: () => number) => bigint;
type InsteadOfLimit = (limit: number) => Instead<number | undefined>;

/** Gap id → answer id → what this server then does. Categories 1 to 10 are those that it may be told to know. */
export const choices = {
  'known-categories': {
    accepted: (() => true) as Accepts<bigint>,
    'refused-400': ((category) => category >= 1n && category <= 10n) as Accepts<bigint>,
  },
  'name-limits': {
    any: (() => true) as Accepts<string>,
    'at-most-100': ((name) => [...name].length <= 100) as Accepts<string>,
    'plain-only': ((name) => /^[A-Za-z0-9 -]{1,30}$/.test(name)) as Accepts<string>,
    'not-empty': ((name) => /\S/.test(name)) as Accepts<string>,
  },
  'duplicate-names': { accepted: false, 'refused-400': true },
  'status-omitted': { available: 'available', pending: 'pending', sold: 'sold', absent: undefined },
  'id-form': {
    sequential: ((count) => BigInt(count)) as NextId,
    random: ((_count, random) => BigInt.asIntN(64, BigInt(Math.floor(random() * 2 ** 53)) * 2_097_143n)) as NextId,
    large: ((count) => 2n ** 63n - BigInt(count)) as NextId,
    negative: ((count) => -BigInt(count)) as NextId,
  },
  'extra-response-fields': { none: {}, extra: { kind: 'extra', tags: [], owner: null } },
  'limit-out-of-range': {
    'refused-400': refuse400 as InsteadOfLimit,
    'refused-422': refuse422 as InsteadOfLimit,
    clamped: ((limit) => ({ use: Math.min(100, Math.max(1, limit)) })) as InsteadOfLimit,
    ignored: ignore as InsteadOfLimit,
  },
  'limit-not-integer': {
    'refused-400': refuse400 as InsteadOfLimit,
    'refused-422': refuse422 as InsteadOfLimit,
    ignored: ignore as InsteadOfLimit,
  },
  'status-filter-unknown': {
    'refused-400': refuse400 as () => Instead<'none' | undefined>,
    'refused-422': refuse422 as () => Instead<'none' | undefined>,
    ignored: ignore as () => Instead<'none' | undefined>,
    'empty-page': (() => ({ use: 'none' })) as () => Instead<'none' | undefined>,
  },
  'unknown-query-parameters': { ignored: false, 'refused-400': true },
  'list-order': { 'oldest-first': 'oldest-first', 'newest-first': 'newest-first', shuffled: 'shuffled' },
  'later-pages': { none: false, 'link-header': true },
  'extra-body-fields': { ignored: 'ignore', kept: 'keep', 'refused-400': 'refuse' },
  'client-sent-id': { ignored: false, 'refused-400': true },
  'integer-written-as-decimal': { accepted: true, 'refused-400': false },
  'other-media-type': { 'refused-415': 415, 'refused-400': 400, accepted: undefined },
  'location-header': { none: false, sent: true },
  'pet-id-not-int64': { 'not-found-404': 404, 'refused-400': 400 },
  'other-operations': { 'refused-405': 405, 'refused-404': 404 },
  'bearer-case': { accepted: /^bearer$/i, 'refused-401': /^Bearer$/ },
  'www-authenticate': { sent: 'Bearer', none: undefined },
  'error-codes': {
    'snake-case': (code: string) => code,
    'upper-case': (code: string) => code.toUpperCase(),
    numeric: (code: string) => String(1_000 + code.length),
    generic: (_code: string) => 'error',
  },
  'too-many-requests-body': { error: undefined, empty: '', text: 'Too many requests.' },
  'rate-limit-window': { minute: 'minute', day: 'day', tightest: 'tightest', sliding: 'sliding' },
  'rate-limit-without-key': { 'free-per-address': false, zero: true },
  'retry-after-form': {
    seconds: (until: number, now: number) => String(Math.max(1, Math.ceil((until - now) / 1000))),
    'http-date': (until: number, _now: number) => new Date(Math.ceil(until / 1000) * 1000).toUTCString(),
  },
  ban: { 'banned-429': true, none: false },
  'after-removal': { 'gone-410': 410, 'not-found-404': 404, continues: undefined },
  'deprecation-headers': { sunset: true, none: false },
} as const satisfies { [Id in keyof GapChoices]: Record<GapChoices[Id], unknown> };

type Table = typeof choices;

/** What the server does in each gap. */
export type Behaviour = { readonly [Id in keyof Table]: Table[Id][keyof Table[Id]] };

/** The choice of the reference server in each gap: the first answer of each. */
export const referenceChoices = Object.fromEntries(
  Object.entries(choices).map(([id, answers]) => [id, Object.keys(answers)[0]]),
) as GapChoices;

/** Gap id → the ids of the answers that this server can give. */
export const gapChoices: Readonly<Record<string, readonly string[]>> = Object.fromEntries(
  Object.entries(choices).map(([id, answers]) => [id, Object.keys(answers)]),
);

/** Looks up what the server does for a set of choices; gaps that are not named keep the reference choice. */
export function behaviourOf(chosen: Partial<GapChoices>): Behaviour {
  const all: Readonly<Record<string, string>> = { ...referenceChoices, ...chosen };
  return Object.fromEntries(
    Object.entries(choices).map(([id, answers]) => {
      const answer = all[id] ?? '';
      if (!Object.hasOwn(answers, answer)) {
        throw new RangeError(`The gap ${id} has the answers ${Object.keys(answers).join(', ')}, not "${answer}".`);
      }
      return [id, (answers as Readonly<Record<string, unknown>>)[answer]];
    }),
  ) as unknown as Behaviour;
}

/** One answer for each gap, drawn by a seed: the same seed draws the same. */
export function surprise(seed: number): GapChoices {
  let state = seed >>> 0;
  const next = (): number => {
    state = (Math.imul(state ^ (state >>> 15), 0x2c1b3c6d) + 0x9e3779b9) >>> 0;
    return ((state ^ (state >>> 13)) >>> 0) / 2 ** 32;
  };
  const drawn = Object.entries(gapChoices).map(([id, answers]) => [id, answers[Math.floor(next() * answers.length)]]);
  return Object.fromEntries(drawn) as GapChoices;
}
