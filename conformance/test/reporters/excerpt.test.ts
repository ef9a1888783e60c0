/** Excerpts of bodies: JSON laid out without losing a character, cut around what the failure speaks of. */

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { excerptInLine, excerptOf } from '../../reporters/excerpt.ts';

const animals = Array.from({ length: 25 }, (_, at) => `{"id":${at + 1},"name":"n${at + 1}","categoryId":1}`);
const page = `[${animals.join(',')}]`;
const wrong = page.replace('"n13"', 'null');

const linesOf = (body: string): readonly string[] => excerptOf(body).map(({ text }) => text);

const laidOut: readonly (readonly [body: string, lines: readonly string[]])[] = [
  ['{"id":7}', ['{', '  "id": 7', '}']],
  [
    '{"a":[1,{"b":null}],"c":{},"d":[]}',
    ['{', '  "a": [', '    1,', '    {', '      "b": null', '    }', '  ],', '  "c": {},', '  "d": []', '}'],
  ],
  // Numbers and strings stay as they were sent.
  [
    '{"a":9007199254740993,"b":1.0,"c":"\\u00e9 , [ \\" :"}',
    ['{', '  "a": 9007199254740993,', '  "b": 1.0,', '  "c": "\\u00e9 , [ \\" :"', '}'],
  ],
  ['<p>\n{"a":1}', ['<p>', '{"a":1}']],
  ['x'.repeat(10_000), [`${'x'.repeat(240)}… (10000 characters)`]],
  [`["${'x'.repeat(200_001)}"]`, [`["${'x'.repeat(238)}… (200005 characters)`]],
];

test('a body is laid out, a line for each value, where it is JSON that nests little', () => {
  for (const [body, lines] of laidOut) assert.equal(linesOf(body), lines);
  assert.is(linesOf('['.repeat(20) + ']'.repeat(20)).length, 15);
  for (const depth of [22, 100_000]) assert.is(linesOf('['.repeat(depth) + ']'.repeat(depth)).length, 1);
});

test('a long body is cut around the value that the pointer leads to', () => {
  const excerpt = excerptOf(wrong, '/12/name');
  const kinds = excerpt.map(({ kind }) => ({ plain: '.', cut: '…', defect: 'x' })[kind]).join('');
  assert.is(kinds, `${'.'.repeat(12)}…....x....…..`);
  const shown = [excerpt[12], excerpt[17], excerpt[22]].map((line) => line?.text);
  assert.equal(shown, ['… 47 lines …', '    "name": null,', '… 57 lines …']);
});

test('a pointer leads to a value at any depth, and else to what should hold it', () => {
  const nested = '{"a":[{"b":1},[2,{"b":{"c":3}}]],"b":4,"}":"{","a b":"\\"c\\""}';
  for (const [body, pointer, line] of [
    [page, '/19/name', '"name": "n20",'],
    [page, '/24', '{'],
    [nested, '/a/0/b', '"b": 1'],
    [nested, '/a/1/0', '2,'],
    [nested, '/a/1/1/b/c', '"c": 3'],
    [nested, '/b', '"b": 4,'],
    [nested, '/}', '"}": "{",'],
    [nested, '/a b', '"a b": "\\"c\\""'],
    [nested, '/a/1/1/d', '{'],
    [page, '/25/id', undefined],
    [page, '', undefined],
    ['no JSON', '/a', undefined],
  ] as const) {
    const marked = excerptOf(body, pointer).filter(({ kind }) => kind === 'defect');
    const texts = marked.map(({ text }) => text.trim());
    assert.equal(texts, line === undefined ? [] : [line], pointer);
  }
});

const inLine: readonly (readonly [shown: string, ...Parameters<typeof excerptInLine>])[] = [
  ['{"id": 7}', '{"id": 7}', undefined, 9],
  ['(empty)', '', undefined, 9],
  ['{"id":7}', '{"id":7}\n', undefined, 9],
  ['11 characters: <p> no page', '<p>\nno page', undefined, 8],
  ['9000 characters: [{"id":1},{"i', '[{"id":1},{"i', undefined, 13, 9_000],
  [
    `25 entries, ${wrong.length} characters: [ { "id": 1, "name": "n1", "categoryId": 1 }, { "id": 2, … 51 lines … "categoryId": 1 }, { "id": 13, "name": null, "categoryId": 1 }, { "id": 14, … 58 lines … ]`,
    wrong,
    '/12/name',
    30,
  ],
];

test('a long body stands in one line with its size and an excerpt', () => {
  for (const [shown, ...asked] of inLine) assert.is(excerptInLine(...asked), shown);
});

test.run();
