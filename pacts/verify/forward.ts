/** Sends a consumer's request to the target, within the budget and at the pace of the run. */

import { noKey, type SentCredential, validKey } from '../../conformance/http/credentials.ts';
import type { Exchange } from '../../conformance/http/exchange.ts';
import { readNewPet } from '../../conformance/http/read-request.ts';
import type { PlannedRequest } from '../../conformance/run/planned-request.ts';
import type { Session } from '../../conformance/run/session.ts';
import type { CurrentAttempt } from './attempts.ts';
import { exceedWith, injectsNewName } from './entered-states.ts';
import { type ConsumerRequest, planRequest } from './planned-request.ts';
import { NotVerifiable, neverIssued, refusalOfKey, SkippedByUser } from './reached.ts';

/**
 * The credential of a request. The interaction or its states decide; otherwise an interaction that expects 401 gets no key
 * or an invalid one, and all others get the key of the run.
 */
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

/** Whether a request creates an animal if its key is valid. */
function isCreation({ operation, method = 'GET', target, body = '', contentType = '' }: PlannedRequest): boolean {
  const request = { method, target, body, headers: { 'content-type': contentType } };
  return operation === 'createPet' && readNewPet({ request }).kind !== 'invalid';
}

/** Whether a valid body was refused whose category may be unknown: the interface does not say which ones are accepted. */
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

/** Pact's verifier cannot read JSON that is nested more deeply. */
const deepestNesting = 127;

function isTooDeep(body: string): boolean {
  let depth = 0;
  return (body.replace(/"(?:[^"\\]|\\.)*"/g, '').match(/[[\]{}]/g) ?? []).some((bracket) => {
    depth += bracket === '[' || bracket === '{' ? 1 : -1;
    return depth > deepestNesting;
  });
}

/** Sends a consumer's request; notes in the attempt why there is no answer, or why a different one is not a failure. */
export async function forward(session: Session, attempt: CurrentAttempt, consumer: ConsumerRequest): Promise<Exchange> {
  const { baseUrl, isReadOnly } = session.settings;
  const credential = credentialFor(session, attempt, consumer);
  const request = planRequest(consumer, { baseUrl, credential, id: attempt.values['id'] });
  // The record would disclose a key that stands outside the Authorization header.
  const recorded = [request.target, request.body, request.contentType, ...Object.values(request.headers ?? {})];
  if (recorded.some((text = '') => session.redact(text) !== text)) {
    throw new NotVerifiable('its request contains a key of the run, so it is not sent');
  }
  if (isReadOnly && isCreation(request) && credential.shown.kind === 'valid') {
    throw new SkippedByUser('the run is read-only');
  }
  const isExcess = credential.shown.kind === 'rate-limit';
  const exchange = await (isExcess ? exceedWith(session, request) : session.send(request));
  if (exchange.failure !== undefined) attempt.failure = exchange.failure.message;
  // After a lost answer the animal may exist already. A state with a new name allows another try.
  const isRepeatRefused = exchange.repeats !== undefined && exchange.response?.status === 400;
  if (isCreation(request) && isOpenRefusal(session, exchange)) {
    attempt.excuse = 'createPet answered 400: the category may not be known, see --category-id';
  } else if (isCreation(request) && isRepeatRefused && !attempt.states.some(injectsNewName)) {
    attempt.excuse = 'the first answer to createPet was lost, and its repetition got 400: names may have to be unique';
  }
  if (credential.shown.kind === 'valid') attempt.excuse ??= refusalOfKey(exchange);
  if (exchange.response?.bodyLength !== undefined) {
    throw new NotVerifiable(
      `its answer has ${exchange.response.bodyLength} characters, more than a verification reads`,
    );
  }
  if (isTooDeep(exchange.response?.body ?? '')) {
    throw new NotVerifiable("its answer is nested too deeply for Pact's verifier");
  }
  return exchange;
}
