/** Claims: what a single answer cannot prove fails only where every look shows it, and waits for nothing else. */

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { RequirementId } from '../../../spec/requirements.ts';
import { findFault } from '../../faults/index.ts';
import { trialSettings } from '../../proof/trial.ts';
import { BudgetSpent } from '../../run/budget.ts';
import { type Claim, confirm, type Look } from '../../run/confirm.ts';
import type { Session } from '../../run/session.ts';
import type { RunState } from '../../run/suite.ts';
import { manyAnimals } from '../../services/catalogues.ts';
import { findService } from '../../services/index.ts';
import { cache, changePage, lagging, onCreation, showOnly } from '../../services/pages.ts';
import type { Service } from '../../services/service.ts';
import { isListingOrRead, layers } from '../../services/wraps.ts';
import { type Counterexample, type Failing, fails } from '../../verdict/finding.ts';
import type { Settings } from '../../world/settings.ts';
import { judged } from './bench.ts';
import { exchangeOf } from './hand-made.ts';

/** A run, and its waits for what seems missing, seconds. */
async function run(server: Partial<Service>, changes: Partial<Settings> = {}, maxRequests = 60) {
  const seen = await judged(server, maxRequests, { hasRateLimitKey: false, ...changes }, server);
  const waited = seen.waits.filter(({ why }) => why === 'what seems missing may appear');
  return { ...seen, waited: waited.reduce((sum, { ms }) => sum + ms, 0) / 1_000 };
}

test('an animal that was never shown is missing, and not gone, where others are there', async () => {
  for (const [before, ofPages] of [
    [0, 'fail'],
    [5, 'fail'],
  ] as const) {
    const made: unknown[] = [];
    const loses = onCreation(({ id }) => void made.push(id));
    const shows = showOnly(({ id }) => !made.slice(before, before + 2).includes(id));
    const { of } = await run({ wrap: layers(loses, shows) }, {}, 300);
    assert.equal([of('get-answer').verdict, of('list-complete').verdict], ['fail', ofPages]);
  }
});

test('a page that lacks the newest animal fails also where new animals appear after a moment', async () => {
  const lagsAndLacks = layers(
    changePage((page) => page.slice(0, -1)),
    lagging(300, isListingOrRead),
  );
  const { of } = await run({ wrap: lagsAndLacks }, {}, 300);
  const { failures, recheck } = of('list-complete');
  assert.equal([failures[0]?.code, recheck], ['animal-missing', 'fails-again']);
});

test('a catalogue that is replaced in mid-run fails nothing', async () => {
  let shown = 0;
  const replaced = showOnly(({ id }) => ++shown < 60 || Number(id) > 8);
  const { report, of } = await run({ wrap: replaced }, {}, 300);
  assert.equal([of('get-answer').verdict, report.exitCode], ['inconclusive', 0]);
});

test('a claim of pages waits for copies that are a minute old, and animals that appear one by one settle it', async () => {
  for (const [server, verdict, least, most] of [
    [findFault('page-without-sold'), 'fail', 60, 70],
    [findFault('page-lacks-the-newest'), 'fail', 60, 70],
    [findService('half-of-a-page-lags-5000-ms'), 'pass', 1, 70],
    [findService('half-of-a-page-lags-30000-ms'), 'pass', 30, 130],
  ] as const) {
    const { of, waited } = await run(server, {}, 300);
    assert.is(of('list-complete').verdict, verdict);
    assert.ok(waited >= least && waited <= most, `${waited}`);
  }
});

test('a status that is required is noticed where others have animals', async () => {
  const { of } = await run({ wrap: findFault('creation-needs-a-status').wrap, animals: manyAnimals(10) }, {}, 300);
  assert.is(of('create-answer').failures[0]?.code, 'valid-refused');
});

test('pages that are kept for good are noticed where they have shown room, and look like capped ones elsewhere', async () => {
  const keptForGood = cache(Number.POSITIVE_INFINITY, { only: 'listPets' });
  for (const [count, code] of [
    [0, 'animal-missing'],
    [30, undefined],
  ] as const) {
    const { of } = await run({ wrap: keptForGood, animals: manyAnimals(count) }, {}, 300);
    assert.is(of('list-complete').failures[0]?.code, code);
  }
});

for (const [id, most] of [
  ['reference', 0],
  ['pages-of-20', 0],
  ['pages-of-three', 0],
  ['pages-of-two', 0],
  ['pages-of-one', 0],
  ['pages-of-1000-bytes', 0],
  ['pages-of-300-bytes', 0],
  ['limit-before-filter', 0],
  ['cache-of-30-s', 130],
  ['reads-lag-3000-ms', 130],
] as const) {
  test(`a run waits for a service that shows animals late, and for no other: ${id}`, async () => {
    const { waited } = await run(findService(id), {}, 300);
    assert.ok(waited <= most && waited > 0 === most > 0, `${waited}`);
  });
}

const breaking = (id: RequirementId) => fails(id, 'id-missing', { expected: 'an id', received: 'none' }, exchangeOf(7));

