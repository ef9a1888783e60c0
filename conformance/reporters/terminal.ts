/** Reports and comparisons for a terminal. Every text is escaped: none from a target can set a colour or begin a line. */

import { styleText } from 'node:util';
import { wrapAnsi } from 'fast-wrap-ansi';
import { type Block, lines, type Text } from './blocks.ts';
import { escapeForTerminal } from './escape.ts';
import { commandsOf, evidenceLines } from './evidence.ts';
import { marks, type Style } from './marks.ts';
import { type Detail, reportBlocks, titleOf } from './report-blocks.ts';
import { inOneLine, type View } from './view.ts';

export type Paint = (style: Style, text: string) => string;

export const inColour: Paint = (style, text) => styleText(style, text, { validateStream: false });

/** Colour where the stream shows it and the user wants it: NO_COLOR, FORCE_COLOR and the terminal decide. */
export function asShownOn(stream: NodeJS.WritableStream): Paint {
  return (style, text) => styleText(style, text, { stream });
}

/** How a terminal shows text. */
export interface Screen {
  readonly paint: Paint;
  /** Columns; Infinity does not wrap. */
  readonly width: number;
}

export interface Presentation extends Screen {
  /** `line` shows the verdict alone. */
  readonly detail: Detail | 'line';
  /** The files that hold the report in other formats. */
  readonly files: readonly string[];
}

export const inPlainText: Presentation = { detail: 'short', paint: (_style, text) => text, width: 100, files: [] };

function paintText(text: Text, { paint }: Screen): string {
  const pieces = text.map((piece) => {
    if (typeof piece === 'string') return escapeForTerminal(piece);
    if (!('mark' in piece)) return paint(piece.kind === 'strong' ? 'bold' : 'dim', escapeForTerminal(piece.text));
    const { style, sign, word } = marks[piece.mark];
    if (piece.kind === 'toned') return paint(style, escapeForTerminal(piece.text));
    return paint(style, `${sign} ${piece.mark === 'fail' ? word.toUpperCase() : word}`);
  });
  return pieces.join('');
}

/** The columns left for text, however narrow the terminal is. */
const leastColumns = 20;

/** A text with an indent; the rest that does not fit is indented by two more columns, or by `hang`. */
function terminalLine(text: Text, screen: Screen, indent = 0, hang = indent + 2): string {
  const shown = paintText(text, screen);
  const columns = Math.max(leastColumns, screen.width - hang);
  const parts = columns === Number.POSITIVE_INFINITY ? [shown] : wrapAnsi(shown, columns, { hard: true }).split('\n');
  return parts
    .map((part, at) => {
      // What wrapping moves to the start of a line must not become a command to a CI.
      const safe = part.replace(/^:(?=:)/, '\\u003a');
      return `${' '.repeat(at === 0 ? indent : hang)}${safe}`.trimEnd();
    })
    .join('\n');
}

const listIndent = 2;
const groupIndent = 3;

function linesOf(block: Block, screen: Screen, indent = 0): readonly string[] {
  switch (block.kind) {
    case 'title': {
      const verdict = { kind: 'toned', mark: block.tone, text: block.verdict.toUpperCase() } as const;
      return [terminalLine([verdict, block.rest], screen, indent)];
    }
    case 'heading':
      return [terminalLine([{ kind: 'strong', text: block.text }], screen, indent)];
    case 'group':
      return [
        terminalLine(block.heading, screen, indent, indent + groupIndent),
        ...block.blocks.flatMap((inner) => linesOf(inner, screen, indent + groupIndent)),
      ];
    case 'lines':
      return block.lines.map((text) => terminalLine(text, screen, indent));
    case 'list': {
      const start = indent === 0 ? listIndent : indent;
      return block.items.flatMap(({ text, notes, command }) => [
        terminalLine(text, screen, start),
        ...notes.map((note) => terminalLine([note], screen, start + 2)),
        ...(command === undefined ? [] : [commandLine(command, screen, start + 2)]),
      ]);
    }
    case 'command':
      return [commandLine(block.command, screen, indent)];
    case 'evidence':
      return [
        ...evidenceLines(block).map((text) => terminalLine([text], screen, indent)),
        ...commandsOf(block).map((text) => commandLine(text, screen, indent)),
      ];
  }
}

/** A command stays on one line, however long, so that it can be copied. */
function commandLine(text: string, screen: Screen, indent: number): string {
  return terminalLine([{ kind: 'quiet', text }], { ...screen, width: Number.POSITIVE_INFINITY }, indent);
}

/** Whether a blank line separates two blocks. */
function isApart(before: Block, after: Block): boolean {
  if (before.kind === 'title' || before.kind === 'heading') return false;
  if (before.kind === 'list' && after.kind === 'list') return false;
  return after.kind !== 'title' || before.kind !== 'lines';
}

export function showBlocks(blocks: readonly Block[], screen: Screen): string {
  const shown = blocks.flatMap((block, at) => {
    const before = blocks[at - 1];
    return [...(before !== undefined && isApart(before, block) ? [''] : []), ...linesOf(block, screen)];
  });
  return shown.map((line) => `${line}\n`).join('');
}

/** What to do after a failure: judge what failed again, by the JSON report. */
function nextBlocks({ report, causes, next, isKept }: View): readonly Block[] {
  if (next === undefined || !causes.some(({ mark }) => mark === 'fail')) return [];
  const isReady = isKept || report.client !== undefined;
  const words = isReady ? 'Next, judge what failed again:' : 'Next, after a run with --reporter json=report.json:';
  return [{ kind: 'group', heading: [words], blocks: [{ kind: 'command', command: next }] }];
}

/** The last lines stay on the screen, so the verdict and the next step are the last of them. */
export function reportTerminal(view: View, presentation: Presentation = inPlainText): string {
  const { detail, files } = presentation;
  const written = files.length === 0 ? [] : [`Written to ${files.join(', ')}.`];
  if (detail === 'line') return [inOneLine(view), ...written].map((text) => `${escapeForTerminal(text)}\n`).join('');
  const title = titleOf(view);
  const more: Text = [{ kind: 'quiet', text: 'Every requirement, and the answers to all gaps: --verbose.' }];
  const isReasonAll = view.isUnjudged && detail === 'short';
  const foot: readonly Block[] = isReasonAll
    ? [lines(...written)]
    : [lines(...written, ...(detail === 'full' ? [] : [more])), title, ...nextBlocks(view)];
  return showBlocks([title, ...reportBlocks(view, detail)], presentation) + showBlocks(foot, presentation);
}
