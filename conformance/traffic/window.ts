/** Judges a window of traffic: each key separately, and afresh after each change by an operation that is not shown. */

import type { GapId } from '../../spec/gaps.ts';
import type { Exchange } from '../http/exchange.ts';
import type { Observation } from '../verdict/check.ts';
import { type Finding, isFailing } from '../verdict/finding.ts';
import { type Judging, type JudgingSuite, judgeHistory, observe } from '../verdict/findings.ts';
import { readHistory } from '../verdict/history.ts';
import type { Settings } from '../verdict/settings.ts';
import { isCredible } from './trust.ts';

export interface AttributedExchange {
  readonly exchange: Exchange;
  /** Equal for all requests with one key; undefined without a key. */
  readonly client?: string;
}

const changesNothing = /^(GET|HEAD|OPTIONS|TRACE)$/;

/** Whether a request may have changed or removed animals by an operation that is not shown (§4.4). */
function mayChange({ exchange: { operation, request, response } }: AttributedExchange): boolean {
  if (operation !== 'other' || changesNothing.test(request.method)) return false;
  return response === undefined || response.status < 400 || response.status >= 500;
}

/** Splits traffic into stretches without such a change. Each exchange that overlaps a change stands alone. */
function stretchesOf(attributed: readonly AttributedExchange[]): readonly (readonly AttributedExchange[])[] {
  const changes = attributed.filter(mayChange).map(({ exchange }) => exchange);
  const [first] = changes.sort((one, other) => one.sent - other.sent);
  if (first === undefined) return [attributed];
  const end = changes.reduce(
    (last, { sent, answered }) => (sent <= last ? Math.max(last, answered) : last),
    first.answered,
  );
  const before = attributed.filter(({ exchange }) => exchange.answered < first.sent);
  const after = attributed.filter(({ exchange }) => exchange.sent > end);
  const meanwhile = attributed.filter(({ exchange }) => exchange.answered >= first.sent && exchange.sent <= end);
  return [before, ...meanwhile.map((one) => [one]), ...stretchesOf(after)];
}

/** The exchanges of each client, together with those without a key. */
function byClient(attributed: readonly AttributedExchange[]): readonly (readonly Exchange[])[] {
  const clients = new Set(attributed.flatMap(({ client }) => client ?? []));
  if (clients.size === 0) return [attributed.map(({ exchange }) => exchange)];
  return [...clients].map((own) =>
    attributed.flatMap(({ client, exchange }) => (client === undefined || client === own ? [exchange] : [])),
  );
}

export interface WindowVerdict {
  readonly findings: readonly Finding[];
  readonly observed: readonly ReadonlyMap<GapId, Observation>[];
}

export interface WindowOptions {
  readonly suite: JudgingSuite;
  readonly settings: Settings;
  readonly judging: Judging;
  /** When the traffic started that the window is a part of, Unix milliseconds. */
  readonly startedAt: number;
}

/** The findings of all invariants and the observations of all observers in a window of traffic. */
export function judgeWindow(
  attributed: readonly AttributedExchange[],
  { suite, settings, judging, startedAt }: WindowOptions,
): WindowVerdict {
  // Traffic may last for days, and a history takes `today` for the time of its first exchange.
  const todayOf = ([first]: readonly Exchange[]): number => settings.today + first!.startedAt - startedAt;
  const histories = stretchesOf(attributed)
    .flatMap(byClient)
    .filter((exchanges) => exchanges.length > 0)
    .map((exchanges) => readHistory(exchanges, { ...settings, today: todayOf(exchanges) }));
  const findings = histories.flatMap((history) =>
    judgeHistory(history, suite, judging).filter((finding) => !isFailing(finding) || isCredible(finding, history)),
  );
  const labelOf = ({ requirement, failure, exchanges }: Finding): string =>
    [requirement, failure?.code, ...exchanges.map(({ number }) => number)].join(' ');
  return {
    // Exchanges without a key are judged with those of every client.
    findings: [...new Map(findings.map((finding) => [labelOf(finding), finding])).values()],
    observed: histories.map((history) => observe(history, suite)),
  };
}
