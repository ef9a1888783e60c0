/** Judges recorded traffic: each key separately, and starting over after each change by an operation that is not shown. */

import { defined } from '../../spec/defined.ts';
import type { RequirementId } from '../../spec/requirements.ts';
import { readPetId } from '../http/read-request.ts';
import { statusOf } from '../http/read-response.ts';
import { judgeWorld, observeGaps } from '../run/suite.ts';
import { checks } from '../sections/index.ts';
import { createReport, type ReportInput } from '../verdict/create-report.ts';
import { type Failing, type Finding, isFailing } from '../verdict/finding.ts';
import { type Reason, reason } from '../verdict/reasons.ts';
import type { Report } from '../verdict/report.ts';
import { judgeRequirements } from '../verdict/verdict.ts';
import { countUnanswered } from '../world/evidence.ts';
import type { Settings } from '../world/settings.ts';
import { isAuthorized, readWorld, type World } from '../world/world.ts';
import type { SentExchange } from './record.ts';

/** Whether a failure holds in recorded traffic, in which other clients act unseen. */
function isCredible({ requirement, failure: { code }, exchanges: shown }: Failing, world: World): boolean {
  const { exchanges, createdById } = world;
  const [first] = shown;
  const last = shown.at(-1)!;
  // Another client may have removed an animal that only pages have shown.
  if (code === 'removed-early') return createdById.has(readPetId(last) as bigint);
  // Between two recorded requests the client may have sent others, such as those that a browser sends by itself.
  if (code === 'falls-too-far') return false;
  // How a ban answers is open, so only a refusal after a served request counts.
  if (`${requirement} ${code}` === 'rate-retry-after unusable') {
    return exchanges.some((one) => one.answered < first!.sent && (statusOf(one) ?? 500) < 400);
  }
  if (code !== 'unexpected-status') return true;
  // An id that no exchange has shown yet may belong to an animal of another client.
  if (requirement === 'get-not-found') return statusOf(last) !== 200;
  // The scope of a key may forbid an operation: scopes are not shown (§5).
  return statusOf(last) !== 403 || !isAuthorized(last);
}

/** Whether a request may have changed or removed animals by an operation that is not shown (§4.4). */
function mayChange({ exchange: { operation, request, response } }: SentExchange): boolean {
  if (operation !== 'other' || /^(GET|HEAD|OPTIONS|TRACE)$/.test(request.method)) return false;
  return response === undefined || response.status < 400 || response.status >= 500;
}

/** Splits traffic into stretches without such a change. Each exchange that overlaps a change is a stretch of its own. */
function stretchesOf(traffic: readonly SentExchange[]): Iterable<readonly SentExchange[]> {
  const changes = traffic.filter(mayChange).map(({ exchange }) => exchange);
  return Map.groupBy(traffic, ({ exchange: { number, sent, answered } }) => {
    const begun = changes.filter((change) => change.sent <= answered).length;
    const ended = changes.filter((change) => change.answered < sent).length;
    return begun === ended ? `after ${ended}` : `exchange ${number}`;
  }).values();
}

function worldSeenIn(seen: readonly SentExchange[], settings: Settings): World {
  return readWorld(
    seen.map(({ exchange }) => exchange),
    settings,
  );
}

/**
 * What each client could see in a stretch. Exchanges without an accepted key belong to each of them. One whose key is not
 * shown may be of any client, so it is judged alone.
 */
function worldsOf(traffic: readonly SentExchange[], settings: Settings): readonly World[] {
  return [...stretchesOf(traffic)].flatMap((stretch) => {
    const alone = stretch.filter(({ isAlone }) => isAlone);
    const others = stretch.filter(({ isAlone }) => !isAlone);
    const clients = new Set(others.flatMap(({ client }) => client ?? []));
    const ofClients = [...(clients.size === 0 ? [undefined] : clients)].map((own) =>
      others.filter(({ client }) => client === undefined || client === own),
    );
    return [...ofClients, ...alone.map((one) => [one])].map((seen) => worldSeenIn(seen, settings));
  });
}

function findingsIn(worlds: readonly World[], errors: Map<RequirementId, string>): readonly Finding[] {
  const findings = worlds.flatMap((world) =>
    judgeWorld(world, checks, errors).filter((one) => !isFailing(one) || isCredible(one, world)),
  );
  // Exchanges without an accepted key are judged with those of every client.
  const labelOf = ({ requirement, failure, exchanges }: Finding): string =>
    [requirement, failure?.code, ...exchanges.map(({ number }) => number)].join(' ');
  return [...new Map(findings.map((finding) => [labelOf(finding), finding])).values()];
}

export interface TrafficOptions extends Pick<ReportInput, 'settings' | 'verdictOptions' | 'mask'> {
  /** Why there is no exchange, where the traffic went to the base address all the same. */
  readonly whyNone?: Reason | undefined;
}

/** The report on all of the traffic; `settings.today` is the day of the first exchange. */
export function judgeTraffic(traffic: readonly SentExchange[], { whyNone, ...options }: TrafficOptions): Report {
  const { settings } = options;
  const exchanges = traffic.map(({ exchange }) => exchange).toSorted((one, other) => one.number - other.number);
  const ended = exchanges.length === 0 ? (whyNone ?? reason('traffic-empty', {})) : undefined;
  const worlds = worldsOf(traffic, settings);
  const errors = new Map<RequirementId, string>();
  const findings = findingsIn(worlds, errors);
  // A verdict on recorded traffic needs no key, so no requirement is skipped for lack of one.
  const ofRun = defined({ settings: { ...settings, hasRateLimitKey: true }, errors, ended });
  const startedAt = exchanges[0]?.startedAt ?? settings.today;
  return createReport(
    defined({
      ...options,
      ended,
      startedAt,
      endedAt: Math.max(startedAt, ...exchanges.map(({ endedAt }) => endedAt)),
      creates: exchanges.filter(({ response }) => response?.status === 201).length,
      unanswered: countUnanswered(exchanges),
      verdicts: judgeRequirements(findings, ofRun),
      exchanges,
      observed: new Map(worlds.flatMap((world) => [...observeGaps(world, checks)])),
    }),
  );
}
