/** The budget is a bound, and follows the target: larger where its requests cost nothing but a few seconds. */

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { RequirementId } from '../../../spec/requirements.ts';
import { rateLimitKey } from '../../http/credentials.ts';
import type { Exchange } from '../../http/exchange.ts';
import { trialSettings } from '../../proof/trial.ts';
import { budgetFor, createBudget, raiseBudget } from '../../run/budget.ts';
import { changes, headerNumber, withHeader } from '../../services/wraps.ts';
import { defaultBudget, largeBudget } from '../../world/settings.ts';
import { judged } from './bench.ts';
import { exchangeOf } from './hand-made.ts';

test('a service that accepts everything creates no more animals than the budget allows', async () => {
  for (const [maxCreates, concurrency, status] of [
    [5, 8, 201],
    [1, 1, 201],
    [0, 1, 201],
    // After a 5xx an animal may have been created all the same.
    [5, 1, 500],
  ] as const) {
    let created = 0;
    const takesAnything = changes.answer((answer, { request }) => {
      if (request.method !== 'POST') return undefined;
      created += 1;
      return { ...answer, status, body: `{"id":${created},"name":"x","categoryId":1,"status":"available"}` };
    });
    const { report } = await judged({ wrap: takesAnything }, 300, { maxCreates, concurrency });
    assert.equal([created, report.creates], [maxCreates, maxCreates]);
    assert.is(report.verdict, maxCreates === 0 ? 'inconclusive' : 'does-not-conform');
  }
});

test('what is refused takes nothing from the budget of creations', async () => {
  const { exchanges, report } = await judged({}, 100, { maxCreates: 5 });
  assert.ok(exchanges.filter(({ request }) => request.method === 'POST').length > 20);
  assert.ok(report.creates <= 5);
});

test('one creation is kept for a request that must not create, and given back where it did not', () => {
  assert.equal([createBudget(9, 0).creationsLeft(), createBudget(9, 1).creationsLeft()], [0, 1]);
  const budget = createBudget(9, 2);
  const [animal, refused] = ['may-create', 'must-not-create'] as const;
  budget.spend(animal);
  assert.is(budget.creationsLeft(), 0);
  assert.throws(() => budget.spend(animal), /^the budget of 2 creations is spent; raise --max-creates$/);
  budget.spend(refused);
  assert.throws(() => budget.spend(refused), /^the budget of 2 creations is spent/);
  budget.giveBackCreation();
  budget.spend(refused);
  budget.spend('cannot-create');
  assert.equal([budget.requests(), budget.creations()], [4, 2]);
});

test('what is kept for later is left out of what is left, and given back at the next rank', () => {
  const budget = createBudget(9, 2);
  budget.keep(6);
  budget.spend('cannot-create');
  assert.equal([budget.requestsLeft(), budget.size().maxRequests], [2, 9]);
  budget.spend('cannot-create');
  budget.spend('cannot-create');
  assert.throws(() => budget.spend('cannot-create'), /^the budget of 9 requests is spent; raise --max-requests$/);
  assert.is(budget.requestsLeft(), 0);
  budget.keep(7);
  assert.is(budget.requestsLeft(), 0);
  budget.keep(0);
  assert.is(budget.requestsLeft(), 6);
  assert.not.ok(budget.isBeyondFirst());
});

test('a budget that is spent is not beyond the first one unless it was raised', () => {
  const budget = createBudget(1, 9);
  budget.spend('cannot-create');
  assert.not.ok(budget.isBeyondFirst());
});

test('only answers to the API key say what is left, the last of them', () => {
  const answer = (at: number, remaining: number, part: Partial<Exchange> = {}) => {
    const { startedAt } = exchangeOf(at);
    const headers = {
      'x-ratelimit-limit': '2000',
      'x-ratelimit-remaining': String(remaining),
      'x-ratelimit-reset': String(Math.floor(startedAt / 1_000) + 30),
    };
    return exchangeOf(at, { response: { status: 200, headers, body: '[]' }, ...part });
  };
  const raisedTo = (...exchanges: readonly Exchange[]): number => {
    const budget = createBudget(300, 61);
    raiseBudget(budget, trialSettings(300, { ...budgetFor({}), isDisposable: false }), exchanges);
    return budget.size().maxRequests;
  };
  const other = { credential: rateLimitKey('other').shown };
  const { response: _response, ...lost } = answer(4, 0);
  assert.is(raisedTo(answer(1, 5), answer(2, 1_500), answer(3, 1_400)), 1_000);
  assert.is(raisedTo(answer(1, 1_500), answer(2, 1_400), answer(3, 5)), 300);
  assert.is(raisedTo(answer(1, 1_500), answer(2, 5, other), lost), 1_000);
  // A refusal of the other key is none of this one.
  const refused = answer(2, 5, { ...other, response: { status: 429, headers: {}, body: '' } });
  assert.is(raisedTo(answer(1, 1_500), refused), 1_000);
});

