/** What has changed against an earlier report, and what has not. */

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { createTwin } from '../../../../reference-server/twin/gaps.ts';
import { faults } from '../../../faults/index.ts';
import { runInProcess, trialKeys, trialSettings } from '../../../proof/trial.ts';
import { compareReports, countChanges } from '../../../reporters/compare.ts';
import { comparisonReporters } from '../../../reporters/comparison-blocks.ts';
import { inPlainText } from '../../../reporters/terminal.ts';
import { manyAnimals } from '../../../services/other-clients.ts';
import { keysOfTrials } from '../../../services/wraps.ts';
import { reason } from '../../../verdict/reasons.ts';
import type { Report } from '../../../verdict/report.ts';
import { run, temporaryFolder } from '../command.ts';

const folder = temporaryFolder();
const fault = faults.find(({ id }) => id === 'wrong-key-answers-403')!;
const handleOf = (gaps = {}, animals = 0) =>
  createTwin({ keys: trialKeys, gaps, animals: manyAnimals(animals) }).handle;
const settings = trialSettings(120);
const sound = await runInProcess(handleOf(), settings);
const other = await runInProcess(handleOf({ 'status-omitted': 'sold' }), settings);
const broken = await runInProcess(fault.wrap(handleOf(), keysOfTrials), settings);

/** A report with another verdict for one requirement. */
function withVerdict(report: Report, wanted: string, changes: object): Report {
  return {
    ...report,
    requirements: report.requirements.map((one) => (one.id === wanted ? { ...one, ...changes } : one)),
  };
}

/** What became of one requirement. */
function changeOf(before: object, after: object): string | undefined {
  const reports = [before, after].map((changes) => withVerdict(sound, 'pet-id', changes));
  return compareReports(reports).verdicts.find(({ name }) => name === '§2 pet-id')?.changes[1];
}

test('a requirement that held and fails is a regression, the other way round a fix', () => {
  const [pass, fail, warn] = ['pass', 'fail', 'warn'].map((verdict) => ({ verdict }));
  const waived = { verdict: 'fail', waiver: { state: 'waived' } };
  const skipped = { verdict: 'skipped' };
  assert.is(changeOf(pass!, fail!), 'regression');
  assert.is(changeOf(fail!, pass!), 'fix');
  assert.is(changeOf(waived, pass!), 'fix');
  assert.is(changeOf(pass!, warn!), 'warning');
  assert.is(changeOf(pass!, waived), 'waived');
  assert.is(changeOf(pass!, skipped), 'lost');
  assert.is(changeOf(skipped, fail!), 'failing');
  for (const [before, after] of [
    [pass, pass],
    [fail, fail],
    [waived, fail],
    [skipped, pass],
    [pass, { verdict: 'not-applicable' }],
  ])
    assert.is(changeOf(before!, after!), undefined);
});

test('a requirement that one report was not asked for is not compared', () => {
  const only = { ...sound, requirements: sound.requirements.filter(({ id }) => id === 'pet-id') };
  assert.equal(compareReports([sound, only]).verdicts, []);
  assert.equal(compareReports([only, sound]).verdicts, []);
});

test('another day, seed, catalogue and other ids are no difference', async () => {
  const later = await runInProcess(
    handleOf({}, 84),
    { ...settings, seed: 7 },
    { startsAt: Date.UTC(2027, 0, 31, 9, 0, 5) },
  );
  assert.not.equal(later.created, sound.created);
  const { verdicts, profile } = compareReports([sound, later]);
  assert.equal([verdicts, profile], [[], []]);
});

/** The ids of gaps that differ, where one report observed these answers and the other those. */
function profileOf(gap: string, one: string, two: string): readonly string[] {
  const reports = [one, two].map((answers) => ({
    ...sound,
    gaps: sound.gaps.map((each) =>
      each.id === gap ? { ...each, observed: answers.split(' ').filter(Boolean) } : each,
    ),
  }));
  return compareReports(reports).profile.map(({ id }) => id);
}

test('a profile changes where answers exclude each other, not where one was only asked more', () => {
  assert.equal(profileOf('limit-out-of-range', 'clamped', 'ignored'), ['limit-out-of-range']);
  assert.equal(profileOf('limit-out-of-range', 'clamped ignored', 'refused-400'), ['limit-out-of-range']);
  assert.equal(profileOf('limit-out-of-range', 'clamped', 'ignored clamped'), []);
  assert.equal(profileOf('limit-out-of-range', 'clamped', ''), []);
  assert.equal(profileOf('rate-limit-window', 'sliding', 'at-most-a-minute'), []);
  assert.equal(profileOf('rate-limit-window', 'sliding', 'day'), ['rate-limit-window']);
  assert.equal(profileOf('id-form', 'rising', 'sequential'), []);
});

const texts = (...reports: readonly Report[]): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(comparisonReporters).map(([name, show]) => [name, show(compareReports(reports))]));

