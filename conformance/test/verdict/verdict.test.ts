/** What is found becomes one verdict a requirement, and none of them says more than the evidence. */

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { removalOfGetPet } from '../../../spec/facts.ts';
import type { RequirementId } from '../../../spec/requirements.ts';
import { trialSettings } from '../../proof/trial.ts';
import { type Finding, fails, holds } from '../../verdict/finding.ts';
import { reason } from '../../verdict/reasons.ts';
import {
  applyWaiver,
  judgeRequirements,
  type RequirementVerdict,
  type RunFacts,
  type Verdict,
  type Waiver,
  type WaiverState,
} from '../../verdict/verdict.ts';
import type { Settings } from '../../world/settings.ts';
import { exchangeOf } from '../run/hand-made.ts';

const [first, second, third] = [exchangeOf(1), exchangeOf(2), exchangeOf(3)];

function judge(
  id: RequirementId,
  findings: readonly Finding[],
  { settings, ...facts }: Omit<Partial<RunFacts>, 'settings'> & { readonly settings?: Partial<Settings> } = {},
): Omit<RequirementVerdict, 'id' | 'section' | 'level' | 'text'> {
  const run = { settings: trialSettings(60, settings), ...facts };
  const verdicts = judgeRequirements(findings, run);
  const { id: _id, section: _section, level: _level, text: _text, ...verdict } = verdicts.find((one) => one.id === id)!;
  return verdict;
}

const held = [holds('pet-id', first, second), holds('pet-id', second), holds('pet-name', third)];
const missing = fails('pet-id', 'id-missing', { expected: 'an id', received: 'none' }, third);
const ended = reason('interrupted', {});
const note = { notes: new Map([['pet-id', 'no animal was listed']] as const) };
const broken = { errors: new Map([['pet-id', 'TypeError: x']] as const) };
const open = { unsettled: new Map([['pet-id', 'a claim was left']] as const) };

/** Findings and facts of a run, and the verdict on pet-id with its evidence, the number of its failures, and its reason. */
const rows: readonly (readonly [string, readonly Finding[], Partial<RunFacts>, ...unknown[]])[] = [
  ['each exchange that shows it counts once', held, {}, 'pass', 2, 0],
  ['one failure is enough, shown by its exchanges alone', [...held, missing], {}, 'fail', 1, 1],
  ['what holds in no exchange is open', [holds('pet-id')], {}, 'inconclusive', 0, 0, 'no answer showed it'],
  ['a note says why nothing was shown', [], { ...note, ended }, 'inconclusive', 0, 0, 'no animal was listed'],
  ['or the end of the run', [], { ended }, 'inconclusive', 0, 0, 'The run was interrupted.'],
  ['a claim that was left leaves it open', held, open, 'inconclusive', 2, 0, 'a claim was left'],
  ['a check that broke is our error, whatever others saw', held, broken, 'error', 2, 0, 'TypeError: x'],
  ['unless it fails', [missing], broken, 'fail', 1, 1],
];

for (const [what, findings, facts, ...expected] of rows) {
  test(what, () => {
    const { verdict, evidence, failures, reason: why } = judge('pet-id', findings, facts as never);
    assert.equal([verdict, evidence, failures.length, ...(why === undefined ? [] : [why])], expected);
  });
}

test('a failed advised requirement warns, and the error of another check changes nothing', () => {
  const failure = fails('list-limit-refused', 'not-refused', { expected: 'an Error', received: 'a page' }, first);
  assert.equal(judge('list-limit-refused', [failure]), {
    verdict: 'warn',
    evidence: 1,
    failures: [failure],
    holding: [],
  });
  assert.is(judge('pet-name', held, broken).verdict, 'pass');
});

const noSecondKey = 'set PETSTORE_RATE_LIMIT_KEY to a key that may be exhausted';

/** What a user did not give or a day took away, and what is said of a requirement that needs it. */
const excuses: readonly (readonly [RequirementId, Partial<Settings>, RequirementVerdict['verdict'], string])[] = [
  ['service-staging-paths', {}, 'not-applicable', 'A run judges one base address; run the kit against each.'],
  ['get-answer', { today: removalOfGetPet }, 'not-applicable', 'getPet is removed from 5 December 2030 on'],
  ['get-answer', { today: removalOfGetPet - 1 }, 'inconclusive', 'no answer showed it'],
  ['rate-exceeded', { hasRateLimitKey: false }, 'skipped', noSecondKey],
  ['rate-exceeded', {}, 'inconclusive', 'no answer showed it'],
  ['create-answer', { isReadOnly: true }, 'skipped', 'the run is read-only'],
  ['create-answer', {}, 'inconclusive', 'no answer showed it'],
  ['rate-limit-plan', {}, 'skipped', 'name the plan of the key with --plan'],
  ['rate-limit-plan', { plan: 'enterprise' }, 'not-applicable', 'the limits of the Enterprise plan are custom'],
  ['rate-limit-plan', { plan: 'pro' }, 'inconclusive', 'no answer showed it'],
  ['pet-id', { isReadOnly: true, hasRateLimitKey: false }, 'inconclusive', 'no answer showed it'],
];

for (const [id, settings, verdict, reason] of excuses) {
  test(`${id} without evidence is ${verdict}: ${reason}, with ${JSON.stringify(settings)}`, () => {
    assert.equal(judge(id, [], { settings }), { verdict, evidence: 0, failures: [], holding: [], reason });
  });
}

test('an exchange that shows the requirement counts, even where it could have been skipped', () => {
  const settings = { isReadOnly: true };
  assert.is(judge('create-answer', [holds('create-answer', first)], { settings }).verdict, 'pass');
});

const waiver: Waiver = { reason: 'mended in 2.0', owner: 'pets team', expires: '2026-11-21' };
const itsDay = Date.UTC(2026, 10, 21);
const dayAfter = Date.UTC(2026, 10, 22);

const states: Readonly<Record<Verdict, WaiverState>> = {
  fail: 'waived',
  warn: 'waived',
  pass: 'stale',
  inconclusive: 'unused',
  skipped: 'unused',
  'not-applicable': 'unused',
  error: 'unused',
};

for (const [verdict, state] of Object.entries(states) as [Verdict, WaiverState][]) {
  test(`the waiver of a verdict of ${verdict} is ${state} until the end of its last day, then expired`, () => {
    assert.equal(applyWaiver(waiver, verdict, itsDay), { ...waiver, state });
    assert.equal(applyWaiver(waiver, verdict, dayAfter - 1), { ...waiver, state });
    assert.is(applyWaiver(waiver, verdict, dayAfter).state, 'expired');
  });
}

test('a waiver that names ways of failing covers no other', () => {
  const covering = { ...waiver, covers: ['accepted: with categoryId beyond int64', 'missing: on 401'] };
  const stateFor = (...ways: readonly string[]): WaiverState => applyWaiver(covering, 'fail', itsDay, ways).state;
  assert.equal([stateFor('missing: on 401'), stateFor(...covering.covers)], ['waived', 'waived']);
  assert.equal(
    [stateFor('missing: on 401', 'missing: on 404'), stateFor('accepted: with categoryId null')],
    ['exceeded', 'exceeded'],
  );
  assert.is(applyWaiver(waiver, 'fail', itsDay, ['any: other']).state, 'waived');
  assert.is(applyWaiver(covering, 'pass', itsDay, []).state, 'stale');
  assert.is(applyWaiver(covering, 'fail', dayAfter, ['any: other']).state, 'expired');
});

test.run();
