/** The report as Markdown, for the summary of a CI job or the comment on a change. */

import type { Report, ReportedInteraction, ReportedRequirement } from '../engine/report.ts';
import { escapeForMarkdown, fence, shorten } from './escape.ts';
import { remarksOn, titleOf, verdictWords } from './words.ts';

function failure(requirement: ReportedRequirement): readonly string[] {
  const { id, section, statement, verdict, failures } = requirement;
  const [first] = failures;
  return [
    `### §${section} ${escapeForMarkdown(id)} (${verdict})`,
    '',
    escapeForMarkdown(statement),
    '',
    ...failures
      .slice(0, 3)
      .map(({ code, message }) => `- **${escapeForMarkdown(code)}**: ${escapeForMarkdown(shorten(message, 500))}`),
    ...remarksOn(requirement).map((remark) => `- ${escapeForMarkdown(remark)}`),
    '',
    ...(first === undefined ? [] : [fence(shorten(first.curl, 1_000), 'sh'), '']),
  ];
}

function interactionLine(interaction: ReportedInteraction): string {
  const { verdict, messages } = interaction;
  const why = messages.length === 0 ? '' : `: ${escapeForMarkdown(shorten(messages.join('; '), 500))}`;
  return `- **${verdict.replace('-', ' ')}** ${escapeForMarkdown(titleOf(interaction))}${why}`;
}

/** Statements with one verdict, as a line; none where there are none. */
function listed(report: Report, verdict: ReportedRequirement['verdict'], title: string): readonly string[] {
  const found = report.requirements.filter((requirement) => requirement.verdict === verdict);
  if (found.length === 0) return [];
  const items = found.map(
    ({ id, reason }) => `- \`${id}\`${reason === undefined ? '' : `: ${escapeForMarkdown(shorten(reason, 300))}`}`,
  );
  return [`**${title}**`, '', ...items, ''];
}

export function reportMarkdown(report: Report): string {
  const broken = report.requirements.filter(({ failures }) => failures.length > 0);
  const passed = report.requirements.filter(({ verdict }) => verdict === 'pass').length;
  const numbers = `${passed} of ${report.requirements.length} statements hold; ${report.requests} requests, ${report.creates} creations, seed ${report.seed}.`;
  return [
    `## ${verdictWords[report.verdict]}: ${report.interface.name} ${report.interface.version}`,
    '',
    `${escapeForMarkdown(report.target.baseUrl)}`,
    '',
    ...(report.reason === undefined ? [] : [escapeForMarkdown(report.reason), '']),
    numbers,
    '',
    ...(report.interactions === undefined ? [] : [...report.interactions.map(interactionLine), '']),
    ...broken.flatMap(failure),
    ...listed(report, 'inconclusive', 'Inconclusive'),
    ...listed(report, 'skipped', 'Skipped'),
    ...(report.created.length === 0 ? [] : [`The run left ${report.created.length} animals behind.`, '']),
  ].join('\n');
}
