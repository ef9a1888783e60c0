/** The report: the run as one frozen value, which every reporter and the exit code are a function of. */

import type { StatementId } from '../../spec/client-statements.ts';
import type { GapId } from '../../spec/gaps.ts';
import { gaps } from '../../spec/gaps.ts';
import type { Level, RequirementId } from '../../spec/requirements.ts';
import type { SectionId } from '../../spec/sections.ts';
import type { Counterexample, Finding, Observation, Recheck } from './check.ts';
import { foundationsOf, isSameFailure, stepOf } from './counterexample.ts';
import { curlOf } from './curl.ts';
import type { Exchange, Operation } from './exchange.ts';
import type { History } from './history.ts';
import type { JudgedInteraction, Outcome, RunVerdict } from './outcome.ts';
import type { Settings } from './settings.ts';
import type { Verdict } from './verdict.ts';
import type { WaivedVerdict, Waiver, WaiverState } from './waivers.ts';

export interface ReportedFailure {
  readonly code: string;
  readonly message: string;
  /** Numbers of the exchanges that show it. */
  readonly exchanges: readonly number[];
  /** Sends the last of them again. */
  readonly curl: string;
  /** Numbers of the requests that, sent again in this order, show it on their own: the shortest sequence found. */
  readonly sequence?: readonly number[];
}

export interface ReportedRequirement {
  readonly id: StatementId;
  readonly section: SectionId;
  readonly level: Level;
  readonly statement: string;
  readonly verdict: Verdict;
  readonly evidence: number;
  readonly reason?: string;
  readonly failures: readonly ReportedFailure[];
  readonly waiver?: Waiver & { readonly state: WaiverState };
  /** Of a statement that fails: what came of asking once more. A flaky one fails all the same. */
  readonly recheck?: Recheck;
  /** Of a failure that drawn sequences found: whether shorter sequences were tried to the end. */
  readonly shrinking?: 'finished' | 'stopped';
}

export interface ReportedInteraction extends JudgedInteraction {
  readonly consumer: string;
  /** The names of its provider states. */
  readonly states: readonly string[];
  /** Numbers of the exchanges that bear it: those that reached its states, and its own as the last. */
  readonly exchanges: readonly number[];
}

export interface ReportedExchange {
  readonly number: number;
  readonly check: string;
  readonly operation: Operation;
  /** In words. */
  readonly credential: string;
  readonly credentialId: string;
  readonly request: Exchange['request'];
  readonly response?: Exchange['response'];
  readonly failure?: Exchange['failure'];
  /** RFC 3339. */
  readonly startedAt: string;
  readonly durationMs: number;
}

/** One visit of a client to a world: a service that keeps the interface. */
export interface ReportedWorld {
  /** What it does otherwise than the reference server, in words. */
  readonly id: string;
  readonly isPassed: boolean;
  /** How the client ended. */
  readonly ending: string;
  readonly durationMs: number;
  readonly requests: number;
  /** The file with what the client printed. */
  readonly output?: string;
}

/** design: stable and versioned; conformance/report.schema.json describes it. */
export interface Report {
  readonly format: 'petstore-conformance-report';
  readonly formatVersion: 1;
  readonly kit: { readonly name: string; readonly version: string };
  readonly interface: { readonly name: string; readonly version: string };
  readonly target: { readonly baseUrl: string };
  /** Of a client that was judged instead of a service: its command, and the worlds that it was run in. */
  readonly client?: { readonly command: readonly string[]; readonly worlds: readonly ReportedWorld[] };
  /** RFC 3339. */
  readonly startedAt: string;
  readonly durationMs: number;
  readonly seed: number;
  readonly verdict: RunVerdict;
  readonly exitCode: 0 | 1 | 3 | 4;
  /** Why the run is inconclusive, or ended early. */
  readonly reason?: string;
  readonly requests: number;
  readonly creates: number;
  /** Requests that were owed an answer and got none, those that were answered when they were asked again included. */
  readonly unanswered: number;
  readonly requirements: readonly ReportedRequirement[];
  /** Of a verification of pacts only. */
  readonly interactions?: readonly ReportedInteraction[];
  readonly gaps: readonly {
    readonly id: GapId;
    readonly section: SectionId;
    readonly question: string;
    /** Ids of answers, more than one where the target answers differently; null where nothing showed it. */
    readonly observed: string | null;
    /** The number of an exchange that shows the first of them. */
    readonly example?: number;
  }[];
  /** Animals that the run leaves behind: nothing can be deleted through the interface. */
  readonly created: readonly { readonly id: string; readonly name: string }[];
  /** Those that failures cite, with the creations that these rest on; or all of them where the user asks for it. */
  readonly exchanges: readonly ReportedExchange[];
}

/** Which exchanges a report carries. */
export type EvidenceScope = 'cited' | 'all';

/** Failures shown for one code of one requirement: more of the same tell no more. */
const failuresPerCode = 5;

const numbersOf = (exchanges: readonly Exchange[]): readonly number[] => exchanges.map(({ number }) => number);

function reportFailure(
  finding: Finding,
  sequence: Counterexample | undefined,
  baseUrl: string,
): readonly ReportedFailure[] {
  const last = finding.exchanges.at(-1);
  if (finding.failure === undefined || last === undefined) return [];
  const shown = sequence === undefined ? {} : { sequence: numbersOf(sequence.exchanges) };
  return [{ ...finding.failure, exchanges: numbersOf(finding.exchanges), curl: curlOf(last, baseUrl), ...shown }];
}

