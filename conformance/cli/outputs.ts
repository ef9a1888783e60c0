/** Writes what a user wants of a report: each reporter to its file or to the standard output, and the leftovers. */

import isUnicodeSupported from 'is-unicode-supported';
import { reportAttestation } from '../reporters/attestation.ts';
import { reporters } from '../reporters/index.ts';
import { type Detail, inPlainText, type Presentation } from '../reporters/presentation.ts';
import { asShownOn } from '../reporters/styled-lines.ts';
import { reportTerminal } from '../reporters/terminal.ts';
import { columnsOf } from '../reporters/width.ts';
import type { EvidenceScope, Report } from '../verdict/report.ts';
import { appendText, checkWritable, print, writeText } from './files.ts';
import type { Values } from './options.ts';
import type { ReporterChoice } from './readers.ts';
import { UsageError } from './usage-error.ts';

/** What of the options says what is written, and where. */
export type OutputValues = Pick<Values<'run'>, 'reporters' | 'artefacts' | 'isVerbose' | 'isQuiet'> & {
  readonly leftovers?: string;
};

/** Which exchanges the reports carry: an archive is asked for to hold what was exchanged, not only what failed. */
export function evidenceScope({
  evidence,
  reporters: choices,
}: Pick<Values<'run'>, 'evidence' | 'reporters'>): EvidenceScope {
  return evidence ?? (choices.some(({ name }) => name === 'har') ? 'all' : 'failures');
}

function detailOf({ isVerbose, isQuiet }: OutputValues): Detail {
  if (isVerbose && isQuiet) throw new UsageError('--verbose and --quiet contradict each other: give one of them.');
  return isVerbose ? 'full' : isQuiet ? 'line' : 'short';
}

/** The file that GitHub shows as the summary of a job, where the annotations of GitHub are asked for. */
function summaryFileFor({ reporters: choices }: OutputValues): string | undefined {
  const file = process.env['GITHUB_STEP_SUMMARY'] ?? '';
  return file !== '' && choices.some(({ name }) => name === 'github') ? file : undefined;
}

/** Fails before the first request is sent rather than after the last: makes folders, and opens every file. */
export function checkOutputs(values: OutputValues): void {
  detailOf(values);
  for (const file of [values.leftovers, summaryFileFor(values), ...values.reporters.map((choice) => choice.file)]) {
    if (file !== undefined) checkWritable(file);
  }
}

function showLeftovers({ target, startedAt, created }: Report): string {
  return `${JSON.stringify({ target, startedAt, created }, null, 2)}\n`;
}

/** A text that a user wants, and where; the standard output where no file is named. */
export interface Output {
  readonly file: string | undefined;
  readonly render: () => string;
  /** What the file holds already is kept. */
  readonly isContinued?: true;
}

/** Whether the locale has letters beyond ASCII; many machines name none, and have. On Windows it says nothing. */
function isUtf8({ LC_ALL, LC_CTYPE, LANG }: NodeJS.ProcessEnv): boolean {
  const locale = [LC_ALL, LC_CTYPE, LANG].find((name) => name !== undefined && name !== '') ?? 'C.UTF-8';
  return process.platform === 'win32' || /utf-?8/i.test(locale);
}

/** As the standard output shows it best: NO_COLOR, FORCE_COLOR, COLUMNS, the locale and the terminal decide. */
function forStandardOutput(detail: Detail): Presentation {
  return {
    detail,
    paint: asShownOn(process.stdout),
    width: columnsOf(process.stdout, process.env),
    signs: isUnicodeSupported() && isUtf8(process.env) ? 'unicode' : 'ascii',
  };
}

/** Every output. One that cannot be written keeps no other from being so, and is told after them all. */
export async function writeTexts(outputs: readonly Output[]): Promise<void> {
  const write = async ({ file, render, isContinued }: Output): Promise<void> => {
    if (file === undefined) return print(render());
    return isContinued ? appendText(file, render()) : writeText(file, render());
  };
  const outcomes = await Promise.allSettled(outputs.map(write));
  const errors = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason as unknown] : []));
  const ours = errors.find((error) => !(error instanceof UsageError));
  if (ours !== undefined) throw ours;
  if (errors.length > 0) throw new UsageError(errors.map((error) => (error as UsageError).message).join('\n'));
}

function render(report: Report, { name, file }: ReporterChoice, values: OutputValues): string {
  if (name === 'attestation') return reportAttestation(report, values.artefacts);
  if (name !== 'terminal') return reporters[name](report);
  const detail = detailOf(values);
  return reportTerminal(report, file === undefined ? forStandardOutput(detail) : { ...inPlainText, detail });
}

/** Every output of a run. */
export function writeOutputs(report: Report, values: OutputValues): Promise<void> {
  const { reporters: choices, leftovers } = values;
  const summary = summaryFileFor(values);
  return writeTexts([
    ...choices.map((choice) => ({ file: choice.file, render: () => render(report, choice, values) })),
    ...(leftovers === undefined ? [] : [{ file: leftovers, render: () => showLeftovers(report) }]),
    ...(summary === undefined
      ? []
      : [{ file: summary, render: () => reporters.markdown(report), isContinued: true as const }]),
  ]);
}
