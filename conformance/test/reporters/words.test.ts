/** What reporters say in the same words: one of a thing and several, and what there is nothing of. */

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { countStatements, statementsInWords } from '../../reporters/counts.ts';
import { exchangeLines } from '../../reporters/evidence.ts';
import { leftoversInWords, remarksOn, verdictWords } from '../../reporters/words.ts';
import { sampleReport } from './sample-report.ts';

const [pass] = sampleReport.requirements;
const [_creation, listing] = sampleReport.exchanges;

test('each verdict of a run has words', () => {
  assert.equal(verdictWords, {
    conforms: 'Conforms',
    'does-not-conform': 'Does not conform',
    inconclusive: 'Could not judge',
  });
});

test('one animal is left behind, or several, or none', () => {
  const [animal] = sampleReport.created;
  assert.equal(leftoversInWords({ ...sampleReport, created: [animal!] }), [
    'It left 1 animal behind; nothing can be deleted through the interface.',
  ]);
  assert.match(leftoversInWords(sampleReport)[0]!, /^It left 2 animals behind;/);
  assert.equal(leftoversInWords({ ...sampleReport, created: [] }), []);
});

test('several errors of the kit are told as such', () => {
  const requirements = sampleReport.requirements.map((one) => ({ ...one, verdict: 'error' }) as const);
  assert.is(countStatements({ requirements }).byVerdict.error, 12);
  assert.match(statementsInWords({ requirements }), /, 12 errors of the kit: 12 statements, 0 of them judged\.$/);
});

test('there is nothing to remark on a statement that passes without a waiver', () => {
  assert.equal(remarksOn(pass!), []);
});

test('headers are shown by their whole name', () => {
  const headers = { 'x-content-type': 'a', location: 'b', 'location-x': 'c', 'x-ratelimit-window': 'd' };
  const exchange = { ...listing!, response: { status: 201, headers, body: '' } };
  assert.is(exchangeLines(exchange)[1], '< 201  location: b  x-ratelimit-window: d');
});

test.run();