interface Scripted {
  readonly key?: string;
  readonly requirement?: RequirementId;
  readonly cost?: number;
  readonly costOfProof?: number;
  readonly takesTime?: boolean;
  /** What each look shows; the last one stands for all that follow. */
  readonly sights?: readonly Look['sight'][];
}

/** A run with these claims: which are looked at (F: first, -: between, L: last), its waits in seconds, and what it notes. */
async function confirmed(
  claims: readonly Scripted[],
  {
    requests = 999,
    maxWaitMs = 75_000,
    broken = [] as readonly RequirementId[],
    closed = [] as readonly string[],
    fails: known = [] as readonly RequirementId[],
    answersTakeMs = 0,
    endsAt = 999,
    error = new BudgetSpent('requests', 60) as Error,
  } = {},
) {
  const waits: number[] = [];
  let looked = '';
  let now = 1_000_000;
  let left = requests;
  let judgedTimes = 0;
  const state = {
    closedClaims: new Set<string>(closed),
    unsettled: new Map<RequirementId, string>(),
    counterexamples: new Map<RequirementId, Counterexample>(),
    confirmed: known.map(breaking) as Failing[],
    judge: () => {
      judgedTimes += 1;
      return broken.map(breaking);
    },
  };
  const session = {
    exchanges: [exchangeOf(3), exchangeOf(5), exchangeOf(7)],
    settings: trialSettings(60, { maxWaitMs }),
    clock: { now: () => now },
    budget: { requestsLeft: () => left },
    wait: async (ms: number) => {
      now += ms;
      waits.push(ms / 1_000);
    },
  };
  const claimOf = (script: Scripted, looks = 0): Claim => {
    const { key = 'a', requirement = 'list-complete', cost = 3, costOfProof = 0, takesTime = true } = script;
    const { sights = ['stands'] } = script;
    const look: Claim['look'] = async (_session, place) => {
      if (looked.length >= endsAt) throw error;
      looked += { first: 'F', between: '-', last: 'L' }[place] + (claims.length > 1 ? key : '');
      left -= cost + (place === 'between' ? 0 : costOfProof);
      now += answersTakeMs;
      const sight = sights[Math.min(looks, sights.length - 1)]!;
      return sight === 'stands' ? { sight, claim: claimOf(script, looks + 1) } : { sight };
    };
    const failures = (seconds: number): readonly Failing[] => {
      const facts = { expected: key, received: `${looks} in ${seconds} s` };
      return [fails(requirement, 'animal-missing', facts, exchangeOf(9), exchangeOf(8))];
    };
    return { requirement, key, since: 1_000_000 - 5_000, takesTime, cost, costOfProof, look, failures };
  };
  const open = claims.map((script) => claimOf(script));
  await confirm(session as unknown as Session, state as unknown as RunState, open);
  return {
    looked,
    waits: waits.join(),
    unsettled: [...state.unsettled.values()].join(),
    closed: [...state.closedClaims].join(),
    failed: state.confirmed.slice(known.length).map(({ failure }) => `${failure.expected}: ${failure.received}`),
    counterexamples: [...state.counterexamples.values()],
    judgedTimes,
    requestsLeft: left,
  };
}

test('a claim that stands is looked at over a minute after its first look, and then fails', async () => {
  const seen = await confirmed([{}]);
  assert.equal([seen.looked, seen.waits, seen.closed], ['F-----L', '2,3,10,1,46,1', 'a']);
  assert.equal(seen.failed, ['a: 7 in 68 s']);
  const [{ finding, exchanges, recheck }] = seen.counterexamples as [Counterexample];
  assert.equal([finding.failure.expected, recheck], ['a', 'fails-again']);
  assert.equal(
    exchanges.map(({ number }) => number),
    [8, 9],
  );
});

test('a moment that has passed while answers were slow needs no look of its own, but the last two do', async () => {
  const { looked, waits } = await confirmed([{}], { answersTakeMs: 20_000 });
  assert.equal([looked, waits], ['F--L', '2,40,1']);
  const slower = await confirmed([{}], { answersTakeMs: 70_000 });
  assert.equal([slower.looked, slower.waits], ['F--L', '2,1']);
});

test('a claim is closed where no later look can show it, and noted where its control is gone', async () => {
  for (const [sight, closed, unsettled] of [
    ['settled', '', ''],
    ['unprovable', 'a', ''],
    ['moved', 'a', 'animals of this run disappeared by request 7'],
  ] as const) {
    for (const before of [0, 1, 5, 6]) {
      const sights = [...Array<'stands'>(before).fill('stands'), sight];
      const seen = await confirmed([{ sights }]);
      assert.equal(
        [seen.looked, seen.closed, seen.unsettled, seen.failed],
        ['F-----L'.slice(0, before + 1), closed, unsettled, []],
      );
      // Nothing is waited for after the look that closes it.
      assert.is(seen.waits, '2,3,10,1,46,1'.split(',').slice(0, before).join());
    }
  }
});

