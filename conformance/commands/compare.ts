/** `compare REPORT…`: what several runs say, side by side; sends nothing. */

import type { Invocation } from '../command-line/configuration.ts';
import { print } from '../command-line/files.ts';
import { readReport } from '../command-line/saved-report.ts';
import { UsageError } from '../command-line/usage-error.ts';
import type { Report } from '../engine/report.ts';
import { escapeForTerminal, shorten } from '../reporters/escape.ts';
import { titleOf } from '../reporters/words.ts';

const mostReports = 26;

/** What stands where a report says nothing. */
const untold = '·';

/** A row for each name of which the reports tell what is worth a row. */
function rowsOf(
  reports: readonly Report[],
  told: (report: Report) => readonly (readonly [name: string, answer: string])[],
  isTelling: (answers: readonly string[]) => boolean,
): readonly (readonly string[])[] {
  const answers = reports.map((report) => new Map(told(report)));
  const names = [...new Set(answers.flatMap((one) => [...one.keys()]))];
  return names
    .map((name) => [name, ...answers.map((one) => one.get(name) ?? untold)])
    .filter(([, ...row]) => isTelling(row.filter((answer) => answer !== untold)));
}

function isMixed(answers: readonly string[]): boolean {
  return new Set(answers).size > 1;
}

const longestCell = 40;

/** Columns as wide as what they hold; all of it may come from a target. */
function table(rows: readonly (readonly string[])[]): readonly string[] {
  const cells = rows.map((row) =>
    row.map((cell, at) => escapeForTerminal(at === 0 ? cell : shorten(cell, longestCell))),
  );
  const width = (at: number): number => Math.max(...cells.map((row) => row[at]?.length ?? 0));
  return cells.map((row) => `  ${row.map((cell, at) => cell.padEnd(width(at))).join('  ')}`.trimEnd());
}

function block(title: string, heads: readonly string[], rows: readonly (readonly string[])[]): readonly string[] {
  return rows.length === 0 ? [] : ['', title, ...table([['', ...heads], ...rows])];
}

/** Reports side by side, for a person. */
export function compareReports(reports: readonly Report[]): string {
  const heads = reports.map((_report, at) => String.fromCodePoint('A'.codePointAt(0)! + at));
  const runs = reports.map(({ target, verdict, startedAt, requests, seed, reason }, at) => {
    const numbers = `${verdict}, ${startedAt}, ${requests} requests, seed ${seed}`;
    return `${heads[at]}  ${target.baseUrl}: ${numbers}${reason === undefined ? '' : `; ${shorten(reason, 200)}`}`;
  });
  const isTelling = (answers: readonly string[]): boolean => isMixed(answers) || answers.some((one) => one !== 'pass');
  const statements = rowsOf(
    reports,
    ({ requirements }) =>
      requirements.map(({ id, section, verdict, recheck, waiver }) => [
        `§${section} ${id}`,
        waiver?.state === 'waived' ? 'waived' : recheck === 'flaky' ? `${verdict}, flaky` : verdict,
      ]),
    (answers) => isTelling(answers) && answers.some((one) => one !== 'not-applicable'),
  );
  const interactions = rowsOf(
    reports,
    (report) => (report.interactions ?? []).map((one) => [titleOf(one), one.verdict]),
    isTelling,
  );
  const gaps = rowsOf(reports, (report) => report.gaps.map(({ id, observed }) => [id, observed ?? untold]), isMixed);
  const lines = [
    ...runs.map(escapeForTerminal),
    ...block('Statements that do not pass everywhere', heads, statements),
    ...block('Interactions that do not hold everywhere', heads, interactions),
    ...block('Where the interface is silent, and they choose differently (never judged)', heads, gaps),
  ];
  return `${lines.join('\n')}\n`;
}

/** Prints the comparison; the exit code is the worst of the reports: 4, 1, 3, else 0. */
export async function compare({ words: files }: Invocation<'compare'>): Promise<number> {
  if (files.length > mostReports) {
    throw new UsageError(`compare takes 1 to ${mostReports} JSON reports, not ${files.length}.`);
  }
  const reports = files.map(readReport);
  await print(compareReports(reports));
  const codes = reports.map(({ exitCode }) => exitCode);
  return [4, 1, 3].find((code) => codes.some((one) => one === code)) ?? 0;
}
