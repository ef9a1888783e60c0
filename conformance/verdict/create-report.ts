/** Makes the report of a run from all that is known of it. */

import type { GapId } from '../../spec/gaps.ts';
import { gaps } from '../../spec/gaps.ts';
import type { RequirementId } from '../../spec/requirements.ts';
import { curlOf } from '../http/curl.ts';
import type { Exchange } from '../http/exchange.ts';
import type { Observation } from './check.ts';
import { isSameFailure, requiredCreations, stepOf } from './counterexample.ts';
import { countVerdicts } from './counts.ts';
import type { Counterexample, Finding } from './finding.ts';
import type { History } from './history.ts';
import { kit } from './kit.ts';
import type { Outcome, VerdictOptions } from './outcome.ts';
import type {
  EvidenceScope,
  Report,
  ReportedExchange,
  ReportedFailure,
  ReportedInteraction,
  ReportedRequirement,
  ReportedWait,
} from './report.ts';
import { reportSettings } from './report-settings.ts';
import { selfTestFigures } from './self-test-figures.ts';
import type { Settings } from './settings.ts';
import { timelineRow } from './timeline.ts';
import type { WaivedVerdict } from './waivers.ts';

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
  const { id, section, level, text: requirement } = verdict.requirement;
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
    text: requirement,
    verdict: verdict.verdict,
    evidence: verdict.evidence,
    ...(verdict.examples === undefined ? {} : { examples: verdict.examples }),
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
  readonly demands: VerdictOptions;
  readonly waits: readonly ReportedWait[];
  readonly scope: EvidenceScope;
  /** Of the kit's own sources. */
  readonly commit?: string;
}

/** The exchanges that say why something fails, with the creations that they rest on. */
function citedExchanges(
  { exchanges }: History,
  requirements: readonly ReportedRequirement[],
  interactions: readonly ReportedInteraction[],
): readonly Exchange[] {
  const cited = new Set([
    ...requirements.flatMap(({ failures }) =>
      failures.flatMap(({ exchanges: shown, sequence = [] }) => [...shown, ...sequence]),
    ),
    ...interactions.flatMap(({ verdict, exchanges: shown }) => (verdict === 'pass' ? [] : shown)),
  ]);
  const steps = exchanges.map(stepOf);
  const foundations = requiredCreations(
    steps.filter(({ number }) => cited.has(number)),
    steps,
  );
  for (const { number } of foundations) cited.add(number);
  return exchanges.filter(({ number }) => cited.has(number));
}

export function createReport(input: ReportInput): Report {
  const { history, settings, outcome, interactions, commit } = input;
  const requirements = input.verdicts.map((verdict) =>
    reportRequirement(verdict, input.counterexamples.get(verdict.requirement.id), settings.baseUrl),
  );
  const carried: Readonly<Record<EvidenceScope, () => readonly Exchange[]>> = {
    none: () => [],
    failures: () => citedExchanges(history, requirements, interactions ?? []),
    all: () => history.exchanges,
  };
  return Object.freeze({
    format: 'petstore-conformance-report',
    formatVersion: 1,
    kit: { ...kit, ...(commit === undefined ? {} : { commit }), selfTest: selfTestFigures },
    node: process.version,
    settings: reportSettings(settings, input.demands),
    interface: { name: 'Pet Store Service Interface', version: '1.0.0' },
    target: { baseUrl: settings.baseUrl },
    startedAt: new Date(input.startedAt).toISOString(),
    durationMs: input.endedAt - input.startedAt,
    seed: settings.seed,
    ...outcome,
    requests: input.requests,
    creates: input.creates,
    unanswered: input.unanswered,
    counts: countVerdicts(requirements),
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
    waits: input.waits,
    timeline: history.exchanges.map(timelineRow),
    exchanges: carried[input.scope]().map(reportExchange),
  });
}
