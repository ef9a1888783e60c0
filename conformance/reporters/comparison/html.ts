/** A comparison as one HTML page that loads nothing. */

import { policyFor, sign } from '../html/parts.ts';
import { tones } from '../html/style.ts';
import { joinMarkup, type Markup, markup } from '../markup.ts';
import { type Comparison, countChanges } from './compare.ts';
import { type Cell, type Row, reportLines, type Section, sectionsOf, summaryOf, textOf } from './sections.ts';

/** Tables whose cells stand below each other on a phone, each behind the name of its column. */
const stackedTables = markup`
.stacked { border-collapse: collapse; width: 100%; }
.stacked th, .stacked td { text-align: left; vertical-align: top; padding: .35rem .6rem .35rem 0; border-bottom: 1px solid var(--line); }
@media (max-width: 40rem) {
  .stacked thead { display: none; }
  .stacked tr { display: flex; flex-wrap: wrap; gap: .3rem 1rem; padding: .5rem 0; border-bottom: 1px solid var(--line); }
  .stacked th, .stacked td, .stacked td:last-child { border: 0; padding: 0; min-width: 0; }
  .stacked th[scope=row], .stacked td.wide { flex: 1 0 100%; }
  .stacked td:not([data-label=""])::before { content: attr(data-label) " "; color: var(--quiet); }
  .stacked td:empty { display: none; }
}`;

const style = markup`${tones}${stackedTables}
body { font: 15px/1.5 system-ui, sans-serif; max-width: 68rem; margin: 2rem auto; padding: 0 1rem; background: var(--paper); color: var(--ink); }
th, td, li { overflow-wrap: break-word; } td:last-child { overflow-wrap: anywhere; min-width: 12rem; }
th[scope=row] { min-width: 15rem; overflow-wrap: anywhere; font-weight: 600; }
ul { padding: 0; list-style: none; } li { padding: .15rem 0; }
h1 { font-size: 1.4rem; display: flex; gap: .7rem; align-items: center; } h2 { font-size: 1.1rem; margin-top: 2rem; }
div { overflow-x: auto; }
.changes { table-layout: fixed; } .changes thead th { width: 15rem; } .changes th[scope=col] + th { width: 5.5rem; } .changes th[scope=col]:last-child { width: auto; }
@media (max-width: 40rem) { body { margin: 1rem auto; } }
`;

/** On a phone the cells stand below each other, each behind the label of its report. */
function cellOf(cell: Cell, label: string): Markup {
  if (typeof cell === 'string') return markup`<td data-label="${label}">${cell}</td>`;
  return markup`<td data-label="${label}"><span class="mark ${cell.mark}">${textOf(cell)}</span></td>`;
}

function rowOf({ name, cells, message }: Row, labels: readonly string[], hasMessages: boolean): Markup {
  const note = hasMessages ? [cellOf(message, '')] : [];
  const all = [...cells.map((cell, at) => cellOf(cell, labels[at] ?? '')), ...note];
  return markup`<tr><th scope="row">${name}</th>${joinMarkup(all)}</tr>`;
}

function tableOf({ title, rows }: Section, labels: readonly string[]): Markup {
  const hasMessages = rows.some(({ message }) => message !== '');
  const head = ['', ...labels, ...(hasMessages ? [''] : [])];
  return markup`<section><h2>${title}</h2>
<div tabindex="0" role="region" aria-label="${title}"><table class="stacked${hasMessages ? ' changes' : ''}">
<thead><tr>${joinMarkup(head.map((cell) => markup`<th scope="col">${cell}</th>`))}</tr></thead>
<tbody>
${joinMarkup(rows.map((row) => rowOf(row, labels, hasMessages)))}
</tbody></table></div></section>`;
}

export function reportComparisonInHtml(comparison: Comparison): string {
  const labels = comparison.reports.map(({ label }) => label);
  const tone = countChanges(comparison, 'regression') === 0 ? 'pass' : 'fail';
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
<h1><span class="mark ${tone}">${sign(tone)}</span> ${summaryOf(comparison)}</h1>
<ul>
${joinMarkup(reportLines(comparison).map((line) => markup`<li>${line}</li>`))}
</ul>
${joinMarkup(sectionsOf(comparison).map((section) => tableOf(section, labels)))}
</main>
</body>
</html>
`;
  return String(page);
}
