/** A report or a comparison as blocks, which the terminal, Markdown and the page show each in their own way. */

import type { ReportedExchange } from '../verdict/report.ts';
import type { Mark } from './marks.ts';

/** How a verdict is coloured: a conforming run with waived failures is not green. */
export type Tone = 'pass' | 'fail' | 'waived' | 'inconclusive';

/** A part of a line: plain, emphasised or quiet text, text in the colour of a mark, or a mark by its sign and word. */
export type Piece =
  | string
  /** `to` is the id of another block or item, to which the text leads on a page. */
  | { readonly kind: 'strong' | 'quiet'; readonly text: string; readonly to?: string }
  | { readonly kind: 'toned'; readonly mark: Mark; readonly text: string }
  | { readonly kind: 'mark'; readonly mark: Mark };

export type Text = readonly Piece[];

/** A line of a list, with lines below it. */
export interface ListItem {
  readonly text: Text;
  readonly notes: readonly string[];
  /** A command below them. */
  readonly command?: string | undefined;
  readonly id?: string;
}

/** Exchanges that show a failure, and the commands that show it again. */
export interface ShownEvidence {
  readonly exchanges: readonly { readonly exchange: ReportedExchange; readonly pointer: string | undefined }[];
  /** The numbers of exchanges before them, which are not shown. */
  readonly earlier: readonly number[];
  /** The last request as a curl line; for a client, the command that starts the service. */
  readonly command?: string;
  /** The command that judges it again, by the JSON report of the run. */
  readonly again?: string | undefined;
}

export type Block =
  | { readonly kind: 'title'; readonly tone: Tone; readonly verdict: string; readonly rest: string }
  | { readonly kind: 'heading'; readonly text: string }
  /** Blocks that are indented below their heading, such as those of one cause. */
  | {
      readonly kind: 'group';
      readonly heading: Text;
      readonly blocks: readonly Block[];
      readonly mark?: Mark;
      readonly id?: string;
    }
  /** Lines that belong together. */
  | { readonly kind: 'lines'; readonly lines: readonly Text[] }
  | { readonly kind: 'list'; readonly items: readonly ListItem[] }
  | { readonly kind: 'command'; readonly command: string }
  | ({ readonly kind: 'evidence' } & ShownEvidence);

export function strong(text: string, to?: string): Piece {
  return { kind: 'strong', text, ...(to === undefined ? {} : { to }) };
}

export function mark(one: Mark): Piece {
  return { kind: 'mark', mark: one };
}

export function lines(...texts: readonly (string | Text)[]): Block {
  return { kind: 'lines', lines: texts.map((text) => (typeof text === 'string' ? [text] : text)) };
}

function heading(text: string): Block {
  return { kind: 'heading', text };
}

/** A part with its heading; nothing where it is empty. */
export function part(title: string, blocks: readonly Block[]): readonly Block[] {
  return blocks.length === 0 ? [] : [heading(title), ...blocks];
}

/** A list with its heading; nothing where it is empty. */
export function listBlock(title: string, items: readonly ListItem[]): readonly Block[] {
  return part(title, items.length === 0 ? [] : [{ kind: 'list', items }]);
}
