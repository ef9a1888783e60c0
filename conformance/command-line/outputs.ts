/** Writes what a user wants of a report: each reporter to its file or to the standard output, and the leftovers. */

import type { Report } from '../engine/report.ts';
import { render } from '../reporters/index.ts';
import { inColour } from '../reporters/styled-lines.ts';
import { reportTerminal } from '../reporters/terminal.ts';
import { checkWritable, print, writeText } from './files.ts';
import type { Values } from './options.ts';
import type { ReporterChoice } from './readers.ts';
import { UsageError } from './usage-error.ts';

export type OutputValues = Pick<Values<'run'>, 'reporters' | 'leftovers'>;

/** Fails before the first request is sent rather than after the last: makes folders, and opens every file. */
export function checkOutputs({ reporters: choices, leftovers }: OutputValues): void {
  for (const file of [leftovers, ...choices.map((choice) => choice.file)]) {
    if (file !== undefined) checkWritable(file);
  }
}

function showLeftovers({ target, startedAt, created }: Report): string {
  return `${JSON.stringify({ target, startedAt, created }, null, 2)}\n`;
}

function renderForStandardOutput(report: Report, name: ReporterChoice['name']): string {
  const isWatched = name === 'terminal' && process.stdout.isTTY && process.env['NO_COLOR'] === undefined;
  return isWatched ? reportTerminal(report, inColour) : render(report, name);
}

/** Every output of a run. One that cannot be written keeps no other from being so, and is told after them all. */
export async function writeOutputs(report: Report, { reporters: choices, leftovers }: OutputValues): Promise<void> {
  const writing = choices.map(
    ({ name, file }) =>
      async () =>
        file === undefined ? print(renderForStandardOutput(report, name)) : writeText(file, render(report, name)),
  );
  if (leftovers !== undefined) writing.push(async () => writeText(leftovers, showLeftovers(report)));
  const outcomes = await Promise.allSettled(writing.map((write) => write()));
  const errors = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason as unknown] : []));
  const ours = errors.find((error) => !(error instanceof UsageError));
  if (ours !== undefined) throw ours;
  if (errors.length > 0) throw new UsageError(errors.map((error) => (error as UsageError).message).join('\n'));
}
