/** Compares several reports with the first of them, and shows what changed as blocks: the worst first, and a summary. */

import type { GapId } from '../../spec/gaps.ts';
import { markOf } from '../verdict/causes.ts';
import { sentenceOf } from '../verdict/finding.ts';
import { counted, reasonInWords } from '../verdict/reasons.ts';
import type { Report } from '../verdict/report.ts';
import { type Block, heading, lines, mark, type Row, type Text } from './blocks.ts';
import { shorten } from './escape.ts';
import { showMarkdown } from './markdown.ts';
import type { Mark } from './marks.ts';
import type { ReporterName } from './names.ts';
import { headlineOf } from './summary.ts';
import { inPlainText, type Screen, showBlocks } from './terminal.ts';
import { meaningsOf, subjectOf, timeInWords, titleOfInteraction } from './view.ts';

/** How a requirement changed against the first report, the worst first, and the heading that such changes stand under. */
const changeTitles = {
  regression: 'Regressions',
  failing: 'Newly judged, and failing',
  warning: 'New warnings (advised)',
  waived: 'New failures that are waived',
  lost: 'Passed before, and not judged any more',
  fix: 'Fixed',
  none: 'Unchanged failures',
} as const;

export type Change = keyof typeof changeTitles;
const byBadness = Object.keys(changeTitles) as Change[];

function isBroken(verdict: Mark | undefined): boolean {
  return verdict === 'fail' || verdict === 'warn' || verdict === 'waived';
}

/** What becomes of a requirement that passed, where it is not `lost`. */
const sincePass: { readonly [After in Mark]?: Change } = {
  fail: 'regression',
  warn: 'warning',
  waived: 'waived',
  'not-applicable': 'none',
};

/** How a verdict changed. What only one of the reports judged is no change. */
function changeOf(before: Mark | undefined, after: Mark | undefined): Change {
  if (before === undefined || after === undefined || after === before) return 'none';
  if (before === 'pass') return sincePass[after] ?? 'lost';
  if (isBroken(before)) return after === 'pass' ? 'fix' : 'none';
  return after === 'fail' ? 'failing' : 'none';
}

type Named = readonly [name: string, mark: Mark, message: string];

function namedIn({ requirements, interactions = [] }: Report): readonly Named[] {
  return [
    ...requirements.map((one): Named => {
      const [failure] = one.failures;
      return [`§${one.section} ${one.id}`, markOf(one), failure === undefined ? '' : sentenceOf(failure)];
    }),
    ...interactions.map((one): Named => [titleOfInteraction(one), one.verdict, '']),
  ];
}

/** What is broken or changed somewhere, requirements first. */
function compareVerdicts(reports: readonly Report[]) {
  const byReport = reports.map((report) => new Map(namedIn(report).map((one) => [one[0], one])));
  const names = [...new Set(byReport.flatMap((one) => [...one.keys()]))];
  return names.flatMap((name) => {
    const found = byReport.map((one) => one.get(name));
    /** By report; undefined where a report has none. */
    const verdicts = found.map((one) => one?.[1]);
    const changes = verdicts.map((verdict) => changeOf(verdicts[0], verdict));
    /** The worst change in any of the later reports. */
    const change = byBadness.find((one) => changes.includes(one)) ?? 'none';
    /** Of the last report in which it is broken. */
    const message = found.findLast((one) => (one?.[2] ?? '') !== '')?.[2] ?? '';
    return change !== 'none' || verdicts.some(isBroken) ? [{ name, verdicts, change, message }] : [];
  });
}

/** Answers that one unchanged service may give at different times, depending on other traffic. */
const interchangeable: { readonly [Id in GapId]?: readonly string[] } = {
  // Animals that others create meanwhile leave gaps between ids.
  'id-form': ['sequential', 'rising'],
  'list-order': ['oldest-first', 'by-id'],
  // A limit of the day shows only where it is the tighter one.
  'rate-limit-window': ['at-most-a-minute', 'minute', 'tightest'],
};

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
    const known = answers.filter((one) => one.length > 0);
    const isDifferent = known.some((one, at) => known.slice(at + 1).some((other) => isChanged(id, one, other)));
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
export function countChanges({ verdicts }: Comparison, wanted: Change): number {
  return verdicts.filter(({ change }) => change === wanted).length;
}

const noValue = '·';
const longestMessage = 200;

function rowOf({ name, verdicts, message }: Comparison['verdicts'][number]): Row {
  const cells = verdicts.map((verdict): Text => [verdict === undefined ? noValue : mark(verdict)]);
  return { cells: [[name], ...cells], note: shorten(message, longestMessage) };
}

function answerText(id: string, answers: readonly string[]): Text {
  const meanings = meaningsOf(id);
  const texts = answers.map((answer) => (meanings[answer] === undefined ? answer : `${answer}: ${meanings[answer]}`));
  return [texts.join(' ') || noValue];
}

function titleOf(comparison: Comparison): Block {
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
      const why = reason === undefined ? '' : ` (${shorten(reason, longestMessage)})`;
      return `${label}  ${subject}, ${timeInWords(startedAt)}: ${headline}${why}`;
    }),
  );
}

function changeBlocks({ reports, verdicts, profile }: Comparison): readonly Block[] {
  const head = ['', ...reports.map(({ label }) => label)];
  const table = (title: string, rows: readonly Row[]): readonly Block[] =>
    rows.length === 0 ? [] : [heading(title), { kind: 'table', head, rows }];
  const changed = byBadness.flatMap((change) =>
    table(changeTitles[change], verdicts.filter((one) => one.change === change).map(rowOf)),
  );
  const gaps = profile.map(({ id, section, answers }) => ({
    cells: [[`§${section} ${id}`], ...answers.map((own) => answerText(id, own))],
    note: '',
  }));
  return [...changed, ...table('Profile: different answers to gaps of the interface (never judged)', gaps)];
}

/** Reporter name → the function that turns a comparison into text. */
export const comparisonReporters = {
  terminal: (comparison: Comparison, screen: Screen = inPlainText) =>
    showBlocks([reportLines(comparison), ...changeBlocks(comparison), titleOf(comparison)], screen),
  markdown: (comparison: Comparison) =>
    showMarkdown([titleOf(comparison), reportLines(comparison), ...changeBlocks(comparison)]),
} as const satisfies Partial<Record<ReporterName, (comparison: Comparison, screen?: Screen) => string>>;
