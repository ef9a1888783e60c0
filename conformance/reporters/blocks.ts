/** A report or a comparison as blocks, which the terminal and Markdown show each in their own way. */

import type { Tone } from './headline.ts';
import type { Mark } from './marks.ts';

/** A part of a line: plain, emphasised or quiet text, text in the colour of a mark, a mark by its word, or its sign alone. */
export type Piece =
  | string
  | { readonly kind: 'strong' | 'quiet'; readonly text: string }
  | { readonly kind: 'toned'; readonly mark: Mark; readonly text: string }
  | { readonly kind: 'mark' | 'sign'; readonly mark: Mark };

export type Text = readonly Piece[];

/** A line of a list, with lines below it. */
export interface Item {
  readonly text: Text;
  readonly notes: readonly string[];
}

/** A row of a table, with a line below it where it has a note. */
export interface Row {
  readonly cells: readonly Text[];
  readonly note: string;
}

export type Block =
  | { readonly kind: 'title'; readonly tone: Tone; readonly verdict: string; readonly rest: string }
  | { readonly kind: 'heading'; readonly text: string }
  /** The heading of one cause, whose blocks are indented. */
  | { readonly kind: 'group'; readonly heading: Text; readonly blocks: readonly Block[] }
  /** Lines that belong together. */
  | { readonly kind: 'lines'; readonly lines: readonly Text[] }
  | { readonly kind: 'list'; readonly items: readonly Item[] }
  | { readonly kind: 'code'; readonly language: 'http' | 'sh'; readonly lines: readonly string[] }
  /** The head is empty where the cells explain themselves. */
  | { readonly kind: 'table'; readonly head: readonly string[]; readonly rows: readonly Row[] };

export function strong(text: string): Piece {
  return { kind: 'strong', text };
}

export function mark(one: Mark): Piece {
  return { kind: 'mark', mark: one };
}

export function lines(...texts: readonly (string | Text)[]): Block {
  return { kind: 'lines', lines: texts.map((text) => (typeof text === 'string' ? [text] : text)) };
}

export function heading(text: string): Block {
  return { kind: 'heading', text };
}

/** A part with its heading; nothing where it is empty. */
export function part(title: string, blocks: readonly Block[]): readonly Block[] {
  return blocks.length === 0 ? [] : [heading(title), ...blocks];
}

/** A list with its heading; nothing where it is empty. */
export function list(title: string, items: readonly Item[]): readonly Block[] {
  return part(title, items.length === 0 ? [] : [{ kind: 'list', items }]);
}
