/** Markdown that escapes by construction: a string in it is text, never Markdown, HTML or a mention of somebody. */

import { escapeForTerminal } from './escape.ts';

/** Markdown, which only the functions of this file make. */
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

/** Characters that are Markdown syntax at the start of a line: list and heading marks, and the space of a code block. */
const beginning = /^(?:\s|[-+=]|#(?!\w)|\d+\.(?=\s|$))+/;

/**
 * Characters that are Markdown syntax anywhere, or that would make an address a link. Names of people and issues are put
 * into code, since GitHub looks for them in the rendered text, however it was escaped.
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

/** A template of Markdown; a string in it is shown as it is, on one line. */
export function markdown(strings: TemplateStringsArray, ...values: readonly (Markdown | string | number)[]): Markdown {
  const sources = values.map((value) => (value instanceof Markdown ? value.toString() : escapeText(String(value))));
  return new Markdown(String.raw({ raw: strings }, ...sources));
}

/** A code block, one line for each text. No text can end it. */
export function codeBlock(lines: readonly string[], language: 'sh' | 'http'): Markdown {
  const code = lines.map(escapeForTerminal).join('\n');
  const longest = Math.max(2, ...[...code.matchAll(/`+/g)].map(([ticks]) => ticks.length));
  const ticks = '`'.repeat(longest + 1);
  return new Markdown(`${ticks}${language}\n${code}\n${ticks}`);
}

/** As many pieces as fit into so many bytes, with blank lines between them; `cut` stands at the end where some do not. */
export function joinWithin(blocks: readonly Markdown[], bytes: number, cut: Markdown): Markdown {
  const sizeOf = (block: Markdown): number => Buffer.byteLength(block.toString()) + 2;
  let left = bytes - sizeOf(cut);
  const fitting = blocks.findIndex((block) => {
    left -= sizeOf(block);
    return left < 0;
  });
  return new Markdown((fitting === -1 ? blocks : [...blocks.slice(0, fitting), cut]).join('\n\n'));
}

export function markdownList(items: readonly Markdown[]): Markdown {
  return new Markdown(items.map((item) => `- ${item}`).join('\n'));
}

/** A table; rows with fewer cells than others are filled. Markdown has no table without a head, so it may be empty. */
export function markdownTable(head: readonly string[], rows: readonly (readonly Markdown[])[]): Markdown {
  const columns = Math.max(head.length, ...rows.map(({ length }) => length));
  const rowOf = (cells: readonly (Markdown | string)[]): string =>
    `|${Array.from({ length: columns }, (_nothing, at) => ` ${cells[at] ?? ''} |`).join('')}`;
  const names = head.map((name) => markdown`${name}`);
  return new Markdown([rowOf(names), `|${'---|'.repeat(columns)}`, ...rows.map(rowOf)].join('\n'));
}
