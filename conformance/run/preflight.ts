/** Checks, before a run, that the address is one of the interface, that it answers, and that it accepts the key. */

import { noKey } from '../http/credentials.ts';
import { isDocumented } from '../http/documented.ts';
import type { Exchange, RecordedResponse } from '../http/exchange.ts';
import { isJsonMediaType } from '../http/json.ts';
import { isGatewayError, isJson, statusOf } from '../http/read-response.ts';
import { type Reason, reason } from '../verdict/reasons.ts';
import { isOutage } from '../world/evidence.ts';
import { BudgetSpent } from './budget.ts';
import { type PlannedRequest, plainListing } from './planned-request.ts';
import type { Session } from './session.ts';
import { RunStopped } from './waits.ts';

/** Ends the run before it starts: the exchanges so far say nothing about the interface. */
export class NotStarted extends RunStopped {}

/** Whether an answer may come from the interface: it has a rate-limit header, or JSON where the interface documents it. */
function mayBeInterfaceAnswer(exchange: Exchange): boolean {
  const { 'x-ratelimit-limit': limit, 'content-type': type } = exchange.response?.headers ?? {};
  const isDeclaredJson = isJsonMediaType(type);
  return limit !== undefined || (isDocumented(exchange) && (isDeclaredJson || isJson(exchange)));
}

/** How much of a refusal is quoted. Characters. */
const longestSaid = 200;

/** What a refusal says itself, such as which header a gateway asks for; nothing where it is a page. */
function quoteOf({ status, body }: RecordedResponse): string {
  const isPage = /^\s*</.test(body);
  return status >= 400 && !isPage ? body.trim().slice(0, longestSaid) : '';
}

function answerInWords(response: RecordedResponse): string {
  const { location, 'content-type': type = 'no media type' } = response.headers;
  if (location !== undefined) return `${response.status} with a redirect to ${location}`;
  const answer = `${response.status} with ${type}`;
  const quote = quoteOf(response);
  return quote === '' ? answer : `${answer}: ${quote}`;
}

/** Why nothing can be judged after a listing that got no response. */
function reasonOfFailure({ code, message: error }: NonNullable<Exchange['failure']>, baseUrl: string): Reason {
  if (code === 'unreachable') return reason('unreachable', { error });
  if (code === 'timeout') return reason('no-answer-in-time', { error });
  if (code === 'malformed') return reason('not-http', { error });
  // A server that speaks TLS ends a connection that begins without it.
  const mayBeTls = code === 'broken' && !error.includes('HPE_') && baseUrl.startsWith('http:');
  return reason(mayBeTls ? 'maybe-https' : 'unreadable', { error });
}

/** §4.2 requires a refusal, so a service that has createPet answers without creating anything. */
const creating = { operation: 'createPet', method: 'POST', body: '{}', contentType: 'application/json' } as const;
const emptyCreation: PlannedRequest = { ...plainListing, ...creating };

/** The path of an operation (§4), which a user may have copied with the base address. */
const pathOfOperation = /\/pets(\/-?\d+)?$/;

/** Whether an address with the path of an operation was given: a listing below it reads an animal, which no id names. */
function isPathOfOperation({ settings }: Session, first: Exchange): boolean {
  return pathOfOperation.test(settings.baseUrl) && [400, 404, 405, 422].includes(statusOf(first) ?? 0);
}

/** Whether both listing and creating get 404 or 405: a service may lack one operation, a wrong address lacks all. */
async function isWrongPath(session: Session, first: Exchange): Promise<boolean> {
  if (isPathOfOperation(session, first)) return true;
  if (statusOf(first) !== 404 || session.settings.isReadOnly) return false;
  const status = statusOf(await session.send(emptyCreation));
  return status === 404 || status === 405;
}

