/** The curl line of a failure stands in every format as it is: whoever copies it sends the request of the evidence. */

import { XMLParser } from 'fast-xml-parser';
import { marked } from 'marked';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { rawBytes } from '../../http/body-bytes.ts';
import { curlOf } from '../../http/curl.ts';
import { reporters } from '../../reporters/index.ts';
import { inPlainText, reportTerminal } from '../../reporters/terminal.ts';
import { viewOf } from '../../reporters/view.ts';
import type { Report } from '../../verdict/report.ts';
import { exchangeOf } from '../run/hand-made.ts';
import { sampleReport } from './sample-report.ts';

const lineOf = (body: string): string =>
  curlOf(
    exchangeOf(1, { request: { method: 'POST', target: '/pets?limit=%0A&x=%25', headers: {}, body } }),
    'http://h',
  );

/** More than a terminal is wide, and more than a screen; each in one line. */
const lines: readonly string[] = [
  lineOf(`{"name":"Rex"${' '.repeat(1_200)}}  `),
  lineOf('  ::error::a  b ##[error] `x` ``` <b>&amp;</b> ]]> %0A \\u0020 \u200d\ufeff\u00ad\u00a0\u202e'),
  lineOf(`\t\r\n\0 ${rawBytes(0xe9)} 'it''s' "x" \\ %s $HOME 👩‍👩‍👧`),
  lineOf(Array.from({ length: 300 }, (_one, at) => `word ${at}`).join('  ')),
];

/** The sample whose failures are all shown by this line. */
function shownBy(line: string): Report {
  const requirements = sampleReport.requirements.map((requirement) => {
    const failures = requirement.failures.map((failure) => ({ ...failure, curl: line }));
    return { ...requirement, failures };
  });
  return { ...sampleReport, requirements };
}

const unescapeHtml = (text: string): string =>
  text
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&amp;', '&');

/** The lines of every text within a value. */
function linesIn(value: unknown): readonly string[] {
  if (typeof value === 'string') return value.split('\n');
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(linesIn) : [];
}

test('a terminal of any width has the line in one piece, and nothing else on that line', () => {
  for (const line of lines) {
    for (const width of [20, 80, 100, 120]) {
      const shown = reportTerminal(viewOf(shownBy(line)), { ...inPlainText, width }).split('\n');
      assert.ok(
        shown.some((one) => one.trimStart() === line),
        `${width}: ${line}`,
      );
    }
  }
});

test('HTML, Markdown and JUnit show the curl line with every blank in it', () => {
  for (const line of lines) {
    const report = shownBy(line);
    const commands = [...reporters.html(report).matchAll(/<pre class="command"[^>]*><code>(.*?)<\/code><\/pre>/g)];
    assert.ok(
      commands.some(([, text = '']) => unescapeHtml(text) === line),
      line,
    );
    const codes = marked.lexer(reporters.markdown(report)).filter(({ type }) => type === 'code');
    assert.ok(
      codes.some((code) => 'text' in code && code.text === line),
      line,
    );
    const { testsuites } = new XMLParser({ trimValues: false, htmlEntities: true }).parse(reporters.junit(report));
    assert.ok(linesIn(testsuites).includes(line), line);
    const saved: Report = JSON.parse(reporters.json(report));
    assert.is(saved.requirements.flatMap(({ failures }) => failures)[0]?.curl, line);
  }
});

test('GitHub has the line where its annotations have room for it, and else a sentence', () => {
  const shownIn = (line: string): readonly string[] =>
    reporters
      .github(shownBy(line))
      .split('\n')
      .flatMap((annotation) => annotation.replace(/^::.*?::/, '').split('%0A'))
      .map((one) => one.replaceAll('%25', '%'));
  for (const line of lines) {
    const isShort = line.length < 2_000;
    assert.is(shownIn(line).includes(line), isShort, line);
    const sentence = `The command that shows it again has ${line.length} characters: the other reports have it.`;
    assert.is(shownIn(line).includes(sentence), !isShort);
    assert.not.ok(shownIn(line).some((one) => one !== line && one.startsWith(line.slice(0, 100))));
  }
});

test.run();
