/** Claims: what a single answer cannot prove fails only where every look shows it, and waits for nothing else. */

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { RequirementId } from '../../../spec/requirements.ts';
import { findFault } from '../../faults/index.ts';
import { trialSettings } from '../../proof/trial.ts';
import { type Claim, confirm, type Look } from '../../run/confirm.ts';
import type { Session } from '../../run/session.ts';
import type { RunState } from '../../run/suite.ts';
import { manyAnimals } from '../../services/catalogues.ts';
import { findService } from '../../services/index.ts';
import { cache, changePage, lagging, onCreation, showOnly } from '../../services/pages.ts';
import type { Service } from '../../services/service.ts';
import { isListingOrRead, layers } from '../../services/wraps.ts';
import { type Failing, fails } from '../../verdict/finding.ts';
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
    [5, 'pass'],
  ] as const) {
    const made: unknown[] = [];
    const loses = onCreation(({ id }) => void made.push(id));
    const shows = showOnly(({ id }) => !made.slice(before, before + 2).includes(id));
    const { of } = await run({ wrap: layers(loses, shows) });
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

test('a page that shows a later animal is no old copy: its claim waits for a lag alone', async () => {
  for (const [server, verdict, least, most] of [
    [findFault('page-without-sold'), 'fail', 15, 20],
    [findService('half-of-a-page-lags-5000-ms'), 'pass', 1, 20],
    [findFault('page-lacks-the-newest'), 'fail', 60, 70],
  ] as const) {
    const { of, waited } = await run(server, {}, 300);
    assert.is(of('list-complete').verdict, verdict);
    assert.ok(waited >= least && waited <= most, `${waited}`);
  }
});

test('a status that is required and pages that are kept for good are noticed where others have animals', async () => {
  for (const [wrap, count, id, code] of [
    [findFault('creation-needs-a-status').wrap, 10, 'create-answer', 'valid-refused'],
    [cache(Number.POSITIVE_INFINITY, { only: 'listPets' }), 30, 'list-complete', 'animal-missing'],
  ] as const) {
    const { of } = await run({ wrap, animals: manyAnimals(count) }, {}, 300);
    assert.is(of(id).failures[0]?.code, code);
  }
});

for (const [id, most] of [
  ['reference', 0],
  ['pages-of-20', 0],
  ['limit-before-filter', 0],
  ['cache-of-30-s', 70],
  ['reads-lag-3000-ms', 130],
] as const) {
  test(`a run waits for a service that shows animals late, and for no other: ${id}`, async () => {
    const { waited } = await run(findService(id), {}, 300);
    assert.ok(waited <= most && waited > 0 === most > 0, `${waited}`);
  });
}

const tooLong = 'what seems missing was not asked for again, since that takes a wait longer than --max-wait';
const breaking = (id: RequirementId) => fails(id, 'id-missing', { expected: 'an id', received: 'none' }, exchangeOf(7));

/** The looks at a claim that arose so many seconds ago (R: they show room), the waits in seconds, and what is noted. */
async function lookedAt(
  sight: Look['sight'],
  secondsAgo: number,
  requests: number,
  maxWaitMs: number,
  broken: RequirementId | undefined,
) {
  const state = {
    ...{ closedClaims: new Set(), left: new Map(), counterexamples: new Map() },
    ...{ confirmed: [] as Failing[], judge: () => (broken === undefined ? [] : [breaking(broken)]) },
  };
  const waits: number[] = [];
  let [now, looks] = [secondsAgo * 1_000, ''];
  const session = {
    ...{ exchanges: [exchangeOf(7)], settings: trialSettings(60, { maxWaitMs }), clock: { now: () => now } },
    budget: { requestsLeft: () => requests - 3 * looks.length },
    wait: async (ms: number) => {
      now += ms;
      waits.push(ms / 1_000);
    },
  };
  const claim: Claim = {
    ...{ requirement: 'list-complete', key: 'page', since: () => 0, cost: 3 },
    look: async (_session, showsRoom) => {
      looks += showsRoom ? 'R' : '-';
      return { sight, exchanges: [] };
    },
    failures: (all, seconds) => [{ requirement: `${all.length} in ${seconds} s` } as unknown as Failing],
  };
  await confirm(session as unknown as Session, state as unknown as RunState, [claim], true);
  assert.equal(
    [...state.closedClaims],
    looks === '' || sight === 'settled' || (state.left.size > 0 && sight === 'shown') ? [] : ['page'],
  );
  return [looks, waits.join(), ...state.left.values(), ...state.confirmed.map(({ requirement }) => requirement)].join(
    '; ',
  );
}

// A run that fails by proof waits for no claim beyond the settle time, and no wait is longer than --max-wait allows.
test('a claim is looked at while that can be afforded, at least three times, and closed where its control is gone', async () => {
  for (const [sight, secondsAgo, requests, expected, maxWaitMs = 75_000, broken = undefined] of [
    ['moved', 0, 99, 'R; ; animals of this run disappeared by request 7'],
    ['unprovable', 0, 99, 'R; '],
    ['settled', 0, 99, 'R; '],
    ['shown', 0, 99, 'R-----R; 2,3,10,1,46,1; 7 in 63 s'],
    ['shown', 20, 99, 'R-R; 42,1; 3 in 63 s'],
    ['shown', 500, 99, 'R-R; 1; 3 in 501 s'],
    ['shown', 0, 9, 'R-R; 62,1; 3 in 63 s'],
    ['shown', 0, 8, '; '],
    ['shown', 0, 99, 'R-; 2; what seems missing was not asked for again, since the run fails anyway', 75_000, 'pet-id'],
    ['shown', 0, 99, 'R-----R; 2,3,10,1,46,1; 7 in 63 s', 75_000, 'list-limit-refused'],
    ['shown', 0, 99, `R; ; ${tooLong}`, 1_999],
    ['shown', 0, 99, `R-; 2; ${tooLong}`, 2_000],
  ] as const)
    assert.is(await lookedAt(sight, secondsAgo, requests, maxWaitMs, broken), expected);
});

test.run();
