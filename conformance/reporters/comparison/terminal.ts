/** A comparison for a terminal: tables where they fit its width, and lists where they do not. */

import { escapeForTerminal } from '../escape.ts';
import { inPlainText } from '../presentation.ts';
import { blank, type Line, line, renderLines, withoutColour } from '../styled-lines.ts';
import { widthOf } from '../width.ts';
import type { Comparison } from './compare.ts';
import { reportLines, type Section, sectionsOf, summaryOf, textOf } from './sections.ts';

const indent = 2;

function messageLines(message: string, columns: number): readonly Line[] {
  return message === '' ? [] : [line(columns, message)];
}

/** Columns as wide as their widest cell, the message of each row below it; undefined where that does not fit. */
function tableOf({ rows }: Section, labels: readonly string[], width: number): readonly Line[] | undefined {
  const texts = [['', ...labels], ...rows.map(({ name, cells }) => [name, ...cells.map(textOf)])];
  const cells = texts.map((row) => row.map(escapeForTerminal));
  const widths = cells[0]!.map((_label, at) => Math.max(...cells.map((row) => widthOf(row[at] ?? ''))));
  if (widths.reduce((sum, one) => sum + 2 + one, 0) > width) return undefined;
  const padded = (cell: string, at: number): string => cell + ' '.repeat(widths[at]! - widthOf(cell));
  return cells.flatMap((row, at) => [
    { ...line(indent, row.map(padded).join('  ').trimEnd()), kind: 'table' as const },
    ...messageLines(rows[at - 1]?.message ?? '', indent + 4),
  ]);
}

/** A row as its name, and below it the cell of each report. */
function listOf({ rows }: Section, labels: readonly string[]): readonly Line[] {
  return rows.flatMap(({ name, cells, message }) => [
    line(indent, name),
    ...cells.map((cell, at) => line(indent + 2, `${labels[at]}  ${textOf(cell)}`)),
    ...messageLines(message, indent + 2),
  ]);
}

export function showComparison(comparison: Comparison, width: number = inPlainText.width): string {
  const labels = comparison.reports.map(({ label }) => label);
  const lines = [
    ...reportLines(comparison).map((text) => line(0, text)),
    ...sectionsOf(comparison).flatMap((section) => [
      blank,
      line(0, section.title),
      ...(tableOf(section, labels, width) ?? listOf(section, labels)),
    ]),
    blank,
    line(0, summaryOf(comparison)),
  ];
  return renderLines(lines, withoutColour, width);
}
