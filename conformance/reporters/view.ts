/** What the reporters show of a report, derived once. Its texts may hold hostile characters: each format escapes them. */

import { type Gap, gaps as statedGaps } from '../../spec/gaps.ts';
import { sectionHeading } from '../../spec/sections.ts';
import {
  type BrokenRequirement,
  type Cause,
  causesOf,
  markOf,
  type Mark as RequirementMark,
} from '../verdict/causes.ts';
import { againCommand, clientCommand } from '../verdict/commands.ts';
import { counted } from '../verdict/counts.ts';
import { sentenceOf } from '../verdict/failure.ts';
import { reasonInWords } from '../verdict/reasons.ts';
import type {
  Report,
  ReportedExchange,
  ReportedFailure,
  ReportedInteraction,
  ReportedRequirement,
} from '../verdict/report.ts';
import { type Headline, headlineOf } from './headline.ts';
import type { Mark } from './marks.ts';
import { effortOf, leftoversOf, outputOf, untriedValues } from './run-notes.ts';
import { tallyOf } from './tally.ts';

/** A requirement with its mark, and the reason of its verdict unless that ended the whole run or stands with a cause. */
export interface RequirementView {
  readonly requirement: ReportedRequirement;
  readonly mark: RequirementMark;
  readonly note: string | undefined;
}

/** A requirement that a cause breaks: its failures that differ from the one shown, and remarks in sentences. */
export interface BrokenView {
  readonly requirement: ReportedRequirement;
  readonly mark: RequirementMark;
  readonly further: readonly ReportedFailure[];
  readonly remarks: readonly string[];
}

/** What one defect breaks, with its evidence. */
export interface CauseView {
  /** From 1 on, over all marks. */
  readonly number: number;
  readonly mark: RequirementMark;
  readonly failure: ReportedFailure;
  /** All other inputs with the same effect, in one line; undefined where there are none. */
  readonly also: string | undefined;
  readonly broken: readonly [BrokenView, ...BrokenView[]];
  /** The last exchanges that show it, and the numbers of those before them. */
  readonly exchanges: readonly ReportedExchange[];
  readonly earlier: readonly number[];
  /** The command that judges its requirements again, by the JSON report of the run. */
  readonly again: string | undefined;
}

/** `exchange` shows why an interaction does not pass. */
export interface InteractionView {
  readonly interaction: ReportedInteraction;
  readonly mark: Mark;
  readonly title: string;
  readonly exchange: ReportedExchange | undefined;
}

export interface SectionView {
  readonly title: string;
  readonly requirements: readonly RequirementView[];
}

/** The answers to a gap in words, or why there is none. */
export interface GapView {
  readonly gap: Report['gaps'][number];
  readonly answer: string;
}

export const causeHeadings = [
  ['fail', 'Failures'],
  ['warn', 'Warnings'],
  ['waived', 'Waived failures'],
] as const;

export function subjectOf({ target, client }: Pick<Report, 'target' | 'client'>): string {
  if (client !== undefined) return `client: ${client.command.join(' ')}`;
  return target.isEmbedded === true ? `the embedded reference server (${target.baseUrl})` : target.baseUrl;
}

/** A time to the minute, as people read it. */
export function timeInWords(time: string): string {
  return time.replace(/^(\d{4}-\d\d-\d\d)T(\d\d:\d\d):.*Z$/, '$1 $2 UTC');
}

function exchangesOf({ exchanges }: Report, numbers: readonly number[]): readonly ReportedExchange[] {
  return exchanges.filter(({ number }) => numbers.includes(number));
}

const rechecks = {
  'fails-again': ['Reproduced on recheck.'],
  flaky: ['FLAKY: not reproduced on recheck, or it depends on the requests before it.'],
  'not-asked-again': [],
} as const;

const waiverWords = {
  waived: 'Waived',
  expired: 'Expired waiver',
  stale: 'Stale waiver',
  unused: 'Unused waiver',
} as const;

