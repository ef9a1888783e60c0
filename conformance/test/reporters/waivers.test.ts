/** Waivers for the failures of a report hold once somebody has filled in an owner and a reason. */

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { parse } from 'yaml';
import { readWaiverList } from '../../options/waivers.ts';
import { reporters } from '../../reporters/index.ts';
import type { Waivers } from '../../verdict/waivers.ts';
import { sampleReport } from './sample-report.ts';

const text = reporters.waivers(sampleReport);

function read(yaml: string): Waivers {
  return readWaiverList(parse(yaml), 'waivers.yaml');
}

test('a file whose owner or reason is empty is refused', () => {
  assert.throws(() => read(text), /has no owner and no reason: fill in/);
  const owned = text.replaceAll('owner: ""', 'owner: "us"');
  assert.throws(() => read(owned), /has no reason: fill in/);
});

test('with both, every failure is waived for ninety days, and a waiver that holds is kept as it is', () => {
  const waivers = read(text.replaceAll('owner: ""', 'owner: "us"').replaceAll('reason: ""', 'reason: "why"'));
  assert.equal([...waivers.keys()], ['pet-name-kept', 'list-answer', 'list-limit', 'auth-invalid-key']);
  const [own] = waivers.get('list-answer')!;
  assert.equal(own, { owner: 'us', reason: 'why', expires: '2027-02-19' });
  const { state: _state, ...kept } = sampleReport.requirements.find(({ id }) => id === 'list-limit')!.waiver!;
  assert.equal(waivers.get('list-limit'), [kept]);
});

test('a report without failures waives nothing', () => {
  assert.is(read(reporters.waivers({ ...sampleReport, requirements: [] })).size, 0);
});

test.run();
