/**
 * A client that passes although its requests break the interface either tests that they are refused, or ignores the answers.
 * One more run decides: there such requests are accepted, or fail with 500 if a service accepted them before.
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

/** No service refuses a request for breaking one of these. Of the others, a client may test that they are refused. */
const neverRefused: ReadonlySet<ClientRequirementId> = new Set(['client-id-exact', 'client-deprecated']);

/** Whether the request was refused for breaking the requirement; of a misplaced key, only 401 shows that. */
function isRefusedAsBroken({ exchanges, requirement }: ClientFinding): boolean {
  return exchanges.every(({ response: { status } = { status: 0 } }) =>
    requirement === 'client-key-in-header'
      ? status === 401
      : !neverRefused.has(requirement) && status >= 400 && status < 500 && status !== 429,
  );
}

/** Whether the request was served as if it did not break the requirement. */
function isServedAsValid(finding: ClientFinding): boolean {
  const hasAnswer = finding.exchanges.some(({ response }) => response !== undefined && response.status < 429);
  return hasAnswer && !isRefusedAsBroken(finding);
}

/** More exchanges than this tell nothing new about a client. */
const mostOfClient = 2_000;

/** A request of some client. */
interface ClientTraffic {
  readonly exchange: Exchange;
  /** Stands for the key of the sender; undefined if it is unknown. */
  readonly client?: string;
  /** Set if no other request is known to be of the same client. */
  readonly isAlone?: true;
}

/** What some findings show to be broken, each requirement once. Refused requests do not count: they may be tests of refusals. */
function brokenOnce(findings: readonly ClientFinding[]): readonly Failing<ClientRequirementId>[] {
  const broken = findings.filter(isFailing).filter((one) => !isRefusedAsBroken(one));
  return [...Map.groupBy(broken, ({ requirement }) => requirement).values()].map(([first]) => first!);
}

/** What each client breaks. */
export function brokenByClients(traffic: readonly ClientTraffic[]): readonly Failing<ClientRequirementId>[] {
  const own = traffic.filter(({ exchange }) => !isPreflight(exchange));
  const alone = own.filter(({ isAlone }) => isAlone);
  const known = own.filter(({ isAlone }) => !isAlone);
  const ofUnknown = alone.slice(-mostOfClient).flatMap(({ exchange }) => judgeSent([exchange]));
  const ofKnown = [...Map.groupBy(known, ({ client }) => client).values()].flatMap((sent) => {
    const exchanges = sent.map(({ exchange }) => exchange).toSorted((one, other) => one.sent - other.sent);
    return brokenOnce(judgeSent(exchanges.slice(-mostOfClient)));
  });
  return [...ofKnown, ...brokenOnce(ofUnknown)];
}

/** A requirement that requests of passing runs broke in one way, and some of these were refused. */
export interface Suspicion {
  readonly requirement: ClientRequirementId;
  readonly code: string;
  /**
   * `test`: the client tests refusals, since it noticed another answer. `fail`: it ignores the answers. `warn`: nobody knows,
   * or it tried an operation that the interface does not show and can do without it.
   */
  readonly verdict: 'test' | 'warn' | 'fail';
}

const pet = '{"id":1,"name":"Rex","categoryId":4711,"status":"available"}';

/** Gives the requests that break a requirement in one way another answer: 500 if they were accepted, else that of a legal one. */
function answeringBroken(isBroken: (failing: Failing<ClientRequirementId>) => boolean, isAccepted: boolean): Wrap {
  return (handle, { api }) => {
    const journal = createJournal([api], '/v1');
    return (request, now) => {
      const answer = handle(request, now);
      journal.add(request, answer, now);
      const received = journal.latest();
      const isMeant = judgeRequests(journal.received()).some(
        (one) => isFailing(one) && isBroken(one) && one.exchanges.at(-1) === received,
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

/** What a run against a service that answers such requests otherwise says of the suspicion. */
function verdictOfRun(made: ClientRun | undefined, isUnshown: boolean): Suspicion['verdict'] {
  if (made === undefined || (made.isPassed && isUnshown)) return 'warn';
  return made.isPassed ? 'fail' : 'test';
}

/** Runs the client once more for each way in which it broke a requirement by refused requests in passing runs. */
export async function suspicionsIn(
  runs: readonly ClientRun[],
  run: (service: LegalService) => Promise<ClientRun | undefined>,
): Promise<readonly Suspicion[]> {
  const survived = runs
    .filter(({ isPassed }) => isPassed)
    .flatMap(({ exchanges, service }) =>
      judgeRequests(exchanges)
        .filter(isFailing)
        .filter(({ requirement }) => !neverRefused.has(requirement))
        .map((finding) => ({ finding, service })),
    );
  const suspicions: Suspicion[] = [];
  const wayOf = ({ requirement, failure }: Failing<ClientRequirementId>) => `${requirement}-${failure.code}`;
  for (const [way, broken] of Map.groupBy(survived, ({ finding }) => wayOf(finding))) {
    const { requirement, failure } = broken[0]!.finding;
    if (!broken.some(({ finding }) => isRefusedAsBroken(finding))) continue;
    const isAccepted = broken.some(({ finding }) => isServedAsValid(finding));
    // The client sent such requests to a service with these answers to gaps; to another it may send none.
    const { gaps = {} } = broken[0]!.service;
    const meaning = isAccepted ? 'It fails with 500 on such requests.' : 'It accepts such requests.';
    const wrap = answeringBroken((one) => wayOf(one) === way, isAccepted);
    const made = await run({ id: `against-${way}`, requirement, meaning, gaps, wrap });
    const isUnshown = requirement === 'client-shown-only' && !isAccepted;
    suspicions.push({ requirement, code: failure.code, verdict: verdictOfRun(made, isUnshown) });
  }
  return suspicions;
}

function answeringAll(status: number, body: string): LegalService {
  const wrap: Wrap = (handle) => (request, now) => ({ ...handle(request, now), status, body });
  const id = `always-${status}`;
  return { id, requirement: 'any-catalogue', meaning: `Every answer is ${status}.`, wrap };
}

/** No legal service gives one answer to everything: a client that passes with both of these ignores all answers. */
export const alwaysServing = answeringAll(200, '[]');
/** With 501, since many libraries repeat a request after a 500. */
export const alwaysRefusing = answeringAll(501, '');
