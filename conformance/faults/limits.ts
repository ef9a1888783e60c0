/** Faults of §8: X-RateLimit headers that are missing or wrong, limits that are not enforced, refusals that say too little. */

import type { StoreResponse } from '../../reference-server/index.ts';
import {
  type Call,
  changes,
  errorAnswer,
  headerNumber,
  layers,
  type Matches,
  readCall,
  type Wrap,
  withHeader,
  withKey,
} from '../services/wraps.ts';
import { each, type Fault, ordinary, petOperations, rare } from './fault.ts';

const headers = {
  'X-RateLimit-Limit': 'rate-limit-header',
  'X-RateLimit-Remaining': 'rate-remaining-header',
  'X-RateLimit-Reset': 'rate-reset-header',
} as const;
type HeaderName = keyof typeof headers;
const headerNames = Object.keys(headers) as HeaderName[];
const reset = 'X-RateLimit-Reset';

/** What a header says instead; undefined for none. */
type HeaderChange = (value: number, answer: StoreResponse, call: Call) => number | string | undefined;
type HeaderChanges = Readonly<Record<string, HeaderChange>>;

const changeHeader =
  (name: string, matches?: Matches) =>
  (change: HeaderChange): Wrap =>
    changes.answer((answer, call) => {
      const changed = change(headerNumber(answer, name), answer, call);
      return withHeader(answer, name, typeof changed === 'number' ? String(Math.floor(changed)) : changed);
    }, matches);

const unreadable: HeaderChanges = {
  missing: () => undefined,
  'a-fraction': (value) => `${value}.5`,
  negative: (value) => `-${value + 1}`,
  text: () => 'many',
  empty: () => '',
  'with-a-unit': (value) => `${value}/minute`,
  ...Object.fromEntries(
    [200, 201, 400, 401, 404].map((only): [string, HeaderChange] => [
      `missing-with-${only}`,
      (value, { status }) => (status === only ? undefined : value),
    ]),
  ),
};
const rarelyUnreadable: HeaderChanges = {
  'missing-on-empty-pages': (value, { body }) => (body === '[]' ? undefined : value),
  grouped: (value) => `${value}_000`,
  'as-exponent': (value) => value.toExponential(),
};
/** An integer with more text behind it. */
const notPlain: HeaderChanges = {
  'with-a-window': (value) => `${value}, ${value};w=60`,
  twice: (value) => `${value}, ${value}`,
};
/** Remaining counts only some requests, or each kind of request apart. */
const countsApart =
  (kindOf: (call: Call) => string | undefined): Wrap =>
  (handle, keys) => {
    const counts = new Map<string, number>();
    return changes.remaining(({ limit }, call) => {
      const kind = kindOf(call);
      if (kind === undefined) return limit - [...counts.values()].reduce((sum, count) => sum + count, 0);
      counts.set(kind, (counts.get(kind) ?? 0) + 1);
      return limit - counts.get(kind)!;
    })(handle, keys);
  };

const [hour, day] = [3_600, 86_400];
const resets: HeaderChanges = {
  'in-milliseconds': (value) => value * 1000,
  'as-seconds-left': () => 30,
  zero: () => 0,
  'an-hour-ago': (value) => value - 2 * hour - day,
  'at-the-start-of-the-window': (value) => value - 60,
  'a-minute-ago': (_value, _answer, { now }) => now / 1000 - 60,
  'two-days-ahead': (value) => value + 2 * day,
  'in-2286': () => 9_999_999_999,
  'as-iso-date': (value) => new Date(value * 1000).toISOString(),
  'as-http-date': (value) => new Date(value * 1000).toUTCString(),
};
const rareResets: HeaderChanges = {
  'half-a-day-late': (value) => value + day / 2,
  'at-the-end-of-the-hour': (_value, _answer, { now }) => Math.ceil(now / 3_600_000) * hour,
};

/** Shows another limit than that of the plan. */
const ofAnotherPlan = (limit: number): Wrap =>
  layers(
    changeHeader('X-RateLimit-Limit')((_value, { status }) => (status === 401 ? 1000 : limit)),
    changes.remaining(({ remaining }) => Math.min(limit, remaining)),
  );

const isRefusal: Matches = (_call, { status }) => status === 429;
/** Carries out requests that were refused with the other key, and answers them with the headers of this one. */
const servesRefused =
  (matches: (call: Call, count: number) => boolean, shows: (answer: StoreResponse) => boolean = () => true): Wrap =>
  (handle, keys) =>
    changes.answer((refusal, call, count) => {
      if (!matches(call, count)) return undefined;
      const own = handle(withKey(call.request, call.keys.api), call.now);
      return shows(own) ? { ...own, headers: refusal.headers } : undefined;
    }, isRefusal)(handle, keys);

/** Beyond the limit, answers what else is wrong with a request before the limit. */
const answersErrorFirst = (only: Call['operation']): Wrap =>
  servesRefused(
    ({ operation, pet }) => operation === only && (only !== 'createPet' || pet['categoryId'] === undefined),
    ({ status }) => status >= 400,
  );

