/** The JSON reader of the judge keeps every digit of an integer. */

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import {
  hasFieldTwice,
  isInt64,
  isJsonMediaType,
  isJsonObject,
  isJsonText,
  readJson,
  showJson,
  writeJson,
} from '../../http/json.ts';
import { fc } from '../properties.ts';

function read(text: string): unknown {
  const reading = readJson(text);
  return 'value' in reading ? reading.value : reading;
}

const noJson = (place: string) => ({ problem: `text that is no JSON, ${place}` });

const rows: readonly (readonly [text: string, value: unknown])[] = [
  ['9007199254740993', 9007199254740993n],
  ['-9223372036854775808', -(2n ** 63n)],
  // A number is an integer by its value, not by its spelling.
  ['1.0', 1n],
  ['1e2', 100n],
  ['120e-1', 12n],
  ['-0', 0n],
  ['1.5', 1.5],
  ['9007199254740993.00', 9007199254740993n],
  // Too large for a double.
  [`1${'0'.repeat(320)}`, 10n ** 320n],
  // Names that are special in JavaScript are plain fields.
  ['{"constructor":2}', { constructor: 2n }],
  ['', { problem: 'an empty body' }],
  ['{"a":1,}', noJson('from character 8 on')],
  ['['.repeat(100_000) + ']'.repeat(100_000), { problem: 'JSON nested too deeply to read', isJson: true }],
  // Numbers that a double holds, and others, are read in two ways.
  ['[1.5,9007199254740993]', [1.5, 9007199254740993n]],
  ['[1.5.5,1]', noJson('from character 5 on')],
  [`["${'x'.repeat(99)}",NaN]`, noJson('near xxxxxxxx",NaN]')],
  ['[+15]', noJson('near [+15]')],
  [`[NaN,"${'x'.repeat(99)}"]`, noJson('near [NaN,"xxxxx')],
  ['x" is not valid JSON', noJson('near x" is not valid JSON')],
  ['{"abcdefgh":1,}', noJson('from character 15 on')],
  ['[', { problem: 'text that is no JSON' }],
];

for (const [text, value] of rows) test(`${text.slice(0, 40)} is read`, () => assert.equal(read(text), value));

test('numbers beyond int64 are not int64, and absurd exponents cost nothing', () => {
  for (const text of ['9223372036854775808', '1e300', '1e999999999', '-9223372036854775809', '1.5', '"1"', 'null']) {
    assert.not.ok(isInt64(read(text) as never), text);
  }
  assert.equal(Object.keys(read('{"__proto__":{"a":1}}') as object), ['__proto__']);
});

test('two fields of one name are found, with any escapes', () => {
  for (const text of [
    '{"a":1,"a":2}',
    ' { "a" : [{"b":1}] , "\\u0061" : 2 }',
    '{"a":{"b":"}"},"b":1,"a":1}',
    '{"a[":1,"b":1,"b":2}',
  ]) {
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
  fc.assert(written, { seed: 20261122 });
  const readable = fc.property(fc.string({ unit: 'binary' }), (text) => readJson(text) !== undefined);
  fc.assert(readable, { seed: 20261122 });
});

test('the media type of JSON is application/json alone, with or without parameters', () => {
  for (const type of ['application/json', 'Application/JSON', 'application/json ;charset=utf-8', 'application/json;x'])
    assert.is(isJsonMediaType(type), true, type);
  for (const type of [
    'text/json',
    'application/json-patch+json',
    'x-application/json',
    'application/jsonx',
    '',
    undefined,
  ])
    assert.is(isJsonMediaType(type), false, type);
});

test('a text is JSON if a parser accepts it, and an object is neither an array nor null', () => {
  assert.equal(['{}', '"a"', '7', '', '{'].map(isJsonText), [true, true, true, false, false]);
  assert.equal([{}, [], null, 'a', undefined].map(isJsonObject), [true, false, false, false, false]);
});

test('a number beyond the range of a double is written as one', () => {
  assert.is(writeJson([Infinity, -Infinity, 1.5, 2n ** 70n]), '[1e999,-1e999,1.5,1180591620717411303424]');
});

test('a message shows a value as JSON of at most 120 characters, and says where there is none', () => {
  assert.is(showJson(undefined), 'nothing');
  assert.is(showJson(Infinity), 'Infinity');
  assert.is(showJson({ name: 'Rex', id: 2n ** 62n }), '{"name":"Rex","id":4611686018427387904}');
  const whole = 'n'.repeat(118);
  assert.is(showJson(whole), `"${whole}"`);
  assert.is(showJson(`${whole}n`), `"${'n'.repeat(116)}...`);
});

test('a message shows the first forty digits of a longer integer, and how many there are', () => {
  assert.is(showJson(10n ** 39n), `1${'0'.repeat(39)}`);
  assert.is(showJson(10n ** 40n), `1${'0'.repeat(39)}… (41 digits)`);
});

test.run();
