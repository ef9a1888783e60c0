/** Judges a stretch of traffic: each key on its own, and anew after each change by an operation that is not shown. */

import type { GapId } from '../../spec/gaps.ts';
import type { Exchange } from '../http/exchange.ts';
import type { Suite } from '../run/scenario.ts';
import type { Observation } from '../verdict/check.ts';
import { type Finding, isFailing } from '../verdict/finding.ts';
import { type Judging, judgeHistory, observe } from '../verdict/findings.ts';
import { readHistory } from '../verdict/history.ts';
import type { Settings } from '../verdict/settings.ts';
import { isCredible } from './trust.ts';

/** An exchange, and whose it is. */
export interface AttributedExchange {
  readonly exchange: Exchange;
  /** The same for all requests with one key; undefined without a key. */
  readonly client?: string;
}

const changesNothing = /^(GET|HEAD|OPTIONS|TRACE)$/;

/** Whether a request may have changed or removed animals in a way that the interface does not show (§4.4). */
function mayChange({ exchange: { operation, request, response } }: AttributedExchange): boolean {
  if (operation !== 'other' || changesNothing.test(request.method)) return false;
  return response === undefined || response.status < 400 || response.status >= 500;
}

/** Stretches in which no animal was changed out of sight; what was under way meanwhile stands alone. */
function stretchesOf(passed: readonly AttributedExchange[]): readonly (readonly AttributedExchange[])[] {
  const changes = passed.filter(mayChange).map(({ exchange }) => exchange);
  const [first] = changes.sort((one, other) => one.sent - other.sent);
  if (first === undefined) return [passed];
  const end = changes.reduce(
    (last, { sent, answered }) => (sent <= last ? Math.max(last, answered) : last),
    first.answered,
  );
  const before = passed.filter(({ exchange }) => exchange.answered < first.sent);
  const after = passed.filter(({ exchange }) => exchange.sent > end);
  const meanwhile = passed.filter(({ exchange }) => exchange.answered >= first.sent && exchange.sent <= end);
  return [before, ...meanwhile.map((one) => [one]), ...stretchesOf(after)];
}

/** What one client could know, together with what went without a key. */
function byClient(passed: readonly AttributedExchange[]): readonly (readonly Exchange[])[] {
  const clients = new Set(passed.flatMap(({ client }) => client ?? []));
  if (clients.size === 0) return [passed.map(({ exchange }) => exchange)];
  return [...clients].map((own) =>
    passed.flatMap(({ client, exchange }) => (client === undefined || client === own ? [exchange] : [])),
  );
}

export interface WindowVerdict {
  readonly findings: readonly Finding[];
  readonly observed: readonly ReadonlyMap<GapId, Observation>[];
}

function labelOf({ requirement, failure, exchanges }: Finding): string {
  return [requirement, failure?.code, ...exchanges.map(({ number }) => number)].join(' ');
}

/** What the invariants find and the observers read in a stretch of traffic. Sends nothing. */
export function judgeWindow(
  passed: readonly AttributedExchange[],
  { suite, settings, judging }: { readonly suite: Suite; readonly settings: Settings; readonly judging: Judging },
): WindowVerdict {
  const histories = stretchesOf(passed)
    .flatMap(byClient)
    .filter((exchanges) => exchanges.length > 0)
    .map((exchanges) => readHistory(exchanges, settings));
  const findings = histories.flatMap((history) =>
    judgeHistory(history, suite, judging).filter((finding) => !isFailing(finding) || isCredible(finding, history)),
  );
  return {
    // What went without a key is seen with every key.
    findings: [...new Map(findings.map((finding) => [labelOf(finding), finding])).values()],
    observed: histories.map((history) => observe(history, suite)),
  };
}
