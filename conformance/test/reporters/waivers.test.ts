/** Waivers for the failures of a report hold once somebody has filled in an owner and a reason. */

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { readWaivers } from '../../cli/waivers.ts';
import { reporters } from '../../reporters/index.ts';
import { temporaryFolder } from '../cli/command.ts';
import { sampleReport } from './sample-report.ts';

const file = join(temporaryFolder(), 'waivers.yaml');
const text = reporters.waivers(sampleReport);

test('a file whose owner or reason is empty is refused', () => {
  writeFileSync(file, text);
  assert.throws(() => readWaivers(file), /needs a text as its (owner|reason)/);
  writeFileSync(file, text.replaceAll('owner: ""', 'owner: "us"'));
  assert.throws(() => readWaivers(file), /needs a text as its reason/);
});

test('with both, every failure is waived for ninety days, and a waiver that holds is kept as it is', () => {
  writeFileSync(file, text.replaceAll('owner: ""', 'owner: "us"').replaceAll('reason: ""', 'reason: "why"'));
  const waivers = readWaivers(file);
  assert.equal([...waivers.keys()], ['pet-name-kept', 'list-answer', 'list-limit', 'auth-invalid-key']);
  const [own] = waivers.get('list-answer')!;
  assert.equal(own, { owner: 'us', reason: 'why', expires: '2027-02-19' });
  const { state: _state, ...kept } = sampleReport.requirements.find(({ id }) => id === 'list-limit')!.waiver!;
  assert.equal(waivers.get('list-limit'), [kept]);
});

test('a report without failures waives nothing', () => {
  writeFileSync(file, reporters.waivers({ ...sampleReport, requirements: [] }));
  assert.is(readWaivers(file).size, 0);
});

test.run();
