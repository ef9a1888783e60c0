/** Text from a target is hostile: what no output lets through, whatever its notation. */

/** Control and format characters, bidi included, ends of lines, lone surrogates, and what is no character. */
const invisible = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}\ufffe\uffff]/gu;

/** Begins a command to the CI that shows the output: `##[error]` anywhere, `::error::` where a line begins. */
const ciCommand = /#(#\w*\[)|^(\s*):(?=:)/g;

function escapeUnits(text: string): string {
  return text
    .split('')
    .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
    .join('');
}

/** Shows what is invisible as escapes, so that no terminal acts on it, and begins no command of a CI. */
export function escapeForTerminal(text: string): string {
  return text
    .replace(invisible, escapeUnits)
    .replace(ciCommand, (_found, command?: string, space = '') =>
      command === undefined ? `${space}\\u003a` : `\\u0023${command}`,
    );
}

/** The same for a text of several lines, which stay lines. */
export function escapeLines(text: string): string {
  return text.split('\n').map(escapeForTerminal).join('\n');
}

/** Cuts a text to a length, and says so. */
export function shorten(text: string, length: number): string {
  return text.length <= length ? text : `${text.slice(0, length)}… (${text.length} characters)`;
}
