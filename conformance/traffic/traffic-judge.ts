/** Judges traffic as it passes, however much of it there is: keeps what was found, and the last exchanges only. */

import { defined } from '../../spec/defined.ts';
import type { Exchange } from '../http/exchange.ts';
import type { Suite } from '../run/scenario.ts';
import { createReport } from '../verdict/create-report.ts';
import type { Failing } from '../verdict/finding.ts';
import { createJudging } from '../verdict/findings.ts';
import { countUnanswered } from '../verdict/history.ts';
import type { VerdictOptions } from '../verdict/outcome.ts';
import type { EvidenceScope, Report } from '../verdict/report.ts';
import type { Settings } from '../verdict/settings.ts';
import { createFindingTotals } from './finding-totals.ts';
import { type AttributedExchange, judgeWindow } from './window.ts';

export interface TrafficOptions {
  readonly suite: Suite;
  readonly settings: Settings;
  readonly verdictOptions: VerdictOptions;
  readonly scope: EvidenceScope;
  /** Of the kit's own sources. */
  readonly commit?: string;
  /** Told of the first failure of each kind, as soon as it is found. */
  readonly onFailure?: (failing: Failing) => void;
}

export interface TrafficJudge {
  /** Takes the next exchange, in the order of the answers. */
  readonly add: (passed: AttributedExchange) => void;
  /** Judges what was added since the last time. */
  readonly judge: () => void;
  /** The report on all that was added; of the exchanges it can show those that are given, else those that bear it. */
  readonly conclude: (exchanges?: readonly Exchange[]) => Report;
}

/** So many exchanges are judged together with as many before them: what lies farther apart is not put together. */
export const windowSize = 256;

/** A judge of traffic. No requirement is skipped for a key or an option: traffic shows what it shows. */
export function createTrafficJudge({
  suite,
  settings,
  verdictOptions,
  scope,
  commit,
  onFailure,
}: TrafficOptions): TrafficJudge {
  const judging = createJudging();
  const tally = createFindingTotals();
  let before: readonly AttributedExchange[] = [];
  let fresh: AttributedExchange[] = [];
  const totals = { requests: 0, creates: 0, unanswered: 0, startedAt: Number.POSITIVE_INFINITY, endedAt: 0 };

  function count(exchange: Exchange): void {
    totals.requests += 1;
    totals.creates += exchange.response?.status === 201 ? 1 : 0;
    totals.unanswered += countUnanswered([exchange]);
    totals.startedAt = Math.min(totals.startedAt, exchange.startedAt);
    totals.endedAt = Math.max(totals.endedAt, exchange.endedAt);
  }

  function judge(): void {
    if (fresh.length === 0) return;
    const window = [...before, ...fresh];
    const verdict = judgeWindow(window, { suite, settings, judging });
    const found = tally.add(verdict, new Set(fresh.map(({ exchange }) => exchange)));
    before = window.slice(-windowSize);
    fresh = [];
    for (const failing of found) onFailure?.(failing);
  }

  return {
    add(passed) {
      count(passed.exchange);
      fresh.push(passed);
      if (fresh.length === windowSize) judge();
    },
    judge,
    conclude(exchanges) {
      judge();
      const isEmpty = totals.requests === 0;
      const ended = isEmpty ? 'the traffic holds no exchange below the base address' : undefined;
      const startedAt = isEmpty ? settings.today : totals.startedAt;
      // Traffic shows what it shows: no requirement is skipped for a missing key.
      const judged = { ...settings, hasRateLimitKey: true };
      return createReport(
        defined({
          ...totals,
          startedAt,
          endedAt: Math.max(totals.endedAt, startedAt),
          settings,
          verdictOptions,
          verdicts: tally.verdicts({ settings: judged, notes: new Map(), errors: judging.errors, ended }),
          exchanges: (exchanges ?? tally.cited()).toSorted((one, other) => one.number - other.number),
          observed: tally.observed(),
          ended,
          scope,
          commit,
        }),
      );
    },
  };
}
