/** The reporter of waivers writes what `--waivers` reads, keeps what a person has filled in, and says what is new or gone. */

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { reportWaivers } from '../../reporters/waivers.ts';
import type { ReportedRequirement } from '../../verdict/report.ts';
import { sampleReport } from './sample-report.ts';

type Waiver = NonNullable<ReportedRequirement['waiver']>;

const [usual] = sampleReport.requirements;
const failure = { code: 'id-missing', expected: 'an id', received: 'none', exchanges: [1], curl: '' };
const waiver: Waiver = { reason: 'mended: "2.0"', owner: 'us\u202e', expires: '2027-01-31', state: 'waived' };

/** The lines for one requirement that fails, without the line for the reader. */
function linesOf(part: Partial<ReportedRequirement>): readonly string[] {
  const one: ReportedRequirement = { ...usual!, id: 'pet-id', verdict: 'fail', failures: [failure], ...part };
  const [first, ...lines] = reportWaivers({ ...sampleReport, requirements: [one] })
    .trimEnd()
    .split('\n');
  assert.match(first!, /^# Fill in who mends each failure and why it is accepted until then; --waivers refuses /);
  return lines;
}

const empty = ['- id: pet-id', '  owner: ""', '  reason: ""', '  expires: 2027-02-19'];
const kept = ['- id: pet-id', '  owner: "us\\u202e"', '  reason: "mended: \\"2.0\\""', '  expires: "2027-01-31"'];

test('a new failure is waived for ninety days with all its ways, once owner and reason are filled in', () => {
  assert.equal(linesOf({}), ['# id-missing: expected an id, received none', ...empty]);
  assert.equal(linesOf({ ways: ['id-missing: on 200', 'b'] }), [
    '# id-missing: expected an id, received none',
    ...empty,
    '  covers:',
    '    - "id-missing: on 200"',
    '    - "b"',
  ]);
  const long = linesOf({ failures: [{ ...failure, received: `\n${'x'.repeat(300)}` }] });
  assert.match(long[0]!, /^# id-missing: expected an id, received <U\+000A>x+… \(338 characters\)$/);
});

test('what a person has filled in is kept with the ways that it covers, and new ways are a comment', () => {
  assert.equal(linesOf({ waiver, ways: ['a', 'b'] }), ['# id-missing: expected an id, received none', ...kept]);
  const covers = ['a'];
  assert.equal(linesOf({ waiver: { ...waiver, covers }, ways: ['a', 'b'] }).slice(5), ['  covers:', '    - "a"']);
  assert.equal(linesOf({ waiver: { ...waiver, covers, state: 'exceeded' }, ways: ['a', 'b'] }).slice(5), [
    '  covers:',
    '    - "a"',
    '    # new: "b"',
  ]);
});

test('a waiver whose requirement does not fail stays, and says what became of it', () => {
  const remarkOf = (verdict: ReportedRequirement['verdict']) => linesOf({ verdict, waiver, failures: [] })[0];
  assert.is(remarkOf('pass'), '# It holds in this run: remove the waiver.');
  assert.is(remarkOf('skipped'), '# It was not judged in this run.');
  assert.is(remarkOf('inconclusive'), '# It was not judged in this run.');
  assert.is(remarkOf('not-applicable'), '# not-applicable');
  assert.equal(linesOf({ verdict: 'pass', waiver, failures: [] }).slice(1), kept);
});

test('where nothing fails and nothing is waived there is an empty list, and a warning needs no waiver', () => {
  const nothing = '# Nothing failed, so there is nothing to waive.\n[]\n';
  assert.is(reportWaivers({ ...sampleReport, requirements: [] }), nothing);
  const passing = { ...usual!, verdict: 'pass', failures: [] } as const;
  const warned = { ...usual!, verdict: 'warn', failures: [failure] } as const;
  assert.is(reportWaivers({ ...sampleReport, requirements: [passing, warned] }), nothing);
});

test.run();
