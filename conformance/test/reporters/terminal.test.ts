/** The terminal tells the verdict first and last, each cause once with what bears it out, and marks every requirement. */

import { stripVTControlCharacters } from 'node:util';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { escapeForTerminal } from '../../reporters/escape.ts';
import { inPlainText, type Presentation } from '../../reporters/presentation.ts';
import { inColour } from '../../reporters/styled-lines.ts';
import { reportTerminal } from '../../reporters/terminal.ts';
import { widthOf } from '../../reporters/width.ts';
import { countVerdicts } from '../../verdict/counts.ts';
import type { Report } from '../../verdict/report.ts';
import { hostile, sampleReport } from './sample-report.ts';

/** A line of the report is a line of this, however long. */
const unwrapped = { ...inPlainText, width: Number.POSITIVE_INFINITY };
const shown = escapeForTerminal(hostile);

function blocksOf(report: Report, presentation: Presentation): readonly (readonly string[])[] {
  return reportTerminal(report, presentation)
    .split('\n\n')
    .map((block) => block.trimEnd().split('\n'));
}

const blocks = blocksOf(sampleReport, unwrapped);
const fullBlocks = blocksOf(sampleReport, { ...unwrapped, detail: 'full' });

/** The block that begins with a line. */
function block(all: readonly (readonly string[])[], first: RegExp): readonly string[] {
  const found = all.find((one) => first.test(one[0]!));
  assert.ok(found !== undefined, `there is no ${first}`);
  return found;
}

const { reason: _reason, interactions: _interactions, ...rest } = sampleReport;
const passing = sampleReport.requirements.slice(0, 1);
const good: Report = {
  ...rest,
  verdict: 'conforms',
  exitCode: 0,
  requirements: passing,
  counts: countVerdicts(passing),
  gaps: [],
  created: [],
};

const headline =
  'DOES NOT CONFORM in 4 of 7 requirements; 5 not judged: 1 can be shown by no request, 2 were shown by no answer, 1 broke our check, 1 needs a second key';

test('the verdict stands first, with the target and why, and once more at the end, with the numbers', () => {
  assert.equal(blocks[0], [headline, 'http://127.0.0.1:8080/v1', `The waiver of list-limit-refused expired; ${shown}`]);
  assert.equal(blocks.at(-1), [
    headline,
    '1 of 4 interactions hold, 1 failed, 1 pending, 1 could not be verified.',
    '2 passed, 4 failed, 1 warned, 1 of them waived, 1 inconclusive, 2 skipped, 1 not applicable, 1 error of the kit: 12 requirements, 7 of them judged.',
    '87 requests, 12 creations, 12.3 s, seed 42.',
    'It left 2 animals behind; nothing can be deleted through the interface.',
    'Every requirement, and what was observed where the interface is silent: --verbose.',
  ]);
});

test('a cause is told with its requirements, what is known of them, its exchanges and a curl line', () => {
  assert.equal(block(blocks, /^What is wrong, in 4 causes$/), [
    'What is wrong, in 4 causes',
    '1. name-changed: expected name "Rex abc123-1", received "rex abc123-1"',
    '   ✗ FAIL  §2 pet-name-kept  An accepted name is returned code point for code point, at once and on later reads. (and 1 more like it, in the JSON report)',
    '     And 4 more failures of the same kinds.',
    '     It failed again when it was asked once more.',
    '     Shortest sequence that shows it: #3, #4.',
    '   #3 POST /pets  with the API key',
    '   > {"name":"Rex abc123-1","categoryId":1}',
    '   < 201  content-type: application/json  x-ratelimit-limit: 60  x-ratelimit-remaining: 41  x-ratelimit-reset: 1795255260',
    '   < {"id":7,"name":"Rex abc123-1","categoryId":1}',
    '   #4 GET /pets?limit=100  with the API key',
    '   < 200  content-type: application/json  x-ratelimit-limit: 60  x-ratelimit-remaining: 41  x-ratelimit-reset: 1795255260',
    '   < [{"id":7,"name":"rex abc123-1","categoryId":1}]',
    '   curl -i \'http://127.0.0.1:8080/v1/pets?limit=100\' -H "Authorization: Bearer $PETSTORE_API_KEY"',
  ]);
});

