/** Several reports side by side. */

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { createPetStore } from '../../../reference-server/index.ts';
import { compareReports } from '../../commands/compare.ts';
import { faults } from '../../faults/index.ts';
import { runInProcess, trialKeys, trialSettings } from '../../faults/trial.ts';
import { run, temporaryFolder } from '../command.ts';

const folder = temporaryFolder();
const fault = faults.find(({ id }) => id === 'wrong-key-answers-403')!;
const handleOf = (gaps = {}) => createPetStore({ keys: trialKeys, gaps }).handle;
const settings = trialSettings(60);
const sound = await runInProcess(handleOf(), settings);
const other = await runInProcess(handleOf({ 'status-omitted': 'sold' }), settings);
const broken = await runInProcess(fault.wrap(handleOf()), settings);
const unjudged = { ...sound, exitCode: 3, verdict: 'inconclusive', reason: 'it went away \x1b[2J' } as const;

test('a statement that breaks somewhere has a row, one that holds everywhere has none', () => {
  const text = compareReports([sound, broken]);
  assert.match(text, /§5 auth-invalid-key +pass +fail/);
  assert.not.match(text, /pet-name-kept/);
});

test('answers that differ where the interface is silent stand side by side', () => {
  const text = compareReports([sound, other]);
  assert.match(text, /status-omitted +available +sold/);
  assert.not.match(text, /bearer-case/);
});

test('one report alone says what does not pass', () => {
  assert.match(compareReports([broken]), /auth-invalid-key +fail/);
});

test('interactions of pacts are compared too, and text from a target is made visible', () => {
  const interaction = { consumer: 'c', description: 'it', states: [], messages: [], exchanges: [] };
  const [holds, fails] = (['pass', 'fail'] as const).map((verdict) => ({
    ...unjudged,
    interactions: [{ ...interaction, verdict }],
  }));
  const text = compareReports([holds!, fails!]);
  assert.match(text, /c: it +pass +fail/);
  assert.not.ok(text.includes('\x1b'));
});

test('the exit code is the worst of the reports', async () => {
  const files = Object.entries({ sound, broken, unjudged }).map(([name, report]) => {
    const file = join(folder, `${name}.json`);
    writeFileSync(file, JSON.stringify(report));
    return file;
  });
  const codes = [[files[0]!], [files[0]!, files[2]!], files].map((some) => run(['compare', ...some]));
  assert.equal(
    (await Promise.all(codes)).map(({ code }) => code),
    [0, 3, 1],
  );
});

test('what is no report is exit code 2 and one sentence', async () => {
  const none = join(folder, 'none.json');
  writeFileSync(none, '{}');
  for (const [args, sentence] of [
    [['compare'], /compare needs 1 to 26 JSON reports; nothing was given/],
    [['compare', none], /is no report of format version 2/],
    [['compare', '--all'], /--all is no option of compare/],
  ] as const) {
    const { code, stderr } = await run(args);
    assert.is(code, 2);
    assert.match(stderr, sentence);
  }
});

test.run();
