/** `waive REPORT`: prints waivers for the failures of a report, in the form that `--waivers` reads. */

import { stringify } from 'yaml';
import { escapeForTerminal, shorten } from '../../reporters/escape.ts';
import { sentenceOf } from '../../verdict/failure.ts';
import type { Report } from '../../verdict/report.ts';
import { reachOf, type Waiver } from '../../verdict/waivers.ts';
import type { Invocation } from '../configuration.ts';
import { print } from '../files.ts';
import { readReport } from '../saved-report.ts';
import { UsageError } from '../usage-error.ts';

const longestReason = 200;

/** A waiver for each requirement that fails. A waiver that has not expired is kept. */
export function showWaivers(report: Report, { owner, expires }: Pick<Waiver, 'owner' | 'expires'>): string {
  const run = reachOf(report.settings, report.seed);
  const waivers = report.requirements
    .filter(({ verdict }) => verdict === 'fail')
    .map(({ id, failures: [failure], waiver }) => {
      const reason = escapeForTerminal(
        shorten(failure === undefined ? 'it fails' : sentenceOf(failure), longestReason),
      );
      if (waiver?.state !== 'waived') return { id, reason, owner, expires, run };
      const { state: _state, ...kept } = waiver;
      return { id, ...kept };
    });
  return waivers.length === 0 ? '[]\n' : stringify(waivers, { lineWidth: 0 });
}

export async function waive({ values: { owner, expires }, words: [file = ''] }: Invocation<'waive'>): Promise<number> {
  if (owner === undefined)
    throw new UsageError('waive needs --owner NAME, who makes sure that the failures are mended.');
  if (expires === undefined)
    throw new UsageError('waive needs --expires DATE, the last day on which the waivers hold.');
  await print(showWaivers(readReport(file), { owner, expires }));
  return 0;
}
