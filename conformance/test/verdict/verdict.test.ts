/** What is found becomes one verdict a requirement, and none of them says more than the evidence. */

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { removalOfGetPet } from '../../../spec/facts.ts';
import { type RequirementId, requirements } from '../../../spec/requirements.ts';
import { trialSettings } from '../../proof/trial.ts';
import { type Finding, fails, holds } from '../../verdict/finding.ts';
import { reason } from '../../verdict/reasons.ts';
import { judgeRequirements, type RequirementVerdict, type RunFacts } from '../../verdict/verdict.ts';
import type { Settings } from '../../world/settings.ts';
import { exchangeOf } from '../run/hand-made.ts';

const [first, second, third] = [exchangeOf(1), exchangeOf(2), exchangeOf(3)];

function judge(
  id: RequirementId,
  findings: readonly Finding[],
  { settings, ...facts }: Omit<Partial<RunFacts>, 'settings'> & { readonly settings?: Partial<Settings> } = {},
): Omit<RequirementVerdict, 'requirement'> {
  const run = { settings: trialSettings(60, settings), notes: new Map(), errors: new Map(), ...facts };
  const verdicts = judgeRequirements(findings, run);
  const { requirement, ...verdict } = verdicts.find((one) => one.requirement.id === id)!;
  return verdict;
}

test('every requirement gets one verdict, in the order of the interface', () => {
  const verdicts = judgeRequirements([], { settings: trialSettings(60), notes: new Map(), errors: new Map() });
  assert.equal(
    verdicts.map(({ requirement }) => requirement),
    [...requirements],
  );
});

test('a requirement passes with the number of exchanges that show it, each counted once', () => {
  const findings = [holds('pet-id', first, second), holds('pet-id', second), holds('pet-name', third)];
  assert.equal(judge('pet-id', findings), { verdict: 'pass', evidence: 2, failures: [] });
});

test('one failure fails the requirement, by the exchanges that show it and no others', () => {
  const failure = fails('pet-id', 'id-missing', { expected: 'an id', received: 'none' }, third);
  const findings = [holds('pet-id', first, second), failure];
  assert.equal(judge('pet-id', findings), { verdict: 'fail', evidence: 1, failures: [failure] });
});

test('a failed advised requirement warns', () => {
  const failure = fails('list-limit-refused', 'not-refused', { expected: 'an Error', received: 'a page' }, first);
  assert.equal(judge('list-limit-refused', [failure]), { verdict: 'warn', evidence: 1, failures: [failure] });
});

test('nothing is concluded where nothing was shown: the note says why, or the end of the run, or nothing does', () => {
  const notes = new Map([['pet-id', 'no animal was listed']] as const);
  const verdict = { verdict: 'inconclusive', evidence: 0, failures: [] };
  const ended = reason('interrupted', {});
  assert.equal(judge('pet-id', [], { notes, ended }), { ...verdict, reason: 'no animal was listed' });
  assert.equal(judge('pet-id', [], { ended }), { ...verdict, reason: 'The run was interrupted.' });
  assert.equal(judge('pet-id', []), { ...verdict, reason: 'no answer showed it' });
});

test('what holds in no exchange, and a claim that was not carried to its end, leave a requirement open', () => {
  const left = new Map([['pet-id', 'a claim was left']] as const);
  assert.is(judge('pet-id', [holds('pet-id')]).verdict, 'inconclusive');
  assert.is(judge('pet-id', [holds('pet-id', first)], { left }).reason, 'a claim was left');
});

test('a check that broke is our error, whatever its others saw, unless the requirement fails', () => {
  const errors = new Map([['pet-id', 'TypeError: x']] as const);
  const error = { verdict: 'error', evidence: 1, failures: [], reason: 'TypeError: x' };
  assert.equal(judge('pet-id', [holds('pet-id', first)], { errors }), error);
  assert.is(judge('pet-name', [holds('pet-name', first)], { errors }).verdict, 'pass');
  const failure = fails('pet-id', 'id-missing', { expected: 'a', received: 'b' }, first);
  assert.is(judge('pet-id', [failure], { errors }).verdict, 'fail');
});

/** What a user did not give or a day took away, and what is said of a requirement that needs it. */
const excuses: readonly (readonly [RequirementId, Partial<Settings>, RequirementVerdict['verdict'], string])[] = [
  ['service-staging-paths', {}, 'not-applicable', 'A run judges one base address; run the kit against each.'],
  ['get-answer', { today: removalOfGetPet }, 'not-applicable', 'getPet is removed from 5 December 2030 on'],
  ['get-answer', { today: removalOfGetPet - 1 }, 'inconclusive', 'no answer showed it'],
  [
    'rate-exceeded',
    { hasRateLimitKey: false },
    'skipped',
    'set PETSTORE_RATE_LIMIT_KEY to a key that may be exhausted',
  ],
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
    assert.equal(judge(id, [], { settings }), { verdict, evidence: 0, failures: [], reason });
  });
}

test('an exchange that shows the requirement counts, even where it could have been skipped', () => {
  const settings = { isReadOnly: true };
  assert.is(judge('create-answer', [holds('create-answer', first)], { settings }).verdict, 'pass');
});

test.run();
