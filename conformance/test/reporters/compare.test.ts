/** A comparison says what has changed between reports, the worst first, and takes no other look for a change. */

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { type AnswerId, gaps, type OpenGapId } from '../../../spec/gaps.ts';
import { compareReports, comparisonReporters, countChanges } from '../../reporters/compare.ts';
import { inColour, inPlainText } from '../../reporters/terminal.ts';
import type { Report, ReportedInteraction } from '../../verdict/report.ts';
import { sampleReport } from './sample-report.ts';

const { reason: _reason, ...sample } = sampleReport;
const [shown] = sampleReport.requirements;
/** A report of one requirement, which passes, and every gap. */
const sound: Report = {
  ...sample,
  verdict: 'conforms',
  exitCode: 0,
  requirements: [{ ...shown!, id: 'pet-id', section: '2', verdict: 'pass', failures: [] }],
  causes: [],
  interactions: [],
  gaps: gaps.map(({ id, section, question }) => ({ id, section, question, observed: [] })),
};

/** The report with changes of its requirement. */
function withVerdict(changes: object): Report {
  return { ...sound, requirements: sound.requirements.map((one) => ({ ...one, ...changes })) };
}

/** How the requirement changed, over some reports. */
const changedIn = (...reports: readonly Report[]) =>
  compareReports(reports).verdicts.find(({ name }) => name === '§2 pet-id');

/** Two verdicts of a requirement → how it changed. */
const changes: readonly (readonly [before: string, after: string, change: string | undefined])[] = [
  ['pass', 'fail', 'regression'],
  ['fail', 'pass', 'fix'],
  ['waived', 'pass', 'fix'],
  ['pass', 'warn', 'warning'],
  ['pass', 'waived', 'waived'],
  ['pass', 'skipped', 'lost'],
  ['skipped', 'fail', 'failing'],
  ['pass', 'pass', 'none'],
  ['fail', 'fail', 'none'],
  ['waived', 'fail', 'none'],
  ['skipped', 'pass', 'none'],
  ['pass', 'not-applicable', 'none'],
];

test('a requirement that held and fails is a regression, the other way round a fix', () => {
  const waived = { verdict: 'fail', waiver: { state: 'waived' } };
  for (const [before, after, change] of changes) {
    const reports = [before, after].map((verdict) => withVerdict(verdict === 'waived' ? waived : { verdict }));
    const found = compareReports(reports).verdicts.find(({ name }) => name === '§2 pet-id')?.change ?? 'none';
    assert.is(found, change, `${before}, then ${after}`);
  }
});

test('a failure that shows in a new way is a regression that says what is new, unless more was asked', () => {
  const failing = (...ways: readonly string[]) => withVerdict({ verdict: 'fail', ways });
  const before = failing('accepted: with categoryId beyond int64');
  const after = failing('accepted: with categoryId a fraction', 'accepted: with categoryId beyond int64');
  const changeIn = (first: Report, second: Report) => {
    const { change, message } = compareReports([first, second]).verdicts.find(({ name }) => name === '§2 pet-id')!;
    return [change, message];
  };
  assert.equal(changeIn(before, after), ['regression', 'New: accepted: with categoryId a fraction']);
  assert.equal(changeIn(after, before)[0], 'none');
  const small = { ...before, settings: { ...before.settings, maxRequests: 60 } };
  assert.equal(
    [changeIn(small, after)[0], changeIn(after, { ...small, requirements: after.requirements })[0]],
    ['none', 'none'],
  );
  assert.is(changeIn(withVerdict({ verdict: 'fail' }), after)[0], 'none');
});

/** A gap, its answers in two reports, and whether they count as a change. */
type ProfileRow = {
  [Gap in OpenGapId]: readonly [
    gap: Gap,
    one: readonly AnswerId<Gap>[],
    two: readonly AnswerId<Gap>[],
    isChanged: boolean,
  ];
}[OpenGapId];
const profiles: readonly ProfileRow[] = [
  ['limit-out-of-range', ['clamped'], ['ignored'], true],
  ['limit-out-of-range', ['clamped', 'ignored'], ['refused-400'], true],
  ['limit-out-of-range', ['clamped'], ['ignored', 'clamped'], false],
  ['limit-out-of-range', ['clamped'], [], false],
  ['rate-limit-window', ['tightest'], ['at-most-a-minute'], false],
  ['rate-limit-window', ['at-most-a-minute'], ['day'], true],
  ['limit-out-of-range', ['clamped', 'ignored'], ['ignored', 'refused-400'], true],
  ['limit-out-of-range', ['clamped', 'ignored'], ['ignored'], false],
  ['rate-limit-window', ['minute'], ['tightest'], false],
  ['id-form', ['rising'], ['sequential'], false],
  ['id-form', ['rising'], ['sequential-from-elsewhere'], false],
  ['id-form', ['sequential'], ['rising', 'unordered'], false],
  ['list-order', ['another'], ['oldest-first'], true],
];

