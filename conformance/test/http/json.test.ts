/** The JSON reader of the judge keeps every digit of an integer. */

import fc from 'fast-check';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { hasFieldTwice, isInt64, readJson, writeJson } from '../../http/json.ts';

function read(text: string): unknown {
  const reading = readJson(text);
  return 'value' in reading ? reading.value : reading;
}

const noJson = { problem: 'text that is no JSON' };

const rows: readonly (readonly [text: string, value: unknown])[] = [
  ['9007199254740993', 9007199254740993n],
  ['-9223372036854775808', -(2n ** 63n)],
  // A number is an integer by its value, not by its spelling.
  ['1.0', 1n],
  ['1e2', 100n],
  ['120e-1', 12n],
  ['-0', 0n],
  ['9.223372036854775807e18', 2n ** 63n - 1n],
  ['1.5', 1.5],
  ['9007199254740993.5', 9007199254740994],
  // Names that are special in JavaScript are plain fields.
  ['{"constructor":2}', { constructor: 2n }],
  ['', { problem: 'an empty body' }],
  ['{"a":1,}', noJson],
  ['['.repeat(100_000) + ']'.repeat(100_000), { problem: 'JSON nested too deeply to read', isJson: true }],
  // A malformed number with a valid part, and a long one.
  ...'1.5e5e5 1.5.5 --1.5 -01.5 00.5 1e5.5 +1.5 1.5-2.5 9007199254740993e 1.'
    .split(' ')
    .map((text) => [`[${text}]`, noJson] as const),
  [`[${'1'.repeat(300_000)}e]`, noJson],
  [`[${'1e'.repeat(150_000)}]`, noJson],
];

for (const [text, value] of rows) test(`${text.slice(0, 40)} is read`, () => assert.equal(read(text), value));

test('numbers beyond int64 are not int64, and absurd exponents cost nothing', () => {
  for (const text of ['9223372036854775808', '1e300', '1e999999999', '-9223372036854775809', '1.5', '"1"', 'null']) {
    assert.not.ok(isInt64(read(text) as never), text);
  }
  assert.equal(Object.keys(read('{"__proto__":{"a":1}}') as object), ['__proto__']);
});

test('two fields of one name are found, with any escapes', () => {
  for (const text of ['{"a":1,"a":2}', ' { "a" : [{"b":1}] , "\\u0061" : 2 }', '{"a":{"b":"}"},"b":1,"a":1}']) {
    assert.is(hasFieldTwice(text), true, text);
  }
  for (const text of ['{"a":1,"b":"a"}', '{"a":{"a":1}}', '[{"a":1},{"a":1}]', '{"a":"\\",\\"a\\":"}', '"a"', '{']) {
    assert.is(hasFieldTwice(text), false, text);
  }
});

test('every written value is read back, and no text makes the reader throw', () => {
  const written = fc.property(
    fc.bigInt({ min: -(2n ** 70n), max: 2n ** 70n }),
    fc.string({ unit: 'binary' }),
    (number, text) => assert.equal(read(writeJson({ number, text })), { number, text }),
  );
  fc.assert(written);
  fc.assert(fc.property(fc.string({ unit: 'binary' }), (text) => readJson(text) !== undefined));
});

test('every text is read like with a reviver that sees the source of every number', () => {
  const readBySource = (text: string): unknown => {
    const revive = (_field: string, value: unknown, context?: { source?: string }): unknown =>
      typeof value === 'number' ? read(context!.source!) : value;
    try {
      return JSON.parse(text, revive);
    } catch {
      return noJson;
    }
  };
  const signs = ['-', '+', '.', 'e', 'E', '0', '1', '7', ',', '[', ']', '"', '\\', '\\"', ' ', 'true', '1.5', '0.5'];
  const numbers = ['9007199254740993', '-9223372036854775808', '1e5', '1E-7', '12.50', '[1.5,-0.5]', '"1.5"'];
  const part = fc.oneof(fc.constantFrom(...signs), fc.constantFrom(...numbers), fc.double().map(String));
  const text = fc.array(part, { minLength: 1, maxLength: 12 }).map((parts) => parts.join(''));
  const around = fc.constantFrom(['', ''], ['[', ']'], ['{"a":', '}']);
  fc.assert(
    fc.property(text, around, (inner, [before, behind]) => {
      const whole = `${before}${inner}${behind}`;
      assert.equal(read(whole), readBySource(whole), whole);
    }),
    { numRuns: 3_000 },
  );
});

test.run();
