/** `compare`: what has changed against an earlier report, and what has not. */

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { createTwin } from '../../../../reference-server/twin/gaps.ts';
import { findFault } from '../../../faults/index.ts';
import { runInProcess, trialSettings } from '../../../proof/trial.ts';
import { compareReports, countChanges } from '../../../reporters/compare.ts';
import { keysOfTrials, trialApiKeys } from '../../../services/wraps.ts';
import { reason } from '../../../verdict/reasons.ts';
import { run, temporaryFolder } from '../command.ts';

const folder = temporaryFolder();
const handleOf = (gaps = {}) => createTwin({ keys: trialApiKeys, gaps, animals: [] }).handle;
const settings = trialSettings(300);
const sound = await runInProcess(handleOf(), settings);
const other = await runInProcess(handleOf({ 'status-omitted': 'sold' }), settings);
const broken = await runInProcess(findFault('wrong-key-answers-403').wrap(handleOf(), keysOfTrials), settings);

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
