/** `observe FILE.har…`: judges recorded traffic by the invariants of a run. Sends nothing. */

import type { CapturedExchange } from '../../traffic/captured-exchange.ts';
import { placesOf } from '../../traffic/in-order.ts';
import { createTrafficRecorder } from '../../traffic/recorder.ts';
import { createTrafficJudge } from '../../traffic/traffic-judge.ts';
import type { AttributedExchange } from '../../traffic/window.ts';
import type { Report } from '../../verdict/report.ts';
import { findBaseUrl, type LeftOut, readArchives } from '../archive.ts';
import type { Invocation } from '../configuration.ts';
import { checkOutputs, writeOutputs } from '../outputs.ts';
import { readBaseUrl } from '../readers.ts';
import { withReferenceAnswers } from '../reference-answers.ts';
import { senderOptions, type TrafficValues, trafficOptions } from '../traffic.ts';

/** Whether keys were removed from the archives, as browsers do and people before they share them. */
function isCleaned(captured: readonly CapturedExchange[]): boolean {
  return captured.every(
    ({ headers, credentialId }) => headers['authorization'] === undefined && credentialId === undefined,
  );
}

/** The exchanges in the order of responses. All keys are collected before the first exchange is recorded. */
export function recordAll(
  captured: readonly CapturedExchange[],
  values: Pick<TrafficValues, 'apiKeyEnv'>,
): readonly AttributedExchange[] {
  const recorder = createTrafficRecorder(senderOptions(values, isCleaned(captured)));
  captured.forEach(recorder.noteSecrets);
  const places = placesOf(captured);
  const recorded = captured.map((one, at) => recorder.record(one, places[at]!));
  return recorded.sort((one, other) => one.exchange.answered - other.exchange.answered);
}

/** The report on captured traffic below a base address. */
export function observeTraffic(captured: readonly CapturedExchange[], values: TrafficValues, baseUrl: string): Report {
  const recorded = recordAll(captured, values);
  const end = recorded.reduce((latest, { exchange }) => Math.max(latest, exchange.endedAt), 0);
  const judge = createTrafficJudge({
    ...trafficOptions(values, baseUrl, end === 0 ? Date.now() : end),
    // Archives are in memory as a whole.
    mostExchanges: Number.POSITIVE_INFINITY,
  });
  for (const one of recorded) judge.add(one);
  return judge.conclude();
}

const whyLeftOut: Readonly<Record<LeftOut, string>> = {
  elsewhere: 'to other addresses',
  'not sent': 'that never reached the target',
  'not recorded whole': 'of which the archive lacks the headers or the body',
};

export function showLeftOut(judged: number, leftOut: ReadonlyMap<LeftOut, number>): void {
  const parts = [...leftOut].map(([why, count]) => `${count} ${whyLeftOut[why]}`);
  const rest = parts.length === 0 ? '' : `; left out: ${parts.join(', ')}`;
  process.stderr.write(`${judged} recorded exchanges${rest}.\n`);
}

/** Resolves with the exit code of the report. */
export async function observe({ values, words: files }: Invocation<'observe'>): Promise<number> {
  checkOutputs(values);
  const baseUrl = values.baseUrl ?? readBaseUrl(findBaseUrl(files), 'The base address of the archives');
  const { seen, leftOut } = readArchives(files, baseUrl);
  showLeftOut(seen.length, leftOut);
  const report = await withReferenceAnswers(observeTraffic(seen, values, baseUrl));
  await writeOutputs(report, values);
  return report.exitCode;
}
