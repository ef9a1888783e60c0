/** Writes what a user wants of a report: each reporter to its file or to the standard output, and the leftovers. */

import type { EvidenceScope, Report } from '../engine/report.ts';
import { reporters } from '../reporters/index.ts';
import { inColour } from '../reporters/styled-lines.ts';
import { reportTerminal } from '../reporters/terminal.ts';
import { checkWritable, print, writeText } from './files.ts';
import type { Values } from './options.ts';
import type { ReporterChoice } from './readers.ts';
import { UsageError } from './usage-error.ts';

export type OutputValues = Pick<Values<'run'>, 'reporters'> & Partial<Pick<Values<'run'>, 'leftovers'>>;

/** Which exchanges the reports carry: an archive is asked for to hold what was exchanged, not only what failed. */
export function evidenceScope({
  evidence,
  reporters: choices,
}: Pick<Values<'run'>, 'evidence' | 'reporters'>): EvidenceScope {
  return evidence ?? (choices.some(({ name }) => name === 'har') ? 'all' : 'failures');
}

/** Fails before the first request is sent rather than after the last: makes folders, and opens every file. */
export function checkOutputs({ reporters: choices, leftovers }: OutputValues): void {
  for (const file of [leftovers, ...choices.map((choice) => choice.file)]) {
    if (file !== undefined) checkWritable(file);
  }
}

function showLeftovers({ target, startedAt, created }: Report): string {
  return `${JSON.stringify({ target, startedAt, created }, null, 2)}\n`;
}

function render(report: Report, name: ReporterChoice['name']): string {
  return reporters[name](report);
}

function renderForStandardOutput(report: Report, name: ReporterChoice['name']): string {
  const isWatched = name === 'terminal' && process.stdout.isTTY && process.env['NO_COLOR'] === undefined;
  return isWatched ? reportTerminal(report, inColour) : render(report, name);
}

/** A text that a user wants, and where; the standard output where no file is named. */
export interface Output {
  readonly file: string | undefined;
  readonly render: () => string;
}

/** Every output. One that cannot be written keeps no other from being so, and is told after them all. */
export async function writeTexts(outputs: readonly Output[]): Promise<void> {
  const write = async ({ file, render: show }: Output): Promise<void> =>
    file === undefined ? print(show()) : writeText(file, show());
  const outcomes = await Promise.allSettled(outputs.map(write));
  const errors = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason as unknown] : []));
  const ours = errors.find((error) => !(error instanceof UsageError));
  if (ours !== undefined) throw ours;
  if (errors.length > 0) throw new UsageError(errors.map((error) => (error as UsageError).message).join('\n'));
}

/** Every output of a run. */
export function writeOutputs(report: Report, { reporters: choices, leftovers }: OutputValues): Promise<void> {
  const renders = choices.map(({ name, file }) => ({
    file,
    render: () => (file === undefined ? renderForStandardOutput(report, name) : render(report, name)),
  }));
  const list = leftovers === undefined ? [] : [{ file: leftovers, render: () => showLeftovers(report) }];
  return writeTexts([...renders, ...list]);
}
