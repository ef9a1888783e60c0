/** `observe FILE.har…`: judges traffic that others have recorded by the same invariants as a run; sends nothing. */

import type { Exchange } from '../../http/exchange.ts';
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

/** Archives are cleaned of keys before they are shared, by browsers too. */
function isCleanedOf(seen: readonly CapturedExchange[]): boolean {
  return seen.every(
    ({ headers, credentialId }) => headers['authorization'] === undefined && credentialId === undefined,
  );
}

/** What was seen as evidence, in the order of the answers: all keys are known before the first text is kept. */
function passedIn(seen: readonly CapturedExchange[], values: TrafficValues): readonly AttributedExchange[] {
  const witness = createTrafficRecorder(senderOptions(values, isCleanedOf(seen)));
  seen.forEach(witness.noteSecrets);
  const places = placesOf(seen);
  const passed = seen.map((one, at) => witness.record(one, places[at]!));
  return passed.sort((one, other) => one.exchange.answered - other.exchange.answered);
}

/** The report on what archives hold below a base address. */
export function observeTraffic(seen: readonly CapturedExchange[], values: TrafficValues, baseUrl: string): Report {
  const passed = passedIn(seen, values);
  const exchanges: readonly Exchange[] = passed.map(({ exchange }) => exchange);
  const end = exchanges.reduce((latest, { endedAt }) => Math.max(latest, endedAt), 0);
  const judge = createTrafficJudge(trafficOptions(values, baseUrl, end === 0 ? Date.now() : end));
  for (const one of passed) judge.add(one);
  return judge.conclude(exchanges);
}

const whyLeftOut: Readonly<Record<LeftOut, string>> = {
  elsewhere: 'to other addresses',
  'not sent': 'that never reached the target',
  'not recorded whole': 'of which the archive lacks the headers or the body',
};

function tellLeftOut(judged: number, leftOut: ReadonlyMap<LeftOut, number>): void {
  const parts = [...leftOut].map(([why, count]) => `${count} ${whyLeftOut[why]}`);
  const rest = parts.length === 0 ? '' : `; left out: ${parts.join(', ')}`;
  process.stderr.write(`${judged} recorded exchanges${rest}.\n`);
}

/** Resolves with the exit code that the report has. */
export async function observe({ values, words: files }: Invocation<'observe'>): Promise<number> {
  checkOutputs(values);
  const baseUrl = values.baseUrl ?? readBaseUrl(findBaseUrl(files), 'The base address of the archives');
  const { seen, leftOut } = readArchives(files, baseUrl);
  tellLeftOut(seen.length, leftOut);
  const report = await withReferenceAnswers(observeTraffic(seen, values, baseUrl));
  await writeOutputs(report, values);
  return report.exitCode;
}
