/** Judges hand-made traffic, and animals and exchanges for it. */

import { trialSettings } from '../../proof/trial.ts';
import { findCredential } from '../../sections/5-authentication/credentials.ts';
import { conformanceSuite } from '../../sections/index.ts';
import type { AttributionOptions } from '../../traffic/attribution.ts';
import { type CapturedExchange, placesOf } from '../../traffic/captured-exchange.ts';
import { createTrafficRecorder } from '../../traffic/recorder.ts';
import { createTrafficJudge } from '../../traffic/traffic-judge.ts';
import type { Report } from '../../verdict/report.ts';
import { seen } from '../seen.ts';

const keys = { api: 'Sample-Key-of-Nobody' };
export const options: AttributionOptions = {
  findCredential: (id) => findCredential(id, keys)?.shown,
};

/** The report on some traffic. */
export function judge(traffic: readonly CapturedExchange[], changes: Partial<AttributionOptions> = {}): Report {
  const recorder = createTrafficRecorder({ ...options, ...changes });
  const settings = trialSettings(0, { baseUrl: 'http://in-process/v1' });
  const judging = createTrafficJudge({
    suite: conformanceSuite,
    settings,
    verdictOptions: { requiresAll: false },
    scope: 'all',
  });
  const places = placesOf(traffic);
  const passed = traffic.map((one, at) => recorder.record(one, places[at]!));
  for (const one of passed.sort((a, b) => a.exchange.answered - b.exchange.answered)) judging.add(one);
  return judging.conclude();
}

/** The requirements that fail, each with its code. */
export function failures(
  traffic: readonly CapturedExchange[],
  changes: Partial<AttributionOptions> = {},
): readonly string[] {
  return judge(traffic, changes).requirements.flatMap(({ id, failures: all }) =>
    all.map(({ code }) => `${id} ${code}`),
  );
}

export const rex = { id: 1, name: 'Rex', categoryId: 7 };
export const mia = { id: 2, name: 'Mia', categoryId: 7 };
export const plain = { name: 'Rex', categoryId: 7 };
export const errorOf = (status: number) => ({ code: 'x', message: 'y', status });
export const creates = (at: number) => seen(at, 'POST /pets', 201, rex, { sent: plain });
/** Two creations: a change of the second animal is certain where the first one is still shown as it was. */
export const createsBoth = (at: number) => [
  seen(at - 1, 'POST /pets', 201, mia, { sent: { name: 'Mia', categoryId: 7 } }),
  creates(at),
];
