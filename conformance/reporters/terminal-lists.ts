/** All requirements for a terminal: as a matrix of marks, or as a list with the reason of each. */

import { sectionHeading } from '../../spec/sections.ts';
import { markOf } from '../verdict/causes.ts';
import type { Report, ReportedRequirement } from '../verdict/report.ts';
import { shorten } from './escape.ts';
import { type AnyMark, markText, type SignSet, signOf } from './marks.ts';
import { blank, type Line, line, type Piece, renderLines, styled, withoutColour } from './styled-lines.ts';
import { markWords, noteOn } from './words.ts';

interface Row {
  readonly title: string;
  readonly marks: readonly AnyMark[];
}

function rowsOf({ interactions = [], requirements }: Report): readonly Row[] {
  const sections = Map.groupBy(requirements, ({ section }) => section);
  return [
    ...(interactions.length === 0
      ? []
      : [{ title: 'Interactions of pacts', marks: interactions.map(({ verdict }) => verdict) }]),
    ...[...sections].map(([section, requirements]) => ({
      title: sectionHeading(section),
      marks: requirements.map(markOf),
    })),
  ];
}

/** The meaning of the marks that are shown; one sign may stand for two verdicts. */
function legend(rows: readonly Row[], signs: SignSet): Line {
  const shown = new Set(rows.flatMap(({ marks }) => marks));
  const words = Map.groupBy(shown, (mark) => signOf(mark, signs).text);
  const pieces = [...words].flatMap(([, marks]): readonly Piece[] => {
    // Spaces that do not break keep a sign and its words on one line.
    const meaning = ` ${marks.map((mark) => markWords[mark]).join(', ')}`.replaceAll(' ', '\u00a0');
    return ['  ', signOf(marks[0]!, signs), meaning];
  });
  return line(0, ...pieces.slice(1));
}

export function matrixLines(report: Report, signs: SignSet): readonly Line[] {
  const rows = rowsOf(report);
  if (rows.length === 0) return [];
  const width = Math.max(...rows.map(({ title }) => title.length));
  return [
    ...rows.map(({ title, marks }) => line(0, title.padEnd(width + 2), ...marks.map((mark) => signOf(mark, signs)))),
    legend(rows, signs),
    blank,
  ];
}

export function matrixText(report: Report): readonly string[] {
  const lines = matrixLines(report, 'unicode').slice(0, -1);
  const text = renderLines(lines, withoutColour, Number.POSITIVE_INFINITY);
  return lines.length === 0 ? [] : text.trimEnd().replaceAll('\u00a0', ' ').split('\n');
}

function requirementLine(requirement: ReportedRequirement, { reason }: Report, signs: SignSet): Line {
  const { id, text } = requirement;
  const note = noteOn(requirement);
  // The reason that ended the run stands above, and is not repeated for each requirement.
  const remark: readonly Piece[] = note === reason ? [] : [' ', styled('dim', `(${note})`)];
  return line(2, markText(markOf(requirement), signs), '  ', styled('bold', id), '  ', text, ...remark);
}

export function requirementLines(report: Report, signs: SignSet): readonly Line[] {
  const sections = Map.groupBy(report.requirements, ({ section }) => section);
  return [...sections].flatMap(([section, requirements]) => [
    line(0, styled('bold', sectionHeading(section))),
    ...requirements.map((requirement) => requirementLine(requirement, report, signs)),
    blank,
  ]);
}

const longestAnswer = 160;

export function gapLines({ gaps }: Report): readonly Line[] {
  const observed = gaps.flatMap(({ id, section, observed: answers }): readonly Line[] =>
    answers.length === 0 ? [] : [line(2, `§${section} ${id}: ${shorten(answers.join(', '), longestAnswer)}`)],
  );
  const unobserved = gaps.filter((gap) => gap.observed.length === 0).map(({ id }) => id);
  if (gaps.length === 0) return [];
  return [
    line(0, styled('bold', 'Gaps of the interface (observed, never judged)')),
    ...observed,
    ...(unobserved.length === 0 ? [] : [line(2, styled('dim', `Not observed: ${unobserved.join(', ')}`))]),
    blank,
  ];
}
