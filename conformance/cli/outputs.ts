/** Writes a report: each reporter to its file or to the standard output. */

import { defined } from '../../spec/defined.ts';
import type { Values } from '../options/options.ts';
import { escapeForTerminal } from '../reporters/escape.ts';
import { reporters } from '../reporters/index.ts';
import { asShownOn, filesInWords, inPlainText, reportTerminal, type Screen } from '../reporters/terminal.ts';
import { inOneLine, viewOf } from '../reporters/view.ts';
import { columnsOf } from '../reporters/width.ts';
import { UsageError } from '../run/usage-error.ts';
import type { Report } from '../verdict/report.ts';
import { print, writeText } from './files.ts';

export type OutputValues = Pick<Values<'run'>, 'reporters' | 'isVerbose' | 'isQuiet'>;

/** The file that GitHub shows as the summary of a job, where the reporter github is asked for. */
function summaryFileFor(choices: OutputValues['reporters']): string | undefined {
  return choices.some(({ name }) => name === 'github') ? process.env['GITHUB_STEP_SUMMARY'] || undefined : undefined;
}

/** Makes the folders and opens every file, so that a wrong name fails before the first request and not after the last. */
export async function checkOutputs({
  reporters: choices,
  isVerbose,
  isQuiet,
}: Pick<OutputValues, 'reporters'> & Partial<OutputValues>): Promise<void> {
  if (isVerbose && isQuiet) throw new UsageError('--verbose and --quiet contradict each other: give one of them.');
  const printed = choices.filter(({ file }) => file === undefined).map(({ name }) => name);
  // GitHub reads the lines that are commands and shows the rest. Any other two would make neither readable by a program.
  if (printed.length > 1 && printed.toSorted().join() !== 'github,terminal') {
    throw new UsageError(
      'Only one format can be written to the standard output, or terminal and github together: give the others a file, like json=report.json.',
    );
  }
  for (const file of [summaryFileFor(choices), ...choices.map((one) => one.file)]) {
    if (file !== undefined) await writeText(file, '', 'a');
  }
}

/** A text, and where it goes: to the standard output where no file is named. */
export interface Output {
  readonly file: string | undefined;
  readonly render: () => string;
  /** Keeps the content of the file and writes behind it. */
  readonly isAppended?: true;
}

/** Suits the standard output: NO_COLOR, FORCE_COLOR, COLUMNS and the terminal decide. */
export function screenOfStandardOutput(): Screen {
  return { paint: asShownOn(process.stdout), width: columnsOf(process.stdout, process.env) };
}

/** Writes every output. One that cannot be written does not stop the others; its error comes after them all. */
export async function writeTexts(outputs: readonly Output[]): Promise<void> {
  const write = async ({ file, render, isAppended }: Output): Promise<void> =>
    file === undefined ? print(render()) : writeText(file, render(), isAppended ? 'a' : 'w');
  const outcomes = await Promise.allSettled(outputs.map(write));
  const errors = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason as Error] : []));
  const ownError = errors.find((error) => !(error instanceof UsageError));
  if (ownError !== undefined) throw ownError;
  if (errors.length > 0) throw new UsageError(errors.map(({ message }) => message).join('\n'));
}

/**
 * Writes every output of a run, or of the report that was read from a file. Where all go to files, one line says the verdict
 * and names them.
 */
export async function writeOutputs(report: Report, values: OutputValues, readFrom?: string): Promise<void> {
  const { reporters: choices, isQuiet } = values;
  const files = choices.flatMap(({ file = [] }) => file);
  const jsonFile = readFrom ?? choices.find(({ name }) => name === 'json')?.file;
  const showOn = (file: string | undefined): string => {
    const screen = file === undefined ? { ...screenOfStandardOutput(), files } : {};
    const detail = values.isVerbose ? 'full' : isQuiet ? 'line' : 'short';
    return reportTerminal(viewOf(report), { ...inPlainText, ...screen, detail, ...defined({ jsonFile }) });
  };
  const outputs: Output[] = choices.map(({ name, file }) => ({
    file,
    render: () => (name === 'terminal' ? showOn(file) : reporters[name](report)),
  }));
  const summary = summaryFileFor(choices);
  if (summary !== undefined) {
    outputs.push({ file: summary, render: () => reporters.markdown(report), isAppended: true });
  }
  await writeTexts(outputs);
  if (isQuiet || files.length === 0 || files.length < choices.length) return;
  const lines = [inOneLine(viewOf(report)), ...filesInWords(files)];
  await print(`${lines.map(escapeForTerminal).join('\n')}\n`);
}
