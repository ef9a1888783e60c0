/** The JSON reader of the judge keeps every digit of an integer. */

import fc from 'fast-check';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { hasFieldTwice, isInt64, readJson, writeJson } from '../../http/json.ts';

function read(text: string): unknown {
  const reading = readJson(text);
  return 'value' in reading ? reading.value : reading;
}

test('integers keep every digit', () => {
  assert.is(read('9007199254740993'), 9007199254740993n);
  assert.is(read('-9223372036854775808'), -(2n ** 63n));
  assert.is(read('9223372036854775807'), 2n ** 63n - 1n);
});

test('two fields of one name are found, with any escapes', () => {
  for (const text of ['{"a":1,"a":2}', ' { "a" : [{"b":1}] , "\\u0061" : 2 }', '{"a":{"b":"}"},"b":1,"a\n":0,"a":1}']) {
    assert.is(hasFieldTwice(text.replace('\n', '')), true, text);
  }
  for (const text of ['{"a":1,"b":"a"}', '{"a":{"a":1}}', '[{"a":1},{"a":1}]', '{"a":"\\",\\"a\\":"}', '"a"', '{']) {
    assert.is(hasFieldTwice(text), false, text);
  }
});

test('a number is an integer by its value, not by its spelling', () => {
  assert.is(read('1.0'), 1n);
  assert.is(read('1e2'), 100n);
  assert.is(read('120e-1'), 12n);
  assert.is(read('-0'), 0n);
  assert.is(read('9.223372036854775807e18'), 2n ** 63n - 1n);
  assert.is(read('1.5'), 1.5);
  assert.is(read('9007199254740993.5'), 9007199254740994);
});

test('numbers beyond int64 are not int64, and absurd exponents cost nothing', () => {
  for (const text of ['9223372036854775808', '1e300', '1e999999999', '-9223372036854775809', '1.5', '"1"', 'null']) {
    assert.not.ok(isInt64(read(text) as never), text);
  }
});

test('text that is no JSON is reported, never thrown', () => {
  assert.equal(read(''), { problem: 'an empty body' });
  assert.equal(read('{"a":1,}'), { problem: 'text that is no JSON' });
  assert.equal(read('['.repeat(100_000) + ']'.repeat(100_000)), {
    problem: 'JSON nested too deeply to read',
    isJson: true,
  });
});

test('keys of objects that are special in JavaScript are plain fields', () => {
  const value = read('{"__proto__":{"a":1},"constructor":2}') as Record<string, unknown>;
  assert.equal(Object.keys(value), ['__proto__', 'constructor']);
});

test('every written value is read back', () => {
  fc.assert(
    fc.property(fc.bigInt({ min: -(2n ** 70n), max: 2n ** 70n }), fc.string({ unit: 'binary' }), (number, text) => {
      assert.equal(read(writeJson({ number, text })), { number, text });
    }),
  );
});

/** The same with a reviver that sees the source of every number. */
function readBySource(text: string): unknown {
  const revive = (_field: string, value: unknown, context?: { source?: string }): unknown =>
    typeof value === 'number' ? read(context!.source!) : value;
  try {
    return JSON.parse(text, revive);
  } catch {
    return { problem: 'text that is no JSON' };
  }
}

/** Texts that are JSON or nearly so, with numbers in every form. */
const nearJson = fc
  .array(
    fc.oneof(
      fc.constantFrom(
        '-',
        '+',
        '.',
        'e',
        'E',
        '0',
        '1',
        '7',
        ',',
        '[',
        ']',
        '"',
        '\\',
        '\\"',
        ' ',
        'true',
        '1.5',
        '0.5',
      ),
      fc.constantFrom('9007199254740993', '-9223372036854775808', '1e5', '1E-7', '12.50', '[1.5,-0.5]', '"1.5"'),
      fc.bigInt({ min: -(2n ** 70n), max: 2n ** 70n }).map(String),
      fc.double().map(String),
    ),
    { maxLength: 12 },
  )
  .map((parts) => parts.join(''));

test('every text is read like with a reviver that sees the source of every number', () => {
  fc.assert(
    fc.property(
      fc.oneof(
        nearJson,
        nearJson.map((text) => `[${text}]`),
        nearJson.map((text) => `{"a":${text}}`),
      ),
      (text) => {
        const expected = text === '' ? { problem: 'an empty body' } : readBySource(text);
        assert.equal(read(text), expected, text);
      },
    ),
    { numRuns: 3_000 },
  );
});

test('a malformed number with a valid part is no JSON', () => {
  for (const text of [
    '1.5e5e5',
    '1.5.5',
    '--1.5',
    '-01.5',
    '00.5',
    '1e5.5',
    '+1.5',
    '1.5-2.5',
    '9007199254740993e',
    '1.',
  ]) {
    assert.equal(read(`[${text}]`), { problem: 'text that is no JSON' }, text);
  }
});

test('a long malformed number is rejected at once', () => {
  const digits = '1'.repeat(300_000);
  for (const text of [`[${digits}e]`, `[${'1e'.repeat(150_000)}]`, `[${digits}.${digits}.]`]) {
    assert.equal(read(text), { problem: 'text that is no JSON' });
  }
});

test('no text makes the reader throw', () => {
  fc.assert(fc.property(fc.string({ unit: 'binary' }), (text) => readJson(text) !== undefined));
});

test.run();
