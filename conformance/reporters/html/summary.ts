/** The top of the page: verdict and tally; and its foot: animals left behind, settings, kit and self-test. */

import { counted } from '../../verdict/counts.ts';
import type { Report, ReportedSettings } from '../../verdict/report.ts';
import { interactionsInWords, requirementsInWords } from '../counts.ts';
import { shorten } from '../escape.ts';
import { coverageOf, isUnjudged, toneOf, verdictOf } from '../headline.ts';
import { joinMarkup, type Markup, markup } from '../markup.ts';
import { effortInWords, leftoversInWords, outputInWords, subjectOf, timeInWords, untriedInWords } from '../words.ts';
import { longestText, type PageSection, paragraphs, sign } from './parts.ts';

function seconds(durationMs: number): string {
  return `${(durationMs / 1000).toFixed(1)} s`;
}

function list(title: string, values: readonly string[]): readonly string[] {
  return values.length === 0 ? [] : [`${title} ${values.join(', ')}`];
}

function settingsInWords(settings: ReportedSettings): string {
  const { plan, rateLimitPlan, only, nameTemplate, timeoutMs } = settings;
  return [
    `at most ${settings.maxRequests} requests and ${settings.maxCreates} creations`,
    plan === undefined ? 'no plan named' : `plan ${plan}`,
    settings.hasRateLimitKey ? 'a rate-limit key' : 'no rate-limit key',
    ...(rateLimitPlan === undefined ? [] : [`rate-limit plan ${rateLimitPlan}`]),
    ...(settings.isReadOnly ? ['read-only'] : []),
    ...(settings.isDisposable ? ['a disposable target'] : []),
    ...(settings.requiresAll ? ['all requirements required'] : []),
    ...list('only', only ?? []),
    ...list('categories', settings.categoryIds),
    ...list('waivers of', settings.waivers),
    ...list('gateway headers', settings.gatewayHeaders),
    ...(nameTemplate === undefined ? [] : [`names like ${nameTemplate}`]),
    `concurrency ${settings.concurrency}`,
    `settle time ${seconds(settings.settleMs)}`,
    `waits of at most ${seconds(settings.maxWaitMs)}`,
    ...(timeoutMs === undefined ? [] : [`timeout ${seconds(timeoutMs)}`]),
    `judged as on ${settings.today.slice(0, 10)}`,
  ].join('; ');
}

function selfTestInWords({ selfTest }: Report['kit']): string {
  const { faults, found, ordinary, within, variants, falseFailures } = selfTest;
  const soon = within.map((one) => `${one.found} within ${one.requests} requests`).join(', ');
  return `The kit finds ${found} of ${faults} faults put into a server (of the ${ordinary} ordinary ones ${soon}), and fails ${falseFailures} of ${variants} legal servers.`;
}

function waitsInWords({ waits }: Report): string {
  const total = waits.reduce((sum, { durationMs }) => sum + durationMs, 0);
  return waits.length === 0 ? '' : ` ${counted(waits.length, 'wait')} took ${seconds(total)} of it.`;
}

function factsOf(report: Report): readonly (readonly [string, string])[] {
  const { kit, settings, startedAt, unanswered } = report;
  const made = [kit.name, kit.version, ...(kit.commit === undefined ? [] : [`commit ${kit.commit}`])].join(' ');
  const lost = unanswered === 0 ? '' : ` ${unanswered} got no answer.`;
  return [
    ['Target', subjectOf(report)],
    ['Interface', `${report.interface.name} ${report.interface.version}`],
    ['Date', timeInWords(startedAt)],
    ...outputInWords(report).map((text) => ['Output', text] as const),
    ['Requests', `${effortInWords(report)}${lost}${waitsInWords(report)}`],
    // The settings of a compatibility run are those of its services.
    ...(report.client === undefined ? [['Settings', settingsInWords(settings)] as const] : []),
    ...untriedInWords(report).map((text) => ['Left out', text] as const),
    ['Kit', `${made}, Node ${report.node}`],
    ['Self-test', selfTestInWords(kit)],
  ];
}

/** Verdict, count, target and tally: all that fits above the first failure on a phone. */
export function summary(report: Report): Markup {
  const { reason } = report;
  const tone = toneOf(report);
  const tally = isUnjudged(report) ? [] : [requirementsInWords(report), ...interactionsInWords(report)];
  // A flag is not broken behind its hyphens.
  const coverage = coverageOf(report)
    .slice(2, -1)
    .split(/(--[a-z-]+)/)
    .reduce(
      (text, part, at) => (at % 2 === 1 ? markup`${text}<span class="flag">${part}</span>` : markup`${text}${part}`),
      markup``,
    );
  return markup`<header class="${tone}">
<h1><span class="mark ${tone}">${sign(tone)}</span><span>${verdictOf(report)} <small>${coverage}</small></span></h1>
<p class="subject">${subjectOf(report)}</p>
${tally.length === 0 ? '' : markup`<p class="tally quiet">${tally.join(' ')}</p>`}
${reason === undefined ? '' : markup`<p class="reason">${shorten(reason, longestText)}</p>`}
</header>`;
}

export function leftoverSection(report: Report): readonly PageSection[] {
  if (report.created.length === 0) return [];
  const animals = report.created.map(({ id, name }) => markup`<li><code>${id ?? 'no id'}</code> ${name}</li>`);
  const content = markup`${joinMarkup(paragraphs(leftoversInWords(report)))}
<details><summary>Their ids and names</summary><ul>
${joinMarkup(animals)}
</ul></details>`;
  return [{ id: 'leftovers', title: 'Left behind', name: 'Left behind', content }];
}

export function factSection(report: Report): PageSection {
  const facts = factsOf(report).map(([term, text]) => markup`<dt>${term}</dt><dd>${shorten(text, longestText)}</dd>`);
  const content = markup`<dl>
${joinMarkup(facts)}
</dl>`;
  return { id: 'about', title: 'About this run', name: 'About', content };
}