test('a raised budget is beyond the first one once that is spent, and none is raised without an answer', () => {
  const budget = createBudget(2, 9);
  raiseBudget(budget, trialSettings(2, { ...budgetFor({}), isDisposable: false }), []);
  assert.is(budget.size().maxRequests, 2);
  budget.raise(largeBudget);
  budget.spend('cannot-create');
  assert.not.ok(budget.isBeyondFirst());
  budget.spend('cannot-create');
  assert.ok(budget.isBeyondFirst());
});

test('a run whose user allows no larger budget keeps its own', () => {
  const budget = createBudget(2, 9);
  raiseBudget(budget, trialSettings(2), [exchangeOf(1)]);
  assert.equal([budget.size(), budget.notes()], [{ maxRequests: 2, maxCreates: 9 }, []]);
});

test('drawn sequences get a part of a hundred requests and more, and none of fewer', async () => {
  for (const [maxRequests, hasDrawn] of [
    [99, false],
    [100, true],
  ] as const) {
    const { exchanges } = await judged({}, maxRequests, { plan: 'business' });
    assert.is(
      exchanges.some(({ check }) => check === 'drawn-sequences'),
      hasDrawn,
    );
  }
});

test('numbers that the user gives win, and a known limit or a choice of requirements allows no larger budget', () => {
  const usual = { maxRequests: 300, maxCreates: 61 };
  const large = { maxRequests: 1_000, maxCreates: 201 };
  const own = { maxRequests: 5_000, maxCreates: 9 };
  for (const [given, budget] of [
    [{}, { ...usual, raisedBudget: large }],
    [{ maxRequests: 1_000 }, large],
    [{ maxRequests: 999 }, { maxRequests: 999, maxCreates: 61 }],
    [own, own],
    [{ maxCreates: 5 }, { maxRequests: 300, maxCreates: 5, raisedBudget: { ...large, maxCreates: 5 } }],
    [{ plan: 'pro' }, usual],
    [{ ratePerMinute: 999 }, usual],
    [{ only: new Set<RequirementId>(['list-limit', 'errors-listed']) }, { ...usual, maxRequests: 120 }],
    [{ only: new Set<RequirementId>(['rate-exceeded']) }, usual],
    [{ plan: 'business' }, { ...usual, raisedBudget: large }],
  ] as const)
    assert.equal(budgetFor(given), budget);
});

interface Answered {
  /** The three X-RateLimit headers, the reset in seconds from the last answer; undefined: a header without a number. */
  readonly limits?: readonly [limit: number, remaining: number | undefined, resetsIn: number];
  readonly status?: number;
  readonly takesMs?: number;
  /** The time of every tenth answer. */
  readonly sometimesTakesMs?: number;
  readonly isDisposable?: boolean;
  readonly concurrency?: number;
}

/** The budget after sixty answers of a target, and why it is not the larger one. */
function raisedAfter(answered: Answered) {
  const { limits, status = 200, takesMs = 7, sometimesTakesMs = takesMs, isDisposable = false } = answered;
  const { concurrency = 1 } = answered;
  const [limit, remaining, resetsIn = 0] = limits ?? [];
  const exchanges = Array.from({ length: 60 }, (_nothing, at) => {
    const { startedAt } = exchangeOf(at);
    const headers = {
      'x-ratelimit-limit': String(limit),
      'x-ratelimit-remaining': String(remaining),
      'x-ratelimit-reset': String(Math.floor(startedAt / 1000) + resetsIn),
    };
    const response = { status: at === 40 ? status : 200, headers: limits === undefined ? {} : headers, body: '[]' };
    return exchangeOf(at, { response, endedAt: startedAt + (at % 10 === 0 ? sometimesTakesMs : takesMs) });
  });
  const budget = createBudget(300, 61);
  for (const _sent of exchanges) budget.spend('cannot-create');
  raiseBudget(budget, trialSettings(300, { ...budgetFor({}), isDisposable, concurrency }), exchanges);
  return [budget.size(), ...budget.notes()];
}

