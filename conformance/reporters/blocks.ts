/** A report or a comparison as blocks, which the terminal and Markdown show each in their own way. */

import type { Tone } from './headline.ts';
import type { Mark } from './marks.ts';

/** A part of a line: plain text, emphasised or quiet text, a text in the colour of a mark, or a mark itself. */
export type Piece =
  | string
  | { readonly kind: 'strong'; readonly text: string }
  | { readonly kind: 'quiet'; readonly text: string }
  | { readonly kind: 'toned'; readonly tone: Mark; readonly text: string }
  /** The sign of a mark alone. */
  | { readonly kind: 'sign'; readonly mark: Mark }
  /** A mark by its word; a terminal shows its sign too. */
  | { readonly kind: 'mark'; readonly mark: Mark };

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

export function quiet(text: string): Piece {
  return { kind: 'quiet', text };
}

export function mark(one: Mark): Piece {
  return { kind: 'mark', mark: one };
}

export function sign(one: Mark): Piece {
  return { kind: 'sign', mark: one };
}

export function lines(...texts: readonly (string | Text)[]): Block {
  return { kind: 'lines', lines: texts.map((text) => (typeof text === 'string' ? [text] : text)) };
}

export function heading(text: string): Block {
  return { kind: 'heading', text };
}
