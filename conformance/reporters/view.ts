/** What the reporters show of a report, derived once. Its texts may hold hostile characters: each format escapes them. */

import { type Gap, gaps as statedGaps } from '../../spec/gaps.ts';
import { sectionHeading } from '../../spec/sections.ts';
import { quoteForShell, quoteWord } from '../http/curl.ts';
import { recheckId, sentenceOf } from '../verdict/finding.ts';
import { counted, reasonInWords } from '../verdict/reasons.ts';
import { remedyOf } from '../verdict/remedies/index.ts';
import type { Report, ReportedFailure, ReportedInteraction, ReportedRequirement } from '../verdict/report.ts';
import { type BrokenRequirement, type Cause, causesOf, shownVerdict } from '../verdict/shown-causes.ts';
import { newWays } from '../verdict/ways.ts';
import { whereInWords } from '../verdict/where.ts';
import type { ShownEvidence } from './blocks.ts';
import type { Mark } from './marks.ts';
import { storyOf } from './story.ts';
import { headlineOf, notesOf, outputOf, tallyOf } from './summary.ts';

export function subjectOf({ target, client }: Pick<Report, 'target' | 'client'>): string {
  if (client !== undefined) return `client: ${client.command.join(' ')}`;
  return target.isEmbedded === true ? `the embedded reference server (${target.baseUrl})` : target.baseUrl;
}

/** A time to the minute, as people read it. */
export function timeInWords(time: string): string {
  return time.replace(/^(\d{4}-\d\d-\d\d)T(\d\d:\d\d):.*Z$/, '$1 $2 UTC');
}

const rechecks = {
  'fails-again': ['Reproduced on recheck.'],
  flaky: ['FLAKY: not reproduced on recheck, or it depends on the requests before it.'],
  'not-asked-again': [],
} as const;

const waiverWords = {
  waived: 'Waived',
  exceeded: 'Fails in a way that the waiver does not cover',
  expired: 'Expired waiver',
  stale: 'Stale waiver',
  unused: 'Unused waiver',
} as const;

/** What is said of the waiver of a requirement, if there is one. */
export function waiverRemark({ waiver, ways }: ReportedRequirement): readonly string[] {
  if (waiver === undefined) return [];
  const uncovered = waiver.state === 'exceeded' ? [`New: ${newWays(ways, waiver.covers).join('; ')}.`] : [];
  return [...uncovered, `${waiverWords[waiver.state]} (${waiver.owner}, until ${waiver.expires}): ${waiver.reason}`];
}

function listNumbers(numbers: readonly number[]): string {
  return numbers.map((number) => `#${number}`).join(', ');
}

/** Which requests of a sequence are not the ones that failed first. */
function remarksOnSmaller({ exchanges }: Report, sequence: readonly number[]): readonly string[] {
  const sent = exchanges.filter(({ number, check }) => check === recheckId && sequence.includes(number));
  if (sent.length === 0) return [];
  const numbers = listNumbers(sent.map(({ number }) => number));
  return [`Sent on recheck, where smaller requests take the place of the first ones: ${numbers}.`];
}

/** Remarks on a broken requirement; those on the requirement as a whole are shown with its first failure. */
function remarksOnBroken({ requirement, failures }: BrokenRequirement, report: Report): readonly string[] {
  const { reason, recheck = 'not-asked-again' } = requirement;
  if (!failures.includes(requirement.failures[0]!)) return [];
  const sequence = failures[0].sequence ?? [];
  return [
    ...(reason === undefined ? [] : [`${reason}.`]),
    ...rechecks[recheck],
    ...(sequence.length > 1 ? [`Shortest sequence that reproduces it: ${listNumbers(sequence)}.`] : []),
    ...remarksOnSmaller(report, sequence),
    ...waiverRemark(requirement),
  ];
}

/** A requirement that a cause breaks: how it shows there, unless the cause says it, and remarks in sentences. */
export type BrokenView = ReturnType<typeof viewBroken>;

