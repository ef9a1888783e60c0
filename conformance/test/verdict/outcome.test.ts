/** The verdicts of a run become one, with its exit code: the gravest wins, and green never means that nothing was seen. */

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { RequirementId } from '../../../spec/requirements.ts';
import {
  type InteractionVerdict,
  isWanted,
  type JudgedInteraction,
  judgeRun,
  type OutcomeInput,
  type VerdictOptions,
} from '../../verdict/outcome.ts';
import { reason, reasonInWords } from '../../verdict/reasons.ts';
import { type JudgedRequirement, notShown, type Verdict, type WaiverState } from '../../verdict/verdict.ts';
import { verdictOf } from '../run/hand-made.ts';

/** Verdicts such as "pet-id fail" or "pet-id fail waived", each with a reason. */
function verdictsIn(text: string): readonly JudgedRequirement[] {
  return text.split(', ').map((one) => {
    const [id, verdict, state] = one.split(' ') as [RequirementId, Verdict, WaiverState | undefined];
    const waiver = { reason: 'known', owner: 'pets team', expires: '2026-11-20' };
    const own = { reason: 'it is so', ...(state === undefined ? {} : { waiver: { ...waiver, state } }) };
    return verdictOf(id, verdict, own);
  });
}

/** Interactions such as "pass", "fail" or "not-verifiable excused". */
function interactionsIn(text: string): readonly JudgedInteraction[] {
  return text.split(', ').map((one) => {
    const [verdict, excuse] = one.split(' ') as [InteractionVerdict, excuse?: string];
    const messages = ['the first reason', 'the second'];
    return { description: 'a request', verdict, messages, ...(excuse && { isExcused: true as const }) };
  });
}

const seen = 'list-answer pass, create-answer pass';
const interrupted = { ended: reason('interrupted', {}) };
const requiresAll = { verdictOptions: { requiresAll: true } };
const outagesUpTo = (maxOutages: number) => ({ verdictOptions: { requiresAll: false, maxOutages } });
const recorded = { verdictOptions: { requiresAll: false, judgesRecordedTraffic: true as const } };
const only = (...ids: readonly RequirementId[]) => ({ verdictOptions: { requiresAll: false, only: new Set(ids) } });
const pacts = (text: string) => ({ interactions: interactionsIn(text) });

const interruption = 'The run was interrupted.';
const unanswered = (count: number, of: number): string =>
  `3 ${count} of ${of} requests got no answer: check the network and any proxy, and raise --timeout if answers take longer`;
const unjudged = (id: RequirementId): string => `3 ${id} could not be judged: it is so`;
const unverified = '3 "a request" could not be verified: the first reason';
const overclaims =
  '1 no requirement fails, so a failed interaction may claim more than the interface states: pact lint shows it';

