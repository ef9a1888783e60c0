/** The X-RateLimit headers of each answer: where they are required, and their values. */

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { Settings } from '../../../world/settings.ts';
import { type Answer, failuresIn } from './limit-answers.ts';

const fresh: Answer = { at: 1, limit: 60, remaining: 59, reset: 60 };
const past = 'rate-reset-header: in-the-past';
const beyond = 'rate-reset-header: beyond-a-day';
const beyondMinute = 'rate-reset-header: beyond-a-minute';
const plan = 'rate-limit-plan: not-of-the-plan';
const milliseconds = '1795262460000';

test('an answer that may come from before the service need not carry them', () => {
  for (const answer of [
    { operation: 'other', status: 405 },
    { operation: 'getPet', status: 404, target: '/pets/abc' },
    { operation: 'getPet', status: 404, target: '/pets/9223372036854775808' },
    { status: 400, target: '/pets?limit=%E0%A4%A' },
    { status: 503 },
    { status: 500 },
  ] satisfies Partial<Answer>[])
    assert.equal(failuresIn([{ at: 1, ...answer }]), [], JSON.stringify(answer).slice(0, 80));
  assert.equal(failuresIn([{ at: 1, operation: 'getPet', status: 410 }], { today: Date.UTC(2031, 0, 1) }), []);
});

test('all three are on every other answer', () => {
  const missing = ['limit', 'remaining', 'reset'].map((name) => `rate-${name}-header: missing`);
  assert.equal(failuresIn([{ at: 1 }], { plan: 'pro' }), missing);
  assert.equal(failuresIn([{ at: 1, operation: 'getPet', status: 404 }]), missing);
});

type Row = readonly [answer: Partial<Answer>, failures: readonly string[], settings?: Partial<Settings>];
const ban = { kind: 'rate-limit', remaining: 0, reset: 864_000, retryAfter: 9 } as const;

const rows: Readonly<Record<string, readonly Row[]>> = {
  'each number is an integer and nothing else, and no more remain than the limit': [
    [{ limit: 'x' }, ['rate-limit-header: not-an-integer'], { plan: 'pro' }],
    [{ limit: '60;w=60' }, ['rate-headers-plain: more-in-x-ratelimit-limit']],
    [{ remaining: 60 }, []],
    [{ remaining: 61 }, ['rate-remaining-header: above-limit']],
    [{ reset: 'soon' }, ['rate-reset-header: not-an-integer']],
  ],
  'a reset lies between now and a day ahead, within ten seconds': [
    [{ reset: -9 }, []],
    [{ reset: -12 }, [past]],
    [{ reset: 86_410 }, []],
    [{ reset: 86_412 }, [beyond]],
  ],
  'it is read by the clock of Date or by ours; without Date by an unknown one': [
    [{ reset: 3_660, dateAhead: 3_600 }, []],
    [{ reset: 60, dateAhead: 3_600 }, []],
    [{ reset: -7_140, dateAhead: 'none' }, []],
    [{ reset: -7_140 }, [past]],
  ],
  'a slow answer may hold the reset of the time when its request arrived': [
    [{ at: 40, took: 40, reset: 1 }, []],
    [{ at: 40, reset: 1 }, [past]],
  ],
  "the reset of the plan's limit per minute is within a minute": [
    [{ reset: 73 }, [beyondMinute], { plan: 'free' }],
    [{ reset: 95 }, []],
    [{ reset: 70 }, [], { plan: 'free' }],
    [{ reset: 95, limit: 1_000 }, [], { plan: 'free' }],
    [{ reset: 95, kind: 'rate-limit' }, [], { plan: 'free' }],
  ],
  'the reset of a ban may lie beyond a day, but in no other unit': [
    ...[401, 403, 429].map((status): Row => [{ ...ban, status }, [], { plan: 'free' }]),
    [{ status: 429, retryAfter: 9, reset: milliseconds }, [beyond]],
    [{ status: 401, kind: 'missing', reset: 864_000 }, [beyond]],
  ],
  "a limit is one of the limits of the key's plan": [
    [{}, [plan], { plan: 'pro' }],
    [{ kind: 'rate-limit' }, [], { plan: 'pro' }],
    [{}, [], { plan: 'enterprise' }],
    [{ status: 401 }, [], { plan: 'pro' }],
    [{ status: 403 }, [], { plan: 'pro' }],
  ],
};

for (const [title, cases] of Object.entries(rows)) {
  test(title, () => {
    for (const [answer, failures, settings] of cases)
      assert.equal(failuresIn([{ ...fresh, ...answer }], settings), failures, JSON.stringify(answer));
  });
}

test.run();
