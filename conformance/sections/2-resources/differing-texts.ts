/** Describes how two values differ that may look alike: texts by the code point of their first difference. */

import { type JsonValue, showJson } from '../../http/json.ts';
import type { FailureFacts } from '../../verdict/finding.ts';

/** How many code points are shown before and after the difference. */
const [before, after] = [12, 24];

function pointOf(character: string | undefined): string {
  if (character === undefined) return 'the end';
  return `U+${character.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0')}`;
}

function excerpt(characters: readonly string[], at: number): string {
  const start = Math.max(0, at - before);
  const end = at + after;
  const shown = JSON.stringify(characters.slice(start, end).join(''));
  return `${start > 0 ? '…' : ''}${shown}${end < characters.length ? '…' : ''}`;
}

/** The facts of a field that came back different, with the first difference. */
export function showDifference(
  field: string,
  where: string,
  expected: JsonValue | undefined,
  received: JsonValue | undefined,
): FailureFacts {
  if (typeof expected !== 'string' || typeof received !== 'string') {
    return { expected: `${field} ${showJson(expected)} in ${where}`, received: showJson(received) };
  }
  const [wanted, came] = [[...expected], [...received]];
  const at = wanted.findIndex((character, index) => character !== came[index]);
  const first = at === -1 ? wanted.length : at;
  // Visible ASCII characters show themselves.
  const isSeen = [wanted[first], came[first]].every((character) => /^[!-~]$/.test(character ?? ''));
  const place = isSeen ? '' : `: ${pointOf(wanted[first])} and ${pointOf(came[first])} at character ${first + 1}`;
  return { expected: `${field} ${excerpt(wanted, first)} in ${where}`, received: `${excerpt(came, first)}${place}` };
}
