/** Whatever a target, a pact or a user says, no format lets it act: on a terminal, in a CI, a browser, a parser. */

import { Writable } from 'node:stream';
import measure from 'fast-string-truncated-width';
import { XMLParser, XMLValidator } from 'fast-xml-parser';
import { lexer, parseInline, walkTokens } from 'marked';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { parse } from 'yaml';
import { gaps } from '../../../spec/gaps.ts';
import { compareReports, comparisonReporters } from '../../reporters/compare.ts';
import { escapeForTerminal, escapeLines, shorten } from '../../reporters/escape.ts';
import { reporters } from '../../reporters/index.ts';
import { escapeMarkdown } from '../../reporters/markdown.ts';
import { markup } from '../../reporters/markup.ts';
import type { ReporterName } from '../../reporters/names.ts';
import { asShownOn, inColour, inPlainText, showBlocks } from '../../reporters/terminal.ts';
import { columnsOf, cutToWidth } from '../../reporters/width.ts';
import type { Report } from '../../verdict/report.ts';
import { fc } from '../properties.ts';
import { hostile, sampleReport } from './sample-report.ts';

const runs = 15;

/** Texts of hostile pieces and of any characters, lone surrogates included. */
const pieces = [
  ...hostile.split(' '),
  ',',
  ':',
  '%0A',
  '\n',
  '\r\n',
  '::',
  '##[',
  '`',
  '```',
  '|',
  '*',
  '<!--',
  ']]>',
  '- ',
  '# ',
  '1. ',
  '\u2028',
];
const hostileText = fc
  .array(fc.oneof(fc.constantFrom(...pieces), fc.string({ unit: 'binary', maxLength: 8 })), { maxLength: 12 })
  .map((parts) => parts.join(''));

/** The sample with another text wherever it is hostile. */
function saying(text: string): Report {
  return JSON.parse(JSON.stringify(sampleReport), (_name, value: unknown) =>
    typeof value === 'string' ? value.replaceAll(hostile, () => text) : value,
  );
}

const ourMarkdown = 'code codespan heading list list_item paragraph space strong table text'.split(' ');

