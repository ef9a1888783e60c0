/** Requirements are counted in one place, so all reporters show the same numbers. */

import { XMLParser } from 'fast-xml-parser';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { countWaived, interactionsInWords, requirementsInWords } from '../../reporters/counts.ts';
import { reporters } from '../../reporters/index.ts';
import { inPlainText } from '../../reporters/presentation.ts';
import { reportTerminal } from '../../reporters/terminal.ts';
import { countVerdicts } from '../../verdict/counts.ts';
import { sampleReport } from './sample-report.ts';

const sentence =
  '12 requirements: 2 passed, 4 failed (1 waived), 1 warned, 1 inconclusive, 1 skipped, 1 error of the kit, 1 not testable, 1 needs PETSTORE_RATE_LIMIT_KEY.';

test('all requirements are counted, those that passed, failed or warned as judged', () => {
  assert.equal(countVerdicts(sampleReport.requirements), {
    pass: 2,
    fail: 4,
    warn: 1,
    inconclusive: 1,
    skipped: 2,
    'not-applicable': 1,
    error: 1,
    total: 12,
    judged: 7,
  });
  assert.is(countWaived(sampleReport), 1);
  assert.is(requirementsInWords(sampleReport), sentence);
});

test('verdicts that do not occur are not counted', () => {
  const requirements = sampleReport.requirements.filter(({ id }) => id === 'service-json');
  assert.is(requirementsInWords({ requirements }), '1 requirement: 1 passed.');
});

test('interactions are counted by verdict', () => {
  assert.equal(interactionsInWords(sampleReport), [
    '1 of 4 interactions hold, 1 failed, 1 pending, 1 could not be verified.',
  ]);
  const holding = (sampleReport.interactions ?? []).filter(({ verdict }) => verdict === 'pass');
  assert.equal(interactionsInWords({ interactions: holding }), ['1 of 1 interactions hold.']);
  assert.equal(interactionsInWords({}), []);
});

test('the terminal shows the counts of all requirements', () => {
  assert.is(reporters.terminal(sampleReport).replaceAll(/\s+/g, ' ').split(sentence).length, 2);
});

for (const name of ['junit', 'html', 'markdown', 'github'] as const) {
  test(`${name} shows the counts of all requirements`, () => {
    const text = reporters[name](sampleReport).replaceAll('&#95;', '_');
    assert.is(text.split(sentence).length, 2);
  });
}

test('each requirement is a line of the terminal, a row of the page, a case of junit, an item of the JSON', () => {
  const lines = reportTerminal(sampleReport, { ...inPlainText, detail: 'full' }).split('\n');
  const isRequirement = (line: string): boolean =>
    sampleReport.requirements.some(({ id }) => line.includes(`  ${id}  `));
  assert.is(lines.filter(isRequirement).length, 12);
  assert.is(reporters.html(sampleReport).match(/ id="requirement-/g)?.length, 12);
  const { testsuites } = new XMLParser({ ignoreAttributes: false }).parse(reporters.junit(sampleReport));
  const suite = testsuites.testsuite.find((one: Record<string, unknown>) => one['@_name'] === 'requirements');
  assert.is(suite['@_tests'], '12');
  assert.is(suite.testcase.length, 12);
  assert.is(JSON.parse(reporters.json(sampleReport)).requirements.length, 12);
});

test.run();
