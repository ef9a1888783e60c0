/** The report as GitHub Actions commands: one annotation for each cause, as many as GitHub shows. */

import type { BrokenView, CauseView } from './cause-view.ts';
import { escapeForTerminal, shorten } from './escape.ts';
import { marks } from './marks.ts';
import type { InteractionView, RequirementView, View } from './view.ts';

/** GitHub shows annotations in a narrow column. */
const longestAnnotationLine = 400;
const longestTitle = 200;
/** GitHub cuts a longer message. */
const longestAnnotation = 4_096;
const messagesShown = 3;
/** GitHub shows no more of one kind for a step; the last one is for the run. */
const mostAnnotations = 10;

interface Annotation {
  readonly kind: 'error' | 'warning' | 'notice';
  readonly title: string;
  readonly lines: readonly string[];
  /** The command that shows it again. */
  readonly command?: string;
}

function oneLine(text: string): string {
  return escapeForTerminal(text).replaceAll('%', '%25');
}

/** GitHub ends a property at a colon or a comma. */
function property(text: string): string {
  return oneLine(text).replaceAll(':', '%3A').replaceAll(',', '%2C');
}

/** One command on one line; GitHub reads `%0A` as the end of a line. */
function annotationCommand({ kind, title, lines, command }: Annotation): string {
  const shown = lines.map((line) => shorten(line, longestAnnotationLine));
  const room = longestAnnotation - shown.join('\n').length - 1;
  const all = command === undefined ? shown : [...shown, commandWithin(command, room)];
  return `::${kind} title=${property(title)}::${all.map(oneLine).join('%0A')}\n`;
}

/** A command as it is, or where to find it: one that is cut would send another request. */
function commandWithin(command: string, room: number): string {
  if (command.length <= room) return command;
  return `The command that shows it again has ${command.length} characters: the other reports have it.`;
}

function requirementLines({ requirement, mark, stories }: BrokenView): readonly string[] {
  const { section, id, text } = requirement;
  return [`${marks[mark].word} §${section} ${id}: ${text}`, ...stories];
}

function annotateCause({ mark, failure, story, where, remedy, broken }: CauseView): Annotation {
  const [{ requirement, remarks }, ...others] = broken;
  const title = `§${requirement.section} ${requirement.id}${others.length === 0 ? '' : ` and ${others.length} more`}`;
  const cause = [`${failure.code}: ${story}`, ...(where === undefined ? [] : [where])];
  const lines = [...cause, ...broken.flatMap(requirementLines), ...(remedy === undefined ? [] : [remedy]), ...remarks];
  return { kind: mark === 'fail' ? 'error' : 'warning', title, lines, command: failure.curl };
}

function annotateError({ requirement: { id, section, text, reason = '' } }: RequirementView): Annotation {
  return { kind: 'error', title: `§${section} ${id}`, lines: [`${marks.error.word}: ${text}`, reason] };
}

function annotateInteraction({ messages, mark, title }: InteractionView): Annotation {
  const lines = [marks[mark].word, ...messages.slice(0, messagesShown)];
  return { kind: mark === 'fail' ? 'error' : 'warning', title: shorten(title, longestTitle), lines };
}

function annotateRun({ report, headline, subject, reason, tally }: View, hidden: number): Annotation {
  const more = hidden === 0 ? [] : [`${hidden} more annotations are in the other reports.`];
  const why = reason === undefined ? [] : [reason];
  const lines = [`${headline.text}: ${subject}`, ...why, ...tally, ...more];
  return { kind: report.exitCode === 0 ? 'notice' : 'error', title: 'petstore-conformance', lines };
}

export function reportGithub(view: View): string {
  const errors = view.sections.flatMap(({ requirements }) => requirements.filter(({ mark }) => mark === 'error'));
  const annotations = [
    ...view.interactions.filter(({ mark }) => mark !== 'pass').map(annotateInteraction),
    ...view.causes.map(annotateCause),
    ...errors.map(annotateError),
  ];
  const ranked = annotations.sort((one, other) => Number(other.kind === 'error') - Number(one.kind === 'error'));
  const shown = ranked.slice(0, mostAnnotations - 1);
  return [...shown, annotateRun(view, ranked.length - shown.length)].map(annotationCommand).join('');
}