/** Suggests the address above the path of an operation, or the one below `/v1` if a listing is answered there. */
async function adviceFor(session: Session, first: Exchange): Promise<string> {
  const { baseUrl } = session.settings;
  if (pathOfOperation.test(baseUrl)) {
    return `the base address ends before /pets: try ${baseUrl.replace(pathOfOperation, '')}`;
  }
  const below = await session.sendOnce({ ...plainListing, operation: 'other', target: '/v1/pets' });
  if (isJson(below) && [200, 401].includes(statusOf(below) ?? 0)) return `${baseUrl}/v1 answers as it does: try that`;
  const whose = statusOf(first) === 403 ? 'that the key, and this network, may list animals, and ' : '';
  return `check ${whose}the base address; it ends in a version segment, like https://host/v1`;
}

/** Whether a listing with the key, or else one without a key, is answered as the interface answers. */
async function isInterface(session: Session, first: Exchange): Promise<boolean> {
  if (mayBeInterfaceAnswer(first)) return true;
  return mayBeInterfaceAnswer(await session.send({ ...plainListing, credential: noKey }));
}

/** Why nothing can be judged, by the first answers of the target; undefined where it can be. */
async function findObstacle(session: Session): Promise<Reason | undefined> {
  const first = await session.send(plainListing);
  const { response, failure } = first;
  if (response === undefined) return reasonOfFailure(failure!, session.settings.baseUrl);
  const { status } = response;
  if (isGatewayError(first) && session.exchanges.every(isOutage)) return reason('gateway-answers', { status });
  if (!(await isInterface(session, first)) || (await isWrongPath(session, first))) {
    const advice = await adviceFor(session, first);
    return reason('other-interface', { answer: answerInWords(response), advice });
  }
  // A key that may not even list animals ends the run.
  if (status === 401) return reason('key-unknown', {});
  if (status === 403) return reason('key-forbidden', {});
  return undefined;
}

/** Sends at most four requests to the address and one below it; rejects with NotStarted if the target cannot be judged. */
export async function checkTarget(all: Session): Promise<void> {
  const session = all.forCheck('preflight');
  let obstacle: Reason | undefined;
  try {
    obstacle = await findObstacle(session);
  } catch (error) {
    // What ended the run so soon may show nothing of the interface either, such as a bare 429 to every request.
    if (error instanceof RunStopped && !session.exchanges.some(mayBeInterfaceAnswer))
      throw new NotStarted(error.reason);
    if (!(error instanceof BudgetSpent)) throw error;
    obstacle = reason('interface-unseen', { why: error.message });
  }
  if (obstacle !== undefined) throw new NotStarted(obstacle);
}

const isWithApiKey = ({ credential }: Exchange): boolean => credential.kind === 'valid';

/** Whether an answer refuses the key itself: 401, and 403 to a listing, which any key of the run may ask for. */
function refusesKey(exchange: Exchange): boolean {
  const status = statusOf(exchange);
  return status === 401 || (status === 403 && exchange.operation === 'listPets');
}

/** Whether a listing was served after this operation had refused the key: then it refuses it each time, and others do not. */
function isKnownToRefuse({ exchanges }: Session, operation: Exchange['operation']): boolean {
  const first = exchanges.find((one) => isWithApiKey(one) && one.operation === operation && statusOf(one) === 401);
  return first !== undefined && exchanges.some((one) => one.sent > first.answered && statusOf(one) === 200);
}

/** Ends the run if the key was accepted before and is refused now; sends a listing if the last answer refused it. */
export async function stopIfRefused(session: Session): Promise<void> {
  const last = session.exchanges.findLast(isWithApiKey);
  if (last === undefined || !refusesKey(last) || isKnownToRefuse(session, last.operation)) return;
  // No probe sends this one: a cache that keeps refusals has no copy of it.
  const again = await session.send({ ...plainListing, target: '/pets?limit=59' });
  if (!refusesKey(again)) return;
  const accepted = session.exchanges.findLast((exchange) => isWithApiKey(exchange) && !refusesKey(exchange));
  const values = { number: accepted?.number ?? 0, status: statusOf(again) ?? 0 };
  throw new RunStopped(reason(values.status === 401 ? 'key-expired' : 'key-blocked', values));
}
