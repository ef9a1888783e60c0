/** The report for a person at a terminal: verdicts by section, then each failure with its exchanges and a curl line. */

import { sectionHeading } from '../../spec/sections.ts';
import type { Report, ReportedExchange, ReportedInteraction, ReportedRequirement } from '../engine/report.ts';
import type { InteractionVerdict, Verdict } from '../engine/verdict.ts';
import { escapeForTerminal, shorten } from './escape.ts';
import { remarksOn, titleOf, verdictWords } from './words.ts';

/** Paints text; the identity where there is no colour. */
export type Paint = (colour: 'red' | 'green' | 'yellow' | 'dim' | 'bold', text: string) => string;

const codes = { red: 31, green: 32, yellow: 33, dim: 2, bold: 1 } as const;

export const inColour: Paint = (colour, text) => `\x1b[${codes[colour]}m${text}\x1b[0m`;
export const withoutColour: Paint = (_colour, text) => text;

const marks: Readonly<Record<Verdict, readonly ['red' | 'green' | 'yellow' | 'dim', string]>> = {
  pass: ['green', '✓ pass'],
  fail: ['red', '✗ FAIL'],
  warn: ['yellow', '! warn'],
  inconclusive: ['yellow', '? inconclusive'],
  skipped: ['dim', '- skipped'],
  'not-applicable': ['dim', '- not applicable'],
  error: ['red', '✗ error of the kit'],
};

function verdictLine(requirement: ReportedRequirement, paint: Paint): string {
  const [colour, mark] =
    requirement.waiver?.state === 'waived' ? (['yellow', '~ waived'] as const) : marks[requirement.verdict];
  const because =
    requirement.reason === undefined
      ? requirement.verdict === 'pass'
        ? paint('dim', `(${requirement.evidence})`)
        : ''
      : paint('dim', `(${escapeForTerminal(requirement.reason)})`);
  return `  ${paint(colour, mark)}  ${paint('bold', requirement.id)}  ${requirement.statement} ${because}`.trimEnd();
}

const headersShown = /^(content-type|retry-after|location|x-ratelimit-.*|www-authenticate)$/;

function showBody(body: string): string {
  return body === '' ? '(empty)' : escapeForTerminal(shorten(body, 400));
}

/** One exchange for a person: what was sent, what came back. */
export function exchangeLines(exchange: ReportedExchange): readonly string[] {
  const { request, response } = exchange;
  const lines = [`#${exchange.number} ${request.method} ${request.target}  with ${exchange.credential}`];
  if (request.body !== undefined) lines.push(`> ${showBody(request.body)}`);
  if (response === undefined)
    return [...lines, `< no response: ${exchange.failure?.message ?? ''}`].map(escapeForTerminal);
  const headers = Object.entries(response.headers).filter(([name]) => headersShown.test(name));
  lines.push(`< ${response.status}  ${headers.map(([name, value]) => `${name}: ${shorten(value, 100)}`).join('  ')}`);
  lines.push(`< ${showBody(response.body)}`);
  return lines.map(escapeForTerminal);
}

const interactionMarks: Readonly<Record<InteractionVerdict, readonly ['red' | 'green' | 'yellow', string]>> = {
  pass: ['green', '✓ pass'],
  fail: ['red', '✗ FAIL'],
  pending: ['yellow', '~ pending'],
  'not-verifiable': ['yellow', '? not verifiable'],
};

function interactionLines(interaction: ReportedInteraction, report: Report, paint: Paint): readonly string[] {
  const [colour, mark] = interactionMarks[interaction.verdict];
  const lines = [`  ${paint(colour, mark)}  ${escapeForTerminal(titleOf(interaction))}`];
  lines.push(...interaction.messages.map((message) => `    ${escapeForTerminal(shorten(message, 500))}`));
  const own = report.exchanges.find(({ number }) => number === interaction.exchanges.at(-1));
  if (interaction.verdict === 'fail' && own !== undefined)
    lines.push(...exchangeLines(own).map((line) => `    ${line}`));
  return lines;
}

/** Failures of a requirement that are shown whole; the others are in the JSON report. */
const failuresShown = 2;