test('requirements that share a cause are told with it, each with what is its own', () => {
  const cause = block(blocks, /^2\. /);
  assert.equal(cause.slice(0, 6), [
    '2. name-missing: expected a name, received none',
    '   ✗ FAIL  §2 pet-name-kept  An accepted name is returned code point for code point, at once and on later reads.',
    '     name-null: expected a name, received null',
    '   ~ waived  §4.1 list-limit  A page holds no more animals than limit asks for, and never more than 100.',
    '     page-too-long: expected at most 1 animal, received 601',
    '     It failed again when it was asked once more.',
  ]);
  assert.is(cause[6], `     Waiver (waived) of team ${shown}, until 2027-01-31: known ${shown}`);
  assert.match(cause.at(-2)!, /^ {3}< 601 entries, 5404 characters: \[\{"id": 7\}, .{150,380} …$/);
});

test('of many exchanges the last are shown, the others named; a flaky failure says so', () => {
  const cause = block(blocks, /^3\. wrong-status/);
  assert.equal(cause.slice(2, 4), [
    '     FLAKY: it did not fail when it was asked once more, or it depends on what came before.',
    '     Shortest sequence that shows it: #3, #4, #5, #6, #9 (the budget ended the search for a shorter one).',
  ]);
  assert.ok(cause.includes('   2 exchanges before these: #3, #4'));
  assert.equal(
    cause.flatMap((one) => /^ {3}#(\d+) /.exec(one)?.[1] ?? []),
    ['5', '6', '9'],
  );
});

test('a request without a response says why; of the headers those are shown that the interface speaks of', () => {
  assert.ok(block(blocks, /^4\. /).includes(`   < no response: socket hang up ${shown}`));
  const received = block(blocks, /^3\. /).find((one) => one.includes('location: '));
  assert.equal(received?.match(/(?<= {2})[a-z-]+(?=: )/g), [
    'content-type',
    'x-ratelimit-limit',
    'x-ratelimit-remaining',
    'x-ratelimit-reset',
    'location',
  ]);
});

test('what broke in the kit is told as ours', () => {
  assert.equal(block(blocks, /^What broke in the kit/), [
    'What broke in the kit',
    `   §4.2 create-answer: a check threw: ${shown}`,
  ]);
});

test('interactions that do not hold are told with why, and one that fails with its own exchange', () => {
  const told = block(blocks, /^What consumers recorded and does not hold/);
  assert.equal(
    told.flatMap((one) => /^ {3}(\S .*?) {2}/.exec(one)?.[1] ?? []),
    ['✗ FAIL', '~ pending', '? not verifiable'],
  );
  assert.equal(told.slice(2, 5), [
    `     ${shown}`,
    '     expected status 200, received 500',
    '     #6 GET /pets?limit=2&status=sold  with the API key',
  ]);
  const all = block(fullBlocks, /^What consumers recorded$/);
  assert.is(all[1], '   ✓ pass  adoption-site: a listing of sold animals');
});

test('every section is a row with a mark for each of its requirements, and the marks are explained', () => {
  assert.equal(block(blocks, /^What consumers recorded {2}/), [
    'What consumers recorded        ✓✗~?',
    '§1 What the service does       ✓-',
    '§2 Resources and their fields  ✓✗',
    '§4.1 List all animals          ✗~!?',
    '§4.2 Add an animal             E',
    '§5 Authentication              ✗',
    '§8 Limits                      -',
    '§9 Versioning                  -',
    '✓\u00a0pass  ✗\u00a0fail  ~\u00a0pending,\u00a0waived  ?\u00a0not\u00a0verifiable,\u00a0inconclusive  -\u00a0not\u00a0applicable,\u00a0skipped  !\u00a0warn  E\u00a0error\u00a0of\u00a0the\u00a0kit',
  ]);
});

test('where no check mark can be shown, plain letters stand for it', () => {
  const ascii = reportTerminal(sampleReport, { ...unwrapped, signs: 'ascii' });
  assert.match(ascii, /\n§4\.1 List all animals {10}x~!\?\n/);
  assert.match(ascii, /\n {3}x FAIL {2}§2 pet-name-kept/);
  assert.not.match(ascii, /[✓✗]/);
});

test('in full, every requirement is told with its reason, or with how much shows it', () => {
  assert.equal(block(fullBlocks, /^§1 /), [
    '§1 What the service does',
    '  ✓ pass  service-json  Every payload is well-formed JSON, sent as application/json. (41 exchanges)',
    '  - not applicable  service-staging-paths  Staging has a base address of its own, with the same paths. (A run judges one base address; run the kit against each.)',
  ]);
  assert.equal(block(fullBlocks, /^§2 /).slice(1), [
    '  ✓ pass  pet-id-unique  The service assigns ids, and no two animals share one. (1 exchange; Waiver (stale) of pets team, until 2027-01-31: mended in 2.0)',
    '  ✗ FAIL  pet-name-kept  An accepted name is returned code point for code point, at once and on later reads. (5 exchanges)',
  ]);
  assert.equal(
    block(fullBlocks, /^§4\.1 /)
      .slice(1)
      .map((one) => one.trimStart().split('  ')[0]),
    ['✗ FAIL', '~ waived', '! warn', '? inconclusive'],
  );
  assert.ok(block(fullBlocks, /^§4\.1 /)[4]?.endsWith(` (the service answered ${shown})`));
  assert.not.ok(fullBlocks.at(-1)?.some((one) => one.includes('--verbose')));
});

test('in full, gaps are told with what was observed, and which were not', () => {
  const gaps = block(fullBlocks, /^Where the interface is silent/);
  assert.is(gaps[1], '  §2 known-categories: Every int64 is accepted as a category.');
  assert.match(gaps[2]!, /^ {2}§2 name-limits: 400 with .*… \(\d+ characters\)$/);
  assert.is(gaps[3], '  Not observed: store-orders');
});

test('a run that could not begin says its reason once, in full too', () => {
  const reason = 'There is no answer: connect ECONNREFUSED 127.0.0.1:9.';
  const requirements = sampleReport.requirements.map(
    ({ id, section, level, text }) =>
      ({ id, section, level, text, verdict: 'inconclusive', evidence: 0, reason, failures: [] }) as const,
  );
  const unreachable: Report = {
    ...good,
    verdict: 'inconclusive',
    exitCode: 3,
    reason,
    requirements,
    counts: countVerdicts(requirements),
  };
  for (const detail of ['short', 'full'] as const) {
    assert.is(reportTerminal(unreachable, { ...unwrapped, detail }).split(reason).length, 2);
  }
});

test('quiet is one line', () => {
  assert.is(
    reportTerminal(sampleReport, { ...inPlainText, detail: 'line' }),
    `${headline.replace('DOES NOT CONFORM', 'Does not conform')}: http://127.0.0.1:8080/v1\n`,
  );
});

test('a run that went well is short', () => {
  assert.equal(reportTerminal(good).split('\n'), [
    'CONFORMS in 1 of 1 requirements',
    'http://127.0.0.1:8080/v1',
    '',
    '§1 What the service does  ✓',
    '✓\u00a0pass',
    '',
    'CONFORMS in 1 of 1 requirements',
    '1 passed, 0 failed, 0 warned, 0 inconclusive, 0 skipped, 0 not applicable: 1 requirement, 1 of',
    '  them judged.',
    '87 requests, 12 creations, 12.3 s, seed 42.',
    'Every requirement, and what was observed where the interface is silent: --verbose.',
    '',
  ]);
});

test('one cause is not counted', () => {
  const requirements = sampleReport.requirements.filter(({ id }) => id === 'auth-invalid-key');
  assert.match(reportTerminal({ ...good, requirements }), /\n\nWhat is wrong\n1\. served-without-key: /);
});

test('in colour it is the same text, with a colour for each verdict', () => {
  const coloured = reportTerminal(sampleReport, { ...unwrapped, paint: inColour });
  assert.is(stripVTControlCharacters(coloured), reportTerminal(sampleReport, unwrapped));
  for (const mark of [
    '\x1b[32m✓\x1b[39m',
    '\x1b[31m✗ FAIL\x1b[39m',
    '\x1b[31mE\x1b[39m',
    '\x1b[33m!\x1b[39m',
    '\x1b[33m~ waived\x1b[39m',
    '\x1b[33m?\x1b[39m',
    '\x1b[2m-\x1b[22m',
    '\x1b[31mDOES NOT CONFORM\x1b[39m',
    '\x1b[31m1. name-changed\x1b[39m',
    '\x1b[1m§2 pet-name-kept\x1b[22m',
  ]) {
    assert.ok(coloured.includes(mark), JSON.stringify(mark));
  }
});

test('no line is wider than asked for, but for words of a command, and none is a command to a CI', () => {
  for (const detail of ['short', 'full'] as const) {
    for (const width of [40, 60, 100]) {
      const lines = reportTerminal(sampleReport, { ...inPlainText, width, detail }).split('\n');
      for (const one of lines) {
        const isOfCommand = /^ +(curl|'|-)/.test(one);
        assert.ok(isOfCommand || widthOf(one) <= width, `${width}: ${one}`);
        assert.not.match(one, /^\s*::|##\w*\[/);
      }
    }
  }
});

test.run();
