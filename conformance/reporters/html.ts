/** The report as one HTML page that loads nothing: readable offline, and safe whatever text the target sent. */

import type { Report } from '../verdict/report.ts';
import { headlineOf, isUnjudged } from './headline.ts';
import { causeSections } from './html/causes.ts';
import { chartSection } from './html/chart.ts';
import { exchangeSection } from './html/exchange.ts';
import { gapSection } from './html/gaps.ts';
import { interactionSection } from './html/interactions.ts';
import { type PageSection, policyFor } from './html/parts.ts';
import { matrixSection, requirementSection } from './html/requirements.ts';
import { script } from './html/script.ts';
import { style } from './html/style.ts';
import { factSection, leftoverSection, summary } from './html/summary.ts';
import { joinMarkup, type Markup, markup } from './markup.ts';
import { subjectOf } from './words.ts';

const head = markup`<meta charset="utf-8"/>
<meta name="viewport" content="width=device-width, initial-scale=1"/>
<meta http-equiv="Content-Security-Policy" content="${policyFor(style, script)}"/>`;

/** In the order of the page. Where nothing was judged, nothing stands between the reason and how the run was made. */
function sectionsOf(report: Report): readonly PageSection[] {
  const carried = new Set(report.exchanges.map(({ number }) => number));
  const isJudged = !isUnjudged(report);
  return [
    ...causeSections(report, carried),
    ...(isJudged ? [matrixSection(report)] : []),
    requirementSection(report, carried),
    ...interactionSection(report),
    ...(isJudged ? [...chartSection(report), ...gapSection(report, carried)] : []),
    ...leftoverSection(report),
    ...exchangeSection(report),
    factSection(report),
  ];
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

export function reportHtml(report: Report): string {
  const sections = sectionsOf(report);
  const page = markup`<!doctype html>
<html lang="en">
<head>
${head}
<title>${headlineOf(report)}: ${subjectOf(report)}</title>
<style>${style}</style>
</head>
<body>
${summary(report)}
${navigation(sections)}
<main>
${joinMarkup(sections.map(sectionBlock))}
</main>
<script>${script}</script>
</body>
</html>
`;
  return page.toString();
}
