/** The report of a tour: that of the kit, whose requirements are those about clients, and whose checks are worlds. */

import { curlOf } from '../http/curl.ts';
import type { Exchange } from '../http/exchange.ts';
import { countVerdicts } from '../verdict/counts.ts';
import { reportExchange } from '../verdict/create-report.ts';
import { kit } from '../verdict/kit.ts';
import type { Outcome } from '../verdict/outcome.ts';
import type { EvidenceScope, Report, ReportedRequirement } from '../verdict/report.ts';
import { reportSettings } from '../verdict/report-settings.ts';
import { selfTestFigures } from '../verdict/self-test-figures.ts';
import type { Settings } from '../verdict/settings.ts';
import { timelineRow } from '../verdict/timeline.ts';
import type { CompatibilityRuns } from './compatibility.ts';
import { type ClientFailure, type ClientVerdict, judgeClient } from './judge-client.ts';
import { categoryId } from './serve-variant.ts';

export interface ClientReportInput {
  readonly tour: CompatibilityRuns;
  /** The words of the command; what they say of a key is not shown. */
  readonly command: readonly string[];
  readonly seed: number;
  /** Unix milliseconds. */
  readonly startedAt: number;
  readonly endedAt: number;
  readonly scope: EvidenceScope;
  /** Why the tour ended before its end, if it did. */
  readonly ended?: string;
  /** Of the kit's own sources. */
  readonly commit?: string;
}

/** What is told of one requirement in one way; more of the same tell no more. */
const failuresPerCode = 5;

type Numbers = ReadonlyMap<Exchange, number>;

function reportFailure({ code, message, exchanges }: ClientFailure, numbers: Numbers, baseUrl: string) {
  const last = exchanges.at(-1);
  return {
    code,
    message,
    exchanges: exchanges.flatMap((exchange) => numbers.get(exchange) ?? []),
    curl: last === undefined ? `curl -i '${baseUrl}/pets'` : curlOf(last, baseUrl),
  };
}

function reportRequirement(judged: ClientVerdict, numbers: Numbers, baseUrl: string): ReportedRequirement {
  const { requirement, verdict, evidence, failures, recheck } = judged;
  const { id, section, level, text } = requirement;
  const shown = [...Map.groupBy(failures, ({ code }) => code).values()].flatMap((all) => all.slice(0, failuresPerCode));
  const hidden = failures.length - shown.length;
  const reason = hidden > 0 ? `${hidden} more failures of the same kinds` : judged.reason;
  return {
    id,
    section,
    level,
    text: text,
    verdict,
    evidence,
    ...(reason === undefined ? {} : { reason }),
    failures: shown.map((failure) => reportFailure(failure, numbers, baseUrl)),
    ...(recheck === undefined ? {} : { recheck }),
  };
}

/** What a tour says of a client as a whole, and its exit code. */
function outcomeOf(
  tour: CompatibilityRuns,
  requirements: readonly ReportedRequirement[],
  ended: string | undefined,
): Outcome {
  const { reference } = tour;
  const inconclusive = (reason: string): Outcome => ({ verdict: 'inconclusive', exitCode: 3, reason });
  if (!reference.isPassed) {
    const see = reference.output === undefined ? '' : `; see ${reference.output}`;
    return inconclusive(ended ?? `the client fails with the reference server already: ${reference.ending}${see}`);
  }
  if (requirements.some(({ verdict }) => verdict === 'fail')) {
    return { verdict: 'does-not-conform', exitCode: 1, ...(ended === undefined ? {} : { reason: ended }) };
  }
  if (ended !== undefined) return inconclusive(ended);
  if (reference.exchanges.length === 0) return inconclusive('the client sent no request to PETSTORE_BASE_URL');
  const [first] = tour.unexplained;
  if (first === undefined) return { verdict: 'conforms', exitCode: 0 };
  const see = first.output === undefined ? '' : `; see ${first.output}`;
  const reason = `in ${first.variant.id} the client failed once and passed when it was asked again: ${first.ending}${see}`;
  return { verdict: 'conforms', exitCode: 0, reason };
}

/** Every exchange of a tour with its number, world by world. */
function numberAll({ runs }: CompatibilityRuns): readonly Exchange[] {
  return runs.flatMap(({ exchanges, elsewhere }) => [...exchanges, ...elsewhere]);
}

/** The settings of a run, as far as a tour has them: nothing of a service was budgeted. */
function settingsOf({ tour, seed, startedAt }: ClientReportInput): Settings {
  return {
    baseUrl: tour.reference.baseUrl,
    categoryIds: [categoryId],
    petIds: [],
    maxRequests: tour.runs.reduce((sum, { exchanges }) => sum + exchanges.length, 0),
    maxCreates: 0,
    isReadOnly: false,
    concurrency: 1,
    maxWaitMs: 0,
    seed,
    today: startedAt,
    hasRateLimitKey: false,
    settleMs: 0,
    isDisposable: true,
    headers: {},
  };
}

export function reportClient(input: ClientReportInput): Report {
  const { tour, command, seed, startedAt, endedAt, scope, ended, commit } = input;
  const all = numberAll(tour);
  const numbers: Numbers = new Map(all.map((exchange, at) => [exchange, at + 1]));
  const { baseUrl } = tour.reference;
  const requirements = judgeClient(tour).map((judged) => reportRequirement(judged, numbers, baseUrl));
  const cited = new Set(requirements.flatMap(({ failures }) => failures.flatMap(({ exchanges }) => exchanges)));
  const numbered = all.map((exchange, at) => ({ ...exchange, number: at + 1 }));
  const carried: Readonly<Record<EvidenceScope, readonly Exchange[]>> = {
    none: [],
    failures: numbered.filter(({ number }) => cited.has(number)),
    all: numbered,
  };
  return Object.freeze({
    format: 'petstore-conformance-report',
    formatVersion: 1,
    kit: { ...kit, ...(commit === undefined ? {} : { commit }), selfTest: selfTestFigures },
    node: process.version,
    settings: reportSettings(settingsOf(input), { requiresAll: false }),
    interface: { name: 'Pet Store Service Interface', version: '1.0.0' },
    target: { baseUrl },
    client: {
      command,
      worlds: tour.runs.map(({ variant: world, isPassed, ending, durationMs, exchanges, output }) => ({
        id: world.id,
        isPassed,
        ending,
        durationMs,
        requests: exchanges.length,
        ...(output === undefined ? {} : { output }),
      })),
    },
    startedAt: new Date(startedAt).toISOString(),
    durationMs: endedAt - startedAt,
    seed,
    ...outcomeOf(tour, requirements, ended),
    requests: all.length,
    creates: all.filter(({ operation, response }) => operation === 'createPet' && response?.status === 201).length,
    unanswered: 0,
    counts: countVerdicts(requirements),
    requirements,
    gaps: [],
    created: [],
    waits: [],
    timeline: numbered.map(timelineRow),
    exchanges: carried[scope].map(reportExchange),
  });
}
