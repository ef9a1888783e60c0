/** Sends a consumer's request to the target, within the budget and at the pace of the run. */

import { noKey, type SentCredential, validKey } from '../../conformance/http/credentials.ts';
import type { Exchange, RecordedRequest } from '../../conformance/http/exchange.ts';
import { pageSize, readListing, sentPetOf } from '../../conformance/http/read-request.ts';
import { bodyOf, statusOf } from '../../conformance/http/read-response.ts';
import { isSecretName } from '../../conformance/http/secret-names.ts';
import { askAgainAtMs } from '../../conformance/http/tolerances.ts';
import type { PlannedRequest } from '../../conformance/run/planned-request.ts';
import type { Session } from '../../conformance/run/session.ts';
import { learnedIn } from '../../conformance/sections/4.2-create-pet/attempts.ts';
import { findCredential } from '../../conformance/sections/5-authentication/credentials.ts';
import { listWith } from '../../conformance/sections/8-limits/exhaustion.ts';
import { exhaust } from '../../conformance/sections/8-limits/probes.ts';
import { isRefused } from '../../conformance/world/evidence.ts';
import { readingOf } from '../../conformance/world/readings.ts';
import { defined } from '../../spec/defined.ts';
import { type Operation, operationOf } from '../../spec/operations.ts';
import { type PactInteraction, withoutBase } from '../pact.ts';
import { type Forwarded, NotVerifiable, type Reached } from './attempt.ts';
import { neverIssued, refusalOfKey } from './states.ts';

/** Headers about a connection, and headers that the session sets itself. */
const notForwarded =
  /^(host|connection|keep-alive|transfer-encoding|content-length|content-type|accept-encoding|te|upgrade|expect|proxy-.*|user-agent)$/;

/** Headers that may change the answer to one that the interface does not describe; the kit does not judge it. */
const altersAnswer = /^(if-.*|range|accept-language|x-http-method.*)$/;

/** The operation of a request. Of requests that the interface does not show, only reads are sent. */
function operationOfConsumer({ method, headers }: RecordedRequest, target: string): Operation {
  const path = target.split('?')[0]!;
  const operation = operationOf(method, path);
  if (operation === 'createPet') return operation;
  if (method !== 'GET' && method !== 'HEAD') {
    throw new NotVerifiable(`the interface shows no ${method} ${path}, so it is not sent`);
  }
  const isJson = /\*\/\*|application\/(\*|json)/i.test(headers['accept'] ?? '*/*');
  return isJson && !Object.keys(headers).some((name) => altersAnswer.test(name)) ? operation : 'other';
}

/** An interaction whose states are reached, and whose request comes next. */
interface Awaiting {
  readonly interaction: PactInteraction;
  readonly reached: Reached;
}

/** Plans a consumer's request for the target, without the consumer's secrets; throws if it must not be sent. */
function planRequest(consumer: RecordedRequest, credential: SentCredential, id?: string | number): PlannedRequest {
  const { method, headers, body } = consumer;
  const recorded = withoutBase(consumer.target);
  // The id of the state, since version 2 has no injected values.
  const target = id === undefined ? recorded : recorded.replace(/^\/pets\/-?\d+(?=$|\?)/, `/pets/${id}`);
  const forwarded = Object.entries(headers).filter(([name]) => !notForwarded.test(name) && !isSecretName(name));
  return defined({
    operation: operationOfConsumer(consumer, target),
    method,
    target,
    body,
    // Every body of the interface is JSON, so a pact need not name the media type.
    contentType: headers['content-type'] ?? (body === undefined ? undefined : 'application/json'),
    headers: Object.fromEntries(forwarded),
    credential,
  });
}

/**
 * The credential of a request. The states of the interaction decide; otherwise one that expects 401 gets no key
 * or an invalid one, and all others get the key of the run, with the scheme in the case in which the consumer writes it.
 */
function credentialOfAttempt(
  session: Session,
  { interaction, reached }: Awaiting,
  { headers: { authorization } }: RecordedRequest,
): SentCredential {
  if (reached.credential !== undefined) return reached.credential;
  if (interaction.status === 401) return authorization === undefined ? noKey : neverIssued(session);
  const [scheme = ''] = /^bearer(?=\s)/i.exec(authorization ?? '') ?? [];
  const isOtherCase = scheme !== '' && scheme !== 'Bearer';
  return isOtherCase ? findCredential('lower-case-bearer', { api: session.keys.api })! : validKey(session.keys.api);
}

/** Sends a request with the key that may be exhausted, once it is. */
async function exceedWith(session: Session, request: PlannedRequest): Promise<Exchange> {
  const end = await exhaust(session, listWith(session, session.keys.rateLimit!));
  if (typeof end === 'string') throw new NotVerifiable(end);
  const exchange = await session.sendOnce(request);
  if (isRefused(exchange) || readingOf(exchange).resetsAt === readingOf(end).resetsAt) return exchange;
  throw new NotVerifiable('the limit was reset before the request could exceed it');
}

/** Whether an answer lacks animals that the states have brought: how soon they are found and listed is open. */
function lacksAnimals(exchange: Exchange, { interaction, reached: { animals } }: Awaiting): boolean {
  const status = statusOf(exchange);
  if (animals === 0 || interaction.status !== 200) return false;
  if (exchange.operation === 'getPet') return status === 404;
  const page = exchange.operation === 'listPets' && status === 200 ? bodyOf(exchange) : undefined;
  return Array.isArray(page) && page.length < Math.min(animals, pageSize(readListing(exchange)));
}

/** Sends a request, and again while it lacks animals that may not have appeared yet. */
async function sendUntilSettled(session: Session, request: PlannedRequest, awaiting: Awaiting): Promise<Exchange> {
  let exchange = await session.send(request);
  let waitedMs = 0;
  for (const ms of [session.settings.settleMs, ...askAgainAtMs]) {
    if (!lacksAnimals(exchange, awaiting)) break;
    await session.wait(Math.max(0, ms - waitedMs), 'new animals may not be listed yet');
    waitedMs = Math.max(ms, waitedMs);
    exchange = await session.send(request);
  }
  return exchange;
}

/** Why another answer than the expected one is no failure of the target; undefined if it is one. */
function excuseOfAnswer(session: Session, exchange: Exchange): string | undefined {
  if (exchange.credential.kind !== 'valid') return undefined;
  if (exchange.operation !== 'createPet' || statusOf(exchange) !== 400) return refusalOfKey(exchange);
  const category = sentPetOf(exchange)?.categoryId;
  const known = [...session.settings.categoryIds, ...learnedIn(session).categories];
  if (category === undefined || known.includes(category)) return undefined;
  return 'createPet answered 400: the category may not be known, see --category-id';
}

/** Sends a consumer's request. Rejects with NotVerifiable, and with the errors of a session. */
export async function forward(session: Session, awaiting: Awaiting, consumer: RecordedRequest): Promise<Forwarded> {
  const credential = credentialOfAttempt(session, awaiting, consumer);
  const request = planRequest(consumer, credential, awaiting.reached.values['id']);
  const isExcess = credential.shown.kind === 'rate-limit';
  const exchange = await (isExcess ? exceedWith(session, request) : sendUntilSettled(session, request, awaiting));
  return { exchange, excuse: excuseOfAnswer(session, exchange) };
}
