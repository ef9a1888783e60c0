/** Judges traffic as it passes, however much of it there is: keeps what was found, and the last exchanges only. */

import type { Exchange } from '../http/exchange.ts';
import type { Suite } from '../run/scenario.ts';
import { createReport } from '../verdict/create-report.ts';
import type { Failing } from '../verdict/finding.ts';
import { createJudging } from '../verdict/findings.ts';
import { countUnanswered, readHistory } from '../verdict/history.ts';
import { isWanted, judgeRun, type VerdictOptions } from '../verdict/outcome.ts';
import type { EvidenceScope, Report } from '../verdict/report.ts';
import type { Settings } from '../verdict/settings.ts';
import { applyWaivers } from '../verdict/waivers.ts';
import { createFindingTotals } from './finding-totals.ts';
import { type AttributedExchange, judgeWindow } from './window.ts';

export interface TrafficOptions {
  readonly suite: Suite;
  readonly settings: Settings;
  readonly demands: VerdictOptions;
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
  demands,
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
      const ended = totals.requests === 0 ? { ended: 'the traffic holds no exchange below the base address' } : {};
      const facts = {
        settings: { ...settings, hasRateLimitKey: true },
        notes: new Map(),
        errors: judging.errors,
        ...ended,
      };
      const wanted = tally.verdicts(facts).filter((verdict) => isWanted(verdict, demands));
      const verdicts = applyWaivers(wanted, demands.waivers, settings.today);
      const shown = (exchanges ?? tally.cited()).toSorted((one, other) => one.number - other.number);
      const { startedAt, ...rest } = totals;
      const report = createReport({
        ...rest,
        startedAt: totals.requests === 0 ? settings.today : startedAt,
        endedAt: Math.max(rest.endedAt, totals.requests === 0 ? settings.today : startedAt),
        history: readHistory(shown, settings),
        settings,
        verdicts,
        counterexamples: new Map(),
        outcome: judgeRun({ verdicts, demands, requests: totals.requests, unanswered: totals.unanswered, ...ended }),
        observed: tally.observed(),
        demands,
        // Nothing waits for traffic.
        waits: [],
        scope,
        ...(commit === undefined ? {} : { commit }),
      });
      // The animals of others are no leftovers of ours.
      return { ...report, created: [] };
    },
  };
}
