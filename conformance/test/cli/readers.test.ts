/** Texts of a user become values, or one sentence that says what is wrong with them. */

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { clientRequirements } from '../../../spec/client-requirements.ts';
import { outputAs, readBaseUrl, readGap, readHeader, readWords } from '../../cli/readers.ts';
import { UsageError } from '../../cli/usage-error.ts';

function sentenceOf(read: () => unknown): string {
  try {
    read();
  } catch (error) {
    if (error instanceof UsageError) return error.message;
    throw error;
  }
  return 'nothing is wrong';
}

test('an output goes to a file, or to the standard output', () => {
  const read = outputAs(['json', 'html']);
  assert.equal(read('json', '--reporter'), { name: 'json' });
  assert.equal(read('json=-', '--reporter'), { name: 'json' });
  assert.equal(read('html=a=b.html', '--reporter'), { name: 'html', file: 'a=b.html' });
  assert.is(
    sentenceOf(() => read('html=', '--reporter')),
    '--reporter html= needs the name of a file.',
  );
  assert.match(
    sentenceOf(() => read('hat=x', '--reporter')),
    /^--reporter takes one of json, html, not "hat"\./,
  );
});

test('a client requirement is named by its id, or by the gap that it belongs to', () => {
  const ofGaps = clientRequirements.map(({ id }) => id).filter((id) => id.startsWith('any-'));
  assert.ok(ofGaps.length > 10 && ofGaps.length < clientRequirements.length);
  for (const { id } of clientRequirements) assert.is(readGap(id, '--only'), id);
  for (const id of ofGaps) assert.is(readGap(id.slice('any-'.length), '--only'), id);
  assert.is(
    sentenceOf(() => readGap('order-of-things', '--only')),
    '--only takes the id of a gap, not "order-of-things".',
  );
});

test('a text is read without the space around it, and must hold something else', () => {
  assert.is(readWords('  pets team\n', '--owner'), 'pets team');
  assert.is(
    sentenceOf(() => readWords(' \t', '--owner')),
    '--owner must not be empty.',
  );
});

test('a base address has a scheme and a host, and no secret that a sentence could repeat', () => {
  assert.is(readBaseUrl('HTTPS://Host:443/v1//', 'The base address'), 'https://host/v1');
  for (const [text, sentence] of [
    ['http://host/v1?key=7', 'The base address must hold no query or fragment.'],
    ['http://host/v1#key', 'The base address must hold no query or fragment.'],
    ['http://user@host/v1', 'The base address must hold no user or password; give keys by environment variables.'],
    ['http://:word@host/v1', 'The base address must hold no user or password; give keys by environment variables.'],
    ['host/v1', 'The base address must start with http:// or https://, like https://host/v1, not "host/v1".'],
    [
      'ftp://host/v1',
      'The base address must start with http:// or https://, like https://host/v1, not "ftp://host/v1".',
    ],
    [
      'http://host:99999/v1',
      'The base address has no host, or a port that is none: expected one like https://host:8080/v1.',
    ],
    ['https://', 'The base address has no host, or a port that is none: expected one like https://host:8080/v1.'],
    ['user@host', 'The base address must start with http:// or https://, like https://host/v1.'],
  ] as const) {
    assert.is(
      sentenceOf(() => readBaseUrl(text, 'The base address')),
      sentence,
    );
  }
});

test('a header has a name, in lower case, and a value', () => {
  assert.equal(readHeader('X: a: b', '--header'), ['x', 'a: b']);
  for (const wrong of ['no colon', ': value', 'a b: value']) {
    assert.is(
      sentenceOf(() => readHeader(wrong, '--header')),
      "--header takes 'Name: value', not a text without a name.",
    );
  }
});

test.run();