function hasSameExchanges(one: Finding, other: Finding): boolean {
  return (
    one.exchanges.length === other.exchanges.length && one.exchanges.every((each, at) => each === other.exchanges[at])
  );
}

/** A failure as all exchanges tell it, which may say how many show it, where it cites what the shortest sequence cites. */
function asToldOfAll({ failures }: WaivedVerdict, finding: Finding): Finding {
  return failures.find((one) => isSameFailure(one, finding) && hasSameExchanges(one, finding)) ?? finding;
}

function reportRequirement(
  verdict: WaivedVerdict,
  noted: Counterexample | undefined,
  baseUrl: string,
): ReportedRequirement {
  const { id, section, level, statement } = verdict.requirement;
  // What fails in a few exchanges alone counts only where it fails in all of them too.
  const sequence = noted && verdict.failures.some((one) => isSameFailure(one, noted.finding)) ? noted : undefined;
  const first = sequence === undefined ? [] : [asToldOfAll(verdict, sequence.finding)];
  const others = verdict.failures.filter((one) => !first.some((other) => hasSameExchanges(one, other)));
  const byCode = Map.groupBy([...first, ...others], (finding) => finding.failure?.code);
  const shown = [...byCode.values()].flatMap((findings) => findings.slice(0, failuresPerCode));
  const hidden = first.length + others.length - shown.length;
  const reason = hidden > 0 ? `${hidden} more failures of the same kinds` : verdict.reason;
  const { recheck, shrinking } = sequence ?? {};
  return {
    id,
    section,
    level,
    statement,
    verdict: verdict.verdict,
    evidence: verdict.evidence,
    ...(reason === undefined ? {} : { reason }),
    failures: shown.flatMap((finding, at) => reportFailure(finding, at === 0 ? sequence : undefined, baseUrl)),
    ...(verdict.waiver === undefined ? {} : { waiver: verdict.waiver }),
    ...(recheck === undefined ? {} : { recheck }),
    ...(shrinking === undefined ? {} : { shrinking }),
  };
}

export function reportExchange(exchange: Exchange): ReportedExchange {
  const { number, check, operation, credential, request, response, failure } = exchange;
  return {
    number,
    check,
    operation,
    credential: credential.title,
    credentialId: credential.id,
    request,
    ...(response === undefined ? {} : { response }),
    ...(failure === undefined ? {} : { failure }),
    startedAt: new Date(exchange.startedAt).toISOString(),
    durationMs: exchange.endedAt - exchange.startedAt,
  };
}

function reportObservation(observation: Observation | undefined): Pick<Report['gaps'][number], 'observed' | 'example'> {
  if (observation === undefined) return { observed: null };
  return { observed: observation.answers.join(', '), example: observation.exchange.number };
}

export interface ReportInput {
  readonly history: History;
  readonly settings: Settings;
  readonly verdicts: readonly WaivedVerdict[];
  readonly counterexamples: ReadonlyMap<RequirementId, Counterexample>;
  readonly interactions?: readonly ReportedInteraction[];
  readonly outcome: Outcome;
  readonly observed: ReadonlyMap<GapId, Observation>;
  readonly startedAt: number;
  readonly endedAt: number;
  readonly requests: number;
  readonly creates: number;
  readonly unanswered: number;
  readonly scope: EvidenceScope;
}

/** The version of the kit, as in package.json. */
export const kitVersion = '0.1.0';

export function createReport(input: ReportInput): Report {
  const { history, settings, outcome, interactions } = input;
  const requirements = input.verdicts.map((verdict) =>
    reportRequirement(verdict, input.counterexamples.get(verdict.requirement.id), settings.baseUrl),
  );
  const cited = new Set([
    ...requirements.flatMap(({ failures }) =>
      failures.flatMap(({ exchanges, sequence = [] }) => [...exchanges, ...sequence]),
    ),
    ...(interactions ?? []).flatMap(({ verdict, exchanges }) => (verdict === 'pass' ? [] : exchanges)),
  ]);
  const steps = history.exchanges.map(stepOf);
  const foundations = foundationsOf(
    steps.filter(({ number }) => cited.has(number)),
    steps,
  );
  for (const { number } of foundations) cited.add(number);
  const exchanges = history.exchanges.filter((exchange) => input.scope === 'all' || cited.has(exchange.number));
  return Object.freeze({
    format: 'petstore-conformance-report',
    formatVersion: 1,
    kit: { name: 'petstore-conformance', version: kitVersion },
    interface: { name: 'Pet Store Service Interface', version: '1.0.0' },
    target: { baseUrl: settings.baseUrl },
    startedAt: new Date(input.startedAt).toISOString(),
    durationMs: input.endedAt - input.startedAt,
    seed: settings.seed,
    ...outcome,
    requests: input.requests,
    creates: input.creates,
    unanswered: input.unanswered,
    requirements,
    ...(interactions === undefined ? {} : { interactions }),
    gaps: gaps.map(({ id, section, question }) => ({
      id,
      section,
      question,
      ...reportObservation(input.observed.get(id)),
    })),
    created: history.created.map(({ id, returned, sent }) => ({
      id: String(id),
      name: sent?.name ?? String(returned['name'] ?? ''),
    })),
    exchanges: exchanges.map(reportExchange),
  });
}
