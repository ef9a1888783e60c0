/** Faults of §8: X-RateLimit headers that are missing or wrong, by themselves or over time. */

import type { StoreResponse } from '../../../reference-server/index.ts';
import type { RequirementId } from '../../../spec/requirements.ts';

import {
  apiKey,
  breaking,
  changeAnswer,
  type Fault,
  type FaultDraft,
  headerNumber,
  ordinary,
  ordinaryExcept,
  rare,
  requestHeader,
  type Wrap,
  withHeader,
} from '../fault.ts';
import { exceededFaults } from './exceeded-faults.ts';
import { timelineFaults } from './timeline-faults.ts';

const headers = {
  'X-RateLimit-Limit': 'rate-limit-header',
  'X-RateLimit-Remaining': 'rate-remaining-header',
  'X-RateLimit-Reset': 'rate-reset-header',
} as const satisfies Record<string, RequirementId>;

type Header = keyof typeof headers;

function changeHeader(name: Header, change: (value: number, answer: StoreResponse) => string | undefined): Wrap {
  return changeAnswer((answer) => withHeader(answer, name, change(headerNumber(answer, name), answer)));
}

const missing: readonly FaultDraft[] = (Object.keys(headers) as Header[]).flatMap((name) => [
  { id: `${name}-missing`, breaks: [headers[name]], wrap: changeHeader(name, () => undefined) } satisfies FaultDraft,
  ...([200, 201, 400, 401, 404] as const).map(
    (status): FaultDraft => ({
      id: `${name}-missing-with-${status}`,
      breaks: [headers[name]],
      wrap: changeHeader(name, (value, answer) => (answer.status === status ? undefined : String(value))),
    }),
  ),
  {
    id: `${name}-missing-on-empty-pages`,
    breaks: [headers[name]],
    wrap: changeHeader(name, (value, answer) => (answer.body === '[]' ? undefined : String(value))),
  } satisfies FaultDraft,
  ...(
    [
      ['a-fraction', (value: number) => `${value}.5`],
      ['negative', (value: number) => `-${value + 1}`],
      ['text', () => 'many'],
      ['empty', () => ''],
      ['with-a-unit', (value: number) => `${value}/minute`],
      ['grouped', (value: number) => `${value}_000`],
      ['as-exponent', (value: number) => value.toExponential()],
    ] as const
  ).map(
    ([id, change]): FaultDraft => ({ id: `${name}-${id}`, breaks: [headers[name]], wrap: changeHeader(name, change) }),
  ),
]);

/** An integer with more text behind it. */
const notPlain: readonly FaultDraft[] = (Object.keys(headers) as Header[]).flatMap((name) => [
  {
    id: `${name}-with-a-window`,
    breaks: ['rate-headers-plain'],
    wrap: changeHeader(name, (value) => `${value}, ${value};w=60`),
  } satisfies FaultDraft,
  { id: `${name}-twice`, breaks: ['rate-headers-plain'], wrap: changeHeader(name, (value) => `${value}, ${value}`) },
]);

/** A header that counts what it should not. */
function counting(change: (count: number, value: number) => number): Wrap {
  return (handle) => {
    let count = 0;
    const counted = changeHeader('X-RateLimit-Remaining', (value) => {
      count += 1;
      return String(change(count, value));
    });
    return counted(handle);
  };
}

/** Creations are not counted, as behind a gateway that counts cacheable requests only. */
const countsReadsOnly: Wrap = (handle) => {
  let uncounted = 0;
  const changed = changeAnswer((answer, { operation, request }) => {
    if (requestHeader(request, 'authorization') !== `Bearer ${apiKey}`) return undefined;
    if (operation === 'createPet') uncounted += 1;
    const left = headerNumber(answer, 'X-RateLimit-Remaining') + uncounted;
    return withHeader(
      answer,
      'X-RateLimit-Remaining',
      String(Math.min(left, headerNumber(answer, 'X-RateLimit-Limit'))),
    );
  });
  return changed(handle);
};

