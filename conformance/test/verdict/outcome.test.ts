/** The verdicts of a run become one, with its exit code: the gravest wins, and green never means that nothing was seen. */

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { defined } from '../../../spec/defined.ts';
import type { RequirementId } from '../../../spec/requirements.ts';
import { isWanted, type JudgedInteraction, judgeRun, type OutcomeInput } from '../../verdict/outcome.ts';
import { reason, reasonInWords } from '../../verdict/reasons.ts';
import { notShown } from '../../verdict/verdict.ts';
import { verdictOf } from '../run/hand-made.ts';

const noVerdictOptions = { requiresAll: false } as const;
const waiver = { reason: 'known', owner: 'pets team', expires: '2026-11-20' } as const;
const conforms = { verdict: 'conforms', exitCode: 0 } as const;

/** The outcome, its reason in words, of a run of a hundred requests in which all that it was for was seen. */
function judge(part: Partial<OutcomeInput> = {}) {
  const verdicts = [verdictOf('list-answer', 'pass'), verdictOf('create-answer', 'pass')];
  const input = { verdicts, verdictOptions: noVerdictOptions, requests: 100, unanswered: 0, ...part };
  const { reason: why, ...outcome } = judgeRun(input);
  return defined({ ...outcome, reason: reasonInWords(why) });
}

const inconclusive = (reason: string) => ({ verdict: 'inconclusive', exitCode: 3, reason });

test('a run conforms where nothing is against it', () => {
  assert.equal(judge(), conforms);
  assert.equal(judge({ verdicts: [verdictOf('list-limit-refused', 'warn'), verdictOf('pet-id', 'pass')] }), conforms);
});

test('a run that cannot be judged is inconclusive, even if a requirement fails', () => {
  const verdicts = [verdictOf('pet-id', 'fail')];
  assert.equal(
    judge({ verdicts, blocked: reason('client-silent', {}) }),
    inconclusive('The client sent no request to the service.'),
  );
});

test('one failure is enough', () => {
  const verdicts = [verdictOf('list-answer', 'pass'), verdictOf('pet-id', 'fail')];
  assert.equal(judge({ verdicts }), { verdict: 'does-not-conform', exitCode: 1 });
});

test('a failure outweighs all else, and the report says why the run ended', () => {
  const verdicts = [
    verdictOf('pet-id', 'fail'),
    verdictOf('pet-name', 'error'),
    verdictOf('list-answer', 'inconclusive'),
  ];
  assert.equal(judge({ verdicts, unanswered: 90, ended: reason('interrupted', {}) }), {
    verdict: 'does-not-conform',
    exitCode: 1,
    reason: 'The run was interrupted.',
  });
});

test('a failure that is waived does not fail a run, one whose waiver is over does', () => {
  const waived = verdictOf('pet-id', 'fail', { waiver: { ...waiver, state: 'waived' } });
  assert.equal(judge({ verdicts: [waived] }), conforms);
  const expired = verdictOf('pet-id', 'fail', { waiver: { ...waiver, state: 'expired' } });
  assert.equal(judge({ verdicts: [expired] }), {
    verdict: 'does-not-conform',
    exitCode: 1,
    reason: 'the waiver of pet-id expired on 2026-11-20: remove or renew it',
  });
});

test('a waiver that waives nothing fails no run', () => {
  const stale = verdictOf('pet-id', 'pass', { waiver: { ...waiver, state: 'stale' } });
  assert.equal(judge({ verdicts: [verdictOf('pet-name', 'pass'), stale] }), conforms);
  assert.equal(
    judge({ verdicts: [verdictOf('pet-id', 'skipped', { waiver: { ...waiver, state: 'unused' } })] }),
    conforms,
  );
});

test('a check that broke ends with 4, even where the run ended early', () => {
  const verdicts = [verdictOf('pet-id', 'pass'), verdictOf('pet-name', 'error', { reason: 'TypeError: x' })];
  assert.equal(judge({ verdicts, ended: reason('overdue', {}) }), {
    verdict: 'inconclusive',
    exitCode: 4,
    reason: 'a check of pet-name broke: TypeError: x',
  });
});

test('a run that ended early is inconclusive, and says why it ended rather than which evidence it lacks', () => {
  const verdicts = [verdictOf('list-answer', 'inconclusive', { reason: 'none' })];
  assert.equal(
    judge({ verdicts, unanswered: 90, ended: reason('interrupted', {}) }),
    inconclusive('The run was interrupted.'),
  );
});

