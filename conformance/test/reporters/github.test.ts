/** Commands of GitHub Actions, read as the runner reads them: an annotation for each cause, ten at most. */

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { escapeForTerminal } from '../../reporters/escape.ts';
import { reportGithub } from '../../reporters/github.ts';
import { countVerdicts } from '../../verdict/counts.ts';
import type { Report } from '../../verdict/report.ts';
import { hostile, sampleReport } from './sample-report.ts';

interface Command {
  readonly kind: string;
  readonly title: string;
  readonly lines: readonly string[];
}

/** As the runner does: the first `::` after the title ends it, and what is escaped is read back, `%25` last. */
function readCommand(line: string): Command {
  const [, kind, properties = '', data = ''] = /^::([a-z]+) (.*?)::(.*)$/.exec(line) ?? [];
  assert.ok(kind !== undefined && ['error', 'warning', 'notice'].includes(kind), line);
  const read = (text: string): string => text.replaceAll('%0D', '\r').replaceAll('%0A', '\n');
  const [title = '', ...others] = properties.split(',');
  assert.equal(others, []);
  return {
    kind,
    title: read(title.replace(/^title=/, ''))
      .replaceAll('%3A', ':')
      .replaceAll('%2C', ',')
      .replaceAll('%25', '%'),
    lines: read(data).replaceAll('%25', '%').split('\n'),
  };
}

function commandsOf(report: Report): readonly Command[] {
  return reportGithub(report).trimEnd().split('\n').map(readCommand);
}

const commands = commandsOf(sampleReport);
const shown = escapeForTerminal(hostile);

function on(title: string): Command {
  const found = commands.find((command) => command.title === title);
  assert.ok(found !== undefined, title);
  return found;
}

test('there is an annotation for each interaction and cause, the errors first, and one for the run', () => {
  assert.equal(
    commands.map(({ kind, title }) => [kind, title.slice(0, 32)]),
    [
      ['error', 'shop </testcase></pre><script>al'],
      ['error', '§2 pet-name-kept'],
      ['error', '§2 pet-name-kept and 1 more'],
      ['error', '§4.1 list-answer and 1 more'],
      ['error', '§5 auth-invalid-key'],
      ['error', '§4.2 create-answer'],
      ['warning', 'shop: a new animal (given the ke'],
      ['warning', 'shop: too many requests (given t'],
      ['error', 'petstore-conformance'],
    ],
  );
});

test('an annotation has the failure, each requirement with its exchanges, a curl line and the remarks', () => {
  assert.equal(on('§5 auth-invalid-key').lines, [
    'served-without-key: expected status 401, received 200',
    'fail §5 auth-invalid-key: A request with a key that is not valid answers 401 with an Error. (#7, #10)',
    'curl -i \'http://127.0.0.1:8080/v1/pets\' -H "Authorization: Bearer not-the-key"',
  ]);
  assert.equal(on('§4.1 list-answer and 1 more').lines.slice(0, 3), [
    'wrong-status: expected status 200, received 500',
    'fail §4.1 list-answer: A listing with a valid key and allowed parameters answers 200 with a JSON array of animals. (#9)',
    'warn §4.1 list-limit-refused: A limit outside 1 to 100, or none that is an integer, is refused with an Error. (#9)',
  ]);
  const { lines } = on('§2 pet-name-kept');
  assert.is(lines[0], 'name-changed: expected name "Rex abc123-1", received "rex abc123-1"');
  assert.match(lines[1]!, /^fail §2 pet-name-kept: .* \(#4, #5, #6\)$/);
  assert.match(lines[3]!, /^And 4 more failures/);
});

test('an error of the kit has its reason', () => {
  assert.equal(on('§4.2 create-answer').lines, [
    'error of the kit: A valid body answers 201 with the created animal; one that the service cannot accept answers 400.',
    `a check threw: ${shown}`,
  ]);
});

test('an interaction has the reason why it does not hold', () => {
  assert.equal(commands[0]?.lines, ['fail', shown, 'expected status 200, received 500']);
  assert.equal(on('shop: too many requests (given the limit is exceeded)').lines, [
    'not verifiable',
    'it takes a key that may be exhausted',
  ]);
  assert.match(commands[0]!.title, /… \(\d+ characters\)$/);
});

test('there are ten at most: errors go before warnings, and the last says how many are not shown', () => {
  const failure = sampleReport.requirements.find(({ id }) => id === 'auth-invalid-key')!;
  const requirements = Array.from({ length: 14 }, (_nothing, at) => ({
    ...failure,
    verdict: at < 7 ? ('warn' as const) : ('fail' as const),
    failures: [{ ...failure.failures[0]!, code: `code-${at}`, exchanges: [at + 1] }],
  }));
  const many = commandsOf({ ...sampleReport, requirements, interactions: [], counts: countVerdicts(requirements) });
  assert.is(many.length, 10);
  assert.equal(
    many.map(({ kind }) => kind),
    [...Array(7).fill('error'), 'warning', 'warning', 'error'],
  );
  assert.is(many.at(-1)?.lines.at(-1), '5 more annotations are in the other reports.');
});

test('the last annotation has the verdict, its reason and the counts', () => {
  assert.equal(commands.at(-1)?.lines, [
    'Does not conform (3 of 12 requirements fail, 1 more waived; 12 of 53 requirements, --only; pact verify: 1 of 4 interactions hold): http://127.0.0.1:8080/v1',
    `The waiver of list-limit-refused expired; ${shown}`,
    '1 of 4 interactions hold, 1 failed, 1 pending, 1 could not be verified.',
    '12 requirements: 2 passed, 4 failed (1 waived), 1 warned, 1 inconclusive, 1 skipped, 1 error of the kit, 1 not testable, 1 needs PETSTORE_RATE_LIMIT_KEY.',
  ]);
  const good = {
    ...sampleReport,
    verdict: 'conforms',
    exitCode: 0,
    requirements: [],
    counts: countVerdicts([]),
  } as const;
  const last = commandsOf(good).at(-1);
  assert.is(last?.kind, 'notice');
  assert.is(
    last?.lines[0],
    'Conforms (0 of 0 requirements pass; 0 of 53 requirements, --only; pact verify: 1 of 4 interactions hold): http://127.0.0.1:8080/v1',
  );
});

test.run();
