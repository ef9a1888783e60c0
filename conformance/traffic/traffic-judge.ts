/** Judges a stream of traffic of any length: keeps the findings and only the last exchanges. */

import { defined } from '../../spec/defined.ts';
import type { Exchange } from '../http/exchange.ts';
import { createReport } from '../verdict/create-report.ts';
import type { Failing } from '../verdict/finding.ts';
import { createJudging, type JudgingSuite } from '../verdict/findings.ts';
import { countUnanswered } from '../verdict/history.ts';
import type { VerdictOptions } from '../verdict/outcome.ts';
import { type Reason, reason } from '../verdict/reasons.ts';
import type { EvidenceScope, Report } from '../verdict/report.ts';
import type { Settings } from '../verdict/settings.ts';
import { createFindingTotals } from './finding-totals.ts';
import { type AttributedExchange, judgeWindow } from './window.ts';

export interface TrafficOptions {
  readonly suite: JudgingSuite;
  readonly settings: Settings;
  readonly verdictOptions: VerdictOptions;
  readonly scope?: EvidenceScope;
  readonly commit?: string;
  /** The report holds this many exchanges, and those that findings cite; 10,000 if absent. */
  readonly mostExchanges?: number;
  /** Called with the first failure of each kind as soon as it is found. */
  readonly onFailure?: (failing: Failing) => void;
}

const defaultExchanges = 10_000;
/** The report holds no further exchanges when the texts of those before take this much memory, UTF-16 units. */
const mostText = 16 * 1024 * 1024;

/** This many new exchanges are judged together with as many before them. Checks relate no exchanges farther apart. */
export const windowSize = 256;

export function createTrafficJudge({
  suite,
  settings,
  verdictOptions,
  scope,
  commit,
  mostExchanges = defaultExchanges,
  onFailure,
}: TrafficOptions) {
  const judging = createJudging();
  const findingTotals = createFindingTotals();
  let before: readonly AttributedExchange[] = [];
  let fresh: AttributedExchange[] = [];
  const kept: Exchange[] = [];
  let keptText = 0;
  const totals = { requests: 0, creates: 0, unanswered: 0, startedAt: Number.POSITIVE_INFINITY, endedAt: 0 };

  function count(exchange: Exchange): void {
    totals.requests += 1;
    totals.creates += exchange.response?.status === 201 ? 1 : 0;
    totals.unanswered += countUnanswered([exchange]);
    totals.startedAt = Math.min(totals.startedAt, exchange.startedAt);
    totals.endedAt = Math.max(totals.endedAt, exchange.endedAt);
  }

  function keep(exchange: Exchange): void {
    if (kept.length >= mostExchanges || keptText > mostText) return;
    kept.push(exchange);
    keptText += (exchange.request.body?.length ?? 0) + (exchange.response?.body.length ?? 0);
  }

  /** Judges the exchanges that were added since the last call. */
  function judge(): void {
    if (fresh.length === 0) return;
    const window = [...before, ...fresh];
    const verdict = judgeWindow(window, { suite, settings, judging, startedAt: totals.startedAt });
    const found = findingTotals.add(verdict, new Set(fresh.map(({ exchange }) => exchange)));
    before = window.slice(-windowSize);
    fresh = [];
    for (const failing of found) onFailure?.(failing);
  }

  return {
    /** Adds the next exchange, in the order of responses. */
    add(attributed: AttributedExchange): void {
      count(attributed.exchange);
      keep(attributed.exchange);
      fresh.push(attributed);
      if (fresh.length === windowSize) judge();
    },
    judge,
    /** The report on all added exchanges. `endedBefore` says why not all that passed was added. */
    conclude(endedBefore?: Reason): Report {
      judge();
      const isEmpty = totals.requests === 0;
      const ended = endedBefore ?? (isEmpty ? reason('traffic-empty', {}) : undefined);
      const exchanges = [...new Set([...kept, ...findingTotals.cited()])];
      const startedAt = isEmpty ? settings.today : totals.startedAt;
      // A verdict on recorded traffic needs no key, so no requirement is skipped for lack of one.
      const judged = { ...settings, hasRateLimitKey: true };
      return createReport(
        defined({
          ...totals,
          startedAt,
          endedAt: Math.max(totals.endedAt, startedAt),
          settings,
          verdictOptions,
          verdicts: findingTotals.verdicts({ settings: judged, notes: new Map(), errors: judging.errors, ended }),
          exchanges: exchanges.sort((one, other) => one.number - other.number),
          omittedExchanges: totals.requests - exchanges.length || undefined,
          observed: findingTotals.observed(),
          ended,
          ...defined({ scope }),
          commit,
        }),
      );
    },
  };
}
