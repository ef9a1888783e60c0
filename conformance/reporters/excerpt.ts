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

/**
 * The lines of a body: one for each value where it is JSON, else as it is. `defect` is the index of the line that holds the
 * value a JSON pointer leads to, or else what should hold it; -1 without any.
 */
function layOut(body: string, pointer = '') {
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

const [headLines, tailLines, linesAround, longestLine] = [12, 2, 4, 240];

/** The part of a body that a failure is about: its beginning, the lines around the value that `pointer` leads to, and its end. */
export function excerptOf(body: string, pointer?: string): readonly ExcerptLine[] {
  const { lines, defect } = layOut(body, pointer);
  const isShown = (at: number): boolean =>
    at < headLines || at >= lines.length - tailLines || (defect >= 0 && Math.abs(at - defect) <= linesAround);
  return lines.flatMap((line, at): readonly ExcerptLine[] => {
    if (isShown(at)) return [{ text: shorten(line, longestLine), kind: at === defect ? 'defect' : 'plain' }];
    if (!isShown(at - 1)) return [];
    const left = lines.slice(at).findIndex((_line, further) => isShown(at + further));
    return [{ text: `… ${left} lines …`, kind: 'cut' }];
  });
}

/** The size of a body in words: its characters, and its entries where it is an array. */
export function sizeInWords(body: string, length = body.length): string {
  if (body === '') return 'empty';
  const characters = counted(length, 'character');
  const value = parse(body);
  return Array.isArray(value) ? `${counted(value.length, 'entry', 'entries')}, ${characters}` : characters;
}

/** A value that the failure is not about is cut to this, so that a long name does not fill the excerpt. */
const longestOtherValue = 60;

/** A body in one line: whole where it is short, else its size and the lines around what `pointer` leads to. */
export function excerptInLine(
  body: string,
  pointer: string | undefined,
  longest: number,
  length = body.length,
): string {
  if (body === '') return '(empty)';
  const { lines, defect, isJson } = layOut(body, pointer);
  // Many services end a body with a line break.
  if (length <= longest) return isJson ? body.trim() : body;
  const near = Math.max(0, defect - linesAround);
  // It begins with the entry that holds the defect, if that is close.
  const entry = lines.slice(near, Math.max(0, defect)).findLastIndex((line) => line.trim() === '{');
  const from = near + Math.max(0, entry);
  const shown = lines.slice(from, defect < 0 ? headLines : defect + linesAround + 1);
  const texts = shown.map((line, at) => shorten(line.trim(), from + at === defect ? longestLine : longestOtherValue));
  // A space stands behind a comma, and behind what is cut.
  const json = texts.map((one) => (/[,)]$/.test(one) ? `${one} ` : one)).join('');
  const isCut = isJson ? from + shown.length < lines.length : body.length > longest;
  return `${sizeInWords(body, length)}: ${from > 0 ? '… ' : ''}${isJson ? json.trimEnd() : body.slice(0, longest)}${isCut ? ' …' : ''}`;
}
