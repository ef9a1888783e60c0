/** A comparison of reports as blocks: what changed, the worst first, and a summary. */

import { counted } from '../verdict/counts.ts';
import { type Block, heading, lines, mark, type Row, type Text } from './blocks.ts';
import { type Change, type ComparedVerdict, type Comparison, countChanges } from './compare.ts';
import { shorten } from './escape.ts';
import { showMarkdown } from './markdown.ts';
import type { ReporterName } from './names.ts';
import { inPlainText, type Screen, showBlocks } from './terminal.ts';
import { meaningsOf, timeInWords } from './view.ts';

const noValue = '·';
const longestMessage = 200;

/** The worst change first. */
const titles: readonly (readonly [Change | undefined, string])[] = [
  ['regression', 'Regressions'],
  ['failing', 'Newly judged, and failing'],
  ['warning', 'New warnings (advised)'],
  ['waived', 'New failures that are waived'],
  ['lost', 'Passed before, and not judged any more'],
  ['fix', 'Fixed'],
  [undefined, 'Unchanged failures'],
];

/** More than two reports are a matrix, in which regressions are marked. */
function rowOf({ name, verdicts, changes, message }: ComparedVerdict): Row {
  const isMatrix = verdicts.length > 2;
  const cells = verdicts.map((verdict, at): Text => {
    if (verdict === undefined) return [noValue];
    return isMatrix && changes[at] === 'regression' ? [mark(verdict), ' (regression)'] : [mark(verdict)];
  });
  return { cells: [[name], ...cells], note: isMatrix ? '' : shorten(message, longestMessage) };
}

function answerText(id: string, answers: readonly string[]): Text {
  const meanings = meaningsOf(id);
  const texts = answers.map((answer) => (meanings[answer] === undefined ? answer : `${answer}: ${meanings[answer]}`));
  return [texts.join(' ') || noValue];
}

function summaryOf(comparison: Comparison): string {
  const parts = [
    counted(countChanges(comparison, 'regression'), 'regression'),
    counted(countChanges(comparison, 'fix'), 'fix', 'fixes'),
    counted(comparison.profile.length, 'change of profile', 'changes of profile'),
  ].map((part) => part.replace(/^0/, 'no'));
  const isSound = comparison.reports.every(({ exitCode }) => exitCode === 0);
  const text = `${parts.join(', ')}${isSound ? '; all conform' : ''}.`;
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** One line for each report: address, time and headline. */
function reportLines({ reports }: Comparison): readonly string[] {
  return reports.map(({ label, subject, startedAt, headline, reason }) => {
    const why = reason === undefined ? '' : ` (${shorten(reason, longestMessage)})`;
    return `${label}  ${subject}, ${timeInWords(startedAt)}: ${headline}${why}`;
  });
}

function titleOf(comparison: Comparison): Block {
  const tone = countChanges(comparison, 'regression') === 0 ? 'pass' : 'fail';
  return { kind: 'title', tone, verdict: '', rest: summaryOf(comparison) };
}

function changeBlocks(comparison: Comparison): readonly Block[] {
  const { reports, verdicts, profile } = comparison;
  const head = ['', ...reports.map(({ label }) => label)];
  const table = (title: string, rows: readonly Row[]): readonly Block[] =>
    rows.length === 0 ? [] : [heading(title), { kind: 'table', head, rows }];
  const changed =
    reports.length > 2
      ? table('Requirements that do not pass everywhere', verdicts.map(rowOf))
      : titles.flatMap(([change, title]) =>
          table(title, verdicts.filter(({ changes }) => changes[1] === change).map(rowOf)),
        );
  const gaps = profile.map(({ id, section, answers }) => ({
    cells: [[`§${section} ${id}`], ...answers.map((own) => answerText(id, own))],
    note: '',
  }));
  return [...changed, ...table('Profile: different answers to gaps of the interface (never judged)', gaps)];
}

/** Reporter name → the function that turns a comparison into text. */
export const comparisonReporters = {
  terminal: (comparison: Comparison, screen: Screen = inPlainText) =>
    showBlocks([lines(...reportLines(comparison)), ...changeBlocks(comparison), titleOf(comparison)], screen),
  markdown: (comparison: Comparison) =>
    showMarkdown([titleOf(comparison), lines(...reportLines(comparison)), ...changeBlocks(comparison)]),
} as const satisfies Partial<Record<ReporterName, (comparison: Comparison, screen?: Screen) => string>>;
