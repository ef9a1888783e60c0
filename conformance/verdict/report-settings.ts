/** What a report tells of the settings of a run, so that it can be run again. */

import type { VerdictOptions } from './outcome.ts';
import type { ReportedSettings } from './report.ts';
import type { Settings } from './settings.ts';

/** Without a key, and without what gateways are sent. */
export function reportSettings(settings: Settings, { only, requiresAll, waivers }: VerdictOptions): ReportedSettings {
  const { plan, rateLimitPlan, timeoutMs, nameTemplate } = settings;
  return {
    ...(plan === undefined ? {} : { plan }),
    ...(rateLimitPlan === undefined ? {} : { rateLimitPlan }),
    ...(only === undefined || only === 'shown' ? {} : { only: [...only] }),
    maxRequests: settings.maxRequests,
    maxCreates: settings.maxCreates,
    isReadOnly: settings.isReadOnly,
    categoryIds: settings.categoryIds.map(String),
    petIds: settings.petIds.map(String),
    concurrency: settings.concurrency,
    settleMs: settings.settleMs,
    maxWaitMs: settings.maxWaitMs,
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
    isDisposable: settings.isDisposable,
    ...(nameTemplate === undefined ? {} : { nameTemplate }),
    today: new Date(settings.today).toISOString(),
    requiresAll,
    waivers: [...(waivers?.keys() ?? [])],
    gatewayHeaders: Object.keys(settings.headers),
    hasRateLimitKey: settings.hasRateLimitKey,
  };
}
