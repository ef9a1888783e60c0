/** The report for a person at a terminal: verdicts by section, then each failure with its exchanges and a curl line. */

import { sectionHeading } from '../../spec/sections.ts';
import type { InteractionVerdict } from '../engine/outcome.ts';
import type { Report, ReportedInteraction, ReportedRequirement } from '../engine/report.ts';
import { interactionsInWords, statementsInWords } from './counts.ts';
import { shorten } from './escape.ts';
import { evidenceLines, exchangeLines, exchangesOf, showCurl } from './evidence.ts';
import { coverageOf, verdictWords } from './headline.ts';
import { type Line, type Paint, renderLines, type Style, styled, withoutColour } from './styled-lines.ts';
import {
  brokenStatements,
  effortInWords,
  leftoversInWords,
  type Mark,
  markOf,
  markWords,
  noteOn,
  remarksOn,
  titleOf,
} from './words.ts';

const marks: Readonly<Record<Mark | InteractionVerdict, readonly [style: Style, sign: string]>> = {
  pass: ['green', '✓'],
  fail: ['red', '✗'],
  warn: ['yellow', '!'],
  waived: ['yellow', '~'],
  inconclusive: ['yellow', '?'],
  skipped: ['dim', '-'],
  'not-applicable': ['dim', '-'],
  error: ['red', '✗'],
  pending: ['yellow', '~'],
  'not-verifiable': ['yellow', '?'],
};

function markText(mark: Mark | InteractionVerdict): Line[number] {
  const [style, sign] = marks[mark];
  const words = markWords[mark];
  return styled(style, `${sign} ${mark === 'fail' ? words.toUpperCase() : words}`);
}

function interactionLines(interaction: ReportedInteraction, report: Report): readonly Line[] {
  const { verdict, messages, exchanges } = interaction;
  const evidence = verdict === 'fail' ? exchangesOf(report, exchanges.slice(-1)).flatMap(exchangeLines) : [];
  return [
    ['  ', markText(verdict), '  ', titleOf(interaction)],
    ...[...messages.map((message) => shorten(message, 500)), ...evidence].map((text) => ['    ', text]),
  ];
}

function statementLine(requirement: ReportedRequirement): Line {
  const { id, statement } = requirement;
  const note = styled('dim', `(${noteOn(requirement)})`);
  return ['  ', markText(markOf(requirement)), '  ', styled('bold', id), '  ', statement, ' ', note];
}

/** Failures of a requirement that are shown whole; the others are in the JSON report. */
const failuresShown = 2;

function brokenLines(requirement: ReportedRequirement, report: Report): readonly Line[] {
  const { id, section, statement, failures } = requirement;
  const mark = markOf(requirement);
  const more = failures.length - failuresShown;
  return [
    [styled(marks[mark][0], `${markWords[mark].toUpperCase()} §${section} ${id}`)],
    ['  ', statement],
    ...failures
      .slice(0, failuresShown)
      .flatMap((failure): readonly Line[] => [
        ['  ', styled('bold', failure.code), ': ', failure.message],
        ...evidenceLines(report, failure).map((text) => ['    ', text]),
        ['    ', styled('dim', showCurl(failure))],
      ]),
    ...(more > 0 ? [[`  and ${more} more, in the JSON report`]] : []),
    ...remarksOn(requirement).map((remark) => ['  ', remark]),
    [],
  ];
}

function gapLines({ gaps }: Report): readonly Line[] {
  const observed = gaps.flatMap(({ id, section, observed }): readonly Line[] =>
    observed === null ? [] : [[`  §${section} ${id}: ${shorten(observed, 160)}`]],
  );
  const others = gaps.filter((gap) => gap.observed === null).map(({ id }) => id);
  if (gaps.length === 0) return [];
  return [
    [styled('bold', 'Where the interface is silent (observed, never judged)')],
    ...observed,
    ...(others.length === 0 ? [] : [[styled('dim', `  Not observed: ${others.join(', ')}`)]]),
    [],
  ];
}

const verdictStyles = { conforms: 'green', 'does-not-conform': 'red', inconclusive: 'yellow' } as const;

/** The last lines: what the run says of the target, and what it left behind. */
function summaryLines(report: Report): readonly Line[] {
  const { verdict, target, reason } = report;
  return [
    [styled(verdictStyles[verdict], verdictWords[verdict].toUpperCase()), coverageOf(report)],
    [target.baseUrl],
    ...(reason === undefined ? [] : [[reason]]),
    ...interactionsInWords(report).map((sentence) => [sentence]),
    [statementsInWords(report)],
    [effortInWords(report)],
    ...leftoversInWords(report).map((sentence) => [sentence]),
  ];
}

export function reportTerminal(report: Report, paint: Paint = withoutColour): string {
  const { interactions, requirements } = report;
  const sections = Map.groupBy(requirements, ({ section }) => section);
  const lines: readonly Line[] = [
    ...(interactions === undefined
      ? []
      : [
          [styled('bold', 'What consumers recorded')],
          ...interactions.flatMap((interaction) => interactionLines(interaction, report)),
          [],
        ]),
    ...[...sections].flatMap(([section, statements]) => [
      [styled('bold', sectionHeading(section))],
      ...statements.map(statementLine),
      [],
    ]),
    ...gapLines(report),
    ...brokenStatements(report).flatMap((requirement) => brokenLines(requirement, report)),
    ...summaryLines(report),
  ];
  return renderLines(lines, paint);
}
