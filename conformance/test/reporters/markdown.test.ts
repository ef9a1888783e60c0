/** Markdown, read as a program reads it: no HTML, no links, and every failure with what bears it out. */

import { lexer, type Token, type Tokens, walkTokens } from 'marked';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { escapeForTerminal } from '../../reporters/escape.ts';
import { exchangeLines } from '../../reporters/evidence.ts';
import { reportMarkdown } from '../../reporters/markdown.ts';
import { hostile, sampleReport } from './sample-report.ts';

const tokens = lexer(reportMarkdown(sampleReport), { gfm: true });
const shown = escapeForTerminal(hostile);

function everyToken(): readonly Token[] {
  const found: Token[] = [];
  walkTokens(tokens, (token) => {
    found.push(token);
  });
  return found;
}

/** The text that a reader sees. Of what the tokens have read, only the ampersand is still an entity. */
function textOf(token: Token): string {
  if (token.type === 'list') return (token as Tokens.List).items.map(textOf).join('\n');
  if ('tokens' in token && token.tokens !== undefined) return token.tokens.map(textOf).join('');
  if (token.type === 'codespan') return (token as Tokens.Codespan).text;
  return 'text' in token ? String(token.text).replaceAll('&amp;', '&') : '';
}

/** What stands between a heading and the next. */
function below(heading: string): readonly Token[] {
  const from = tokens.findIndex((token) => token.type === 'heading' && textOf(token) === heading);
  assert.is.not(from, -1, heading);
  const length = tokens.slice(from + 1).findIndex(({ type }) => type === 'heading');
  return tokens.slice(from + 1, length === -1 ? undefined : from + 1 + length);
}

const textsBelow = (heading: string): readonly string[] =>
  below(heading)
    .filter(({ type }) => type === 'paragraph' || type === 'list')
    .map(textOf);
const codeBelow = (heading: string): readonly string[] =>
  below(heading).flatMap((token) => (token.type === 'code' ? [(token as Tokens.Code).text] : []));

test('there is no HTML, no link, no image and no emphasis but our own', () => {
  const types = new Set(everyToken().map(({ type }) => type));
  assert.equal([...types].sort(), [
    'code',
    'codespan',
    'heading',
    'list',
    'list_item',
    'paragraph',
    'space',
    'strong',
    'text',
  ]);
});

