/** The settings of a run as its report shows them, so that it can be repeated. */

import { defined } from '../../spec/defined.ts';
import type { VerdictOptions } from './outcome.ts';
import type { ReportedSettings } from './report.ts';
import type { Settings } from './settings.ts';

/** Leaves out the keys and the values of the headers for gateways. */
export function reportSettings(settings: Settings, options: VerdictOptions): ReportedSettings {
  const { only, isLastFailed, requiresAll, waivers } = options;
  return defined({
    plan: settings.plan,
    only: only === undefined || only === 'shown' ? undefined : [...only],
    isLastFailed: isLastFailed || undefined,
    maxRequests: settings.maxRequests,
    maxCreates: settings.maxCreates,
    isReadOnly: settings.isReadOnly,
    categoryIds: settings.categoryIds.map(String),
    concurrency: settings.concurrency,
    settleMs: settings.settleMs,
    maxWaitMs: settings.maxWaitMs,
    timeoutMs: settings.timeoutMs,
    isDisposable: settings.isDisposable,
    nameTemplate: settings.nameTemplate,
    today: new Date(settings.today).toISOString(),
    requiresAll,
    waivers: [...(waivers?.keys() ?? [])],
    gatewayHeaders: Object.keys(settings.headers),
    hasRateLimitKey: settings.hasRateLimitKey,
  });
}
