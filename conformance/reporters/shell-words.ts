/** Breaks a command between its words, so that it stays one command when it is copied from several lines. */

import { widthOf } from './width.ts';

/** A word of the shell: quoted and bare parts, including bash's $'…'. An unclosed quote takes the rest. */
const word = /(?:\$'(?:\\.|[^'\\])*(?:'|$)|'[^']*(?:'|$)|"(?:\\.|[^"\\])*(?:"|$)|\\.?|[^\s'"\\])+/g;

/** Adds a word; a value stays on the line of its flag. */
function add(parts: readonly string[], next: string): readonly string[] {
  const last = parts.at(-1);
  const isValue = last !== undefined && /^-\S+$/.test(last) && !next.startsWith('-');
  return isValue ? [...parts.slice(0, -1), `${last} ${next}`] : [...parts, next];
}

/** Lines of at most so many columns, except for longer words. All but the last end in a backslash. */
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