/** Verdicts, other facts of a run of a hundred requests, and its exit code with the reason. */
const rows: readonly (readonly [verdicts: string, part: Partial<OutcomeInput>, outcome: string])[] = [
  // A run conforms where nothing is against it, and one failure is enough.
  [seen, {}, '0'],
  ['list-answer pass, pet-id fail', {}, '1'],
  // The gravest wins.
  ['pet-id fail', { blocked: reason('traffic-empty', {}) }, '3 The traffic holds no exchange below the base address.'],
  ['pet-id fail, pet-name error, list-answer inconclusive', { unanswered: 90, ...interrupted }, `1 ${interruption}`],
  ['pet-id pass, pet-name error', interrupted, '4 a check of pet-name broke: it is so'],
  ['list-answer inconclusive', { unanswered: 90, ...interrupted }, `3 ${interruption}`],
  // A waived failure does not fail a run, an expired waiver does, others change nothing.
  ['pet-id fail waived', {}, '0'],
  ['pet-id fail expired', {}, '1 the waiver of pet-id expired on 2026-11-20: remove or renew it'],
  ['pet-id pass expired', {}, '1 the waiver of pet-id expired on 2026-11-20: remove or renew it'],
  ['pet-name pass, pet-id pass stale', {}, '0'],
  // More than two requests without an answer, and more than one in fifty, are too many.
  [seen, { requests: 10, unanswered: 2 }, '0'],
  [seen, { requests: 10, unanswered: 3 }, unanswered(3, 10)],
  [seen, { requests: 150, unanswered: 3 }, '0'],
  [seen, { requests: 149, unanswered: 3 }, unanswered(3, 149)],
  // Outages that were waited out count only where the user says how many may be.
  [seen, { outages: 14 }, '0'],
  [seen, { outages: 2, ...outagesUpTo(2) }, '0'],
  [
    seen,
    { outages: 3, ...outagesUpTo(2) },
    '3 3 of 100 answers came from a gateway or not at all, more than --max-outages 2 allows',
  ],
  ['pet-id fail', { outages: 3, ...outagesUpTo(0) }, '1'],
  // Core evidence must not lack, less of it in recorded traffic; other evidence may.
  ['pet-id pass, list-answer inconclusive', {}, unjudged('list-answer')],
  ['pet-id pass, pet-name inconclusive', {}, '0'],
  ['auth-invalid-key inconclusive', {}, unjudged('auth-invalid-key')],
  ['auth-invalid-key inconclusive', recorded, '0'],
  ['list-answer inconclusive', recorded, unjudged('list-answer')],
  ['list-answer inconclusive', { verdictOptions: { requiresAll: false, only: 'shown' } }, '0'],
  // --require-all wants every required requirement.
  ['pet-name pass, pet-id inconclusive', requiresAll, unjudged('pet-id')],
  ['pet-name pass, rate-exceeded skipped', requiresAll, unjudged('rate-exceeded')],
  ['pet-name pass, pet-id not-applicable', requiresAll, '0'],
  ['pet-name pass, list-limit-refused inconclusive', requiresAll, '0'],
  // Requirements of --only are essential, advised ones only where nothing else is asked for.
  ['pet-name pass, pet-id inconclusive', only('pet-id', 'pet-name'), unjudged('pet-id')],
  ['pet-name pass, list-limit-refused inconclusive', only('list-limit-refused', 'pet-name'), '0'],
  ['list-limit-refused inconclusive', only('list-limit-refused'), unjudged('list-limit-refused')],
  ['pet-name pass, list-answer inconclusive', only('pet-name'), '0'],
  // With --only, what was skipped leaves a run open that judged nothing else.
  [
    'service-staging-paths not-applicable, rate-exceeded skipped',
    only('rate-exceeded', 'service-staging-paths'),
    unjudged('rate-exceeded'),
  ],
  ['service-staging-paths not-applicable', only('service-staging-paths'), unjudged('service-staging-paths')],
  ['pet-id pass, rate-exceeded skipped', only('rate-exceeded', 'pet-id'), '0'],
  // A waiver that does not cover all ways of failing excuses none.
  ['pet-id fail exceeded', {}, '1'],
  ['rate-exceeded skipped', {}, '0'],
  // Interactions of pacts: a verification of nothing verifies nothing.
  [seen, { interactions: [] }, '3 there was no interaction to verify'],
  [seen, pacts('pass, pending'), '0'],
  [seen, pacts('pass, not-verifiable'), unverified],
  [seen, pacts('pass, not-verifiable excused'), '0'],
  [seen, pacts('not-verifiable excused'), unverified],
  [seen, { ...pacts('pass, not-verifiable excused'), ...requiresAll }, unverified],
  // A failed interaction beside no failed requirement may be the fault of its pact.
  [seen, pacts('fail, pass'), overclaims],
  ['pet-id fail, pet-name pass', pacts('fail'), '1'],
];

for (const [verdicts, part, outcome] of rows) {
  test(`${verdicts}, with ${Object.keys(part)}, ends with ${outcome}`, () => {
    const verdictOptions: VerdictOptions = { requiresAll: false };
    const input = {
      requirements: verdictsIn(verdicts),
      verdictOptions,
      requests: 100,
      unanswered: 0,
      outages: 0,
      ...part,
    };
    const { exitCode, verdict, reason: why } = judgeRun(input);
    assert.is([exitCode, ...(why === undefined ? [] : [reasonInWords(why)])].join(' '), outcome);
    assert.is(verdict, { 0: 'conforms', 1: 'does-not-conform', 3: 'inconclusive', 4: 'inconclusive' }[exitCode]);
  });
}

test('the reason names a requirement that says why it was not judged', () => {
  const requirements = [
    verdictOf('service-json', 'inconclusive', { reason: notShown }),
    verdictOf('create-answer', 'inconclusive', { reason: 'all were refused' }),
  ];
  const run = { verdictOptions: { requiresAll: false }, requests: 9, unanswered: 0, outages: 0 };
  const { reason: why } = judgeRun({ requirements, ...run });
  assert.is(reasonInWords(why), 'create-answer could not be judged: all were refused; nor could service-json');
});

test('a report lists the requirements of --only, or those for which there is evidence', () => {
  const shown = [verdictOf('pet-id', 'pass'), verdictOf('pet-name', 'inconclusive'), verdictOf('pet-name', 'error')];
  const wantedBy = (options: VerdictOptions) => shown.map((one) => isWanted(one, options));
  assert.equal(wantedBy({ requiresAll: false }), [true, true, true]);
  assert.equal(wantedBy({ requiresAll: false, only: new Set(['pet-name'] as const) }), [false, true, true]);
  assert.equal(wantedBy({ requiresAll: false, only: 'shown' }), [true, false, true]);
});

test.run();