/** Each operation has a limit of its own. */
const countsByOperation: Wrap = (handle) => {
  const counts = new Map<string, number>();
  const changed = changeAnswer((answer, { operation }) => {
    const count = (counts.get(operation) ?? 0) + 1;
    counts.set(operation, count);
    const left = Math.max(0, headerNumber(answer, 'X-RateLimit-Limit') - count);
    return withHeader(answer, 'X-RateLimit-Remaining', String(left));
  });
  return changed(handle);
};

const remaining: readonly FaultDraft[] = [
  ...breaking('rate-remaining-falls', {
    'remaining-counted-by-operation': countsByOperation,
    'remaining-always-the-limit': changeAnswer((answer) =>
      withHeader(answer, 'X-RateLimit-Remaining', String(headerNumber(answer, 'X-RateLimit-Limit'))),
    ),
    'remaining-untouched-by-creations': countsReadsOnly,
    'remaining-always-42': counting(() => 42),
    'remaining-always-zero': counting(() => 0),
    'remaining-rises': counting((count) => Math.min(count, 900)),
    'remaining-up-and-down': counting((count, value) => (count % 2 === 0 ? value : Math.max(0, value - 20))),
    'remaining-starts-anew-every-ten': counting((count) => 900 - (count % 10)),
  }),
  ...breaking('rate-remaining-header', {
    'remaining-above-limit': changeHeader('X-RateLimit-Remaining', (value) => String(value + 5_000)),
  }),
];

const day = 86_400;

const reset: readonly FaultDraft[] = [
  ['in-milliseconds', (value: number) => value * 1000],
  ['as-seconds-left', () => 30],
  ['zero', () => 0],
  ['an-hour-ago', (value: number) => value - 2 * 3_600 - day],
  ['a-minute-ago', (_value: number, now: number) => now - 60],
  ['two-days-ahead', (value: number) => value + 2 * day],
  ['in-2286', () => 9_999_999_999],
].map(
  ([id, change]): FaultDraft => ({
    id: `reset-${id}`,
    breaks: ['rate-reset-header'],
    wrap: changeAnswer((answer, { now }) =>
      withHeader(
        answer,
        'X-RateLimit-Reset',
        String(
          (change as (value: number, now: number) => number)(
            headerNumber(answer, 'X-RateLimit-Reset'),
            Math.floor(now / 1000),
          ),
        ),
      ),
    ),
  }),
);

const resetForms: readonly FaultDraft[] = breaking('rate-reset-header', {
  'reset-as-iso-date': changeHeader('X-RateLimit-Reset', (value) => new Date(value * 1000).toISOString()),
  'reset-as-http-date': changeHeader('X-RateLimit-Reset', (value) => new Date(value * 1000).toUTCString()),
});

const plan: readonly FaultDraft[] = [59, 61, 500, 9_999].map(
  (limit): FaultDraft => ({
    id: `limit-${limit}-on-business`,
    breaks: ['rate-limit-plan'],
    wrap: (handle) => {
      const shown = changeHeader('X-RateLimit-Limit', (_value, answer) =>
        answer.status === 401 ? '1000' : String(limit),
      );
      const kept = changeAnswer((answer) =>
        withHeader(
          answer,
          'X-RateLimit-Remaining',
          String(Math.min(limit, headerNumber(answer, 'X-RateLimit-Remaining'))),
        ),
      );
      return shown(kept(handle));
    },
  }),
);

export const limitFaults: readonly Fault[] = [
  ...ordinaryExcept(
    (Object.keys(headers) as Header[]).flatMap((name) =>
      ['missing-on-empty-pages', 'grouped', 'as-exponent'].map((what) => `${name}-${what}`),
    ),
    ...missing,
  ),
  ...ordinaryExcept(['remaining-always-42', 'remaining-starts-anew-every-ten'], ...remaining),
  ...ordinary(...reset, ...resetForms, ...plan),
  ...rare(...notPlain),
  ...timelineFaults,
  ...exceededFaults,
];
