/** Compares several reports with the first of them, and shows what changed as blocks: the worst first, and a summary. */

import type { AnswerId, GapId, OpenGapId } from '../../spec/gaps.ts';
import { sentenceOf } from '../verdict/finding.ts';
import { counted, reasonInWords } from '../verdict/reasons.ts';
import type { Report } from '../verdict/report.ts';
import { shownVerdict } from '../verdict/shown-causes.ts';
import { newWays } from '../verdict/ways.ts';
import { type Block, type ListItem, lines, listBlock, mark, strong, type Text } from './blocks.ts';
import { shorten } from './escape.ts';
import { showMarkdown } from './markdown.ts';
import type { Mark } from './marks.ts';
import type { ReporterName } from './names.ts';
import { headlineOf } from './summary.ts';
import { inPlainText, type Screen, showBlocks } from './terminal.ts';
import { meaningsOf, subjectOf, timeInWords, titleOfInteraction } from './view.ts';

/** How a requirement changed against the first report, the worst first, with the heading of such changes. */
const changeTitles = {
  regression: 'Regressions',
  failing: 'Newly judged, and failing',
  warning: 'New warnings (advised)',
  waived: 'New failures that are waived',
  lost: 'Passed before, and not judged any more',
  fix: 'Fixed',
  none: 'Unchanged failures',
} as const;

export type ReportChange = keyof typeof changeTitles;
const byBadness = Object.keys(changeTitles) as ReportChange[];

function isBroken(verdict: Mark | undefined): boolean {
  return verdict === 'fail' || verdict === 'warn' || verdict === 'waived';
}

/** What becomes of a requirement that passed, where it is not `lost`. */
const sincePass: { readonly [After in Mark]?: ReportChange } = {
  fail: 'regression',
  warn: 'warning',
  waived: 'waived',
  'not-applicable': 'none',
};

/** How a verdict changed. What only one of the reports judged is no change. */
function changeOf(before: Compared | undefined, after: Compared | undefined): ReportChange {
  if (before === undefined || after === undefined) return 'none';
  // A failure that shows in a new way is a new failure, unless the first report looked less closely.
  if (before.mark === 'fail' && after.mark === 'fail' && newWaysIn(before, after).length > 0) return 'regression';
  return changeOfMark(before.mark, after.mark);
}

/** The ways of failing that are new, as far as both reports know them and the first one looked as closely. */
function newWaysIn(before: Compared, after: Compared): readonly string[] {
  const isComparable = before.ways !== undefined && before.maxRequests >= after.maxRequests;
  return isComparable ? newWays(after.ways, before.ways) : [];
}

function changeOfMark(before: Mark, after: Mark): ReportChange {
  if (after === before) return 'none';
  if (before === 'pass') return sincePass[after] ?? 'lost';
  if (isBroken(before)) return after === 'pass' ? 'fix' : 'none';
  return after === 'fail' ? 'failing' : 'none';
}

/** A requirement or an interaction as one report has it. */
interface Compared {
  readonly name: string;
  readonly mark: Mark;
  readonly message: string;
  readonly ways?: readonly string[] | undefined;
  /** The budget of the run: a larger one sees more. */
  readonly maxRequests: number;
}

function comparedIn({ requirements, interactions = [], settings: { maxRequests } }: Report): readonly Compared[] {
  return [
    ...requirements.map((one): Compared => {
      const [failure] = one.failures;
      const message = failure === undefined ? '' : sentenceOf(failure);
      return { name: `§${one.section} ${one.id}`, mark: shownVerdict(one), message, ways: one.ways, maxRequests };
    }),
    ...interactions.map((one): Compared => {
      return { name: titleOfInteraction(one), mark: one.verdict, message: '', maxRequests };
    }),
  ];
}

/** What is broken or changed somewhere, requirements first. */
function compareVerdicts(reports: readonly Report[]) {
  const byReport = reports.map((report) => new Map(comparedIn(report).map((one) => [one.name, one])));
  const names = [...new Set(byReport.flatMap((one) => [...one.keys()]))];
  return names.flatMap((name) => {
    const found = byReport.map((one) => one.get(name));
    /** By report; undefined where a report has none. */
    const verdicts = found.map((one) => one?.mark);
    const [first] = found;
    const changes = found.map((one) => changeOf(first, one));
    const ways = found.flatMap((one) => (first === undefined || one === undefined ? [] : newWaysIn(first, one)));
    /** The worst change in any of the later reports. */
    const change = byBadness.find((one) => changes.includes(one)) ?? 'none';
    /** Of the last report in which it is broken. */
    const sentence = found.findLast((one) => (one?.message ?? '') !== '')?.message ?? '';
    const isNewWay = change === 'regression' && isBroken(first?.mark);
    const message = isNewWay ? `New: ${[...new Set(ways)].join('; ')}` : sentence;
    return change !== 'none' || verdicts.some(isBroken) ? [{ name, verdicts, change, message }] : [];
  });
}

/** Answers that one unchanged service may give at different times, depending on other traffic. */
const interchangeable: { readonly [Id in GapId]?: readonly string[] } = {
  // Animals that others create meanwhile leave gaps between ids.
  'id-form': ['sequential', 'sequential-from-elsewhere', 'rising'],
  // A limit of the day shows only where it is the tighter one.
  'rate-limit-window': ['at-most-a-minute', 'minute', 'tightest'],
} satisfies { readonly [Id in OpenGapId]?: readonly AnswerId<Id>[] };

