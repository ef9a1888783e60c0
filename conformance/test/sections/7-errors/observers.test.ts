/** The form of the codes in Errors. */

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { answer, listing, observe, reading } from '../observer-evidence.ts';

/** The codes of two Errors, and the form they share. */
const forms: readonly (readonly [form: string, one: unknown, other: unknown])[] = [
  ['snake-case', 'bad_request', 'not_found_2'],
  ['snake-case', 'bad', 'n'],
  ['upper-case', 'BAD_REQUEST', 'NOT'],
  ['numeric', '1001', '2'],
  ['kebab-case', 'bad-request', 'not-found-2'],
  ['camel-case', 'badRequest', 'NotFound2'],
  ['words', "Bad request isn't it", 'x'],
  ['mixed', 'bad_request', 'not-found'],
  ['mixed', 'bad_', '_bad'],
  ['mixed', '1x', ''],
  ['mixed', 'pets.bad', ' bad'],
  ['generic', 'error', 'error'],
];

test('the form is that of the codes of Errors with two statuses', () => {
  for (const [form, one, other] of forms) {
    const error = (status: number, code: unknown) => answer(status, JSON.stringify({ code, message: 'No.', status }));
    const asked = [listing('', error(400, one)), reading('9', error(404, other))];
    assert.is(observe('error-codes', asked), `${form} #1`, `${one} ${other}`);
    assert.is(observe('error-codes', asked.slice(0, 1)), undefined);
    assert.is(observe('error-codes', [asked[0]!, { ...asked[1]!, operation: 'other' }]), undefined);
  }
  const found = reading('8', answer(404));
  assert.is(observe('error-codes', [found, found]), undefined);
  assert.is(observe('error-codes', [found, listing('', answer(400, '{"code":"x"}'))]), undefined);
});

test.run();
