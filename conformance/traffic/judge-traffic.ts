/** Judges recorded traffic: each key separately, and afresh after each change by an operation that is not shown. */

import { defined } from '../../spec/defined.ts';
import type { GapId } from '../../spec/gaps.ts';
import type { RequirementId } from '../../spec/requirements.ts';
import { readPetId } from '../http/read-request.ts';
import { statusOf } from '../http/read-response.ts';
import { judgeHistory, observe } from '../run/judging.ts';
import { conformanceSuite } from '../sections/index.ts';
import { createReport, type ReportInput } from '../verdict/create-report.ts';
import { type Failing, type Finding, isFailing, type Observation } from '../verdict/finding.ts';
import { reason } from '../verdict/reasons.ts';
import type { Report } from '../verdict/report.ts';
import { judgeRequirements } from '../verdict/verdict.ts';
import { countUnanswered } from '../world/evidence.ts';
import { type History, isAuthorized, readHistory } from '../world/history.ts';
import { nameTag } from '../world/names.ts';
import type { Settings } from '../world/settings.ts';
import type { SentExchange } from './record.ts';

/*
 * A run knows that its names are unique, that its ids were drawn at random and that it repeated requests. In recorded traffic
 * other clients act unseen, so a failure that rests on such knowledge holds only if the traffic itself confirms it.
 */

type Condition = (failing: Failing, history: History) => boolean;

/** Whether the animal of the first exchange has a name that only a run of this kit gives. */
const hasNameOfARun: Condition = ({ exchanges: [first] }) => nameTag.test(first?.request.body ?? '');

/** By requirement and failure code, or by the code alone. Failures that are not listed always hold. */
const conditions: Readonly<Record<string, Condition>> = {
  // Names need not be unique.
  'created-twice': hasNameOfARun,
  'refused-yet-stored': hasNameOfARun,
  // An id that no exchange has shown yet may belong to an animal of another client.
  'get-not-found unexpected-status': ({ exchanges: [read] }) => read !== undefined && statusOf(read) !== 200,
  // Another client may have removed an animal that only pages have shown.
  'removed-early': ({ exchanges }, { createdById }) =>
    exchanges.some((one) => one.operation === 'getPet' && createdById.has(readPetId(one) as bigint)),
  // How a ban answers is open, so only a refusal after a served request counts.
  'rate-retry-after unusable': ({ exchanges: [refused] }, { exchanges }) =>
    exchanges.some((one) => one.answered < (refused?.sent ?? 0) && (statusOf(one) ?? 500) < 400),
};

/** Whether a failure holds, considering what recorded traffic does not show. */
function isCredible(failing: Failing, history: History): boolean {
  const { requirement, failure, exchanges } = failing;
  const last = exchanges.at(-1)!;
  // The scope of a key may forbid an operation: scopes are not shown (§5).
  if (failure.code === 'unexpected-status' && statusOf(last) === 403 && isAuthorized(last)) return false;
  const condition = conditions[failure.code] ?? conditions[`${requirement} ${failure.code}`];
  return condition?.(failing, history) ?? true;
}

/** Whether a request may have changed or removed animals by an operation that is not shown (§4.4). */
function mayChange({ exchange: { operation, request, response } }: SentExchange): boolean {
  if (operation !== 'other' || /^(GET|HEAD|OPTIONS|TRACE)$/.test(request.method)) return false;
  return response === undefined || response.status < 400 || response.status >= 500;
}

/** Splits traffic into stretches without such a change. Each exchange that overlaps a change stands alone. */
function stretchesOf(traffic: readonly SentExchange[]): Iterable<readonly SentExchange[]> {
  const changes = traffic.filter(mayChange).map(({ exchange }) => exchange);
  return Map.groupBy(traffic, ({ exchange: { number, sent, answered } }) => {
    const begun = changes.filter((change) => change.sent <= answered).length;
    const ended = changes.filter((change) => change.answered < sent).length;
    return begun === ended ? `after ${ended}` : `exchange ${number}`;
  }).values();
}

/** What each client could see in a stretch. Exchanges without a known client belong to each of them. */
function historiesOf(traffic: readonly SentExchange[], settings: Settings): readonly History[] {
  return [...stretchesOf(traffic)].flatMap((stretch) => {
    const clients = new Set(stretch.flatMap(({ client }) => client ?? []));
    return [...(clients.size === 0 ? [undefined] : clients)].map((own) => {
      const seen = stretch.filter(({ client }) => client === undefined || client === own);
      const exchanges = seen.map(({ exchange }) => exchange);
      // Traffic may last for days, and a history takes `today` for the time of its first exchange.
      const today = settings.today + exchanges[0]!.startedAt - startOf(traffic);
      return readHistory(exchanges, { ...settings, today });
    });
  });
}

function startOf(traffic: readonly SentExchange[]): number {
  return traffic.reduce((first, { exchange }) => Math.min(first, exchange.startedAt), Number.POSITIVE_INFINITY);
}

function findingsIn(histories: readonly History[], errors: Map<RequirementId, string>): readonly Finding[] {
  const findings = histories.flatMap((history) =>
    judgeHistory(history, conformanceSuite, errors).filter((one) => !isFailing(one) || isCredible(one, history)),
  );
  // Exchanges without a known client are judged with those of every client.
  const labelOf = ({ requirement, failure, exchanges }: Finding): string =>
    [requirement, failure?.code, ...exchanges.map(({ number }) => number)].join(' ');
  return [...new Map(findings.map((finding) => [labelOf(finding), finding])).values()];
}

/** The failures in some traffic. */
export function failuresIn(traffic: readonly SentExchange[], settings: Settings): readonly Failing[] {
  return findingsIn(historiesOf(traffic, settings), new Map()).filter(isFailing);
}

/** The answers to gaps that all histories show, each with its first example. */
function observedIn(histories: readonly History[]): ReadonlyMap<GapId, Observation> {
  const all = histories.flatMap((history) => [...observe(history, conformanceSuite)]);
  return new Map(
    [...Map.groupBy(all, ([gap]) => gap)].map(([gap, observations]) => {
      const answers = new Set(observations.flatMap(([, observation]) => observation.answers));
      return [gap, { ...observations[0]![1], answers: [...answers] as unknown as Observation['answers'] }];
    }),
  );
}

/** `settings.today` is the day of the first exchange; `ended` says why not everything that passed is in the traffic. */
export type TrafficOptions = Pick<ReportInput, 'settings' | 'verdictOptions' | 'ended'>;

/** The report on all of the traffic. */
export function judgeTraffic(traffic: readonly SentExchange[], options: TrafficOptions): Report {
  const { settings, ended = traffic.length === 0 ? reason('traffic-empty', {}) : undefined } = options;
  const exchanges = traffic.map(({ exchange }) => exchange);
  const histories = historiesOf(traffic, settings);
  const errors = new Map<RequirementId, string>();
  const findings = findingsIn(histories, errors);
  // A verdict on recorded traffic needs no key, so no requirement is skipped for lack of one.
  const ofRun = { settings: { ...settings, hasRateLimitKey: true }, notes: new Map<RequirementId, string>(), ended };
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
      verdicts: judgeRequirements(findings, { ...ofRun, errors }),
      exchanges: exchanges.toSorted((one, other) => one.number - other.number),
      observed: observedIn(histories),
    }),
  );
}
