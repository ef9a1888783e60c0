/** What is sent side by side: the probes of a rank, never more requests than the settings allow. */

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { Exchange } from '../../http/exchange.ts';
import { trialSettings } from '../../proof/trial.ts';
import type { Session } from '../../run/session.ts';
import type { Check, Probe, ProbeKind, Scenario } from '../../run/suite.ts';
import { conformanceSuite } from '../../sections/index.ts';
import { createClock, inProcess } from '../../services/in-process.ts';
import { handleOf } from '../../services/service.ts';
import type { Settings } from '../../world/settings.ts';
import { list, runOver } from './bench.ts';

function scenario(id: string, run: Scenario['run']): Scenario {
  return { id, rank: 1, verifies: ['list-limit'], run };
}

function listings(id: string, rank: number, count: number): ProbeKind {
  const probe: Probe = { rank, request: () => list };
  return { id, verifies: ['list-answer'], probes: () => Array.from({ length: count }, () => probe) };
}

/** The checks and targets in the order in which requests were sent, and how many were under way at most. */
async function sentBy(checks: readonly Check[], changes: Partial<Settings>, maxRequests = 100) {
  const clock = createClock();
  const exchanges: Exchange[] = [];
  const report = await runOver(inProcess(handleOf({ id: 'server' }), clock), trialSettings(maxRequests, changes), {
    suite: { ...conformanceSuite, checks },
    onExchange: (exchange) => exchanges.push(exchange),
    clock,
  });
  const inOrder = exchanges.toSorted((one, other) => one.sent - other.sent);
  const underWay = inOrder.map(({ sent }) => inOrder.filter((one) => one.sent <= sent && one.answered > sent).length);
  const targets = inOrder.map(({ request }) => request.target);
  return { checks: inOrder.map(({ check }) => check), targets, most: Math.max(...underWay), report };
}

test('no more requests are under way than the settings allow, each under the name of its check', async () => {
  for (const concurrency of [1, 4]) {
    const { checks, most } = await sentBy([listings('a', 1, 5), listings('b', 1, 6)], { concurrency });
    assert.equal([checks.toSorted().join(''), most], ['aaaaabbbbbbpreflight', concurrency]);
  }
});

test('scenarios wait for the probes of their rank and for one another, and what has another rank for all of them', async () => {
  const twice = async (session: Session) => void [await session.send(list), await session.send(list)];
  const first = [scenario('one', twice), scenario('two', twice), listings('a', 1, 4)];
  const { checks } = await sentBy([listings('b', 2, 2), ...first], { concurrency: 8 });
  assert.equal(checks, ['preflight', 'a', 'a', 'a', 'a', 'one', 'one', 'two', 'two', 'b', 'b']);
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
