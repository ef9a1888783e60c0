/** Claims: what a single answer cannot prove fails only where every look shows it, and waits for nothing else. */

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { createPetStore } from '../../../reference-server/index.ts';
import { findFault } from '../../faults/index.ts';
import { runInProcess, trialKeys, trialSettings } from '../../proof/trial.ts';
import { type Claim, confirm } from '../../run/confirm.ts';
import type { Session } from '../../run/session.ts';
import type { RunState } from '../../run/suite.ts';
import { services } from '../../services/index.ts';
import { changePage } from '../../services/pages.ts';
import { handleOf } from '../../services/service.ts';
import { keysOfTrials, layers, type Wrap } from '../../services/wraps.ts';
import { sentenceOf } from '../../verdict/finding.ts';
import type { Report } from '../../verdict/report.ts';
import type { Settings } from '../../world/settings.ts';
import { exchangeOf } from './hand-made.ts';

interface Run {
  readonly report: Report;
  /** The waits for what seems missing, seconds. */
  readonly waited: number;
}

async function run(wrap: Wrap | string, changes: Partial<Settings> = {}, maxRequests = 60): Promise<Run> {
  const service = typeof wrap === 'string' ? services.find(({ id }) => id === wrap) : undefined;
  const handle =
    typeof wrap === 'string' ? handleOf(service!) : wrap(createPetStore({ keys: trialKeys }).handle, keysOfTrials);
  let ms = 0;
  const onWait = (waitMs: number, why: string): void => {
    if (why === 'what seems missing may appear') ms += waitMs;
  };
  const settings = trialSettings(maxRequests, { hasRateLimitKey: false, ...changes });
  return { report: await runInProcess(handle, settings, { ...service, onWait }), waited: ms / 1000 };
}

const verdictOf = ({ report }: Run, id: string): string => report.requirements.find((one) => one.id === id)!.verdict;

function failureOf({ report }: Run, id: string): string {
  const failure = report.requirements.find((one) => one.id === id)?.failures[0];
  return failure === undefined ? '' : sentenceOf(failure);
}

const fault = (id: string): Wrap => findFault(id).wrap;

/** Pages without the first animal of the store, unless they are by status. */
const lacksOne = changePage((page, { query }) => (query.has('status') ? undefined : page.slice(1)));

test('a page that lacks an animal fails after the longest copy, or soon if it shows a newer one and is none', async () => {
  for (const [wrap, until, least, most] of [
    [lacksOne, '5', 4, 10],
    [fault('page-lacks-the-newest'), '6\\d', 60, 75],
  ] as const) {
    const seen = await run(wrap);
    assert.is(verdictOf(seen, 'list-complete'), 'fail');
    const sentence = `^expected the animal \\d+ from GET /pets\\?limit=100, a page with room for 100, received \\d animals? without it.*, \\d times, until ${until} s after its creation$`;
    assert.match(failureOf(seen, 'list-complete'), new RegExp(sentence));
    assert.ok(seen.waited >= least && seen.waited < most, `${seen.waited}`);
  }
});

for (const id of ['pages-of-20', 'filtered-pages-of-5-newest-first']) {
  test(`a legal service that caps or cuts its pages makes no run wait: ${id}`, async () => {
    const seen = await run(id, {}, 300);
    assert.is(seen.report.exitCode, 0);
    assert.is(seen.waited, 0);
  });
}

for (const id of ['cache-of-30-s', 'reads-lag-3000-ms']) {
  test(`a service that shows animals late conforms, and the run waits until it does: ${id}`, async () => {
    const seen = await run(id, {}, 300);
    assert.is(seen.report.exitCode, 0);
    assert.ok(seen.waited > 0 && seen.waited < 130, `${seen.waited}`);
  });
}

test('a run on a service that shows everything at once waits for nothing', async () => {
  assert.is((await run((handle) => handle, {}, 300)).waited, 0);
});

test('a claim whose control is gone is closed, and the requirement says that animals disappeared', async () => {
  const state = { closedClaims: new Set<string>(), notes: new Map<string, string>(), confirmed: [] };
  const session = { exchanges: [exchangeOf(7)], budget: { requestsLeft: () => 9 }, settings: trialSettings(60) };
  const claim = {
    ...{ requirement: 'list-complete', key: 'page', since: 0, cost: 3 },
    look: () => Promise.resolve({ sight: 'moved', exchanges: [] }),
  } as unknown as Claim;
  await confirm(session as unknown as Session, state as unknown as RunState, [claim]);
  assert.equal([...state.notes], [['list-complete', 'animals of this run disappeared by request 7']]);
  assert.equal([...state.closedClaims], ['page']);
});

test('a run that fails by proof waits for no claim, and says that it left it open', async () => {
  const seen = await run(layers(lacksOne, fault('missing-key-answers-200')));
  assert.is(seen.report.exitCode, 1);
  assert.ok(seen.waited <= 4, `${seen.waited}`);
  const list = seen.report.requirements.find(({ id }) => id === 'list-complete')!;
  assert.is(list.verdict, 'inconclusive');
  assert.match(list.reason!, /not asked for again, since the run fails anyway/);
});

test('no look is longer than --max-wait allows', async () => {
  const seen = await run(lacksOne, { maxWaitMs: 1_000 });
  assert.is.not(verdictOf(seen, 'list-complete'), 'fail');
  assert.ok(seen.waited <= 1, `${seen.waited}`);
  const list = seen.report.requirements.find(({ id }) => id === 'list-complete')!;
  assert.match(list.reason!, /not asked for again, since that takes a wait longer than --max-wait/);
});

test.run();
