/** Invisible characters and commands of a CI are escaped for a terminal by name, for JSON so that it means the same. */

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { escapeForTerminal, escapeJson, escapeLines, shorten } from '../../reporters/escape.ts';

/** A text, and how a terminal and JSON show it. */
const rows: readonly (readonly [text: string, onTerminal: string, inJson: string])[] = [
  ['\n', '<U+000A>', '\\u000a'],
  ['\x9b', '<U+009B>', '\\u009b'],
  ['\u202e', '<U+202E>', '\\u202e'],
  ['\u{e0041}', '<U+E0041>', '\\udb40\\udc41'],
  ['\u{110bd}', '<U+110BD>', '\\ud804\\udcbd'],
  ['\ud800', '<U+D800>', '\\ud800'],
  ['\udc7f', '<U+DC7F>', '\\udc7f'],
  ['\udc80', '<0x80>', '\\udc80'],
  ['\udcff', '<0xFF>', '\\udcff'],
  ['\udd00', '<U+DD00>', '\\udd00'],
  ['\ufffe\uffff', '<U+FFFE><U+FFFF>', '\\ufffe\\uffff'],
  ['::error::x', '<U+003A>:error::x', '\\u003a:error::x'],
  ['  ::x', '  <U+003A>:x', '  \\u003a:x'],
  ['a ::x', 'a ::x', 'a ::x'],
  [':x', ':x', ':x'],
  ['a ##[error]', 'a <U+0023>#[error]', 'a \\u0023#[error]'],
  ['##vso[x', '<U+0023>#vso[x', '\\u0023#vso[x'],
  ['#[x]', '#[x]', '#[x]'],
  ['## x [y]', '## x [y]', '## x [y]'],
  ['猫 🐈', '猫 🐈', '猫 🐈'],
];

test('a character that acts is shown by its code point, and in JSON as its escape', () => {
  for (const [text, onTerminal, inJson] of rows) {
    assert.equal([escapeForTerminal(text), escapeJson(text)], [onTerminal, inJson], JSON.stringify(text));
  }
  // JSON and its escapes mean the same.
  for (const [text] of rows) assert.is(JSON.parse(escapeJson(JSON.stringify(text))), text);
});

test('the line ends of several lines are kept, and each line is escaped as the start of one', () => {
  assert.is(escapeLines('a\n::b\n\t::c\n'), 'a\n<U+003A>:b\n<U+0009>::c\n');
});

test('a text is cut to a length, and says how long it is', () => {
  assert.equal([shorten('', 0), shorten('abc', 3), shorten('abcd', 3)], ['', 'abc', 'abc… (4 characters)']);
});

test.run();