function viewBroken(broken: BrokenRequirement, shown: ReportedFailure, report: Report) {
  const { requirement, failures } = broken;
  const [first] = failures;
  // One failure of each kind; the one of the cause is told already.
  const kinds = failures.filter(({ code }, at) => failures.findIndex((one) => one.code === code) === at);
  const own = kinds.filter((one) => one.code !== shown.code || sentenceOf(one) !== sentenceOf(shown));
  const isSameRequest = first.exchanges.at(-1) === shown.exchanges.at(-1);
  const tell = (failure: ReportedFailure): string => {
    const isTold = failure.exchanges.at(-1) === shown.exchanges.at(-1);
    return isTold ? sentenceOf(failure) : storyOf(failure, report.exchanges, requirement.section);
  };
  return {
    requirement,
    mark: shownVerdict(requirement),
    /** How it fails, where that is not the failure of the cause. */
    stories: own.map((failure) => `${failure.code}: ${tell(failure)}`),
    /** The command that shows it, where the one of the cause does not. */
    command: isSameRequest ? undefined : first.curl,
    remarks: remarksOnBroken(broken, report),
  };
}

const program = 'petstore-conformance';

/** What the next command repeats of the one that made a report. A report says none of it: a stranger may have written it. */
export interface NextRun {
  /** The file with the report as JSON. */
  readonly reportFile: string;
  /** Options as words of a command line, such as --start and its command. */
  readonly options: readonly string[];
}

/** Without a file of its own, a user has to write one first. */
export const usualNext: NextRun = { reportFile: 'report.json', options: [] };

/** The command that judges again what failed in a report, or these requirements of it; without an address, embedded. */
export function againCommand(
  { reportFile, options }: NextRun,
  baseUrl: string | undefined,
  ids: readonly string[],
): string {
  const only = ids.flatMap((id) => ['--only', id]);
  const address = baseUrl === undefined ? '--embedded' : quoteWord(baseUrl);
  return [program, 'run', address, ...options.map(quoteWord), '--last-failed', quoteWord(reportFile), ...only].join(
    ' ',
  );
}

/** The command that runs a client under all legal services again. */
export function clientCommand(words: readonly string[]): string {
  return `${program} client -- ${words.map(quoteForShell).join(' ')}`;
}

/** The command that judges these requirements again, or all that failed; undefined where nothing would be sent. */
export function nextStepOf({ client, target, settings }: Report, next: NextRun, ids: readonly string[] = []) {
  if (client !== undefined) return clientCommand(client.command);
  if (settings.maxRequests === 0) return undefined;
  return againCommand(next, target.isEmbedded ? undefined : target.baseUrl, ids);
}

/** So many exchanges of a cause are shown; only the JSON report holds more. */
const exchangesShown = 3;

/** The last exchanges with these numbers, and the numbers of the earlier ones; `pointer` leads into the very last. */
function shownEvidence({ exchanges }: Report, numbers: readonly number[], pointer?: string) {
  const cited = exchanges.filter(({ number }) => numbers.includes(number));
  return {
    exchanges: cited.slice(-exchangesShown).map((exchange) => {
      return { exchange, pointer: exchange.number === numbers.at(-1) ? pointer : undefined };
    }),
    earlier: cited.slice(0, -exchangesShown).map(({ number }) => number),
  };
}

/** What one defect breaks, with its evidence. */
export type CauseView = ReturnType<typeof viewCause>;

function viewCause(cause: Cause, at: number, report: Report, next: NextRun) {
  const { mark, failure, requirements, where } = cause;
  const { exchanges, sequence = [], pointer, curl } = failure;
  const [first, ...rest] = requirements;
  const broken = [viewBroken(first, failure, report), ...rest.map((one) => viewBroken(one, failure, report))] as const;
  const remedy = remedyOf(first.requirement.id, failure);
  const ids = [...new Set(requirements.map(({ requirement }) => requirement.id))];
  const evidence: ShownEvidence = {
    ...shownEvidence(report, [...sequence, ...exchanges], pointer),
    command: curl,
    again: nextStepOf(report, next, ids),
  };
  return {
    /** Counts from 1, through failures of every mark. */
    number: at + 1,
    mark,
    failure,
    /** What was sent, what came back, and what was expected. */
    story: storyOf(failure, report.exchanges, first.requirement.section),
    /** Where it shows and where not; undefined where nothing says when the requirement holds. */
    where: where && `It shows ${whereInWords(where)}.`.replace(/…\.$/, '…'),
    /** What to change, for a mistake that many services make. */
    remedy: remedy && `${remedy.advice} For your stack: ${program} explain ${first.requirement.id}`,
    broken,
    evidence,
  };
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
