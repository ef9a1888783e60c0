/** The one way from verdicts to a report: for runs, recorded traffic, pacts and clients alike. */

import type { AnyRequirementId } from '../../spec/client-requirements.ts';
import { defined } from '../../spec/defined.ts';
import { type GapId, gaps } from '../../spec/gaps.ts';
import { curlOf } from '../http/curl.ts';
import type { Exchange } from '../http/exchange.ts';
import { looksForeign } from '../world/evidence.ts';
import type { Observation } from './check.ts';
import { bySize, isSameFailure, requiredCreations, stepOf } from './counterexample.ts';
import { counted, countVerdicts } from './counts.ts';
import type { Counterexample, Failing, Finding } from './finding.ts';
import { kit } from './kit.ts';
import { isWanted, judgeRun, type OutcomeInput, type VerdictOptions } from './outcome.ts';
import type {
  EvidenceScope,
  Report,
  ReportedFailure,
  ReportedInteraction,
  ReportedRequirement,
  ReportedWait,
  UnusedBudget,
} from './report.ts';
import { reportExchange, timelineRow } from './report-exchange.ts';
import { reportSettings } from './report-settings.ts';
import { selfTestFigures } from './self-test-figures.ts';
import type { Settings } from './settings.ts';
import type { RequirementVerdict } from './verdict.ts';
import { applyWaivers, staleNotes, type WaivedVerdict } from './waivers.ts';

export interface ReportInput extends Pick<OutcomeInput, 'blocked' | 'ended' | 'remark' | 'requests' | 'unanswered'> {
  readonly settings: Settings;
  readonly verdictOptions: VerdictOptions;
  /** One for each requirement; those that the user did not ask for are left out of the report. */
  readonly verdicts: readonly RequirementVerdict<AnyRequirementId>[];
  readonly exchanges: readonly Exchange[];
  readonly unusedBudget?: UnusedBudget;
  /** The shortest sequence known for a failing requirement. */
  readonly counterexamples?: ReadonlyMap<AnyRequirementId, Counterexample>;
  /** Absent where no service was judged. */
  readonly observed?: ReadonlyMap<GapId, Observation>;
  readonly created?: Report['created'];
  readonly interactions?: readonly ReportedInteraction[];
  readonly waits?: readonly ReportedWait[];
  readonly client?: Report['client'];
  /** The command line that shows a failure by its exchanges; a curl line if undefined. */
  readonly reproduce?: (exchanges: readonly Exchange[]) => string;
  readonly creates: number;
  /** Unix milliseconds. */
  readonly startedAt: number;
  readonly endedAt: number;
  readonly scope?: EvidenceScope;
  /** The commit of the kit's own sources. */
  readonly commit?: string;
}

/** The report shows at most so many failures with the same code of one requirement, or so many that differ in their input. */
const failuresPerCode = 5;
const inputsPerCode = 9;

const numbersOf = (exchanges: readonly Exchange[]): readonly number[] => exchanges.map(({ number }) => number);

function curlOfLast(exchanges: readonly Exchange[], baseUrl: string): string {
  const last = exchanges.at(-1);
  return last === undefined ? `curl -i '${baseUrl}/pets'` : curlOf(last, baseUrl);
}

const foreignRemark = " (the answer looks like a gateway's or a framework's)";

function reportFailure(
  { failure, exchanges }: Failing<AnyRequirementId>,
  sequence: Counterexample | undefined,
  reproduce: (exchanges: readonly Exchange[]) => string,
): ReportedFailure {
  const last = exchanges.at(-1);
  return defined({
    ...failure,
    received: failure.received + (last !== undefined && looksForeign(last) ? foreignRemark : ''),
    exchanges: numbersOf(exchanges),
    curl: reproduce(exchanges),
    sequence: sequence && numbersOf(sequence.exchanges),
  });
}

function hasSameExchanges(one: Finding<AnyRequirementId>, other: Finding<AnyRequirementId>): boolean {
  return (
    one.exchanges.length === other.exchanges.length && one.exchanges.every((each, at) => each === other.exchanges[at])
  );
}

/**
 * The failures to show: the counterexample's first, then for each code the one with the smallest requests. A finding over
 * all exchanges takes its place where both cite the same ones, since it may also say how many more exchanges show it.
 */
function orderFailures(
  verdict: WaivedVerdict,
  counterexample: Counterexample | undefined,
): readonly Failing<AnyRequirementId>[] {
  const failures = [...Map.groupBy(verdict.failures, ({ failure }) => failure.code).values()].flatMap(bySize);
  if (counterexample === undefined) return failures;
  const { finding } = counterexample;
  const first = failures.find((one) => isSameFailure(one, finding) && hasSameExchanges(one, finding)) ?? finding;
  return [first, ...failures.filter((one) => !hasSameExchanges(one, first))];
}

