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
    excerptOf('{"id":7}', '').map(({ text }) => text),
    ['{', '  "id": 7', '}'],
  );
});

test('a long body is cut around the value that was received', () => {
  const body = page.replace('"n13"', 'null');
  const excerpt = excerptOf(body, 'expected name: a string, received null');
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

test('a string is found by how it begins, wherever it stands', () => {
  const [line] = excerptOf(page, 'expected a name that was sent, received "n20"').filter(
    ({ kind }) => kind === 'defect',
  );
  assert.is(line?.text, '    "name": "n20",');
});

test('a missing value is looked for in the only field of that name', () => {
  const one = excerptOf('{"name":"a","id":1}', 'expected name "b" in the 201, received a name of 9000 code points');
  assert.equal(
    one.map(({ kind }) => kind),
    ['plain', 'defect', 'plain', 'plain'],
  );
  const many = excerptOf(page, 'expected name "b" in the page, received none');
  assert.not.ok(many.some(({ kind }) => kind === 'defect'));
});

test('no line is marked where the message speaks of none', () => {
  for (const message of ['', 'it broke', 'expected at most 20 animals, received 25']) {
    assert.not.ok(excerptOf(page, message).some(({ kind }) => kind === 'defect'));
  }
});

test('a long line is cut', () => {
  assert.match(excerptOf('x'.repeat(10_000), '')[0]!.text, /^x{240}… \(10000 characters\)$/);
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
  assert.is(excerptInLine('{"id": 7}', '', 9), '{"id": 7}');
  assert.is(excerptInLine('', '', 9), '(empty)');
  assert.is(excerptInLine('{"id":7}\n', '', 9), '{"id":7}');
  assert.is(excerptInLine('no\n', '', 9), 'no\n');
  assert.is(
    excerptInLine(page, '', 60),
    `25 entries, ${page.length} characters: [{"id": 1, "name": "n1", "categoryId": 1}, {"id": 2, "name": "n2", …`,
  );
  assert.is(excerptInLine('<p>\nno page', '', 8), '11 characters: <p>no page');
  assert.is(excerptInLine('[{"id":1},{"i', '', 13, 9_000), '9000 characters: [{"id":1},{"i');
});

test('in one line a long body is cut around the value that was received', () => {
  const body = page.replace('"n13"', 'null');
  assert.is(
    excerptInLine(body, 'expected name: a string, received null', 30),
    `25 entries, ${body.length} characters: … {"id": 13, "name": null, "categoryId": 1 …`,
  );
});

test('in one line a value that the message is not about is cut', () => {
  const body = `[{"id":1,"name":"${'x'.repeat(5_000)}","status":"available"},{"id":2,"name":"n2","status":"sold"}]`;
  const shown = excerptInLine(body, 'expected only animals that are pending, received one with status "sold"', 240);
  assert.match(shown, /^2 entries, \d+ characters: … \{"id": 2, "name": "n2", "status": "sold"\}\]$/);
  const whole = excerptInLine(body, 'expected id: an integer, received null', 240);
  assert.match(whole, /\[\{"id": 1, "name": "x{51}… \(\d+ characters\), "status": "available"\}, \{"id": 2/);
});

test.run();
