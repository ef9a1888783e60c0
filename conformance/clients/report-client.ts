/** The report of a client: its requirements are the client requirements, its checks are the legal services. */

import { defined } from '../../spec/defined.ts';
import { operations } from '../../spec/operations.ts';
import { quoteForShell } from '../http/curl.ts';
import type { Exchange } from '../http/exchange.ts';
import { createReport, type ReportInput } from '../verdict/create-report.ts';
import type { VerdictOptions } from '../verdict/outcome.ts';
import { counted, type Reason, reason } from '../verdict/reasons.ts';
import type { Report } from '../verdict/report.ts';
import { settingsWith } from '../world/settings.ts';
import type { ClientRun } from './client-run.ts';
import type { Compatibility, UnexplainedRun } from './compatibility.ts';
import { judgeClient, outputOf } from './judge-client.ts';
import { amongOthers, knownCategory } from './services.ts';
import { isLimited } from './waits.ts';

export interface ClientReportInput
  extends Pick<ReportInput, 'startedAt' | 'endedAt' | 'ended'>,
    Pick<VerdictOptions, 'waivers'> {
  readonly made: Compatibility;
  /** The words of the command, without keys. */
  readonly command: readonly string[];
}

function blockedBy({ usual }: Compatibility, ended: Reason | undefined): Reason | undefined {
  const { isPassed, exchanges, ending } = usual;
  const last = exchanges.at(-1);
  if (isPassed) return ended === undefined && last === undefined ? reason('client-silent', {}) : undefined;
  const after =
    last === undefined
      ? ' before it sent a request'
      : last.response && last.operation !== 'other'
        ? `, after ${last.response.status} to ${last.operation}`
        : '';
  return ended ?? reason('client-fails-anyway', { ending: `${ending}${after}${outputOf(usual)}` });
}

const failedAndThen: Readonly<Record<UnexplainedRun['why'], string>> = {
  'passed-again': 'failed beside another run, and passed when it ran alone',
  'fails-without': 'failed, and later without it, too',
  'not-confirmed': 'failed, and no run was left to confirm it (--runs)',
};

/** What the user should know although it breaks no requirement. */
function remarkOn({ usual, unexplained: [first], reliances, runs, untried }: Compatibility): Reason | undefined {
  const [empty] = runs;
  const isHeedless = ({ service, exchanges }: ClientRun): boolean =>
    service.id === 'nothing-remains' && exchanges.some(isLimited);
  const unused = Object.keys(operations).filter((name) => !usual.exchanges.some(({ operation }) => operation === name));
  const remarks = [
    empty?.isPassed === false &&
      usual.isPassed &&
      usual.service === amongOthers &&
      `the client fails while the catalogue is empty: ${empty.ending}${outputOf(empty)}, so all other services hold animals of other clients`,
    first &&
      `with ${first.run.service.id} the client ${failedAndThen[first.why]}: ${first.run.ending}${outputOf(first.run)}`,
    untried > 0 && `${counted(untried, 'service')} that would answer it differently had no run (--runs)`,
    usual.isPassed &&
      usual.exchanges.length > 0 &&
      unused.length > 0 &&
      `your command never used ${unused.join(' and ')}`,
    runs.some(isHeedless) && 'it sends on although X-RateLimit-Remaining is 0, which no sentence forbids',
    reliances.some(({ service }) => service.answer !== undefined) &&
      'answers that your service never gives are left out by --gaps PROFILE, which a run of it writes with --reporter profile=FILE',
  ];
  const shown = remarks.filter((remark) => typeof remark === 'string');
  return shown.length === 0 ? undefined : reason('client-remarks', { remarks: shown.join('; ') });
}

/** Of all services with a fixed outcome: how many the client works with, and on how many answers it relies. */
function figuresOf({ runs, reliances }: Compatibility) {
  const judged = runs.filter(({ service }) => !service.isOpen);
  const countOf = (some: readonly ClientRun[]): number => new Set(some.map(({ service }) => service.id)).size;
  // Several answers to one question break a client that relies on a certain one. One that gives up after 429 relies on none.
  const relied = new Set(reliances.map(({ service }) => service.requirement).filter((id) => id.startsWith('any-')));
  const worksWith = countOf(judged.filter(({ isPassed }) => isPassed));
  return { worksWith, ranWith: countOf(judged), reliesOn: relied.size };
}

/** The ports of services are gone when a report is read: this starts one anew. */
function serveCommand(shown: readonly Exchange[]): string {
  return `petstore-server --service ${quoteForShell(shown.at(-1)?.check ?? 'reference')}`;
}

export function reportClient(input: ClientReportInput): Report {
  const { made, command, waivers, ended, ...rest } = input;
  const exchanges = made.runs.flatMap((run) => run.exchanges);
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
        baseUrl: made.usual.environment.baseUrl,
        today: rest.startedAt,
        categoryIds: [knownCategory],
        maxRequests: exchanges.length,
        isDisposable: true,
      }),
      verdictOptions: defined({ requiresAll: false, waivers }),
      verdicts,
      exchanges: renumber(exchanges),
      client: {
        command,
        ...figuresOf(made),
        services: made.runs.map((run) => {
          const { service, isPassed, ending, durationMs, exchanges: sent, output, printed } = run;
          const own = { id: service.id, isPassed, ending, durationMs, requests: sent.length, output };
          return defined({ ...own, printed: isPassed ? undefined : printed });
        }),
      },
      reproduce: serveCommand,
      requests: exchanges.length,
      creates: exchanges.filter(isCreated).length,
      unanswered: 0,
      ...(verdicts.some(({ verdict }) => verdict === 'fail') ? { ended: blocked } : { blocked, ended }),
      remark: remarkOn(made),
      ...rest,
    }),
  );
}
