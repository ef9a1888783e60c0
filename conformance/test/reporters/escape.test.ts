/** What no output lets through, and the notations that escape by construction. */

import { globSync, readFileSync } from 'node:fs';
import { Writable } from 'node:stream';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { escapeForTerminal, escapeLines, shorten } from '../../reporters/escape.ts';
import { codeBlock, joinBlocks, markdown, markdownList } from '../../reporters/markdown-text.ts';
import { joinMarkup, markup } from '../../reporters/markup.ts';
import { asShownOn, blank, inColour, line, renderLines, styled, withoutColour } from '../../reporters/styled-lines.ts';

const invisible: readonly (readonly [string, string, string])[] = [
  ['a control character', '\u0007', '\\u0007'],
  ['the end of a line', 'a\r\nb', 'a\\u000d\\u000ab'],
  ['a C1 control character', '\u009b', '\\u009b'],
  ['bidi', '\u202e\u2066\u061c', '\\u202e\\u2066\\u061c'],
  ['a zero-width space', '\u200b', '\\u200b'],
  ['a tag character', '\u{e0041}', '\\udb40\\udc41'],
  ['a line separator', '\u2028\u2029', '\\u2028\\u2029'],
  ['a lone surrogate', 'x\ud800y', 'x\\ud800y'],
  ['a byte of a request that is not UTF-8', 'x\udce9y', 'x\\xe9y'],
  ['what is no character', '\ufffe\uffff', '\\ufffe\\uffff'],
];

for (const [what, text, shown] of invisible) {
  test(`${what} is shown as an escape`, () => {
    assert.is(escapeForTerminal(text), shown);
  });
}

test('visible characters are shown as they are', () => {
  for (const text of ['Rex', 'Ünïcode 猫 🐈', '# a [b] ::c', '##', 'a::b', ' :b']) {
    assert.is(escapeForTerminal(text), text);
  }
});

test('no text begins a command of a CI', () => {
  assert.is(escapeForTerminal('a ##[error]x'), 'a \\u0023#[error]x');
  assert.is(escapeForTerminal('##vso[task.x]y'), '\\u0023#vso[task.x]y');
  assert.is(escapeForTerminal('::error::x'), '\\u003a:error::x');
  assert.is(escapeForTerminal('  ::error::x'), '  \\u003a:error::x');
  assert.is(escapeForTerminal('###[a] ##b[c]'), '#\\u0023#[a] \\u0023#b[c]');
  assert.is(escapeLines('a\n::b'), 'a\n\\u003a:b');
});

test('a million of the same character is escaped at once', () => {
  for (const character of [' ', ':', '#', '@', '-', '1', '.', '[', '`', 'w', ' :', '# ', '1. ']) {
    const text = `${character.repeat(1_000_000)}!`;
    assert.ok(escapeForTerminal(text).endsWith('!'));
    assert.ok(String(markdown`${text}`).endsWith('!'));
    assert.ok(String(markup`${text}`).endsWith('!'));
  }
});

test('a text that is cut says how long it was', () => {
  assert.is(shorten('abcd', 4), 'abcd');
  assert.is(shorten('abcde', 4), 'abcd… (5 characters)');
});

test('a string in markup is text, and markup in markup stays markup', () => {
  const cell = markup`<td title="${'"\'<&>\u0000'}">${'<b>\n&amp;'}</td>`;
  assert.is(String(cell), '<td title="&quot;&#39;&lt;&amp;&gt;\\u0000">&lt;b&gt;\n&amp;amp;</td>');
  assert.is(String(markup`<tr>${cell}${7}</tr>`), `<tr>${cell}7</tr>`);
  assert.is(String(joinMarkup([markup`<a/>`, markup`<b/>`])), '<a/>\n<b/>');
});

test('the library for markup is imported in one place, which hides its way around escaping', () => {
  const root = new URL('../../../', import.meta.url);
  const sources = globSync('{spec,reference-server,conformance,pacts}/**/*.ts', { cwd: root }).filter(
    (file) => !file.includes('/test/'),
  );
  const importing = sources.filter((file) => /from '@remix-run/.test(readFileSync(new URL(file, root), 'utf8')));
  assert.equal(importing, ['conformance/reporters/markup.ts']);
});

test('a string in Markdown is text, and Markdown in Markdown stays Markdown', () => {
  assert.is(String(markdown`- ${'*a* [b](c) <i>'}`), '- &#42;a&#42; &#91;b&#93;(c) &#60;i&#62;');
  assert.is(String(markdown`${'# a'} ${'1. b'} ${'- c'}`), '&#35;&#32;a 1&#46;&#32;b &#45;&#32;c');
  assert.is(String(markdown`${'http://x www.x'} ${'@a #1'}`), 'http&#58;//x www&#46;x `@a` `#1`');
  assert.is(String(markdown`**${markdown`${'*'}`}** ${2}`), '**&#42;** 2');
  assert.is(String(markdown`${'a\nb'}`), 'a&#92;u000ab');
  assert.is(String(joinBlocks([markdown`a`, markdownList([markdown`b`, markdown`c`])])), 'a\n\n- b\n- c');
});

test('nothing in a block of code ends it or begins a line', () => {
  assert.is(String(codeBlock(['a'], 'sh')), '```sh\na\n```');
  assert.is(String(codeBlock(['```` b', 'c\n`````'], 'http')), '``````http\n```` b\nc\\u000a`````\n``````');
});

test('colour comes from styles only, and from none where there is no colour', () => {
  const lines = [line(2, styled('red', '\x1b[2Ja'), 'b\x1b[0m'), blank, line(0, 'c  ')];
  assert.is(renderLines(lines, withoutColour, 80), '  \\u001b[2Jab\\u001b[0m\n\nc\n');
  assert.is(renderLines(lines, inColour, 80), '  \x1b[31m\\u001b[2Ja\x1b[39mb\\u001b[0m\n\nc\n');
});

test('a stream has colour where it is a terminal that shows it', () => {
  const stream = (isTTY: boolean, depth: number): NodeJS.WritableStream =>
    Object.assign(new Writable(), { isTTY, getColorDepth: () => depth });
  const forced = process.env['FORCE_COLOR'];
  delete process.env['FORCE_COLOR'];
  assert.is(asShownOn(stream(true, 8))('red', 'a'), '\x1b[31ma\x1b[39m');
  assert.is(asShownOn(stream(true, 1))('red', 'a'), 'a');
  assert.is(asShownOn(stream(false, 8))('red', 'a'), 'a');
  if (forced !== undefined) process.env['FORCE_COLOR'] = forced;
});

test.run();
