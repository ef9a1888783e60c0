/** Judges hand-made traffic, and animals and exchanges for it. */

import { trialSettings } from '../../proof/trial.ts';
import type { CapturedExchange } from '../../traffic/captured-exchange.ts';
import { judgeTraffic } from '../../traffic/judge-traffic.ts';
import { recordTraffic, type TrafficSecrets } from '../../traffic/record.ts';
import type { Report } from '../../verdict/report.ts';
import { seen } from '../seen.ts';

/** The report on some traffic. */
export function judge(traffic: readonly CapturedExchange[], secrets: TrafficSecrets = {}): Report {
  const settings = trialSettings(0, { baseUrl: 'http://in-process/v1' });
  return judgeTraffic(recordTraffic(traffic, secrets), {
    settings,
    verdictOptions: { requiresAll: false },
    scope: 'all',
  });
}

/** The requirements that fail, each with its code. */
export function failures(traffic: readonly CapturedExchange[]): readonly string[] {
  return judge(traffic).requirements.flatMap(({ id, failures: all }) => all.map(({ code }) => `${id} ${code}`));
}

export const rex = { id: 1, name: 'Rex', categoryId: 7 };
export const plain = { name: 'Rex', categoryId: 7 };
export const errorOf = (status: number) => ({ code: 'x', message: 'y', status });
export const creates = (at: number) => seen(at, 'POST /pets', 201, rex, { sent: plain });