test('a profile changes where answers exclude each other, not where one was only asked more', () => {
  for (const [gap, one, two, isChanged] of profiles) {
    const reports = [one, two].map((answers) => {
      return { ...sound, gaps: sound.gaps.map((each) => (each.id === gap ? { ...each, observed: answers } : each)) };
    });
    const ids = compareReports(reports).profile.map(({ id }) => id);
    assert.equal(ids, isChanged ? [gap] : [], `${one.join()}, then ${two.join()}`);
  }
});

const failure = { code: 'id-missing', expected: 'an id', received: 'none', exchanges: [], curl: '' };
const failingAs = (received: string) => withVerdict({ verdict: 'fail', failures: [{ ...failure, received }] });

test('the worst change of any later report counts, with the sentence of the last one that is broken', () => {
  const fixed = withVerdict({ verdict: 'pass' });
  const broken = changedIn(fixed, failingAs('none'), failingAs('null'), fixed);
  assert.equal(broken, {
    name: '§2 pet-id',
    verdicts: ['pass', 'fail', 'fail', 'pass'],
    change: 'regression',
    message: 'expected an id, received null',
  });
  assert.is(changedIn(failingAs('none'), fixed, withVerdict({ verdict: 'skipped' }))?.change, 'fix');
  assert.is(changedIn(failingAs('none'), failingAs('null'))?.message, 'expected an id, received null');
  const absent = { ...sound, requirements: [] };
  assert.equal(changedIn(absent, failingAs('none'))?.verdicts, [undefined, 'fail']);
  assert.is(changedIn(absent, failingAs('none'))?.change, 'none');
  assert.is(changedIn(fixed, absent), undefined);
  assert.equal(compareReports([fixed, fixed]).verdicts, []);
  const { interactions: _none, ...withoutPacts } = fixed;
  assert.equal(compareReports([withoutPacts, withoutPacts]).verdicts, []);
  for (const verdict of ['warn', 'fail'] as const) {
    assert.is(changedIn(withVerdict({ verdict }), withVerdict({ verdict }))?.change, 'none', verdict);
  }
});

test('each new way is named once, and a regression of what passed has its own sentence', () => {
  const failing = (...ways: readonly string[]) => withVerdict({ verdict: 'fail', ways, failures: [failure] });
  assert.is(changedIn(failing('a'), failing('b', 'a'), failing('b', 'c'))?.message, 'New: b; c');
  assert.is(
    changedIn(withVerdict({ verdict: 'pass', ways: [] }), failing('b'))?.message,
    'expected an id, received none',
  );
  const fewer = { ...failing('a'), settings: { ...sound.settings, maxRequests: sound.settings.maxRequests + 1 } };
  assert.is(changedIn(fewer, failing('b'))?.change, 'regression');
  const waiver = { state: 'waived' };
  const waived = (...ways: readonly string[]) => withVerdict({ verdict: 'fail', waiver, ways, failures: [failure] });
  assert.is(changedIn(waived('a'), waived('b'))?.change, 'none');
  assert.is(changedIn(waived('a'), waived('b'))?.message, 'expected an id, received none');
  assert.is(changedIn(failing('a'), withVerdict({ verdict: 'pass', ways: ['b'] }))?.change, 'fix');
  const absent = { ...sound, requirements: [] };
  assert.is(changedIn(failing('a'), failing('b'), absent)?.message, 'New: b');
  assert.is(changedIn(waived('a'), failing('b'))?.change, 'none');
});

test('interactions are compared by consumer and description, after the requirements', () => {
  const interaction = (verdict: ReportedInteraction['verdict']): Report => ({
    ...failingAs('none'),
    interactions: [{ consumer: 'shop', description: 'a page', states: [], verdict, messages: [], exchanges: [] }],
  });
  const { verdicts } = compareReports([interaction('pass'), interaction('fail')]);
  assert.equal(
    verdicts.map(({ name, change, message }) => [name, change, message]),
    [
      ['§2 pet-id', 'none', 'expected an id, received none'],
      ['shop: a page', 'regression', ''],
    ],
  );
});

test('a profile has the answers of each report, and shows where one of them excludes another', () => {
  const answering = (...observed: readonly string[]): Report => ({
    ...sound,
    gaps: sound.gaps.map((gap) => (gap.id === 'list-order' ? { ...gap, observed } : gap)),
  });
  const { profile } = compareReports([answering('another'), { ...sound, gaps: [] }, answering('oldest-first')]);
  assert.equal(profile, [{ id: 'list-order', section: '4.1', answers: [['another'], [], ['oldest-first']] }]);
  assert.equal(compareReports([{ ...sound, gaps: [] }, answering('another')]).profile, []);
  assert.equal(compareReports([]).profile, []);
  assert.equal(compareReports([answering('another'), answering('another')]).profile, []);
});

