/** `observe HAR…`: judges recorded traffic by the judges of a run. Sends nothing. */

import type { Values } from '../options/options.ts';
import { readBaseUrl } from '../options/readers.ts';
import { withReferenceAnswers } from '../run/reference-answers.ts';
import { type Archive, findBaseUrl, type LeftOut, parseArchive, readArchives } from '../traffic/archive.ts';
import type { CapturedExchange } from '../traffic/captured-exchange.ts';
import { judgeTraffic } from '../traffic/judge-traffic.ts';
import { recordTraffic } from '../traffic/record.ts';
import { reason } from '../verdict/reasons.ts';
import type { Report } from '../verdict/report.ts';
import { readText } from './files.ts';
import type { Host } from './host.ts';
import { checkOutputs, writeOutputs } from './outputs.ts';
import { ownSecrets, type TrafficValues, trafficOptions } from './traffic.ts';

const largestArchive = 256 * 1024 * 1024;

export async function readArchive(file: string): Promise<Archive> {
  return parseArchive(await readText(file, { what: 'The archive', largest: largestArchive }), file);
}

const whyLeftOut: Readonly<Record<LeftOut, string>> = {
  elsewhere: 'to other addresses',
  'not sent': 'that never reached the target',
  'not recorded whole': 'of which the archive lacks the headers or the body',
};

function showLeftOut({ seen, leftOut }: ReturnType<typeof readArchives>): void {
  const parts = [...leftOut].map(([why, all]) => `${all.length} ${whyLeftOut[why]}`);
  const rest = parts.length === 0 ? '' : `; left out: ${parts.join(', ')}`;
  const bodiless = seen.filter(({ response }) => response !== undefined && response.body === undefined).length;
  const bodies = bodiless === 0 ? '' : `, ${bodiless} of them without the whole body of the response`;
  const isCleaned = seen.some((one) => one.isCleaned);
  const keys = isCleaned ? ' An archive shows no key: browsers leave keys out unless they export sensitive data.' : '';
  process.stderr.write(`${seen.length} recorded exchanges${bodies}${rest}.${keys}\n`);
}

/** The report on captured traffic below a base address. */
export function observeTraffic(
  captured: readonly CapturedExchange[],
  values: TrafficValues,
  { baseUrl, isInterrupted = false }: { readonly baseUrl: string; readonly isInterrupted?: boolean },
): Report {
  const start = captured.reduce((first, { startedAt }) => Math.min(first, startedAt), Number.POSITIVE_INFINITY);
  const options = trafficOptions(values, baseUrl, captured.length === 0 ? Date.now() : start);
  const ended = isInterrupted ? reason('interrupted', {}) : undefined;
  return judgeTraffic(recordTraffic(captured, ownSecrets()), { ...options, ended });
}

export async function observeArchives(
  files: readonly string[],
  values: Values<'observe'>,
  { interruption }: Host,
): Promise<number> {
  await checkOutputs(values);
  const archives = await Promise.all(files.map(readArchive));
  const baseUrl = values.baseUrl ?? readBaseUrl(findBaseUrl(archives), 'The base address of the archives');
  const read = readArchives(archives, baseUrl);
  showLeftOut(read);
  const isInterrupted = interruption.aborted;
  const report = await withReferenceAnswers(observeTraffic(read.seen, values, { baseUrl, isInterrupted }));
  await writeOutputs(report, values);
  return report.exitCode;
}
