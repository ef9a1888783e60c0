/** A body for a person: JSON in lines, cut around the place that breaks the requirement. */

import { rawJson } from '../http/json.ts';
import { counted } from '../verdict/reasons.ts';
import { shorten } from './escape.ts';

export interface ExcerptLine {
  readonly text: string;
  /** `defect`: the failure is about this line; `cut`: it stands for lines that are left out. */
  readonly kind: 'plain' | 'defect' | 'cut';
}

/** A longer text is not parsed, but shown as it is. Characters. */
const longestParsed = 200_000;
/** And so is a value that nests deeper. */
const deepest = 20;

function isDeep(value: unknown, left = deepest): boolean {
  return (
    typeof value === 'object' &&
    value !== null &&
    (left === 0 || Object.values(value).some((one) => isDeep(one, left - 1)))
  );
}

/** The value of a JSON text, with every number and string as it was sent; undefined if it is shown as it is. */
function parseJson(text: string): unknown {
  if (text.length > longestParsed) return undefined;
  const keepSource = (_field: string, value: unknown, context?: { readonly source?: string }): unknown =>
    context?.source === undefined ? value : rawJson(context.source);
  try {
    const value: unknown = JSON.parse(text, keepSource as (field: string, value: unknown) => unknown);
    return isDeep(value) ? undefined : value;
  } catch {
    return undefined;
  }
}

function layOut(value: unknown): readonly string[] {
  return JSON.stringify(value, null, 2).split('\n');
}

/** The line on which the value at a path begins, or else what should hold it, counted from that of `value`. */
function lineAt(value: unknown, [key, ...rest]: readonly string[]): number {
  const parts = Object.entries(Object(value) as object);
  const at = parts.findIndex(([name]) => name === key);
  if (at === -1) return 0;
  const before = parts.slice(0, at).reduce((sum, [, part]) => sum + layOut(part).length, 0);
  return 1 + before + lineAt(parts[at]![1], rest);
}

const linesAround = 4;
const longestLine = 240;
/** How many lines of the start and the end of a body are shown, and how much of a line that the failure is not about. */
const onPage = { head: 12, tail: 2, longest: longestLine };
const inText = { head: 8, tail: 1, longest: 60 };

/** The lines of a body to show: its start, its end, and those around the value that a JSON pointer leads to. */
export function excerptOf(body: string, pointer = '', { head, tail, longest } = onPage): readonly ExcerptLine[] {
  const value = parseJson(body);
  const lines = value === undefined ? body.split('\n') : layOut(value);
  const defect = lineAt(value, pointer.split('/').slice(1));
  const isShown = (at: number): boolean =>
    at < head || at >= lines.length - tail || (defect > 0 && Math.abs(at - defect) <= linesAround);
  return lines.flatMap((line, at): readonly ExcerptLine[] => {
    if (at > 0 && at === defect) return [{ text: shorten(line, longestLine), kind: 'defect' }];
    if (isShown(at)) return [{ text: shorten(line, longest), kind: 'plain' }];
    if (!isShown(at - 1)) return [];
    const left = lines.slice(at).findIndex((_line, further) => isShown(at + further));
    return [{ text: `… ${left} lines …`, kind: 'cut' }];
  });
}

/** The size of a body in words: its characters, and its entries where it is an array. */
export function sizeInWords(body: string, length = body.length): string {
  if (body === '') return 'empty';
  const characters = counted(length, 'character');
  const value = parseJson(body);
  return Array.isArray(value) ? `${counted(value.length, 'entry', 'entries')}, ${characters}` : characters;
}

/** A body in one line: whole where it is short, else its size and an excerpt. */
export function excerptInLine(body: string, pointer: string | undefined, longest: number, length = body.length) {
  if (body === '') return '(empty)';
  // Many services end a body with a line break.
  if (length <= longest) return body.trimEnd();
  const texts = excerptOf(body, pointer, inText).map(({ text }) => text.trim());
  return `${sizeInWords(body, length)}: ${texts.join(' ')}`;
}
