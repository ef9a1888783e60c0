/** Reports and comparisons for a terminal, in its colours, columns and signs; without them for a file. */

import type { Block, Row, Text } from './blocks.ts';
import { escapeForTerminal } from './escape.ts';
import { type Mark, marks, type SignSet } from './marks.ts';
import { type Detail, reportBlocks, titleOf } from './report-blocks.ts';
import {
  blank,
  command,
  type Line,
  line,
  type Paint,
  type Piece,
  renderLines,
  styled,
  withoutColour,
} from './styled-lines.ts';
import { inOneLine, nextStepOf, type View } from './view.ts';
import { widthOf } from './width.ts';

/** How a terminal shows text. */
export interface Screen {
  readonly paint: Paint;
  /** Columns. */
  readonly width: number;
  readonly signs: SignSet;
}

export interface Presentation extends Screen {
  /** `line` shows the verdict alone. */
  readonly detail: Exclude<Detail, 'open'> | 'line';
  /** The files that hold the report in other formats. */
  readonly files: readonly string[];
  /** The file that holds the report as JSON, which another run can read. */
  readonly jsonFile?: string;
}

export const inPlainText: Presentation = {
  detail: 'short',
  paint: withoutColour,
  width: 100,
  signs: 'unicode',
  files: [],
};

function markText(mark: Mark, signs: SignSet): Piece {
  const { style, word, ...shown } = marks[mark];
  return styled(style, `${shown[signs]} ${mark === 'fail' ? word.toUpperCase() : word}`);
}

function piecesOf(text: Text, signs: SignSet): readonly Piece[] {
  return text.map((piece) => {
    if (typeof piece === 'string') return piece;
    if (piece.kind === 'sign') return styled(marks[piece.mark].style, marks[piece.mark][signs]);
    if (piece.kind === 'mark') return markText(piece.mark, signs);
    if (piece.kind === 'toned') return styled(marks[piece.tone].style, piece.text);
    return styled(piece.kind === 'strong' ? 'bold' : 'dim', piece.text);
  });
}

const textIn = (pieces: readonly Piece[]): string =>
  pieces.map((piece) => escapeForTerminal(typeof piece === 'string' ? piece : piece.text)).join('');

const listIndent = 2;
const groupIndent = 3;

/** Columns as wide as their widest cell; undefined where that does not fit. The note of a row stands below it. */
function tableLines(rows: readonly Row[], { signs, width }: Screen): readonly Line[] | undefined {
  const cells = rows.map((row) => row.cells.map((cell) => piecesOf(cell, signs)));
  const columns = Math.max(0, ...cells.map((row) => row.length));
  const widths = Array.from({ length: columns }, (_nothing, at) =>
    Math.max(...cells.map((row) => widthOf(textIn(row[at] ?? [])))),
  );
  if (widths.reduce((sum, one) => sum + 2 + one, 0) > width) return undefined;
  return cells.flatMap((row, at) => {
    const padded = row.flatMap((cell, column): readonly Piece[] => {
      const isLast = column === row.length - 1;
      return isLast ? cell : [...cell, ' '.repeat(widths[column]! - widthOf(textIn(cell)) + 2)];
    });
    const { note } = rows[at]!;
    return [
      { ...line(listIndent, ...padded), kind: 'table' as const },
      ...(note === '' ? [] : [line(listIndent + 4, note)]),
    ];
  });
}

/** Each row as its first cell, and below it the others, each behind the head of its column. */
function stackedLines(head: readonly string[], rows: readonly Row[], { signs }: Screen): readonly Line[] {
  return rows.flatMap(({ cells: [name = [], ...cells], note }) => [
    line(listIndent, ...piecesOf(name, signs)),
    ...cells.map((cell, at) => {
      const label = head[at + 1] ?? '';
      return line(listIndent + 2, label === '' ? '' : `${label}  `, ...piecesOf(cell, signs));
    }),
    ...(note === '' ? [] : [line(listIndent + 2, note)]),
  ]);
}

function linesOf(block: Block, screen: Screen, indent = 0): readonly Line[] {
  const { signs } = screen;
  switch (block.kind) {
    case 'title':
      return [line(indent, styled(marks[block.tone].style, block.verdict.toUpperCase()), block.rest)];
    case 'heading':
      return [line(indent, styled('bold', block.text))];
    case 'group':
      return [
        { ...line(indent, ...piecesOf(block.heading, signs)), hang: indent + groupIndent },
        ...block.blocks.flatMap((inner) => linesOf(inner, screen, indent + groupIndent)),
      ];
    case 'lines':
      return block.lines.map((text) => line(indent, ...piecesOf(text, signs)));
    case 'list': {
      const start = indent === 0 ? listIndent : indent;
      return block.items.flatMap(({ text, notes }) => [
        line(start, ...piecesOf(text, signs)),
        ...notes.map((note) => line(start + 2, note)),
      ]);
    }
    case 'code':
      return block.lines.map((text) => (block.language === 'sh' ? command(indent, text) : line(indent, text)));
    case 'table': {
      const head = block.head.map((text): Text => [text]);
      const rows = head.length === 0 ? block.rows : [{ cells: head, note: '' }, ...block.rows];
      return tableLines(rows, screen) ?? stackedLines(block.head, block.rows, screen);
    }
  }
}

/** Whether a blank line separates two blocks. */
function isApart(before: Block, after: Block): boolean {
  if (before.kind === 'title' || before.kind === 'heading') return false;
  if (before.kind === 'list' && after.kind === 'list') return false;
  if (after.kind === 'title') return before.kind !== 'lines';
  return !(before.kind === 'table' && after.kind === 'lines');
}

export function showBlocks(blocks: readonly Block[], screen: Screen): string {
  const lines = blocks.flatMap((block, at) => {
    const before = blocks[at - 1];
    return [...(before !== undefined && isApart(before, block) ? [blank] : []), ...linesOf(block, screen)];
  });
  return renderLines(lines, screen.paint, screen.width);
}

/** Where the report was written to, if it was. */
export function filesInWords(files: readonly string[]): readonly string[] {
  return files.length === 0 ? [] : [`Written to ${files.join(', ')}.`];
}

/** What to do after a failure: judge what failed again, by the JSON report. */
function nextLines(view: View, { jsonFile }: Presentation): readonly Line[] {
  const { report, causes } = view;
  const next = nextStepOf(report, jsonFile ?? 'report.json');
  if (next === undefined || !causes.some(({ mark }) => mark === 'fail')) return [];
  const isKept = jsonFile !== undefined || report.client !== undefined;
  const words = isKept ? 'Next, judge what failed again:' : 'Next, with --reporter json=report.json given to this run:';
  return [line(0, words), command(2, next)];
}

/** The last lines stay on the screen, so the verdict and the next step are the last of them. */
export function reportTerminal(view: View, presentation: Presentation = inPlainText): string {
  const { detail, paint, width, files } = presentation;
  if (detail === 'line') return renderLines([line(0, inOneLine(view))], paint, Number.POSITIVE_INFINITY);
  const title = titleOf(view);
  const written = filesInWords(files).map((text) => line(0, text));
  const all = showBlocks([title, ...reportBlocks(view, detail)], presentation);
  const more = line(0, styled('dim', 'Every requirement, and the answers to all gaps: --verbose.'));
  const isReasonAll = view.isUnjudged && detail !== 'full';
  const foot = isReasonAll
    ? written
    : [
        ...written,
        ...(detail === 'full' ? [] : [more]),
        ...linesOf(title, presentation),
        ...nextLines(view, presentation),
      ];
  return all + renderLines(foot, paint, width);
}
