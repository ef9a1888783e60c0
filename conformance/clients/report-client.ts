/** The report of a client: its requirements are the client requirements, its checks are the service variants. */

import { defined } from '../../spec/defined.ts';
import type { Exchange } from '../http/exchange.ts';
import { createReport } from '../verdict/create-report.ts';
import type { EvidenceScope, Report } from '../verdict/report.ts';
import { settingsWith } from '../verdict/settings.ts';
import type { CompatibilityRuns } from './compatibility.ts';
import { judgeClient } from './judge-client.ts';
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

/** Why nothing can be said of the client, if so. */
function blockedBy({ reference }: CompatibilityRuns, ended: string | undefined): string | undefined {
  if (!reference.isPassed) {
    const see = reference.output === undefined ? '' : `; see ${reference.output}`;
    return ended ?? `the client fails with the reference server already: ${reference.ending}${see}`;
  }
  const isSilent = ended === undefined && reference.exchanges.length === 0;
  return isSilent ? 'the client sent no request to PETSTORE_BASE_URL' : undefined;
}

/** A run that failed once and passed when it was repeated. */
function remarkOn({ unexplained: [first] }: CompatibilityRuns): string | undefined {
  if (first === undefined) return undefined;
  const see = first.output === undefined ? '' : `; see ${first.output}`;
  return `in ${first.variant.id} the client failed once and passed when it was run again: ${first.ending}${see}`;
}

export function reportClient(input: ClientReportInput): Report {
  const { tour, command, seed, startedAt, endedAt, scope, ended, commit } = input;
  const exchanges = tour.runs.flatMap((run) => [...run.exchanges, ...run.elsewhere]);
  // The exchanges of every run are numbered from 1; those of a report differ in their numbers.
  const numbered = new Map(exchanges.map((exchange, at) => [exchange, { ...exchange, number: at + 1 }]));
  const renumber = (shown: readonly Exchange[]): readonly Exchange[] =>
    shown.flatMap((exchange) => numbered.get(exchange) ?? []);
  const verdicts = judgeClient(tour).map(({ failures, ...verdict }) => ({
    ...verdict,
    failures: failures.map((failure) => ({ ...failure, exchanges: renumber(failure.exchanges) })),
  }));
  return createReport(
    defined({
      settings: settingsWith({
        baseUrl: tour.reference.baseUrl,
        today: startedAt,
        categoryIds: [categoryId],
        maxRequests: tour.runs.reduce((sum, run) => sum + run.exchanges.length, 0),
        seed,
        isDisposable: true,
      }),
      verdictOptions: { requiresAll: false },
      verdicts,
      exchanges: renumber(exchanges),
      client: {
        command,
        worlds: tour.runs.map((run) =>
          defined({
            id: run.variant.id,
            isPassed: run.isPassed,
            ending: run.ending,
            durationMs: run.durationMs,
            requests: run.exchanges.length,
            output: run.output,
          }),
        ),
      },
      requests: exchanges.length,
      creates: exchanges.filter(({ operation, response }) => operation === 'createPet' && response?.status === 201)
        .length,
      unanswered: 0,
      blocked: blockedBy(tour, ended),
      ended,
      remark: remarkOn(tour),
      startedAt,
      endedAt,
      scope,
      commit,
    }),
  );
}
