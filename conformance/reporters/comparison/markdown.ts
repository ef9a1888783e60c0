/** A comparison as Markdown, for comments and job summaries. */

import { joinBlocks, type Markdown, markdown, markdownList } from '../markdown-text.ts';
import type { Comparison } from './compare.ts';
import { reportLines, type Section, sectionsOf, summaryOf, textOf } from './sections.ts';

function rowOf(cells: readonly string[]): Markdown {
  return cells.reduce((row, cell) => markdown`${row} ${cell} |`, markdown`|`);
}

function tableOf({ title, rows }: Section, labels: readonly string[]): Markdown {
  const hasMessages = rows.some(({ message }) => message !== '');
  const last = (cell: string): readonly string[] => (hasMessages ? [cell] : []);
  const head = ['', ...labels, ...last('')];
  const ruler = head.reduce((row) => markdown`${row}---|`, markdown`|`);
  const table = rows
    .map(({ name, cells, message }) => rowOf([name, ...cells.map(textOf), ...last(message)]))
    .reduce((above, row) => markdown`${above}\n${row}`, markdown`${rowOf(head)}\n${ruler}`);
  return joinBlocks([markdown`### ${title}`, table]);
}

export function reportComparisonInMarkdown(comparison: Comparison): string {
  const labels = comparison.reports.map(({ label }) => label);
  const blocks = [
    markdown`## ${summaryOf(comparison)}`,
    markdownList(reportLines(comparison).map((line) => markdown`${line}`)),
    ...sectionsOf(comparison).map((section) => tableOf(section, labels)),
  ];
  return `${joinBlocks(blocks)}\n`;
}
