/** The report of a client: its requirements are the client requirements, its checks are the service variants. */

import { defined } from '../../spec/defined.ts';
import { quoteForShell } from '../http/curl.ts';
import type { Exchange } from '../http/exchange.ts';
import { createReport, type ReportInput } from '../verdict/create-report.ts';
import type { VerdictOptions } from '../verdict/outcome.ts';
import { type Reason, reason } from '../verdict/reasons.ts';
import type { Report } from '../verdict/report.ts';
import { settingsWith } from '../verdict/settings.ts';
import type { ClientRun } from './client-run.ts';
import type { CompatibilityRuns } from './compatibility-runs.ts';
import type { UnexplainedRun } from './exploration.ts';
import { judgeClient, outputOf } from './judge-client.ts';
import { recordedVariant } from './recorded-requests.ts';
import { categoryIn } from './serve-variant.ts';

/** `reproduce` is a command line that serves the service variant if undefined. */
export interface ClientReportInput
  extends Pick<ReportInput, 'reproduce' | 'startedAt' | 'endedAt' | 'ended' | 'commit'>,
    Pick<VerdictOptions, 'waivers'> {
  readonly made: CompatibilityRuns;
  /** The words of the command, without keys. */
  readonly command: readonly string[];
  readonly seed: number;
}

function blockedBy({ reference }: CompatibilityRuns, ended: Reason | undefined): Reason | undefined {
  if (!reference.isPassed) {
    const { ending } = reference;
    const last = reference.exchanges.at(-1);
    const after =
      last?.response && last.operation !== 'other' ? `, after ${last.response.status} to ${last.operation}` : '';
    return ended ?? reason('client-fails-anyway', { ending: `${ending}${after}${outputOf(reference)}` });
  }
  const isSilent = ended === undefined && reference.exchanges.length === 0;
  return isSilent ? reason('client-silent', {}) : undefined;
}

const failedAndThen: Readonly<Record<UnexplainedRun['why'], string>> = {
  'passed-again': 'failed once and passed when it ran again',
  'fails-without': 'failed, and later without it, too',
  'not-confirmed': 'failed, and no run was left to confirm it (--runs)',
};

/** What the user should know although it breaks no requirement. */
function remarkOn({
  reference,
  unexplained: [first],
  isDisturbedByItself,
  runs,
}: CompatibilityRuns): Reason | undefined {
  const survivor = runs.find(({ survivors = [] }) => survivors.length > 0);
  const [empty] = runs;
  const remarks = [
    reference.variant.variations.length > 0 &&
      empty &&
      `the client fails while the catalogue is empty: ${empty.ending}${outputOf(empty)}, so all other services hold animals of other clients`,
    first &&
      `with ${first.run.variant.id} the client ${failedAndThen[first.why]}: ${first.run.ending}${outputOf(first.run)}`,
    isDisturbedByItself &&
      'the client failed only while another run of it was under way (does it listen on a fixed port?), so it ran one at a time',
    survivor && `with ${survivor.variant.id} the client left processes behind: ${survivor.survivors?.join(', ')}`,
  ];
  const shown = remarks.filter((remark) => typeof remark === 'string');
  return shown.length === 0 ? undefined : reason('client-remarks', { remarks: shown.join('; ') });
}

/** Of all services with a fixed outcome: how many the client works with, and on how many answers it relies. */
function figuresOf({
  runs,
  breakages,
}: CompatibilityRuns): Pick<NonNullable<Report['client']>, 'worksWith' | 'ranWith' | 'reliesOn'> {
  const isOpen = ({ variant }: ClientRun): boolean => variant.variations.some(({ isOutcomeOpen }) => isOutcomeOpen);
  const judged = Map.groupBy(
    runs.filter((run) => !isOpen(run) && run.variant !== recordedVariant),
    ({ variant }) => variant.id,
  );
  const isFailing = (all: readonly ClientRun[]): boolean => all.every(({ isPassed }) => !isPassed);
  const blamed = new Set(breakages.map(({ run }) => run.variant.id));
  // Several answers to one question break a client that relies on a certain one.
  // A client that gives up after a 429 relies on no answer.
  const reliances = new Set(
    breakages
      .map(({ variations }) => variations.map(({ requirement }) => requirement))
      .filter((ids) => ids.some((id) => id.startsWith('any-')))
      .map((ids) => ids.join()),
  );
  const failed = [...judged].filter(([id, all]) => isFailing(all) || blamed.has(id)).length;
  return { worksWith: judged.size - failed, ranWith: judged.size, reliesOn: reliances.size };
}

/** The ports of service variants are gone when a report is read: this starts one anew. */
export function serveCommand(shown: readonly Exchange[]): string {
  return `petstore-server --service ${quoteForShell(shown.at(-1)?.check ?? 'reference')}`;
}

export function reportClient(input: ClientReportInput): Report {
  const { made, command, seed, waivers, reproduce = serveCommand, ended, ...rest } = input;
  const exchanges = made.runs.flatMap((run) => [...run.exchanges, ...run.toOtherHost]);
  // The exchanges of each run are numbered from 1; a report numbers all of them.
  const numbered = new Map(exchanges.map((exchange, at) => [exchange, { ...exchange, number: at + 1 }]));
  const renumber = (shown: readonly Exchange[]): readonly Exchange[] =>
    shown.flatMap((exchange) => numbered.get(exchange) ?? []);
  const verdicts = judgeClient(made).map(({ failures, ...verdict }) => ({
    ...verdict,
    failures: failures.map((failure) => ({ ...failure, exchanges: renumber(failure.exchanges) })),
  }));
  const blocked = blockedBy(made, ended) ?? ended;
  const isCreated = ({ operation, response }: Exchange): boolean =>
    operation === 'createPet' && response?.status === 201;
  return createReport(
    defined({
      settings: settingsWith({
        baseUrl: made.reference.baseUrl,
        today: rest.startedAt,
        categoryIds: [categoryIn(made.reference.variant)],
        maxRequests: exchanges.length,
        seed,
        isDisposable: true,
      }),
      verdictOptions: defined({ requiresAll: false, waivers }),
      verdicts,
      exchanges: renumber(exchanges),
      client: {
        command,
        ...figuresOf(made),
        services: made.runs.map(({ variant, isPassed, ending, durationMs, exchanges: { length: requests }, output }) =>
          defined({ id: variant.id, isPassed, ending, durationMs, requests, output }),
        ),
      },
      reproduce,
      requests: exchanges.length,
      creates: exchanges.filter(isCreated).length,
      unanswered: 0,
      ...(verdicts.some(({ verdict }) => verdict === 'fail') ? { ended: blocked } : { blocked, ended }),
      remark: remarkOn(made),
      ...rest,
    }),
  );
}
