/** Faults of §8: X-RateLimit headers that are missing or wrong, limits that are not enforced, refusals that say too little. */

import type { StoreResponse } from '../../reference-server/index.ts';
import { listedStatuses, type OperationName } from '../../spec/operations.ts';
import { limitsBursts } from '../services/gateways.ts';
import { withoutHeaders } from '../services/limits.ts';
import {
  answerError,
  type Call,
  changes,
  errorAnswer,
  harmless,
  headerNumber,
  isRead,
  isValid,
  layers,
  type Matches,
  readCall,
  type Wrap,
  withHeader,
  withKey,
} from '../services/wraps.ts';
import { crossed, eachRow, type FaultRows, type FaultTable, petOperations } from './fault.ts';

const headerNames = ['X-RateLimit-Limit', 'X-RateLimit-Remaining', 'X-RateLimit-Reset'] as const;
const [, , reset] = headerNames;

/** What a header says instead; undefined for none. `count` is the number of such answers so far, this one included. */
type HeaderChange = (value: number, answer: StoreResponse, call: Call, count: number) => number | string | undefined;
type HeaderChanges = Readonly<Record<string, HeaderChange>>;

const changeHeader =
  (name: string, matches?: Matches) =>
  (change: HeaderChange): Wrap =>
    changes.answer((answer, call, _send, count) => {
      const changed = change(headerNumber(answer, name), answer, call, count);
      return withHeader(answer, name, typeof changed === 'number' ? String(Math.floor(changed)) : changed);
    }, matches);
const limitIn = (answer: StoreResponse): number => headerNumber(answer, 'X-RateLimit-Limit');

const unreadable: HeaderChanges = {
  missing: () => undefined,
  negative: (value) => `-${value + 1}`,
  text: () => 'many',
  empty: () => '',
  'with-a-unit': (value) => `${value}/minute`,
};
/** A count has no fraction; a time may have one. */
const fraction: HeaderChanges = { 'a-fraction': (value) => `${value}.5` };
const unreadableIn = (name: string, changes = unreadable): FaultRows => ({
  ...eachRow(`${name}-*`, changes, changeHeader(name)),
  ...eachRow(`${name}-missing-with-*`, listedStatuses, (only) =>
    changeHeader(name, (_call, { status }) => status === only)(() => undefined),
  ),
});
/** An integer with more text behind it. */
const notPlain: HeaderChanges = {
  'with-a-window': (value) => `${value}, ${value};w=60`,
  twice: (value) => `${value}, ${value}`,
};

/** Two integers that contradict each other, as where a gateway and the application write a header each. */
const twoValues: HeaderChange = (value) => `${value}, ${value + 500}`;

const remaining = changeHeader('X-RateLimit-Remaining');
/** Remaining counts the requests of an operation alone. */
const countsApart = (only: OperationName): Wrap =>
  changeHeader(
    'X-RateLimit-Remaining',
    ({ operation }) => operation === only,
  )((_value, answer, _call, count) => limitIn(answer) - count);
/** As behind a gateway that counts cacheable requests only. */
const countsNoCreations: Wrap = (handle, keys) => {
  let creations = 0;
  return remaining((value, _answer, { operation, key }) => {
    creations += Number(operation === 'createPet' && key === 'api');
    return key === 'api' ? value + creations : value;
  })(handle, keys);
};
/** Counts requests several times, so often `more` than once. */
const countsMore =
  (more: number, matches: (call: Call) => boolean = () => true): Wrap =>
  (handle, keys) =>
  (request, now) => {
    const times = matches(readCall(request, now, keys)) ? more : 0;
    for (let counted = 0; counted < times; counted += 1) handle(harmless(request), now);
    return handle(request, now);
  };
const remainings: HeaderChanges = {
  'always-the-limit': (_value, answer) => limitIn(answer),
  'always-zero': () => 0,
  rises: (_value, _answer, _call, count) => Math.min(count, 900),
  'up-and-down': (value, _answer, _call, count) => Math.max(0, value - (count % 2 === 0 ? 0 : 20)),
};

