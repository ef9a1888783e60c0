/** What a report tells of the settings of a run, so that it can be run again. */

import type { Settings } from '../settings.ts';
import type { Demands } from './outcome.ts';
import type { ReportedSettings } from './report.ts';

/** Without a key, and without what gateways are sent. */
export function reportSettings(settings: Settings, { only, requiresAll, waivers }: Demands): ReportedSettings {
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