function waiverRemark({ waiver }: ReportedRequirement): readonly string[] {
  if (waiver === undefined) return [];
  return [`${waiverWords[waiver.state]} (${waiver.owner}, until ${waiver.expires}): ${waiver.reason}`];
}

/** Remarks on a broken requirement; those on the requirement as a whole stand with the first of its failures. */
function remarksOn({ requirement, failures }: BrokenRequirement, hidden: number): readonly string[] {
  const { reason, recheck = 'not-asked-again', shrinking } = requirement;
  const isFirst = failures.includes(requirement.failures[0]!);
  const others = [
    ...(hidden === 0 ? [] : [`${hidden} more like it in the JSON report`]),
    ...(isFirst && reason !== undefined ? [reason] : []),
  ];
  const rest = others.length === 0 ? [] : [`And ${others.join('; ')}.`];
  if (!isFirst) return rest;
  const sequence = failures[0]?.sequence ?? [];
  const numbers = sequence.map((number) => `#${number}`).join(', ');
  const note = shrinking === 'stopped' ? ' (the budget ended the search for a shorter one)' : '';
  return [
    ...rest,
    ...rechecks[recheck],
    ...(sequence.length > 1 ? [`Shortest sequence that reproduces it: ${numbers}${note}.`] : []),
    ...waiverRemark(requirement),
  ];
}

function viewBroken(broken: BrokenRequirement, shown: ReportedFailure): BrokenView {
  const { requirement, failures } = broken;
  const byCode = failures.filter(({ code }, at) => failures.findIndex((one) => one.code === code) === at);
  const further = byCode.filter((one) => one.code !== shown.code || sentenceOf(one) !== sentenceOf(shown));
  return {
    requirement,
    mark: markOf(requirement),
    further,
    remarks: remarksOn(broken, failures.length - byCode.length),
  };
}

/** The command that judges these requirements again, or all that failed; undefined where nothing would be sent. */
export function nextStepOf({ client, target, settings }: Report, reportFile: string, ids: readonly string[] = []) {
  if (client !== undefined) return clientCommand(client.command);
  if (settings.maxRequests === 0) return undefined;
  return againCommand(reportFile, target.isEmbedded ? undefined : target.baseUrl, ids);
}

/** So many exchanges of a cause are shown, and further inputs; only the JSON report holds more. */
const [exchangesShown, inputsShown] = [3, 8];

/** For example "also: 9223372036854775808, 18446744073709551615, …", the shortest first. */
function alsoOf({ failure, requirements }: Cause): string | undefined {
  const alike = requirements.flatMap(({ failures }) => failures.filter(({ code }) => code === failure.code));
  const inputs = new Set(alike.flatMap(({ input }) => input?.value ?? []));
  inputs.delete(failure.input?.value ?? '');
  const sorted = [...inputs].sort((one, other) => one.length - other.length);
  const shown = sorted.slice(0, inputsShown).join(', ');
  return inputs.size === 0 ? undefined : `also: ${shown}${inputs.size > inputsShown ? ', …' : ''}`;
}

function viewCause(cause: Cause, at: number, report: Report): CauseView {
  const { mark, failure, requirements } = cause;
  const cited = exchangesOf(report, [...failure.exchanges, ...(failure.sequence ?? [])]);
  const [first, ...rest] = requirements;
  const ids = requirements.map(({ requirement }) => requirement.id);
  return {
    number: at + 1,
    mark,
    failure,
    also: alsoOf(cause),
    broken: [viewBroken(first, failure), ...rest.map((one) => viewBroken(one, failure))],
    exchanges: cited.slice(-exchangesShown),
    earlier: cited.slice(0, -exchangesShown).map(({ number }) => number),
    again: nextStepOf(report, 'report.json', ids),
  };
}

