/** Text from a target is hostile: what each output must not let through. */

/** Shows control, bidi and other invisible characters, and what is no character, as escapes: no terminal acts on them. */
export function escapeForTerminal(text: string): string {
  return text.replace(
    /[\x00-\x1f\x7f-\x9f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\ufffe\uffff]|\p{Cs}/gu,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/** The same for a text of several lines, which stay lines. */
export function escapeLines(text: string): string {
  return text.split('\n').map(escapeForTerminal).join('\n');
}

/** For text and attributes of XML and HTML: no markup, no characters that XML does not have. */
export function escapeForXml(text: string): string {
  const entities: Readonly<Record<string, string>> = {
    '&': '&amp;',
    '<': '&lt;',
    '>': '&gt;',
    '"': '&quot;',
    "'": '&#39;',
  };
  return escapeLines(text).replace(/[&<>"']/g, (character) => entities[character]!);
}

/** For running text of Markdown: no markup, no HTML, no mention of people, and no line of its own. */
export function escapeForMarkdown(text: string): string {
  const visible = escapeForTerminal(text);
  const entity = (character: string): string => `&#${character.charCodeAt(0)};`;
  return visible.replace(/[\\`*_{}[\]<>()!|~&@]|^[-+#]|:(?=\/\/)/g, entity);
}

/** A block of code in Markdown that nothing in it can end. */
export function fence(text: string, language = ''): string {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([ticks]) => ticks.length));
  const ticks = '`'.repeat(longest + 1);
  return `${ticks}${language}\n${escapeLines(text)}\n${ticks}`;
}

/** For a command of GitHub Actions, by its own rules: one line, in which no other command can begin. */
export function escapeForGithub(text: string, part: 'message' | 'property'): string {
  const oneLine = escapeLines(text).replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
  return part === 'message' ? oneLine.replaceAll('::', ':%3A') : oneLine.replaceAll(':', '%3A').replaceAll(',', '%2C');
}

/** Cuts a text to a length, and says so. */
export function shorten(text: string, length: number): string {
  return text.length <= length ? text : `${text.slice(0, length)}… (${text.length} characters)`;
}
