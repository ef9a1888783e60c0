/** Turns the options of `observe` into those of the traffic judge. */

import { defined } from '../../spec/defined.ts';
import type { Values } from '../options/options.ts';
import { readCommit } from '../run/commit.ts';
import type { TrafficOptions } from '../traffic/judge-traffic.ts';
import type { TrafficSecrets } from '../traffic/record.ts';
import { settingsWith } from '../verdict/settings.ts';
import { apiKeyVariable, environmentSecrets } from './own-secrets.ts';

export type TrafficValues = Omit<Values<'observe'>, 'baseUrl' | 'printsConfiguration'>;

/** The key of the environment is valid; for other keys the responses show it. */
export function ownSecrets(): TrafficSecrets {
  return defined({ apiKey: process.env[apiKeyVariable] || undefined, secrets: environmentSecrets(process.env) });
}

export function trafficOptions(values: TrafficValues, baseUrl: string, today: number): TrafficOptions {
  const { requiresAll, only, waivers, plan, settleMs } = values;
  return defined({
    settings: settingsWith({ baseUrl, settleMs, today: values.today ?? today, ...defined({ plan }) }),
    verdictOptions: defined({ requiresAll, judgesRecordedTraffic: true as const, only, waivers }),
    commit: readCommit(),
  });
}