const dayInSeconds = 86_400;
const resets: HeaderChanges = {
  'in-milliseconds': (value) => value * 1000,
  'as-seconds-left': () => 30,
  zero: () => 0,
  'at-the-start-of-the-run': (value) => value - 40,
  'a-minute-ago': (_value, _answer, { now }) => now / 1000 - 60,
  'two-days-ahead': (value) => value + 2 * dayInSeconds,
  'in-2286': () => 9_999_999_999,
  'as-iso-date': (value) => new Date(value * 1000).toISOString(),
  'as-http-date': (value) => new Date(value * 1000).toUTCString(),
};

/** Shows another limit than that of the plan. */
const ofAnotherPlan = (limit: number): Wrap =>
  layers(
    changeHeader('X-RateLimit-Limit')((_value, { status }) => (status === 401 ? 1000 : limit)),
    remaining((value) => Math.min(limit, value)),
  );

/** Answers errors of a status with 500 instead, without the headers of §8. */
const crashesWithoutHeaders = (status: number): Wrap =>
  changes.answer(
    (answer) => withoutHeaders(errorAnswer(500, answer)),
    ({ isAuthorized, operation }, answer) => isAuthorized && operation !== 'listPets' && answer.status === status,
  );

const isRefusal: Matches = (_call, { status }) => status === 429;
/** Carries out refused requests with the API key, and answers under the headers of the refusal, where `shows` agrees. */
const servesRefused = (
  matches: (call: Call, count: number) => boolean,
  shows: (answer: StoreResponse) => boolean = () => true,
): Wrap =>
  changes.answer((refusal, call, send, count) => {
    if (!matches(call, count)) return undefined;
    const own = send(withKey(call.request, call.keys.api));
    return shows(own) ? { ...own, headers: refusal.headers } : undefined;
  }, isRefusal);

/** Beyond the limit, answers what else is wrong with a request before the limit. */
const answersErrorFirst = (only: OperationName): Wrap =>
  servesRefused(
    (call) => call.operation === only && !isValid(call),
    ({ status }) => status >= 400,
  );

/** Refuses a read while two requests are left. */
const refusedEarly: Wrap = changes.answer(
  (answer) => withHeader(errorAnswer(429, answer), 'Retry-After', '30'),
  ({ key }, answer) =>
    key === 'rateLimit' && answer.status === 200 && headerNumber(answer, 'X-RateLimit-Remaining') < 3,
);

/** Answers to requests that the interface does not show. */
const elsewhere: Readonly<Record<string, Matches>> = {
  'unknown-paths-and-methods': ({ operation }) => operation === 'other',
  'pet-ids-that-are-no-int64': ({ operation, request }) =>
    operation === 'getPet' && !/^\/v1\/pets\/-?\d+$/.test(request.target),
};

const changeRetryAfter = changeHeader('Retry-After', isRefusal);

const retryAfters: HeaderChanges = {
  missing: () => undefined,
  text: () => 'soon',
  negative: () => '-5',
  zero: () => '0',
  'in-milliseconds': (seconds) => `${seconds}000`,
  fraction: () => '1.5',
  'iso-date': () => '2026-11-21T12:01:00Z',
  timestamp: (_seconds, answer) => answer.headers[reset],
  // Local time of the east coast of America.
  'as-local-date': (seconds, _answer, { now }) => new Date(now + seconds * 1000 - 5 * 3_600_000).toUTCString(),
  // A key that is served sooner refutes them.
  'of-two-days': () => '172800',
};

/** Shows no header of §8, and enforces the limit for some operations alone. */
const enforcesSilently = (matches: (call: Call) => boolean): Wrap =>
  layers(
    changes.answer((answer) => withoutHeaders(answer)),
    servesRefused((call) => !matches(call)),
  );

/** Repeats the first refusal of the rate-limit key for ever. */
const neverEnds: Wrap = (handle, keys) => {
  let refusal: StoreResponse | undefined;
  return changes.answer(
    (answer) => (refusal ??= answer.status === 429 ? answer : undefined),
    ({ key }) => key === 'rateLimit',
  )(handle, keys);
};
const withLongWaits = { 'of-two-days': '172800', 'at-a-date-in-a-week': 'Sat, 28 Nov 2026 12:00:00 GMT' };

