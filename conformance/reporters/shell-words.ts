/** Breaks a command between its words, so that what is copied from several lines is still one command. */

import { widthOf } from './width.ts';

/** A word of the shell: runs of quoted and bare text, $'…' of bash included; a quote that nothing closes has the rest. */
const word = /(?:\$'(?:\\.|[^'\\])*(?:'|$)|'[^']*(?:'|$)|"(?:\\.|[^"\\])*(?:"|$)|\\.?|[^\s'"\\])+/g;

/** Adds a word; a flag takes what it is given with it. */
function add(parts: readonly string[], next: string): readonly string[] {
  const last = parts.at(-1);
  const isValue = last !== undefined && /^-\S+$/.test(last) && !next.startsWith('-');
  return isValue ? [...parts.slice(0, -1), `${last} ${next}`] : [...parts, next];
}

/** Lines of so many columns at most, but for words that are longer; all but the last end in a backslash. */
export function wrapCommand(text: string, columns: number): readonly string[] {
  const lines: string[] = [];
  for (const part of (text.match(word) ?? []).reduce(add, [])) {
    const last = lines.at(-1);
    const joined = last === undefined ? part : `${last} ${part}`;
    // Two columns are for the backslash.
    if (last !== undefined && widthOf(joined) + 2 <= columns) lines[lines.length - 1] = joined;
    else lines.push(part);
  }
  return lines.map((one, at) => (at < lines.length - 1 ? `${one} \\` : one));
}
