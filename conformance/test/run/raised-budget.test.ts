/** The budget follows the target: larger where its requests cost nothing but a few seconds, and never worth a wait. */

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { RequirementId } from '../../../spec/requirements.ts';
import { runInProcess, trialSettings } from '../../proof/trial.ts';
import { createBudget } from '../../run/budget.ts';
import { budgetFor, raiseBudget } from '../../run/raised-budget.ts';
import { handleOf } from '../../services/index.ts';
import { type BudgetSize, defaultBudget, largeBudget } from '../../verdict/settings.ts';
import { exchangeOf } from './hand-made.ts';

test('numbers that the user gives win, and a known limit or a choice of requirements allows no larger budget', () => {
  const usual = { maxRequests: 300, maxCreates: 61 };
  assert.equal(budgetFor({}), { ...usual, raisedBudget: { maxRequests: 1_000, maxCreates: 201 } });
  assert.equal(budgetFor({ maxRequests: 60 }), { ...usual, maxRequests: 60 });
  assert.equal(budgetFor({ maxRequests: 300 }), usual);
  assert.equal(budgetFor({ maxRequests: 5_000, maxCreates: 9 }), { maxRequests: 5_000, maxCreates: 9 });
  const many = { maxRequests: 5_000, maxCreates: 61 };
  assert.equal(budgetFor({ maxRequests: 5_000 }), { ...many, raisedBudget: { ...many, maxCreates: 201 } });
  const few = { maxRequests: 1_000, maxCreates: 5 };
  assert.equal(budgetFor({ maxCreates: 5 }), { ...few, maxRequests: 300, raisedBudget: few });
  for (const limit of [
    { plan: 'free' },
    { plan: 'pro' },
    { ratePerMinute: 999 },
    { only: new Set<RequirementId>() },
  ] as const) {
    assert.equal(budgetFor(limit), usual);
  }
  for (const plan of ['business', 'enterprise'] as const) assert.ok(budgetFor({ plan }).raisedBudget !== undefined);
});

interface Answered {
  readonly limit?: number;
  readonly remaining?: number;
  /** Seconds from the last answer. */
  readonly resetsIn?: number;
  readonly status?: number;
  readonly takesMs?: number;
  readonly isDisposable?: boolean;
  readonly concurrency?: number;
}

/** The budget after sixty answers of a target, the last with these headers. */
function raisedAfter(answered: Answered): BudgetSize {
  const {
    limit,
    remaining,
    resetsIn = 30,
    status = 200,
    takesMs = 7,
    isDisposable = false,
    concurrency = 1,
  } = answered;
  const exchanges = Array.from({ length: 60 }, (_nothing, at) => {
    const { startedAt } = exchangeOf(at);
    const headers = {
      'x-ratelimit-limit': String(limit),
      'x-ratelimit-remaining': String(remaining),
      'x-ratelimit-reset': String(Math.floor(startedAt / 1000) + resetsIn),
    };
    const response = { status: at === 40 ? status : 200, headers: limit === undefined ? {} : headers, body: '[]' };
    return exchangeOf(at, { response, endedAt: startedAt + takesMs });
  });
  const budget = createBudget(300, 61);
  for (const _sent of exchanges) budget.spend('cannot-create');
  raiseBudget({ budget, exchanges, settings: trialSettings(300, { ...budgetFor({}), isDisposable, concurrency }) });
  return budget.size();
}

const raised: readonly (readonly [string, Answered])[] = [
  ['a disposable target without headers', { isDisposable: true }],
  ['a disposable target with room', { limit: 1_000, remaining: 945, isDisposable: true }],
  [
    'a disposable target whose headers describe a day',
    { limit: 9_999, remaining: 5_000, resetsIn: 9_999, isDisposable: true },
  ],
  ['a shared target with room in this minute', { limit: 1_000, remaining: 940 }],
  [
    'a target that is slow for one request at a time and not for eight',
    { limit: 1_000, remaining: 940, takesMs: 90, concurrency: 8 },
  ],
];
for (const [title, answered] of raised) {
  test(`${title} gets the larger budget`, () => assert.equal(raisedAfter(answered), largeBudget));
}

const kept: readonly (readonly [string, Answered])[] = [
  ['a shared target without headers', {}],
  ['a Free key', { limit: 60, remaining: 10 }],
  ['a disposable target with the limit of a Free key', { limit: 60, remaining: 10, isDisposable: true }],
  ['a key that others use up', { limit: 1_000, remaining: 900, isDisposable: true }],
  ['a shared target whose headers describe a day', { limit: 100_000, remaining: 99_000, resetsIn: 9_999 }],
  ['a target that has refused a request', { limit: 9_999, remaining: 5_000, status: 429, isDisposable: true }],
  ['a slow target', { limit: 1_000, remaining: 940, takesMs: 40, isDisposable: true }],
];
for (const [title, answered] of kept) {
  test(`${title} keeps the usual budget`, () => assert.equal(raisedAfter(answered), defaultBudget));
}

for (const concurrency of [1, 8]) {
  test(`with ${concurrency} at a time, a raised budget ends where it would wait for the limit, and the report says so`, async () => {
    const waits: string[] = [];
    const settings = trialSettings(300, { ...budgetFor({}), hasRateLimitKey: false, concurrency });
    const handle = handleOf({ id: 'busy', perMinute: 1_000 }, 1);
    let asked = 0;
    // From the 301st request on, another client uses the key three times as fast.
    const shared: typeof handle = (request, now) => {
      const answer = handle(request, now);
      asked += 1;
      const left = Number(answer.headers['X-RateLimit-Remaining']) - 3 * Math.max(0, asked - 300);
      return { ...answer, headers: { ...answer.headers, 'X-RateLimit-Remaining': String(Math.max(0, left)) } };
    };
    const report = await runInProcess(shared, settings, { onWait: (_ms, why) => void waits.push(why) });
    assert.equal(
      waits.filter((why) => why.includes('limit')),
      [],
    );
    assert.ok(report.requests > 300 && report.requests < 600, `${report.requests}`);
    assert.is(report.settings.maxRequests, report.requests);
    assert.is(report.settings.maxCreates, 201);
  });
}

test.run();
