/** Failures and warnings on the page, by cause: the broken requirements, expected and received, evidence, and commands. */

import { type BrokenRequirement, type Cause, causesOf, markOf } from '../../verdict/causes.ts';
import { clientCommand, replayCommand, runCommand } from '../../verdict/commands.ts';
import { sentenceOf } from '../../verdict/failure.ts';
import type { Report, ReportedFailure } from '../../verdict/report.ts';
import { shorten } from '../escape.ts';
import { exchangesOf, pointerInto } from '../evidence.ts';
import { joinMarkup, type Markup, markup } from '../markup.ts';
import { remarksOn } from '../words.ts';
import { exchangeOfFailure } from './exchange.ts';
import { badge, exchangeLinks, longestText, type PageSection } from './parts.ts';

/** Requirement → the anchor of its cause on the page. */
export function causeAnchors(causes: readonly Cause[]): ReadonlyMap<string, string> {
  const anchors = causes.flatMap(({ requirements }, at) =>
    requirements.map(({ requirement }): [string, string] => [requirement.id, `cause-${at + 1}`]),
  );
  // The first of several causes of one requirement is the worst.
  return new Map(anchors.reverse());
}

function contrastBlock({ expected, received }: ReportedFailure): Markup {
  return markup`<dl>
<dt>Expected</dt><dd>${shorten(expected, longestText)}</dd>
<dt>Received</dt><dd><strong>${shorten(received, longestText)}</strong></dd>
</dl>`;
}

/** Remarks on a requirement that a cause breaks, where they belong to this cause. */
function remarkLine(broken: BrokenRequirement): Markup {
  const remarks = holdsFirst(broken) ? remarksOn(broken.requirement) : [];
  return remarks.length === 0 ? markup`` : markup`<p>${shorten(remarks.join(' '), longestText)}</p>`;
}

/** A requirement that a cause breaks besides the first, with the sentence of its first failure. */
function furtherLine(broken: BrokenRequirement): Markup {
  return markup`${requirementLine(broken)}
<p class="quiet">${shorten(sentenceOf(broken.failures[0]), longestText)}</p>
${remarkLine(broken)}`;
}

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

/** Whether the first failure of a requirement, which is rechecked and replayed, belongs to this cause. */
function holdsFirst({ requirement, failures }: BrokenRequirement): boolean {
  return failures.includes(requirement.failures[0]!);
}

/** Whether the sequence of a requirement can be sent again: not where it exhausts a key. */
function isReplayed(broken: BrokenRequirement, report: Report): boolean {
  const { sequence, exchanges = [] } = broken.requirement.failures[0] ?? {};
  const steps = exchangesOf(report, sequence ?? exchanges);
  return holdsFirst(broken) && !steps.some(({ credentialId }) => credentialId === 'rate-limit-key');
}

/** The command that shows a failure again: a replay of its shortest sequence, else a run of that requirement. */
function replayOf(broken: BrokenRequirement, report: Report): string {
  const { id } = broken.requirement;
  const { client } = report;
  if (client !== undefined) return clientCommand(client.command);
  const { baseUrl } = report.target;
  return isReplayed(broken, report) ? replayCommand('report.json', id, baseUrl) : runCommand(baseUrl, id);
}

/** How the causes are shown. */
interface CausePage {
  /** Numbers of the exchanges that the page holds. */
  readonly carried: ReadonlySet<number>;
  readonly isOpen: boolean;
}

/** With more causes than these their evidence is closed at first. */
const causesOpen = 3;

/** The last exchanges of a failure show it; the others are linked. */
const exchangesShown = 2;

function othersBlock({ failure, requirements }: Cause, carried: ReadonlySet<number>): Markup {
  const others = requirements.flatMap(({ failures }) => failures.filter((other) => other !== failure));
  if (others.length === 0) return markup``;
  const lines = others.map(
    (other) =>
      markup`<li>${exchangeLinks(other.exchanges, carried)} <code>${other.code}</code> ${shorten(sentenceOf(other), 300)}</li>`,
  );
  return markup`<h4>Further failures of this cause</h4>
<ul>
${joinMarkup(lines)}
</ul>`;
}

const commandTitles = {
  service: { single: 'The same request with curl', whole: 'Replay, from the JSON report of this run' },
  client: { single: 'Start the service in which it fails', whole: 'Run the client under all services again' },
} as const;

function evidenceBlock(cause: Cause, report: Report, { carried, isOpen }: CausePage): Markup {
  const { failure, requirements } = cause;
  const shown = exchangesOf(report, failure.exchanges.slice(-exchangesShown));
  const cited = [...new Set([...(failure.sequence ?? []), ...failure.exchanges])];
  const open = isOpen ? markup` open=""` : markup``;
  const titles = report.client === undefined ? commandTitles.service : commandTitles.client;
  return markup`<details${open}><summary>Evidence: the exchange, and commands that show it again</summary>
<p>Shown by ${exchangeLinks(cited, carried)}.</p>
${joinMarkup(shown.map((exchange) => exchangeOfFailure(exchange, pointerInto(exchange, failure))))}
${commandBlock(titles.single, failure.curl)}
${commandBlock(titles.whole, requirements.map((broken) => replayOf(broken, report)).join('\n'))}
${othersBlock(cause, carried)}
</details>`;
}

function causeBlock(cause: Cause, at: number, report: Report, page: CausePage): Markup {
  const { mark, failure, requirements } = cause;
  const [shown, ...further] = requirements;
  return markup`<article class="cause judged ${mark}" id="cause-${at + 1}">
${requirementLine(shown)}
${contrastBlock(failure)}
${remarkLine(shown)}
${joinMarkup(further.map(furtherLine))}
${evidenceBlock(cause, report, page)}
</article>`;
}

const titles = [
  ['fail', 'failures', 'Failures'],
  ['warn', 'warnings', 'Warnings'],
  ['waived', 'waived', 'Waived failures'],
] as const;

/** Failures, warnings and waived failures, each by cause under a heading of its own. */
export function causeSections(report: Report, carried: ReadonlySet<number>): readonly PageSection[] {
  const causes = [...causesOf(report).entries()];
  const failing = causes.filter(([, { mark }]) => mark === 'fail').length;
  return titles.flatMap(([mark, id, title]) => {
    const own = causes.filter(([, cause]) => cause.mark === mark);
    const page = { carried, isOpen: mark === 'fail' && failing <= causesOpen };
    const content = joinMarkup(own.map(([at, cause]) => causeBlock(cause, at, report, page)));
    const broken = report.requirements.filter((requirement) => markOf(requirement) === mark).length;
    return own.length === 0 ? [] : [{ id, title, name: `${title} (${broken})`, content }];
  });
}
