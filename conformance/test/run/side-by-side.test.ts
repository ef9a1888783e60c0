/** What is sent side by side: the probes of a rank, never more requests than the settings allow. */

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { Exchange } from '../../http/exchange.ts';
import type { Transport } from '../../http/transport.ts';
import { trialSettings } from '../../proof/trial.ts';
import type { Check, Probe, ProbeKind, Scenario } from '../../run/suite.ts';
import { conformanceSuite } from '../../sections/index.ts';
import type { Settings } from '../../world/settings.ts';
import { list, runOver } from './bench.ts';

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

function scenario(id: string, run: Scenario['run']): Scenario {
  return { id, rank: 1, verifies: ['list-limit'], run };
}

function listings(id: string, rank: number, count: number): ProbeKind {
  const probe: Probe = { rank, request: () => list };
  return { id, verifies: ['list-answer'], probes: () => Array.from({ length: count }, () => probe) };
}

/** The checks in the order in which their requests were sent, with how many were under way at most. */
async function sentBy(checks: readonly Check[], changes: Partial<Settings>, maxRequests = 100) {
  const { transport, most } = createTarget();
  const exchanges: Exchange[] = [];
  const report = await runOver(transport, trialSettings(maxRequests, changes), {
    suite: { ...conformanceSuite, checks },
    onExchange: (exchange) => exchanges.push(exchange),
  });
  const inOrder = exchanges.toSorted((one, other) => one.sent - other.sent);
  const targets = inOrder.map(({ request }) => request.target);
  return { checks: inOrder.map(({ check }) => check), targets, most: most(), report };
}

test('no more requests are under way than the settings allow, each under the name of its check', async () => {
  for (const concurrency of [1, 4]) {
    const { checks, most } = await sentBy([listings('a', 1, 5), listings('b', 1, 6)], { concurrency });
    assert.equal(Object.fromEntries([...Map.groupBy(checks, (id) => id)].map(([id, all]) => [id, all.length])), {
      preflight: 1,
      a: 5,
      b: 6,
    });
    assert.is(most, concurrency);
  }
});

test('a scenario waits for the probes of its rank, and what has another rank for all of them', async () => {
  const after = scenario(
    'after',
    async (session) => void (await Promise.all([session.send(list), session.send(list)])),
  );
  const { checks } = await sentBy([after, listings('a', 1, 4), listings('b', 2, 2)], { concurrency: 8 });
  assert.equal(checks, ['preflight', 'a', 'a', 'a', 'a', 'after', 'after', 'b', 'b']);
});

test('with few requests left they are sent one by one', async () => {
  const mostOf = async (maxRequests: number) =>
    (await sentBy([listings('a', 1, 40)], { concurrency: 8 }, maxRequests)).most;
  assert.equal([await mostOf(30), await mostOf(31)], [1, 8]);
});

test('rows of one rank come in a drawn order, each once, and one that lacks what it needs after others have brought it', async () => {
  const probes = Array.from({ length: 9 }, (_nothing, at): Probe => {
    const request = { ...list, target: `/pets?limit=${at + 1}` };
    return { rank: 1, request: ({ exchanges }) => (at === 4 && exchanges.length < 9 ? undefined : request) };
  });
  const kind: ProbeKind = { id: 'a', verifies: ['list-answer'], probes: () => probes };
  const orders = await Promise.all(
    [1, 2].map(async (seed) => (await sentBy([kind], { seed, concurrency: 1 })).targets.slice(1)),
  );
  for (const order of orders) {
    assert.equal(order.toSorted(), probes.map((_probe, at) => `/pets?limit=${at + 1}`).toSorted());
    assert.is(order.at(-1), '/pets?limit=5');
  }
  assert.not.equal(orders[0], orders[1]);
});

test('a scenario that throws is reported, and the others are carried out', async () => {
  const failing = scenario('failing', () => Promise.reject(new Error('ours')));
  const { checks, report } = await sentBy([failing, listings('b', 2, 2)], { concurrency: 8 });
  assert.equal(checks, ['preflight', 'b', 'b']);
  assert.is(report.requirements.find(({ id }) => id === 'list-limit')?.verdict, 'error');
});

test.run();
