/** The report as one HTML page that loads nothing: readable offline, and safe whatever the target said. */

import type { Report, ReportedExchange, ReportedInteraction, ReportedRequirement } from '../engine/report.ts';
import { escapeForXml, shorten } from './escape.ts';
import { remarksOn, titleOf, verdictWords } from './words.ts';

const style = `
:root { color-scheme: light dark; --line: color-mix(in srgb, CanvasText 18%, Canvas); }
body { font: 15px/1.5 system-ui, sans-serif; max-width: 68rem; margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.5rem; margin-bottom: .2rem; } h2 { font-size: 1.1rem; margin-top: 2rem; }
table { border-collapse: collapse; width: 100%; }
th, td { text-align: left; vertical-align: top; padding: .35rem .6rem; border-bottom: 1px solid var(--line); }
pre { background: color-mix(in srgb, CanvasText 6%, Canvas); padding: .6rem; overflow: auto; white-space: pre-wrap; overflow-wrap: anywhere; }
code { overflow-wrap: anywhere; } .id { white-space: nowrap; }
.pass b { color: #1a7f37; } .fail b, .error b { color: #c62828; } .warn b, .inconclusive b, .waived b, .pending b, .not-verifiable b { color: #9a6700; }
.skipped, .not-applicable { opacity: .7; }
@media (prefers-color-scheme: dark) { .pass b { color: #57ab5a; } .fail b, .error b { color: #ff7b72; } .warn b, .inconclusive b, .waived b, .pending b, .not-verifiable b { color: #d4a72c; } }
`;

function show(text: string, length = 2_000): string {
  return escapeForXml(shorten(text, length));
}

function exchange({ number, request, response, failure, credential }: ReportedExchange): string {
  const sent = [
    `${request.method} ${request.target}  with ${credential}`,
    ...(request.body === undefined ? [] : [request.body]),
  ];
  const headers = Object.entries(response?.headers ?? {}).map(([name, value]) => `${name}: ${value}`);
  const came =
    response === undefined
      ? [`no response: ${failure?.message ?? ''}`]
      : [String(response.status), ...headers, '', response.body];
  return `<details><summary>Exchange ${number}: ${show(sent[0] ?? '', 200)}</summary><pre>${show(sent.join('\n'))}</pre><pre>${show(came.join('\n'), 4_000)}</pre></details>`;
}

function broken(requirement: ReportedRequirement, report: Report): string {
  const { id, section, statement, failures, verdict } = requirement;
  const reasons = failures.map(({ code, message, curl, exchanges, sequence = [] }) => {
    const numbers = new Set([...exchanges, ...sequence]);
    const cited = report.exchanges.filter(({ number }) => numbers.has(number)).map(exchange);
    return `<p><b>${show(code)}</b> ${show(message)}</p>${cited.join('')}<pre>${show(curl)}</pre>`;
  });
  const remarks = remarksOn(requirement).map((remark) => `<p>${show(remark)}</p>`);
  return `<section class="${verdict}"><h2 id="${show(id)}">§${show(section)} ${show(id)}</h2><p>${show(statement)}</p>${reasons.join('')}${remarks.join('')}</section>`;
}

function row({ id, section, statement, verdict, reason, evidence, failures, waiver }: ReportedRequirement): string {
  const mark = waiver?.state === 'waived' ? 'waived' : verdict;
  const name = failures.length > 0 ? `<a href="#${show(id)}">${show(id)}</a>` : show(id);
  const why = reason ?? (verdict === 'pass' ? `${evidence} exchanges` : '');
  return `<tr class="${mark}"><td>§${show(section)}</td><td class="id">${name}</td><td><b>${mark.replace('-', ' ')}</b></td><td>${show(statement)}<br><small>${show(why)}</small></td></tr>`;
}

function interactionRow(interaction: ReportedInteraction, report: Report): string {
  const { verdict, messages, exchanges } = interaction;
  const cited = report.exchanges.filter(({ number }) => exchanges.includes(number)).map(exchange);
  const why = messages.map((message) => `<br><small>${show(message)}</small>`).join('');
  return `<tr class="${verdict}"><td><b>${verdict.replace('-', ' ')}</b></td><td>${show(titleOf(interaction))}${why}${verdict === 'pass' ? '' : cited.join('')}</td></tr>`;
}

function interactionTable(report: Report): string {
  if (report.interactions === undefined) return '';
  const rows = report.interactions.map((interaction) => interactionRow(interaction, report));
  return `<h2>What consumers recorded</h2>\n<table><tbody>\n${rows.join('\n')}\n</tbody></table>`;
}

export function reportHtml(report: Report): string {
  const title = `${verdictWords[report.verdict]}: ${report.target.baseUrl}`;
  const gaps = report.gaps.filter(({ observed }) => observed !== null);
  const seconds = (report.durationMs / 1000).toFixed(1);
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>${show(title)}</title>
<style>${style}</style>
</head>
<body>
<h1>${show(title)}</h1>
<p>${show(report.interface.name)} ${show(report.interface.version)}, judged ${show(report.startedAt)} with ${report.requests} requests and ${report.creates} creations in ${seconds} s, seed ${report.seed}.</p>
${report.reason === undefined ? '' : `<p><b>${show(report.reason)}</b></p>`}
${interactionTable(report)}
${report.requirements
  .filter(({ failures }) => failures.length > 0)
  .map((requirement) => broken(requirement, report))
  .join('\n')}
<h2>Statements</h2>
<table>
<thead><tr><th>§</th><th>Statement</th><th>Verdict</th><th></th></tr></thead>
<tbody>
${report.requirements.map(row).join('\n')}
</tbody>
</table>
<h2>Where the interface is silent (observed, never judged)</h2>
<table><tbody>
${gaps.map(({ id, section, question, observed }) => `<tr><td>§${show(section)}</td><td class="id">${show(id)}</td><td>${show(question)}<br>${show(observed ?? '')}</td></tr>`).join('\n')}
</tbody></table>
<h2>Left behind</h2>
<p>${report.created.length} animals; nothing can be deleted through the interface.</p>
${report.created.length === 0 ? '' : `<details><summary>Their ids and names</summary><pre>${show(report.created.map(({ id, name }) => `${id}  ${name}`).join('\n'), 20_000)}</pre></details>`}
</body>
</html>
`;
}
