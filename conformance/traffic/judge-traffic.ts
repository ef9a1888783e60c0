/** Judges recorded traffic: each key separately, and afresh after each change by an operation that is not shown. */

import { defined } from '../../spec/defined.ts';
import type { GapId } from '../../spec/gaps.ts';
import type { Exchange } from '../http/exchange.ts';
import { conformanceSuite } from '../sections/index.ts';
import type { Observation } from '../verdict/check.ts';
import { createReport } from '../verdict/create-report.ts';
import { type Failing, type Finding, isFailing } from '../verdict/finding.ts';
import { createJudging, type Judging, judgeHistory, observe } from '../verdict/findings.ts';
import { type History, readHistory } from '../verdict/history.ts';
import type { VerdictOptions } from '../verdict/outcome.ts';
import { type Reason, reason } from '../verdict/reasons.ts';
import type { EvidenceScope, Report } from '../verdict/report.ts';
import type { Settings } from '../verdict/settings.ts';
import { judgeRequirements } from '../verdict/verdict.ts';
import { countUnanswered } from '../world/evidence.ts';
import { failuresToShow } from './missing-animals.ts';
import type { SentExchange } from './record.ts';
import { isCredible } from './trust.ts';

const changesNothing = /^(GET|HEAD|OPTIONS|TRACE)$/;

/** Whether a request may have changed or removed animals by an operation that is not shown (§4.4). */
function mayChange({ exchange: { operation, request, response } }: SentExchange): boolean {
  if (operation !== 'other' || changesNothing.test(request.method)) return false;
  return response === undefined || response.status < 400 || response.status >= 500;
}

/** Splits traffic into stretches without such a change. Each exchange that overlaps a change stands alone. */
function stretchesOf(traffic: readonly SentExchange[]): readonly (readonly SentExchange[])[] {
  const changes = traffic.filter(mayChange).map(({ exchange }) => exchange);
  const [first] = changes.sort((one, other) => one.sent - other.sent);
  if (first === undefined) return [traffic];
  const end = changes.reduce(
    (last, { sent, answered }) => (sent <= last ? Math.max(last, answered) : last),
    first.answered,
  );
  const before = traffic.filter(({ exchange }) => exchange.answered < first.sent);
  const after = traffic.filter(({ exchange }) => exchange.sent > end);
  const meanwhile = traffic.filter(({ exchange }) => exchange.answered >= first.sent && exchange.sent <= end);
  return [before, ...meanwhile.map((one) => [one]), ...stretchesOf(after)];
}

/** The exchanges of each client, together with those without a key. */
function byClient(traffic: readonly SentExchange[]): readonly (readonly Exchange[])[] {
  const clients = new Set(traffic.flatMap(({ client }) => client ?? []));
  if (clients.size === 0) return [traffic.map(({ exchange }) => exchange)];
  return [...clients].map((own) =>
    traffic.flatMap(({ client, exchange }) => (client === undefined || client === own ? [exchange] : [])),
  );
}

/** What one client could see in a stretch without changes. */
function historiesOf(traffic: readonly SentExchange[], settings: Settings): readonly History[] {
  const startedAt = startOf(traffic);
  return stretchesOf(traffic)
    .flatMap(byClient)
    .filter((exchanges) => exchanges.length > 0)
    .map((exchanges) => {
      // Traffic may last for days, and a history takes `today` for the time of its first exchange.
      const today = settings.today + exchanges[0]!.startedAt - startedAt;
      return readHistory(exchanges, { ...settings, today });
    });
}

function startOf(traffic: readonly SentExchange[]): number {
  return traffic.reduce((first, { exchange }) => Math.min(first, exchange.startedAt), Number.POSITIVE_INFINITY);
}

function findingsIn(histories: readonly History[], judging: Judging): readonly Finding[] {
  const findings = histories.flatMap((history) => [
    ...judgeHistory(history, conformanceSuite, judging).filter((one) => !isFailing(one) || isCredible(one, history)),
    ...failuresToShow(history),
  ]);
  // Exchanges without a key are judged with those of every client.
  const labelOf = ({ requirement, failure, exchanges }: Finding): string =>
    [requirement, failure?.code, ...exchanges.map(({ number }) => number)].join(' ');
  return [...new Map(findings.map((finding) => [labelOf(finding), finding])).values()];
}

/** The failures in some traffic. */
export function failuresIn(traffic: readonly SentExchange[], settings: Settings): readonly Failing[] {
  return findingsIn(historiesOf(traffic, settings), createJudging()).filter(isFailing);
}

/** The answers to gaps that all histories show, each with its first example. */
function observedIn(histories: readonly History[]): ReadonlyMap<GapId, Observation> {
  const observed = new Map<GapId, Observation>();
  for (const [gap, later] of histories.flatMap((history) => [...observe(history, conformanceSuite)])) {
    const earlier = observed.get(gap);
    const [first, ...others] = earlier === undefined ? later.answers : [...earlier.answers, ...later.answers];
    const answers = [first, ...new Set(others.filter((answer) => answer !== first))] as const;
    observed.set(gap, { ...(earlier ?? later), answers });
  }
  return observed;
}

export interface TrafficOptions {
  /** `today` is the day of the first exchange. */
  readonly settings: Settings;
  readonly verdictOptions: VerdictOptions;
  readonly scope?: EvidenceScope;
  readonly commit?: string;
  /** Why not everything that passed is in the traffic. */
  readonly ended?: Reason | undefined;
  readonly remark?: Reason | undefined;
}

/** The report on all of the traffic. */
export function judgeTraffic(traffic: readonly SentExchange[], options: TrafficOptions): Report {
  const { settings, ended = traffic.length === 0 ? reason('traffic-empty', {}) : undefined } = options;
  const exchanges = traffic.map(({ exchange }) => exchange);
  const histories = historiesOf(traffic, settings);
  const { errors } = createJudging();
  // A verdict on recorded traffic needs no key, so no requirement is skipped for lack of one.
  const facts = { settings: { ...settings, hasRateLimitKey: true }, notes: new Map(), errors, ended };
  const startedAt = traffic.length === 0 ? settings.today : startOf(traffic);
  return createReport(
    defined({
      ...options,
      ended,
      startedAt,
      endedAt: exchanges.reduce((last, { endedAt }) => Math.max(last, endedAt), startedAt),
      requests: exchanges.length,
      creates: exchanges.filter(({ response }) => response?.status === 201).length,
      unanswered: countUnanswered(exchanges),
      verdicts: judgeRequirements(findingsIn(histories, { errors, isOverdue: () => false }), facts),
      exchanges: exchanges.toSorted((one, other) => one.number - other.number),
      observed: observedIn(histories),
    }),
  );
}
