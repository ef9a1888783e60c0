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
  ['camel-case', 'BAD', 'bad'],
  ['words', "Bad request isn't it", 'x'],
  ['words', 'Not-Found', 'x'],
  ['mixed', 'bad_request', 'not-found'],
  ['mixed', 'bad_', 'not_found'],
  ['mixed', '_bad', 'not_found'],
  ['mixed', '1x', '2x'],
  ['mixed', '', 'bad'],
  ['mixed', 'pets.bad', 'bad'],
  ['mixed', ' bad', 'bad'],
  ['mixed', 'BAD_', 'BAD'],
  ['generic', 'error', 'error'],
];

for (const [form, one, other] of forms) {
  test(`the codes ${JSON.stringify(one)} and ${JSON.stringify(other)} are ${form}`, () => {
    const error = (status: number, code: unknown) => answer(status, JSON.stringify({ code, message: 'No.', status }));
    const asked = [listing('', error(400, one)), reading('9', error(404, other))];
    assert.is(observe('error-codes', asked), `${form} #1`);
    assert.is(observe('error-codes', asked.slice(0, 1)), undefined);
    assert.is(observe('error-codes', [asked[0]!, { ...asked[1]!, operation: 'other' }]), undefined);
  });
}

test('Errors of one status show nothing, nor do bodies that are no Error', () => {
  assert.is(observe('error-codes', [reading('8', answer(404)), reading('9', answer(404))]), undefined);
  assert.is(observe('error-codes', [reading('8', answer(404)), listing('', answer(400, '{"code":"x"}'))]), undefined);
});

test.run();
