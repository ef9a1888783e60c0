/** Faults of §8: X-RateLimit headers that are missing or wrong, limits that are not enforced, refusals that say too little. */

import type { StoreResponse } from '../../reference-server/index.ts';
import type { OperationName } from '../../spec/operations.ts';
import { limitedBy, limitKeyLimit, limitKeyWindow } from '../services/limiters.ts';
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
import { crossed, each, exhausting, type Fault, ordinary, type Rows, rare } from './fault.ts';

const headers = {
  'X-RateLimit-Limit': 'rate-limit-header',
  'X-RateLimit-Remaining': 'rate-remaining-header',
  'X-RateLimit-Reset': 'rate-reset-header',
} as const;

type HeaderChange = (value: number, answer: StoreResponse) => string | undefined;
type HeaderChanges = Readonly<Record<string, HeaderChange>>;

const changeHeader = (name: string, change: HeaderChange): Wrap =>
  changeAnswer((answer) => withHeader(answer, name, change(headerNumber(answer, name), answer)));

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
      (value: number, answer: StoreResponse) => (answer.status === status ? undefined : String(value)),
    ]),
  ),
};
const rarelyUnreadable: HeaderChanges = {
  'missing-on-empty-pages': (value, { body }) => (body === '[]' ? undefined : String(value)),
  grouped: (value) => `${value}_000`,
  'as-exponent': (value) => value.toExponential(),
};
/** An integer with more text behind it. */
const notPlain: HeaderChanges = {
  'with-a-window': (value) => `${value}, ${value};w=60`,
  twice: (value) => `${value}, ${value}`,
};

const headerRows = (changes: HeaderChanges): Rows =>
  Object.assign(
    {},
    ...Object.entries(headers).map(([name, requirement]) =>
      each(requirement, `${name}-*`, changes, (change) => changeHeader(name, change)),
    ),
  );

/** Creations are not counted, as behind a gateway that counts cacheable requests only. */
const countsReadsOnly: Wrap = (handle, keys) => {
  let uncounted = 0;
  return changeRemaining(({ limit, remaining }, call) => {
    if (!hasKey(call, 'api')) return undefined;
    if (call.operation === 'createPet') uncounted += 1;
    return Math.min(remaining + uncounted, limit);
  })(handle, keys);
};

const countsByOperation: Wrap = (handle, keys) => {
  const counts = new Map<string, number>();
  return changeRemaining(({ limit }, { operation }) => {
    const count = (counts.get(operation) ?? 0) + 1;
    counts.set(operation, count);
    return limit - count;
  })(handle, keys);
};

const hour = 3_600;
const day = 24 * hour;
type ResetChange = (reset: number, call: Call) => number | string | undefined;

function changeReset(change: ResetChange): Wrap {
  return changeAnswer((answer, call) => {
    const reset = change(headerNumber(answer, 'X-RateLimit-Reset'), call);
    const shown = typeof reset === 'number' ? String(Math.floor(reset)) : reset;
    return shown === undefined ? undefined : withHeader(answer, 'X-RateLimit-Reset', shown);
  });
}

const resets: Readonly<Record<string, ResetChange>> = {
  'in-milliseconds': (reset) => reset * 1000,
  'as-seconds-left': () => 30,
  zero: () => 0,
  'an-hour-ago': (reset) => reset - 2 * hour - day,
  'a-minute-ago': (_reset, { now }) => now / 1000 - 60,
  'two-days-ahead': (reset) => reset + 2 * day,
  'in-2286': () => 9_999_999_999,
  'as-iso-date': (reset) => new Date(reset * 1000).toISOString(),
  'as-http-date': (reset) => new Date(reset * 1000).toUTCString(),
};
const rareResets: typeof resets = {
  'half-a-day-late': (reset) => reset + day / 2,
  'always-now': (_reset, { now }) => now / 1000,
  'at-the-end-of-the-hour': (_reset, { now }) => Math.ceil(now / 3_600_000) * hour,
};

/** Shows another limit than that of the plan. */
const ofAnotherPlan = (limit: number): Wrap =>
  layers(
    changeHeader('X-RateLimit-Limit', (_value, { status }) => (status === 401 ? '1000' : String(limit))),
    changeRemaining(({ remaining }) => Math.min(limit, remaining)),
  );

