/**
 * Judges a stream of traffic of any length by the judges of a run, in windows of bounded memory. Nothing may be sent, so no
 * claim can be confirmed: what a recorded answer does not prove by itself fails nothing.
 */

import { defined } from '../../spec/defined.ts';
import type { FailureCode } from '../../spec/failure-codes.ts';
import type { GapId } from '../../spec/gaps.ts';
import type { RequirementId } from '../../spec/requirements.ts';
import type { Exchange } from '../http/exchange.ts';
import { readPetId } from '../http/read-request.ts';
import { statusOf } from '../http/read-response.ts';
import { keyMark } from '../http/redact.ts';
import { createJudging, judgeWorld, observe, type Suite } from '../sections/index.ts';
import type { Observation } from '../sections/judge.ts';
import { createReport, hiddenInWords } from '../verdict/create-report.ts';
import { type Failing, type Finding, isFailing } from '../verdict/finding.ts';
import { nameTag } from '../verdict/names.ts';
import type { VerdictOptions } from '../verdict/outcome.ts';
import { type Reason, reason } from '../verdict/reasons.ts';
import type { EvidenceScope, Report } from '../verdict/report.ts';
import type { Settings } from '../verdict/settings.ts';
import { judgeRequirements } from '../verdict/verdict.ts';
import { isForeign } from '../world/evidence.ts';
import { countUnanswered, isAuthorized, readWorld, type World } from '../world/world.ts';
import type { AttributedExchange } from './recorder.ts';

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

/** The exchanges of each client, together with those without a key: another key may have another world. */
function byClient(attributed: readonly AttributedExchange[]): readonly (readonly Exchange[])[] {
  const clients = new Set(attributed.flatMap(({ client }) => client ?? []));
  if (clients.size === 0) return [attributed.map(({ exchange }) => exchange)];
  return [...clients].map((own) =>
    attributed.flatMap(({ client, exchange }) => (client === undefined || client === own ? [exchange] : [])),
  );
}

type Credible = (failing: Failing, world: World) => boolean;

/** Whether the animal of the first exchange has a name that only a run of this kit gives: other names need not be unique. */
const hasNameOfARun: Credible = ({ exchanges: [first] }) => nameTag.test(first?.request.body ?? '');

/** Failures that rest on what only a run knows of its own requests hold in recorded traffic where the traffic shows it. */
const conditions: Readonly<Partial<Record<FailureCode, Credible>>> = {
  'created-twice': hasNameOfARun,
  'refused-yet-stored': hasNameOfARun,
  // A name that is also a key is hidden only from the exchange on that shows the key.
  'name-changed': ({ failure: { expected, received } }) => !`${expected} ${received}`.includes(keyMark),
  // An id that no exchange has shown yet may belong to an animal of another client; the scope of a key may forbid (§5).
  'unexpected-status': ({ requirement, exchanges }) => {
    const last = exchanges.at(-1)!;
    const status = statusOf(last);
    return !(requirement === 'get-not-found' && status === 200) && !(status === 403 && isAuthorized(last));
  },
  // Another client may have removed an animal that only pages have shown.
  'removed-early': ({ exchanges }, { createdById }) =>
    exchanges.some((read) => createdById.has(read.operation === 'getPet' ? (readPetId(read) as bigint) : -1n)),
  // How a ban answers is open, so only a refusal after a served request counts.
  unusable: ({ exchanges: [refused] }, { exchanges }) =>
    exchanges.some((exchange) => exchange.answered < (refused?.sent ?? 0) && (statusOf(exchange) ?? 500) < 400),
};

/** Whether a gateway may have refused a request for a header that the recording leaves out. */
function mayBeRefusedUnseen(world: World, exchange: Exchange): boolean {
  const headers = { ...exchange.request.headers, 'not-recorded': '' };
  return isForeign(world, { ...exchange, request: { ...exchange.request, headers } });
}

function isCredible(finding: Finding, world: World): boolean {
  if (!isFailing(finding)) return true;
  const last = finding.exchanges.at(-1);
  if (last !== undefined && mayBeRefusedUnseen(world, last)) return false;
  return conditions[finding.failure.code]?.(finding, world) ?? true;
}

/** The findings of a requirement: how many exchanges show them, and a few of them. */
interface Found {
  evidence: number;
  count: number;
  readonly kept: Finding[];
}

/** More failures with one code add no information. */
const keptPerCode = 5;

/** Adds findings to what was found; returns the failures of a new kind. */
function add(found: Found, findings: readonly Finding[], fresh: ReadonlySet<Exchange>): readonly Failing[] {
  found.evidence += new Set(findings.flatMap(({ exchanges }) => exchanges)).intersection(fresh).size;
  found.count += findings.length;
  return findings.flatMap((finding) => {
    const known = found.kept.filter(({ failure }) => failure?.code === finding.failure?.code).length;
    if (known < (isFailing(finding) ? keptPerCode : 1)) found.kept.push(finding);
    return known === 0 && isFailing(finding) ? [finding] : [];
  });
}

/** The answers of both observations, with the example of the earlier one. */
function merge(earlier: Observation | undefined, later: Observation): Observation {
  if (earlier === undefined) return later;
  const [first, ...others] = earlier.answers;
  return { ...earlier, answers: [first, ...new Set([...others, ...later.answers].filter((one) => one !== first))] };
}

