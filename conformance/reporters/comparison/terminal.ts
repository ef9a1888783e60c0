/** A comparison for a terminal. */

import { escapeForTerminal, shorten } from '../escape.ts';
import type { Comparison } from './compare.ts';
import { reportLines, type Section, sectionsOf, summaryOf } from './sections.ts';

/** Wider cells stand in the last column only, where they move nothing. */
const widestCell = 60;

/** Columns as wide as what they hold. */
function tableOf({ head, rows }: Section): readonly string[] {
  const last = head.length - 1;
  const cells = [head, ...rows].map((row) =>
    row.map((cell, at) => escapeForTerminal(at === last ? cell : shorten(cell, widestCell))),
  );
  const widths = head.map((_name, at) => Math.max(...cells.map((row) => row[at]?.length ?? 0)));
  return cells.map((row) => `  ${row.map((cell, at) => cell.padEnd(widths[at] ?? 0)).join('  ')}`.trimEnd());
}

export function showComparison(comparison: Comparison): string {
  const lines = [
    ...reportLines(comparison).map(escapeForTerminal),
    ...sectionsOf(comparison).flatMap((section) => ['', section.title, ...tableOf(section)]),
    '',
    summaryOf(comparison),
  ];
  return `${lines.join('\n')}\n`;
}
