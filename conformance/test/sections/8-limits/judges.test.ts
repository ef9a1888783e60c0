/** The X-RateLimit headers of each answer: where they are required, and their values. */

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { Settings } from '../../../world/settings.ts';
import { type Answer, failuresIn, heldIn } from './limit-answers.ts';

const fresh: Answer = { at: 1, limit: 60, remaining: 59, reset: 60 };
const past = 'rate-reset-header: in-the-past';
const beyond = 'rate-reset-header: beyond-a-day';
const beyondMinute = 'rate-reset-header: beyond-a-minute';
const plan = 'rate-limit-plan: not-of-the-plan';
const milliseconds = '1795262460000';

const missing = ['limit', 'remaining', 'reset'].map((name) => `rate-${name}-header: missing`);

test('all three are on every answer, whatever its status, but on those of an outage and on large bodies', () => {
  for (const answer of [
    {},
    { operation: 'getPet', status: 404 },
    { status: 500 },
    { status: 501 },
    { kind: 'missing', status: 401 },
  ] satisfies Partial<Answer>[])
    assert.equal(failuresIn([{ at: 1, ...answer }], { plan: 'pro' }), missing, JSON.stringify(answer));
  for (const answer of [
    ...[408, 502, 503, 504, 520].map((status) => ({ status })),
    { status: 400, target: '/pets?limit=%E0%A4%A' },
  ] satisfies Partial<Answer>[])
    assert.equal(failuresIn([{ at: 1, ...answer }]), [], JSON.stringify(answer).slice(0, 80));
  assert.equal(failuresIn([{ at: 1, operation: 'getPet', status: 410 }], { today: Date.UTC(2031, 0, 1) }), []);
});

test('a bare 429 is the service where anything else answers at the address', () => {
  const bare: Answer = { at: 1, status: 429 };
  const silent = 'rate-retry-after: unusable';
  assert.equal(failuresIn([bare, bare]), []);
  assert.equal(failuresIn([bare, { ...fresh, at: 2, operation: 'other', status: 404 }]), []);
  assert.equal(failuresIn([bare, { ...fresh, at: 2 }]), [...missing, silent]);
  assert.equal(failuresIn([{ ...bare, remaining: 0 }]), [
    'rate-limit-header: missing',
    'rate-reset-header: missing',
    silent,
  ]);
  assert.equal(failuresIn([{ ...bare, limit: 60 }]), [
    'rate-remaining-header: missing',
    'rate-reset-header: missing',
    silent,
  ]);
});

test('on answers to paths and methods that are not shown they are advised', () => {
  for (const answer of [
    { operation: 'other', status: 405 },
    { operation: 'other', status: 200 },
    { operation: 'other', status: 500 },
    { operation: 'getPet', status: 404, target: '/pets/abc' },
    { operation: 'getPet', status: 404, target: '/pets/9223372036854775808' },
  ] satisfies Partial<Answer>[]) {
    const text = JSON.stringify(answer);
    assert.equal(failuresIn([{ at: 1, ...answer }]), ['rate-headers-elsewhere: missing'], text);
    assert.equal(failuresIn([{ ...fresh, ...answer }]), [], text);
    assert.ok(heldIn([{ ...fresh, ...answer }]).includes('rate-headers-elsewhere'), text);
  }
  const one = { ...fresh, operation: 'other', status: 404, reset: undefined } as unknown as Answer;
  assert.equal(failuresIn([one]), ['rate-headers-elsewhere: missing']);
  assert.equal(failuresIn([{ at: 1, operation: 'other', status: 502 }]), []);
  assert.equal(failuresIn([{ at: 1, operation: 'other', isBroken: true, body: 'x'.repeat(600) }]), []);
  assert.not.ok(heldIn([fresh]).includes('rate-headers-elsewhere'));
});

type Row = readonly [answer: Partial<Answer>, failures: readonly string[], settings?: Partial<Settings>];
const ban = { kind: 'rate-limit', remaining: 0, reset: 864_000, retryAfter: 9 } as const;

const rows: Readonly<Record<string, readonly Row[]>> = {
  'each number is an integer and nothing else, and no more remain than the limit': [
    [{ limit: 'x' }, ['rate-limit-header: not-an-integer'], { plan: 'pro' }],
    [{ limit: '60, 100' }, ['rate-limit-header: two-values']],
    [{ remaining: '59,1459' }, ['rate-remaining-header: two-values']],
    [{ reset: '1795262460, 1795262520' }, ['rate-reset-header: two-values']],
    [{ limit: '60, 60' }, ['rate-headers-plain: more-in-x-ratelimit-limit']],
    [{ limit: '60, 100;w=60' }, ['rate-headers-plain: more-in-x-ratelimit-limit']],
    [{ limit: '60;w=60' }, ['rate-headers-plain: more-in-x-ratelimit-limit']],
    [{ remaining: 60 }, []],
    [{ remaining: 61 }, ['rate-remaining-header: above-limit']],
    [{ reset: 'soon' }, ['rate-reset-header: not-an-integer']],
  ],
  'a reset lies between now and a day ahead, within ten seconds': [
    // The service may have computed it a second before it wrote Date.
    [{ reset: -10 }, []],
    [{ reset: -12 }, [past]],
    [{ reset: 86_411 }, []],
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
    [{ reset: 95, limit: 'x' }, ['rate-limit-header: not-an-integer']],
    [{ reset: 95, kind: 'rate-limit' }, [], { plan: 'free' }],
  ],
  'the reset of a ban may lie beyond a day, but in no other unit': [
    ...[401, 403, 429].map((status): Row => [{ ...ban, status }, [], { plan: 'free' }]),
    [{ status: 429, retryAfter: 9, reset: milliseconds }, [beyond]],
    [{ status: 401, kind: 'missing', reset: 864_000 }, [beyond]],
  ],
  "a limit is one of the limits of the key's plan": [
    [{}, [plan], { plan: 'pro' }],
    // A copy may repeat the headers of an answer to another key.
    [{ age: 1 }, [], { plan: 'pro' }],
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
