/**
 * The report for a person at a terminal: what it says of the target, what breaks it and how to see that again, a mark
 * for every requirement, and the verdict once more.
 */

import type { Report } from '../verdict/report.ts';
import { interactionsInWords, requirementsInWords } from './counts.ts';
import { coverageOf, headlineOf, verdictWords } from './headline.ts';
import { inPlainText, type Presentation } from './presentation.ts';
import { blank, type Line, line, renderLines, type Style, styled } from './styled-lines.ts';
import { causeLines, errorLines, interactionLines } from './terminal-causes.ts';
import { gapLines, matrixLines, requirementLines } from './terminal-lists.ts';
import { effortInWords, leftoversInWords, subjectOf } from './words.ts';

const verdictStyles: Readonly<Record<Report['verdict'], Style>> = {
  conforms: 'green',
  'does-not-conform': 'red',
  inconclusive: 'yellow',
};

function verdictLine(report: Report): Line {
  const { verdict } = report;
  return line(0, styled(verdictStyles[verdict], verdictWords[verdict].toUpperCase()), coverageOf(report));
}

/** What one has to know first, all of it where nothing else is asked for. */
function headLines(report: Report): readonly Line[] {
  const { reason } = report;
  return [verdictLine(report), line(0, subjectOf(report)), ...(reason === undefined ? [] : [line(0, reason)]), blank];
}

/** What stands last stays on the screen: the verdict again, in numbers, and what the run left behind. */
function footLines(report: Report, { detail }: Presentation): readonly Line[] {
  const sentences = [
    ...interactionsInWords(report),
    requirementsInWords(report),
    effortInWords(report),
    ...leftoversInWords(report),
  ];
  const more = 'Every requirement, and what was observed where the interface is silent: --verbose.';
  return [
    verdictLine(report),
    ...sentences.map((sentence) => line(0, sentence)),
    ...(detail === 'full' ? [] : [line(0, styled('dim', more))]),
  ];
}

function oneLine(report: Report): readonly Line[] {
  return [line(0, `${headlineOf(report)}: ${subjectOf(report)}`)];
}

export function reportTerminal(report: Report, presentation: Presentation = inPlainText): string {
  const { detail, paint, width, signs } = presentation;
  if (detail === 'line') return renderLines(oneLine(report), paint, Number.POSITIVE_INFINITY);
  const lists =
    detail === 'full' ? [...requirementLines(report, signs), ...gapLines(report)] : matrixLines(report, signs);
  const lines = [
    ...headLines(report),
    ...causeLines(report, signs),
    ...errorLines(report),
    ...interactionLines(report, presentation),
    ...lists,
    ...footLines(report, presentation),
  ];
  return renderLines(lines, paint, width);
}