test('every format shows regressions with their message, and changes of profile in words', () => {
  const { terminal = '', markdown = '' } = texts(sound, broken);
  assert.match(
    terminal,
    /^Regressions\n {20,}A +B\n {2}§5 auth-invalid-key +✓ pass +✗ FAIL\n {6}expected 401 for .*, received 403$/m,
  );
  assert.match(terminal, /\n1 regression, no fixes, no changes of profile\.\n$/);
  assert.match(markdown, /^## 1 regression, no fixes, no changes of profile\.\n\nA {2}http/);
  assert.match(
    markdown,
    /^### Regressions\n\n\| {2}\| A \| B \| {2}\|\n\|---\|---\|---\|---\|\n\| §5 auth-invalid-key \| \*\*pass\*\* \| \*\*fail\*\* \| expected/m,
  );
  assert.match(
    comparisonReporters.terminal(compareReports([sound, broken]), { ...inPlainText, width: 30 }),
    /\n {2}§5 auth-invalid-key\n {4}A {2}✓ pass\n {4}B {2}✗ FAIL\n {4}expected 401 for/,
  );
  const lost = withVerdict(sound, 'pet-id', { verdict: 'inconclusive' });
  assert.match(
    comparisonReporters.terminal(compareReports([sound, lost]), { ...inPlainText, width: 20 }),
    /\n {4}B {2}\? inconclusive\n\nNo regressions/,
  );
  const changed = texts(sound, other).terminal!;
  assert.match(changed, /§2 status-omitted +available: It is available\. +sold: It is sold\.$/m);
  const narrow = comparisonReporters.terminal(compareReports([sound, other]), { ...inPlainText, width: 50 });
  assert.match(narrow, /^ {2}§2 status-omitted\n {4}A {2}available: It is available\.\n {4}B {2}sold: It is sold\.$/m);
  assert.ok(narrow.split('\n').every((one) => one.length <= 50));
  assert.match(changed, 'No regressions, no fixes, 1 change of profile');
});

test('the embedded server is named as in every other report', () => {
  const embedded = { ...sound, target: { ...sound.target, isEmbedded: true as const } };
  for (const text of Object.values(texts(embedded, broken))) assert.match(text, 'the embedded reference server (http');
});

test('fixed, still broken and no longer judged requirements have tables of their own', () => {
  const lost = withVerdict(sound, 'pet-id', { verdict: 'inconclusive' });
  assert.match(texts(broken, sound).terminal!, /^Fixed\n.*\n {2}§5 auth-invalid-key +✗ FAIL +✓ pass/m);
  assert.match(texts(broken, broken).terminal!, /^Unchanged failures\n.*\n {2}§5 auth-invalid-key +✗ FAIL +✗ FAIL/m);
  assert.match(
    texts(sound, lost).terminal!,
    /^Passed before, and not judged any more\n.*\n {2}§2 pet-id +✓ pass +\? inconclusive/m,
  );
});

test('more than two reports are a matrix of requirements and targets', () => {
  const { terminal = '' } = texts(sound, broken, other);
  assert.match(
    terminal,
    /^Requirements that do not pass everywhere\n +A +B +C\n {2}§5 auth-invalid-key +✓ pass +✗ FAIL \(regression\) +✓ pass$/m,
  );
  assert.match(terminal, /^ +A +B +C\n {2}§2 status-omitted/m);
  assert.is(countChanges(compareReports([sound, other, broken]), 'regression'), 1);
});

test('interactions of pacts are compared too, and text from a target is made visible', () => {
  const interaction = { consumer: 'c', description: 'it\x1b[2J<script>', states: [], messages: [], exchanges: [] };
  const [holds, fails] = (['pass', 'fail'] as const).map((verdict) => ({
    ...sound,
    reason: reason('client-remarks', { remarks: 'it went away \x1b[2J<script>' }),
    interactions: [{ ...interaction, verdict }],
  }));
  assert.is(countChanges(compareReports([holds!, fails!]), 'regression'), 1);
  for (const text of Object.values(texts(holds!, fails!))) assert.not.ok(text.includes('\x1b'));
  const { terminal = '', markdown = '' } = texts(holds!, fails!);
  assert.match(terminal, /c: it.*script> +✓ pass +✗ FAIL/);
  assert.not.match(markdown, '<script');
});

const unjudged = { ...sound, exitCode: 3, verdict: 'inconclusive', reason: reason('answers-ceased', {}) } as const;
const files = Object.entries({ sound, broken, unjudged, other }).map(([name, report]) => {
  const file = join(folder, `${name}.json`);
  writeFileSync(file, JSON.stringify(report));
  return file;
});
const [soundFile = '', brokenFile = '', unjudgedFile = '', otherFile = ''] = files;

test('the exit code is that of the gate, and every notation goes where the user wants it', async () => {
  const file = join(folder, 'new', 'comparison.md');
  const args = ['--reporter', 'terminal', '--reporter', `markdown=${file}`];
  const results = await Promise.all(
    [
      [soundFile, brokenFile, ...args],
      [brokenFile, soundFile],
      [brokenFile, brokenFile],
      [soundFile, unjudgedFile],
      [soundFile, otherFile],
    ].map((words) => run(['compare', ...words])),
  );
  assert.equal(
    results.map(({ code }) => code),
    [1, 0, 0, 3, 0],
  );
  assert.match(results[0]!.stdout, /^1 regression/m);
  assert.match(readFileSync(file, 'utf8'), /^## 1 regression/);
});

test('a file that is no report ends with 2 and one sentence', async () => {
  const none = join(folder, 'none.json');
  writeFileSync(none, '{}');
  const cases = [
    [[soundFile], /Missing required argument .REPORT.; see/],
    [[soundFile, none], /is not a report/],
    [[soundFile, soundFile, '--all'], /Unknown option .--all./],
    [[soundFile, soundFile, '--reporter', 'junit'], /compare has the reporters terminal, markdown, not junit\./],
    [Array.from({ length: 27 }, () => soundFile), /compare takes 2 to 26 JSON reports, not 27\./],
  ] as const;
  const results = await Promise.all(cases.map(([words]) => run(['compare', ...words])));
  for (const [at, { code, stderr }] of results.entries()) {
    assert.is(code, 2);
    assert.match(stderr, cases[at]![1]);
  }
});

test.run();
