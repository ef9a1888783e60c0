/** The budget is a bound, and follows the target: larger where its requests cost nothing but a few seconds. */

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { RequirementId } from '../../../spec/requirements.ts';
import { trialSettings } from '../../proof/trial.ts';
import { BudgetSpent, budgetFor, createBudget, raiseBudget } from '../../run/budget.ts';
import { changes, headerNumber, withHeader } from '../../services/wraps.ts';
import { defaultBudget, largeBudget } from '../../world/settings.ts';
import { judged } from './bench.ts';
import { exchangeOf } from './hand-made.ts';

test('a service that accepts everything creates no more animals than the budget allows', async () => {
  for (const [maxCreates, concurrency, status] of [
    [5, 1, 201],
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

test('one creation is kept for a request that must not create, and given back where it did not', () => {
  const budget = createBudget(9, 2);
  budget.spend('may-create');
  assert.is(budget.creationsLeft(), 0);
  assert.throws(() => budget.spend('may-create'), /^the budget of 2 creations is spent; raise --max-creates$/);
  budget.spend('must-not-create');
  assert.throws(
    () => budget.spend('must-not-create'),
    (error: unknown) => error instanceof BudgetSpent,
  );
  budget.giveBackCreation();
  budget.spend('must-not-create');
  budget.spend('cannot-create');
  assert.equal([budget.requests(), budget.creations()], [4, 2]);
});

test('numbers that the user gives win, and a known limit or a choice of requirements allows no larger budget', () => {
  const usual = { maxRequests: 300, maxCreates: 61 };
  const large = { maxRequests: 1_000, maxCreates: 201 };
  for (const [given, budget] of [
    [{}, { ...usual, raisedBudget: large }],
    [{ maxRequests: 60 }, { ...usual, maxRequests: 60 }],
    [{ maxRequests: 1_000 }, large],
    [
      { maxRequests: 5_000, maxCreates: 9 },
      { maxRequests: 5_000, maxCreates: 9 },
    ],
    [{ maxCreates: 5 }, { maxRequests: 300, maxCreates: 5, raisedBudget: { ...large, maxCreates: 5 } }],
    [{ plan: 'free' }, usual],
    [{ plan: 'pro' }, usual],
    [{ ratePerMinute: 999 }, usual],
    [{ only: new Set<RequirementId>() }, usual],
    [{ plan: 'business' }, { ...usual, raisedBudget: large }],
  ] as const) {
    assert.equal(budgetFor(given), budget);
  }
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

/** The budget after sixty answers of a target with these headers, or why it is not the larger one. */
function raisedAfter(answered: Answered) {
  const { limit, remaining, resetsIn = 30, status = 200, takesMs = 7, isDisposable = false } = answered;
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
  const settings = trialSettings(300, { ...budgetFor({}), isDisposable, concurrency: answered.concurrency ?? 1 });
  raiseBudget({ budget, exchanges, settings });
  return budget;
}

const slow = '300 of 1,000 requests: the target answers slowly.';
const limited = (remaining: number) => `300 of 1,000 requests: ${remaining} are left in this window.`;
const rows: Readonly<Record<string, readonly [Answered, 'larger' | 'usual', string?]>> = {
  'a disposable target without headers': [{ isDisposable: true }, 'larger'],
  'a disposable target whose headers describe a day': [
    { limit: 9_999, remaining: 5_000, resetsIn: 9_999, isDisposable: true },
    'larger',
  ],
  'a shared target with room in this minute': [{ limit: 1_000, remaining: 940 }, 'larger'],
  'a target that is slow but for eight at a time': [
    { limit: 1_000, remaining: 940, takesMs: 90, concurrency: 8 },
    'larger',
  ],
  'a shared target without headers': [{}, 'usual'],
  'a Free key': [{ limit: 60, remaining: 10 }, 'usual'],
  'a disposable target with the limit of a Free key': [
    { limit: 60, remaining: 10, isDisposable: true },
    'usual',
    limited(10),
  ],
  'a key that others use up': [{ limit: 1_000, remaining: 900 }, 'usual', limited(900)],
  'a shared target whose headers describe a day': [{ limit: 100_000, remaining: 99_000, resetsIn: 9_999 }, 'usual'],
  'a target that has refused a request': [{ limit: 9_999, remaining: 5_000, status: 429 }, 'usual', limited(5_000)],
  'a slow target': [{ limit: 1_000, remaining: 940, takesMs: 40 }, 'usual', slow],
};
for (const [title, [answered, size, note]] of Object.entries(rows)) {
  test(`${title} gets the ${size} budget`, () => {
    const budget = raisedAfter(answered);
    assert.equal(budget.size(), size === 'larger' ? largeBudget : defaultBudget);
    assert.is(budget.note(), note);
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
  assert.equal(budgets, [300, 1_000]);
  assert.not.ok(waits.some(({ why }) => why.includes('limit')));
  assert.ok(report.requests > 300 && report.requests < 600, `${report.requests}`);
  assert.equal([report.settings.maxRequests, report.settings.maxCreates], [report.requests, 201]);
  const note = `${report.requests} of 1,000 requests: the rate limit has no room for more.`;
  assert.equal(report.notes, [note]);
});

test.run();
