/** The budget is a bound: nothing is created beyond it, whatever a target accepts, and what it cost is said. */

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { createPetStore } from '../../../reference-server/index.ts';
import { runInProcess, trialKeys, trialSettings } from '../../proof/trial.ts';
import { BudgetSpent, createBudget } from '../../run/budget.ts';
import { budgetFor, raiseBudget } from '../../run/raised-budget.ts';
import { handleOf } from '../../services/index.ts';
import { exchangeOf } from './hand-made.ts';

/** A service that creates an animal from whatever is posted, and counts them. */
function takesAnything() {
  const { handle } = createPetStore({ keys: trialKeys });
  let created = 0;
  return {
    created: () => created,
    handle: ((request, now) => {
      const answer = handle(request, now);
      if (request.method !== 'POST') return answer;
      created += 1;
      return { ...answer, status: 201, body: `{"id":${created},"name":"x","categoryId":1,"status":"available"}` };
    }) as typeof handle,
  };
}

for (const [maxCreates, concurrency] of [
  [5, 1],
  [5, 8],
  [1, 1],
  [0, 1],
] as const) {
  test(`a service that accepts everything creates at most ${maxCreates} animals, ${concurrency} requests at a time`, async () => {
    const { handle, created } = takesAnything();
    const report = await runInProcess(handle, trialSettings(300, { maxCreates, concurrency }));
    assert.is(created(), maxCreates);
    assert.is(report.creates, maxCreates);
    assert.is(report.verdict, maxCreates === 0 ? 'inconclusive' : 'does-not-conform');
  });
}

test('a refused creation costs nothing, and its requirements are judged when no animal may be created any more', async () => {
  const report = await runInProcess(handleOf({ id: 'plain' }), trialSettings(60, { maxCreates: 2 }));
  const verdicts = new Map(report.requirements.map(({ id, verdict }) => [id, verdict]));
  assert.is(report.creates, 1);
  assert.equal(
    ['create-required-fields', 'create-invalid-values', 'auth-missing-key'].map((id) => verdicts.get(id as 'pet-id')),
    ['pass', 'pass', 'pass'],
  );
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

for (const [title, limit, isDisposable, unused] of [
  ['a limit with too little left', 1_000, true, { maxRequests: 1_000, why: 'rate-limit', remaining: 923 }],
  [
    'the limit of a Free key, on a disposable target',
    60,
    true,
    { maxRequests: 1_000, why: 'rate-limit', remaining: 13 },
  ],
  ['the limit of a Free key, on a shared target', 60, false, undefined],
] as const) {
  test(`the report says why the larger budget was not spent: ${title}`, async () => {
    const settings = trialSettings(300, { ...budgetFor({}), isDisposable, hasRateLimitKey: false });
    const handle = handleOf({ id: 'limited', perMinute: limit }, 1);
    const shared: typeof handle = (request, now) => {
      const answer = handle(request, now);
      if (limit !== 1_000) return answer;
      // Another client has used thirty of the requests.
      const left = Number(answer.headers['X-RateLimit-Remaining']) - 30;
      return { ...answer, headers: { ...answer.headers, 'X-RateLimit-Remaining': String(Math.max(0, left)) } };
    };
    const report = await runInProcess(shared, settings);
    assert.equal(report.unusedBudget, unused);
  });
}

test('a slow target is a reason as well, and one without headers that is shared is none', () => {
  const after = (takesMs: number, isDisposable: boolean) => {
    const exchanges = Array.from({ length: 60 }, (_nothing, at) => {
      const exchange = exchangeOf(at);
      return { ...exchange, endedAt: exchange.startedAt + takesMs };
    });
    const settings = trialSettings(300, { ...budgetFor({}), isDisposable });
    return raiseBudget({ budget: createBudget(300, 61), exchanges, settings });
  };
  assert.equal(after(60, true), { maxRequests: 1_000, why: 'slow' });
  assert.is(after(1, true), undefined);
  assert.is(after(60, false), undefined);
});

test.run();
