/** Lines for a terminal that escape by construction: no text from a target can set a colour or end a line. */

import { styleText } from 'node:util';
import { wrapAnsi } from 'fast-wrap-ansi';
import { escapeForTerminal } from './escape.ts';
import { widthOf } from './width.ts';

export type Style = 'red' | 'green' | 'yellow' | 'dim' | 'bold';

export interface StyledText {
  readonly style: Style;
  readonly text: string;
}

/** A string is plain text, whatever it holds. */
export type Piece = string | StyledText;

/** One line; where it is wider than the terminal, the rest is indented below it. */
export interface Line {
  readonly pieces: readonly Piece[];
  /** Columns before its first character. */
  readonly indent: number;
  /** Columns before the wrapped rest. */
  readonly hang: number;
  /** `command` can be pasted whatever its width; `table` is a row that fits. */
  readonly kind: 'text' | 'command' | 'table';
}

export type Paint = (style: Style, text: string) => string;

export const withoutColour: Paint = (_style, text) => text;

export const inColour: Paint = (style, text) => styleText(style, text, { validateStream: false });

/** Colour where the stream shows it and the user wants it: NO_COLOR, FORCE_COLOR and the terminal decide. */
export function asShownOn(stream: NodeJS.WritableStream): Paint {
  return (style, text) => styleText(style, text, { stream });
}

export function styled(style: Style, text: string): StyledText {
  return { style, text };
}

/** A line with an indent; its wrapped rest is indented by two more columns. */
export function line(indent: number, ...pieces: readonly Piece[]): Line {
  return { pieces, indent, hang: indent + 2, kind: 'text' };
}

export function command(indent: number, text: string): Line {
  return { pieces: [styled('dim', text)], indent, hang: indent + 2, kind: 'command' };
}

export const blank: Line = line(0);

/** A word of the shell: quoted and bare parts, including bash's $'…'. An unclosed quote takes the rest. */
const word = /(?:\$'(?:\\.|[^'\\])*(?:'|$)|'[^']*(?:'|$)|"(?:\\.|[^"\\])*(?:"|$)|\\.?|[^\s'"\\])+/g;

/** Adds a word; a value stays on the line of its flag. */
function add(parts: readonly string[], next: string): readonly string[] {
  const last = parts.at(-1);
  const isValue = last !== undefined && /^-\S+$/.test(last) && !next.startsWith('-');
  return isValue ? [...parts.slice(0, -1), `${last} ${next}`] : [...parts, next];
}

/**
 * Breaks a command between its words into lines of at most so many columns, except for longer words. All but the last end in
 * a backslash, so that it stays one command when it is copied.
 */
export function wrapCommand(text: string, columns: number): readonly string[] {
  const lines: string[] = [];
  for (const part of (text.match(word) ?? []).reduce(add, [])) {
    const last = lines.at(-1);
    const joined = last === undefined ? part : `${last} ${part}`;
    // The backslash takes two columns.
    if (last !== undefined && widthOf(joined) + 2 <= columns) lines[lines.length - 1] = joined;
    else lines.push(part);
  }
  return lines.map((one, at) => (at < lines.length - 1 ? `${one} \\` : one));
}

/** The columns left for text, however narrow the terminal is. */
const leastColumns = 20;

/** Escapes text that wrapping moves to the start of a line, so it cannot inject CI commands. */
function guard(text: string): string {
  return text.replace(/^:(?=:)/, '\\u003a');
}

function wrapLine({ pieces, hang, kind }: Line, paint: Paint, width: number): readonly string[] {
  const columns = Math.max(leastColumns, width - hang);
  const apply = (piece: Piece, text: string): string => (typeof piece === 'string' ? text : paint(piece.style, text));
  const escaped = pieces.map(
    (piece) => [piece, escapeForTerminal(typeof piece === 'string' ? piece : piece.text)] as const,
  );
  if (kind === 'command') {
    return escaped.flatMap(([piece, text]) => wrapCommand(text, columns).map((part) => apply(piece, part)));
  }
  const text = escaped.map(([piece, part]) => apply(piece, part)).join('');
  const isWhole = columns === Number.POSITIVE_INFINITY || kind === 'table';
  return isWhole ? [text] : wrapAnsi(text, columns, { hard: true }).split('\n').map(guard);
}

/** The lines as text of at most so many columns; Infinity does not wrap. */
export function renderLines(lines: readonly Line[], paint: Paint, width: number): string {
  return lines
    .flatMap((one) =>
      wrapLine(one, paint, width).map((text, at) => `${' '.repeat(at === 0 ? one.indent : one.hang)}${text}`),
    )
    .map((text) => `${text.trimEnd()}\n`)
    .join('');
}
