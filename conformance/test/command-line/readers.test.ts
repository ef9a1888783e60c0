/** Texts of a user become values, or one sentence that says what is wrong with them. */

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { clientStatements } from '../../../spec/client-statements.ts';
import { outputAs, readGap } from '../../command-line/readers.ts';
import { UsageError } from '../../command-line/usage-error.ts';

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
  const read = outputAs(['json', 'har']);
  assert.equal(read('json', '--reporter'), { name: 'json' });
  assert.equal(read('json=-', '--reporter'), { name: 'json' });
  assert.equal(read('har=a=b.har', '--reporter'), { name: 'har', file: 'a=b.har' });
  assert.is(
    sentenceOf(() => read('har=', '--reporter')),
    '--reporter har= needs the name of a file.',
  );
  assert.match(
    sentenceOf(() => read('hat=x', '--reporter')),
    /^--reporter takes one of json, har, not "hat"\./,
  );
});

test('what a client may rely on is named by its statement or by the gap that it is about', () => {
  const ofGaps = clientStatements.map(({ id }) => id).filter((id) => id.startsWith('any-'));
  assert.ok(ofGaps.length > 10 && ofGaps.length < clientStatements.length);
  for (const { id } of clientStatements) assert.is(readGap(id, '--only'), id);
  for (const id of ofGaps) assert.is(readGap(id.slice('any-'.length), '--only'), id);
  const names = ofGaps.map((id) => id.slice('any-'.length)).join(', ');
  assert.is(
    sentenceOf(() => readGap('order-of-things', '--only')),
    `--only takes one of ${names}, not "order-of-things".`,
  );
});

test.run();