export const limitFaults: FaultTable = {
  'rate-limit-header': {
    ...unreadableIn('X-RateLimit-Limit', { ...unreadable, ...fraction }),
    'X-RateLimit-Limit-of-two-values': changeHeader('X-RateLimit-Limit')(twoValues),
    'limit-of-zero': layers(
      changeHeader('X-RateLimit-Limit')(() => 0),
      remaining(() => 0),
    ),
    // A crash is answered by another layer than the limiter.
    ...eachRow('no-headers-on-a-500-of-*', { createPet: 400, getPet: 404 }, crashesWithoutHeaders),
    'bursts-are-refused-bare': limitsBursts(() => ({})),
    'excess-is-refused-bare': changes.answer(() => ({ status: 429, headers: {}, body: '' }), isRefusal),
  },
  'rate-remaining-header': {
    'X-RateLimit-Remaining-of-two-values': remaining(twoValues),
    ...unreadableIn('X-RateLimit-Remaining', { ...unreadable, ...fraction }),
    'remaining-above-limit': remaining((value) => value + 5_000),
  },
  'rate-reset-header': {
    'X-RateLimit-Reset-of-two-values': changeHeader(reset)(twoValues),
    ...unreadableIn(reset),
    ...eachRow('reset-*', resets, changeHeader(reset)),
  },
  'rate-headers-elsewhere': eachRow('no-headers-on-*', elsewhere, (matches) =>
    changes.answer((answer) => withoutHeaders(answer), matches),
  ),
  'rate-headers-plain': {
    ...crossed('*-*', headerNames, notPlain, (name, change) => changeHeader(name)(change)),
    ...eachRow(`${reset}-*`, fraction, changeHeader(reset)),
  },
  'rate-remaining-falls': {
    ...eachRow('remaining-*', remainings, remaining),
    'remaining-counted-by-operation': layers(...petOperations.map(countsApart)),
    'remaining-untouched-by-creations': countsNoCreations,
    // What is under way at the same time takes of the limit as well.
    'remaining-falls-by-two': { wrap: countsMore(1, ({ key }) => key === 'api'), isSerial: true },
    'remaining-falls-by-five-for-a-creation': {
      wrap: countsMore(4, (call) => call.operation === 'createPet' && isValid(call)),
      isSerial: true,
    },
  },
  'rate-limit-plan': eachRow('limit-*-on-business', [59, 61, 500, 9_999], ofAnotherPlan),
  'rate-exceeded': {
    'limit-never-enforced': servesRefused(() => true),
    'limit-enforced-one-late': servesRefused((_call, count) => count === 1),
    'limit-enforced-too-early': refusedEarly,
    'refusal-with-requests-left': changeHeader('X-RateLimit-Remaining', isRefusal)(() => 3),
    ...eachRow('limit-not-enforced-for-*', petOperations, (only) =>
      servesRefused(({ operation }) => operation === only),
    ),
    ...eachRow('errors-of-*-come-before-the-limit', petOperations, answersErrorFirst),
    'each-request-counts-twice': countsMore(1),
    'limit-enforced-too-early-and-bare': layers(
      changes.answer((answer) => withoutHeaders(answer), isRefusal),
      refusedEarly,
    ),
    'limit-not-for-reads-without-headers': enforcesSilently((call) => !isRead(call)),
    ...eachRow('excess-answers-*', [401, 403, 404, 503], (status) => answerError(status, isRefusal)),
    'excess-answers-a-bare-503': changes.answer(() => ({ status: 503, headers: {}, body: 'busy' }), isRefusal),
  },
  'rate-retry-after': eachRow('retry-after-*', retryAfters, changeRetryAfter),
  'rate-retry-after-length': eachRow('refusal-never-ends-with-retry-after-*', withLongWaits, (value) =>
    layers(
      changeRetryAfter(() => value),
      neverEnds,
    ),
  ),
  'rate-retry-after-suffices': eachRow('retry-after-of-*-s-always', [1, 5], (seconds) =>
    changeRetryAfter(() => `${seconds}`),
  ),
  'rate-recovery': { 'refusal-never-ends': neverEnds },
};
