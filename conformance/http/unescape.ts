/** Undoes the escapes in which a text may be written (JSON, URL, HTML, string literals), and maps positions back. */

/** Named character references of ASCII characters other than letters and digits. */
const entities: Readonly<Record<string, string>> = {
  amp: '&',
  apos: "'",
  ast: '*',
  bsol: '\\',
  colon: ':',
  comma: ',',
  commat: '@',
  dollar: '$',
  equals: '=',
  excl: '!',
  grave: '`',
  gt: '>',
  hat: '^',
  lbrace: '{',
  lbrack: '[',
  lcub: '{',
  lowbar: '_',
  lpar: '(',
  lsqb: '[',
  lt: '<',
  num: '#',
  percnt: '%',
  period: '.',
  plus: '+',
  quest: '?',
  quot: '"',
  rbrace: '}',
  rbrack: ']',
  rcub: '}',
  rpar: ')',
  rsqb: ']',
  semi: ';',
  sol: '/',
  underbar: '_',
  verbar: '|',
  vert: '|',
};

/** Percent escapes, HTML character references, backslash escapes of string literals, and characters without width. */
const escapeSequence =
  /%[\da-fA-F]{2}|&(?:#\d{1,7}|#[xX][\da-fA-F]{1,6}|[A-Za-z]{2,8});?|\\(?:u[\da-fA-F]{4}|u\{[\da-fA-F]{1,6}\}|U[\da-fA-F]{8}|x[\da-fA-F]{2}|[0-3][0-7]{2}|[^A-Za-z0-9\s])|[\0\u00ad\u200b-\u200d\u2060\ufeff]/g;
/** Finds quickly that a text has none. */
const mayHaveEscapes = /[%&\\\0\u00ad\u200b-\u200d\u2060\ufeff]/;

function characterOf(code: number): string | undefined {
  return code <= 0x10ffff ? String.fromCodePoint(code) : undefined;
}

/** The character of an escape sequence; undefined if it only looks like one. */
function decode(sequence: string): string | undefined {
  const [kind = ''] = sequence;
  if (kind === '%') return characterOf(Number.parseInt(sequence.slice(1), 16));
  if (kind === '&') {
    const name = sequence.slice(1).replace(';', '');
    const [, hex, decimal] = /^#(?:[xX]([\da-fA-F]+)|(\d+))$/.exec(name) ?? [];
    if (hex !== undefined) return characterOf(Number.parseInt(hex, 16));
    return decimal === undefined ? entities[name.toLowerCase()] : characterOf(Number(decimal));
  }
  if (kind !== '\\') return '';
  const [, hex] = /^\\[uUx]\{?([\da-fA-F]+)\}?$/.exec(sequence) ?? [];
  if (hex !== undefined) return characterOf(Number.parseInt(hex, 16));
  return /^\\[0-3]/.test(sequence) ? characterOf(Number.parseInt(sequence.slice(1), 8)) : sequence.slice(1);
}

/** One escape: its range in the escaped text, and the range of its character in the unescaped text. */
interface Replaced {
  readonly from: Range;
  readonly to: Range;
}

export type Range = readonly [start: number, end: number];

/** The last escape that begins at or before a position of the unescaped text. */
function lastBefore(all: readonly Replaced[], position: number): Replaced | undefined {
  let [low, high] = [0, all.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (all[middle]!.to[0] <= position) low = middle + 1;
    else high = middle;
  }
  return all[low - 1];
}

function findEscapes(text: string): readonly Replaced[] {
  const replaced: Replaced[] = [];
  let shift = 0;
  for (const match of text.matchAll(escapeSequence)) {
    const [sequence] = match;
    const character = decode(sequence);
    if (character === undefined) continue;
    const end = match.index + sequence.length;
    const start = match.index - shift;
    replaced.push({ from: [match.index, end], to: [start, start + character.length] });
    shift += sequence.length - character.length;
  }
  return replaced;
}

/**
 * Undoes one layer of escapes; undefined if the text has none. `toEscaped` maps a range of the unescaped text to the range
 * of the escaped text. The ends of both are exclusive.
 */
export function unescapeOnce(text: string) {
  if (!mayHaveEscapes.test(text)) return undefined;
  const unescaped = text.replace(escapeSequence, (sequence) => decode(sequence) ?? sequence);
  if (unescaped === text) return undefined;
  // Positions are needed only for texts with secrets, which are few.
  let escapes: readonly Replaced[] | undefined;
  const positionOf = (position: number, side: 0 | 1): number => {
    escapes ??= findEscapes(text);
    const before = lastBefore(escapes, position);
    if (before === undefined) return position + side;
    return position < before.to[1] ? before.from[side] : before.from[1] + position - before.to[1] + side;
  };
  return {
    text: unescaped,
    toEscaped: (start: number, end: number): Range => [positionOf(start, 0), positionOf(end - 1, 1)],
  };
}
