/** Causes of failure on the page: what each breaks, what was expected and received, the evidence, and what repeats it. */

import { quoteForShell } from '../../http/curl.ts';
import type { Report, ReportedFailure } from '../../verdict/report.ts';
import { type BrokenRequirement, type Cause, causesOf } from '../causes.ts';
import { shorten } from '../escape.ts';
import { exchangesOf } from '../evidence.ts';
import { joinMarkup, type Markup, markup } from '../markup.ts';
import { contrastOf, fromWhereTheyDiffer } from '../message.ts';
import { markOf, remarksOn } from '../words.ts';
import { exchangeOfFailure } from './exchange.ts';
import { badge, exchangeLinks, longestText, type PageSection, paragraphs } from './parts.ts';

/** The place on the page of what a requirement is broken by. */
export function causeAnchors(causes: readonly Cause[]): ReadonlyMap<string, string> {
  const anchors = causes.flatMap(({ requirements }, at) =>
    requirements.map(({ requirement }): [string, string] => [requirement.id, `cause-${at + 1}`]),
  );
  // Of several causes of one requirement the first is the gravest.
  return new Map(anchors.reverse());
}

function contrastBlock({ message }: ReportedFailure): Markup {
  const contrast = contrastOf(message);
  if (contrast === undefined) return markup`<p>${shorten(message, longestText)}</p>`;
  const { expected, received } = fromWhereTheyDiffer(contrast);
  return markup`<dl>
<dt>Expected</dt><dd>${shorten(expected, longestText)}</dd>
<dt>Received</dt><dd><strong>${shorten(received, longestText)}</strong></dd>
</dl>`;
}

/** A requirement that a cause breaks, with the codes of how. */
function requirementLine({ requirement, failures }: BrokenRequirement): Markup {
  const { id, section, text } = requirement;
  const codes = [...new Set(failures.map(({ code }) => code))].join(', ');
  return markup`<h3>${badge(markOf(requirement))} <span>§${section} <a href="#requirement-${id}">${id}</a> <code class="quiet">${codes}</code></span></h3>
<p>${text}</p>`;
}

function commandBlock(title: string, command: string): Markup {
  return markup`<h4>${title}</h4>
<div class="command"><pre tabindex="0"><code>${command}</code></pre><button type="button" class="copy" hidden="">Copy</button></div>`;
}

/** Whether the failure that is asked again and replayed for a requirement is among these: it is the first of all. */
function holdsFirst({ requirement, failures }: BrokenRequirement): boolean {
  return failures.includes(requirement.failures[0]!);
}

/** Whether the sequence of a requirement can be sent again: not where it takes a key to exhaust. */
function isReplayed(broken: BrokenRequirement, report: Report): boolean {
  const { sequence, exchanges = [] } = broken.requirement.failures[0] ?? {};
  const steps = exchangesOf(report, sequence ?? exchanges);
  return holdsFirst(broken) && !steps.some(({ credentialId }) => credentialId === 'rate-limit-key');
}

/** What shows the failure of a requirement again: its shortest sequence, else a run that judges it anew. */
function replayOf(broken: BrokenRequirement, report: Report): string {
  const { id } = broken.requirement;
  const { client } = report;
  if (client !== undefined) return `petstore-conformance client -- ${client.command.map(quoteForShell).join(' ')}`;
  return isReplayed(broken, report)
    ? `petstore-conformance replay report.json ${id}`
    : `petstore-conformance run ${quoteForShell(report.target.baseUrl)} --only ${id}`;
}

/** The last exchanges of a failure show it; more are linked. */
const exchangesShown = 2;

/** Where else it was seen, a line for each failure after the first. */
function othersBlock({ failure, requirements }: Cause, carried: ReadonlySet<number>): Markup {
  const others = requirements.flatMap(({ failures }) => failures.filter((other) => other !== failure));
  if (others.length === 0) return markup``;
  const lines = others.map(
    ({ code, message, exchanges }) =>
      markup`<li>${exchangeLinks(exchanges, carried)} <code>${code}</code> ${shorten(message, 300)}</li>`,
  );
  return markup`<h4>Seen again</h4>
<ul>
${joinMarkup(lines)}
</ul>`;
}

function evidenceBlock(cause: Cause, report: Report, carried: ReadonlySet<number>): Markup {
  const { failure, requirements } = cause;
  const shown = exchangesOf(report, failure.exchanges.slice(-exchangesShown));
  const cited = [...new Set([...(failure.sequence ?? []), ...failure.exchanges])];
  return markup`<details><summary>Evidence: the exchange, curl and replay</summary>
<p>Shown by ${exchangeLinks(cited, carried)}.</p>
${joinMarkup(shown.map((exchange) => exchangeOfFailure(exchange, failure.message)))}
${commandBlock('The same request with curl', failure.curl)}
${commandBlock('Replay, from the JSON report of this run', requirements.map((broken) => replayOf(broken, report)).join('\n'))}
${othersBlock(cause, carried)}
</details>`;
}

function causeBlock(cause: Cause, at: number, report: Report, carried: ReadonlySet<number>): Markup {
  const { mark, failure, requirements } = cause;
  const remarks = requirements.filter(holdsFirst).flatMap(({ requirement }) => remarksOn(requirement));
  return markup`<article class="cause judged ${mark}" id="cause-${at + 1}">
${joinMarkup(requirements.map(requirementLine))}
${contrastBlock(failure)}
${joinMarkup(paragraphs([...new Set(remarks)]))}
${evidenceBlock(cause, report, carried)}
</article>`;
}

/** What is wrong, by cause. */
export function causeSection(report: Report, carried: ReadonlySet<number>): readonly PageSection[] {
  const causes = causesOf(report);
  if (causes.length === 0) return [];
  const title = `What is wrong: ${causes.length === 1 ? 'one cause' : `${causes.length} causes`}`;
  const content = joinMarkup(causes.map((cause, at) => causeBlock(cause, at, report, carried)));
  return [{ id: 'causes', title, name: `Causes (${causes.length})`, content }];
}