test('more than two requests without an answer, and more than one in fifty, are too many', () => {
  const sentence = (unanswered: number, requests: number) =>
    inconclusive(`${unanswered} of ${requests} requests got no answer: check the network and any proxy`);
  assert.equal(judge({ requests: 10, unanswered: 2 }), conforms);
  assert.equal(judge({ requests: 10, unanswered: 3 }), sentence(3, 10));
  assert.equal(judge({ requests: 150, unanswered: 3 }), conforms);
  assert.equal(judge({ requests: 149, unanswered: 3 }), sentence(3, 149));
});

test('a run without core evidence is inconclusive, one without other evidence is not', () => {
  const lacking = (id: RequirementId) => [
    verdictOf('pet-id', 'pass'),
    verdictOf(id, 'inconclusive', { reason: 'it is so' }),
  ];
  assert.equal(judge({ verdicts: lacking('list-answer') }), inconclusive('list-answer could not be judged: it is so'));
  assert.equal(judge({ verdicts: lacking('pet-name') }), conforms);
  assert.equal(
    judge({ verdicts: [verdictOf('create-answer', 'skipped', { reason: 'the run is read-only' })] }),
    conforms,
  );
});

test('recorded traffic needs less core evidence than a run of sixty requests', () => {
  const verdicts = [verdictOf('auth-invalid-key', 'inconclusive', { reason: 'nobody asked' })];
  assert.equal(judge({ verdicts }), inconclusive('auth-invalid-key could not be judged: nobody asked'));
  assert.equal(judge({ verdicts, verdictOptions: { requiresAll: false, judgesRecordedTraffic: true } }), conforms);
  const unread = [verdictOf('list-answer', 'inconclusive', { reason: 'nobody asked' })];
  assert.equal(
    judge({ verdicts: unread, verdictOptions: { requiresAll: false, judgesRecordedTraffic: true } }),
    inconclusive('list-answer could not be judged: nobody asked'),
  );
});

test('the reason names a requirement that says why it was not judged', () => {
  const verdicts = [
    verdictOf('service-json', 'inconclusive', { reason: notShown }),
    verdictOf('create-answer', 'inconclusive', { reason: 'all were refused' }),
  ];
  assert.equal(judge({ verdicts }), inconclusive('create-answer could not be judged: all were refused'));
});

test('--require-all ends with 3 where a required requirement is skipped or inconclusive', () => {
  const verdictOptions = { requiresAll: true };
  const withOne = (id: RequirementId, verdict: 'skipped' | 'inconclusive' | 'not-applicable') =>
    judge({
      verdicts: [verdictOf('pet-name', 'pass'), verdictOf(id, verdict, { reason: 'it is so' })],
      verdictOptions,
    });
  assert.equal(withOne('pet-id', 'skipped'), inconclusive('pet-id could not be judged: it is so'));
  assert.equal(withOne('pet-id', 'inconclusive'), inconclusive('pet-id could not be judged: it is so'));
  assert.equal(withOne('pet-id', 'not-applicable'), conforms);
  assert.equal(withOne('list-limit-refused', 'skipped'), conforms);
  assert.equal(withOne('list-limit-refused', 'inconclusive'), conforms);
});

/** A run that was asked for some requirements only, one of which it did not see. */
function judgeOnly(only: readonly RequirementId[], ...verdicts: OutcomeInput['verdicts']) {
  return judge({ verdicts, verdictOptions: { requiresAll: false, only: new Set(only) } });
}

test('requirements of --only are essential, advised ones only where nothing else is asked for', () => {
  const unseen = { reason: 'it is so' };
  const pass = verdictOf('pet-name', 'pass');
  assert.equal(
    judgeOnly(['pet-id', 'pet-name'], pass, verdictOf('pet-id', 'inconclusive', unseen)),
    inconclusive('pet-id could not be judged: it is so'),
  );
  const advised = verdictOf('list-limit-refused', 'inconclusive', unseen);
  assert.equal(judgeOnly(['list-limit-refused', 'pet-name'], pass, advised), conforms);
  assert.equal(
    judgeOnly(['list-limit-refused'], advised),
    inconclusive('list-limit-refused could not be judged: it is so'),
  );
  assert.equal(judgeOnly(['pet-name'], pass, verdictOf('list-answer', 'inconclusive', unseen)), conforms);
});