/** How many failures a report leaves out, since it holds enough of their kinds. */
function hiddenInWords(count: number): string {
  return `${counted(count, 'more failure')} of the same kinds, left out of the report`;
}

/** Of failures with one code those that differ in their input, and others up to the usual number; the first stays first. */
function mostTelling(alike: readonly Failing<AnyRequirementId>[]): readonly Failing<AnyRequirementId>[] {
  const firsts = new Set(
    Map.groupBy(alike, ({ failure }) => failure.input?.value)
      .values()
      .map(([first]) => first),
  );
  const distinct = alike.filter((one) => firsts.has(one)).slice(0, inputsPerCode);
  const others = alike.filter((one) => !firsts.has(one));
  return [...distinct, ...others.slice(0, Math.max(0, failuresPerCode - distinct.length))];
}

function reportRequirement(
  verdict: WaivedVerdict,
  noted: Counterexample | undefined,
  reproduce: (exchanges: readonly Exchange[]) => string,
): ReportedRequirement {
  const { id, section, level, text } = verdict.requirement;
  // A counterexample counts only if the requirement also fails over all exchanges.
  const sequence = noted && verdict.failures.some((one) => isSameFailure(one, noted.finding)) ? noted : undefined;
  const failures = orderFailures(verdict, sequence);
  const byCode = Map.groupBy(failures, ({ failure }) => failure.code);
  const shown = [...byCode.values()].flatMap(mostTelling);
  const hidden = failures.length - shown.length;
  return defined({
    id,
    section,
    level,
    text,
    verdict: verdict.verdict,
    evidence: verdict.evidence,
    examples: verdict.examples,
    reason: hidden > 0 ? hiddenInWords(hidden) : verdict.reason,
    failures: shown.map((finding, at) => reportFailure(finding, at === 0 ? sequence : undefined, reproduce)),
    waiver: verdict.waiver,
    recheck: sequence?.recheck ?? verdict.recheck,
    shrinking: sequence?.shrinking,
  });
}

function reportGaps(observed: ReadonlyMap<GapId, Observation>): Report['gaps'] {
  return gaps.map(({ id, section, question }) => {
    const observation = observed.get(id);
    return defined({
      id,
      section,
      question,
      observed: observation?.answers ?? [],
      size: observation?.size,
      example: observation?.exchange.number,
    });
  });
}

/** The exchanges that show failures, with the creations that they rely on. */
function citedExchanges(
  exchanges: readonly Exchange[],
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
  const citedSteps = steps.filter(({ number }) => cited.has(number));
  for (const { number } of requiredCreations(citedSteps, steps)) cited.add(number);
  return exchanges.filter(({ number }) => cited.has(number));
}

/** The requirements that the user asked for, each with its waiver, and what follows from them for the run as a whole. */
export function createReport(input: ReportInput): Report {
  const { settings, verdictOptions, exchanges, interactions } = input;
  const { reproduce = (shown) => curlOfLast(shown, settings.baseUrl) } = input;
  const wanted = input.verdicts.filter((verdict) => isWanted(verdict, verdictOptions));
  const verdicts = applyWaivers(wanted, verdictOptions.waivers, settings);
  const notes = staleNotes(verdicts);
  const requirements = verdicts.map((verdict) =>
    reportRequirement(verdict, input.counterexamples?.get(verdict.requirement.id), reproduce),
  );
  const carried: Readonly<Record<EvidenceScope, () => readonly Exchange[]>> = {
    failures: () => citedExchanges(exchanges, requirements, interactions ?? []),
    all: () => exchanges,
  };
  return Object.freeze(
    defined({
      format: 'petstore-conformance-report',
      formatVersion: 1,
      kit: defined({ ...kit, commit: input.commit, selfTest: selfTestFigures }),
      node: process.version,
      settings: reportSettings(settings, verdictOptions),
      interface: { name: 'Pet Store Service Interface', version: '1.0.0' },
      target: { baseUrl: settings.baseUrl },
      client: input.client,
      startedAt: new Date(input.startedAt).toISOString(),
      durationMs: input.endedAt - input.startedAt,
      seed: settings.seed,
      ...judgeRun({ ...input, verdicts }),
      requests: input.requests,
      creates: input.creates,
      unanswered: input.unanswered,
      counts: countVerdicts(requirements),
      requirements,
      interactions,
      gaps: input.observed === undefined ? [] : reportGaps(input.observed),
      created: input.created ?? [],
      waits: input.waits ?? [],
      timeline: exchanges.map(timelineRow),
      unusedBudget: input.unusedBudget,
      notes: notes.length === 0 ? undefined : notes,
      exchanges: carried[input.scope ?? 'failures']().map(reportExchange),
    }),
  );
}