const isDisposable = true;
const noRoom = '300 of 1,000 requests: the rate limit has no room for more.';
const slow = '300 of 1,000 requests: the target answers slowly.';
const limited = (remaining: string) => `300 of 1,000 requests: ${remaining} are left in this window.`;
/** What answered, whether it gets the larger budget, and what is noted. */
const rows: readonly (readonly [what: string, answered: Answered, size: 'larger' | 'usual', note?: string])[] = [
  ['a disposable target without headers', { isDisposable }, 'larger'],
  ['a disposable target whose headers describe a day', { limits: [9_999, 5_000, 9_999], isDisposable }, 'larger'],
  ['a shared target with room in this minute', { limits: [1_000, 940, 30] }, 'larger'],
  ['a target that is slow but for eight', { limits: [1_000, 940, 30], takesMs: 90, concurrency: 8 }, 'larger'],
  ['a shared target whose minute is over in 61 s', { limits: [1_000, 940, 61], takesMs: 0 }, 'larger'],
  ['a shared target whose window is longer than a minute', { limits: [1_000, 940, 62], takesMs: 0 }, 'usual'],
  ['a shared target without headers', {}, 'usual'],
  ['a shared target that names a reset alone', { limits: [1_000, undefined, 30] }, 'usual'],
  ['a Free key', { limits: [60, 10, 30] }, 'usual'],
  ['a disposable target with a Free key', { limits: [60, 10, 30], isDisposable }, 'usual', limited('10')],
  ['a key that others use up', { limits: [1_000, 900, 30] }, 'usual', limited('900')],
  ['a shared target whose headers describe a day', { limits: [100_000, 99_000, 9_999] }, 'usual'],
  ['a target that has refused', { limits: [9_999, 5_000, 30], status: 429 }, 'usual', limited('5000')],
  ['a target without headers that has refused', { status: 429, isDisposable }, 'usual', noRoom],
  ['a target that takes fifteen seconds', { isDisposable, takesMs: 750, concurrency: 47 }, 'larger'],
  ['a slow target', { limits: [1_000, 940, 30], takesMs: 40 }, 'usual', slow],
  ['a target that is seldom fast', { limits: [1_000, 940, 30], takesMs: 40, sometimesTakesMs: 1 }, 'usual', slow],
  ['a target that is seldom slow', { limits: [1_000, 940, 30], sometimesTakesMs: 900 }, 'larger'],
];

for (const [what, answered, size, note] of rows) {
  test(`${what} gets the ${size} budget`, () => {
    assert.equal(raisedAfter(answered), [size === 'larger' ? largeBudget : defaultBudget, ...(note ? [note] : [])]);
  });
}

test('a raised budget ends where it would wait for the limit, and the report says so', async () => {
  let asked = 0;
  // From the 301st request on, another client uses the key three times as fast.
  const shared = changes.answer((answer) => {
    asked += 1;
    const left = headerNumber(answer, 'X-RateLimit-Remaining')! - 3 * Math.max(0, asked - 300);
    return withHeader(answer, 'X-RateLimit-Remaining', String(Math.max(0, left)));
  });
  const budgets: number[] = [];
  const settings = { ...budgetFor({}), hasRateLimitKey: false, concurrency: 8 };
  const onBudget = (most: number): unknown => budgets.push(most);
  const { report, waits } = await judged({ wrap: shared, perMinute: 1_000 }, 300, settings, { onBudget });
  assert.equal(budgets, [1_000]);
  assert.not.ok(waits.some(({ why }) => why.includes('limit')));
  assert.ok(report.requests > 300 && report.requests < 600, `${report.requests}`);
  assert.equal([report.settings.maxRequests, report.settings.maxCreates], [report.requests, 201]);
  const note = `${report.requests} of 1,000 requests: the rate limit has no room for more.`;
  assert.equal(report.notes, [note]);
});

test.run();
