/** Faults of §8: X-RateLimit headers that are missing or wrong, limits that are not enforced, refusals that say too little. */

import type { StoreResponse } from '../../reference-server/index.ts';
import type { OperationName } from '../../spec/operations.ts';
import { limitKeyLimit, limitKeyWindow } from '../services/limiters.ts';
import {
  type Call,
  changeAnswer,
  changeRemaining,
  errorAnswer,
  hasKey,
  headerNumber,
  layers,
  petOperations,
  sentPet,
  type Wrap,
  withHeader,
  withKey,
  withRemaining,
} from '../services/wraps.ts';
import { each, type Fault, merged, ordinary, type Rows, rare } from './fault.ts';

const headers = {
  'X-RateLimit-Limit': 'rate-limit-header',
  'X-RateLimit-Remaining': 'rate-remaining-header',
  'X-RateLimit-Reset': 'rate-reset-header',
} as const;
const reset = 'X-RateLimit-Reset';

/** What a header says instead; undefined for none. */
type HeaderChange = (value: number, answer: StoreResponse, call: Call) => number | string | undefined;
type HeaderChanges = Readonly<Record<string, HeaderChange>>;

const changeHeader = (
  name: string,
  change: HeaderChange,
  matches: (call: Call, answer: StoreResponse) => boolean = () => true,
): Wrap =>
  changeAnswer((answer, call) => {
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
    [200, 201, 400, 401, 404].map((status) => [
      `missing-with-${status}`,
      (value: number, answer: StoreResponse) => (answer.status === status ? undefined : value),
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
const headerRows = (changes: HeaderChanges, advised?: 'rate-headers-plain'): Rows =>
  merged(headers, (requirement, name) =>
    each(advised ?? requirement, `${name}-*`, changes, (change) => changeHeader(name, change)),
  );

/** Remaining counts only some requests, or each kind of request apart. */
const countsApart = (kindOf: (call: Call) => string | undefined): Wrap => {
  return (handle, keys) => {
    const counts = new Map<string, number>();
    return changeRemaining(({ limit }, call) => {
      const kind = kindOf(call);
      if (kind === undefined) return limit - [...counts.values()].reduce((sum, count) => sum + count, 0);
      counts.set(kind, (counts.get(kind) ?? 0) + 1);
      return limit - counts.get(kind)!;
    })(handle, keys);
  };
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
  'always-now': (_value, _answer, { now }) => now / 1000,
  'at-the-end-of-the-hour': (_value, _answer, { now }) => Math.ceil(now / 3_600_000) * hour,
};

/** Shows another limit than that of the plan. */
const ofAnotherPlan = (limit: number): Wrap =>
  layers(
    changeHeader('X-RateLimit-Limit', (_value, { status }) => (status === 401 ? 1000 : limit)),
    changeRemaining(({ remaining }) => Math.min(limit, remaining)),
  );

const limitByTurns = changeHeader(
  'X-RateLimit-Limit',
  () => 100_000,
  (call, answer) => hasKey(call, 'api') && headerNumber(answer, 'X-RateLimit-Remaining') % 2 === 0,
);

const isRefusal = (_call: Call, { status }: StoreResponse): boolean => status === 429;
/** Carries out requests that were refused with the other key, and answers them with the headers of this one. */
function servesRefused(
  matches: (call: Call, count: number) => boolean,
  shows: (answer: StoreResponse) => boolean = () => true,
): Wrap {
  return (handle, keys) =>
    changeAnswer((refusal, call, count) => {
      if (!matches(call, count)) return undefined;
      const own = handle(withKey(call.request, call.keys.api), call.now);
      return shows(own) ? { ...own, headers: refusal.headers } : undefined;
    }, isRefusal)(handle, keys);
}

/** Beyond the limit, answers what else is wrong with a request before the limit. */
const answersErrorFirst = (only: OperationName): Wrap =>
  servesRefused(
    (call) => call.operation === only && (only !== 'createPet' || sentPet(call)['categoryId'] === undefined),
    ({ status }) => status >= 400,
  );

const refusedEarly = (isEarly: (remaining: number, call: Call) => boolean): Wrap =>
  changeAnswer(
    (answer) => withHeader(errorAnswer(429, answer), 'Retry-After', '30'),
    (call, answer) =>
      hasKey(call, 'rateLimit') && answer.status < 300 && isEarly(headerNumber(answer, 'X-RateLimit-Remaining'), call),
  );

const refusalWith = (name: string, change: HeaderChange): Wrap => changeHeader(name, change, isRefusal);
const refusalAs = (status: number): Wrap => changeAnswer((answer) => errorAnswer(status, answer), isRefusal);

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
/** A key that is served sooner refutes them. */
const longRetryAfters: HeaderChanges = { 'of-two-days': () => '172800', 'of-three-hours': () => '10800' };

/** Repeats the first refusal of the rate-limit key for ever. */
const neverEnds: Wrap = (handle, keys) => {
  let refusal: StoreResponse | undefined;
  return (request, now) => {
    if (refusal !== undefined && hasKey({ request, keys }, 'rateLimit')) return refusal;
    const answer = handle(request, now);
    if (answer.status === 429) refusal = answer;
    return answer;
  };
};

const exhausting = { needsExhaustion: true } as const;

export const limitFaults: readonly Fault[] = [
  ...ordinary({
    ...headerRows(unreadable),
    ...each(
      'rate-remaining-falls',
      'remaining-*',
      {
        'counted-by-operation': countsApart(({ operation }) => operation),
        'always-the-limit': changeRemaining(({ limit }) => limit),
        // Creations are not counted, as behind a gateway that counts cacheable requests only.
        'untouched-by-creations': countsApart(({ operation }) => (operation === 'createPet' ? undefined : 'reads')),
        'always-zero': changeRemaining(() => 0),
        rises: changeRemaining(({ count }) => Math.min(count, 900)),
        'up-and-down': changeRemaining(({ count, remaining }) => remaining - (count % 2 === 0 ? 0 : 20)),
      },
      (wrap) => wrap,
    ),
    'remaining-above-limit': ['rate-remaining-header', changeRemaining(({ remaining }) => remaining + 5_000)],
    ...each('rate-reset-header', 'reset-*', resets, (change) => changeHeader(reset, change)),
    ...each('rate-limit-plan', 'limit-*-on-business', [59, 61, 500, 9_999], ofAnotherPlan),
  }),
  ...rare({
    ...headerRows(rarelyUnreadable),
    ...headerRows(notPlain, 'rate-headers-plain'),
    ...each('rate-remaining-falls', 'remaining-in-steps-of-*', [2, 5, 10], (size) =>
      changeRemaining(({ limit, remaining }) => limit - Math.ceil((limit - remaining) / size) * size),
    ),
    'remaining-always-42': ['rate-remaining-falls', changeRemaining(() => 42)],
    'limit-by-turns': [['rate-limit-header', 'rate-limit-plan'], limitByTurns],
    ...each('rate-reset-header', 'reset-*', rareResets, (change) => changeHeader(reset, change)),
  }),
  ...ordinary(
    {
      'limit-never-enforced': ['rate-exceeded', servesRefused(() => true)],
      'limit-enforced-one-late': ['rate-exceeded', servesRefused((_call, count) => count === 1)],
      'limit-enforced-too-early': [
        'rate-exceeded',
        refusedEarly((remaining, { operation }) => operation !== 'createPet' && remaining < 3),
      ],
      ...each('rate-exceeded', 'errors-of-*-come-before-the-limit', petOperations, answersErrorFirst),
      'excess-answers-403': ['rate-exceeded', refusalAs(403)],
      'excess-answers-503': [['rate-exceeded', 'errors-listed'], refusalAs(503)],
      ...each('rate-retry-after', 'retry-after-*', retryAfters, (value) => refusalWith('Retry-After', value)),
    },
    exhausting,
  ),
  ...rare(
    {
      ...each('rate-exceeded', 'excess-answers-*', [401, 404], refusalAs),
      ...each('rate-exceeded', 'limit-not-enforced-for-*', petOperations, (only) =>
        servesRefused(({ operation }) => operation === only),
      ),
      'last-request-refused': ['rate-exceeded', limitKeyWindow(limitKeyLimit - 1)],
      'two-requests-too-many': ['rate-exceeded', limitKeyWindow(limitKeyLimit + 2)],
      ...each('rate-retry-after', 'retry-after-*', longRetryAfters, (value) => refusalWith('Retry-After', value)),
      'retry-after-date-with-an-offset': [
        'rate-retry-after',
        refusalWith('Retry-After', () => 'Sat, 21 Nov 2026 13:01:00 +0100'),
      ],
      ...each(
        'rate-retry-after-length',
        'refusal-never-ends-with-retry-after-*',
        { 'of-two-days': '172800', 'at-a-date-in-a-week': 'Sat, 28 Nov 2026 12:00:00 GMT' },
        (value) =>
          layers(
            refusalWith('Retry-After', () => value),
            neverEnds,
          ),
      ),
      'refusal-never-ends': ['rate-recovery', neverEnds],
      'refusal-with-requests-left': ['rate-exceeded', changeAnswer((answer) => withRemaining(answer, 3), isRefusal)],
      'refusal-with-a-negative-number-left': ['rate-remaining-header', refusalWith('X-RateLimit-Remaining', () => -1)],
      'refusal-with-reset-before-the-window': ['rate-reset-header', refusalWith(reset, (value) => value - 65)],
      ...merged(headers, (requirement, name) => ({
        [`refusal-without-${name}`]: [requirement, refusalWith(name, () => undefined)],
      })),
    },
    exhausting,
  ),
];
