/** Markdown that escapes by construction: a string in it is text, never Markdown, HTML or a mention of somebody. */

import { escapeForTerminal } from './escape.ts';

/** Text with Markdown, which comes from the functions of this file and from nothing else. */
class Markdown {
  readonly #source: string;

  constructor(source: string) {
    this.#source = source;
  }

  toString(): string {
    return this.#source;
  }
}

export type { Markdown };

/** What Markdown takes for its own where a line begins: marks of lists and headings, and space that makes it code. */
const beginning = /^(?:\s|[-+=]|#(?!\w)|\d+\.(?=\s|$))+/;

/**
 * What it takes for its own everywhere, or where it would make an address a link. People and issues are words of their
 * own: GitHub looks for them in the rendered text, whatever it was written as, but not in code.
 */
const syntax = /([@#]\w+)|[\\`*_[\]<>|~&$]|:(?=\/\/)|(?<=www)\./gi;

function toEntity(character: string): string {
  return `&#${character.charCodeAt(0)};`;
}

function escapeText(text: string): string {
  const shown = escapeForTerminal(text);
  const [start = ''] = beginning.exec(shown) ?? [];
  const rest = shown
    .slice(start.length)
    .replace(syntax, (found, name?: string) => (name === undefined ? toEntity(found) : `\`${name}\``));
  return start.replace(/[^\d]/g, toEntity) + rest;
}

/** A template of Markdown; what is put into it as a string is shown as it is, on one line. */
export function markdown(strings: TemplateStringsArray, ...values: readonly (Markdown | string | number)[]): Markdown {
  const sources = values.map((value) => (value instanceof Markdown ? value.toString() : escapeText(String(value))));
  return new Markdown(String.raw({ raw: strings }, ...sources));
}

/** A block of code, which nothing in it can end; each text is a line of it. */
export function codeBlock(lines: readonly string[], language: 'sh' | 'http' | 'text'): Markdown {
  const code = lines.map(escapeForTerminal).join('\n');
  const longest = Math.max(2, ...[...code.matchAll(/`+/g)].map(([ticks]) => ticks.length));
  const ticks = '`'.repeat(longest + 1);
  return new Markdown(`${ticks}${language}\n${code}\n${ticks}`);
}

/** Pieces of Markdown, with blank lines between them. */
export function joinBlocks(blocks: readonly Markdown[]): Markdown {
  return new Markdown(blocks.join('\n\n'));
}

/** The same as far as so many bytes have room for them; where they do not, `cut` says so at the end. */
export function joinWithin(blocks: readonly Markdown[], bytes: number, cut: Markdown): Markdown {
  const sizeOf = (block: Markdown): number => Buffer.byteLength(block.toString()) + 2;
  let left = bytes - sizeOf(cut);
  const fitting = blocks.findIndex((block) => {
    left -= sizeOf(block);
    return left < 0;
  });
  return fitting === -1 ? joinBlocks(blocks) : joinBlocks([...blocks.slice(0, fitting), cut]);
}

/** A list, an item a line. */
export function markdownList(items: readonly Markdown[]): Markdown {
  return new Markdown(items.map((item) => `- ${item}`).join('\n'));
}
