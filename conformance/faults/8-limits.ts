/** Faults of §8: headers that are missing or wrong, courses that cannot be, limits that do not hold. */

import type { StoreResponse } from '../../reference-server/index.ts';
import type { RequirementId } from '../../spec/requirements.ts';
import {
  apiKey,
  changeAnswer,
  errorAnswer,
  type Fault,
  headerOf,
  limitKey,
  readCall,
  type Wrap,
  withHeader,
  withKey,
} from './fault.ts';

const headers = {
  'X-RateLimit-Limit': 'rate-limit-header',
  'X-RateLimit-Remaining': 'rate-remaining-header',
  'X-RateLimit-Reset': 'rate-reset-header',
} as const satisfies Record<string, RequirementId>;

type Header = keyof typeof headers;

function numberIn(answer: StoreResponse, name: Header): number {
  return Number(
    Object.entries(answer.headers).find(([candidate]) => candidate.toLowerCase() === name.toLowerCase())?.[1],
  );
}

function changeHeader(name: Header, change: (value: number, answer: StoreResponse) => string | undefined): Wrap {
  return changeAnswer((answer) => withHeader(answer, name, change(numberIn(answer, name), answer)));
}

const missing: readonly Fault[] = (Object.keys(headers) as Header[]).flatMap((name) => [
  { id: `${name}-missing`, breaks: [headers[name]], wrap: changeHeader(name, () => undefined) } satisfies Fault,
  ...([200, 201, 400, 401, 404] as const).map(
    (status): Fault => ({
      id: `${name}-missing-with-${status}`,
      breaks: [headers[name]],
      wrap: changeHeader(name, (value, answer) => (answer.status === status ? undefined : String(value))),
    }),
  ),
  {
    id: `${name}-missing-on-empty-pages`,
    breaks: [headers[name]],
    wrap: changeHeader(name, (value, answer) => (answer.body === '[]' ? undefined : String(value))),
  } satisfies Fault,
  ...(
    [
      ['a-fraction', (value: number) => `${value}.5`],
      ['negative', (value: number) => `-${value + 1}`],
      ['text', () => 'many'],
      ['empty', () => ''],
      ['with-a-unit', (value: number) => `${value};w=60`],
      ['twice', (value: number) => `${value}, ${value}`],
      ['as-exponent', (value: number) => value.toExponential()],
    ] as const
  ).map(([id, change]): Fault => ({ id: `${name}-${id}`, breaks: [headers[name]], wrap: changeHeader(name, change) })),
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

/** Creations take nothing from what remains, as where a gateway counts only what it may cache. */
const countsReadsOnly: Wrap = (handle) => {
  let uncounted = 0;
  const told = changeAnswer((answer, { operation, request }) => {
    if (headerOf(request, 'authorization') !== `Bearer ${apiKey}`) return undefined;
    if (operation === 'createPet') uncounted += 1;
    const left = numberIn(answer, 'X-RateLimit-Remaining') + uncounted;
    return withHeader(answer, 'X-RateLimit-Remaining', String(Math.min(left, numberIn(answer, 'X-RateLimit-Limit'))));
  });
  return told(handle);
};

/** Each operation has a limit of its own. */
const countsByOperation: Wrap = (handle) => {
  const counts = new Map<string, number>();
  const told = changeAnswer((answer, { operation }) => {
    const count = (counts.get(operation) ?? 0) + 1;
    counts.set(operation, count);
    const left = Math.max(0, numberIn(answer, 'X-RateLimit-Limit') - count);
    return withHeader(answer, 'X-RateLimit-Remaining', String(left));
  });
  return told(handle);
};

const remaining: readonly Fault[] = [
  { id: 'remaining-counted-by-operation', breaks: ['rate-remaining-falls'], wrap: countsByOperation },
  {
    id: 'remaining-above-limit',
    breaks: ['rate-remaining-header'],
    wrap: changeHeader('X-RateLimit-Remaining', (value) => String(value + 5_000)),
  },
  {
    id: 'remaining-always-the-limit',
    breaks: ['rate-remaining-falls'],
    wrap: changeAnswer((answer) =>
      withHeader(answer, 'X-RateLimit-Remaining', String(numberIn(answer, 'X-RateLimit-Limit'))),
    ),
  },
  { id: 'remaining-untouched-by-creations', breaks: ['rate-remaining-falls'], wrap: countsReadsOnly },
  { id: 'remaining-always-42', breaks: ['rate-remaining-falls'], wrap: counting(() => 42) },
  { id: 'remaining-always-zero', breaks: ['rate-remaining-falls'], wrap: counting(() => 0) },
  { id: 'remaining-rises', breaks: ['rate-remaining-falls'], wrap: counting((count) => Math.min(count, 900)) },
  {
    id: 'remaining-up-and-down',
    breaks: ['rate-remaining-falls'],
    wrap: counting((count, value) => (count % 2 === 0 ? value : Math.max(0, value - 20))),
  },
  {
    id: 'remaining-starts-anew-every-ten',
    breaks: ['rate-remaining-falls'],
    wrap: counting((count) => 900 - (count % 10)),
  },
];

const day = 86_400;

const reset: readonly Fault[] = [
  ['in-milliseconds', (value: number) => value * 1000],
  ['as-seconds-left', () => 30],
  ['zero', () => 0],
  ['an-hour-ago', (value: number) => value - 2 * 3_600 - day],
  ['a-minute-ago', (_value: number, now: number) => now - 60],
  ['two-days-ahead', (value: number) => value + 2 * day],
  ['in-2286', () => 9_999_999_999],
].map(
  ([id, change]): Fault => ({
    id: `reset-${id}`,
    breaks: ['rate-reset-header'],
    wrap: changeAnswer((answer, { now }) =>
      withHeader(
        answer,
        'X-RateLimit-Reset',
        String(
          (change as (value: number, now: number) => number)(
            numberIn(answer, 'X-RateLimit-Reset'),
            Math.floor(now / 1000),
          ),
        ),
      ),
    ),
  }),
);

const resetForms: readonly Fault[] = [
  {
    id: 'reset-as-iso-date',
    breaks: ['rate-reset-header'],
    wrap: changeHeader('X-RateLimit-Reset', (value) => new Date(value * 1000).toISOString()),
  },
  {
    id: 'reset-as-http-date',
    breaks: ['rate-reset-header'],
    wrap: changeHeader('X-RateLimit-Reset', (value) => new Date(value * 1000).toUTCString()),
  },
];

const plan: readonly Fault[] = [59, 61, 500, 9_999].map(
  (limit): Fault => ({
    id: `limit-${limit}-on-business`,
    breaks: ['rate-limit-plan'],
    wrap: (handle) => {
      const shown = changeHeader('X-RateLimit-Limit', (_value, answer) =>
        answer.status === 401 ? '1000' : String(limit),
      );
      const kept = changeAnswer((answer) =>
        withHeader(answer, 'X-RateLimit-Remaining', String(Math.min(limit, numberIn(answer, 'X-RateLimit-Remaining')))),
      );
      return shown(kept(handle));
    },
  }),
);

function isLimitKey(request: Parameters<ReturnType<Wrap>>[0]): boolean {
  return headerOf(request, 'authorization') === `Bearer ${limitKey}`;
}

function onRefusal(id: string, breaks: Fault['breaks'], change: (answer: StoreResponse) => StoreResponse): Fault {
  return { id, breaks, wrap: changeAnswer((answer) => (answer.status === 429 ? change(answer) : undefined)) };
}

const exceeding: readonly Fault[] = [
  {
    id: 'limit-never-enforced',
    breaks: ['rate-exceeded'],
    wrap: (handle) => (request, now) => {
      const answer = handle(request, now);
      if (answer.status !== 429) return answer;
      // Carried out with the other key, told with the headers of this one.
      const served = handle(withKey(request, apiKey), now);
      return { ...served, headers: { ...answer.headers } };
    },
  },
  {
    id: 'limit-enforced-one-late',
    breaks: ['rate-exceeded'],
    wrap: (handle) => {
      let refusals = 0;
      return (request, now) => {
        const answer = handle(request, now);
        if (answer.status !== 429) return answer;
        refusals += 1;
        return refusals === 1 ? { ...handle(withKey(request, apiKey), now), headers: { ...answer.headers } } : answer;
      };
    },
  },
  {
    id: 'limit-enforced-too-early',
    breaks: ['rate-exceeded'],
    wrap: changeAnswer((answer, { request }) =>
      isLimitKey(request) && answer.status === 200 && numberIn(answer, 'X-RateLimit-Remaining') < 3
        ? withHeader(errorAnswer(429, answer), 'Retry-After', '30')
        : undefined,
    ),
  },
  onRefusal('excess-answers-403', ['rate-exceeded'], (answer) => errorAnswer(403, answer)),
  onRefusal('excess-answers-503', ['errors-listed', 'rate-exceeded'], (answer) => errorAnswer(503, answer)),
  onRefusal('excess-answers-200', ['rate-exceeded', 'list-answer'], (answer) => ({
    ...answer,
    status: 200,
    body: '[]',
  })),
  onRefusal('retry-after-missing', ['rate-retry-after'], (answer) => withHeader(answer, 'Retry-After', undefined)),
  onRefusal('retry-after-text', ['rate-retry-after'], (answer) => withHeader(answer, 'Retry-After', 'soon')),
  onRefusal('retry-after-negative', ['rate-retry-after'], (answer) => withHeader(answer, 'Retry-After', '-5')),
  onRefusal('retry-after-fraction', ['rate-retry-after'], (answer) => withHeader(answer, 'Retry-After', '1.5')),
  onRefusal('retry-after-iso-date', ['rate-retry-after'], (answer) =>
    withHeader(answer, 'Retry-After', '2026-11-21T12:01:00Z'),
  ),
  onRefusal('retry-after-timestamp', ['rate-retry-after'], (answer) =>
    withHeader(answer, 'Retry-After', answer.headers['X-RateLimit-Reset']),
  ),
  onRefusal('retry-after-date-with-an-offset', ['rate-retry-after'], (answer) =>
    withHeader(answer, 'Retry-After', 'Sat, 21 Nov 2026 13:01:00 +0100'),
  ),
  onRefusal('retry-after-date-that-has-passed', ['rate-recovery'], (answer) =>
    withHeader(answer, 'Retry-After', 'Sat, 21 Nov 2026 12:00:00 GMT'),
  ),
  {
    id: 'retry-after-missing-for-creations',
    breaks: ['rate-retry-after'],
    wrap: changeAnswer((answer, { operation }) =>
      operation === 'createPet' && answer.status === 429 ? withHeader(answer, 'Retry-After', undefined) : undefined,
    ),
  },
  {
    id: 'excess-stored-though-refused',
    breaks: ['create-refused-stores-nothing'],
    wrap: (handle) => (request, now) => {
      const answer = handle(request, now);
      const isExcess = answer.status === 429 && readCall(request, now).operation === 'createPet';
      if (isExcess) handle(withKey(request, apiKey), now);
      return answer;
    },
  },
  {
    id: 'limit-enforced-for-reads-only',
    breaks: ['rate-exceeded'],
    wrap: (handle) => (request, now) => {
      const answer = handle(request, now);
      if (answer.status !== 429 || readCall(request, now).operation !== 'createPet') return answer;
      return { ...handle(withKey(request, apiKey), now), headers: { ...answer.headers } };
    },
  },
  {
    id: 'remaining-told-as-before-the-request',
    breaks: ['rate-exceeded'],
    wrap: changeAnswer((answer) =>
      answer.status === 429
        ? undefined
        : withHeader(answer, 'X-RateLimit-Remaining', String(numberIn(answer, 'X-RateLimit-Remaining') + 1)),
    ),
  },
  onRefusal('retry-after-too-short', ['rate-recovery'], (answer) => withHeader(answer, 'Retry-After', '1')),
  onRefusal('refusal-without-limit-header', ['rate-limit-header'], (answer) =>
    withHeader(answer, 'X-RateLimit-Limit', undefined),
  ),
  onRefusal('refusal-without-reset-header', ['rate-reset-header'], (answer) =>
    withHeader(answer, 'X-RateLimit-Reset', undefined),
  ),
  {
    id: 'refusal-never-ends',
    breaks: ['rate-recovery'],
    wrap: (handle) => {
      let refusal: StoreResponse | undefined;
      return (request, now) => {
        if (refusal !== undefined && isLimitKey(request)) return refusal;
        const answer = handle(request, now);
        if (answer.status === 429) refusal = answer;
        return answer;
      };
    },
  },
  {
    id: 'refusal-of-every-key',
    breaks: ['rate-per-key'],
    wrap: (handle) => {
      let refusal: StoreResponse | undefined;
      return (request, now) => {
        const { isAuthorized } = readCall(request, now);
        if (refusal !== undefined && isAuthorized) return refusal;
        const answer = handle(request, now);
        if (answer.status === 429) refusal = answer;
        return answer;
      };
    },
  },
];

export const limitFaults: readonly Fault[] = [
  ...missing,
  ...remaining,
  ...reset,
  ...resetForms,
  ...plan,
  ...exceeding.map((fault): Fault => ({ ...fault, needsExhaustion: true })),
];