const limitByTurns = changeAnswer((answer, call) => {
  const isTurn = hasKey(call, 'api') && headerNumber(answer, 'X-RateLimit-Remaining') % 2 === 0;
  return isTurn ? withHeader(answer, 'X-RateLimit-Limit', '100000') : undefined;
});

/** Carries out requests that were refused with the other key, and answers them with the headers of this one. */
function servesRefused(matches: (call: Call, count: number) => boolean): Wrap {
  return (handle, keys) =>
    changeAnswer(
      (refusal, call, count) =>
        matches(call, count)
          ? { ...handle(withKey(call.request, call.keys.api), call.now), headers: refusal.headers }
          : undefined,
      (_call, { status }) => status === 429,
    )(handle, keys);
}

/** Beyond the limit, answers what else is wrong with a request before the limit. */
function answersErrorFirst(only: OperationName): Wrap {
  return (handle, keys) =>
    changeAnswer(
      (refusal, call) => {
        if (only === 'createPet' && sentPet(call)['categoryId'] !== undefined) return undefined;
        const own = handle(withKey(call.request, call.keys.api), call.now);
        return own.status >= 400 ? { ...own, headers: refusal.headers } : undefined;
      },
      ({ operation }, { status }) => operation === only && status === 429,
    )(handle, keys);
}

const refusedEarly = (isEarly: (remaining: number, call: Call) => boolean): Wrap =>
  changeAnswer((answer, call) =>
    hasKey(call, 'rateLimit') && answer.status < 300 && isEarly(headerNumber(answer, 'X-RateLimit-Remaining'), call)
      ? withHeader(errorAnswer(429, answer), 'Retry-After', '30')
      : undefined,
  );

const onRefusal = (change: (answer: StoreResponse) => StoreResponse): Wrap =>
  changeAnswer(change, (_call, { status }) => status === 429);
const refusalWith = (name: string, value: HeaderChange): Wrap =>
  onRefusal((answer) => withHeader(answer, name, value(headerNumber(answer, name), answer)));
const refusalAs = (status: number): Wrap => onRefusal((answer) => errorAnswer(status, answer));

