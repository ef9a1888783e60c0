/** Lines for a terminal that escape by construction: colour comes from us, never from what a target says. */

import { styleText } from 'node:util';
import { escapeForTerminal } from './escape.ts';

export type Style = 'red' | 'green' | 'yellow' | 'dim' | 'bold';

export interface StyledText {
  readonly style: Style;
  readonly text: string;
}

/** The pieces of one line. A string is text, whatever it holds. */
export type Line = readonly (string | StyledText)[];

/** What a style comes to. */
export type Paint = (style: Style, text: string) => string;

export const withoutColour: Paint = (_style, text) => text;

export const inColour: Paint = (style, text) => styleText(style, text, { validateStream: false });

/** Colour where a stream shows it, and the user wants it: NO_COLOR, FORCE_COLOR and the terminal decide. */
export function asShownOn(stream: NodeJS.WritableStream): Paint {
  return (style, text) => styleText(style, text, { stream });
}

export function styled(style: Style, text: string): StyledText {
  return { style, text };
}

export function renderLines(lines: readonly Line[], paint: Paint): string {
  const piece = (one: string | StyledText): string =>
    typeof one === 'string' ? escapeForTerminal(one) : paint(one.style, escapeForTerminal(one.text));
  return lines.map((line) => `${line.map(piece).join('').trimEnd()}\n`).join('');
}
