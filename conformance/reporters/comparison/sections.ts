/** A comparison as titled tables, which every format shows in its own way. */

import { type Gap, gaps } from '../../../spec/gaps.ts';
import { shorten } from '../escape.ts';
import { type AnyMark, signOf } from '../marks.ts';
import { markWords, timeInWords } from '../words.ts';
import { type Change, type ComparedGap, type Comparison, countChanges } from './compare.ts';

/** A verdict, with a note behind it; or any text. */
export type Cell = string | { readonly mark: AnyMark; readonly note?: string };

export interface Section {
  readonly title: string;
  readonly head: readonly string[];
  readonly rows: readonly (readonly Cell[])[];
}

/** A cell as text: a verdict with its sign. */
export function textOf(cell: Cell): string {
  if (typeof cell === 'string') return cell;
  const note = cell.note === undefined ? '' : ` (${cell.note})`;
  return `${signOf(cell.mark, 'unicode').text} ${markWords[cell.mark]}${note}`;
}

/** Stands where a report has no value. */
const noValue = '·';
const longestMessage = 200;

/** The worst change first. */
const titles: readonly (readonly [Change | undefined, string])[] = [
  ['regression', 'Regressions'],
  ['failing', 'Newly judged, and failing'],
  ['warning', 'New warnings (advised)'],
  ['waived', 'New failures that are waived'],
  ['lost', 'Passed before, and not judged any more'],
  ['fix', 'Fixed'],
  [undefined, 'Unchanged failures'],
];

interface Row {
  readonly name: string;
  readonly verdicts: readonly (keyof typeof markWords | undefined)[];
  readonly changes: readonly (Change | undefined)[];
  readonly message: string;
}

function rowsOf({ requirements, interactions }: Comparison): readonly Row[] {
  return [
    ...requirements.map(({ id, section, message = '', ...rest }) => ({ ...rest, name: `§${section} ${id}`, message })),
    ...interactions.map(({ title, ...rest }) => ({ ...rest, name: title, message: '' })),
  ];
}

function verdictCells({ verdicts, changes }: Row): readonly Cell[] {
  return verdicts.map((mark, at) => {
    if (mark === undefined) return noValue;
    return changes[at] === 'regression' && verdicts.length > 2 ? { mark, note: 'regression' } : { mark };
  });
}

/** For two reports: the requirements by how they changed. */
function sectionsOfChanges(comparison: Comparison, labels: readonly string[]): readonly Section[] {
  const rows = rowsOf(comparison);
  return titles.map(([change, title]) => ({
    title,
    head: ['', ...labels, ''],
    rows: rows
      .filter(({ changes }) => changes[1] === change)
      .map((row) => [row.name, ...verdictCells(row), shorten(row.message, longestMessage)]),
  }));
}

/** For more reports: a matrix with regressions marked. */
function matrixOf(comparison: Comparison, labels: readonly string[]): readonly Section[] {
  const rows = rowsOf(comparison).map((row) => [row.name, ...verdictCells(row)]);
  return [{ title: 'Requirements that do not pass everywhere', head: ['', ...labels], rows }];
}

/** Answers with their ids and in words. */
function showAnswers({ id }: ComparedGap, answers: readonly string[]): string {
  const { answers: known, others }: Gap = gaps.find((gap) => gap.id === id)!;
  const meanings: Readonly<Record<string, string>> = { ...known, ...others };
  const texts = answers.map((answer) => (meanings[answer] === undefined ? answer : `${answer}: ${meanings[answer]}`));
  return texts.join(' ') || noValue;
}

function sectionOfProfiles({ profile }: Comparison, labels: readonly string[]): Section {
  return {
    title: 'Profile: different answers to gaps of the interface (never judged)',
    head: ['', ...labels],
    rows: profile.map((gap) => [
      `§${gap.section} ${gap.id}`,
      ...gap.answers.map((answers) => showAnswers(gap, answers)),
    ]),
  };
}

/** The tables that have rows. */
export function sectionsOf(comparison: Comparison): readonly Section[] {
  const labels = comparison.reports.map(({ label }) => label);
  const requirementTables = labels.length > 2 ? matrixOf(comparison, labels) : sectionsOfChanges(comparison, labels);
  return [...requirementTables, sectionOfProfiles(comparison, labels)].filter(({ rows }) => rows.length > 0);
}

function count(number: number, one: string, more: string): string {
  return `${number === 0 ? 'no' : number} ${number === 1 ? one : more}`;
}

/** The changes against the first report, in one line. */
export function summaryOf(comparison: Comparison): string {
  const regressions = count(countChanges(comparison, 'regression'), 'regression', 'regressions');
  const fixes = count(countChanges(comparison, 'fix'), 'fix', 'fixes');
  const changes = count(comparison.profile.length, 'change of profile', 'changes of profile');
  const isSound = comparison.reports.every(({ exitCode }) => exitCode === 0);
  const text = `${regressions}, ${fixes}, ${changes}${isSound ? '; all conform' : ''}.`;
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** One line for each report: address, time and headline. */
export function reportLines({ reports }: Comparison): readonly string[] {
  return reports.map(({ label, baseUrl, startedAt, headline, reason }) => {
    const why = reason === undefined ? '' : ` (${shorten(reason, longestMessage)})`;
    return `${label}  ${baseUrl}, ${timeInWords(startedAt)}: ${headline}${why}`;
  });
}
