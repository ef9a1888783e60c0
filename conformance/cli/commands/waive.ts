/** `waive REPORT`: prints waivers for what fails in a report, in the form that `--waivers` takes. */

import { stringify } from 'yaml';
import { escapeForTerminal, shorten } from '../../reporters/escape.ts';
import type { Report } from '../../verdict/report.ts';
import type { Waiver } from '../../verdict/waivers.ts';
import type { Invocation } from '../configuration.ts';
import { print } from '../files.ts';
import { readReport } from '../saved-report.ts';
import { UsageError } from '../usage-error.ts';

const longestReason = 200;

/** A waiver for each requirement that fails; one that has a waiver keeps it, unless that has expired. */
export function showWaivers(report: Report, { owner, expires }: Omit<Waiver, 'reason'>): string {
  const waivers = report.requirements
    .filter(({ verdict }) => verdict === 'fail')
    .map(({ id, failures: [failure], waiver }) => {
      const reason = escapeForTerminal(shorten(failure?.message ?? 'it fails', longestReason));
      if (waiver?.state !== 'waived') return { id, reason, owner, expires };
      return { id, reason: waiver.reason, owner: waiver.owner, expires: waiver.expires };
    });
  return waivers.length === 0 ? '[]\n' : stringify(waivers, { lineWidth: 0 });
}

export async function waive({ values: { owner, expires }, words: [file = ''] }: Invocation<'waive'>): Promise<number> {
  if (owner === undefined) throw new UsageError('waive needs --owner NAME: who takes care that it is mended.');
  if (expires === undefined) throw new UsageError('waive needs --expires DATE, the last day on which they hold.');
  await print(showWaivers(readReport(file), { owner, expires }));
  return 0;
}
