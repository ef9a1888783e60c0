/** A comparison as titled tables, which every format shows in its own way. */

import { type Gap, gaps } from '../../../spec/gaps.ts';
import { counted } from '../../verdict/counts.ts';
import { shorten } from '../escape.ts';
import { type AnyMark, signOf } from '../marks.ts';
import { markWords, timeInWords } from '../words.ts';
import { type Change, type ComparedGap, type Comparison, countChanges } from './compare.ts';

/** A verdict, with a note behind it; or any text. */
export type Cell = string | { readonly mark: AnyMark; readonly note?: string };

export interface Row {
  readonly name: string;
  /** By report. */
  readonly cells: readonly Cell[];
  readonly message: string;
}

export interface Section {
  readonly title: string;
  readonly rows: readonly Row[];
}

export function textOf(cell: Cell): string {
  if (typeof cell === 'string') return cell;
  const note = cell.note === undefined ? '' : ` (${cell.note})`;
  return `${signOf(cell.mark, 'unicode').text} ${markWords[cell.mark]}${note}`;
}

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

type Compared = Comparison['requirements' | 'interactions'][number];

function rowOf(name: string, { verdicts, changes }: Compared, message = ''): Row {
  const isRegression = (at: number): boolean => changes[at] === 'regression' && verdicts.length > 2;
  const cells = verdicts.map((mark, at): Cell => {
    if (mark === undefined) return noValue;
    return isRegression(at) ? { mark, note: 'regression' } : { mark };
  });
  return { name, cells, message: verdicts.length > 2 ? '' : shorten(message, longestMessage) };
}

/** For two reports, the requirements by how they changed; for more, a matrix with regressions marked. */
function sectionsOfVerdicts({ reports, requirements, interactions }: Comparison): readonly Section[] {
  const rows = [
    ...requirements.map((one) => ({ ...one, row: rowOf(`§${one.section} ${one.id}`, one, one.message) })),
    ...interactions.map((one) => ({ ...one, row: rowOf(one.title, one) })),
  ];
  if (reports.length > 2) {
    return [{ title: 'Requirements that do not pass everywhere', rows: rows.map(({ row }) => row) }];
  }
  return titles.map(([change, title]) => ({
    title,
    rows: rows.filter(({ changes }) => changes[1] === change).map(({ row }) => row),
  }));
}

function showAnswers({ id }: ComparedGap, answers: readonly string[]): string {
  const { answers: known, others }: Gap = gaps.find((gap) => gap.id === id)!;
  const meanings: Readonly<Record<string, string>> = { ...known, ...others };
  const texts = answers.map((answer) => (meanings[answer] === undefined ? answer : `${answer}: ${meanings[answer]}`));
  return texts.join(' ') || noValue;
}

export function sectionsOf(comparison: Comparison): readonly Section[] {
  const profile = comparison.profile.map((gap) => ({
    name: `§${gap.section} ${gap.id}`,
    cells: gap.answers.map((answers) => showAnswers(gap, answers)),
    message: '',
  }));
  const title = 'Profile: different answers to gaps of the interface (never judged)';
  return [...sectionsOfVerdicts(comparison), { title, rows: profile }].filter(({ rows }) => rows.length > 0);
}

export function summaryOf(comparison: Comparison): string {
  const parts = [
    counted(countChanges(comparison, 'regression'), 'regression'),
    counted(countChanges(comparison, 'fix'), 'fix', 'fixes'),
    counted(comparison.profile.length, 'change of profile', 'changes of profile'),
  ].map((part) => part.replace(/^0/, 'no'));
  const isSound = comparison.reports.every(({ exitCode }) => exitCode === 0);
  const text = `${parts.join(', ')}${isSound ? '; all conform' : ''}.`;
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** One line for each report: address, time and headline. */
export function reportLines({ reports }: Comparison): readonly string[] {
  return reports.map(({ label, subject, startedAt, headline, reason }) => {
    const why = reason === undefined ? '' : ` (${shorten(reason, longestMessage)})`;
    return `${label}  ${subject}, ${timeInWords(startedAt)}: ${headline}${why}`;
  });
}
