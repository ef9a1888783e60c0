/** `compare`: what has changed against an earlier report, and what has not. */

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { createTwin } from '../../../../reference-server/twin/gaps.ts';
import type { AnswerId, OpenGapId } from '../../../../spec/gaps.ts';
import { findFault } from '../../../faults/index.ts';
import { runInProcess, trialSettings } from '../../../proof/trial.ts';
import { compareReports, countChanges } from '../../../reporters/compare.ts';
import { keysOfTrials, trialApiKeys } from '../../../services/wraps.ts';
import { reason } from '../../../verdict/reasons.ts';
import type { Report } from '../../../verdict/report.ts';
import { run, temporaryFolder } from '../command.ts';

const folder = temporaryFolder();
const handleOf = (gaps = {}) => createTwin({ keys: trialApiKeys, gaps, animals: [] }).handle;
const settings = trialSettings(300);
const sound = await runInProcess(handleOf(), settings);
const other = await runInProcess(handleOf({ 'status-omitted': 'sold' }), settings);
const broken = await runInProcess(findFault('wrong-key-answers-403').wrap(handleOf(), keysOfTrials), settings);

/** The sound report with changes of one requirement. */
function withVerdict(changes: object): Report {
  const requirements = sound.requirements.map((one) => (one.id === 'pet-id' ? { ...one, ...changes } : one));
  return { ...sound, requirements };
}

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

test('what only one report was asked for, another day, seed and other ids are no difference', async () => {
  const only = { ...sound, requirements: sound.requirements.filter(({ id }) => id === 'pet-id') };
  const startsAt = Date.UTC(2027, 0, 31, 9, 0, 5);
  const later = await runInProcess(handleOf(), { ...settings, seed: 7 }, { startsAt });
  assert.not.equal(later.created, sound.created);
  for (const second of [only, later]) {
    const { verdicts, profile } = compareReports([sound, second]);
    assert.equal([verdicts, profile], [[], []]);
  }
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
  ['id-form', ['rising'], ['sequential'], false],
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

const ceased = reason('answers-ceased', { count: 7 });
const unjudged = { ...sound, exitCode: 3, verdict: 'inconclusive', reason: ceased };
const files = { sound, other, broken, unjudged, none: {} };
for (const [name, report] of Object.entries(files)) writeFileSync(join(folder, `${name}.json`), JSON.stringify(report));

const fixed =
  /^Fixed\n {2}§5 auth-invalid-key {2}A ✗ FAIL {2}B ✓ pass\n[\s\S]*\nNo regressions, 1 fix, no changes of profile\.$/m;

/** Words → the exit code, and what is printed. */
const calls: readonly (readonly [words: string, code: number, printed: RegExp])[] = [
  ['sound.json broken.json --reporter terminal --reporter markdown=new/comparison.md', 1, /^1 regression/m],
  ['broken.json sound.json', 0, fixed],
  ['sound.json unjudged.json', 3, /No regressions/],
  ['sound.json other.json', 0, /No regressions, no fixes, 1 change of profile; all conform\.\n$/],
  ['sound.json none.json', 2, /is not a report/],
  ['sound.json sound.json --reporter junit', 2, /compare has the reporters terminal, markdown, not junit\./],
];

test('compare ends with 1 on a regression, with 3 where a report could not be judged, and writes where it is asked to', async () => {
  for (const [words, code, printed] of calls) {
    const result = await run(['compare', ...words.split(' ')], {}, { cwd: folder });
    assert.is(result.code, code, result.stderr);
    assert.match(result.stdout + result.stderr, printed);
  }
  assert.match(readFileSync(join(folder, 'new', 'comparison.md'), 'utf8'), /^## 1 regression/);
  assert.is(countChanges(compareReports([sound, other, broken]), 'regression'), 1);
});

test.run();
