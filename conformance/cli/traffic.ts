/** Judges captured traffic by the options of `observe`. */

import { defined } from '../../spec/defined.ts';
import type { Values } from '../options/options.ts';
import type { CapturedExchange } from '../traffic/captured-exchange.ts';
import { judgeTraffic, type TrafficOptions } from '../traffic/judge-traffic.ts';
import { recordTraffic } from '../traffic/record.ts';
import type { Report } from '../verdict/report.ts';
import { settingsWith } from '../world/settings.ts';
import { apiKeyVariable, environmentSecrets } from './own-secrets.ts';

export type TrafficValues = Pick<Values<'observe'>, 'requiresAll' | 'only' | 'waivers' | 'plan' | 'settleMs' | 'today'>;

/** The traffic as exchanges. The key of the environment is valid; for other keys the responses show it. */
export function recordCaptured(captured: readonly CapturedExchange[]) {
  const { [apiKeyVariable]: apiKey } = process.env;
  return recordTraffic(captured, defined({ apiKey: apiKey || undefined, secrets: environmentSecrets(process.env) }));
}

/** How traffic is judged that began at a time, Unix milliseconds. */
export function trafficOptions(values: TrafficValues, baseUrl: string, startedAt: number): TrafficOptions {
  const { requiresAll, only, waivers, plan, settleMs, today = startedAt } = values;
  return defined({
    settings: settingsWith({ baseUrl, settleMs, today, ...defined({ plan }) }),
    verdictOptions: defined({ requiresAll, judgesRecordedTraffic: true as const, only, waivers }),
  });
}

/** The report on captured traffic below a base address. */
export function judgeCaptured(
  captured: readonly CapturedExchange[],
  values: TrafficValues,
  baseUrl: string,
  more: Pick<TrafficOptions, 'remark'> = {},
): Report {
  const startedAt = captured.reduce(
    (first, one) => Math.min(first, one.startedAt),
    captured[0]?.startedAt ?? Date.now(),
  );
  return judgeTraffic(recordCaptured(captured), { ...trafficOptions(values, baseUrl, startedAt), ...more });
}
