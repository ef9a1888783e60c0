/** A comparison for a terminal: tables where they fit its width, and lists where they do not. */

import { escapeForTerminal, shorten } from '../escape.ts';
import { inPlainText } from '../presentation.ts';
import { blank, type Line, line, renderLines, withoutColour } from '../styled-lines.ts';
import { widthOf } from '../width.ts';
import type { Comparison } from './compare.ts';
import { reportLines, sectionsOf, summaryOf, textOf } from './sections.ts';

/** A section whose cells are texts. */
interface Section {
  readonly title: string;
  readonly head: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

/** Wider cells stand only in the last column, where they move no other column. */
const widestCell = 60;

function padded(cell: string, width: number): string {
  return cell + ' '.repeat(Math.max(0, width - widthOf(cell)));
}

/** A table whose columns are as wide as their widest cell. */
function tableOf({ head, rows }: Section): readonly string[] {
  const last = head.length - 1;
  const cells = [head, ...rows].map((row) =>
    row.map((cell, at) => escapeForTerminal(at === last ? cell : shorten(cell, widestCell))),
  );
  const widths = head.map((_name, at) => Math.max(...cells.map((row) => widthOf(row[at] ?? ''))));
  return cells.map((row) =>
    row
      .map((cell, at) => padded(cell, widths[at] ?? 0))
      .join('  ')
      .trimEnd(),
  );
}

/** A row as its name, and below it the cell of each report. */
function listOf({ head, rows }: Section): readonly Line[] {
  return rows.flatMap(([name = '', ...cells]) => [
    line(2, name),
    ...cells.flatMap((cell, at) => {
      const label = head[at + 1] ?? '';
      return cell === '' ? [] : [line(4, label === '' ? cell : `${label}  ${cell}`)];
    }),
  ]);
}

const indent = 2;

/** A row of a table, which is not wrapped. */
function row(text: string): Line {
  return { ...line(indent, text), kind: 'table' };
}

/** The table without its last column, whose cells stand below their rows. */
function notedTable({ head, rows }: Section): readonly Line[] {
  const table = tableOf({ title: '', head: head.slice(0, -1), rows: rows.map((cells) => cells.slice(0, -1)) });
  return table.flatMap((text, at) => {
    const note = rows[at - 1]?.at(-1) ?? '';
    return [row(text), ...(note === '' ? [] : [line(indent + 4, note)])];
  });
}

/** The first form that fits: a table, a table with notes below its rows, a list. */
function rowsOf(section: Section, width: number): readonly Line[] {
  const fits = ({ indent: before, kind, pieces }: Line): boolean =>
    kind !== 'table' || before + widthOf(String(pieces[0])) <= width;
  const table = tableOf(section).map(row);
  if (table.every(fits)) return table;
  const noted = section.head.at(-1) === '' ? notedTable(section) : [];
  return noted.length > 0 && noted.every(fits) ? noted : listOf(section);
}

function linesOf(section: Section, width: number): readonly Line[] {
  return [blank, line(0, section.title), ...rowsOf(section, width)];
}

export function showComparison(comparison: Comparison, width: number = inPlainText.width): string {
  const lines = [
    ...reportLines(comparison).map((text) => line(0, text)),
    ...sectionsOf(comparison)
      .map((section) => ({ ...section, rows: section.rows.map((cells) => cells.map(textOf)) }))
      .flatMap((section) => linesOf(section, width)),
    blank,
    line(0, summaryOf(comparison)),
  ];
  return renderLines(lines, withoutColour, width);
}
