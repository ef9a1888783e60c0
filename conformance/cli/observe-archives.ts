/** `observe HAR…`: judges recorded traffic by the invariants of a run. Sends nothing. */

import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Values } from '../options/options.ts';
import { readBaseUrl } from '../options/readers.ts';
import { withReferenceAnswers } from '../run/reference-answers.ts';
import type { CapturedExchange } from '../traffic/captured-exchange.ts';
import { placesOf } from '../traffic/in-order.ts';
import { createTrafficRecorder } from '../traffic/recorder.ts';
import { createTrafficJudge } from '../traffic/traffic-judge.ts';
import type { AttributedExchange } from '../traffic/window.ts';
import { reason } from '../verdict/reasons.ts';
import type { Report } from '../verdict/report.ts';
import { findBaseUrl, type LeftOut, readArchives } from './archive.ts';
import type { Host } from './host.ts';
import { checkOutputs, writeOutputs } from './outputs.ts';
import { senderOptions, type TrafficValues, trafficOptions } from './traffic.ts';

/** Milliseconds of computing after which handlers may run. */
const stretchMs = 50;

/** Acts on one item after another, until the signal aborts, and lets the handlers of signals run in between. */
async function actOnEach<Item>(items: Iterable<Item>, signal: AbortSignal, act: (item: Item) => void): Promise<void> {
  // Files are read in one stretch, so handlers run after the first item.
  let since = Number.NEGATIVE_INFINITY;
  for (const item of items) {
    if (signal.aborted) return;
    act(item);
    if (performance.now() - since < stretchMs) continue;
    await nextTurn();
    since = performance.now();
  }
}

/**
 * The exchanges in the order of responses, as far as they are recorded when the signal aborts. All keys are collected
 * before the first exchange is recorded.
 */
async function recordAll(
  captured: readonly CapturedExchange[],
  signal: AbortSignal,
): Promise<readonly AttributedExchange[]> {
  const recorder = createTrafficRecorder(senderOptions());
  captured.forEach(recorder.noteSecrets);
  const places = placesOf(captured);
  const recorded: AttributedExchange[] = [];
  await actOnEach(captured.entries(), signal, ([at, one]) => recorded.push(recorder.record(one, places[at]!)));
  return recorded.sort((one, other) => one.exchange.answered - other.exchange.answered);
}

/** The report on captured traffic below a base address, as far as it is judged when the signal aborts. */
export async function observeTraffic(
  captured: readonly CapturedExchange[],
  values: TrafficValues,
  { baseUrl, signal }: { readonly baseUrl: string; readonly signal: AbortSignal },
): Promise<Report> {
  const recorded = await recordAll(captured, signal);
  const start = recorded.reduce((first, { exchange }) => Math.min(first, exchange.startedAt), Number.POSITIVE_INFINITY);
  const judge = createTrafficJudge({
    ...trafficOptions(values, baseUrl, recorded.length === 0 ? Date.now() : start),
    // Archives are in memory as a whole.
    mostExchanges: Number.POSITIVE_INFINITY,
  });
  await actOnEach(recorded, signal, judge.add);
  return judge.conclude(signal.aborted ? reason('interrupted', {}) : undefined);
}

const whyLeftOut: Readonly<Record<LeftOut, string>> = {
  elsewhere: 'to other addresses',
  'not sent': 'that never reached the target',
  'not recorded whole': 'of which the archive lacks the headers or the body',
};

function showLeftOut({ seen, leftOut }: Awaited<ReturnType<typeof readArchives>>): void {
  const parts = [...leftOut].map(([why, count]) => `${count} ${whyLeftOut[why]}`);
  const rest = parts.length === 0 ? '' : `; left out: ${parts.join(', ')}`;
  const bodiless = seen.filter(({ response }) => response !== undefined && response.body === undefined).length;
  const bodies = bodiless === 0 ? '' : `, ${bodiless} of them without the whole body of the response`;
  const isCleaned = seen.some((one) => one.isCleaned);
  const keys = isCleaned ? ' An archive shows no key: browsers leave keys out unless they export sensitive data.' : '';
  process.stderr.write(`${seen.length} recorded exchanges${bodies}${rest}.${keys}\n`);
}

export async function observeArchives(
  files: readonly string[],
  values: Values<'observe'>,
  { interruption }: Host,
): Promise<number> {
  await checkOutputs(values);
  const baseUrl = values.baseUrl ?? readBaseUrl(await findBaseUrl(files), 'The base address of the archives');
  const archives = await readArchives(files, baseUrl);
  showLeftOut(archives);
  const report = await withReferenceAnswers(
    await observeTraffic(archives.seen, values, { baseUrl, signal: interruption }),
  );
  await writeOutputs(report, values);
  return report.exitCode;
}