function checkMarkdown(text: string): void {
  walkTokens(lexer(text, { gfm: true }), (token) => {
    assert.ok(ourMarkdown.includes(token.type), `${token.type}: ${token.raw}`);
    // GitHub looks for names of people and issues in the text that it has rendered.
    if (token.type === 'text' && !('tokens' in token && token.tokens)) assert.not.match(token.text, /(^|\s)[@#]\w/);
  });
}

/** What each format must be, whatever is said. */
const checks: Readonly<Record<ReporterName, (text: string, report: Report) => void>> = {
  terminal: () => undefined,
  json: (text, report) => assert.equal(JSON.parse(text), JSON.parse(JSON.stringify(report))),
  junit: (text, { requirements, interactions = [] }) => {
    assert.is(XMLValidator.validate(text), true);
    const { testsuites } = new XMLParser({ ignoreAttributes: false }).parse(text);
    const suites: readonly { readonly testcase: object | readonly object[] }[] = testsuites.testsuite;
    assert.is(suites.flatMap(({ testcase }) => testcase).length, requirements.length + interactions.length + 1);
  },
  html: (text) => {
    assert.is(XMLValidator.validate(text.replace('<!doctype html>', '')), true);
    const tags = [...text.matchAll(/<([a-z0-9]+)/gi)].map(([, tag]) => tag);
    assert.not.ok(['script', 'img', 'iframe', 'link', 'object', 'b', 'base', 'form'].some((tag) => tags.includes(tag)));
    assert.not.match(text, /<[^>]*\s(on\w+=|(src|href)="(?!#))/);
    const ids = [...text.matchAll(/ id="([^"]*)"/g)].map(([, id]) => id);
    assert.is(new Set(ids).size, ids.length);
  },
  markdown: checkMarkdown,
  github: (text) => {
    for (const one of text.trimEnd().split('\n')) assert.match(one, /^::(error|warning|notice) title=[^:,\n]*::/);
    assert.is(text.trimEnd().split('\n').length, 10);
  },
  profile: (text) => {
    const read = parse(text) as Readonly<Record<string, string>> | null;
    for (const id of Object.keys(read ?? {})) assert.ok(gaps.some((gap) => gap.id === id));
  },
  waivers: (text, { requirements }) => {
    const read: readonly { readonly id: string; readonly owner: string; readonly reason: string }[] = parse(text);
    const failing = requirements.filter(({ verdict, waiver }) => verdict === 'fail' || waiver !== undefined);
    const expected = failing.map(({ id, waiver }) => [id, waiver?.owner ?? '', waiver?.reason ?? '']);
    const found = read.map(({ id, owner, reason }) => [id, owner, reason]);
    assert.equal(found, expected);
  },
};

/** No character that a terminal acts on, and no command of a CI that shows the text. */
function checkVisible(text: string, name: string): void {
  assert.not.match(text, /[\x00-\x09\x0b-\x1f\x7f-\x9f\p{Cf}\p{Zl}\p{Zp}\ufffe\uffff]/u);
  assert.ok(text.isWellFormed());
  assert.not.match(text, /##\w*\[/);
  if (name !== 'github') assert.not.match(text, /^\s*::/m);
}

for (const [name, check] of Object.entries(checks) as [ReporterName, (typeof checks)[ReporterName]][]) {
  test(`${name} lets no text act, and stays what it is`, () => {
    const property = fc.property(hostileText, (text) => {
      const report = saying(text);
      const shown = reporters[name](report);
      checkVisible(shown, name);
      check(shown, report);
    });
    fc.assert(property, { numRuns: runs, seed: 20261123, examples: [[hostile], ['']] });
  });
}

test('Markdown shows the signs of a text as they are', () => {
  const text = '\\*a \\_b `c` [e](f) ~g~ |h| $i$ http://j www.k';
  assert.is(parseInline(escapeMarkdown(text), { async: false, gfm: true }), text);
});

test('a comparison lets no text act either', () => {
  const property = fc.property(hostileText, (text) => {
    const comparison = compareReports([saying('harmless'), { ...saying(text), interactions: [] }, saying(text)]);
    for (const [name, show] of Object.entries(comparisonReporters)) checkVisible(show(comparison), name);
    checkMarkdown(comparisonReporters.markdown(comparison));
  });
  fc.assert(property, { numRuns: runs, seed: 20261123 });
});

test('bytes that are no UTF-8, invisible characters and commands of a CI are named, and what acts on nobody is shown as it is', () => {
  assert.is(escapeForTerminal('  ::error::x\udce9 ###[a]'), '  <U+003A>:error::x<0xE9> #<U+0023>#[a]');
  assert.is(escapeLines('a\n::b'), 'a\n<U+003A>:b');
  for (const text of ['Rex', 'Ünïcode 猫 🐈', '# a [b] ::c', '##', 'a::b', ' :b'])
    assert.is(escapeForTerminal(text), text);
  assert.equal([shorten('abcd', 4), shorten('abcde', 4)], ['abcd', 'abcd… (5 characters)']);
});

test('a million of the same character is escaped at once', () => {
  for (const character of [' ', ':', '#', '@', '-', '1', '.', '[', '`', 'w', ' :', '# ', '1. ']) {
    const text = `${character.repeat(1_000_000)}!`;
    assert.ok(escapeForTerminal(text).endsWith('!'));
    assert.ok(escapeMarkdown(text).endsWith('!'));
    assert.ok(String(markup`${text}`).endsWith('!'));
  }
});

test('colour comes from marks only, and from none where there is no colour', () => {
  const text = [{ kind: 'toned', mark: 'fail', text: '\x1b[2Ja' } as const, 'b\x1b[0m  '];
  const shown = (paint = inPlainText.paint) =>
    showBlocks([{ kind: 'list', items: [{ text, notes: [] }] }], { ...inPlainText, paint });
  assert.is(shown(), '  <U+001B>[2Jab<U+001B>[0m\n');
  assert.is(shown(inColour), '  \x1b[31m<U+001B>[2Ja\x1b[39mb<U+001B>[0m\n');
  const stream = (isTTY: boolean, depth: number): NodeJS.WritableStream =>
    Object.assign(new Writable(), { isTTY, getColorDepth: () => depth });
  const forced = process.env['FORCE_COLOR'];
  delete process.env['FORCE_COLOR'];
  const painted = [stream(true, 8), stream(true, 1), stream(false, 8)].map((one) => asShownOn(one)('red', 'a'));
  assert.equal(painted, ['\x1b[31ma\x1b[39m', 'a', 'a']);
  if (forced !== undefined) process.env['FORCE_COLOR'] = forced;
});

test('a line is wrapped between words with a hanging indent, wide letters count as two, and a colour is closed', () => {
  const shown = (text: string, width: number, paint = inPlainText.paint): readonly string[] =>
    showBlocks([{ kind: 'lines', lines: [[{ kind: 'strong', text }]] }], { paint, width })
      .trimEnd()
      .split('\n');
  assert.equal(shown('one two three four five six', 22), ['one two three four', '  five six']);
  for (const one of shown(`${'猫'.repeat(15)} ${'x'.repeat(30)}`, 22)) assert.ok(measure(one).width <= 22, one);
  assert.equal(shown('aaaaaaaaaaaa bbbbbbbbbbbb', 22, inColour), [
    '\x1b[1maaaaaaaaaaaa\x1b[22m',
    '  \x1b[1mbbbbbbbbbbbb\x1b[22m',
  ]);
  const code = { kind: 'command', command: `curl ${'x'.repeat(100)} y` } as const;
  assert.is(showBlocks([code], { ...inPlainText, width: 40 }), `${code.command}\n`);
});

test('a text is cut to a width, and COLUMNS wins, then the terminal, else a hundred columns', () => {
  const cut = [cutToWidth('abc', 3), cutToWidth('abcd', 3), cutToWidth('猫猫猫', 4), cutToWidth('a', 0)];
  assert.equal(cut, ['abc', 'ab…', '猫…', '']);
  const widths = [
    columnsOf({ columns: 90 }, { COLUMNS: '72' }),
    columnsOf({ columns: 90 }, { COLUMNS: '-5' }),
    columnsOf({}, {}),
  ];
  assert.equal(widths, [72, 90, 100]);
});

test.run();