export interface TrafficOptions {
  readonly suite: Suite;
  readonly settings: Settings;
  readonly verdictOptions: VerdictOptions;
  readonly scope?: EvidenceScope;
  readonly commit?: string;
  /** The report holds this many exchanges, and those that findings cite; 10,000 if absent. */
  readonly mostExchanges?: number;
  /** Called with the first failure of each kind as soon as it is found. */
  readonly onFailure?: (failing: Failing) => void;
}

/** The report holds no further exchanges when the texts of those before take this much memory, UTF-16 units. */
const mostText = 16 * 1024 * 1024;

/** This many new exchanges are judged together with as many before them. Judges relate no exchanges farther apart. */
export const windowSize = 256;

export function createTrafficJudge(options: TrafficOptions) {
  const { suite, settings, verdictOptions, scope, commit, mostExchanges = 10_000, onFailure } = options;
  const judging = createJudging();
  const holding = new Map<RequirementId, Found>();
  const failing = new Map<RequirementId, Found>();
  const observed = new Map<GapId, Observation>();
  let before: readonly AttributedExchange[] = [];
  let fresh: AttributedExchange[] = [];
  const kept: Exchange[] = [];
  let keptText = 0;
  const totals = { requests: 0, creates: 0, unanswered: 0, startedAt: Number.POSITIVE_INFINITY, endedAt: 0 };

  /** Judges the exchanges that were added since the last call. */
  function judge(): void {
    if (fresh.length === 0) return;
    const window = [...before, ...fresh];
    const isNew = new Set(fresh.map(({ exchange }) => exchange));
    // Traffic may last for days, and a world takes `today` for the time of its first exchange.
    const worlds = stretchesOf(window)
      .flatMap(byClient)
      .filter(({ length }) => length > 0)
      .map((part) => readWorld(part, { ...settings, today: settings.today + part[0]!.startedAt - totals.startedAt }));
    const findings = worlds.flatMap((world) =>
      judgeWorld(world, suite, judging).filter((finding) => isCredible(finding, world)),
    );
    // Exchanges without a key are judged with those of every client; those of the window before were counted there.
    const labelOf = ({ requirement, failure, exchanges }: Finding): string =>
      [requirement, failure?.code, ...exchanges.map(({ number }) => number)].join(' ');
    const distinct = [...new Map(findings.map((finding) => [labelOf(finding), finding])).values()].filter(
      ({ exchanges }) => exchanges.some((exchange) => isNew.has(exchange)),
    );
    for (const world of worlds)
      for (const [gap, observation] of observe(world, suite)) observed.set(gap, merge(observed.get(gap), observation));
    before = window.slice(-windowSize);
    fresh = [];
    for (const [id, all] of Map.groupBy(distinct, ({ requirement }) => requirement))
      for (const [found, some] of [
        [holding, all.filter((one) => !isFailing(one))],
        [failing, all.filter(isFailing)],
      ] as const) {
        if (some.length === 0) continue;
        if (!found.has(id)) found.set(id, { evidence: 0, count: 0, kept: [] });
        for (const first of add(found.get(id)!, some, isNew)) onFailure?.(first);
      }
  }

  const allKept = (): readonly Finding[] => [...failing.values(), ...holding.values()].flatMap((found) => found.kept);

  return {
    /** Adds the next exchange, in the order of responses. */
    add(attributed: AttributedExchange): void {
      const { exchange } = attributed;
      totals.requests += 1;
      totals.creates += statusOf(exchange) === 201 ? 1 : 0;
      totals.unanswered += countUnanswered([exchange]);
      totals.startedAt = Math.min(totals.startedAt, exchange.startedAt);
      totals.endedAt = Math.max(totals.endedAt, exchange.endedAt);
      if (kept.length < mostExchanges && keptText <= mostText) {
        kept.push(exchange);
        keptText += (exchange.request.body?.length ?? 0) + (exchange.response?.body.length ?? 0);
      }
      fresh.push(attributed);
      if (fresh.length === windowSize) judge();
    },
    judge,
    /** The report on all added exchanges. `endedBefore` says why not all that passed was added. */
    conclude(endedBefore?: Reason): Report {
      judge();
      const isEmpty = totals.requests === 0;
      const ended = endedBefore ?? (isEmpty ? reason('traffic-empty', {}) : undefined);
      const cited = [
        ...allKept().flatMap((one) => one.exchanges),
        ...[...observed.values()].map((one) => one.exchange),
      ];
      const exchanges = [...new Set([...kept, ...cited])];
      const startedAt = isEmpty ? settings.today : totals.startedAt;
      // A verdict on recorded traffic needs no key, so no requirement is skipped for lack of one.
      const facts = {
        settings: { ...settings, hasRateLimitKey: true },
        notes: new Map(),
        errors: judging.errors,
        ended,
      };
      const verdicts = judgeRequirements(allKept(), facts).map((verdict) => {
        const { id } = verdict.requirement;
        const {
          evidence,
          count,
          kept: shown,
        } = failing.get(id) ?? holding.get(id) ?? { evidence: 0, count: 0, kept: [] };
        const hidden = failing.has(id) ? count - shown.length : 0;
        return defined({ ...verdict, evidence, reason: hidden > 0 ? hiddenInWords(hidden) : verdict.reason });
      });
      return createReport(
        defined({
          ...totals,
          startedAt,
          endedAt: Math.max(totals.endedAt, startedAt),
          settings,
          verdictOptions,
          verdicts,
          exchanges: exchanges.sort((one, other) => one.number - other.number),
          omittedExchanges: totals.requests - exchanges.length || undefined,
          observed,
          ended,
          ...defined({ scope }),
          commit,
        }),
      );
    },
  };
}
