/** Brings a report of format version 1 up to date: what was not told then is neutral now, and marked as such. */

import { findCredential } from '../checks/refused-credentials.ts';
import { countVerdicts } from '../engine/report/counts.ts';
import type { Report, ReportedExchange, TimelineRow } from '../engine/report/report.ts';
import { timelineRow } from '../engine/report/timeline.ts';

/** What a report of version 1 does not have. */
type Added = 'upgradedFrom' | 'node' | 'settings' | 'counts' | 'waits' | 'timeline';

export interface ReportOfVersion1 extends Omit<Report, Added | 'formatVersion' | 'kit'> {
  readonly formatVersion: 1;
  readonly kit: { readonly name: string; readonly version: string };
}

/** Credentials are told by their id; the kind is that of any key's. */
const anyKeys = { api: 'key-of-nobody', rateLimit: 'another-key' };

function rowOf({ credentialId, startedAt: text, durationMs, ...exchange }: ReportedExchange): TimelineRow {
  const startedAt = Date.parse(text);
  const kind = findCredential(credentialId, anyKeys)?.shown.kind ?? 'invalid';
  return timelineRow({ ...exchange, credential: { kind }, startedAt, endedAt: startedAt + durationMs });
}

export function upgradeReport(report: ReportOfVersion1): Report {
  const { kit, requests, creates, startedAt, requirements, exchanges } = report;
  return {
    ...report,
    formatVersion: 2,
    upgradedFrom: 1,
    kit: { ...kit, selfTest: { faults: 0, found: 0, within: [], variants: 0, falseFailures: 0 } },
    node: 'unknown',
    settings: {
      maxRequests: requests,
      maxCreates: creates,
      isReadOnly: false,
      categoryIds: [],
      petIds: [],
      concurrency: 1,
      settleMs: 0,
      maxWaitMs: 0,
      isDisposable: false,
      today: startedAt,
      requiresAll: false,
      waivers: [],
      gatewayHeaders: [],
      hasRateLimitKey: false,
    },
    counts: countVerdicts(requirements),
    waits: [],
    timeline: exchanges.map(rowOf),
  };
}
