/** A body for a person: JSON in lines, cut around the place that breaks the requirement. */

import { counted } from '../verdict/counts.ts';
import { shorten } from './escape.ts';

export interface ExcerptLine {
  readonly text: string;
  /** `defect`: the failure is about this line; `cut`: it stands for lines that are left out. */
  readonly kind: 'plain' | 'defect' | 'cut';
}

/** Longer texts are not parsed, and shown as they are. */
const longestParsed = 200_000;
const token = /"[^"\\]*(?:\\.[^"\\]*)*"|[{}[\],:]|[^\s{}[\],:"]+/gs;
const deepestIndent = 20;

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

interface LaidOut {
  readonly lines: readonly string[];
  /** The index of the line that holds the value a JSON pointer leads to, or else what should hold it; -1 without any. */
  readonly defect: number;
}

/** JSON with a line for each value; strings and numbers keep every character that was sent. */
function layOut(text: string, pointer: readonly string[]): LaidOut {
  const lines = [''];
  const path: (string | number)[] = [];
  let [last, defect, deepest] = ['', -1, 0];
  const newLine = (): void => void lines.push('  '.repeat(Math.min(path.length, deepestIndent)));
  for (const [piece] of text.matchAll(token)) {
    const isEnd = piece === ']' || piece === '}';
    if (isEnd) path.pop();
    const isEmpty = isEnd && (last === '[' || last === '{');
    const isFirst = !isEnd && (last === '[' || last === '{');
    if (isFirst || last === ',' || (isEnd && !isEmpty)) newLine();
    lines[lines.length - 1] += piece === ':' ? ': ' : piece;
    const at = path.at(-1);
    if (piece === ',' && typeof at === 'number') path[path.length - 1] = at + 1;
    // A string behind the brace or a comma of an object is the name of a field.
    const isName = !isEnd && typeof at === 'string' && (last === '{' || last === ',');
    if (isName) path[path.length - 1] = JSON.parse(piece);
    const isOnTheWay =
      !/^[\]},:]$/.test(piece) && path.length > deepest && path.every((part, depth) => String(part) === pointer[depth]);
    if (isOnTheWay) [defect, deepest] = [lines.length - 1, path.length];
    if (piece === '[') path.push(0);
    if (piece === '{') path.push('');
    last = piece;
  }
  return { lines, defect };
}

function isLaidOut(body: string): boolean {
  return body.length <= longestParsed && isJson(body);
}

/** The lines of a body: one for each value where it is JSON, else as it is. */
function layOutBody(body: string, pointer?: string): LaidOut {
  return isLaidOut(body) ? layOut(body, pointer?.split('/').slice(1) ?? []) : { lines: body.split('\n'), defect: -1 };
}

export function bodyLines(body: string): readonly string[] {
  return layOutBody(body).lines;
}

const headLines = 12;
const tailLines = 2;
const linesAround = 4;
const longestLine = 240;

/** The part of a body that a failure is about: its beginning, the lines around the value that `pointer` leads to, and its end. */
export function excerptOf(body: string, pointer?: string): readonly ExcerptLine[] {
  const { lines, defect } = layOutBody(body, pointer);
  const isShown = (at: number): boolean =>
    at < headLines || at >= lines.length - tailLines || (defect >= 0 && Math.abs(at - defect) <= linesAround);
  const excerpt: ExcerptLine[] = [];
  for (let at = 0; at < lines.length; at += 1) {
    if (isShown(at)) {
      excerpt.push({ text: shorten(lines[at]!, longestLine), kind: at === defect ? 'defect' : 'plain' });
      continue;
    }
    let next = at + 1;
    while (!isShown(next)) next += 1;
    excerpt.push({ text: `… ${next - at} lines …`, kind: 'cut' });
    at = next - 1;
  }
  return excerpt;
}

/** The size of a body in words: its characters, and its entries where it is an array. */
export function sizeInWords(body: string, length = body.length): string {
  if (body === '') return 'empty';
  const characters = counted(length, 'character');
  if (!isLaidOut(body)) return characters;
  const value: unknown = JSON.parse(body);
  if (!Array.isArray(value)) return characters;
  return `${counted(value.length, 'entry', 'entries')}, ${characters}`;
}

/** Lines of JSON before the defect in an excerpt of one line, where its entry begins further up. */
const linesBefore = 2;
const longestEntry = 5;
/** A value that the failure is not about is cut to this, so that a long name does not fill the excerpt. */
const longestOtherValue = 60;

/** A line that is cut keeps its comma. */
function cutLine(line: string, longest: number): string {
  const [, text = '', comma = ''] = /^(.*?)(,?)$/s.exec(line.trim()) ?? [];
  return `${shorten(text, longest)}${comma}`;
}

/** The index of the line at which an excerpt begins: that of the entry that holds the defect, if it is close. */
function startOf(lines: readonly string[], defect: number): number {
  const entry = lines.slice(0, Math.max(0, defect)).lastIndexOf('{');
  return entry >= 0 && defect - entry <= longestEntry ? entry : Math.max(0, defect - linesBefore);
}

/** The index behind the last line that fits, starting at `from`. */
function endOf(lines: readonly string[], from: number, longest: number): number {
  let [at, length] = [from, 0];
  while (at < lines.length && length < longest) {
    length += lines[at]!.length + 1;
    at += 1;
  }
  return at;
}

/** A body in one line: whole where it is short, else its size and the part that `pointer` leads to. */
export function excerptInLine(
  body: string,
  pointer: string | undefined,
  longest: number,
  length = body.length,
): string {
  if (body === '') return '(empty)';
  // Many services end a body with a line break.
  if (length <= longest) return isLaidOut(body) ? body.trim() : body;
  const { lines: laidOut, defect } = layOutBody(body, pointer);
  const longestOther = isLaidOut(body) ? longestOtherValue : longest;
  const lines = laidOut.map((text, at) => cutLine(text, at === defect ? longest : longestOther));
  const from = startOf(lines, defect);
  const to = endOf(lines, from, longest);
  const shown = lines.slice(from, to);
  // A space separates a line from the next.
  const text = shown.map((one, at) => (one.endsWith(',') && at < shown.length - 1 ? `${one} ` : one)).join('');
  return `${sizeInWords(body, length)}: ${from > 0 ? '… ' : ''}${text}${to < lines.length ? ' …' : ''}`;
}
