/** The X-RateLimit headers of each answer: where they are required, their values, and one failure for each cause. */

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { type Answer, count, failuresIn, heldIn, timeline } from './limit-answers.ts';

const fresh: Answer = { at: 1, limit: 60, remaining: 59, reset: 60 };
const missing = ['limit', 'remaining', 'reset'].map((name) => `rate-${name}-header: missing`);
const bare: Answer = { at: 1 };

test('different faults of one header are reported apart', () => {
  const answers = [bare, { ...fresh, limit: 'many' }, { ...fresh, limit: '-1' }, { ...fresh, remaining: 61 }];
  assert.equal(new Set(failuresIn(answers)).size, 5);
  assert.ok(failuresIn(answers).includes('rate-remaining-header: above-limit'));
});

test('every answer of the three operations carries the headers, whatever the request', () => {
  for (const answer of [
    {},
    { status: 401, kind: 'missing' },
    { status: 400, target: '/pets?limit=0' },
    { operation: 'createPet', status: 400, body: '{' },
    { operation: 'createPet', status: 201, body: 'x'.repeat(5_000) },
    { operation: 'getPet', status: 404, target: '/pets/-9' },
    { status: 429, retryAfter: 9, kind: 'rate-limit' },
  ] satisfies Partial<Answer>[]) {
    assert.equal(failuresIn([{ ...bare, ...answer }]), missing, JSON.stringify(answer).slice(0, 80));
  }
});

test('an answer that may come from before the service need not carry them', () => {
  for (const answer of [
    { operation: 'other', status: 405 },
    { operation: 'getPet', status: 404, target: '/pets/abc' },
    { operation: 'getPet', status: 404, target: '/pets/9223372036854775808' },
    { status: 400, target: '/pets?limit=%00' },
    { status: 400, target: '/pets?limit=%E0%A4%A' },
    { operation: 'createPet', status: 413, body: 'é'.repeat(2_049) },
    { status: 503 },
    { status: 500 },
  ] satisfies Partial<Answer>[]) {
    assert.equal(failuresIn([{ ...bare, ...answer }]), [], JSON.stringify(answer).slice(0, 80));
  }
  const settings = { today: Date.UTC(2031, 0, 1) };
  assert.equal(failuresIn([{ ...bare, operation: 'getPet', status: 410 }], settings), []);
});

test('an integer followed by more text warns, and is read as that integer', () => {
  for (const limit of ['60, 60;w=60', '60;w=60', '60 per minute']) {
    assert.equal(failuresIn([{ ...fresh, limit }]), ['rate-headers-plain: more-in-x-ratelimit-limit'], limit);
  }
  const above = failuresIn([{ ...fresh, limit: '60, 60;w=60', remaining: '61, 1' }]);
  assert.ok(above.includes('rate-remaining-header: above-limit'));
  for (const limit of ['60.0', '60/minute', '1e3', '60_000', '+60', '']) {
    assert.equal(failuresIn([{ ...fresh, limit }]), ['rate-limit-header: not-an-integer'], limit);
  }
  assert.ok(heldIn([fresh]).includes('rate-headers-plain'));
});

test('a reset lies between now and a day ahead, within half a minute', () => {
  const past = ['rate-reset-header: in-the-past'];
  const beyond = ['rate-reset-header: beyond-a-day'];
  for (const [reset, expected] of [
    [0, []],
    [-29, []],
    [-35, past],
    [86_430, []],
    [86_435, beyond],
    ['60', past],
    ['1795262460000', beyond],
  ] as const) {
    assert.equal(failuresIn([{ ...fresh, reset }]), expected, String(reset));
  }
});

test('a reset is read by the clock of Date or by ours; without Date by an unknown one', () => {
  assert.equal(failuresIn([{ ...fresh, reset: 3_660, dateAhead: 3_600 }]), []);
  assert.equal(failuresIn([{ ...fresh, reset: 60, dateAhead: 3_600 }]), []);
  assert.equal(failuresIn([{ ...fresh, reset: -7_140, dateAhead: 'none' }]), []);
  assert.equal(failuresIn([{ ...fresh, reset: -7_140 }]), ['rate-reset-header: in-the-past']);
});

test('a slow answer may hold the reset of the time when its request arrived', () => {
  assert.equal(failuresIn([{ ...fresh, at: 40, took: 40, reset: 1 }]), []);
  assert.equal(failuresIn([{ ...fresh, at: 40, reset: 1 }]), ['rate-reset-header: in-the-past']);
});

test("if the limit is the plan's per minute, the reset is within a minute", () => {
  const late: Answer = { ...fresh, reset: 95 };
  assert.equal(failuresIn([late], { plan: 'free' }), ['rate-reset-header: beyond-a-minute']);
  assert.equal(failuresIn([late]), []);
  assert.equal(failuresIn([{ ...late, reset: 90 }], { plan: 'free' }), []);
  assert.equal(failuresIn([{ ...late, limit: 1_000 }], { plan: 'free' }), []);
  const ofOther: Answer = { ...late, kind: 'rate-limit' };
  assert.equal(failuresIn([ofOther], { plan: 'free' }), []);
});

test('the reset of a ban may lie beyond a day, but in no other unit', () => {
  for (const status of [401, 403, 429]) {
    const banned: Answer = { ...fresh, status, kind: 'rate-limit', remaining: 0, reset: 864_000, retryAfter: 9 };
    assert.equal(failuresIn([banned], { plan: 'free' }), [], String(status));
  }
  const inMilliseconds: Answer = { ...fresh, status: 429, retryAfter: 9, reset: '1795262460000' };
  assert.equal(failuresIn([inMilliseconds]), ['rate-reset-header: beyond-a-day']);
  const ofNobody: Answer = { ...fresh, status: 401, kind: 'missing', reset: 864_000 };
  assert.equal(failuresIn([ofNobody]), ['rate-reset-header: beyond-a-day']);
});

test("a limit is one of the limits of the key's plan", () => {
  const wrong = ['rate-limit-plan: not-of-the-plan'];
  assert.equal(failuresIn([fresh], { plan: 'pro' }), wrong);
  assert.equal(failuresIn([{ ...fresh, kind: 'rate-limit' }], { plan: 'pro' }), []);
  assert.equal(failuresIn([fresh], { plan: 'enterprise' }), []);
  for (const status of [401, 403]) assert.equal(failuresIn([{ ...fresh, status }], { plan: 'pro' }), []);
  assert.ok(heldIn([fresh], { plan: 'free' }).includes('rate-limit-plan'));
});

test('a reset beyond a day fails for that alone, whatever remains until then', () => {
  const twice = [...count(59, 10), ...count(59, 10), ...count(59, 10)];
  assert.ok(failuresIn(timeline(twice)).includes('rate-remaining-falls: rises'));
  assert.equal(
    new Set(failuresIn(timeline(twice, () => ({ reset: 8_000_000_000 })))),
    new Set(['rate-reset-header: beyond-a-day']),
  );
});

test('a bucket refills before its reset, which the Date of a gateway may show too far ahead', () => {
  const full = { limit: 1_000, remaining: 999, reset: 21, at: 0.5 };
  const back = (remaining: number): readonly string[] =>
    failuresIn([full, { ...full, remaining: 460, reset: 53, at: 1 }, { ...full, remaining, reset: 56, at: 6 }]);
  assert.equal(back(540), []);
  assert.equal(back(580), ['rate-reset-header: resets-earlier']);
});

test.run();
