/** The terminal shows the verdict first and last, each cause once with its evidence, and a mark for every requirement. */

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

const { reason: _reason, interactions: _interactions, settings, ...rest } = sampleReport;
const { only: _only, ...wholeRun } = settings;
const passing = sampleReport.requirements.slice(0, 1);
const good: Report = {
  ...rest,
  settings: wholeRun,
  verdict: 'conforms',
  exitCode: 0,
  requirements: passing,
  counts: countVerdicts(passing),
  gaps: [],
  created: [],
};

const headline =
  'DOES NOT CONFORM (3 of 12 requirements fail, 1 more waived; 12 of 53 requirements, --only; pact verify: 1 of 4 interactions hold): http://127.0.0.1:8080/v1';

test('the first line is the verdict with its count, the second the tally, and the last line repeats the first', () => {
  assert.equal(blocks[0], [
    headline,
    '12 requirements: 2 passed, 4 failed (1 waived), 1 warned, 1 inconclusive, 1 skipped, 1 error of the kit, 1 not testable, 1 needs PETSTORE_RATE_LIMIT_KEY.',
    '1 of 4 interactions hold, 1 failed, 1 pending, 1 could not be verified.',
    `The waiver of list-limit-refused expired; ${shown}`,
  ]);
  assert.equal(blocks.at(-1), [
    '87 requests, 12 creations, 12.3 s, seed 42.',
    'The run leaves 2 animals behind, since the interface cannot delete any.',
    'Every requirement, and the answers to all gaps: --verbose.',
    headline,
  ]);
});

test('a cause has its requirements, remarks on them, its exchanges and a curl line', () => {
  assert.equal(block(blocks, /^Failures$/), [
    'Failures',
    '1. name-changed: expected name "Rex abc123-1", received "rex abc123-1"',
    '   ✗ FAIL  §2 pet-name-kept  An accepted name is returned code point for code point, at once and on later reads.',
    '     And 1 more like it in the JSON report; 4 more failures of the same kinds.',
    '     Reproduced on recheck.',
    '     Shortest sequence that reproduces it: #3, #4.',
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

test('requirements that share a cause stand under it, each with the failures that are its own', () => {
  const cause = block(blocks, /^2\. /);
  assert.equal(cause.slice(0, 6), [
    '2. name-missing: expected a name, received none',
    '   ✗ FAIL  §2 pet-name-kept  An accepted name is returned code point for code point, at once and on later reads.',
    '     name-null: expected a name, received null',
    '   ~ waived  §4.1 list-limit  A page holds no more animals than limit asks for, and never more than 100.',
    '     page-too-long: expected at most 1 animal, received 601',
    '     Reproduced on recheck.',
  ]);
  assert.is(cause[6], `     Waived (team ${shown}, until 2027-01-31): known ${shown}`);
  assert.match(cause.at(-2)!, /^ {3}< 601 entries, 5404 characters: \[\{"id": 7\}, .{80,220} …$/);
});

test('of many exchanges the last are shown, the others named; a flaky failure says so', () => {
  const cause = block(blocks, /^3\. wrong-status/);
  assert.equal(cause.slice(2, 4), [
    '     FLAKY: not reproduced on recheck, or it depends on the requests before it.',
    '     Shortest sequence that reproduces it: #3, #4, #5, #6, #9 (the budget ended the search for a shorter one).',
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

test('errors of the kit have a heading of their own', () => {
  assert.equal(block(blocks, /^Errors of the kit/), [
    'Errors of the kit',
    `   §4.2 create-answer: a check threw: ${shown}`,
  ]);
});

test('interactions that do not pass have their reasons, and one that fails has its exchange', () => {
  const lines = block(blocks, /^Interactions of pacts that do not pass/);
  assert.equal(
    lines.flatMap((one) => /^ {3}(\S .*?) {2}/.exec(one)?.[1] ?? []),
    ['✗ FAIL', '~ pending'],
  );
  const open = block(blocks, /^Interactions of pacts that could not be verified/);
  assert.match(open[1]!, /^ {3}\? not verifiable {2}/);
  assert.equal(lines.slice(2, 5), [
    `     ${shown}`,
    '     expected status 200, received 500',
    '     #6 GET /pets?limit=2&status=sold  with the API key',
  ]);
  const all = block(fullBlocks, /^Interactions of pacts$/);
  assert.is(all[1], '   ✓ pass  adoption-site: a listing of sold animals');
});

test('every section is a row with a mark for each of its requirements, and the marks are explained', () => {
  assert.equal(block(blocks, /^Interactions of pacts {2}/), [
    'Interactions of pacts          ✓✗~?',
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

test('where no check mark can be shown, plain letters replace it', () => {
  const ascii = reportTerminal(sampleReport, { ...unwrapped, signs: 'ascii' });
  assert.match(ascii, /\n§4\.1 List all animals {10}x~!\?\n/);
  assert.match(ascii, /\n {3}x FAIL {2}§2 pet-name-kept/);
  assert.not.match(ascii, /[✓✗]/);
});

test('in full, every requirement has its reason, or the number of its exchanges', () => {
  assert.equal(block(fullBlocks, /^§1 /), [
    '§1 What the service does',
    '  ✓ pass  service-json  Every payload is well-formed JSON, sent as application/json. (41 exchanges)',
    '  - not applicable  service-staging-paths  Staging has a base address of its own, with the same paths. (A run judges one base address; run the kit against each.)',
  ]);
  assert.equal(block(fullBlocks, /^§2 /).slice(1), [
    '  ✓ pass  pet-id-unique  The service assigns ids, and no two animals share one. (1 exchange; Stale waiver (pets team, until 2027-01-31): mended in 2.0)',
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

test('in full, gaps have their observed answers, and those that were not observed are named', () => {
  const gaps = block(fullBlocks, /^Gaps of the interface/);
  assert.is(gaps[1], '  §2 known-categories: accepted');
  assert.is(gaps[2], '  §2 name-limits: not-empty, other-length');
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
  // A matrix of question marks would say nothing.
  assert.is(
    reportTerminal(unreachable, unwrapped),
    `COULD NOT JUDGE (nothing was judged): http://127.0.0.1:8080/v1\n${reason}\n`,
  );
});

test('quiet is one line', () => {
  assert.is(
    reportTerminal(sampleReport, { ...inPlainText, detail: 'line' }),
    `${headline.replace('DOES NOT CONFORM', 'Does not conform')}\n`,
  );
});

test('a run that went well is short', () => {
  const first = 'CONFORMS (1 of 1 requirements pass): http://127.0.0.1:8080/v1';
  assert.equal(reportTerminal(good).split('\n'), [
    first,
    '1 requirement: 1 passed.',
    '',
    '§1 What the service does  ✓',
    '✓\u00a0pass',
    '',
    '87 requests, 12 creations, 12.3 s, seed 42.',
    'Every requirement, and the answers to all gaps: --verbose.',
    first,
    '',
  ]);
});

test('warnings have a heading of their own, behind the failures', () => {
  const requirements = sampleReport.requirements.filter(({ id }) =>
    ['auth-invalid-key', 'list-limit-refused'].includes(id),
  );
  const text = reportTerminal({ ...good, requirements, counts: countVerdicts(requirements) });
  assert.match(text, /\n\nFailures\n1\. served-without-key: [\s\S]*\n\nWarnings\n2\. limit-accepted: /);
});

test('failures have a heading', () => {
  const requirements = sampleReport.requirements.filter(({ id }) => id === 'auth-invalid-key');
  assert.match(reportTerminal({ ...good, requirements }), /\n\nFailures\n1\. served-without-key: /);
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
