/** Failures and warnings for a terminal: each cause with its requirements, its exchanges, and a curl line. */

import { type BrokenRequirement, type Cause, causesOf, type Mark, markOf } from '../verdict/causes.ts';
import { sentenceOf } from '../verdict/failure.ts';
import type { Report, ReportedFailure, ReportedInteraction } from '../verdict/report.ts';
import { shorten } from './escape.ts';
import { evidenceLines, exchangeLines, exchangesOf, showCurl } from './evidence.ts';
import { markText, type SignSet, styleOf } from './marks.ts';
import type { Presentation } from './presentation.ts';
import { blank, command, type Line, line, styled } from './styled-lines.ts';
import { remarksOn, titleOf } from './words.ts';

const longestMessage = 400;

function isSame(one: ReportedFailure, other: ReportedFailure): boolean {
  return one.code === other.code && sentenceOf(one) === sentenceOf(other);
}

/** A requirement that a cause breaks, with the failures that differ from the one shown, and how often they occur. */
function brokenLines(
  { requirement, failures }: BrokenRequirement,
  { failure }: Cause,
  signs: SignSet,
): readonly Line[] {
  const { id, section, text } = requirement;
  const byCode = [...Map.groupBy(failures, ({ code }) => code).values()].flatMap(([first = failures[0]]) => first);
  const repeated = failures.length - byCode.length;
  const more = repeated === 0 ? [] : [`${repeated} more like it in the JSON report`];
  // Other remarks on a requirement stand with the first of its failures.
  const isFirst = failures.includes(requirement.failures[0]!);
  const remarks = isFirst ? remarksOn(requirement, more) : more.map((text) => `And ${text}.`);
  return [
    line(3, markText(markOf(requirement), signs), '  ', styled('bold', `§${section} ${id}`), `  ${text}`),
    ...byCode
      .filter((own) => !isSame(own, failure))
      .map((own) => line(5, `${own.code}: ${shorten(sentenceOf(own), longestMessage)}`)),
    ...remarks.map((remark) => line(5, remark)),
  ];
}

function linesOf(cause: Cause, at: number, report: Report, signs: SignSet): readonly Line[] {
  const { failure, mark, requirements } = cause;
  const message = shorten(sentenceOf(failure), longestMessage);
  return [
    { ...line(0, styled(styleOf(mark), `${at + 1}. ${failure.code}`), `: ${message}`), hang: 3 },
    ...requirements.flatMap((broken) => brokenLines(broken, cause, signs)),
    ...evidenceLines(report, failure).map((text) => line(3, text)),
    command(3, showCurl(failure)),
    blank,
  ];
}

/** The causes of one mark under their heading, numbered across all headings. */
function headedLines(title: string, mark: Mark, report: Report, signs: SignSet): readonly Line[] {
  const causes = [...causesOf(report).entries()].filter(([, cause]) => cause.mark === mark);
  if (causes.length === 0) return [];
  return [line(0, styled('bold', title)), ...causes.flatMap(([at, cause]) => linesOf(cause, at, report, signs))];
}

export function causeLines(report: Report, signs: SignSet): readonly Line[] {
  return [
    ...headedLines('Failures', 'fail', report, signs),
    ...headedLines('Warnings', 'warn', report, signs),
    ...headedLines('Waived failures', 'waived', report, signs),
  ];
}

/** Errors of the kit, which its user cannot mend. */
export function errorLines({ requirements }: Report): readonly Line[] {
  const broken = requirements.filter(({ verdict }) => verdict === 'error');
  if (broken.length === 0) return [];
  return [
    line(0, styled('bold', 'Errors of the kit')),
    ...broken.map(({ id, section, reason = '' }) => line(3, `§${section} ${id}: ${shorten(reason, longestMessage)}`)),
    blank,
  ];
}

function linesOfInteraction(interaction: ReportedInteraction, report: Report, signs: SignSet): readonly Line[] {
  const { verdict, messages, exchanges } = interaction;
  const evidence =
    verdict === 'fail' ? exchangesOf(report, exchanges.slice(-1)).flatMap((one) => exchangeLines(one)) : [];
  return [
    line(3, markText(verdict, signs), '  ', titleOf(interaction)),
    ...[...messages.map((message) => shorten(message, longestMessage)), ...evidence].map((text) => line(5, text)),
  ];
}

function interactionBlock(
  heading: string,
  interactions: readonly ReportedInteraction[],
  report: Report,
  signs: SignSet,
): readonly Line[] {
  if (interactions.length === 0) return [];
  const lines = interactions.flatMap((interaction) => linesOfInteraction(interaction, report, signs));
  return [line(0, styled('bold', heading)), ...lines, blank];
}

export function interactionLines(report: Report, { detail, signs }: Presentation): readonly Line[] {
  const { interactions = [] } = report;
  if (detail === 'full') return interactionBlock('Interactions of pacts', interactions, report, signs);
  const { failed = [], open = [] } = Object.groupBy(
    interactions.filter(({ verdict }) => verdict !== 'pass'),
    ({ verdict }) => (verdict === 'not-verifiable' ? 'open' : 'failed'),
  );
  return [
    ...interactionBlock('Interactions of pacts that do not pass', failed, report, signs),
    ...interactionBlock('Interactions of pacts that could not be verified', open, report, signs),
  ];
}
