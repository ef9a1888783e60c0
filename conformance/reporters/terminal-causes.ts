/** What is broken, for a terminal: each cause with its requirements, the exchanges that show it, and a curl line. */

import type { Report, ReportedFailure, ReportedInteraction } from '../verdict/report.ts';
import { type BrokenRequirement, type Cause, causesOf } from './causes.ts';
import { shorten } from './escape.ts';
import { evidenceLines, exchangeLines, exchangesOf, showCurl } from './evidence.ts';
import { markText, type SignSet, styleOf } from './marks.ts';
import type { Presentation } from './presentation.ts';
import { blank, command, type Line, line, styled } from './styled-lines.ts';
import { markOf, remarksOn, titleOf } from './words.ts';

const longestMessage = 400;

function isSame(one: ReportedFailure, other: ReportedFailure): boolean {
  return one.code === other.code && one.message === other.message;
}

/** A requirement that a cause breaks: how, where that differs from the failure that stands for all, and how often. */
function brokenLines(
  { requirement, failures }: BrokenRequirement,
  { failure }: Cause,
  signs: SignSet,
): readonly Line[] {
  const { id, section, text } = requirement;
  const kinds = [...Map.groupBy(failures, ({ code }) => code).values()].flatMap(([first = failures[0]]) => first);
  const others = failures.length - kinds.length;
  const more = others === 0 ? '' : ` (and ${others} more like it, in the JSON report)`;
  // What is known of a requirement is told with the first of its failures.
  const remarks = failures.includes(requirement.failures[0]!) ? remarksOn(requirement) : [];
  return [
    line(3, markText(markOf(requirement), signs), '  ', styled('bold', `§${section} ${id}`), `  ${text}${more}`),
    ...kinds
      .filter((own) => !isSame(own, failure))
      .map(({ code, message }) => line(5, `${code}: ${shorten(message, longestMessage)}`)),
    ...remarks.map((remark) => line(5, remark)),
  ];
}

function linesOf(cause: Cause, at: number, report: Report, signs: SignSet): readonly Line[] {
  const { failure, mark, requirements } = cause;
  const message = shorten(failure.message, longestMessage);
  return [
    { ...line(0, styled(styleOf(mark), `${at + 1}. ${failure.code}`), `: ${message}`), hang: 3 },
    ...requirements.flatMap((broken) => brokenLines(broken, cause, signs)),
    ...evidenceLines(report, failure).map((text) => line(3, text)),
    command(3, showCurl(failure)),
    blank,
  ];
}

export function causeLines(report: Report, signs: SignSet): readonly Line[] {
  const causes = causesOf(report);
  if (causes.length === 0) return [];
  const title = causes.length === 1 ? 'What is wrong' : `What is wrong, in ${causes.length} causes`;
  return [line(0, styled('bold', title)), ...causes.flatMap((cause, at) => linesOf(cause, at, report, signs))];
}

/** Our own errors, which nobody else can mend. */
export function errorLines({ requirements }: Report): readonly Line[] {
  const broken = requirements.filter(({ verdict }) => verdict === 'error');
  if (broken.length === 0) return [];
  return [
    line(0, styled('bold', 'What broke in the kit')),
    ...broken.map(({ id, section, reason = '' }) => line(3, `§${section} ${id}: ${shorten(reason, longestMessage)}`)),
    blank,
  ];
}

function linesOfInteraction(interaction: ReportedInteraction, report: Report, signs: SignSet): readonly Line[] {
  const { verdict, messages, exchanges } = interaction;
  const evidence =
    verdict === 'fail'
      ? exchangesOf(report, exchanges.slice(-1)).flatMap((one) => exchangeLines(one, messages[0]))
      : [];
  return [
    line(3, markText(verdict, signs), '  ', titleOf(interaction)),
    ...[...messages.map((message) => shorten(message, longestMessage)), ...evidence].map((text) => line(5, text)),
  ];
}

/** Interactions of pacts: those that do not hold, or all of them. */
export function interactionLines(report: Report, { detail, signs }: Presentation): readonly Line[] {
  const { interactions = [] } = report;
  const shown = interactions.filter(({ verdict }) => detail === 'full' || verdict !== 'pass');
  if (shown.length === 0) return [];
  return [
    line(
      0,
      styled('bold', detail === 'full' ? 'What consumers recorded' : 'What consumers recorded and does not hold'),
    ),
    ...shown.flatMap((interaction) => linesOfInteraction(interaction, report, signs)),
    blank,
  ];
}
