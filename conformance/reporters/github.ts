/** The report as GitHub Actions commands: one annotation for each cause, as many as GitHub shows. */

import { type BrokenRequirement, type Cause, causesOf, markOf } from '../verdict/causes.ts';
import { sentenceOf } from '../verdict/failure.ts';
import type { Report, ReportedInteraction, ReportedRequirement } from '../verdict/report.ts';
import { interactionsInWords, requirementsInWords } from './counts.ts';
import { escapeForTerminal, shorten } from './escape.ts';
import { headlineOf } from './headline.ts';
import { markWords, remarksOn, subjectOf, titleOf } from './words.ts';

export interface Annotation {
  readonly kind: 'error' | 'warning' | 'notice';
  readonly title: string;
  /** The file that the annotation is about. */
  readonly file?: string;
  readonly lines: readonly string[];
}

function oneLine(text: string): string {
  return escapeForTerminal(text).replaceAll('%', '%25');
}

/** GitHub ends a property at a colon or a comma. */
function property(text: string): string {
  return oneLine(text).replaceAll(':', '%3A').replaceAll(',', '%2C');
}

/** One command on one line; GitHub reads `%0A` as the end of a line. */
export function annotationCommand({ kind, title, file, lines }: Annotation): string {
  const place = file === undefined ? '' : `file=${property(file)},`;
  return `::${kind} ${place}title=${property(title)}::${lines.map(oneLine).join('%0A')}\n`;
}

/** GitHub shows annotations in a narrow column. */
const longestLine = 400;
const longestTitle = 200;
const messagesShown = 3;
/** GitHub shows no more of one kind for a step; the last one is for the run. */
const mostAnnotations = 10;

function requirementLine({ requirement, failures }: BrokenRequirement): string {
  const { section, id, text } = requirement;
  const cited = new Set(failures.flatMap(({ exchanges }) => exchanges));
  const numbers = [...cited].map((number) => `#${number}`);
  return shorten(`${markWords[markOf(requirement)]} §${section} ${id}: ${text} (${numbers.join(', ')})`, longestLine);
}

function annotateCause({ mark, failure, requirements }: Cause): Annotation {
  const [{ requirement }, ...others] = requirements;
  const more = others.length === 0 ? '' : ` and ${others.length} more`;
  return {
    kind: mark === 'fail' ? 'error' : 'warning',
    title: `§${requirement.section} ${requirement.id}${more}`,
    lines: [
      shorten(`${failure.code}: ${sentenceOf(failure)}`, longestLine),
      ...requirements.map(requirementLine),
      shorten(failure.curl, longestLine),
      ...remarksOn(requirement).map((remark) => shorten(remark, longestLine)),
    ],
  };
}

function annotateError({ id, section, text: requirement, reason = '' }: ReportedRequirement): Annotation {
  return {
    kind: 'error',
    title: `§${section} ${id}`,
    lines: [`${markWords.error}: ${requirement}`, shorten(reason, longestLine)],
  };
}

function annotateInteraction(interaction: ReportedInteraction): Annotation {
  const { verdict, messages } = interaction;
  return {
    kind: verdict === 'fail' ? 'error' : 'warning',
    title: shorten(titleOf(interaction), longestTitle),
    lines: [markWords[verdict], ...messages.slice(0, messagesShown).map((message) => shorten(message, longestLine))],
  };
}

function annotateRun(report: Report, hidden: number): Annotation {
  const { reason, exitCode } = report;
  return {
    kind: exitCode === 0 ? 'notice' : 'error',
    title: 'petstore-conformance',
    lines: [
      `${headlineOf(report)}: ${subjectOf(report)}`,
      ...(reason === undefined ? [] : [reason]),
      ...interactionsInWords(report),
      requirementsInWords(report),
      ...(hidden === 0 ? [] : [`${hidden} more annotations are in the other reports.`]),
    ],
  };
}

export function reportGithub(report: Report): string {
  const { interactions = [], requirements } = report;
  const annotations = [
    ...interactions.filter(({ verdict }) => verdict !== 'pass').map(annotateInteraction),
    ...causesOf(report).map(annotateCause),
    ...requirements.filter(({ verdict }) => verdict === 'error').map(annotateError),
  ];
  const isError = ({ kind }: Annotation): boolean => kind === 'error';
  const ranked = [...annotations.filter(isError), ...annotations.filter((one) => !isError(one))];
  const shown = ranked.slice(0, mostAnnotations - 1);
  return [...shown, annotateRun(report, ranked.length - shown.length)].map(annotationCommand).join('');
}
