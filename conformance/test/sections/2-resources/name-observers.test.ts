/** What the accepted and the refused names show of the limits of names. */

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { accepted, answer, creation, observe, type PartialExchange } from '../observer-evidence.ts';

const refused = (name: string, status = 400, body?: string): PartialExchange =>
  creation(JSON.stringify({ name, categoryId: 1 }), answer(status, body));
const takes = (name: string): PartialExchange => accepted(2, name);
const plain = (length: number): string => 'x'.repeat(length);
const odd = (length: number): string => 'ü'.repeat(length);

/** Names after the first creation, and the answer that they show. */
const rows: readonly (readonly [shown: string | undefined, ...asked: readonly PartialExchange[]])[] = [
  ['any #2', takes(odd(4_000)), takes('')],
  ['any #2', takes(odd(4_000)), takes(' \u0000\u200b')],
  [undefined, takes(odd(4_000))],
  [undefined, takes(odd(3_999)), takes('')],
  [undefined, takes(plain(4_000))],
  [undefined],
  ['not-empty #3', takes(odd(4_000)), refused(''), refused('  ')],
  [undefined, takes(odd(3_999)), refused('')],
  [undefined, takes(plain(4_000)), refused('')],
  ['other-length #4', takes(odd(1)), takes(plain(100)), refused(plain(101))],
  ['other-length #3', takes('\u{1F415}'.repeat(100)), refused(odd(101))],
  ['some-characters #3', takes(odd(50)), refused('\u0000x')],
  ['some-characters #3', takes(plain(50)), refused('\u0000x')],
  [undefined, takes(plain(50)), refused(odd(51))],
  ['some-characters #3', takes(plain(50)), refused(plain(49))],
  ['refused-422 #3', takes(odd(50)), refused(plain(60), 422)],
  ['refused-otherwise #3', takes(odd(50)), refused(plain(60), 400, '[]')],
  [undefined, takes(odd(50)), refused(plain(60), 413)],
  [undefined, takes(odd(50)), refused(plain(60), 401)],
];

test('the names that are accepted and refused show their limits', () => {
  for (const [shown, ...asked] of rows) {
    const evidence = [accepted(1, 'cf-abcdef-1'), ...asked, accepted(9, 'cf-abcdef-9')];
    assert.is(
      observe('name-limits', evidence),
      shown,
      JSON.stringify(asked.map(({ request }) => request?.body?.slice(0, 40))),
    );
  }
});

test.run();