test('a run of --only that skips its requirements is inconclusive, unless it judged another of them', () => {
  const skipped = verdictOf('rate-exceeded', 'skipped', { reason: 'there is no key' });
  const reason = 'rate-exceeded could not be judged: there is no key';
  const untested = verdictOf('service-staging-paths', 'not-applicable', { reason: 'no request shows it' });
  assert.equal(judgeOnly(['rate-exceeded', 'service-staging-paths'], untested, skipped), inconclusive(reason));
  assert.equal(judgeOnly(['rate-exceeded', 'pet-id'], verdictOf('pet-id', 'pass'), skipped), conforms);
  assert.equal(judgeOnly(['service-staging-paths'], untested), conforms);
  assert.equal(judge({ verdicts: [skipped] }), conforms);
});

test('a run that judges only what its exchanges show lacks no evidence', () => {
  const verdicts = [verdictOf('list-answer', 'inconclusive', { reason: 'it is so' })];
  assert.equal(judge({ verdicts, verdictOptions: { requiresAll: false, only: 'shown' } }), conforms);
});

test('a report lists the requirements of --only', () => {
  const [seen, unseen] = [verdictOf('pet-id', 'pass'), verdictOf('pet-name', 'inconclusive')];
  const broken = verdictOf('pet-name', 'error');
  assert.equal([isWanted(seen, noVerdictOptions), isWanted(unseen, noVerdictOptions)], [true, true]);
  const only = { requiresAll: false, only: new Set(['pet-name'] as const) };
  assert.equal([isWanted(seen, only), isWanted(unseen, only)], [false, true]);
  const shown = { requiresAll: false, only: 'shown' } as const;
  assert.equal([isWanted(seen, shown), isWanted(unseen, shown), isWanted(broken, shown)], [true, false, true]);
});

function interaction(verdict: JudgedInteraction['verdict'], part: Partial<JudgedInteraction> = {}): JudgedInteraction {
  return { description: 'a request for animals', verdict, messages: ['the first reason', 'the second'], ...part };
}

test('an interaction that fails fails the run, one that is pending does not', () => {
  const fails = { verdict: 'does-not-conform', exitCode: 1 };
  assert.equal(judge({ interactions: [interaction('pass'), interaction('fail')] }), fails);
  assert.equal(judge({ interactions: [interaction('pass'), interaction('pending')] }), conforms);
  assert.equal(judge({ interactions: [interaction('pending')] }), conforms);
});

test('a verification of nothing verifies nothing', () => {
  assert.equal(judge({ interactions: [] }), inconclusive('there was no interaction to verify'));
});

test('an interaction that was not verified leaves a run open, unless it is excused and others were verified', () => {
  const unverified = inconclusive('"a request for animals" could not be verified: the first reason');
  const excused = interaction('not-verifiable', { isExcused: true });
  const pass = interaction('pass', { description: 'another' });
  assert.equal(judge({ interactions: [pass, interaction('not-verifiable')] }), unverified);
  assert.equal(judge({ interactions: [pass, excused] }), conforms);
  assert.equal(judge({ interactions: [excused] }), unverified);
  assert.equal(judge({ interactions: [pass, excused], verdictOptions: { requiresAll: true } }), unverified);
});

test('a failed interaction that claims too much may be the fault of its pact, and the reason says so', () => {
  const overclaimed = interaction('fail', { isOverclaimed: true });
  const reasonFor = (...interactions: readonly JudgedInteraction[]) => judge({ interactions }).reason;
  const rest = 'more than the interface states: the pact may be wrong, not the service';
  assert.is(reasonFor(overclaimed), `pact lint finds that the failed interaction claims ${rest}`);
  assert.is(reasonFor(overclaimed, overclaimed), `pact lint finds that the failed interactions claim ${rest}`);
  assert.is(reasonFor(overclaimed, interaction('fail')), undefined);
  assert.is(
    judge({ interactions: [overclaimed, interaction('pass')] }).reason,
    `pact lint finds that the failed interaction claims ${rest}`,
  );
  assert.is(judge({ interactions: [interaction('pending')] }).reason, undefined);
  const verdicts = [verdictOf('pet-id', 'fail'), verdictOf('pet-name', 'pass')];
  assert.is(judge({ verdicts, interactions: [overclaimed] }).reason, undefined);
});

test.run();
