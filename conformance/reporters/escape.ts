/** Text from a target is hostile: what each output must not let through. */

/** Shows control, bidi and other invisible characters as escapes, so that no terminal acts on them. */
export function escapeForTerminal(text: string): string {
  return text.replace(
    /[\x00-\x1f\x7f-\x9f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/** Cuts a text to a length, and says so. */
export function shorten(text: string, length: number): string {
  return text.length <= length ? text : `${text.slice(0, length)}… (${text.length} characters)`;
}
