/** The report as one HTML page that loads nothing: readable offline, and safe whatever the target said. */

import { sectionHeading } from '../../spec/sections.ts';
import type { Report, ReportedExchange, ReportedInteraction, ReportedRequirement } from '../engine/report.ts';
import { interactionsInWords, statementsInWords } from './counts.ts';
import { shorten } from './escape.ts';
import { exchangesOf, exchangesOfFailure, headerLines, requestLine, showCurl, withoutResponse } from './evidence.ts';
import { headlineOf } from './headline.ts';
import { joinMarkup, type Markup, markup } from './markup.ts';
import {
  brokenStatements,
  effortInWords,
  leftoversInWords,
  markOf,
  markWords,
  noteOn,
  remarksOn,
  titleOf,
} from './words.ts';

const style = markup`<style>
:root { color-scheme: light dark; --line: color-mix(in srgb, CanvasText 18%, Canvas); }
body { font: 15px/1.5 system-ui, sans-serif; max-width: 68rem; margin: 2rem auto; padding: 0 1rem; overflow-wrap: anywhere; }
h1 { font-size: 1.5rem; margin-bottom: .2rem; } h2 { font-size: 1.1rem; margin-top: 2rem; }
table { border-collapse: collapse; width: 100%; }
th, td { text-align: left; vertical-align: top; padding: .35rem .6rem; border-bottom: 1px solid var(--line); }
pre { background: color-mix(in srgb, CanvasText 6%, Canvas); padding: .6rem; overflow: auto; white-space: pre-wrap; }
.id { white-space: nowrap; }
.pass b { color: #1a7f37; } .fail b, .error b { color: #c62828; }
.warn b, .inconclusive b, .waived b, .pending b, .not-verifiable b { color: #9a6700; }
.skipped, .not-applicable { opacity: .7; }
@media (prefers-color-scheme: dark) {
  .pass b { color: #57ab5a; } .fail b, .error b { color: #ff7b72; }
  .warn b, .inconclusive b, .waived b, .pending b, .not-verifiable b { color: #d4a72c; }
}
</style>`;

const longestText = 2_000;
const longestBody = 4_000;

function paragraphs(texts: readonly string[]): Markup {
  return joinMarkup(texts.map((text) => markup`<p>${shorten(text, longestText)}</p>`));
}

function exchangeDetails(exchange: ReportedExchange): Markup {
  const { number, request, response } = exchange;
  const sent = [requestLine(exchange), ...headerLines(request.headers), '', request.body ?? ''];
  const received =
    response === undefined
      ? [withoutResponse(exchange)]
      : [String(response.status), ...headerLines(response.headers), '', response.body];
  return markup`<details><summary>Exchange ${number}: ${shorten(requestLine(exchange), 200)}</summary>
<pre>${shorten(sent.join('\n').trimEnd(), longestBody)}</pre>
<pre>${shorten(received.join('\n').trimEnd(), longestBody)}</pre></details>`;
}

function brokenSection(requirement: ReportedRequirement, report: Report): Markup {
  const { id, section, statement, failures } = requirement;
  const mark = markOf(requirement);
  const causes = failures.map(
    (failure) => markup`<p><b>${failure.code}</b> ${shorten(failure.message, longestText)}</p>
${joinMarkup(exchangesOfFailure(report, failure).map(exchangeDetails))}
<pre>${showCurl(failure)}</pre>`,
  );
  return markup`<section class="${mark}"><h2 id="${id}">§${section} ${id}: ${markWords[mark]}</h2>
<p>${statement}</p>
${joinMarkup(causes)}
${paragraphs(remarksOn(requirement))}
</section>`;
}

function statementRow(requirement: ReportedRequirement): Markup {
  const { id, statement, failures } = requirement;
  const mark = markOf(requirement);
  const name = failures.length > 0 ? markup`<a href="#${id}">${id}</a>` : id;
  const note = shorten(noteOn(requirement), longestText);
  return markup`<tr class="${mark}"><td class="id">${name}</td><td><b>${markWords[mark]}</b></td><td>${statement}<br/><small>${note}</small></td></tr>`;
}

function statementTable({ requirements }: Report): Markup {
  const sections = Map.groupBy(requirements, ({ section }) => section);
  const bodies = [...sections].map(
    ([section, statements]) => markup`<tbody>
<tr><th colspan="3" scope="rowgroup">${sectionHeading(section)}</th></tr>
${joinMarkup(statements.map(statementRow))}
</tbody>`,
  );
  return markup`<h2>Statements</h2>
<table>
${joinMarkup(bodies)}
</table>`;
}

function interactionRow(interaction: ReportedInteraction, report: Report): Markup {
  const { verdict, messages, exchanges } = interaction;
  const cited = verdict === 'pass' ? [] : exchangesOf(report, exchanges);
  return markup`<tr class="${verdict}"><td><b>${markWords[verdict]}</b></td><td>${titleOf(interaction)}
${paragraphs(messages)}
${joinMarkup(cited.map(exchangeDetails))}</td></tr>`;
}

function interactionTable(report: Report): Markup {
  if (report.interactions === undefined) return markup``;
  return markup`<h2>What consumers recorded</h2>
<table><tbody>
${joinMarkup(report.interactions.map((interaction) => interactionRow(interaction, report)))}
</tbody></table>`;
}

function gapTable({ gaps }: Report): Markup {
  const rows = gaps.map(
    ({ id, section, question, observed }) =>
      markup`<tr class="${observed === null ? 'skipped' : 'observed'}"><td>§${section}</td><td class="id">${id}</td><td>${question}<br/>${shorten(observed ?? 'not observed', longestText)}</td></tr>`,
  );
  return markup`<h2>Where the interface is silent (observed, never judged)</h2>
<table><tbody>
${joinMarkup(rows)}
</tbody></table>`;
}

function leftovers(report: Report): Markup {
  if (report.created.length === 0) return markup``;
  const animals = report.created.map(({ id, name }) => markup`<li><code>${id}</code> ${name}</li>`);
  return markup`<h2>Left behind</h2>
${paragraphs(leftoversInWords(report))}
<details><summary>Their ids and names</summary><ul>
${joinMarkup(animals)}
</ul></details>`;
}

function summary(report: Report): Markup {
  const { reason, startedAt } = report;
  const { name, version } = report.interface;
  return markup`<p>${name} ${version}, judged ${startedAt} by ${report.kit.name} ${report.kit.version}.</p>
${reason === undefined ? '' : markup`<p><b>${shorten(reason, longestText)}</b></p>`}
${paragraphs([...interactionsInWords(report), statementsInWords(report), effortInWords(report)])}`;
}

export function reportHtml(report: Report): string {
  const title = `${headlineOf(report)}: ${report.target.baseUrl}`;
  const page = markup`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8"/>
<meta name="viewport" content="width=device-width, initial-scale=1"/>
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'"/>
<title>${title}</title>
${style}
</head>
<body>
<h1>${title}</h1>
${summary(report)}
${interactionTable(report)}
${joinMarkup(brokenStatements(report).map((requirement) => brokenSection(requirement, report)))}
${statementTable(report)}
${gapTable(report)}
${leftovers(report)}
</body>
</html>
`;
  return page.toString();
}
