/** The terminal tells every verdict with its reason, and every failure with what bears it out. */

import { stripVTControlCharacters } from 'node:util';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { countVerdicts } from '../../engine/counts.ts';
import { escapeForTerminal } from '../../reporters/escape.ts';
import { inColour } from '../../reporters/styled-lines.ts';
import { reportTerminal } from '../../reporters/terminal.ts';
import { hostile, sampleReport } from './sample-report.ts';

const text = reportTerminal(sampleReport);
const lines = text.split('\n');
const blocks = text.split('\n\n').map((block) => block.split('\n'));
const shown = escapeForTerminal(hostile);

/** The lines below a heading. */
function below(heading: string): readonly string[] {
  const [block] = blocks.filter(([first]) => first === heading);
  assert.ok(block !== undefined, `there is no ${heading}`);
  return block.slice(1);
}

test('verdicts stand in the sections of the interface, in their order', () => {
  assert.equal(
    lines.filter((line) => line.startsWith('§')),
    [
      '§1 What the service does',
      '§2 Resources and their fields',
      '§4.1 List all animals',
      '§4.2 Add an animal',
      '§5 Authentication',
      '§8 Limits',
      '§9 Versioning',
    ],
  );
});

test('each verdict is told with its reason, or with how much shows it', () => {
  assert.equal(below('§1 What the service does'), [
    '  ✓ pass  service-json  Every payload is well-formed JSON, sent as application/json. (41 exchanges)',
    '  - not applicable  service-staging-paths  Staging has a base address of its own, with the same paths. (A run judges one base address; run the kit against each.)',
  ]);
  assert.equal(below('§2 Resources and their fields'), [
    '  ✓ pass  pet-id-unique  The service assigns ids, and no two animals share one. (1 exchange; Waiver (stale) of pets team, until 2027-01-31: mended in 2.0)',
    '  ✗ FAIL  pet-name-kept  An accepted name is returned code point for code point, at once and on later reads. (5 exchanges)',
  ]);
  assert.equal(
    below('§4.1 List all animals').map((line) => line.trimStart().split('  ')[0]),
    ['✗ FAIL', '~ waived', '! warn', '? inconclusive'],
  );
  assert.ok(below('§4.1 List all animals')[3]?.endsWith(` (the service answered ${shown})`));
  assert.match(below('§4.2 Add an animal')[0]!, /^ {2}✗ error of the kit {2}create-answer {2}.* \(a check threw: /);
  assert.equal(below('§9 Versioning'), [
    '  - skipped  version-base-address  The base address ends in the version segment v1. (the run was told not to look)',
  ]);
});

test('a failure is told with its message, its exchanges, its curl line and what else is known of it', () => {
  assert.equal(below('WARN §4.1 list-limit-refused'), [
    '  A limit outside 1 to 100, or none that is an integer, is refused with an Error.',
    '  limit-accepted: expected an Error, received 500 without one',
    '    #9 GET /pets?limit=101  with the API key',
    '    < 500',
    '    < (empty)',
    '    curl -i \'http://127.0.0.1:8080/v1/pets?limit=101\' -H "Authorization: Bearer $PETSTORE_API_KEY"',
    '  Waiver (expired) of pets team, until 2026-11-01: not before 3.0',
  ]);
  assert.equal(below('FAIL §2 pet-name-kept').slice(0, 10), [
    '  An accepted name is returned code point for code point, at once and on later reads.',
    '  name-changed: expected name "Rex abc123-1", received "rex abc123-1"',
    '    #3 POST /pets  with the API key',
    '    > {"name":"Rex abc123-1","categoryId":1}',
    '    < 201  content-type: application/json  x-ratelimit-limit: 60  x-ratelimit-remaining: 41  x-ratelimit-reset: 1795255260',
    '    < {"id":7,"name":"Rex abc123-1","categoryId":1}',
    '    #4 GET /pets?limit=100  with the API key',
    '    < 200  content-type: application/json  x-ratelimit-limit: 60  x-ratelimit-remaining: 41  x-ratelimit-reset: 1795255260',
    '    < [{"id":7,"name":"rex abc123-1","categoryId":1}]',
    '    curl -i \'http://127.0.0.1:8080/v1/pets?limit=100\' -H "Authorization: Bearer $PETSTORE_API_KEY"',
  ]);
});

test('two failures of a statement are shown whole, and of the others how many there are', () => {
  assert.equal(
    below('FAIL §2 pet-name-kept')
      .filter((line) => /^ {2}\S/.test(line))
      .map((line) => line.slice(0, 50)),
    [
      '  An accepted name is returned code point for code',
      '  name-changed: expected name "Rex abc123-1", rece',
      '  name-changed: expected name of no harm, received',
      '  and 2 more, in the JSON report',
      '  And 4 more failures of the same kinds.',
      '  It failed again when it was asked once more.',
      '  Shortest sequence that shows it: #3, #4.',
    ],
  );
});

test('of many exchanges the last are shown, the others named; a flaky failure says so', () => {
  const failure = below('FAIL §4.1 list-answer');
  assert.is(failure[2], '    2 exchanges before these: #3, #4');
  assert.equal(
    failure.flatMap((line) => /^ {4}#(\d+) /.exec(line)?.[1] ?? []),
    ['5', '6', '9'],
  );
  assert.equal(failure.slice(-2), [
    '  FLAKY: it did not fail when it was asked once more, or it depends on what came before.',
    '  Shortest sequence that shows it: #3, #4, #5, #6, #9 (the budget ended the search for a shorter one).',
  ]);
});

test('a request without a response says why, and a long body is cut', () => {
  assert.ok(below('FAIL §5 auth-invalid-key').includes(`    < no response: socket hang up ${shown}`));
  assert.match(below('WAIVED §4.1 list-limit')[4]!, /^ {4}< \[\{"id":7\}.{390,410}… \(5404 characters\)$/);
});

test('of the headers of a response those are shown that the interface speaks of', () => {
  const [, received = ''] = /#6 GET .*\n(.*)/.exec(text) ?? [];
  assert.equal(received.match(/(?<= {2})[a-z-]+(?=: )/g), [
    'content-type',
    'x-ratelimit-limit',
    'x-ratelimit-remaining',
    'x-ratelimit-reset',
    'location',
  ]);
});

test('an interaction that fails is told with why, and with its own exchange', () => {
  const interactions = below('What consumers recorded');
  assert.equal(
    interactions.flatMap((line) => /^ {2}(\S .*?) {2}/.exec(line)?.[1] ?? []),
    ['✓ pass', '✗ FAIL', '~ pending', '? not verifiable'],
  );
  assert.equal(interactions.slice(2, 5), [
    `    ${shown}`,
    '    expected status 200, received 500',
    '    #6 GET /pets?limit=2&status=sold  with the API key',
  ]);
  assert.is(interactions.at(-1), '    it takes a key that may be exhausted');
});

test('gaps are told with what was observed, and which were not', () => {
  const gaps = below('Where the interface is silent (observed, never judged)');
  assert.is(gaps[0], '  §2 known-categories: Every int64 is accepted as a category.');
  assert.match(gaps[1]!, /^ {2}§2 name-limits: 400 with .*… \(\d+ characters\)$/);
  assert.is(gaps[2], '  Not observed: store-orders');
});

test('the last lines tell the verdict, the reason, what the run took and what it left', () => {
  const last = below(
    'DOES NOT CONFORM in 4 of 7 statements; 5 not judged: 1 can be shown by no request, 2 were shown by no answer, 1 broke our check, 1 needs a second key',
  );
  assert.is(last[0], 'http://127.0.0.1:8080/v1');
  assert.is(last[1], `The waiver of list-limit-refused expired; ${shown}`);
  assert.is(last.at(-3), '87 requests, 12 creations, 12.3 s, seed 42.');
  assert.equal(last.slice(-2), ['It left 2 animals behind; nothing can be deleted through the interface.', '']);
});

test('in colour it is the same text, with a colour for each verdict', () => {
  const coloured = reportTerminal(sampleReport, inColour);
  assert.is(stripVTControlCharacters(coloured), text);
  for (const mark of [
    '\x1b[32m✓ pass\x1b[39m',
    '\x1b[31m✗ FAIL\x1b[39m',
    '\x1b[31m✗ error of the kit\x1b[39m',
    '\x1b[33m! warn\x1b[39m',
    '\x1b[33m~ waived\x1b[39m',
    '\x1b[33m? inconclusive\x1b[39m',
    '\x1b[2m- skipped\x1b[22m',
    '\x1b[31mDOES NOT CONFORM\x1b[39m',
    '\x1b[1mname-changed\x1b[22m',
  ]) {
    assert.ok(coloured.includes(mark), JSON.stringify(mark));
  }
});

test('a run that went well is short', () => {
  const requirements = sampleReport.requirements.slice(0, 1);
  const { reason: _reason, interactions: _interactions, ...report } = sampleReport;
  const good = {
    ...report,
    verdict: 'conforms',
    exitCode: 0,
    requirements,
    counts: countVerdicts(requirements),
    gaps: [],
    created: [],
  } as const;
  assert.equal(reportTerminal(good).split('\n'), [
    '§1 What the service does',
    '  ✓ pass  service-json  Every payload is well-formed JSON, sent as application/json. (41 exchanges)',
    '',
    'CONFORMS in 1 of 1 statements',
    'http://127.0.0.1:8080/v1',
    '1 passed, 0 failed, 0 warned, 0 inconclusive, 0 skipped, 0 not applicable: 1 statement, 1 of them judged.',
    '87 requests, 12 creations, 12.3 s, seed 42.',
    '',
  ]);
});

test('no line is a command to a CI', () => {
  assert.not.ok(lines.some((line) => /^\s*::|##\w*\[/.test(line)));
});

test.run();
