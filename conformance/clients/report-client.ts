/** The report of a client: its requirements are the client requirements, its checks are the legal services. */

import { defined } from '../../spec/defined.ts';
import { operations } from '../../spec/operations.ts';
import { curlOf, quoteForShell } from '../http/curl.ts';
import type { Exchange } from '../http/exchange.ts';
import { createMask } from '../http/mask.ts';
import { createReport, type ReportInput } from '../verdict/create-report.ts';
import type { VerdictOptions } from '../verdict/outcome.ts';
import { type Reason, reason } from '../verdict/reasons.ts';
import type { Report } from '../verdict/report.ts';
import { isRefused } from '../world/evidence.ts';
import { settingsWith } from '../world/settings.ts';
import type { ClientRun } from './client-run.ts';
import type { Compatibility } from './compatibility.ts';
import { type ClientVerdict, judgeClient, outputOfRun } from './judge-client.ts';
import { knownCategory } from './services.ts';

export interface ClientReportInput
  extends Pick<ReportInput, 'startedAt' | 'endedAt' | 'ended'>,
    Pick<VerdictOptions, 'waivers'> {
  readonly made: Compatibility;
  /** The words of the command, without keys. */
  readonly command: readonly string[];
}

/** Why the runs show nothing about the client. */
function blockedBy({ usual, isHeedless }: Compatibility): Reason | undefined {
  const { isPassed, exchanges, ending } = usual;
  const last = exchanges.at(-1);
  if (isPassed && last === undefined) return reason('client-silent', {});
  if (isPassed) return isHeedless ? reason('client-heedless', {}) : undefined;
  return reason('client-fails-anyway', { ending: `${ending}${afterWhat(last)}${outputOfRun(usual)}` });
}

/** When a client failed, by the last answer that it got. */
function afterWhat(last: Exchange | undefined): string {
  if (last === undefined) return ' before it sent a request to PETSTORE_BASE_URL';
  const { response, operation } = last;
  return response === undefined || operation === 'other' ? '' : `, after ${response.status} to ${operation}`;
}

/** What the user should know although it breaks no requirement. */
function remarksOnClient(made: Compatibility, verdicts: readonly ClientVerdict[]): readonly string[] {
  const { usual, unexplained, reliances, runs } = made;
  const [first] = unexplained;
  const last = verdicts.flatMap(({ failures }) => failures.flatMap(({ exchanges }) => exchanges.at(-1) ?? []));
  const sendsOn = ({ service, exchanges }: ClientRun): boolean =>
    service.id === 'nothing-remains' && exchanges.some(isRefused);
  const unused = Object.keys(operations).filter((name) => !usual.exchanges.some(({ operation }) => operation === name));
  const remarks = [
    first && `with ${first.run.service.id} the client ${first.why}: ${first.run.ending}${outputOfRun(first.run)}`,
    usual.isPassed &&
      usual.exchanges.length > 0 &&
      unused.length > 0 &&
      `your command never used ${unused.join(' and ')}`,
    last.some((one) => !isOfFailedRun(one, made)) &&
      'petstore-server answers the curl lines, with the key that it prints in PETSTORE_API_KEY',
    runs.some(sendsOn) && 'it sends on although X-RateLimit-Remaining is 0, which no sentence forbids',
    reliances.some(({ service }) => service.answer !== undefined) &&
      'answers that your service never gives are left out by --gaps PROFILE, which a run of it writes with --reporter profile=FILE',
  ];
  const shown = remarks.filter((remark) => typeof remark === 'string');
  return shown.length === 0 ? [] : [shown.join('; ')];
}

/** Of the services whose runs show something, how many the client works with; and on how many answers it relies. */
function figuresOf({ runs, unexplained }: Compatibility, verdicts: readonly ClientVerdict[]) {
  const unclear = unexplained.map(({ run }) => run);
  const judged = runs.filter((run) => !run.service.isOpen && !unclear.includes(run));
  const countOf = (some: readonly ClientRun[]): number => new Set(some.map(({ service }) => service.id)).size;
  const relied = verdicts.filter(({ id, verdict }) => verdict === 'fail' && id.startsWith('any-'));
  const worksWith = countOf(judged.filter(({ isPassed }) => isPassed));
  return { worksWith, ranWith: countOf(judged), reliesOn: relied.length };
}

/** Where petstore-server listens, once it is started. The ports of the runs are gone when a report is read. */
const servedAt = 'http://127.0.0.1:8080/v1';

/** Headers that curl writes itself, or that say nothing of a client. */
const plainHeader = /^(host|connection|user-agent|content-length|accept-encoding|sec-.*)$/;

/** Whether a client fails with the service of an exchange: then it is run against that service again. */
function isOfFailedRun({ check }: Exchange, { reliances, unexplained }: Compatibility): boolean {
  return [...reliances, ...unexplained.map(({ run }) => run)].some(({ service }) => service.id === check);
}

/** The command that starts the service that the client fails with; for a request that breaks the interface, its curl line. */
function reproduce(last: Exchange, made: Compatibility): string {
  if (isOfFailedRun(last, made)) return `petstore-server --service ${quoteForShell(last.check)}`;
  const headers = Object.fromEntries(Object.entries(last.request.headers).filter(([name]) => !plainHeader.test(name)));
  return curlOf({ ...last, request: { ...last.request, headers } }, servedAt);
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
  const why = ended ?? blockedBy(made);
  const isCreated = ({ operation, response }: Exchange): boolean =>
    operation === 'createPet' && response?.status === 201;
  return createReport(
    defined({
      // The journal of a service holds no key of that service. The client may have sent other secrets, which are hidden here.
      mask: createMask(() => []),
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
        ...figuresOf(made, verdicts),
        services: made.runs.map((run) => {
          const { service, isPassed, ending, durationMs, exchanges: sent, output, printed } = run;
          const own = { id: service.id, isPassed, ending, durationMs, requests: sent.length, output };
          // Other failing runs show nothing, so what they printed is left out.
          const isCited = [made.usual, ...made.reliances, ...made.unexplained.map((one) => one.run)].includes(run);
          return defined({ ...own, printed: isPassed || !isCited ? undefined : printed });
        }),
      },
      reproduce: (last: Exchange) => reproduce(last, made),
      creates: exchanges.filter(isCreated).length,
      unanswered: 0,
      ...(verdicts.some(({ verdict }) => verdict === 'fail') ? { ended: why } : { blocked: why }),
      notes: remarksOnClient(made, verdicts),
      ...rest,
    }),
  );
}
