/**
 * A client that passes although its requests break the interface either tests that they are refused, or ignores the answers.
 * One more run decides: there such requests are accepted, or fail with 500 if a service accepted them before.
 */

import type { StoreResponse, Wrap } from '../../reference-server/twin/index.ts';
import { createJournal } from '../../reference-server/twin/journal.ts';
import type { ClientRequirementId } from '../../spec/client-requirements.ts';
import type { Operation } from '../../spec/operations.ts';
import { type Failing, isFailing } from '../verdict/finding.ts';
import type { ClientRun } from './client-run.ts';
import { isRefusedAsBroken, isServedAsValid, neverRefused } from './refused-requests.ts';
import { judgeRequests } from './requests.ts';
import type { LegalService } from './services.ts';

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

type AnswerTo = (operation: Operation) => Pick<StoreResponse, 'status' | 'body'>;

/** Gives another answer to the requests that break a requirement in one way. */
function answeringBroken(isBroken: (failing: Failing<ClientRequirementId>) => boolean, answerTo: AnswerTo): Wrap {
  return (handle, { api }) => {
    const journal = createJournal([api], '/v1');
    return (request, now) => {
      const answer = handle(request, now);
      journal.add(request, answer, now);
      const received = journal.latest();
      const isMeant = judgeRequests(journal.received()).some(
        (one) => isFailing(one) && isBroken(one) && one.exchanges.at(-1) === received,
      );
      return isMeant ? { ...answer, ...answerTo(received.operation) } : answer;
    };
  };
}

/** What one more run says, in which such requests got another answer; `mayGoOn`: a client may do without them. */
function verdictOfRun(made: ClientRun | undefined, mayGoOn: boolean): Suspicion['verdict'] {
  if (made === undefined) return 'warn';
  if (!made.isPassed) return 'test';
  return mayGoOn ? 'warn' : 'fail';
}

/** A failure of a passing run, and the service that the client met. */
interface SurvivedFailure {
  readonly finding: Failing<ClientRequirementId>;
  readonly service: LegalService;
}

function survivedIn({ exchanges, service }: ClientRun): readonly SurvivedFailure[] {
  const failing = judgeRequests(exchanges).filter(isFailing);
  return failing.filter(({ requirement }) => !neverRefused.has(requirement)).map((finding) => ({ finding, service }));
}

function labelOfWay({ requirement, failure }: Failing<ClientRequirementId>): string {
  return `${requirement}-${failure.code}`;
}

/** Another answer to requests that break a requirement, and what a service that gives it does, in a sentence. */
interface OtherAnswer {
  readonly meaning: string;
  readonly answerTo: AnswerTo;
}

const accepting: OtherAnswer = {
  meaning: 'It accepts such requests.',
  answerTo: (operation) => ({
    status: operation === 'createPet' ? 201 : 200,
    body: operation === 'listPets' ? '[]' : pet,
  }),
};
const breakingDown: OtherAnswer = {
  meaning: 'It fails with 500 on such requests.',
  answerTo: () => ({ status: 500, body: '' }),
};

/** The service that answers the requests of one way in another way. */
function serviceAgainst(
  way: string,
  { finding, service }: SurvivedFailure,
  { meaning, answerTo }: OtherAnswer,
): LegalService {
  // The client sent such requests to a service with these answers to gaps; to another it may send none.
  const { gaps = {} } = service;
  const wrap = answeringBroken((one) => labelOfWay(one) === way, answerTo);
  return { id: `against-${way}`, requirement: finding.requirement, meaning, gaps, wrap };
}

/** Runs the client once more for each way in which it broke a requirement by refused requests in passing runs. */
export async function suspicionsIn(
  runs: readonly ClientRun[],
  run: (service: LegalService) => Promise<ClientRun | undefined>,
): Promise<readonly Suspicion[]> {
  const survived = runs.filter(({ isPassed }) => isPassed).flatMap(survivedIn);
  const suspicions: Suspicion[] = [];
  for (const [way, all] of Map.groupBy(survived, ({ finding }) => labelOfWay(finding))) {
    if (!all.some(({ finding }) => isRefusedAsBroken(finding))) continue;
    const [first] = all as [SurvivedFailure];
    const { requirement, failure } = first.finding;
    const other = all.some(({ finding }) => isServedAsValid(finding)) ? breakingDown : accepting;
    const made = await run(serviceAgainst(way, first, other));
    const mayGoOn = requirement === 'client-shown-only' && other === accepting;
    suspicions.push({ requirement, code: failure.code, verdict: verdictOfRun(made, mayGoOn) });
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
