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
const deepestIndent = 20;

/** A string, number or word of JSON as it was sent, with every character. */
class Source {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** The value of a JSON text; undefined where it is none, is too long, or nests too deeply. */
function parse(text: string): unknown {
  if (text.length > longestParsed) return undefined;
  const keepSource = (_field: string, value: unknown, context?: { readonly source?: string }): unknown =>
    context?.source === undefined ? value : new Source(context.source);
  try {
    return JSON.parse(text, keepSource as (field: string, value: unknown) => unknown);
  } catch {
    return undefined;
  }
}

interface LaidOut {
  readonly lines: readonly string[];
  /** The index of the line that holds the value a JSON pointer leads to, or else what should hold it; -1 without any. */
  readonly defect: number;
  readonly isJson: boolean;
}

/** The lines of a body: one for each value where it is JSON, else as it is. */
function layOut(body: string, pointer = ''): LaidOut {
  const whole = parse(body);
  if (whole === undefined) return { lines: body.split('\n'), defect: -1, isJson: false };
  const path = pointer.split('/').slice(1);
  const lines: string[] = [];
  let defect = -1;
  const add = (value: unknown, name: string, comma: string, depth: number, isOnTheWay: boolean): void => {
    if (isOnTheWay && depth > 0) defect = lines.length;
    const put = (text: string) => lines.push('  '.repeat(Math.min(depth, deepestIndent)) + text);
    const isList = Array.isArray(value);
    const parts = value instanceof Source ? [] : Object.entries(value as object);
    const [open, close] = value instanceof Source ? [value.text, ''] : isList ? ['[', ']'] : ['{', '}'];
    if (parts.length === 0) {
      put(`${name}${open}${close}${comma}`);
      return;
    }
    put(name + open);
    for (const [at, [key, part]] of parts.entries()) {
      const next = at < parts.length - 1 ? ',' : '';
      add(part, isList ? '' : `${JSON.stringify(key)}: `, next, depth + 1, isOnTheWay && path[depth] === key);
    }
    put(close + comma);
  };
  add(whole, '', '', 0, true);
  return { lines, defect, isJson: true };
}

const headLines = 12;
const tailLines = 2;
const linesAround = 4;
const longestLine = 240;

/** The part of a body that a failure is about: its beginning, the lines around the value that `pointer` leads to, and its end. */
export function excerptOf(body: string, pointer?: string): readonly ExcerptLine[] {
  const { lines, defect } = layOut(body, pointer);
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
  const value = parse(body);
  return Array.isArray(value) ? `${counted(value.length, 'entry', 'entries')}, ${characters}` : characters;
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
  const { lines: laidOut, defect, isJson } = layOut(body, pointer);
  if (length <= longest) return isJson ? body.trim() : body;
  const longestOther = isJson ? longestOtherValue : longest;
  const lines = laidOut.map((text, at) => cutLine(text, at === defect ? longest : longestOther));
  const from = startOf(lines, defect);
  const to = endOf(lines, from, longest);
  const shown = lines.slice(from, to);
  // A space separates a line from the next.
  const text = shown.map((one, at) => (one.endsWith(',') && at < shown.length - 1 ? `${one} ` : one)).join('');
  return `${sizeInWords(body, length)}: ${from > 0 ? '… ' : ''}${text}${to < lines.length ? ' …' : ''}`;
}
