/** The one way from verdicts to a report: for runs, recorded traffic, pacts and clients alike. */

import type { AnyRequirementId } from '../../spec/client-requirements.ts';
import { defined } from '../../spec/defined.ts';
import { type GapId, gaps } from '../../spec/gaps.ts';
import { curlOf } from '../http/curl.ts';
import type { Exchange } from '../http/exchange.ts';
import type { Mask } from '../http/mask.ts';
import { sentPetOf } from '../http/read-request.ts';
import { createdId, statusOf } from '../http/read-response.ts';
import { looksForeign, outagesIn } from '../world/evidence.ts';
import { readingOf } from '../world/readings.ts';
import type { Settings } from '../world/settings.ts';
import { requiredCreations, stepOf } from './counterexample.ts';
import type { Counterexample, Failing, Observation } from './finding.ts';
import { isWanted, judgeRun, type Outcome, type OutcomeInput, type VerdictOptions } from './outcome.ts';
import {
  kit,
  type Report,
  type ReportedFailure,
  type ReportedInteraction,
  type ReportedRequirement,
  type ReportedSettings,
  settingsShown,
  type TimelineRow,
} from './report.ts';
import { chooseCauses } from './report-causes.ts';
import { applyWaiver, type RequirementVerdict, type Verdict, verdicts } from './verdict.ts';

export interface ReportInput
  extends Pick<OutcomeInput, 'blocked' | 'ended' | 'unanswered' | 'unserved'>,
    Pick<Report, 'creates' | 'interactions' | 'client'>,
    Partial<Pick<Report, 'created' | 'waits' | 'notes'>> {
  /** Hides the secrets of the run: what a report holds leaves the process. */
  readonly mask: Mask;
  readonly settings: Settings;
  readonly verdictOptions: VerdictOptions;
  /** One for each requirement; those that the user did not ask for are left out of the report. */
  readonly verdicts: readonly RequirementVerdict<AnyRequirementId>[];
  readonly exchanges: readonly Exchange[];
  /** The shortest sequence known for a failing requirement. */
  readonly counterexamples?: ReadonlyMap<AnyRequirementId, Counterexample>;
  /** Absent where no service was judged. */
  readonly observed?: ReadonlyMap<GapId, Observation>;
  /** The command line that shows a failure by its last exchange; a curl line if undefined. */
  readonly reproduce?: (last: Exchange) => string;
  /** Unix milliseconds. */
  readonly startedAt: number;
  readonly endedAt: number;
}

const numbersOf = (exchanges: readonly Exchange[]): readonly number[] => exchanges.map(({ number }) => number);

const foreignRemark = " (the answer looks like a gateway's or a framework's)";

function reportFailure(
  { failure, exchanges }: Failing<AnyRequirementId>,
  sequence: Counterexample | undefined,
  reproduce: (last: Exchange) => string,
  mask: Mask,
): ReportedFailure {
  const last = exchanges.at(-1)!;
  const { expected, received, pointer, input } = failure;
  const shown = (text: string): string => mask.text(text, exchanges);
  return defined({
    ...failure,
    expected: shown(expected),
    received: shown(received) + (looksForeign(last) ? foreignRemark : ''),
    pointer: pointer === undefined ? undefined : shown(pointer),
    input: input && { ...input, value: shown(input.value) },
    exchanges: numbersOf(exchanges),
    curl: reproduce(mask.exchange(last)),
    sequence: sequence && numbersOf(sequence.exchanges),
  });
}

function reportRequirement(
  judged: RequirementVerdict<AnyRequirementId>,
  shown: readonly Failing<AnyRequirementId>[],
  ways: readonly string[] | undefined,
  { counterexamples, settings, verdictOptions: { waivers }, reproduce, mask }: ReportInput,
): ReportedRequirement {
  const { id, section, level, text, verdict, evidence, reason: why } = judged;
  const lineFor = reproduce ?? ((last: Exchange) => curlOf(last, settings.baseUrl));
  const sequence = counterexamples?.get(id);
  const waiver = waivers?.get(id);
  return defined({
    id,
    section,
    level,
    text,
    verdict,
    evidence,
    reason: why && mask.text(why),
    failures: shown.map((failing) =>
      reportFailure(failing, failing === sequence?.finding ? sequence : undefined, lineFor, mask),
    ),
    ways,
    waiver: waiver && applyWaiver(waiver, verdict, settings.today, ways),
    recheck: judged.failures.length === 0 ? undefined : (sequence?.recheck ?? judged.recheck),
  });
}

/** The settings without the keys and the values of the headers for gateways. */
export function reportSettings(settings: Settings, options: VerdictOptions): ReportedSettings {
  const { only, isLastFailed, requiresAll, maxOutages, waivers } = options;
  const shown = Object.fromEntries(settingsShown.map((name) => [name, settings[name]]));
  return defined({
    ...(shown as Pick<Settings, (typeof settingsShown)[number]>),
    only: only === undefined || only === 'shown' ? undefined : [...only],
    isLastFailed: isLastFailed || undefined,
    categoryIds: settings.categoryIds.map(String),
    today: new Date(settings.today).toISOString(),
    requiresAll,
    maxOutages,
    waivers: [...(waivers?.keys() ?? [])],
    gatewayHeaders: Object.keys(settings.headers),
  });
}

