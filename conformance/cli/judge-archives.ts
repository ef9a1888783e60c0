/** `client --har FILE`: judges the requests in HTTP archives by the client requirements. Sends nothing. */

import { defined } from '../../spec/defined.ts';
import { asOnlyRun } from '../clients/recorded-requests.ts';
import { reportClient } from '../clients/report-client.ts';
import { curlOf } from '../http/curl.ts';
import type { Exchange } from '../http/exchange.ts';
import { findBaseUrl, readArchives } from './archive.ts';
import { recordAll, showLeftOut } from './commands/observe.ts';
import { readCommit } from './commit.ts';
import type { Values } from './options.ts';
import { checkOutputs, writeOutputs } from './outputs.ts';
import { readBaseUrl } from './readers.ts';
import { type Host, interrupted } from './stop.ts';

export async function judgeArchives(values: Values<'client'>, { interruption }: Host): Promise<number> {
  const { archives: files, waivers } = values;
  checkOutputs(values);
  const baseUrl = readBaseUrl(findBaseUrl(files), 'The base address of the archives');
  const archives = readArchives(files, baseUrl);
  showLeftOut(archives);
  const attributed = await recordAll(archives.seen, { apiKeyEnv: 'PETSTORE_API_KEY' }, interruption);
  const recorded = attributed.map(({ exchange }) => exchange);
  const made = asOnlyRun(
    recorded.toSorted((one, other) => one.sent - other.sent),
    baseUrl,
  );
  const report = reportClient(
    defined({
      made,
      command: ['--har', ...files],
      seed: 0,
      waivers,
      reproduce: (shown: readonly Exchange[]) => curlOf(shown.at(-1)!, baseUrl),
      startedAt: recorded[0]?.startedAt ?? Date.now(),
      endedAt: recorded.at(-1)?.endedAt ?? Date.now(),
      scope: values.evidence,
      commit: readCommit(),
      ended: interruption.aborted ? interrupted : undefined,
    }),
  );
  await writeOutputs(report, values);
  return report.exitCode;
}