const refusedEarly: Wrap = changes.answer(
  (answer) => withHeader(errorAnswer(429, answer), 'Retry-After', '30'),
  ({ key, operation }, answer) =>
    key === 'rateLimit' &&
    operation !== 'createPet' &&
    answer.status < 300 &&
    headerNumber(answer, 'X-RateLimit-Remaining') < 3,
);

const retryAfter = changeHeader('Retry-After', isRefusal);
const refusalAs = (status: number): Wrap => changes.answer((answer) => errorAnswer(status, answer), isRefusal);

const retryAfters: HeaderChanges = {
  missing: () => undefined,
  text: () => 'soon',
  negative: () => '-5',
  zero: () => '0',
  'in-milliseconds': (seconds) => `${seconds}000`,
  fraction: () => '1.5',
  'iso-date': () => '2026-11-21T12:01:00Z',
  timestamp: (_seconds, answer) => answer.headers[reset],
};
const rareRetryAfters: HeaderChanges = {
  // A key that is served sooner refutes them.
  'of-two-days': () => '172800',
  'of-three-hours': () => '10800',
  'date-with-an-offset': () => 'Sat, 21 Nov 2026 13:01:00 +0100',
};

/** Repeats the first refusal of the rate-limit key for ever. */
const neverEnds: Wrap = (handle, keys) => {
  let refusal: StoreResponse | undefined;
  return (request, now) => {
    if (refusal !== undefined && readCall(request, now, keys).key === 'rateLimit') return refusal;
    const answer = handle(request, now);
    if (answer.status === 429) refusal = answer;
    return answer;
  };
};
const withLongWaits = { 'of-two-days': '172800', 'at-a-date-in-a-week': 'Sat, 28 Nov 2026 12:00:00 GMT' };

export const limitFaults: readonly Fault[] = [
  ...headerNames.flatMap((name) => [
    ...ordinary({ [headers[name]]: each(`${name}-*`, unreadable, changeHeader(name)) }),
    ...rare({
      [headers[name]]: {
        ...each(`${name}-*`, rarelyUnreadable, changeHeader(name)),
        [`refusal-without-${name}`]: changeHeader(name, isRefusal)(() => undefined),
      },
      'rate-headers-plain': each(`${name}-*`, notPlain, changeHeader(name)),
    }),
  ]),
  ...ordinary({
    'rate-remaining-falls': {
      'remaining-counted-by-operation': countsApart(({ operation }) => operation),
      'remaining-always-the-limit': changes.remaining(({ limit }) => limit),
      // Creations are not counted, as behind a gateway that counts cacheable requests only.
      'remaining-untouched-by-creations': countsApart(({ operation }) =>
        operation === 'createPet' ? undefined : 'reads',
      ),
      'remaining-always-zero': changes.remaining(() => 0),
      'remaining-rises': changes.remaining(({ count }) => Math.min(count, 900)),
      'remaining-up-and-down': changes.remaining(({ count, remaining }) => remaining - (count % 2 === 0 ? 0 : 20)),
    },
    'rate-remaining-header': { 'remaining-above-limit': changes.remaining(({ remaining }) => remaining + 5_000) },
    'rate-reset-header': each('reset-*', resets, changeHeader(reset)),
    'rate-limit-plan': each('limit-*-on-business', [59, 61, 500, 9_999], ofAnotherPlan),
    'rate-exceeded': {
      'limit-never-enforced': servesRefused(() => true),
      'limit-enforced-one-late': servesRefused((_call, count) => count === 1),
      'limit-enforced-too-early': refusedEarly,
      ...each('errors-of-*-come-before-the-limit', petOperations, answersErrorFirst),
      ...each('excess-answers-*', [403, 503], refusalAs),
    },
    'rate-retry-after': each('retry-after-*', retryAfters, retryAfter),
  }),
  ...rare({
    'rate-remaining-falls': each('remaining-in-steps-of-*', [2, 5, 10], (size) =>
      changes.remaining(({ limit, remaining }) => limit - Math.ceil((limit - remaining) / size) * size),
    ),
    'rate-reset-header': each('reset-*', rareResets, changeHeader(reset)),
    'rate-retry-after': each('retry-after-*', rareRetryAfters, retryAfter),
    'rate-exceeded': {
      ...each('excess-answers-*', [401, 404], refusalAs),
      ...each('limit-not-enforced-for-*', petOperations, (only) =>
        servesRefused(({ operation }) => operation === only),
      ),
      'two-requests-too-many': servesRefused((_call, count) => count <= 2),
      'refusal-with-requests-left': changeHeader('X-RateLimit-Remaining', isRefusal)(() => 3),
    },
    'rate-retry-after-length': each('refusal-never-ends-with-retry-after-*', withLongWaits, (value) =>
      layers(
        retryAfter(() => value),
        neverEnds,
      ),
    ),
    'rate-recovery': { 'refusal-never-ends': neverEnds },
  }),
];