/** The animals that a run leaves behind: found by their id, or else by the name that was sent. */
export function animalsLeftBehind(exchanges: readonly Exchange[]): Report['created'] {
  return exchanges
    .filter((exchange) => exchange.operation === 'createPet' && statusOf(exchange) === 201)
    .map((exchange) => {
      const name = sentPetOf(exchange)?.name ?? '';
      return defined({ id: createdId(exchange)?.toString(), name });
    });
}

function reportGaps(observed: ReadonlyMap<GapId, Observation>): Report['gaps'] {
  return gaps.map(({ id, section, question }) => {
    const { answers = [], exchange } = observed.get(id) ?? {};
    return defined({ id, section, question, observed: answers, example: exchange?.number });
  });
}

/** What an answer says is left of the limit of its key; nothing where its headers are no whole numbers. */
function timelineRows(exchange: Exchange): readonly TimelineRow[] {
  const { limit, remaining } = readingOf(exchange);
  if (remaining === undefined) return [];
  const answeredAt = new Date(exchange.endedAt).toISOString();
  return [defined({ answeredAt, credential: exchange.credential.kind, remaining, limit })];
}

/** The outcome as it may be shown: its reason may repeat what the target says. */
function maskOutcome({ reason, ...outcome }: Outcome, mask: Mask): Outcome {
  if (reason === undefined) return outcome;
  const values = Object.entries(reason.values).map(([name, value]) => {
    return [name, typeof value === 'string' ? mask.text(value) : value] as const;
  });
  return { ...outcome, reason: { ...reason, values: Object.fromEntries(values) } };
}

/** An interaction as it may be shown: a consumer may have written a key into any name. */
function maskInteraction(interaction: ReportedInteraction, { text }: Mask): ReportedInteraction {
  const { consumer, description, states, messages } = interaction;
  return {
    ...interaction,
    consumer: text(consumer),
    description: text(description),
    states: states.map((state) => text(state)),
    messages: messages.map((message) => text(message)),
  };
}

/** How many requirements have which verdict. */
export function countVerdicts(requirements: readonly Pick<ReportedRequirement, 'verdict'>[]): Report['counts'] {
  const count = (wanted: Verdict): number => requirements.filter(({ verdict }) => verdict === wanted).length;
  const counts = Object.fromEntries(verdicts.map((verdict) => [verdict, count(verdict)])) as Record<Verdict, number>;
  return { ...counts, total: requirements.length, judged: counts.pass + counts.fail + counts.warn };
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
  const shown = exchanges.filter(({ number }) => cited.has(number));
  const kept = new Set([...shown, ...requiredCreations(shown, exchanges)]);
  return exchanges.filter((exchange) => kept.has(exchange));
}

/** The requirements that the user asked for, each with its waiver, and what follows from them for the run as a whole. */
export function createReport(input: ReportInput): Report {
  const { settings, verdictOptions, exchanges, interactions, mask } = input;
  const wanted = input.verdicts.filter((verdict) => isWanted(verdict, verdictOptions));
  const { causes, failures, ways } = chooseCauses(wanted, exchanges, input.counterexamples);
  const requirements = wanted.map((verdict) =>
    reportRequirement(verdict, failures.get(verdict.id) ?? [], ways.get(verdict.id), input),
  );
  // A failure that is waived may still show in a longer run.
  const stale = requirements.filter(({ waiver }) => waiver?.state === 'stale');
  const ofWaivers = stale.map(({ id }) => `${id} holds in this run, so its waiver may be removed.`);
  const notes = [...(input.notes ?? []), ...ofWaivers];
  return Object.freeze(
    defined({
      format: 'petstore-conformance-report',
      formatVersion: 1,
      kit,
      node: process.version,
      settings: reportSettings(settings, verdictOptions),
      interface: { name: 'Pet Store Service Interface', version: '1.0.0' },
      target: { baseUrl: settings.baseUrl },
      client: input.client,
      startedAt: new Date(input.startedAt).toISOString(),
      durationMs: input.endedAt - input.startedAt,
      seed: settings.seed,
      ...maskOutcome(
        judgeRun({ ...input, requirements, requests: exchanges.length, outages: outagesIn(exchanges).length }),
        mask,
      ),
      requests: exchanges.length,
      creates: input.creates,
      counts: countVerdicts(requirements),
      requirements,
      causes,
      interactions: interactions?.map((interaction) => maskInteraction(interaction, mask)),
      gaps: input.observed === undefined ? [] : reportGaps(input.observed),
      created: (input.created ?? []).map((pet) => ({ ...pet, name: mask.text(pet.name) })),
      waits: input.waits ?? [],
      timeline: exchanges.flatMap(timelineRows),
      notes: notes.length === 0 ? undefined : notes.map((note) => mask.text(note)),
      exchanges: citedExchanges(exchanges, requirements, interactions ?? []).map((one) => stepOf(mask.exchange(one))),
    }),
  );
}
