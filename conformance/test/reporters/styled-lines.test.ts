/** Lines keep to the width of a terminal, whatever is in them, and a command stays one that can be pasted. */

import { execFileSync } from 'node:child_process';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { quoteForShell } from '../../http/curl.ts';
import {
  command,
  inColour,
  line,
  renderLines,
  styled,
  withoutColour,
  wrapCommand,
} from '../../reporters/styled-lines.ts';
import { columnsOf, cutToWidth, widthOf } from '../../reporters/width.ts';

const bash = (text: string): string => execFileSync('bash', ['-c', text], { encoding: 'utf8' });

test('a line is wrapped between words, with a hanging indent', () => {
  assert.equal(renderLines([line(3, 'one two three four five six seven')], withoutColour, 25).split('\n'), [
    '   one two three four',
    '     five six seven',
    '',
  ]);
});

test('a word that is wider than the terminal is broken, wide letters counted as two', () => {
  const lines = renderLines([line(0, `${'猫'.repeat(15)} ${'x'.repeat(30)}`)], withoutColour, 22)
    .trimEnd()
    .split('\n');
  assert.ok(lines.length >= 3);
  for (const one of lines) assert.ok(widthOf(one) <= 22, one);
});

test('a colour is closed at the end of a line and begun again below', () => {
  assert.equal(renderLines([line(0, styled('red', 'aaaaaaaaaaaa bbbbbbbbbbbb'))], inColour, 22).split('\n'), [
    '\x1b[31maaaaaaaaaaaa\x1b[39m',
    '  \x1b[31mbbbbbbbbbbbb\x1b[39m',
    '',
  ]);
});

test('as many columns as it takes are not wrapped at all', () => {
  const long = 'word '.repeat(500).trimEnd();
  assert.is(renderLines([line(0, long)], withoutColour, Number.POSITIVE_INFINITY), `${long}\n`);
});

test('a command is broken between its words, never between a flag and its value, and means the same', () => {
  const words = ['a b', "it's", 'tab\there', "both ' and\n\\ end", '-H x', '$HOME `id`', 'ünï 猫 \\'];
  const text = `printf '<%s>' -- -H ${words.map(quoteForShell).join(' ')} "a \\" \\\\ 'b'" plain\\ word`;
  for (const columns of [10, 20, 40, 200]) {
    const lines = wrapCommand(text, columns);
    assert.is(bash(lines.join('\n')), bash(text));
    assert.ok(lines.slice(0, -1).every((one) => one.endsWith(' \\')));
  }
  assert.equal(wrapCommand("curl -i 'http://a/b' -H 'x: y' -H 'z: w'", 24), [
    "curl -i 'http://a/b' \\",
    "-H 'x: y' -H 'z: w'",
  ]);
});

test('the backslash of a broken command keeps to the width too', () => {
  const text = "curl -i 'http://a/b' -H 'x: y'";
  assert.equal(wrapCommand(text, 22), ["curl -i 'http://a/b' \\", "-H 'x: y'"]);
  assert.equal(wrapCommand(text, 21), ['curl \\', "-i 'http://a/b' \\", "-H 'x: y'"]);
});

test('a command that was cut, with a quote that nothing closes, is shown whole', () => {
  assert.equal(wrapCommand("curl 'http://a b c… (9 characters)", 10), ['curl \\', "'http://a b c… (9 characters)"]);
  assert.equal(wrapCommand('curl "a b', 8), ['curl \\', '"a b']);
  assert.equal(wrapCommand('curl b\\', 80), ['curl b\\']);
});

test('a command on a terminal hangs like any line', () => {
  assert.is(
    renderLines([command(3, "curl -i 'http://a/b' -H 'x: y'")], withoutColour, 28),
    "   curl -i 'http://a/b' \\\n     -H 'x: y'\n",
  );
});

test('a text is cut to a width, and shows it', () => {
  assert.is(cutToWidth('abc', 3), 'abc');
  assert.is(cutToWidth('abcd', 3), 'ab…');
  assert.is(cutToWidth('猫猫猫', 4), '猫…');
  assert.is(cutToWidth('abc', 0), '');
});

test('COLUMNS wins, then the terminal, else a hundred columns', () => {
  assert.is(columnsOf({ columns: 90 }, { COLUMNS: '72' }), 72);
  assert.is(columnsOf({ columns: 90 }, { COLUMNS: '' }), 90);
  assert.is(columnsOf({ columns: 90 }, { COLUMNS: '-5' }), 90);
  assert.is(columnsOf({ columns: 0 }, {}), 100);
  assert.is(columnsOf({}, {}), 100);
});

test.run();
