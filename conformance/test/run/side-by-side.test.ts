/** What is sent side by side: scenarios that rest on nothing of each other, never more requests than the settings allow. */

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { createPetStore } from '../../../reference-server/index.ts';
import type { Exchange } from '../../http/exchange.ts';
import type { Transport } from '../../http/transport.ts';
import { runInProcess, trialKeys, trialSettings } from '../../proof/trial.ts';
import { createBudget } from '../../run/budget.ts';
import type { PlannedRequest } from '../../run/planned-request.ts';
import { runConformance } from '../../run/run.ts';
import type { Scenario } from '../../run/scenario.ts';
import { createSession, type Session } from '../../run/session.ts';
import { conformanceSuite } from '../../sections/index.ts';
import { createClock } from '../../services/in-process.ts';
import type { Settings } from '../../verdict/settings.ts';

const list: PlannedRequest = { operation: 'listPets', target: '/pets' };

/** A target whose answers take a turn of the event loop, and that counts what is under way. */
function createTarget() {
  const headers = { 'x-ratelimit-limit': '1000', 'x-ratelimit-remaining': '900' };
  let underWay = 0;
  let most = 0;
  const transport: Transport = async () => {
    underWay += 1;
    most = Math.max(most, underWay);
    await new Promise((resolve) => setImmediate(resolve));
    underWay -= 1;
    return { status: 200, headers, body: new TextEncoder().encode('[]') };
  };
  return { transport, most: () => most };
}

function scenario(id: string, rank: Scenario['rank'], count: number, more: Partial<Scenario> = {}): Scenario {
  return {
    id,
    rank,
    title: id,
    verifies: ['list-answer'],
    run: async (session) => void (await session.sendAll(Array.from({ length: count }, () => list))),
    ...more,
  };
}

const beside = { canRunInParallel: true } as const;

/** The checks in the order in which their requests were sent, with how many were under way at most. */
async function sentBy(scenarios: readonly Scenario[], changes: Partial<Settings>, maxRequests = 100) {
  const { transport, most } = createTarget();
  const exchanges: Exchange[] = [];
  const report = await runConformance({
    suite: { ...conformanceSuite, checks: scenarios },
    settings: trialSettings(maxRequests, changes),
    keys: { api: 'A-Key-4711' },
    transport,
    clock: createClock(),
    runTag: 'abc123',
    onExchange: (exchange) => exchanges.push(exchange),
  });
  const inOrder = exchanges.toSorted((one, other) => one.sent - other.sent);
  return { checks: inOrder.map(({ check }) => check), most: most(), report };
}

test('scenarios of a rank that rest on nothing of each other are sent side by side, each under its own name', async () => {
  const { checks, most } = await sentBy([scenario('a', 1, 2, beside), scenario('b', 1, 2, beside)], { concurrency: 8 });
  assert.equal(checks.toSorted(), ['a', 'a', 'b', 'b', 'preflight']);
  assert.is(most, 4);
});

test('no more requests are under way than the settings allow, whoever sends them', async () => {
  const three = ['a', 'b', 'c'].map((id) => scenario(id, 1, 5, beside));
  const { checks, most } = await sentBy(three, { concurrency: 4 });
  assert.is(checks.length, 16);
  assert.is(most, 4);
});

test('one at a time, a scenario is carried out before the next', async () => {
  const { checks, most } = await sentBy([scenario('a', 1, 2, beside), scenario('b', 1, 2, beside)], { concurrency: 1 });
  assert.ok(/^preflight,(a,a,b,b|b,b,a,a)$/.test(checks.join()), checks.join());
  assert.is(most, 1);
});

test('a scenario that is not marked waits for those of its rank, and one of another rank for all of them', async () => {
  const { checks } = await sentBy(
    [scenario('a', 1, 2), scenario('b', 1, 2, beside), scenario('c', 1, 2, beside), scenario('d', 2, 2, beside)],
    { concurrency: 8 },
  );
  assert.equal(checks.slice(5), ['a', 'a', 'd', 'd']);
});

test('with few requests left each scenario has its own first', async () => {
  const two = [scenario('a', 1, 20, beside), scenario('b', 1, 20, beside)];
  const { checks } = await sentBy(two, { concurrency: 8 }, 30);
  assert.is(Math.max(checks.indexOf('a'), checks.indexOf('b')), 21);
  assert.is(checks.length, 30);
  const { checks: ofMore } = await sentBy(two, { concurrency: 8 }, 31);
  assert.ok(Math.max(ofMore.indexOf('a'), ofMore.indexOf('b')) < 20);
});

test('a scenario that throws is reported, and its neighbours are carried out', async () => {
  const failing = scenario('a', 1, 0, {
    ...beside,
    verifies: ['list-limit'],
    run: () => Promise.reject(new Error('ours')),
  });
  const { checks, report } = await sentBy([failing, scenario('b', 1, 2, beside)], { concurrency: 8 });
  assert.equal(checks, ['preflight', 'b', 'b']);
  assert.is(report.requirements.find(({ id }) => id === 'list-limit')?.verdict, 'error');
});

test('requests that go out together are not bound by concurrency', async () => {
  const { transport, most } = createTarget();
  const settings = trialSettings(20, { concurrency: 1 });
  const session: Session = createSession({
    settings,
    keys: { api: 'A-Key-4711' },
    transport,
    clock: createClock(),
    budget: createBudget(20, 0),
    runTag: 'abc123',
  });
  await session.send(list);
  await session.sendTogether([list, list, list]);
  assert.is(most(), 3);
});

/** All that a run sends, whatever its order. */
async function sentAt(concurrency: number): Promise<readonly string[]> {
  const sent: string[] = [];
  await runInProcess(createPetStore({ keys: trialKeys }).handle, trialSettings(60, { plan: 'business', concurrency }), {
    onExchange: ({ check, request: { method, target }, credential }) =>
      sent.push([check, method, target, credential.id].join(' ')),
  });
  return sent.toSorted();
}

test('eight at a time the same sixty requests are sent as one at a time', async () => {
  assert.equal(await sentAt(8), await sentAt(1));
});

test.run();