test('a closed claim is not looked at, nor one of a requirement that has failed', async () => {
  assert.is((await confirmed([{}], { closed: ['a'] })).looked, '');
  assert.is((await confirmed([{}], { closed: ['b'] })).looked, 'F-----L');
  assert.is((await confirmed([{}], { fails: ['list-complete'] })).looked, '');
});

test('a claim is looked at while the budget carries it to its end, at least three times', async () => {
  for (const [requests, looked, costOfProof = 0] of [
    [8, ''],
    [9, 'F-L'],
    [11, 'F-L'],
    [12, 'F--L'],
    [21, 'F-----L'],
    [12, '', 2],
    [13, 'F-L', 2],
    [16, 'F--L', 2],
  ] as const) {
    const seen = await confirmed([{ costOfProof }], { requests });
    assert.is(seen.looked, looked, `${requests}`);
    assert.is(seen.failed.length, looked === '' ? 0 : 1);
    assert.ok(seen.requestsLeft >= 0);
  }
});

test('claims share the budget: each requirement has its turn, and what one leaves is for the next', async () => {
  const [one, two, read] = [{ key: 'a' }, { key: 'b' }, { key: 'r', requirement: 'get-answer' }] as const;
  for (const [requests, looked] of [
    [9, 'Fa-aLa'],
    [17, 'Fa-a-a-aLa'],
    [18, 'FaFr-a-rLaLr'],
    [21, 'FaFr-a-a-rLaLr'],
    [24, 'FaFr-a-r-a-rLaLr'],
    [27, 'FaFrFb-a-r-bLaLrLb'],
  ] as const)
    assert.is((await confirmed([one, two, read], { requests })).looked, looked, `${requests}`);
  const settledFirst = await confirmed([{ key: 'a', sights: ['settled'] }, read], { requests: 12 });
  assert.is(settledFirst.looked, 'FaFr-rLr');
  // The first claim of a requirement is the counterexample.
  const { counterexamples, failed } = await confirmed([one, two]);
  assert.equal([counterexamples.length, counterexamples[0]!.finding.failure.expected, failed.length], [1, 'a', 2]);
  const ofEach = await confirmed([one, read]);
  assert.equal(
    ofEach.counterexamples.map(({ finding }) => finding.requirement),
    ['list-complete', 'get-answer'],
  );
});

test('a claim that no time settles is looked at three times at once', async () => {
  const seen = await confirmed([{ takesTime: false }]);
  assert.equal([seen.looked, seen.waits, seen.failed], ['F-L', '', ['a: 3 in 5 s']]);
  assert.is((await confirmed([{ takesTime: false }], { requests: 9 })).looked, 'F-L');
  assert.is((await confirmed([{ takesTime: false }], { requests: 8 })).looked, '');
  assert.is((await confirmed([{ takesTime: false, sights: ['stands', 'settled'] }])).looked, 'F-');
  const both = await confirmed([{ key: 'a' }, { key: 'b', takesTime: false, requirement: 'get-answer' }], {
    requests: 18,
  });
  // It fails the run, which waits for no other claim then.
  assert.is(both.looked, 'Fb-bLbFa');
});

test('a run that fails by proof waits for no claim beyond the settle time, and none beyond --max-wait', async () => {
  const reason = (why: string): string => `what seems missing was not asked for again, since ${why}`;
  const failsAnyway = reason('the run fails anyway');
  const tooLong = reason('that takes a wait longer than --max-wait');
  for (const [options, looked, waits, unsettled] of [
    [{ broken: ['pet-id'] }, 'F-', '2', failsAnyway],
    [{ fails: ['pet-id'] }, 'F-', '2', failsAnyway],
    // What is advised only warns.
    [{ broken: ['list-limit-refused'] }, 'F-----L', '2,3,10,1,46,1', ''],
    [{ maxWaitMs: 1_999 }, 'F', '', tooLong],
    [{ maxWaitMs: 2_000 }, 'F-', '2', tooLong],
    [{ maxWaitMs: 45_999 }, 'F----', '2,3,10,1', tooLong],
    // With nothing to look at before, the whole minute is waited for at once.
    [{ requests: 9, maxWaitMs: 61_999 }, 'F', '', tooLong],
    [{ requests: 9, maxWaitMs: 62_000 }, 'F-L', '62,1', ''],
    [{ requests: 9, broken: ['pet-id'] }, 'F', '', failsAnyway],
  ] as const) {
    const seen = await confirmed([{}], options);
    assert.equal(
      [seen.looked, seen.waits, seen.unsettled, seen.closed],
      [looked, waits, unsettled, unsettled === '' ? 'a' : ''],
    );
  }
  // Judging takes long: a wait that is no longer than the settle time does not need it.
  assert.is((await confirmed([{ sights: ['stands', 'settled'] }])).judgedTimes, 0);
});

test('a budget that ends within a look ends the confirmation without a failure, and any other error is thrown', async () => {
  const { looked, failed } = await confirmed([{}], { endsAt: 3 });
  assert.equal([looked, failed], ['F--', []]);
  const thrown = await confirmed([{}], { endsAt: 3, error: new Error('ours') }).catch(String);
  assert.is(thrown, 'Error: ours');
});

test.run();
