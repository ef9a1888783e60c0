/** What a failure of §8 says: the numbers that a reader can compare with the answers, and which answers show it. */

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { Settings } from '../../../world/settings.ts';
import * as evidence from '../evidence.ts';
import { type Answer, count, handMade, timeline } from './limit-answers.ts';

/** Each failure in some answers as a sentence, with the numbers of the exchanges that show it. */
function messagesIn(answers: readonly Answer[], settings: Partial<Settings> = {}): readonly string[] {
  return evidence.failuresIn(handMade(answers), /^rate-/, settings).map(({ failure, exchanges }) => {
    const numbers = exchanges.map(({ number }) => `#${number}`).join(' ');
    return `expected ${failure.expected}; received ${failure.received} (${numbers})`;
  });
}

const kind = 'rate-limit';
/** A key of eight requests that is used up in a few milliseconds of a window that ends at 45 s. */
const usedUp: readonly Answer[] = count(7, 8).map((remaining, at) => {
  return { kind, limit: 8, remaining, reset: 45, at: 1 + at / 100 };
});
const answer = (at: number, change: Partial<Answer> = {}): Answer => {
  return { kind, limit: 8, remaining: 0, reset: 45, at, ...change };
};
const refusal = (at: number, change: Partial<Answer> = {}): Answer =>
  answer(at, { status: 429, retryAfter: 44, ...change });
const creation = { operation: 'createPet', status: 201 } as const;
const takesTwo = count(58, 30, -2).map((remaining, at): Answer => {
  return { kind, limit: 60, remaining, reset: 45, at: 1 + at / 100 };
});
/** An answer that lacks some of the headers. */
const without = (...names: readonly ('limit' | 'remaining' | 'reset')[]): Answer => {
  const { at, limit = 0, remaining = 0, reset = 0 } = timeline([59])[0]!;
  const headers = Object.entries({ limit, remaining, reset }).filter(([name]) => names.every((one) => one !== name));
  return { at, ...Object.fromEntries(headers) };
};
const noonSeconds = evidence.startedAt / 1_000;

const rows: readonly (readonly [answers: readonly Answer[], ...messages: readonly string[]])[] = [
  [
    [...usedUp, refusal(2), refusal(2.1, { remaining: 3 })],
    'expected no requests left with a 429; received X-RateLimit-Remaining 3 (#8 #10)',
  ],
  [[...usedUp.slice(0, 5), refusal(2)], 'expected no 429 while X-RateLimit-Remaining said 3; received one (#5 #6)'],
  [
    [...takesTwo, refusal(2, { limit: 60 })],
    'expected X-RateLimit-Remaining to fall by 1 with each request; received a fall by 2 with 29 of 29 (#1 #2)',
    'expected 60 requests before a 429, by X-RateLimit-Limit; received 30 (#1 #31)',
  ],
  [
    [...usedUp, refusal(2, { retryAfter: 'soon' })],
    'expected Retry-After in seconds or as an HTTP date with each 429; received soon (#9)',
  ],
  [
    [...usedUp, answer(2, { status: 429 })],
    'expected Retry-After in seconds or as an HTTP date with each 429; received none (#9)',
  ],
  [
    [...usedUp, refusal(2, { retryAfter: 86_401 })],
    'expected Retry-After of no more than a day; received 86401 s (#9)',
  ],
  [
    [...usedUp, refusal(2, { retryAfter: 7_200 }), answer(47, { remaining: 7, reset: 105 })],
    'expected Retry-After to say when the key is served again; received 7200 s: it was served after 45 s (#9 #10)',
  ],
  [
    [...usedUp, refusal(2, { retryAfter: 5 }), refusal(8.5, { retryAfter: 5 })],
    'expected the key to be served after the time in Retry-After; received Retry-After 5, and another 429 6 s later (#9 #10)',
  ],
  [
    [...usedUp, refusal(2), refusal(47, { reset: 105, retryAfter: 58 }), refusal(107, { reset: 165 })],
    'expected to be served 44 s later, after Retry-After and the reset; received 429 (#9 #10)',
  ],
  [
    [...usedUp, answer(2), answer(2.1, creation)],
    'expected 429 after X-RateLimit-Remaining 0; received 200 to listPets, 201 to createPet (#8 #10)',
  ],
  [
    timeline([59, 58, 59, 57]),
    `expected X-RateLimit-Remaining not to rise before the reset at ${noonSeconds + 45}; received 59 after 58 (#2 #3)`,
  ],
  [
    [...usedUp, answer(2), answer(2.1, creation), answer(2.2)],
    'expected 429 after X-RateLimit-Remaining 0; received 200 to listPets, 201 to createPet, 200 to listPets (#8 #11)',
  ],
  // Of requests that take nothing, those between two that do.
  [
    timeline([59, 25, 25, 25, 25, 24, 23]),
    'expected X-RateLimit-Remaining to fall by 3 or more; received 25 after 25 (#2 #5)',
  ],
  // Of several rises the largest.
  [
    timeline([59, 58, 59, 56, 59]),
    `expected X-RateLimit-Remaining not to rise before the reset at ${noonSeconds + 45}; received 59 after 56 (#4 #5)`,
  ],
  [
    timeline(count(0, 11, 0), () => ({ limit: 0 })),
    'expected X-RateLimit-Limit to be the limit that applies; received 0 while 11 requests with the key were served (#1 #11)',
  ],
  [timeline([61]), 'expected X-RateLimit-Remaining from 0 to the limit 60; received 61 (#1)'],
  ...[-40_000, 100_000].map(
    (reset) =>
      [
        timeline([59], () => ({ reset })),
        `expected X-RateLimit-Reset as Unix seconds from ${noonSeconds + 1} to a day later; received ${noonSeconds + reset} (#1)`,
      ] as const,
  ),
  [[without('limit')], 'expected X-RateLimit-Limit on every answer; received none (#1)'],
  [
    [{ ...without('reset', 'remaining'), ...creation, status: 400 }],
    'expected X-RateLimit-Remaining on every answer, a 400 too; received none (#1)',
    'expected X-RateLimit-Reset on every answer, a 400 too; received none (#1)',
  ],
  // Others that may be meant for it.
  [
    [{ ...without('limit'), headers: { 'ratelimit-limit': '60', 'x-rate-limit-remaining': '59', server: 'nginx' } }],
    'expected X-RateLimit-Limit on every answer; received none; the answer has ratelimit-limit, x-rate-limit-remaining (#1)',
  ],
  ...(
    [
      [{ limit: 'x' }, 'X-RateLimit-Limit to be an integer; received x'],
      [{ limit: ' ' }, 'X-RateLimit-Limit to be an integer; received an empty value'],
      [{ limit: 'x1' }, 'X-RateLimit-Limit to be an integer; received x1'],
      [
        { limit: '1234567890123456' },
        'X-RateLimit-Limit to be an integer of at most 15 digits; received 1234567890123456',
      ],
      [{ limit: '1234567890123456x' }, 'X-RateLimit-Limit to be an integer; received 1234567890123456x'],
      [
        { reset: ' 1234567890123456 ' },
        'X-RateLimit-Reset as a Unix timestamp in seconds, which has ten digits; received  1234567890123456 ',
      ],
    ] as const
  ).map(([change, message]) => [timeline([59], () => change), `expected ${message} (#1)`] as const),
  [
    [{ ...without('limit', 'reset'), operation: 'other', status: 404 }],
    'expected X-RateLimit-Limit, X-RateLimit-Reset on the answer to GET /nothing; received none (#1)',
  ],
];

