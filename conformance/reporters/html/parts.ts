/** Pieces that the sections of the page share. */

import type { Report } from '../../verdict/report.ts';
import { shorten } from '../escape.ts';
import { type Mark, marks } from '../marks.ts';
import { joinMarkup, type Markup, markup } from '../markup.ts';

const longestText = 2_000;

export function longText(text: string): string {
  return shorten(text, longestText);
}

export type PageSection = ReturnType<typeof section>;

/** A part of the page under a heading of its own, and in the navigation by its name. */
export function section(id: string, title: string, content: Markup, name = title) {
  return { id, title, name, content };
}

export function bulleted(items: readonly Markup[]): Markup {
  return markup`<ul>\n${joinMarkup(items)}\n</ul>`;
}

/** Content that is closed at first. */
export function folded(summary: string, content: Markup): Markup {
  return markup`<details><summary>${summary}</summary>\n${content}\n</details>`;
}

export function badge(mark: Mark): Markup {
  return markup`<span class="mark ${mark}">${marks[mark].sign} ${marks[mark].word}</span>`;
}

export function signBadge(mark: Mark): Markup {
  return markup`<span class="mark ${mark}">${marks[mark].sign}</span>`;
}

export function paragraphs(texts: readonly string[]): readonly Markup[] {
  return texts.map((text) => markup`<p>${longText(text)}</p>`);
}

/** Numbers of exchanges, as links where the page holds them. */
export function exchangeLinks(numbers: readonly number[], { exchanges }: Pick<Report, 'exchanges'>): Markup {
  const links = numbers.map((number) =>
    exchanges.some((one) => one.number === number)
      ? markup`<a href="#exchange-${number}">#${number}</a>`
      : markup`#${number}`,
  );
  return links.reduce((line, link, at) => markup`${line}${at === 0 ? '' : ', '}${link}`, markup``);
}
