/** What the options say of judging traffic that others send. */

import { defined } from '../../spec/defined.ts';
import type { Credential } from '../http/exchange.ts';
import { findCredential } from '../sections/5-authentication/refused-credentials.ts';
import { conformanceSuite } from '../sections/index.ts';
import type { AttributionOptions } from '../traffic/attribution.ts';
import type { TrafficOptions } from '../traffic/traffic-judge.ts';
import { settingsWith } from '../verdict/settings.ts';
import { readCommit } from './commit.ts';
import type { Values } from './options.ts';
import { evidenceScope } from './outputs.ts';

export type TrafficValues = Omit<Values<'observe'>, 'baseUrl' | 'printsConfiguration'>;

/** Credentials are told apart by their ids; what they are made of is in no archive. */
const keysOfNobody = { api: 'Sample-Key-of-Nobody', rateLimit: 'Sample-Key-of-Nobody-Else' };

function findRecorded(id: string): Credential | undefined {
  return findCredential(id, keysOfNobody)?.shown;
}

/** Who may be sending: the key of the environment is valid, others show it by their answers. */
export function senderOptions({ apiKeyEnv }: TrafficValues, isCleaned: boolean): AttributionOptions {
  const apiKey = process.env[apiKeyEnv];
  return { ...(apiKey ? { apiKey } : {}), isCleaned, findCredential: findRecorded };
}

/** The same judge as that of a run, over what it did not send itself. */
export function trafficOptions(values: TrafficValues, baseUrl: string, today: number): TrafficOptions {
  const { requiresAll, only, waivers, judgesShownOnly, plan, settleMs } = values;
  const commit = readCommit();
  const wanted = judgesShownOnly ? 'shown' : only;
  return {
    suite: conformanceSuite,
    settings: settingsWith({ baseUrl, settleMs, today: values.today ?? today, ...defined({ plan }) }),
    verdictOptions: {
      requiresAll,
      judgesRecordedTraffic: true,
      ...(wanted === undefined ? {} : { only: wanted }),
      ...(waivers === undefined ? {} : { waivers }),
    },
    ...(commit === undefined ? {} : { commit }),
    scope: evidenceScope(values),
  };
}