test('nobody is named outside of code', () => {
  for (const token of everyToken()) {
    if (token.type === 'text' && !('tokens' in token)) assert.not.match(textOf(token), /[@#]\w/);
  }
});

const headline =
  'Does not conform (3 of 12 requirements fail, 1 more waived; 12 of 53 requirements, --only; pact verify: 1 of 4 interactions hold): Pet Store Service Interface 1.0.0';

test('headings are the verdict, each cause, and lists of the others', () => {
  assert.equal(tokens.filter(({ type }) => type === 'heading').map(textOf), [
    headline,
    'Cause 1, name-changed',
    'Cause 2, name-missing',
    'Cause 3, wrong-status',
    'Cause 4, served-without-key',
    'Errors of the kit',
    'Interactions of pacts',
    'By section',
    'Inconclusive',
    'Skipped',
    'Not applicable',
    'Waivers without a failure',
  ]);
});

test('the verdict stands with its target, reason, counts and leftovers', () => {
  assert.equal(textsBelow(headline), [
    'http://127.0.0.1:8080/v1',
    `The waiver of list-limit-refused expired; ${shown}`,
    '12 requirements: 2 passed, 4 failed (1 waived), 1 warned, 1 inconclusive, 1 skipped, 1 error of the kit, 1 not testable, 1 needs PETSTORE_RATE_LIMIT_KEY.',
    '1 of 4 interactions hold, 1 failed, 1 pending, 1 could not be verified.',
    '87 requests, 12 creations, 12.3 s, seed 42.',
    'The run leaves 2 animals behind, since the interface cannot delete any.',
  ]);
});

test('interactions have the reason why they do not hold; those that hold come last', () => {
  const [list = ''] = textsBelow('Interactions of pacts');
  const items = list.split('\n');
  assert.match(items[0]!, /^fail shop .*… \(\d+ characters\): .*; expected status 200, received 500$/);
  assert.equal(items.slice(1), [
    'pending shop: a new animal (given the key is valid): expected a status, received none',
    'not verifiable shop: too many requests (given the limit is exceeded): it takes a key that may be exhausted',
    'pass adoption-site: a listing of sold animals',
  ]);
});

test('a cause has its message, its requirements, its exchanges and its curl line', () => {
  const [first] = sampleReport.requirements.find(({ id }) => id === 'pet-name-kept')!.failures;
  const lines = sampleReport.exchanges
    .filter(({ number }) => number === 3 || number === 4)
    .flatMap((one) => exchangeLines(one));
  assert.equal(codeBelow('Cause 1, name-changed'), [lines.join('\n'), escapeForTerminal(first!.curl)]);
  assert.equal(textsBelow('Cause 1, name-changed'), [
    'expected name "Rex abc123-1", received "rex abc123-1"',
    'fail §2 pet-name-kept: An accepted name is returned code point for code point, at once and on later reads. And 4 more failures of the same kinds. Reproduced on recheck. Shortest sequence that reproduces it: #3, #4.',
  ]);
  const [, requirements = ''] = textsBelow('Cause 2, name-missing');
  assert.equal(
    requirements.split('\n').map((one) => one.slice(0, 24)),
    ['fail §2 pet-name-kept: A', 'waived §4.1 list-limit: '],
  );
  assert.match(requirements, /later reads\. Also name-null\.\n/);
  assert.match(codeBelow('Cause 4, served-without-key')[0]!, /< no response: socket hang up /);
});

test('every section is a row of marks', () => {
  const [matrix = ''] = codeBelow('By section');
  assert.equal(matrix.split('\n').slice(0, 3), [
    'Interactions of pacts          ✓✗~?',
    '§1 What the service does       ✓-',
    '§2 Resources and their fields  ✓✗',
  ]);
  assert.match(matrix, /\n✓ pass {2}✗ fail {2}~ pending, waived /);
});

test('a requirement that was not judged has its reason, and an unused waiver is named', () => {
  assert.match(textsBelow('Errors of the kit')[0]!, /^create-answer: a check threw: <\/testcase>/);
  assert.match(textsBelow('Inconclusive')[0]!, /^list-complete: the service answered <\/testcase>/);
  assert.equal(textsBelow('Skipped'), [
    'rate-exceeded: set PETSTORE_RATE_LIMIT_KEY to a key that may be exhausted; Unused waiver (edge team, until 2027-01-31): the gateway is new\nversion-base-address: the run looked at no base address',
  ]);
  assert.equal(textsBelow('Not applicable'), [
    'service-staging-paths: A run judges one base address; run the kit against each.',
  ]);
  assert.equal(textsBelow('Waivers without a failure'), [
    'pet-id-unique: 1 exchange; Stale waiver (pets team, until 2027-01-31): mended in 2.0',
  ]);
});

const most = 256 * 1024;

test('it is never longer than GitHub shows of a summary, and says what is cut', () => {
  const [requirement] = sampleReport.requirements.filter(({ id }) => id === 'pet-name-kept');
  const requirements = Array.from({ length: 400 }, (_nothing, at) => ({
    ...requirement!,
    id: `requirement-${at}` as 'pet-name-kept',
    reason: '<'.repeat(50_000),
    failures: [
      { ...requirement!.failures[1]!, code: `code-${at}`, received: '*'.repeat(20_000), exchanges: [5, 6, 1000 + at] },
    ],
  }));
  const interactions = Array.from({ length: 3_000 }, () => sampleReport.interactions![1]!);
  const long = reportMarkdown({ ...sampleReport, requirements, reason: '['.repeat(400_000) });
  assert.ok(Buffer.byteLength(long) < most && Buffer.byteLength(long) > most / 2, String(Buffer.byteLength(long)));
  assert.match(long, /\n\nThe rest is cut, [^\n]*\n$/);
  assert.match(long, /^## Does not conform/);
  const many = reportMarkdown({ ...sampleReport, interactions });
  assert.ok(Buffer.byteLength(many) < most);
  assert.not.match(reportMarkdown(sampleReport), /The rest is cut/);
});

test('a long list is cut after the first, and says how many more there are', () => {
  const interactions = Array.from({ length: 102 }, () => sampleReport.interactions![2]!);
  assert.match(reportMarkdown({ ...sampleReport, interactions }), /\n- And 2 more, in the JSON report\.\n/);
});

test.run();