const answered = (answer: string): Report => ({
  ...sound,
  gaps: sound.gaps.map((gap) => (gap.id === 'list-order' ? { ...gap, observed: [answer] } : gap)),
});
const ten = (verdict: ReportedInteraction['verdict']): Report => ({
  ...sound,
  interactions: Array.from({ length: 10 }, (_nothing, at) => {
    return { consumer: 'shop', description: `page ${at}`, states: [], verdict, messages: [], exchanges: [] };
  }),
});

/** What a comparison says at its end. */
const titles: readonly (readonly [reports: readonly Report[], title: string])[] = [
  [[sound, sound], 'No regressions, no fixes, no changes of profile; all conform.'],
  [[sound, { ...failingAs('none'), exitCode: 1 }], '1 regression, no fixes, no changes of profile.'],
  [[failingAs('none'), sound], 'No regressions, 1 fix, no changes of profile; all conform.'],
  [[answered('another'), answered('oldest-first')], 'No regressions, no fixes, 1 change of profile; all conform.'],
  [[ten('pass'), ten('fail')], '10 regressions, no fixes, no changes of profile; all conform.'],
  [[ten('fail'), ten('pass')], 'No regressions, 10 fixes, no changes of profile; all conform.'],
];

test('a title counts regressions, fixes and changes of profile', () => {
  for (const [reports, title] of titles) {
    const comparison = compareReports(reports);
    assert.is(comparisonReporters.terminal(comparison).trimEnd().split('\n').at(-1), title);
    assert.is(comparisonReporters.markdown(comparison).split('\n')[0]?.replace('## ', ''), title);
  }
  const lastLine = (...reports: readonly Report[]) =>
    comparisonReporters
      .terminal(compareReports(reports), { ...inPlainText, paint: inColour })
      .trimEnd()
      .split('\n')
      .at(-1)!;
  const [red, green] = ['\x1b[31m', '\x1b[32m'];
  assert.ok(lastLine(sound, failingAs('none')).includes(red!));
  assert.ok(lastLine(failingAs('none'), sound).includes(green!));
  assert.is(countChanges(compareReports([sound, failingAs('none')]), 'regression'), 1);
  assert.is(countChanges(compareReports([sound, failingAs('none')]), 'fix'), 0);
});

test('a requirement has its mark in each report, what a report lacks is a point, and a long text is cut', () => {
  const absent = { ...sound, requirements: [] };
  const long = failingAs('x'.repeat(300));
  const lines = comparisonReporters.terminal(compareReports([sound, absent, long])).split('\n');
  assert.ok(lines.includes('Regressions'));
  assert.equal(
    lines.filter((line) => line.includes('§2 pet-id')),
    ['  §2 pet-id  A ✓ pass  B ·  C ✗ FAIL'],
  );
  assert.match(lines.join('').replace(/\s+/g, ''), /expectedanid,receivedx{175}…\(325characters\)/);
});

test('a report has a line with its letter, address, time and headline, and the reason of its end', () => {
  const ended: Report = { ...sound, reason: { code: 'interrupted', values: {} } };
  const text = comparisonReporters.terminal(compareReports([sound, ended])).replace(/\s+/g, ' ');
  const line = 'http://127.0.0.1:8080/v1, 2026-11-21 10:00 UTC: ';
  assert.ok(text.startsWith(`A ${line}Conforms`), text);
  assert.match(text, new RegExp(`B ${line}Conforms .*interrupted\\) \\(The run was interrupted\\.\\)`));
});

test('an answer is said with its meaning, an answer of a later kit as it is', () => {
  const answering = (...observed: readonly string[]): Report => ({
    ...sound,
    gaps: sound.gaps.map((gap) => (gap.id === 'list-order' ? { ...gap, observed } : gap)),
  });
  const reports = [answering('oldest-first'), answering('of-a-later-kit'), sound];
  const text = comparisonReporters.terminal(compareReports(reports));
  assert.match(text, 'Profile: different answers to gaps of the interface (never judged)\n  §4.1 list-order\n');
  const { answers } = gaps.find(({ id }) => id === 'list-order')!;
  const meaning = (answers as Readonly<Record<string, string>>)['oldest-first'];
  assert.match(text, `A oldest-first: ${meaning}\n`);
  assert.match(text, 'B of-a-later-kit\n');
  assert.match(text, 'C ·\n');
});

test.run();
