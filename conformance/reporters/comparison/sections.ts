/** A comparison as titled tables of plain text, which every notation shows in its own way. */

import { type Gap, gaps } from '../../../spec/gaps.ts';
import { shorten } from '../escape.ts';
import { markWords } from '../words.ts';
import { type Change, type ComparedGap, type Comparison, countChanges } from './compare.ts';

export interface Section {
  readonly title: string;
  readonly head: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

/** What stands where a report says nothing. */
const untold = '·';
const longestMessage = 200;

/** In the order of their weight. */
const titles: readonly (readonly [Change | undefined, string])[] = [
  ['regression', 'Regressions'],
  ['failing', 'Fail, and were not judged before'],
  ['warning', 'Warn now (advised)'],
  ['waived', 'Fail now, waived'],
  ['lost', 'Held, and are not judged any more'],
  ['fix', 'Fixed'],
  [undefined, 'As broken as before'],
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

function cellsOf({ name, verdicts, message }: Row): readonly string[] {
  const words = verdicts.map((verdict) => (verdict === undefined ? untold : markWords[verdict]));
  return [name, ...words, shorten(message, longestMessage)];
}

/** Two reports: what became of each requirement. */
function sectionsOfChanges(comparison: Comparison, labels: readonly string[]): readonly Section[] {
  const rows = rowsOf(comparison);
  return titles.map(([change, title]) => ({
    title,
    head: ['', ...labels, ''],
    rows: rows.filter(({ changes }) => changes[1] === change).map(cellsOf),
  }));
}

/** More of them: a matrix, with what has regressed marked. */
function matrixOf(comparison: Comparison, labels: readonly string[]): readonly Section[] {
  const rows = rowsOf(comparison).map((row) => {
    const [name = '', ...cells] = cellsOf(row);
    return [
      name,
      ...cells.slice(0, -1).map((cell, at) => (row.changes[at] === 'regression' ? `${cell} (regression)` : cell)),
    ];
  });
  return [{ title: 'Requirements that do not hold everywhere', head: ['', ...labels], rows }];
}

/** Answers in words, after their ids. */
function showAnswers({ id }: ComparedGap, answers: readonly string[]): string {
  const { answers: known, others }: Gap = gaps.find((gap) => gap.id === id)!;
  const meanings: Readonly<Record<string, string>> = { ...known, ...others };
  const told = answers.map((answer) => (meanings[answer] === undefined ? answer : `${answer}: ${meanings[answer]}`));
  return told.join(' ') || untold;
}

function sectionOfProfiles({ profile }: Comparison, labels: readonly string[]): Section {
  return {
    title: 'Profile: they choose differently where the interface is silent (never judged)',
    head: ['', ...labels],
    rows: profile.map((gap) => [
      `§${gap.section} ${gap.id}`,
      ...gap.answers.map((answers) => showAnswers(gap, answers)),
    ]),
  };
}

/** The tables that hold anything. */
export function sectionsOf(comparison: Comparison): readonly Section[] {
  const labels = comparison.reports.map(({ label }) => label);
  const ofRequirements = labels.length > 2 ? matrixOf(comparison, labels) : sectionsOfChanges(comparison, labels);
  return [...ofRequirements, sectionOfProfiles(comparison, labels)].filter(({ rows }) => rows.length > 0);
}

function count(number: number, one: string, more: string): string {
  return `${number === 0 ? 'no' : number} ${number === 1 ? one : more}`;
}

/** One line: what has changed against the first report. */
export function summaryOf(comparison: Comparison): string {
  const regressions = count(countChanges(comparison, 'regression'), 'regression', 'regressions');
  const fixes = count(countChanges(comparison, 'fix'), 'fix', 'fixes');
  const changes = count(comparison.profile.length, 'change of profile', 'changes of profile');
  const isSound = comparison.reports.every(({ exitCode }) => exitCode === 0);
  const text = `${regressions}, ${fixes}, ${changes}${isSound ? '; all conform' : ''}.`;
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** What each report is, a line each. */
export function reportLines({ reports }: Comparison): readonly string[] {
  return reports.map(({ label, baseUrl, startedAt, headline, reason }) => {
    const why = reason === undefined ? '' : ` (${shorten(reason, longestMessage)})`;
    return `${label}  ${baseUrl}, ${startedAt}: ${headline}${why}`;
  });
}
