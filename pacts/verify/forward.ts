/** Sends the request of a consumer to the target, within the budget and at the pace of the run. */

import type { CurrentAttempt } from './attempts.ts';
import { exceedWith } from './excess.ts';
import {
  type Exchange,
  neverIssued,
  noKey,
  type PlannedRequest,
  readNewPet,
  type SentCredential,
  type Session,
  validKey,
} from './kit.ts';
import { type ConsumerRequest, planRequest } from './planned-request.ts';
import { NotReachable, NotWanted, refusalOfKey } from './reached.ts';

/** What the interaction says of the key and its states decide; without one, an interaction that expects 401 gets what it asks for, all others the key. */
function credentialFor(
  { keys }: Session,
  { credential, expected }: CurrentAttempt,
  { headers }: ConsumerRequest,
): SentCredential {
  if (expected?.isWithoutKey) return noKey;
  if (credential !== undefined) return credential;
  if (expected?.response['status'] !== 401) return validKey(keys.api);
  return headers.authorization === undefined ? noKey : neverIssued(keys.api);
}

/** Whether a request creates an animal where its key allows it. */
function isCreation({ operation, method = 'GET', target, body = '', contentType = '' }: PlannedRequest): boolean {
  const request = { method, target, body, headers: { 'content-type': contentType } };
  return operation === 'createPet' && readNewPet({ request }).kind !== 'invalid';
}

/** A valid body in a category that nothing shows to be known is refused: which categories are accepted is not shown. */
function isOpenRefusal(session: Session, exchange: Exchange): boolean {
  const reading = readNewPet(exchange);
  if (exchange.response?.status !== 400 || reading.kind === 'invalid' || reading.pet === undefined) return false;
  const { categoryId } = reading.pet;
  const isAccepted = (other: Exchange): boolean => {
    const sent = readNewPet(other);
    return other.response?.status === 201 && sent.kind !== 'invalid' && sent.pet?.categoryId === categoryId;
  };
  return !session.settings.categoryIds.includes(categoryId) && !session.exchanges.some(isAccepted);
}

/** The native verifier reads no JSON that is nested more deeply. */
const deepest = 127;

function isTooDeep(body: string): boolean {
  let depth = 0;
  return (body.replace(/"(?:[^"\\]|\\.)*"/g, '').match(/[[\]{}]/g) ?? []).some((bracket) => {
    depth += bracket === '[' || bracket === '{' ? 1 : -1;
    return depth > deepest;
  });
}

/** Whether a key of the run stands where it is no credential: a record of such a request would tell it. */
function holdsKey({ redact }: Session, { target, body = '', contentType = '', headers = {} }: PlannedRequest): boolean {
  return [target, body, contentType, ...Object.values(headers)].some((text) => redact(text) !== text);
}

/** Sends what a consumer asks; notes in the attempt why there is no answer, or why another one is no failure. */
export async function forward(session: Session, attempt: CurrentAttempt, consumer: ConsumerRequest): Promise<Exchange> {
  const { baseUrl, isReadOnly } = session.settings;
  const credential = credentialFor(session, attempt, consumer);
  const request = planRequest(consumer, { baseUrl, credential, id: attempt.values['id'] });
  if (holdsKey(session, request)) throw new NotReachable('its request holds a key of the run, and is not sent');
  if (isReadOnly && isCreation(request) && credential.shown.kind === 'valid') {
    throw new NotWanted('the run is read-only');
  }
  const isExcess = credential.shown.kind === 'rate-limit';
  const exchange = await (isExcess ? exceedWith(session, request) : session.send(request));
  if (exchange.failure !== undefined) attempt.failure = exchange.failure.message;
  if (isCreation(request) && isOpenRefusal(session, exchange)) {
    attempt.excuse = 'createPet answered 400: the category may not be known, see --category-id';
  }
  if (credential.shown.kind === 'valid') attempt.excuse ??= refusalOfKey(exchange);
  if (exchange.response?.bodyLength !== undefined) {
    throw new NotReachable(`its answer has ${exchange.response.bodyLength} characters, more than a verification reads`);
  }
  if (isTooDeep(exchange.response?.body ?? '')) {
    throw new NotReachable('its answer is nested too deeply for the verifier of Pact');
  }
  return exchange;
}