test('a failure says what was expected and received, in numbers of the answers that show it', () => {
  for (const [answers, ...messages] of rows) assert.equal(messagesIn(answers), messages);
});

test('the two limits of a plan are named where the header has neither', () => {
  const ofPlan = messagesIn(timeline([59]), { plan: 'pro' });
  assert.equal(ofPlan, ["expected the limit of the key's plan, 300 or 10000; received 60 (#1)"]);
  for (const limit of [300, 10_000]) {
    const answers = handMade(timeline([59], () => ({ limit })));
    assert.equal(evidence.heldIn(answers, /^rate-limit-plan/, { plan: 'pro' }), ['rate-limit-plan']);
  }
});

test('a used-up key that a proxy refuses with 503 is told by those answers alone', () => {
  const kindless = { status: 503, kind } as const;
  const answers: readonly Answer[] = [
    answer(1),
    { at: 1.01, ...kindless },
    { at: 1.02, ...kindless, status: 404, operation: 'getPet' },
    answer(1.03, { kind: 'valid', remaining: 4 }),
    { at: 1.04, ...kindless },
  ];
  const shown = messagesIn(answers).filter((message) => message.startsWith('expected 429'));
  assert.equal(shown, [
    'expected 429 after X-RateLimit-Remaining 0; received 503 to listPets, 503 to listPets (#1 #5)',
  ]);
});

test('operations that are served while another is refused are listed with their answers', () => {
  const answers: readonly Answer[] = [
    ...count(0, 61).map((_nothing, at): Answer => ({ kind, at: 1 + at / 100 })),
    { kind, at: 2, status: 429, retryAfter: 30 },
    ...[2.01, 2.02, 2.03].map((at): Answer => ({ kind, at, ...creation })),
    ...[2.1, 4.2].map((at): Answer => ({ kind, at, status: 429, retryAfter: 30 })),
  ];
  const shown = messagesIn(answers).filter((message) => message.includes('while'));
  assert.equal(shown, [
    'expected 429 to every operation while listPets is refused; received 201 to createPet, 201 to createPet, 201 to createPet (#62 #65 #67)',
  ]);
});

test.run();
