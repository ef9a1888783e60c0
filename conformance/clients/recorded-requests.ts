/** Judges a client by a record of its requests to one service, without running it. */

import type { Exchange } from '../http/exchange.ts';
import type { ClientRun } from './client-run.ts';
import type { CompatibilityRuns } from './compatibility-runs.ts';
import { referenceVariant } from './service-variant.ts';

/** The record as the only run of a client, which passed as far as one can see. */
export function asOnlyRun(exchanges: readonly Exchange[], baseUrl: string): CompatibilityRuns {
  const run: ClientRun = {
    variant: { ...referenceVariant, id: 'recorded' },
    baseUrl,
    isPassed: true,
    ending: 'the end of the record',
    exchanges,
    toOtherHost: [],
    isAnotherDay: false,
    latenessMs: 0,
    differences: new Map(),
    compared: [],
    durationMs: (exchanges.at(-1)?.endedAt ?? 0) - (exchanges[0]?.startedAt ?? 0),
  };
  return {
    reference: run,
    runs: [run],
    breakages: [],
    unexplained: [],
    indistinguishable: [],
    givesUpAt: [],
    isDisturbedByItself: false,
    isEnded: false,
  };
}
