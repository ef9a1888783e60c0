/** The report as commands of GitHub Actions: an annotation for each statement that is broken. */

import type { Report, ReportedInteraction, ReportedRequirement } from '../engine/report.ts';
import { escapeForGithub, shorten } from './escape.ts';
import { titleOf } from './words.ts';

function annotation(requirement: ReportedRequirement): string {
  const { id, section, statement, failures, waiver, level } = requirement;
  const kind = level === 'required' && waiver?.state !== 'waived' ? 'error' : 'warning';
  const message = failures.map(
    (failure) => `${failure.code}: ${shorten(failure.message, 400)}\n${shorten(failure.curl, 400)}`,
  );
  const title = escapeForGithub(`§${section} ${id}`, 'property');
  return `::${kind} title=${title}::${escapeForGithub([statement, ...message.slice(0, 3)].join('\n'), 'message')}`;
}

function interactionAnnotation(interaction: ReportedInteraction): string {
  const { verdict, messages } = interaction;
  const kind = verdict === 'fail' ? 'error' : 'warning';
  const title = escapeForGithub(shorten(titleOf(interaction), 200), 'property');
  const text = [verdict.replace('-', ' '), ...messages.slice(0, 3).map((message) => shorten(message, 400))];
  return `::${kind} title=${title}::${escapeForGithub(text.join('\n'), 'message')}`;
}

export function reportGithub(report: Report): string {
  const broken = report.requirements.filter(({ failures }) => failures.length > 0);
  const verdict = `${report.target.baseUrl}: ${report.verdict}${report.reason === undefined ? '' : `; ${report.reason}`}`;
  const kind = report.exitCode === 0 ? 'notice' : 'error';
  const lines = [
    ...(report.interactions ?? []).filter(({ verdict }) => verdict !== 'pass').map(interactionAnnotation),
    ...broken.map(annotation),
    `::${kind} title=petstore-conformance::${escapeForGithub(verdict, 'message')}`,
  ];
  return `${lines.join('\n')}\n`;
}
