/** The interactions of pacts on the page, with the reasons of those that do not pass. */

import type { Report, ReportedInteraction } from '../../verdict/report.ts';
import { interactionsInWords } from '../counts.ts';
import { exchangesOf } from '../evidence.ts';
import { joinMarkup, type Markup, markup } from '../markup.ts';
import { titleOf } from '../words.ts';
import { exchangeOfFailure } from './exchange.ts';
import { badge, exchangeLinks, type PageSection, paragraphs } from './parts.ts';

function evidenceOf({ verdict, messages, exchanges }: ReportedInteraction, report: Report): Markup {
  const shown = verdict === 'pass' ? [] : exchangesOf(report, exchanges.slice(-1));
  if (shown.length === 0) return markup``;
  const carried = new Set(report.exchanges.map(({ number }) => number));
  return markup`<details><summary>Evidence</summary>
<p>Its exchanges: ${exchangeLinks(exchanges, carried)}.</p>
${joinMarkup(shown.map((exchange) => exchangeOfFailure(exchange, messages[0] ?? '')))}
</details>`;
}

function interactionItem(interaction: ReportedInteraction, report: Report): Markup {
  const { verdict, messages } = interaction;
  return markup`<li class="interaction">${badge(verdict)}<div>
<p>${titleOf(interaction)}</p>
${joinMarkup(paragraphs(messages))}
${evidenceOf(interaction, report)}
</div></li>`;
}

export function interactionSection(report: Report): readonly PageSection[] {
  const { interactions } = report;
  if (interactions === undefined) return [];
  const content = markup`${joinMarkup(paragraphs(interactionsInWords(report)))}
<ul>
${joinMarkup(interactions.map((interaction) => interactionItem(interaction, report)))}
</ul>`;
  return [
    { id: 'interactions', title: 'Interactions of pacts', name: `Interactions (${interactions.length})`, content },
  ];
}
