/** Writes a report: each reporter to its file or to the standard output. */

import { existsSync, statSync } from 'node:fs';
import type { Values } from '../options/options.ts';
import { shown } from '../options/readers.ts';
import { reporters } from '../reporters/index.ts';
import type { NextRun } from '../reporters/next-run.ts';
import { asShownOn, inPlainText, type Presentation, reportTerminal, type Screen } from '../reporters/terminal.ts';
import { viewOf } from '../reporters/view.ts';
import { columnsOf } from '../reporters/width.ts';
import { UsageError } from '../run/usage-error.ts';
import type { Report } from '../verdict/report.ts';
import { print, readYaml, writeText } from './files.ts';

export type OutputValues = Pick<Values<'run'>, 'reporters' | 'isVerbose' | 'isQuiet'>;

/** A text, and where it goes: to the standard output if no file is named. */
export interface TextOutput {
  readonly file?: string | undefined;
  readonly render: () => string;
  /** Set if the text is appended to the file. */
  readonly isAppended?: true;
}

type ChosenReporter = OutputValues['reporters'][number] & Pick<TextOutput, 'isAppended'>;

/** The chosen reporters. In GitHub Actions, github also appends Markdown to the summary of the job. */
function choicesOf({ reporters: choices }: Pick<OutputValues, 'reporters'>): readonly ChosenReporter[] {
  const { GITHUB_STEP_SUMMARY: file = '' } = process.env;
  const isOnGithub = file !== '' && choices.some(({ name }) => name === 'github');
  return isOnGithub ? [...choices, { name: 'markdown', file, isAppended: true }] : choices;
}

/** Refuses to write waivers over a file with others: somebody has filled in why each of them is accepted. */
async function refuseToLoseWaivers(file: string, kept: readonly string[]): Promise<void> {
  if (!existsSync(file) || statSync(file).size === 0) return;
  const held = (await readYaml(file, 'The waivers file')) ?? [];
  const ids = Array.isArray(held) ? held.map((entry: { readonly id?: unknown } | null) => String(entry?.id)) : [file];
  const lost = ids.find((id) => !kept.includes(id));
  if (lost === undefined) return;
  throw new UsageError(
    `${file} holds a waiver of ${shown(lost)} that would be lost: give it to this run as --waivers ${file}, or name another file.`,
  );
}

type WaiverValues = Partial<Pick<Values<'run'>, 'waivers' | 'only'>>;

/** The requirements whose waivers a run shows again: those that it judges. */
function keptWaivers({ waivers, only }: WaiverValues): readonly string[] {
  const ids: readonly string[] = [...(waivers?.keys() ?? [])];
  const judged: ReadonlySet<string> | undefined = only;
  return judged === undefined ? ids : ids.filter((id) => judged.has(id));
}

/**
 * Makes the folders and opens every file, so that a wrong name fails before the first request and not after the last; `kept` are
 * the requirements whose waivers are written again.
 */
export async function checkOutputs(
  values: Pick<OutputValues, 'reporters'> & WaiverValues,
  kept: readonly string[] = keptWaivers(values),
): Promise<void> {
  const choices = choicesOf(values);
  const printed = choices.filter(({ file }) => file === undefined).map(({ name }) => name);
  // GitHub reads the lines that are commands and shows the others. No program could read any other two formats.
  if (printed.length > 1 && printed.toSorted().join() !== 'github,terminal') {
    throw new UsageError(
      'Only one format can be written to the standard output, or terminal and github together: give the others a file, like json=report.json.',
    );
  }
  for (const { name, file } of choices) {
    if (file === undefined) continue;
    if (name === 'waivers') await refuseToLoseWaivers(file, kept);
    await writeText(file, '', 'a');
  }
}

/** The colours and the width of the standard output: NO_COLOR, FORCE_COLOR, COLUMNS and the terminal decide. */
export function screenOfStandardOutput(): Screen {
  return { paint: asShownOn(process.stdout), width: columnsOf(process.stdout, process.env) };
}

/** Writes every output. One that cannot be written does not stop the others; its error is thrown after all. */
export async function writeTexts(outputs: readonly TextOutput[]): Promise<void> {
  const write = async ({ file, render, isAppended }: TextOutput): Promise<void> => {
    if (file === undefined) return print(render());
    return writeText(file, render(), isAppended ? 'a' : 'w');
  };
  const outcomes = await Promise.allSettled(outputs.map(write));
  const errors = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason as Error] : []));
  const ownError = errors.find((error) => !(error instanceof UsageError));
  if (ownError !== undefined) throw ownError;
  if (errors.length > 0) throw new UsageError(errors.map(({ message }) => message).join('\n'));
}

function detailOf({ isQuiet, isVerbose }: OutputValues): Presentation['detail'] {
  if (isQuiet) return 'line';
  return isVerbose ? 'full' : 'short';
}

/**
 * Writes every output of a run, or of a report that was read from the file `readFrom`; `repeated` are the options of the run that
 * the next one needs. If all go to files, the standard output gets one line with the verdict and their names.
 */
export async function writeOutputs(
  report: Report,
  values: OutputValues,
  { readFrom, repeated = [] }: { readonly readFrom?: string; readonly repeated?: readonly string[] } = {},
): Promise<void> {
  const { reporters: choices, isQuiet } = values;
  const files = choices.flatMap(({ file = [] }) => file);
  const jsonFile = readFrom ?? choices.find(({ name }) => name === 'json')?.file;
  const next: NextRun = { reportFile: jsonFile, options: repeated };
  const view = viewOf(report, next);
  const showOnStandardOutput = (detail: Presentation['detail']): string =>
    reportTerminal(view, { ...screenOfStandardOutput(), files: isQuiet ? [] : files, detail });
  const detail = detailOf(values);
  const renderAs = ({ name, file }: ChosenReporter): string => {
    if (name !== 'terminal') return reporters[name](report, next);
    return file === undefined ? showOnStandardOutput(detail) : reportTerminal(view, { ...inPlainText, detail });
  };
  await writeTexts(choicesOf(values).map((chosen) => ({ ...chosen, render: () => renderAs(chosen) })));
  const isInFilesAlone = files.length > 0 && files.length === choices.length;
  if (isInFilesAlone && !isQuiet) await print(showOnStandardOutput('line'));
}