function failureLines(requirement: ReportedRequirement, report: Report, paint: Paint): readonly string[] {
  const colour = requirement.level === 'required' ? 'red' : 'yellow';
  const lines = [
    paint(colour, `${requirement.verdict.toUpperCase()} §${requirement.section} ${requirement.id}`),
    `  ${requirement.statement}`,
  ];
  for (const failure of requirement.failures.slice(0, failuresShown)) {
    lines.push(`  ${paint('bold', failure.code)}: ${escapeForTerminal(failure.message)}`);
    const cited = report.exchanges.filter((exchange) => failure.exchanges.includes(exchange.number));
    lines.push(...cited.slice(0, 3).flatMap((exchange) => exchangeLines(exchange).map((line) => `    ${line}`)));
    lines.push(`    ${paint('dim', escapeForTerminal(shorten(failure.curl, 2_000)))}`);
  }
  const more = requirement.failures.length - failuresShown;
  if (more > 0) lines.push(`  and ${more} more, in the JSON report`);
  lines.push(...remarksOn(requirement).map((remark) => `  ${escapeForTerminal(remark)}`));
  return lines;
}

function count(report: Report, verdict: Verdict, level: 'required' | 'advised'): number {
  return report.requirements.filter((one) => one.verdict === verdict && one.level === level).length;
}

/** The last lines: what the run says of the target, and what it left behind. */
function summaryLines(report: Report, paint: Paint): readonly string[] {
  const { verdict } = report;
  const colour = verdict === 'conforms' ? 'green' : verdict === 'inconclusive' ? 'yellow' : 'red';
  const waived = report.requirements.filter(({ waiver }) => waiver?.state === 'waived').length;
  const counts = [
    `${count(report, 'pass', 'required') + count(report, 'pass', 'advised')} passed`,
    `${count(report, 'fail', 'required')} failed${waived === 0 ? '' : ` (${waived} of them waived)`}`,
    `${count(report, 'warn', 'advised')} warned`,
    `${count(report, 'inconclusive', 'required') + count(report, 'inconclusive', 'advised')} inconclusive`,
    `${count(report, 'skipped', 'required')} skipped`,
  ];
  const left = `It left ${report.created.length} animals behind; nothing can be deleted through the interface.`;
  const { interactions } = report;
  const interactionsWith = (wanted: InteractionVerdict): number =>
    (interactions ?? []).filter((one) => one.verdict === wanted).length;
  const unverified = interactionsWith('not-verifiable');
  return [
    `${paint(colour, verdictWords[verdict].toUpperCase())}  ${report.target.baseUrl}`,
    ...(report.reason === undefined ? [] : [escapeForTerminal(report.reason)]),
    ...(interactions === undefined
      ? []
      : [
          `${interactionsWith('pass')} of ${interactions.length} interactions hold${unverified === 0 ? '' : `, ${unverified} could not be verified`}.`,
        ]),
    `${counts.join(', ')}; ${report.requests} requests, ${report.creates} creations, ${(report.durationMs / 1000).toFixed(1)} s, seed ${report.seed}.`,
    ...(report.created.length === 0 ? [] : [left]),
  ];
}

export function reportTerminal(report: Report, paint: Paint = withoutColour): string {
  const sections = Map.groupBy(report.requirements, (requirement) => requirement.section);
  const lines: string[] = [];
  if (report.interactions !== undefined) {
    lines.push(paint('bold', 'What consumers recorded'));
    lines.push(...report.interactions.flatMap((interaction) => interactionLines(interaction, report, paint)), '');
  }
  for (const [section, requirements] of sections) {
    lines.push(paint('bold', sectionHeading(section)));
    lines.push(...requirements.map((requirement) => verdictLine(requirement, paint)), '');
  }
  const observed = report.gaps.filter((gap) => gap.observed !== null);
  if (observed.length > 0) lines.push(paint('bold', 'Where the interface is silent (observed, never judged)'));
  lines.push(
    ...observed.map((gap) => `  §${gap.section} ${gap.id}: ${escapeForTerminal(shorten(gap.observed ?? '', 160))}`),
    ...(observed.length > 0 ? [''] : []),
  );
  const broken = report.requirements.filter((requirement) => requirement.failures.length > 0);
  for (const requirement of broken) lines.push(...failureLines(requirement, report, paint), '');
  return `${[...lines, ...summaryLines(report, paint)].join('\n')}\n`;
}
