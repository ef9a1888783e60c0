/** What the reporters show of a cause: what happened, where, what it breaks, what to change, and the evidence. */

import { recheckId, sentenceOf } from '../verdict/finding.ts';
import { remedyOf } from '../verdict/remedies/index.ts';
import { kit, type Report, type ReportedFailure, type ReportedRequirement } from '../verdict/report.ts';
import { type BrokenRequirement, type Cause, shownVerdict } from '../verdict/shown-causes.ts';
import { newWays } from '../verdict/ways.ts';
import { whereInWords } from '../verdict/where.ts';
import type { ShownEvidence } from './blocks.ts';
import { type NextRun, nextStepOf } from './next-run.ts';
import { storyOf } from './story.ts';

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
  const isSameRequest = (failure: ReportedFailure): boolean => failure.exchanges.at(-1) === shown.exchanges.at(-1);
  const tell = (failure: ReportedFailure): string =>
    isSameRequest(failure) ? sentenceOf(failure) : storyOf(failure, report.exchanges, requirement.section);
  return {
    requirement,
    mark: shownVerdict(requirement),
    /** How it fails, where that is not the failure of the cause. */
    stories: own.map((failure) => `${failure.code}: ${tell(failure)}`),
    /** The command that shows it, where the one of the cause does not. */
    command: isSameRequest(first) ? undefined : first.curl,
    remarks: remarksOnBroken(broken, report),
  };
}

/** So many exchanges of a cause are shown; only the JSON report holds more. */
const exchangesShown = 3;

/** The last exchanges with these numbers, and the numbers of the earlier ones; `pointer` leads into the very last. */
export function shownEvidence({ exchanges }: Report, numbers: readonly number[], pointer?: string) {
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

export function viewCause(cause: Cause, at: number, report: Report, next: NextRun) {
  const { mark, failure, requirements, where } = cause;
  const { exchanges, sequence = [], pointer, curl } = failure;
  const [first, ...rest] = requirements;
  const broken = [viewBroken(first, failure, report), ...rest.map((one) => viewBroken(one, failure, report))] as const;
  const remedy = remedyOf(first.requirement.id, failure);
  const ids = requirements.map(({ requirement }) => requirement.id);
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
    remedy: remedy && `${remedy.advice} The code for your stack: ${kit.name} explain ${first.requirement.id} STACK`,
    broken,
    evidence,
  };
}
