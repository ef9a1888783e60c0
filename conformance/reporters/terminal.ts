/**
 * The report for a person at a terminal: the verdict and the tally, each failure with its evidence and a curl line,
 * warnings, a mark for every requirement, and the verdict once more.
 */

import type { Report } from '../verdict/report.ts';
import { interactionsInWords, requirementsInWords } from './counts.ts';
import { coverageOf, isUnjudged, toneOf, verdictOf } from './headline.ts';
import { styleOf } from './marks.ts';
import { filesInWords, inPlainText, type Presentation } from './presentation.ts';
import { blank, type Line, line, renderLines, styled } from './styled-lines.ts';
import { causeLines, errorLines, interactionLines } from './terminal-causes.ts';
import { gapLines, matrixLines, requirementLines } from './terminal-lists.ts';
import { effortInWords, inOneLine, leftoversInWords, outputInWords, subjectOf, untriedInWords } from './words.ts';

function verdictLine(report: Report): Line {
  const verdict = styled(styleOf(toneOf(report)), verdictOf(report).toUpperCase());
  return line(0, verdict, `${coverageOf(report)}: ${subjectOf(report)}`);
}

/** The verdict, the tally and the reason, which a reader needs first. */
function headLines(report: Report): readonly Line[] {
  const { reason } = report;
  const sentences = [
    requirementsInWords(report),
    ...interactionsInWords(report),
    ...(reason === undefined ? [] : [reason]),
  ];
  return [verdictLine(report), ...sentences.map((sentence) => line(0, sentence)), blank];
}

/** The last lines stay on the screen, so the verdict is the last of them. */
function footLines(report: Report, { detail, files }: Presentation): readonly Line[] {
  const sentences = [
    effortInWords(report),
    ...untriedInWords(report),
    ...leftoversInWords(report),
    ...outputInWords(report),
    ...filesInWords(files),
  ];
  const more = 'Every requirement, and the answers to all gaps: --verbose.';
  return [
    ...sentences.map((sentence) => line(0, sentence)),
    ...(detail === 'full' ? [] : [line(0, styled('dim', more))]),
    verdictLine(report),
  ];
}

/** Nothing was judged, so there is nothing to list: the reason says it all. */
function reasonLines(report: Report, { files }: Presentation): readonly Line[] {
  const sentences = [report.reason ?? '', ...outputInWords(report), ...filesInWords(files)];
  return [verdictLine(report), ...sentences.map((sentence) => line(0, sentence))];
}

function allLines(report: Report, presentation: Presentation): readonly Line[] {
  const { detail, signs } = presentation;
  if (isUnjudged(report) && detail !== 'full') return reasonLines(report, presentation);
  return [
    ...headLines(report),
    ...causeLines(report, signs),
    ...errorLines(report),
    ...interactionLines(report, presentation),
    ...(detail === 'full' ? [...requirementLines(report, signs), ...gapLines(report)] : matrixLines(report, signs)),
    ...footLines(report, presentation),
  ];
}

export function reportTerminal(report: Report, presentation: Presentation = inPlainText): string {
  const { detail, paint, width } = presentation;
  if (detail !== 'line') return renderLines(allLines(report, presentation), paint, width);
  return renderLines([line(0, inOneLine(report))], paint, Number.POSITIVE_INFINITY);
}
