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

test('headings are the verdict, each statement that is broken, and lists of the others', () => {
  assert.equal(tokens.filter(({ type }) => type === 'heading').map(textOf), [
    'Does not conform in 4 of 7 statements; 5 not judged: 1 can be shown by no request, 2 were shown by no answer, 1 broke our check, 1 needs a second key: Pet Store Service Interface 1.0.0',
    '§2 pet-name-kept (fail)',
    '§4.1 list-answer (fail)',
    '§4.1 list-limit (waived)',
    '§4.1 list-limit-refused (warn)',
    '§5 auth-invalid-key (fail)',
    'Errors of the kit',
    'Inconclusive',
    'Skipped',
    'Not applicable',
    'Waivers of what passes',
  ]);
});

test('the verdict is told with its target, reason and counts', () => {
  const texts = textsBelow(
    'Does not conform in 4 of 7 statements; 5 not judged: 1 can be shown by no request, 2 were shown by no answer, 1 broke our check, 1 needs a second key: Pet Store Service Interface 1.0.0',
  );
  assert.equal(texts.slice(0, 5), [
    'http://127.0.0.1:8080/v1',
    `The waiver of list-limit-refused expired; ${shown}`,
    '1 of 4 interactions hold, 1 failed, 1 pending, 1 could not be verified.',
    '2 passed, 4 failed, 1 warned, 1 of them waived, 1 inconclusive, 2 skipped, 1 not applicable, 1 error of the kit: 12 statements, 7 of them judged.',
    '87 requests, 12 creations, 12.3 s, seed 42.',
  ]);
});

test('interactions are told with why they do not hold', () => {
  const items =
    textsBelow(
      'Does not conform in 4 of 7 statements; 5 not judged: 1 can be shown by no request, 2 were shown by no answer, 1 broke our check, 1 needs a second key: Pet Store Service Interface 1.0.0',
    )
      .at(-1)
      ?.split('\n') ?? [];
  assert.is(items[0], 'pass adoption-site: a listing of sold animals');
  assert.is(
    items[1],
    `fail shop ${shown}: a listing ${shown} (given an animal exists and ${shown}): ${shown}; expected status 200, received 500`,
  );
  assert.equal(items.slice(2), [
    'pending shop: a new animal (given the key is valid): expected a status, received none',
    'not verifiable shop: too many requests (given the limit is exceeded): it takes a key that may be exhausted',
  ]);
});

test('each failure is told with its message, its exchanges and its curl line', () => {
  const [first, second] = sampleReport.requirements.find(({ id }) => id === 'pet-name-kept')!.failures;
  const linesOf = (numbers: readonly number[]): string =>
    sampleReport.exchanges
      .filter(({ number }) => numbers.includes(number))
      .flatMap(exchangeLines)
      .join('\n');
  assert.equal(codeBelow('§2 pet-name-kept (fail)').slice(0, 4), [
    linesOf([3, 4]),
    escapeForTerminal(first!.curl),
    linesOf([5, 6]),
    escapeForTerminal(second!.curl),
  ]);
  assert.is(codeBelow('§2 pet-name-kept (fail)').length, 6);
  assert.equal(textsBelow('§2 pet-name-kept (fail)').slice(0, 2), [
    'An accepted name is returned code point for code point, at once and on later reads.',
    'name-changed: expected name "Rex abc123-1", received "rex abc123-1"',
  ]);
  assert.is(textsBelow('§2 pet-name-kept (fail)')[2], `name-changed: expected name of no harm, received ${shown}`);
});

test('what else is known of a failure is told', () => {
  assert.is(
    textsBelow('§2 pet-name-kept (fail)').at(-1),
    'And 1 more, in the JSON report.\nAnd 4 more failures of the same kinds.\nIt failed again when it was asked once more.\nShortest sequence that shows it: #3, #4.',
  );
  assert.match(
    textsBelow('§4.1 list-answer (fail)').at(-1)!,
    /^FLAKY: .*\nShortest sequence .* \(the budget ended the/,
  );
  assert.is(
    textsBelow('§4.1 list-limit (waived)').at(-1)?.split('\n')[1],
    `Waiver (waived) of team ${shown}, until 2027-01-31: known ${shown}`,
  );
  assert.match(codeBelow('§5 auth-invalid-key (fail)')[0]!, /< no response: socket hang up /);
});

test('what was not judged is told with its reason, and a waiver that is left over', () => {
  assert.equal(textsBelow('Errors of the kit'), [`create-answer: a check threw: ${shown}`]);
  assert.equal(textsBelow('Inconclusive'), [`list-complete: the service answered ${shown}`]);
  assert.equal(textsBelow('Skipped'), [
    'rate-exceeded: give a key that may be exhausted with --rate-limit-key-env; Waiver (unused) of edge team, until 2027-01-31: the gateway is new\nversion-base-address: the run was told not to look',
  ]);
  assert.equal(textsBelow('Not applicable'), [
    'service-staging-paths: A run judges one base address; run the kit against each.',
  ]);
  assert.equal(textsBelow('Waivers of what passes'), [
    'pet-id-unique: 1 exchange; Waiver (stale) of pets team, until 2027-01-31: mended in 2.0',
    'It left 2 animals behind; nothing can be deleted through the interface.',
  ]);
});

test.run();
