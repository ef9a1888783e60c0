/** Excerpts of bodies: JSON laid out without losing a character, cut around what the failure speaks of. */

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { bodyLines, excerptInLine, excerptOf, sizeInWords } from '../../reporters/excerpt.ts';

const animals = Array.from({ length: 25 }, (_, at) => `{"id":${at + 1},"name":"n${at + 1}","categoryId":1}`);
const page = `[${animals.join(',')}]`;
/** One line for each bracket and each field. */
const linesOfPage = 2 + 25 * 5;

test('JSON is laid out, a line for each value', () => {
  assert.equal(bodyLines('{"a":[1,{"b":null}],"c":{},"d":[]}'), [
    '{',
    '  "a": [',
    '    1,',
    '    {',
    '      "b": null',
    '    }',
    '  ],',
    '  "c": {},',
    '  "d": []',
    '}',
  ]);
});

test('numbers, strings and fields stay as they were sent', () => {
  assert.equal(bodyLines('{"a":9007199254740993,"a":1.0,"b":"\\u00e9 , [ \\" :"}'), [
    '{',
    '  "a": 9007199254740993,',
    '  "a": 1.0,',
    '  "b": "\\u00e9 , [ \\" :"',
    '}',
  ]);
});

test('a body that is not JSON, or too long to lay out, stays as it is', () => {
  assert.equal(bodyLines('<p>\n{"a":1}'), ['<p>', '{"a":1}']);
  assert.is(bodyLines(`["${'x'.repeat(200_001)}"]`).length, 1);
  assert.is(bodyLines(`["${'x'.repeat(199_000)}"]`).length, 3);
});

test('JSON that nests deeply is indented no further than a page is wide', () => {
  const depth = 200;
  const lines = bodyLines('['.repeat(depth) + ']'.repeat(depth));
  assert.ok(lines.every((line) => line.length <= 2 * 20 + 2));
});

test('a short body is shown whole', () => {
  assert.equal(
    excerptOf('{"id":7}').map(({ text }) => text),
    ['{', '  "id": 7', '}'],
  );
});

test('a long body is cut around the value that the pointer leads to', () => {
  const body = page.replace('"n13"', 'null');
  const excerpt = excerptOf(body, '/12/name');
  const defect = 1 + 12 * 5 + 2;
  assert.equal(
    excerpt.map(({ kind }) => kind),
    [
      ...Array(12).fill('plain'),
      'cut',
      ...Array(4).fill('plain'),
      'defect',
      ...Array(4).fill('plain'),
      'cut',
      'plain',
      'plain',
    ],
  );
  assert.is(excerpt.find(({ kind }) => kind === 'defect')?.text, '    "name": null,');
  assert.is(excerpt[12]?.text, `… ${defect - 4 - 12} lines …`);
  assert.is(excerpt[22]?.text, `… ${linesOfPage - 2 - (defect + 5)} lines …`);
});

/** The only marked line of an excerpt. */
function markedIn(body: string, pointer: string): string | undefined {
  const marked = excerptOf(body, pointer).filter(({ kind }) => kind === 'defect');
  assert.ok(marked.length <= 1);
  return marked[0]?.text.trim();
}

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
    assert.is(markedIn(body, pointer), line, pointer);
  }
});

test('a long line is cut', () => {
  assert.match(excerptOf('x'.repeat(10_000))[0]!.text, /^x{240}… \(10000 characters\)$/);
});

test('the size of a body is given in entries and characters', () => {
  assert.is(sizeInWords(page), `25 entries, ${page.length} characters`);
  assert.is(sizeInWords('[1]'), '1 entry, 3 characters');
  assert.is(sizeInWords('{}'), '2 characters');
  assert.is(sizeInWords('1'), '1 character');
  assert.is(sizeInWords(''), 'empty');
  assert.is(sizeInWords('[1,', 9_000), '9000 characters');
});

test('in one line a short body is whole, and a long one is replaced by its size', () => {
  assert.is(excerptInLine('{"id": 7}', undefined, 9), '{"id": 7}');
  assert.is(excerptInLine('', undefined, 9), '(empty)');
  assert.is(excerptInLine('{"id":7}\n', undefined, 9), '{"id":7}');
  assert.is(excerptInLine('no\n', undefined, 9), 'no\n');
  assert.is(
    excerptInLine(page, undefined, 60),
    `25 entries, ${page.length} characters: [{"id": 1, "name": "n1", "categoryId": 1}, {"id": 2, "name": "n2", …`,
  );
  assert.is(excerptInLine('<p>\nno page', undefined, 8), '11 characters: <p>no page');
  assert.is(excerptInLine('[{"id":1},{"i', undefined, 13, 9_000), '9000 characters: [{"id":1},{"i');
});

test('in one line a long body is cut around the value that the pointer leads to', () => {
  const body = page.replace('"n13"', 'null');
  assert.is(
    excerptInLine(body, '/12/name', 30),
    `25 entries, ${body.length} characters: … {"id": 13, "name": null, "categoryId": 1 …`,
  );
});

test('in one line a value that the failure is not about is cut', () => {
  const body = `[{"id":1,"name":"${'x'.repeat(5_000)}","status":"available"},{"id":2,"name":"n2","status":"sold"}]`;
  const shown = excerptInLine(body, '/1/status', 240);
  assert.match(shown, /^2 entries, \d+ characters: … \{"id": 2, "name": "n2", "status": "sold"\}\]$/);
  const whole = excerptInLine(body, undefined, 240);
  assert.match(whole, /\[\{"id": 1, "name": "x{51}… \(\d+ characters\), "status": "available"\}, \{"id": 2/);
});

test.run();
