/** Texts of a user become values, or one sentence that says what is wrong with them. */

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { clientRequirements } from '../../../spec/client-requirements.ts';
import { outputAs, readArtefact, readGap } from '../../cli/readers.ts';
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

test('an artefact has a name and a digest of a known algorithm, in full', () => {
  const digest = 'ab'.repeat(32);
  assert.equal(readArtefact(`host/pets@sha256:${digest}`, '--subject'), {
    name: 'host/pets',
    digest: { sha256: digest },
  });
  for (const length of [40, 64]) readArtefact(`pets@gitCommit:${'c'.repeat(length)}`, '--subject');
  for (const wrong of [
    `@sha256:${digest}`,
    `sha256:${digest}`,
    `pets@sha256:${digest.slice(2)}`,
    `pets@sha256:${digest.toUpperCase()}`,
    `pets@md5:${'a'.repeat(32)}`,
    `pets@constructor:${digest}`,
  ]) {
    assert.is(
      sentenceOf(() => readArtefact(wrong, '--subject')),
      `--subject takes NAME@sha256:DIGEST with all lower-case hex digits (or sha384, sha512, gitCommit), not "${wrong}".`,
    );
  }
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

test.run();
