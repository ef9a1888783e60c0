/** Turns the options of `observe` into those of the traffic judge. */

import { defined } from '../../spec/defined.ts';
import type { Values } from '../options/options.ts';
import { readCommit } from '../run/commit.ts';
import { findCredential } from '../sections/5-authentication/credentials.ts';
import { conformanceSuite } from '../sections/index.ts';
import type { AttributionOptions } from '../traffic/attribution.ts';
import type { TrafficOptions } from '../traffic/traffic-judge.ts';
import { settingsWith } from '../verdict/settings.ts';
import { apiKeyVariable, environmentSecrets } from './own-secrets.ts';

export type TrafficValues = Omit<Values<'observe'>, 'baseUrl' | 'printsConfiguration'>;

/** Archives hold ids of credentials and no keys, so any keys serve to find a credential by its id. */
const sampleKeys = { api: 'Sample-Key-of-Nobody', rateLimit: 'Sample-Key-of-Nobody-Else' };

/** The key of the environment is valid; for other keys the responses show it. */
export function senderOptions(): AttributionOptions {
  return defined({
    apiKey: process.env[apiKeyVariable] || undefined,
    secrets: environmentSecrets(process.env),
    findCredential: (id: string) => findCredential(id, sampleKeys)?.shown,
  });
}

/** Traffic is judged by the same suite as a run. */
export function trafficOptions(values: TrafficValues, baseUrl: string, today: number): TrafficOptions {
  const { requiresAll, only, waivers, plan, settleMs } = values;
  return defined({
    suite: conformanceSuite,
    settings: settingsWith({ baseUrl, settleMs, today: values.today ?? today, ...defined({ plan }) }),
    verdictOptions: defined({
      requiresAll,
      judgesRecordedTraffic: true as const,
      only,
      waivers,
    }),
    commit: readCommit(),
  });
}
