/** The top of the page: verdict and coverage, and how they came about. */

import type { Report, ReportedSettings } from '../../verdict/report.ts';
import { shorten } from '../escape.ts';
import { coverageOf, verdictWords } from '../headline.ts';
import { joinMarkup, type Markup, markup } from '../markup.ts';
import { effortInWords, type Mark, subjectOf } from '../words.ts';
import { longestText, sign } from './parts.ts';

const markOfRun: Readonly<Record<Report['verdict'], Mark>> = {
  conforms: 'pass',
  'does-not-conform': 'fail',
  inconclusive: 'inconclusive',
};

function seconds(durationMs: number): string {
  return `${(durationMs / 1000).toFixed(1)} s`;
}

function list(title: string, values: readonly string[]): readonly string[] {
  return values.length === 0 ? [] : [`${title} ${values.join(', ')}`];
}

/** What the user said of the run. */
function settingsInWords(settings: ReportedSettings): string {
  const { plan, rateLimitPlan, only, nameTemplate, timeoutMs } = settings;
  return [
    `at most ${settings.maxRequests} requests and ${settings.maxCreates} creations`,
    plan === undefined ? 'no plan named' : `plan ${plan}`,
    settings.hasRateLimitKey ? 'a key that may be exhausted' : 'no key that may be exhausted',
    ...(rateLimitPlan === undefined ? [] : [`its plan ${rateLimitPlan}`]),
    ...(settings.isReadOnly ? ['read-only'] : []),
    ...(settings.isDisposable ? ['a disposable target'] : []),
    ...(settings.requiresAll ? ['all requirements required'] : []),
    ...list('only', only ?? []),
    ...list('categories', settings.categoryIds),
    ...list('animals', settings.petIds),
    ...list('waivers of', settings.waivers),
    ...list('gateway headers', settings.gatewayHeaders),
    ...(nameTemplate === undefined ? [] : [`names like ${nameTemplate}`]),
    `${settings.concurrency} at a time`,
    `asked again after ${seconds(settings.settleMs)}`,
    `waits of at most ${seconds(settings.maxWaitMs)}`,
    ...(timeoutMs === undefined ? [] : [`answers within ${seconds(timeoutMs)}`]),
    `today ${settings.today}`,
  ].join('; ');
}

/** Why the verdict of the kit can be believed. */
function proofInWords({ selfTest }: Report['kit']): string {
  const { faults, found, within, variants, falseFailures } = selfTest;
  const soon = within.map((one) => `${one.found} within ${one.requests} requests`).join(', ');
  return `Its self-test finds ${found} of ${faults} faults put into a server (${soon}), and fails ${falseFailures} of ${variants} servers that make other legal choices.`;
}

function waitsInWords({ waits }: Report): string {
  const total = waits.reduce((sum, { durationMs }) => sum + durationMs, 0);
  return waits.length === 0
    ? ''
    : ` ${waits.length} ${waits.length === 1 ? 'wait' : 'waits'} took ${seconds(total)} of it.`;
}

function factsOf(report: Report): readonly (readonly [string, string])[] {
  const { kit, settings, startedAt, unanswered } = report;
  const made = [kit.name, kit.version, ...(kit.commit === undefined ? [] : [`commit ${kit.commit}`])].join(' ');
  const lost = unanswered === 0 ? '' : ` ${unanswered} got no answer.`;
  return [
    ['Target', subjectOf(report)],
    ['Interface', `${report.interface.name} ${report.interface.version}`],
    ['Judged', startedAt],
    ['Effort', `${effortInWords(report)}${lost}${waitsInWords(report)}`],
    ['Settings', settingsInWords(settings)],
    ['Kit', `${made}, Node ${report.node}`],
    ['Proof', proofInWords(kit)],
  ];
}

/** Verdict, coverage, target, settings, when, and what the kit proves about itself. */
export function summary(report: Report): Markup {
  const { verdict, reason } = report;
  const mark = markOfRun[verdict];
  const facts = factsOf(report).map(([term, text]) => markup`<dt>${term}</dt><dd>${shorten(text, longestText)}</dd>`);
  return markup`<header class="${mark}">
<h1><span class="mark ${mark}">${sign(mark)}</span><span>${verdictWords[verdict]}<small>${coverageOf(report)}</small></span></h1>
${reason === undefined ? '' : markup`<p class="reason">${shorten(reason, longestText)}</p>`}
<dl>
${joinMarkup(facts)}
</dl>
</header>`;
}
