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

/** Whether a client sent on under the service that says that no request remains. */
function sendsOn({ service, exchanges }: ClientRun): boolean {
  return service.id === 'nothing-remains' && exchanges.some(isRefused);
}

/** What the user should know although it breaks no requirement. */
function remarksOnClient(made: Compatibility, verdicts: readonly ClientVerdict[]): readonly string[] {
  const { usual, unexplained, reliances, runs } = made;
  const remarks: string[] = [];
  const [first] = unexplained;
  if (first !== undefined) {
    const { run, why } = first;
    remarks.push(`with ${run.service.id} the client ${why}: ${run.ending}${outputOfRun(run)}`);
  }
  const unused = Object.keys(operations).filter((name) => !usual.exchanges.some(({ operation }) => operation === name));
  const isUsable = usual.isPassed && usual.exchanges.length > 0;
  if (isUsable && unused.length > 0) remarks.push(`your command never used ${unused.join(' and ')}`);
  const last = verdicts.flatMap(({ failures }) => failures.flatMap(({ exchanges }) => exchanges.at(-1) ?? []));
  if (last.some((one) => !isOfFailedRun(one, made))) {
    remarks.push('petstore-server answers the curl lines, with the key that it prints in PETSTORE_API_KEY');
  }
  if (runs.some(sendsOn)) {
    remarks.push('it sends on although X-RateLimit-Remaining is 0, which no sentence forbids');
  }
  if (reliances.some(({ service }) => service.answer !== undefined)) {
    remarks.push(
      'answers that your service never gives are left out by --gaps PROFILE, which a run of it writes with --reporter profile=FILE',
    );
  }
  return remarks.length === 0 ? [] : [remarks.join('; ')];
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

/** The runs as a report shows them. */
function reportRuns({ usual, runs, reliances, unexplained }: Compatibility): NonNullable<Report['client']>['services'] {
  // Other failing runs show nothing, so what they printed is left out.
  const cited = [usual, ...reliances, ...unexplained.map(({ run }) => run)];
  return runs.map((run) => {
    const { service, isPassed, ending, durationMs, exchanges, output, printed } = run;
    const shown = !isPassed && cited.includes(run) ? printed : undefined;
    return defined({
      id: service.id,
      isPassed,
      ending,
      durationMs,
      requests: exchanges.length,
      output,
      printed: shown,
    });
  });
}

/** Numbers the exchanges of all runs, each of which numbers its own from 1: exchange → the numbered one. */
function numberAll(exchanges: readonly Exchange[]): ReadonlyMap<Exchange, Exchange> {
  return new Map(exchanges.map((exchange, at) => [exchange, { ...exchange, number: at + 1 }]));
}

function hasCreated({ operation, response }: Exchange): boolean {
  return operation === 'createPet' && response?.status === 201;
}

export function reportClient(input: ClientReportInput): Report {
  const { made, command, waivers, startedAt, endedAt } = input;
  const exchanges = made.runs.flatMap((run) => run.exchanges);
  const numbered = numberAll(exchanges);
  const verdicts = judgeClient(made).map((verdict) => ({
    ...verdict,
    failures: verdict.failures.map((failure) => ({
      ...failure,
      exchanges: failure.exchanges.flatMap((exchange) => numbered.get(exchange) ?? []),
    })),
  }));
  const why = input.ended ?? blockedBy(made);
  const isFailed = verdicts.some(({ verdict }) => verdict === 'fail');
  return createReport(
    defined({
      // The journal of a service holds no key of that service. The client may have sent other secrets, which are hidden here.
      mask: createMask(() => []),
      settings: settingsWith({
        baseUrl: made.usual.environment.baseUrl,
        today: startedAt,
        categoryIds: [knownCategory],
        maxRequests: exchanges.length,
        isDisposable: true,
      }),
      verdictOptions: defined({ requiresAll: false, waivers }),
      verdicts,
      exchanges: [...numbered.values()],
      client: { command, ...figuresOf(made, verdicts), services: reportRuns(made) },
      reproduce: (last: Exchange) => reproduce(last, made),
      creates: exchanges.filter(hasCreated).length,
      unanswered: 0,
      ended: isFailed ? why : undefined,
      blocked: isFailed ? undefined : why,
      notes: remarksOnClient(made, verdicts),
      startedAt,
      endedAt,
    }),
  );
}
