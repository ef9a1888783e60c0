/** A comparison as one HTML page that loads nothing. */

import { policyFor } from '../html/policy.ts';
import { joinMarkup, type Markup, markup } from '../markup.ts';
import type { Comparison } from './compare.ts';
import { reportLines, type Section, sectionsOf, summaryOf } from './sections.ts';

const style = markup`
:root { color-scheme: light dark; --line: color-mix(in srgb, CanvasText 18%, Canvas); }
body { font: 15px/1.5 system-ui, sans-serif; max-width: 68rem; margin: 2rem auto; padding: 0 1rem; overflow-wrap: anywhere; }
h1 { font-size: 1.4rem; } h2 { font-size: 1.1rem; margin-top: 2rem; }
div { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; }
th, td { text-align: left; vertical-align: top; padding: .35rem .6rem; border-bottom: 1px solid var(--line); }
`;

function tableOf({ title, head, rows }: Section): Markup {
  const cells = rows.map((row) => {
    const [name = '', ...others] = row;
    return markup`<tr><th scope="row">${name}</th>${joinMarkup(others.map((cell) => markup`<td>${cell}</td>`))}</tr>`;
  });
  return markup`<section><h2>${title}</h2>
<div tabindex="0" role="region" aria-label="${title}"><table>
<thead><tr>${joinMarkup(head.map((cell) => markup`<th scope="col">${cell}</th>`))}</tr></thead>
<tbody>
${joinMarkup(cells)}
</tbody></table></div></section>`;
}

export function reportComparisonInHtml(comparison: Comparison): string {
  const page = markup`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8"/>
<meta name="viewport" content="width=device-width, initial-scale=1"/>
<meta http-equiv="Content-Security-Policy" content="${policyFor(style)}"/>
<title>${summaryOf(comparison)}</title>
<style>${style}</style>
</head>
<body>
<main>
<h1>${summaryOf(comparison)}</h1>
<ul>
${joinMarkup(reportLines(comparison).map((line) => markup`<li>${line}</li>`))}
</ul>
${joinMarkup(sectionsOf(comparison).map(tableOf))}
</main>
</body>
</html>
`;
  return String(page);
}
