/** Drawn sequences are sent while the budget lasts; what fails in one for the first time is rechecked. */

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { Exchange } from '../../http/exchange.ts';
import { BudgetSpent } from '../../run/budget.ts';
import type { PlannedRequest } from '../../run/planned-request.ts';
import type { Session } from '../../run/session.ts';
import type { RunState } from '../../run/suite.ts';
import { explore } from '../../sections/drawn.ts';
import { fails } from '../../verdict/finding.ts';
import { created, exchangesOf, sessionOf } from './evidence.ts';

const facts = { expected: 'one', received: 'another' };

/** Explores with a budget; `fail` throws at some request. How many were sent, at once, and the sizes of what was judged. */
async function explored(
  budget: number,
  { concurrency = 1, failsAt = Number.POSITIVE_INFINITY, known = [] as readonly string[], isFailing = false } = {},
) {
  const sent: PlannedRequest[] = [];
  const judged: number[] = [];
  let underWay = 0;
  let mostUnderWay = 0;
  const { session: base } = sessionOf([created(5), created(6)], []);
  const send = async (request: PlannedRequest): Promise<Exchange> => {
    if (sent.length >= budget) throw new BudgetSpent('requests', budget);
    sent.push(request);
    if (sent.length === failsAt) throw new Error('a mistake of our own');
    underWay += 1;
    mostUnderWay = Math.max(mostUnderWay, underWay);
    await new Promise((resolve) => setImmediate(resolve));
    underWay -= 1;
    return exchangesOf([{ request }])[0]!;
  };
  const session: Session = {
    ...base,
    send,
    settings: { ...base.settings, concurrency },
    budget: { ...base.budget, requestsLeft: () => budget - sent.length },
  };
  const state = {
    counterexamples: new Map(known.map((id) => [id, {}])),
    judge: (exchanges: readonly Exchange[]) => {
      // The whole record is judged for a recheck alone.
      judged.push(exchanges === session.exchanges ? -1 : exchanges.length);
      const [last] = exchanges;
      return isFailing && exchanges !== session.exchanges
        ? [fails('list-answer', 'unexpected-status', facts, last!)]
        : [];
    },
  } as unknown as RunState;
  await explore(session, state);
  return { sent: sent.length, judged, mostUnderWay };
}

test('one sequence of all pairs comes first, then others, until the budget is spent', async () => {
  const { sent, judged, mostUnderWay } = await explored(100);
  assert.equal([sent, mostUnderWay], [100, 1]);
  // A large body is sent with no bad key.
  const [first = 0, ...others] = judged;
  assert.ok(first > 15 && first <= 24, String(first));
  assert.ok(others.length > 5 && others.every((size) => size <= 12), others.join());
  assert.is(
    judged.reduce((sum, size) => sum + size, 0),
    100,
  );
  assert.equal((await explored(0)).judged, []);
});

test('as many requests are under way as the settings allow', async () => {
  assert.is((await explored(60, { concurrency: 4 })).mostUnderWay, 4);
});

test('a failure is rechecked unless its requirement has a counterexample already', async () => {
  const rechecks = async (options: Parameters<typeof explored>[1]) =>
    (await explored(40, options)).judged.filter((size) => size === -1).length;
  assert.is(await rechecks({}), 0);
  assert.ok((await rechecks({ isFailing: true })) > 0);
  assert.is(await rechecks({ isFailing: true, known: ['list-answer'] }), 0);
});

test('an error that is no spent budget ends the run', async () => {
  try {
    await explored(40, { failsAt: 3 });
    assert.unreachable();
  } catch (error) {
    assert.is((error as Error).message, 'a mistake of our own');
  }
});

test.run();