function viewRequirement(requirement: ReportedRequirement, { reason: ended }: Report): RequirementView {
  const { evidence, reason, failures } = requirement;
  const exchanges = counted(evidence, 'exchange');
  // Failures are shown with their cause, and the reason that ended the run above all.
  const note = failures.length > 0 ? exchanges : [reason ?? exchanges, ...waiverRemark(requirement)].join('; ');
  return { requirement, mark: markOf(requirement), note: note === reasonInWords(ended) ? undefined : note };
}

export function titleOfInteraction({ consumer, description, states }: ReportedInteraction): string {
  const given = states.length === 0 ? '' : ` (given ${states.join(' and ')})`;
  return `${consumer}: ${description}${given}`;
}

function viewInteraction(interaction: ReportedInteraction, report: Report): InteractionView {
  const { verdict, exchanges } = interaction;
  const [exchange] = verdict === 'pass' ? [] : exchangesOf(report, exchanges.slice(-1));
  return { interaction, mark: verdict, title: titleOfInteraction(interaction), exchange };
}

/** The meanings of answers by id; an unknown answer is shown as it is. */
export function meaningsOf(id: string): Readonly<Record<string, string>> {
  const gap: Gap | undefined = statedGaps.find((candidate) => candidate.id === id);
  return { ...gap?.answers, ...gap?.others };
}

function viewGap(gap: Report['gaps'][number]): GapView {
  const { id, observed } = gap;
  const stated: Gap | undefined = statedGaps.find((candidate) => candidate.id === id);
  const meanings = meaningsOf(id);
  const words = observed.map((answer) => (Object.hasOwn(meanings, answer) ? meanings[answer] : answer)).join(' Or: ');
  return { gap, answer: words || (stated?.unobservable ?? 'Not observed in this run.') };
}

export interface View {
  readonly report: Report;
  readonly headline: Headline;
  /** A service at its address, or a client by its command. */
  readonly subject: string;
  /** Why the run is inconclusive, or ended early. */
  readonly reason: string | undefined;
  /** Nothing was judged and nothing broke: the reason says it all. */
  readonly isUnjudged: boolean;
  /** How many requirements and interactions have which verdict. */
  readonly tally: readonly string[];
  /** Sentences about the run: what it sent, left out and left behind. */
  readonly effort: string;
  readonly untried: readonly string[];
  readonly leftovers: readonly string[];
  readonly output: readonly string[];
  /** The options of the user by name. */
  readonly settings: readonly (readonly [name: string, value: string])[];
  /** The causes by their worst mark, under a heading each. */
  readonly causes: readonly CauseView[];
  readonly sections: readonly SectionView[];
  readonly interactions: readonly InteractionView[];
  readonly gaps: readonly GapView[];
}

export function viewOf(report: Report): View {
  const { verdict, counts, requirements, interactions = [], settings, client, gaps } = report;
  const isRun = client === undefined && settings.maxRequests > 0;
  return {
    report,
    headline: headlineOf(report),
    subject: subjectOf(report),
    reason: reasonInWords(report.reason),
    isUnjudged: verdict === 'inconclusive' && counts.judged === 0 && counts.error === 0,
    tally: tallyOf(report),
    effort: effortOf(report),
    untried: isRun ? untriedValues(settings) : [],
    leftovers: leftoversOf(report),
    output: outputOf(report),
    settings: Object.entries(settings).map(([name, value]) => [name, [value].flat().join(', ')]),
    causes: causesOf(report).map((cause, at) => viewCause(cause, at, report)),
    sections: [...Map.groupBy(requirements, ({ section }) => section)].map(([section, own]) => ({
      title: sectionHeading(section),
      requirements: own.map((one) => viewRequirement(one, report)),
    })),
    interactions: interactions.map((interaction) => viewInteraction(interaction, report)),
    gaps: gaps.map(viewGap),
  };
}

/** The headline in one line, with the reason where there is no verdict: nothing else would say it. */
export function inOneLine({ headline, subject, reason, report: { verdict } }: View): string {
  const why = verdict === 'inconclusive' && reason !== undefined ? [reason] : [];
  return [headline.text, subject, ...why].join(': ');
}