/** Whether two services choose differently. Further answers of one of them are no difference. */
function isChanged(id: GapId, one: readonly string[], other: readonly string[]): boolean {
  const alike = interchangeable[id] ?? [];
  const isIn = (answers: readonly string[], answer: string): boolean =>
    answers.includes(answer) || (alike.includes(answer) && answers.some((each) => alike.includes(each)));
  return !one.every((answer) => isIn(other, answer)) && !other.every((answer) => isIn(one, answer));
}

/** The gaps that reports answer differently: ids of answers by report, empty where none was observed. */
function compareProfiles(reports: readonly Report[]) {
  const [first] = reports;
  return (first?.gaps ?? []).flatMap(({ id, section }) => {
    const answers = reports.map(({ gaps }) => gaps.find((gap) => gap.id === id)?.observed ?? []);
    // What was not observed differs from nothing.
    const isDifferent = answers.some((one, at) => answers.slice(at + 1).some((other) => isChanged(id, one, other)));
    return isDifferent ? [{ id, section, answers }] : [];
  });
}

const firstLetter = 'A'.codePointAt(0)!;

export type Comparison = ReturnType<typeof compareReports>;

export function compareReports(reports: readonly Report[]) {
  return {
    reports: reports.map((report, at) => ({
      /** A, B, C… */
      label: String.fromCodePoint(firstLetter + at),
      subject: subjectOf(report),
      startedAt: report.startedAt,
      headline: headlineOf(report).text,
      exitCode: report.exitCode,
      /** Why it could not be judged, or ended early. */
      reason: reasonInWords(report.reason),
    })),
    verdicts: compareVerdicts(reports),
    profile: compareProfiles(reports),
  };
}

/** The number of requirements and interactions with a change. */
export function countChanges({ verdicts }: Comparison, wanted: ReportChange): number {
  return verdicts.filter(({ change }) => change === wanted).length;
}

const noValue = '·';
const longestInComparison = 200;

/** A requirement with its verdict in each report. */
function verdictItem({ name, verdicts, message }: Comparison['verdicts'][number], labels: readonly string[]): ListItem {
  const each = verdicts.flatMap((one, at): Text => [`  ${labels[at]} `, one === undefined ? noValue : mark(one)]);
  return {
    text: [strong(shorten(name, longestInComparison)), ...each],
    notes: message === '' ? [] : [shorten(message, longestInComparison)],
  };
}

/** A gap with its answers in each report. */
function gapItem({ id, section, answers }: Comparison['profile'][number], labels: readonly string[]): ListItem {
  const meanings = meaningsOf(id);
  const wordsOf = (answer: string): string =>
    meanings[answer] === undefined ? answer : `${answer}: ${meanings[answer]}`;
  const notes = answers.map((own, at) => `${labels[at]} ${own.map(wordsOf).join(' ') || noValue}`);
  return { text: [strong(`§${section} ${id}`)], notes };
}

function titleOfComparison(comparison: Comparison): Block {
  const regressions = countChanges(comparison, 'regression');
  const parts = [
    counted(regressions, 'regression'),
    counted(countChanges(comparison, 'fix'), 'fix', 'fixes'),
    counted(comparison.profile.length, 'change of profile', 'changes of profile'),
  ].map((part) => part.replace(/^0/, 'no'));
  const isSound = comparison.reports.every(({ exitCode }) => exitCode === 0);
  const text = `${parts.join(', ')}${isSound ? '; all conform' : ''}.`;
  const rest = text.charAt(0).toUpperCase() + text.slice(1);
  return { kind: 'title', tone: regressions === 0 ? 'pass' : 'fail', verdict: '', rest };
}

/** One line for each report: address, time and headline. */
function reportLines({ reports }: Comparison): Block {
  return lines(
    ...reports.map(({ label, subject, startedAt, headline, reason }) => {
      const why = reason === undefined ? '' : ` (${shorten(reason, longestInComparison)})`;
      return `${label}  ${subject}, ${timeInWords(startedAt)}: ${headline}${why}`;
    }),
  );
}

function changeBlocks({ reports, verdicts, profile }: Comparison): readonly Block[] {
  const labels = reports.map(({ label }) => label);
  const changed = byBadness.flatMap((change) => {
    const own = verdicts.filter((one) => one.change === change);
    return listBlock(
      changeTitles[change],
      own.map((one) => verdictItem(one, labels)),
    );
  });
  const gaps = profile.map((one) => gapItem(one, labels));
  return [...changed, ...listBlock('Profile: different answers to gaps of the interface (never judged)', gaps)];
}

/** Reporter name → the function that turns a comparison into text. */
export const comparisonReporters = {
  terminal: (comparison: Comparison, screen: Screen = inPlainText) =>
    showBlocks([reportLines(comparison), ...changeBlocks(comparison), titleOfComparison(comparison)], screen),
  markdown: (comparison: Comparison) =>
    showMarkdown([titleOfComparison(comparison), reportLines(comparison), ...changeBlocks(comparison)]),
} as const satisfies Partial<Record<ReporterName, (comparison: Comparison, screen?: Screen) => string>>;
