/** Escapes text from a target, which is hostile, for outputs of every format. */

/** Control and format characters, bidi included, line and paragraph separators, lone surrogates and noncharacters. */
const invisible = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}\ufffe\uffff]/gu;

/** The start of a command to the CI that shows the output: `##[error]` anywhere, `::error::` at the start of a line. */
const ciCommand = /#(#\w*\[)|^(\s*):(?=:)/g;

/**
 * An invisible character by its code point, such as <U+000A>, which nobody takes for an escape that stood in the text. A lone
 * surrogate from U+DC80 to U+DCFF stands for a byte of a request (http/body-bytes.ts).
 */
function nameOf(character: string): string {
  const point = character.codePointAt(0)!;
  if (/^[\udc80-\udcff]$/.test(character)) return `<0x${(point - 0xdc00).toString(16).toUpperCase()}>`;
  return `<U+${point.toString(16).toUpperCase().padStart(4, '0')}>`;
}

/** An invisible character as JSON escapes it. */
function escapeUnits(character: string): string {
  return character
    .split('')
    .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
    .join('');
}

function escapeWith(text: string, escapeCharacter: (character: string) => string): string {
  return text
    .replace(invisible, escapeCharacter)
    .replace(ciCommand, (_found, command?: string, space = '') =>
      command === undefined ? `${space}${escapeCharacter(':')}` : `${escapeCharacter('#')}${command}`,
    );
}

/** Shows invisible characters by their names, so that no terminal acts on them, and breaks commands to a CI. */
export function escapeForTerminal(text: string): string {
  return escapeWith(text, nameOf);
}

/** Escapes invisible characters and commands to a CI in a text that is JSON, or a string of YAML: it means the same. */
export function escapeJson(text: string): string {
  return escapeWith(text, escapeUnits);
}

/** Escapes a text of several lines, and keeps its line ends. */
export function escapeLines(text: string): string {
  return text.split('\n').map(escapeForTerminal).join('\n');
}

/** Cuts a text to a length, and shows that it is cut. */
export function shorten(text: string, length: number): string {
  return text.length <= length ? text : `${text.slice(0, length)}… (${text.length} characters)`;
}
