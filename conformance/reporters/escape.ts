/** Escapes text from a target, which is hostile, for outputs of every format. */

/** Control and format characters, bidi included, line and paragraph separators, lone surrogates and noncharacters. */
const invisible = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}\ufffe\uffff]/gu;

/** The start of a command to the CI that shows the output: `##[error]` anywhere, `::error::` at the start of a line. */
const ciCommand = /#(#\w*\[)|^(\s*):(?=:)/g;

/** A lone surrogate from U+DC80 to U+DCFF stands for a byte of a request (http/body-bytes.ts). */
function escapeUnits(text: string): string {
  if (/^[\udc80-\udcff]$/.test(text)) return `\\x${(text.charCodeAt(0) - 0xdc00).toString(16)}`;
  return text
    .split('')
    .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
    .join('');
}

/** Shows invisible characters as escapes, so that no terminal acts on them, and breaks commands to a CI. */
export function escapeForTerminal(text: string): string {
  return text
    .replace(invisible, escapeUnits)
    .replace(ciCommand, (_found, command?: string, space = '') =>
      command === undefined ? `${space}\\u003a` : `\\u0023${command}`,
    );
}

/** Escapes a text of several lines, and keeps its line ends. */
export function escapeLines(text: string): string {
  return text.split('\n').map(escapeForTerminal).join('\n');
}

/** Cuts a text to a length, and shows that it is cut. */
export function shorten(text: string, length: number): string {
  return text.length <= length ? text : `${text.slice(0, length)}… (${text.length} characters)`;
}
