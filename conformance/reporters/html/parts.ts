/** Pieces that the sections of the page share. */

import { hash } from 'node:crypto';
import { shorten } from '../escape.ts';
import { type AnyMark, signOf } from '../marks.ts';
import { type Markup, markup } from '../markup.ts';
import { markWords } from '../words.ts';

export interface PageSection {
  readonly id: string;
  readonly title: string;
  readonly name: string;
  readonly content: Markup;
}

export const longestText = 2_000;

/** The sign of a verdict, so that colour is never the only difference. */
export function sign(mark: AnyMark): string {
  return signOf(mark, 'unicode').text;
}

export function badge(mark: AnyMark): Markup {
  return markup`<span class="mark ${mark}">${sign(mark)} ${markWords[mark]}</span>`;
}

export function paragraphs(texts: readonly string[]): readonly Markup[] {
  return texts.map((text) => markup`<p>${shorten(text, longestText)}</p>`);
}

/** Numbers of exchanges, as links where the page holds them. */
export function exchangeLinks(numbers: readonly number[], carried: ReadonlySet<number>): Markup {
  const links = numbers.map((number, at) => {
    const glue = at === 0 ? '' : ', ';
    return carried.has(number)
      ? markup`${glue}<a href="#exchange-${number}">#${number}</a>`
      : markup`${glue}#${number}`;
  });
  return links.reduce((line, link) => markup`${line}${link}`, markup``);
}

/** The source expression of a script or a style sheet. */
function hashOf(source: Markup): string {
  return `'sha256-${hash('sha256', source.toString(), 'base64')}'`;
}

/** The content security policy of a page: it loads and sends nothing, and runs only this script and this style sheet. */
export function policyFor(style: Markup, script?: Markup): string {
  return [
    "default-src 'none'",
    ...(script === undefined ? [] : [`script-src ${hashOf(script)}`]),
    `style-src ${hashOf(style)}`,
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; ');
}
