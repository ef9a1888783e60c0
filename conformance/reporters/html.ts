/** The report as one HTML page that loads nothing and runs nothing: readable offline, and safe whatever text the target sent. */

import { hash } from 'node:crypto';
import type { Block, ListItem, Piece, Text } from './blocks.ts';
import { chartsOf } from './html/chart.ts';
import { evidenceIn, exchangeList } from './html/exchange.ts';
import { style } from './html/style.ts';
import { marks } from './marks.ts';
import { joinMarkup, type Markup, markup } from './markup.ts';
import { reportBlocks, titleOf } from './report-blocks.ts';
import type { View } from './view.ts';

/** The page loads and sends nothing, and has no style sheet but its own. */
const policy = `default-src 'none'; style-src 'sha256-${hash('sha256', style.toString(), 'base64')}'; base-uri 'none'; form-action 'none'`;

/** With more causes than these their evidence is closed at first. */
const causesOpen = 3;

function pieceInHtml(piece: Piece): Markup {
  if (typeof piece === 'string') return markup`${piece}`;
  switch (piece.kind) {
    case 'mark':
      return markup`<span class="mark ${piece.mark}">${marks[piece.mark].sign} ${marks[piece.mark].word}</span>`;
    case 'toned':
      return markup`<span class="toned ${piece.mark}">${piece.text}</span>`;
    case 'quiet':
      return markup`<span class="quiet">${piece.text}</span>`;
    case 'strong': {
      const text = markup`<strong>${piece.text}</strong>`;
      return piece.to === undefined ? text : markup`<a href="#${piece.to}">${text}</a>`;
    }
  }
}

function textInHtml(text: Text): Markup {
  return text.reduce<Markup>((before, piece) => markup`${before}${pieceInHtml(piece)}`, markup``);
}

function idOf(id: string | undefined): Markup {
  return id === undefined ? markup`` : markup` id="${id}"`;
}

function commandIn(command: string): Markup {
  return markup`<pre class="command" tabindex="0"><code>${command}</code></pre>`;
}

/** A mark at the start of the text gets a column of its own. */
function itemIn({ text, notes, command, id }: ListItem): Markup {
  const [first, ...rest] = text;
  const isMarked = typeof first === 'object' && first.kind === 'mark';
  const shown = isMarked ? rest : text;
  return markup`<li${idOf(id)}${isMarked ? markup` class="marked"` : ''}>${isMarked ? pieceInHtml(first) : ''}<div>${textInHtml(shown)}
${joinMarkup(notes.map((note) => markup`<p class="quiet">${note}</p>`))}${command === undefined ? '' : commandIn(command)}</div></li>`;
}

function blockIn(block: Block, view: View): Markup {
  switch (block.kind) {
    case 'title':
      return markup`<h1><span class="mark ${block.tone}">${marks[block.tone].sign}</span><span>${block.verdict} <small>${block.rest}</small></span></h1>`;
    case 'heading':
      return markup`<h2>${block.text}</h2>`;
    case 'group':
      return markup`<article${idOf(block.id)} class="${block.mark ?? ''}"><h3>${textInHtml(block.heading)}</h3>
${joinMarkup(block.blocks.map((inner) => blockIn(inner, view)))}
</article>`;
    case 'lines':
      return joinMarkup(block.lines.map((text) => markup`<p>${textInHtml(text)}</p>`));
    case 'list':
      return markup`<ul>\n${joinMarkup(block.items.map(itemIn))}\n</ul>`;
    case 'command':
      return commandIn(block.command);
    case 'evidence':
      return evidenceIn(block, view.causes.length <= causesOpen);
  }
}

interface PageSection {
  readonly title: string;
  readonly content: Markup;
}

/** The blocks from each heading to the next. */
function sectionsOf(blocks: readonly Block[], view: View): readonly PageSection[] {
  const starts = blocks.flatMap((block, at) => (block.kind === 'heading' ? [{ title: block.text, at }] : []));
  return starts.map(({ title, at }, place) => {
    const own = blocks.slice(at + 1, starts[place + 1]?.at);
    return { title, content: joinMarkup(own.map((block) => blockIn(block, view))) };
  });
}

function slugOf(title: string): string {
  return title.toLowerCase().replace(/[^a-z]+/g, '-');
}

export function reportHtml(view: View): string {
  const { headline, subject, report } = view;
  const blocks = reportBlocks(view, 'full');
  const first = blocks.findIndex(({ kind }) => kind === 'heading');
  const head = [titleOf(view), ...blocks.slice(0, first)].map((block) => blockIn(block, view));
  const sections = [...sectionsOf(blocks, view), ...chartsOf(report), ...exchangeList(report)];
  const links = sections.map(({ title }) => markup`<li><a href="#${slugOf(title)}">${title}</a></li>`);
  const parts = sections.map(({ title, content }) => {
    return markup`<section id="${slugOf(title)}"><h2>${title}</h2>\n${content}\n</section>`;
  });
  return markup`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8"/>
<meta name="viewport" content="width=device-width, initial-scale=1"/>
<meta http-equiv="Content-Security-Policy" content="${policy}"/>
<title>${headline.text}: ${subject}</title>
<style>${style}</style>
</head>
<body>
<header class="${headline.tone}">
${joinMarkup(head)}
</header>
<nav aria-label="Sections of this page"><ul>
${joinMarkup(links)}
</ul></nav>
<main>
${joinMarkup(parts)}
</main>
</body>
</html>
`.toString();
}
