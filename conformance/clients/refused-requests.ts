/**
 * Requests that break the interface, and that the client survives: a test of refusals, or a client that ignores answers.
 * One more run decides, in which those requests get the answer that the client did not meet.
 */

import type { Wrap } from '../../reference-server/twin/index.ts';
import { createJournal } from '../../reference-server/twin/journal.ts';
import type { ClientRequirementId } from '../../spec/client-requirements.ts';
import type { Exchange } from '../http/exchange.ts';
import { type Failing, isFailing } from '../verdict/finding.ts';
import { type ClientRun, isPreflight } from './client-run.ts';
import { type ClientFinding, judgeRequests } from './requests.ts';
import type { LegalService } from './services.ts';
import { judgeSent } from './waits.ts';

export interface RunFinding {
  readonly finding: ClientFinding;
  readonly run: ClientRun;
}

export function findingsOf(runs: readonly ClientRun[]): readonly RunFinding[] {
  return runs.flatMap((run) => judgeSent(run.exchanges).map((finding) => ({ finding, run })));
}

/** Requirements that a service may enforce by a refusal, so that a client may test that it does. */
const refusable: ReadonlySet<ClientRequirementId> = new Set([
  'client-required-fields',
  'client-values-in-range',
  'client-sends-json',
  'client-shown-only',
  'client-limit-in-range',
  'client-status-known',
  'client-id-int64',
  'client-key-in-header',
]);

/** Whether the request was refused for breaking the requirement: a misplaced key is refused with 401 alone. */
export function isRefused({ exchanges, requirement }: ClientFinding): boolean {
  return exchanges.every(({ response: { status } = { status: 0 } }) =>
    requirement === 'client-key-in-header'
      ? status === 401
      : refusable.has(requirement) && status >= 400 && status < 500 && status !== 429,
  );
}

/** More exchanges than this tell nothing new about a client. */
const mostExchanges = 2_000;

/**
 * What each client breaks, each requirement once; `client` tells the senders apart by their keys, undefined if nothing does.
 * A refused request may have been sent to be refused.
 */
export function brokenByClients(
  traffic: readonly { readonly exchange: Exchange; readonly client?: string }[],
): readonly Failing<ClientRequirementId>[] {
  const own = traffic.filter(({ exchange }) => !isPreflight(exchange));
  return [...Map.groupBy(own, ({ client }) => client).values()].flatMap((sent) => {
    const exchanges = sent.map(({ exchange }) => exchange).toSorted((one, other) => one.sent - other.sent);
    const broken = judgeSent(exchanges.slice(-mostExchanges)).filter(isFailing);
    const byRequirement = Map.groupBy(
      broken.filter((one) => !isRefused(one)),
      ({ requirement }) => requirement,
    );
    return [...byRequirement.values()].map(([first]) => first!);
  });
}

/** Whether the request got through, for all that the requirement asks for. */
function isServed(finding: ClientFinding): boolean {
  const hasAnswer = finding.exchanges.some(({ response }) => response !== undefined && response.status < 429);
  return hasAnswer && !isRefused(finding);
}

/** Requests that break a requirement alike, were refused, and that the client survives. */
export interface Suspicion {
  readonly requirement: ClientRequirementId;
  readonly findings: readonly RunFinding[];
  /** Whether it passes where they are accepted as well. */
  readonly isAccepted: boolean;
  /** Whether the client notices an answer that it did not meet; undefined while no run shows it. */
  readonly isNoticed?: boolean;
}

/** Equal for requests that break a requirement alike. */
function kindOf({ requirement, failure }: ClientFinding): string {
  return JSON.stringify([requirement, failure?.code, failure?.expected, failure?.received]);
}

export function suspicionsIn(all: readonly RunFinding[]): readonly Suspicion[] {
  const broken = all.filter(({ finding }) => isFailing(finding) && refusable.has(finding.requirement));
  return [...Map.groupBy(broken, ({ finding }) => kindOf(finding)).values()].flatMap((findings) => {
    const survived = findings.filter(({ run }) => run.isPassed).map(({ finding }) => finding);
    if (!survived.some(isRefused)) return [];
    const { requirement } = findings[0]!.finding;
    return [{ requirement, findings, isAccepted: survived.some(isServed) }];
  });
}

const pet = '{"id":1,"name":"Rex","categoryId":4711,"status":"available"}';

/** Answers the requests of a suspicion as no service has: with what a served request gets, or with 500. */
function answering({ findings: [first], isAccepted }: Suspicion): Wrap {
  return (handle, { api }) => {
    const journal = createJournal([api], '/v1');
    return (request, now) => {
      const answer = handle(request, now);
      const received = journal.add(request, answer, now);
      const isMeant = judgeRequests(journal.received).some(
        (finding) => finding.exchanges.at(-1) === received && kindOf(finding) === kindOf(first!.finding),
      );
      if (!isMeant) return answer;
      if (isAccepted) return { ...answer, status: 500, body: '' };
      const { operation } = received;
      return {
        ...answer,
        status: operation === 'createPet' ? 201 : 200,
        body: operation === 'listPets' ? '[]' : pet,
      };
    };
  };
}

/** Gives each suspicion a run of its own, as far as runs are left. */
export async function proofsOf(
  all: readonly Suspicion[],
  run: (service: LegalService) => Promise<ClientRun | undefined>,
): Promise<readonly Suspicion[]> {
  const decided: Suspicion[] = [];
  for (const suspicion of all) {
    const { requirement, isAccepted } = suspicion;
    const meaning = isAccepted ? 'It fails with 500 on such requests.' : 'It accepts such requests.';
    const service: LegalService = { id: `against-${requirement}`, requirement, meaning, wrap: answering(suspicion) };
    const made = await run(service);
    decided.push(made === undefined ? suspicion : { ...suspicion, isNoticed: !made.isPassed });
  }
  return decided;
}

/** What the requests of a suspicion come to: a test of refusals, a warning, or a failure. */
export function verdictOn({ isAccepted, isNoticed }: Suspicion): 'test' | 'warn' | 'fail' {
  if (isNoticed) return 'test';
  return isAccepted && isNoticed === false ? 'fail' : 'warn';
}
