/** The report as commands of GitHub Actions: an annotation for each statement that is broken. */

import type { Report, ReportedInteraction, ReportedRequirement } from '../engine/report.ts';
import { interactionsInWords, statementsInWords } from './counts.ts';
import { escapeForTerminal, shorten } from './escape.ts';
import { headlineOf } from './headline.ts';
import { markOf, markWords, remarksOn, titleOf } from './words.ts';

interface Annotation {
  readonly kind: 'error' | 'warning' | 'notice';
  readonly title: string;
  readonly lines: readonly string[];
}

/** One command on one line: GitHub ends its title at a colon or a comma, and reads `%0A` as the end of a line. */
function command({ kind, title, lines }: Annotation): string {
  const oneLine = (text: string): string => escapeForTerminal(text).replaceAll('%', '%25');
  const property = oneLine(title).replaceAll(':', '%3A').replaceAll(',', '%2C');
  return `::${kind} title=${property}::${lines.map(oneLine).join('%0A')}\n`;
}

/** GitHub shows annotations in a narrow column. */
const longestLine = 400;
const failuresShown = 3;

function annotate(requirement: ReportedRequirement): Annotation {
  const { id, section, statement, failures, verdict, reason } = requirement;
  const mark = markOf(requirement);
  const shown = failures
    .slice(0, failuresShown)
    .flatMap(({ code, message, exchanges, curl }) => [
      `${code}: ${shorten(message, longestLine)} (${exchanges.map((number) => `#${number}`).join(', ')})`,
      shorten(curl, longestLine),
    ]);
  return {
    kind: mark === 'fail' || mark === 'error' ? 'error' : 'warning',
    title: `§${section} ${id}`,
    lines: [
      `${markWords[mark]}: ${statement}`,
      ...shown,
      ...(verdict === 'error' && reason !== undefined ? [reason] : []),
      ...remarksOn(requirement),
    ],
  };
}

function annotateInteraction(interaction: ReportedInteraction): Annotation {
  const { verdict, messages } = interaction;
  return {
    kind: verdict === 'fail' ? 'error' : 'warning',
    title: shorten(titleOf(interaction), 200),
    lines: [markWords[verdict], ...messages.slice(0, failuresShown).map((message) => shorten(message, longestLine))],
  };
}

function annotateRun(report: Report): Annotation {
  const { target, reason, exitCode } = report;
  return {
    kind: exitCode === 0 ? 'notice' : 'error',
    title: 'petstore-conformance',
    lines: [
      `${headlineOf(report)}: ${target.baseUrl}`,
      ...(reason === undefined ? [] : [reason]),
      ...interactionsInWords(report),
      statementsInWords(report),
    ],
  };
}

export function reportGithub(report: Report): string {
  const interactions = (report.interactions ?? []).filter(({ verdict }) => verdict !== 'pass');
  const broken = report.requirements.filter(({ verdict, failures }) => failures.length > 0 || verdict === 'error');
  return [...interactions.map(annotateInteraction), ...broken.map(annotate), annotateRun(report)].map(command).join('');
}
