/** The report as one HTML page that loads nothing and runs nothing: readable offline, and safe whatever text the target sent. */

import { hash } from 'node:crypto';
import { causeSections } from './html/causes.ts';
import { chartSection } from './html/chart.ts';
import { exchangeSection } from './html/exchange.ts';
import { factSection, gapSection, interactionSection, leftoverSection, requirementSection } from './html/lists.ts';
import { longText, type PageSection, signBadge } from './html/parts.ts';
import { style } from './html/style.ts';
import { joinMarkup, type Markup, markup } from './markup.ts';
import type { View } from './view.ts';

/** The page loads and sends nothing, and has no style sheet but its own. */
const policy = `default-src 'none'; style-src 'sha256-${hash('sha256', style.toString(), 'base64')}'; base-uri 'none'; form-action 'none'`;

/** Verdict, count, target and tally: all that fits above the first failure on a phone. */
function header({ headline: { tone, verdict, coverage }, subject, reason, isUnjudged, tally }: View): Markup {
  return markup`<header class="${tone}">
<h1>${signBadge(tone)}<span>${verdict} <small>${coverage}</small></span></h1>
<p class="subject">${subject}</p>
${isUnjudged ? '' : markup`<p class="tally quiet">${tally.join(' ')}</p>`}
${reason === undefined ? '' : markup`<p class="reason">${longText(reason)}</p>`}
</header>`;
}

function navigation(sections: readonly PageSection[]): Markup {
  const links = sections.map(({ id, name }) => markup`<li><a href="#${id}">${name}</a></li>`);
  return markup`<nav aria-label="Sections of this page"><ul>
${joinMarkup(links)}
</ul></nav>`;
}

function sectionBlock({ id, title, content }: PageSection): Markup {
  return markup`<section id="${id}"><h2>${title}</h2>
${content}
</section>`;
}

/** Where nothing was judged, nothing stands between the reason and how the run was made. */
export function reportHtml(view: View): string {
  const { isUnjudged, headline, subject } = view;
  const sections = [
    ...causeSections(view),
    requirementSection(view),
    ...interactionSection(view),
    ...(isUnjudged ? [] : [...chartSection(view.report), ...gapSection(view)]),
    ...leftoverSection(view),
    ...exchangeSection(view.report),
    factSection(view),
  ];
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
${header(view)}
${navigation(sections)}
<main>
${joinMarkup(sections.map(sectionBlock))}
</main>
</body>
</html>
`.toString();
}
