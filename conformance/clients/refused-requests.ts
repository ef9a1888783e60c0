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

/** No service refuses a request for these: of the others, a client may test that it does. */
const neverRefused: ReadonlySet<ClientRequirementId> = new Set(['client-id-exact', 'client-deprecated']);

/** Whether the request was refused for breaking the requirement: a misplaced key is refused with 401 alone. */
export function isRefused({ exchanges, requirement }: ClientFinding): boolean {
  return exchanges.every(({ response: { status } = { status: 0 } }) =>
    requirement === 'client-key-in-header'
      ? status === 401
      : !neverRefused.has(requirement) && status >= 400 && status < 500 && status !== 429,
  );
}

/** Whether the request got through, for all that the requirement asks for. */
function isServed(finding: ClientFinding): boolean {
  const hasAnswer = finding.exchanges.some(({ response }) => response !== undefined && response.status < 429);
  return hasAnswer && !isRefused(finding);
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

/** Requests that break a requirement, were refused, and that the client survives. */
export interface Suspicion {
  readonly requirement: ClientRequirementId;
  /**
   * A test of refusals if the client notices an answer that it did not meet. Else it ignores the answers, which fails. It
   * only warns where no service shows the operation: a client may try what it can do without.
   */
  readonly verdict: 'test' | 'warn' | 'fail';
}

const pet = '{"id":1,"name":"Rex","categoryId":4711,"status":"available"}';

/** Answers the requests that break a requirement as no service has: with 500, or with what a served request gets. */
function answering(broken: ClientRequirementId, isAccepted: boolean): Wrap {
  return (handle, { api }) => {
    const journal = createJournal([api], '/v1');
    return (request, now) => {
      const answer = handle(request, now);
      const received = journal.add(request, answer, now);
      const isMeant = judgeRequests(journal.received).some(
        (one) => one.requirement === broken && isFailing(one) && one.exchanges.at(-1) === received,
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

/** Runs the client once for each requirement that it breaks by requests that are refused, and that it survives. */
export async function suspicionsIn(
  runs: readonly ClientRun[],
  run: (service: LegalService) => Promise<ClientRun | undefined>,
): Promise<readonly Suspicion[]> {
  const survived = runs
    .filter(({ isPassed }) => isPassed)
    .flatMap(({ exchanges, service }) =>
      judgeRequests(exchanges)
        .filter((finding) => isFailing(finding) && !neverRefused.has(finding.requirement))
        .map((finding) => ({ finding, service })),
    );
  const suspicions: Suspicion[] = [];
  for (const [requirement, broken] of Map.groupBy(survived, ({ finding }) => finding.requirement)) {
    if (!broken.some(({ finding }) => isRefused(finding))) continue;
    const isAccepted = broken.some(({ finding }) => isServed(finding));
    // With these answers to gaps the client sends such requests; it may not with others.
    const { gaps = {} } = broken[0]!.service;
    const meaning = isAccepted ? 'It fails with 500 on such requests.' : 'It accepts such requests.';
    const wrap = answering(requirement, isAccepted);
    const made = await run({ id: `against-${requirement}`, requirement, meaning, gaps, wrap });
    const isUnshown = requirement === 'client-shown-only' && !isAccepted;
    const ignored = made?.isPassed && !isUnshown ? 'fail' : 'warn';
    suspicions.push({ requirement, verdict: made?.isPassed === false ? 'test' : ignored });
  }
  return suspicions;
}

function answeringAll(status: number, body: string): LegalService {
  const wrap: Wrap = (handle) => (request, now) => ({ ...handle(request, now), status, body });
  const id = `always-${status}`;
  return { id, requirement: 'any-catalogue', meaning: `Every answer is ${status}.`, wrap };
}

/** No service gives one answer to everything: a client that ends well with either looks at none. */
export const alwaysServing = answeringAll(200, '[]');
/** Libraries repeat what got 500, and not 501. */
export const alwaysRefusing = answeringAll(501, '');
