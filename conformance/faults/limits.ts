/** Faults of §8: X-RateLimit headers that are missing or wrong, by themselves or over time. */

import type { StoreResponse } from '../../reference-server/index.ts';
import { rateLimitHeaders } from '../sections/stated-fields.ts';
import {
  changeAnswer,
  changeRemaining,
  hasKey,
  headerNumber,
  layers,
  type Wrap,
  withHeader,
} from '../services/wraps.ts';
import { exceededFaults } from './exceeded.ts';
import { type Fault, ordinary, ordinaryEach, rare, rareEach } from './fault.ts';
import { changeReset, timelineFaults } from './timelines.ts';

type Header = (typeof rateLimitHeaders)[number][0];

function changeHeader(name: Header, change: (value: number, answer: StoreResponse) => string | undefined): Wrap {
  return changeAnswer((answer) => withHeader(answer, name, change(headerNumber(answer, name), answer)));
}

type HeaderChanges = Readonly<Record<string, (value: number, answer: StoreResponse) => string | undefined>>;

const unreadable: HeaderChanges = {
  missing: () => undefined,
  'a-fraction': (value) => `${value}.5`,
  negative: (value) => `-${value + 1}`,
  text: () => 'many',
  empty: () => '',
  'with-a-unit': (value) => `${value}/minute`,
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

const byHeader: readonly Fault[] = rateLimitHeaders.flatMap(([name, requirement]) => [
  ...ordinaryEach(requirement, `${name}-*`, unreadable, (change) => changeHeader(name, change)),
  ...rareEach(requirement, `${name}-*`, rarelyUnreadable, (change) => changeHeader(name, change)),
  ...ordinaryEach(requirement, `${name}-missing-with-*`, [200, 201, 400, 401, 404], (status) =>
    changeHeader(name, (value, answer) => (answer.status === status ? undefined : String(value))),
  ),
  ...rareEach('rate-headers-plain', `${name}-*`, notPlain, (change) => changeHeader(name, change)),
]);

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

const day = 86_400;

export const limitFaults: readonly Fault[] = [
  ...byHeader,
  ...ordinary('rate-remaining-falls', {
    'remaining-counted-by-operation': countsByOperation,
    'remaining-always-the-limit': changeRemaining(({ limit }) => limit),
    'remaining-untouched-by-creations': countsReadsOnly,
    'remaining-always-zero': changeRemaining(() => 0),
    'remaining-rises': changeRemaining(({ count }) => Math.min(count, 900)),
    'remaining-up-and-down': changeRemaining(({ count, remaining }) => remaining - (count % 2 === 0 ? 0 : 20)),
  }),
  ...rare('rate-remaining-falls', {
    'remaining-always-42': changeRemaining(() => 42),
    'remaining-starts-anew-every-ten': changeRemaining(({ count }) => 900 - (count % 10)),
  }),
  ...ordinary('rate-remaining-header', {
    'remaining-above-limit': changeRemaining(({ remaining }) => remaining + 5_000),
  }),
  ...ordinary('rate-reset-header', {
    'reset-in-milliseconds': changeReset((value) => value * 1000),
    'reset-as-seconds-left': changeReset(() => 30),
    'reset-zero': changeReset(() => 0),
    'reset-an-hour-ago': changeReset((value) => value - 2 * 3_600 - day),
    'reset-a-minute-ago': changeReset((_value, { now }) => now / 1000 - 60),
    'reset-two-days-ahead': changeReset((value) => value + 2 * day),
    'reset-in-2286': changeReset(() => 9_999_999_999),
    'reset-as-iso-date': changeReset((value) => new Date(value * 1000).toISOString()),
    'reset-as-http-date': changeReset((value) => new Date(value * 1000).toUTCString()),
  }),
  ...ordinaryEach('rate-limit-plan', 'limit-*-on-business', [59, 61, 500, 9_999], (limit) => {
    const shown = changeHeader('X-RateLimit-Limit', (_value, { status }) => (status === 401 ? '1000' : String(limit)));
    const kept = changeRemaining(({ remaining }) => Math.min(limit, remaining));
    return layers(shown, kept);
  }),
  ...timelineFaults,
  ...exceededFaults,
];
