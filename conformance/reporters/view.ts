/** What the reporters show of a report, derived once. Its texts may hold hostile characters: each format escapes them. */

import { type Gap, gaps as statedGaps } from '../../spec/gaps.ts';
import { sectionHeading } from '../../spec/sections.ts';
import { counted, reasonInWords } from '../verdict/reasons.ts';
import type { Report, ReportedInteraction, ReportedRequirement } from '../verdict/report.ts';
import { causesOf, shownVerdict } from '../verdict/shown-causes.ts';
import { shownEvidence, viewCause, waiverRemark } from './cause-view.ts';
import type { Mark } from './marks.ts';
import { nextStepOf, usualNext } from './next-run.ts';
import { headlineOf, notesOf, outputOf, tallyOf } from './summary.ts';

export function subjectOf({ target, client }: Pick<Report, 'target' | 'client'>): string {
  if (client !== undefined) return `client: ${client.command.join(' ')}`;
  return target.isEmbedded === true ? `the embedded reference server (${target.baseUrl})` : target.baseUrl;
}

/** A time to the minute, as people read it. */
export function timeInWords(time: string): string {
  return time.replace(/^(\d{4}-\d\d-\d\d)T(\d\d:\d\d):.*Z$/, '$1 $2 UTC');
}

/** A requirement with its mark, and a note: its reason or the number of its exchanges; none where the reason of the run says it. */
export type RequirementView = ReturnType<typeof viewRequirement>;

function viewRequirement(requirement: ReportedRequirement, { reason: ofRun }: Report) {
  const { evidence, reason, failures } = requirement;
  const exchanges = counted(evidence, 'exchange');
  // Failures are shown with their cause, and the reason of the run above all.
  const note = failures.length > 0 ? exchanges : [reason ?? exchanges, ...waiverRemark(requirement)].join('; ');
  return { requirement, mark: shownVerdict(requirement), note: note === reasonInWords(ofRun) ? undefined : note };
}

export function titleOfInteraction({ consumer, description, states }: ReportedInteraction): string {
  const given = states.length === 0 ? '' : ` (given ${states.join(' and ')})`;
  return `${consumer}: ${description}${given}`;
}

export type InteractionView = ReturnType<typeof viewInteraction>;

function viewInteraction(interaction: ReportedInteraction, report: Report) {
  const { verdict, exchanges, messages } = interaction;
  const mark: Mark = verdict;
  const evidence = shownEvidence(report, exchanges.slice(-1));
  return { messages, mark, title: titleOfInteraction(interaction), evidence };
}

/** The meanings of answers by id; an unknown answer is shown as it is. */
export function meaningsOf(id: string): Readonly<Record<string, string>> {
  const gap: Gap | undefined = statedGaps.find((candidate) => candidate.id === id);
  return { ...gap?.answers, ...gap?.others };
}

/** A gap with its answers in words; undefined where none was observed. */
function viewGap(gap: Report['gaps'][number]) {
  const meanings = meaningsOf(gap.id);
  const words = gap.observed.map((answer) => (Object.hasOwn(meanings, answer) ? meanings[answer] : answer));
  return { ...gap, answer: words.length === 0 ? undefined : words.join(' Or: ') };
}

export type View = ReturnType<typeof viewOf>;

export function viewOf(report: Report, next = usualNext) {
  const { verdict, counts, requirements, interactions = [], settings, gaps } = report;
  const sections = [...Map.groupBy(requirements, ({ section }) => section)];
  return {
    report,
    headline: headlineOf(report),
    /** A service at its address, or a client by its command. */
    subject: subjectOf(report),
    /** Why the run is inconclusive, or ended early. */
    reason: reasonInWords(report.reason),
    /** Nothing was judged and nothing broke: the reason says it all. */
    isUnjudged: verdict === 'inconclusive' && counts.judged === 0 && counts.error === 0,
    /** How many requirements have which verdict. */
    tally: tallyOf(report),
    /** Sentences about the run: what it sent, left out and left behind, and where its output is. */
    notes: notesOf(report),
    output: outputOf(report),
    /** The options of the user by name. */
    settings: Object.entries(settings).map(([name, value]) => [name, [value].flat().join(', ')] as const),
    causes: causesOf(report).map((cause, at) => viewCause(cause, at, report, next)),
    /** The command that judges again what failed; undefined where nothing would be sent. */
    next: nextStepOf(report, next),
    /** Whether the report was written as JSON, as that command needs it. */
    isKept: next.reportFile !== undefined,
    sections: sections.map(([section, own]) => {
      return { title: sectionHeading(section), requirements: own.map((one) => viewRequirement(one, report)) };
    }),
    interactions: interactions.map((interaction) => viewInteraction(interaction, report)),
    gaps: gaps.map(viewGap),
  };
}

/** The headline in one line, with the reason where there is no verdict: nothing else would say it. */
export function inOneLine({ headline, subject, reason, report: { verdict } }: View): string {
  // The reason of a run that fails is a waiver that has expired, or what ended it early.
  const why = verdict !== 'conforms' && reason !== undefined ? [reason] : [];
  return [headline.text, subject, ...why].join(': ');
}
