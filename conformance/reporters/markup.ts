/** Markup that escapes by construction, for HTML and XML alike: a string in it is text, never markup. */

import { html, type SafeHtml } from '@remix-run/html-template';
import { escapeLines } from './escape.ts';

/** Markup, which only the template below makes. Attributes take it in quotes only. */
export type Markup = SafeHtml;

/** A template of markup; a string in it is shown as it is, in text and in quoted attributes. */
export function markup(strings: TemplateStringsArray, ...values: readonly (Markup | string | number)[]): Markup {
  return html(strings, ...values.map((value) => (typeof value === 'string' ? escapeLines(value) : value)));
}

/** Pieces of markup, each on its own lines. */
export function joinMarkup(pieces: readonly Markup[]): Markup {
  return html`${pieces.flatMap((piece, at) => (at === 0 ? [piece] : ['\n', piece]))}`;
}
