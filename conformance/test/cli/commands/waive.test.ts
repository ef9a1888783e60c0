/** Waivers for what fails in a report, ready for --waivers. */

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { createPetStore } from '../../../../reference-server/index.ts';
import { showWaivers } from '../../../cli/commands/waive.ts';
import { readWaivers } from '../../../cli/waivers.ts';
import { runInProcess, trialKeys, trialSettings } from '../../../proof/trial.ts';
import { faults } from '../../../sections/faults.ts';
import { sentenceOf } from '../../../verdict/failure.ts';
import type { Report } from '../../../verdict/report.ts';
import { run, temporaryFolder } from '../command.ts';

const folder = temporaryFolder();
const fault = faults.find(({ id }) => id === 'wrong-key-answers-403')!;
const handle = fault.wrap(createPetStore({ keys: trialKeys }).handle);
const report = await runInProcess(handle, trialSettings(60));
const terms = { owner: 'pet team', expires: '2027-01-31' };

/** What a run reads of the waivers of a report. */
function readBack(from: Report) {
  const file = join(folder, 'waivers.yaml');
  writeFileSync(file, showWaivers(from, terms));
  return readWaivers(file);
}

/** The report with changes to the one requirement that fails. */
function withFailing(changes: object): Report {
  return {
    ...report,
    requirements: report.requirements.map((one) => (one.verdict === 'fail' ? { ...one, ...changes } : one)),
  };
}

test('each failure is waived with its message, and a run reads the file', () => {
  const [failing] = report.requirements.filter(({ verdict }) => verdict === 'fail');
  assert.equal(
    [...readBack(report)],
    [
      [
        'auth-invalid-key',
        [
          {
            reason: sentenceOf(failing!.failures[0]!),
            owner: 'pet team',
            expires: '2027-01-31',
            run: { requests: 60, seed: 1 },
          },
        ],
      ],
    ],
  );
});

test('a waiver that holds is kept, an expired one is renewed', () => {
  const waiver = { reason: 'as before', owner: 'others', expires: '2026-12-31' };
  assert.equal(readBack(withFailing({ waiver: { ...waiver, state: 'waived' } })).get('auth-invalid-key'), [waiver]);
  const renewed = readBack(withFailing({ waiver: { ...waiver, state: 'expired' } })).get('auth-invalid-key')?.[0];
  assert.equal([renewed?.owner, renewed?.expires], ['pet team', '2027-01-31']);
});

test('warnings and requirements that were not judged are not waived, and a run without failures gives an empty list', () => {
  for (const verdict of ['warn', 'inconclusive', 'pass'])
    assert.is(showWaivers(withFailing({ verdict }), terms), '[]\n');
  assert.is(readBack(withFailing({ verdict: 'pass' })).size, 0);
});

test('a message of a target stays one text, whatever is in it', () => {
  const hostile = `"\n- id: pet-id\n  reason: '\x1b[2J${'x'.repeat(500)}`;
  const text = showWaivers(
    withFailing({ failures: [{ code: 'c', expected: 'c', received: hostile, exchanges: [], curl: '' }] }),
    terms,
  );
  assert.not.ok(text.includes('\x1b'));
  const read = readBack(
    withFailing({ failures: [{ code: 'c', expected: 'c', received: hostile, exchanges: [], curl: '' }] }),
  );
  assert.equal([...read.keys()], ['auth-invalid-key']);
  assert.ok(read.get('auth-invalid-key')![0]!.reason.length < 300);
});

test('the command prints them, and asks for owner and day', async () => {
  const file = join(folder, 'report.json');
  writeFileSync(file, JSON.stringify(report));
  const [all, noOwner, noDay, empty] = await Promise.all(
    [
      ['--owner', 'pet team', '--expires', '2027-01-31'],
      ['--expires', '2027-01-31'],
      ['--owner', 'x'],
      ['--owner', ' '],
    ].map((flags) => run(['waive', file, ...flags])),
  );
  assert.equal(all, { code: 0, stdout: showWaivers(report, terms), stderr: '' });
  assert.match(noOwner!.stderr, 'waive needs --owner NAME');
  assert.match(noDay!.stderr, 'waive needs --expires DATE');
  assert.match(empty!.stderr, '--owner must not be empty.');
  assert.equal([noOwner!.code, noDay!.code, empty!.code], [2, 2, 2]);
});

test.run();
