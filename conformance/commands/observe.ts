/** `observe FILE.har…`: judges traffic that others have recorded by the same invariants as a run; sends nothing. */

import { findBaseUrl, type LeftOut, readArchives } from '../command-line/archive.ts';
import type { Invocation } from '../command-line/configuration.ts';
import { checkOutputs, writeOutputs } from '../command-line/outputs.ts';
import { readBaseUrl } from '../command-line/readers.ts';
import { withReferenceAnswers } from '../command-line/reference-answers.ts';
import { senderOptions, type TrafficValues, trafficOptions } from '../command-line/traffic.ts';
import type { Exchange } from '../engine/evidence/exchange.ts';
import type { Report } from '../engine/report/report.ts';
import { placesOf } from '../engine/traffic/in-order.ts';
import type { Passed } from '../engine/traffic/judge-window.ts';
import type { SeenExchange } from '../engine/traffic/seen.ts';
import { createTrafficJudge } from '../engine/traffic/traffic-judge.ts';
import { createWitness } from '../engine/traffic/witness.ts';

/** Archives are cleaned of keys before they are shared, by browsers too. */
function isCleanedOf(seen: readonly SeenExchange[]): boolean {
  return seen.every(
    ({ headers, credentialId }) => headers['authorization'] === undefined && credentialId === undefined,
  );
}

/** What was seen as evidence, in the order of the answers: all keys are known before the first text is kept. */
function passedIn(seen: readonly SeenExchange[], values: TrafficValues): readonly Passed[] {
  const witness = createWitness(senderOptions(values, isCleanedOf(seen)));
  seen.forEach(witness.meet);
  const places = placesOf(seen);
  const passed = seen.map((one, at) => witness.take(one, places[at]!));
  return passed.sort((one, other) => one.exchange.answered - other.exchange.answered);
}

/** The report on what archives hold below a base address. */
export function observeTraffic(seen: readonly SeenExchange[], values: TrafficValues, baseUrl: string): Report {
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
