/** What a report is made of: the findings of what was sent, what stopped it, and what it cost. */

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { requirements } from '../../../spec/requirements.ts';
import { trialSettings } from '../../proof/trial.ts';
import { NotStarted } from '../../run/preflight.ts';
import { judgeWork, type RunOptions } from '../../run/run.ts';
import type { Session } from '../../run/session.ts';
import type { Check, RunState } from '../../run/suite.ts';
import { RunStopped } from '../../run/waits.ts';
import { createClock } from '../../services/in-process.ts';
import { fails, holds } from '../../verdict/finding.ts';
import { reason, reasonInWords } from '../../verdict/reasons.ts';
import type { ReportedInteraction } from '../../verdict/report.ts';
import { list } from './bench.ts';

const facts = { expected: 'something', received: 'else' };

/** Fails for the third listing and those after it, and holds for the first two. */
const judgesListings: Check = {
  id: 'judges-listings',
  verifies: ['list-answer'],
  judge: ({ exchanges }) =>
    exchanges.map((one) =>
      one.number > 2 ? fails('list-answer', 'not-an-array', facts, one) : holds('list-answer', one),
    ),
};

const others = requirements
  .filter(({ id, needs }) => id !== 'list-answer' && !needs?.includes('rate-limit-key'))
  .map(({ id }) => id);
/** Every other requirement holds, but for those that need a second key: they are skipped. */
const judgesTheRest: Check = {
  id: 'judges-the-rest',
  verifies: others,
  judge: ({ exchanges }) => others.map((id) => holds(id, exchanges[0]!)),
};

/** Works with a session on a target that lists nothing: the report. */
function worked(
  work: (session: Session, state: RunState) => Promise<void>,
  more: Partial<RunOptions> = {},
  interactions?: readonly ReportedInteraction[],
) {
  const clock = createClock();
  const headers = { 'content-type': 'application/json', 'x-ratelimit-limit': '60' };
  const options: RunOptions = {
    suite: { checks: [judgesListings, judgesTheRest], findCredential: () => undefined },
    settings: trialSettings(60, { hasRateLimitKey: false }),
    keys: { api: 'Worked-Key-4711' },
    clock,
    runTag: 'abc123',
    transport: async () => {
      clock.advance(10);
      return { status: 200, headers, body: new TextEncoder().encode('[]') };
    },
    ...more,
  };
  return judgeWork(options, work, interactions);
}

const listings = (count: number) => async (session: Session) => {
  for (let sent = 0; sent < count; sent += 1) await session.send(list);
};

const stopping = (count: number, error: Error) => async (session: Session) => {
  await listings(count)(session);
  throw error;
};

type Report = Awaited<ReturnType<typeof judgeWork>>;
const verdictOf = ({ requirements }: Report) => {
  const { verdict, evidence, failures } = requirements.find(({ id }) => id === 'list-answer')!;
  return [verdict, evidence, failures.length];
};

test('everything that was sent is judged, and the report says what it took', async () => {
  const report = await worked(listings(3));
  assert.equal(verdictOf(report).slice(0, 1), ['fail']);
  assert.equal([report.requests, report.creates, report.exitCode, report.durationMs], [3, 0, 1, 30]);
  assert.equal([report.settings.maxRequests, report.startedAt], [60, new Date(createClock().now()).toISOString()]);
  assert.is(report.requirements.find(({ id }) => id === 'list-answer')?.recheck, 'not-asked-again');
  assert.is(verdictOf(await worked(listings(2)))[0], 'pass');
});

test('a run that is stopped is judged by what it sent until then, and one that has not started by nothing', async () => {
  const stopped = reason('interrupted', {});
  const late = await worked(stopping(3, new RunStopped(stopped)));
  assert.equal([verdictOf(late)[0], late.exitCode], ['fail', 1]);
  const never = await worked(stopping(3, new NotStarted(stopped)));
  assert.equal([verdictOf(never)[0], never.reason, never.exitCode], ['inconclusive', stopped, 3]);
  assert.is(await worked(stopping(3, new Error('ours'))).catch(String), 'Error: ours');
});

test('what was answered after the key was blocked is not judged', async () => {
  const blockedAfter = (number: number) => new RunStopped(reason('key-blocked', { number }));
  assert.is(verdictOf(await worked(stopping(4, blockedAfter(2))))[0], 'pass');
  assert.is(verdictOf(await worked(stopping(4, blockedAfter(3))))[0], 'fail');
  // A key that has expired refuses as the interface says.
  const expired = new RunStopped(reason('key-expired', { number: 2 }));
  assert.is(verdictOf(await worked(stopping(4, expired)))[0], 'fail');
});

test('the failures that a claim has confirmed count as well', async () => {
  const report = await worked(async (session, state) => {
    const exchange = await session.send(list);
    assert.equal(state.confirmed, []);
    state.confirmed.push(fails('list-answer', 'not-an-array', facts, exchange));
  });
  assert.is(verdictOf(report)[0], 'fail');
});

test('a whole run asks for a served answer of each operation; a choice, or the pacts of consumers, ask for their own', async () => {
  const unserved = /^No request of createPet was served with the API key \(none was sent\)/;
  assert.match(reasonInWords((await worked(listings(2))).reason) ?? '', unserved);
  const verdictOptions = { requiresAll: false, only: new Set(['list-answer'] as const) };
  const chosen = await worked(listings(2), { verdictOptions });
  assert.equal([chosen.exitCode, chosen.requirements.length], [0, 1]);
  const pacts = await worked(listings(2), {}, []);
  assert.not.match(reasonInWords(pacts.reason) ?? '', unserved);
});

test('a run in which everything was served and judged conforms, also with requirements that it skipped', async () => {
  const all = async (session: Session) => {
    await session.send(list);
    await session.send({ ...list, operation: 'createPet', method: 'POST', body: '{"name":"Rex","categoryId":1}' });
    await session.send({ ...list, operation: 'getPet', target: '/pets/1' });
  };
  const held: Check = {
    id: 'held',
    verifies: ['list-answer'],
    judge: ({ exchanges }) => [holds('list-answer', exchanges[0]!)],
  };
  const suite = { checks: [judgesTheRest, held], findCredential: () => undefined };
  assert.is((await worked(all, { suite })).exitCode, 0);
  assert.is((await worked(all, { suite, verdictOptions: { requiresAll: true } })).exitCode, 3);
});

test('a run notes what its budget left out, and how long it waited for a limit', async () => {
  const report = await worked(async (session) => {
    await session.send(list);
    session.budget.bound(1, 60);
  });
  assert.equal(report.notes, ['1 of 60 requests: the rate limit has no room for more.']);
  assert.is(report.settings.maxRequests, 1);
});

test.run();
