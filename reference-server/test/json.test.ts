/** The fast and the exact way of reading and writing JSON give the same result. */

import fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { parseJson, stringifyJson } from '../index.ts';
import { open, readFields } from './client.ts';

const test = suite('json');

const int64 = fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n });
/** Integers within and beyond the safe range of a double, and every other notation of a number. */
const numberText = fc.oneof(
  fc.integer().map(String),
  int64.map(String),
  fc.constantFrom('-0', '999999999999999', '-999999999999999', '1000000000000000', '9007199254740993'),
  fc.constantFrom('1.0', '1e2', '-2E+3', '0.1', '1e999', '123456789012345678901234567890'),
);
const nameText = fc
  .oneof(fc.string({ unit: 'binary' }), fc.constantFrom('__proto__', '', '0', 'id', '1.5', '1234567890123456'))
  .map((name) => JSON.stringify(name));

const { value: jsonText } = fc.letrec<{ value: string }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small' },
    numberText,
    nameText,
    fc.constantFrom('null', 'true', 'false'),
    fc.array(tie('value')).map((parts) => `[${parts.join(',')}]`),
    fc
      .array(fc.tuple(nameText, tie('value')))
      .map((fields) => `{${fields.map((field) => field.join(': ')).join(',')}}`),
  ),
}));

/** A fraction anywhere in a text makes the parser read it the exact way, number by number. */
function parseSlowly(text: string): unknown {
  const [value] = parseJson(`[${text}, "1.5"]`) as unknown[];
  return value;
}

test('a text is read the same with and without a number that a double would change', () => {
  fc.assert(
    fc.property(jsonText, (text) => assert.equal(parseJson(text), parseSlowly(text))),
    { numRuns: 2_000 },
  );
});

test('values are written as they were read, digit by digit', () => {
  fc.assert(fc.property(jsonText, (text) => assert.equal(parseJson(stringifyJson(parseJson(text))), parseJson(text))));
});

test('integers of 15 and 16 digits and minus zero are read exactly', () => {
  assert.equal(parseJson('[999999999999999, 9007199254740993, -0, "1.5"]'), [
    999999999999999n,
    9007199254740993n,
    0n,
    '1.5',
  ]);
  assert.equal(parseJson('[999999999999999, -0]'), [999999999999999n, 0n]);
});

test('broken JSON is not read, whatever its numbers', () => {
  for (const text of ['', '{', '[1,]', '01', '[1.]', '[1.5', '{"a": 1e}']) assert.is(parseJson(text), undefined, text);
});

test('an animal is written the same by the fast and the exact way, for any name and category', () => {
  const ask = open();
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), int64, (name, categoryId) => {
      const { status, body } = ask({ body: stringifyJson({ name, categoryId, status: 'sold' }) });
      if (status === 429) return;
      assert.is(status, 201);
      const { id } = readFields({ status, body, headers: {} });
      assert.is(body, stringifyJson({ id, name, categoryId, status: 'sold' }));
    }),
  );
});

test.run();