const retryAfters: HeaderChanges = {
  missing: () => undefined,
  text: () => 'soon',
  negative: () => '-5',
  zero: () => '0',
  'in-milliseconds': (seconds) => `${seconds}000`,
  fraction: () => '1.5',
  'iso-date': () => '2026-11-21T12:01:00Z',
  timestamp: (_seconds, answer) => answer.headers['X-RateLimit-Reset'],
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

const neverFills = limitedBy((size) => {
  let left = size;
  return (now) => {
    const isServed = left > 0;
    left = Math.max(0, left - 1);
    const state = { limit: size, remaining: left, resetsAt: now + ((size - left) * 60_000) / size };
    return isServed ? state : { ...state, retryAt: now + 1_000 };
  };
});

const refusalStores: Wrap = (handle, keys) =>
  changeAnswer(
    (_answer, { request, now }) => {
      handle(withKey(request, keys.api), now);
      return undefined;
    },
    ({ operation }, { status }) => status === 429 && operation === 'createPet',
  )(handle, keys);

/** Fails, once the rate-limit key has been refused and is served again. */
const failsAfterRecovery = (only: OperationName, status: number): Wrap => {
  return (handle, keys) => {
    let wasRefused = false;
    return changeAnswer(
      (answer) => errorAnswer(status, answer),
      (call, answer) => {
        wasRefused ||= answer.status === 429 && hasKey(call, 'rateLimit');
        return wasRefused && hasKey(call, 'rateLimit') && call.operation === only && answer.status < 300;
      },
    )(handle, keys);
  };
};

export const limitFaults: readonly Fault[] = [
  ...ordinary({
    ...headerRows(unreadable),
    ...each(
      'rate-remaining-falls',
      'remaining-*',
      {
        'counted-by-operation': countsByOperation,
        'always-the-limit': changeRemaining(({ limit }) => limit),
        'untouched-by-creations': countsReadsOnly,
        'always-zero': changeRemaining(() => 0),
        rises: changeRemaining(({ count }) => Math.min(count, 900)),
        'up-and-down': changeRemaining(({ count, remaining }) => remaining - (count % 2 === 0 ? 0 : 20)),
      },
      (wrap) => wrap,
    ),
    'remaining-above-limit': ['rate-remaining-header', changeRemaining(({ remaining }) => remaining + 5_000)],
    ...each('rate-reset-header', 'reset-*', resets, changeReset),
    ...each('rate-limit-plan', 'limit-*-on-business', [59, 61, 500, 9_999], ofAnotherPlan),
  }),
  ...rare({
    ...headerRows(rarelyUnreadable),
    ...crossed(
      'rate-headers-plain',
      '*-*',
      Object.fromEntries(Object.keys(headers).map((name) => [name, name])),
      notPlain,
      changeHeader,
    ),
    ...each('rate-remaining-falls', 'remaining-in-steps-of-*', [2, 5, 10], (size) =>
      changeRemaining(({ limit, remaining }) => limit - Math.ceil((limit - remaining) / size) * size),
    ),
    'remaining-always-42': ['rate-remaining-falls', changeRemaining(() => 42)],
    'limit-by-turns': [['rate-limit-header', 'rate-limit-plan'], limitByTurns],
    ...each('rate-reset-header', 'reset-*', rareResets, changeReset),
  }),
  ...exhausting(
    ordinary({
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
    }),
  ),
  ...exhausting(
    rare({
      ...each('rate-exceeded', 'excess-answers-*', [401, 404], refusalAs),
      ...each('rate-exceeded', 'limit-not-enforced-for-*', petOperations, (only) =>
        servesRefused(({ operation }) => operation === only),
      ),
      'creations-refused-in-the-last-quarter-of-the-limit': [
        'rate-exceeded',
        refusedEarly((remaining, { operation }) => operation === 'createPet' && 4 * remaining < limitKeyLimit),
      ],
      'last-request-refused': ['rate-exceeded', limitKeyWindow({ serves: () => limitKeyLimit - 1 })],
      'two-requests-too-many': ['rate-exceeded', limitKeyWindow({ serves: () => limitKeyLimit + 2 })],
      'creations-exempt-from-the-limit': [
        'rate-exceeded',
        limitKeyWindow({ exempts: ({ operation }) => operation === 'createPet' }),
      ],
      'counter-starts-anew-after-a-404': [
        ['rate-remaining-falls', 'rate-exceeded'],
        limitKeyWindow({ refunds: ({ status }) => (status === 404 ? 'all' : 'none') }),
      ],
      'second-window-refuses-early': [
        ['rate-exceeded', 'rate-recovery'],
        limitKeyWindow({ serves: (window) => (window > 1 ? limitKeyLimit - 3 : limitKeyLimit) }),
      ],
      'excess-stored-though-refused': ['create-refused-stores-nothing', refusalStores],
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
      'bucket-that-never-fills': ['rate-recovery', neverFills],
      'creation-answers-500-after-the-recovery': [
        ['rate-recovery', 'errors-listed'],
        failsAfterRecovery('createPet', 500),
      ],
      'reads-answer-404-after-the-recovery': [
        ['rate-recovery', 'get-answer', 'get-until-removal'],
        failsAfterRecovery('getPet', 404),
      ],
      'refusal-with-requests-left': ['rate-exceeded', onRefusal((answer) => withRemaining(answer, 3))],
      'refusal-with-limit-zero': ['rate-limit-header', refusalWith('X-RateLimit-Limit', () => '0')],
      'refusal-with-a-negative-number-left': [
        'rate-remaining-header',
        onRefusal((answer) => withRemaining(answer, -1)),
      ],
      'refusal-with-reset-before-the-window': [
        'rate-reset-header',
        refusalWith('X-RateLimit-Reset', (reset) => String(reset - 65)),
      ],
      ...Object.assign(
        {},
        ...Object.entries(headers).map(([name, requirement]) =>
          each(requirement, 'refusal-without-*', { [name]: name }, (header) => refusalWith(header, () => undefined)),
        ),
      ),
    }),
  ),
];
