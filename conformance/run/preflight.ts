/** Checks, before a run, that the address is one of the interface, that it answers, and that it accepts the key. */

import { noKey } from '../http/credentials.ts';
import { isDocumented } from '../http/documented.ts';
import type { Exchange } from '../http/exchange.ts';
import { isGatewayError, isJson, pageOf, statusOf } from '../http/read-response.ts';
import { reason } from '../verdict/reasons.ts';
import { isOutage } from '../world/evidence.ts';
import { BudgetSpent } from './budget.ts';
import { RunStopped } from './pace.ts';
import { emptyCreation, listing, unknownAnimal } from './planned-request.ts';
import type { Session } from './session.ts';

/** Ends the run before it starts: the exchanges so far say nothing about the interface. */
export class NotStarted extends RunStopped {}

/** Whether an answer may come from the interface: it has a rate-limit header, or JSON where the interface documents it. */
function mayBeInterfaceAnswer(exchange: Exchange): boolean {
  const { 'x-ratelimit-limit': limit, 'content-type': type = '' } = exchange.response?.headers ?? {};
  const isDeclaredJson = /^application\/json\b/i.test(type);
  return limit !== undefined || (isDocumented(exchange) && (isDeclaredJson || isJson(exchange)));
}

/** Whether a service behind the gateways may have given an answer: it has a rate-limit header, or is no 429. */
function mayBeServiceAnswer(exchange: Exchange): boolean {
  return exchange.response?.headers['x-ratelimit-limit'] !== undefined || statusOf(exchange) !== 429;
}

function inWords({ response, failure }: Exchange): string {
  if (response === undefined) return `no answer (${failure?.message ?? ''})`;
  const { location, 'content-type': type = 'no media type' } = response.headers;
  return `${response.status} with ${location === undefined ? type : `a redirect to ${location}`}`;
}

function stopUnanswered(exchange: Exchange, baseUrl: string): void {
  const { failure } = exchange;
  if (isGatewayError(exchange)) {
    throw new NotStarted(reason('gateway-answers', { status: statusOf(exchange) ?? 0 }));
  }
  if (failure === undefined) return;
  const error = { error: failure.message };
  if (failure.code === 'unreachable') throw new NotStarted(reason('unreachable', error));
  if (failure.code === 'malformed') throw new NotStarted(reason('not-http', error));
  // A server that speaks TLS ends a connection that begins without it.
  const mayBeTls = failure.code === 'broken' && baseUrl.startsWith('http:');
  throw new NotStarted(reason(mayBeTls ? 'maybe-https' : 'unreadable', error));
}

/** A key that may not even list animals ends the run. */
function stopRefused(exchange: Exchange): void {
  const status = statusOf(exchange);
  if (status === 401) {
    throw new NotStarted(reason('key-unknown', {}));
  }
  if (status === 403) {
    throw new NotStarted(reason('key-forbidden', {}));
  }
}

/** Whether both listing and creating get 404 or 405: a service may lack one operation, a wrong address lacks all. */
async function isWrongPath(session: Session, first: Exchange): Promise<boolean> {
  if (statusOf(first) !== 404 || session.settings.isReadOnly) return false;
  const status = statusOf(await session.send(emptyCreation));
  return status === 404 || status === 405;
}

/** Advice that needs no further request, by where a listing is redirected to and by how the address ends. */
function adviceByAddress(baseUrl: string, first: Exchange): string | undefined {
  const asked = `${baseUrl}/pets`;
  const location = first.response?.headers['location'] ?? '';
  const redirect = location === '' ? null : URL.parse(location, asked);
  if (redirect !== null && /^https?:$/.test(redirect.protocol)) {
    const { origin, pathname } = redirect;
    const to = `${origin}${pathname}`;
    if (to === `${asked}/`) return 'the service has its operations at /pets/, and the interface has them at /pets';
    if (to.endsWith('/pets') && to !== asked) return `try ${to.slice(0, -'/pets'.length)}`;
  }
  if (!baseUrl.endsWith('/pets')) return undefined;
  return `leave /pets out of the base address: ${baseUrl.slice(0, -'/pets'.length)}`;
}

/** Suggests the address below `/v1` if a listing is answered there. */
async function adviceFor(session: Session, first: Exchange): Promise<string> {
  const { baseUrl } = session.settings;
  const advice = adviceByAddress(baseUrl, first);
  if (advice !== undefined) return advice;
  const below = await session.sendOnce({ ...listing, operation: 'other', target: '/v1/pets' });
  const isPage = pageOf({ ...below, operation: 'listPets' }) !== undefined;
  const isThere = isPage || (statusOf(below) === 401 && isJson(below));
  if (isThere) return `${baseUrl}/v1 answers as it does: try that`;
  const whose = statusOf(first) === 403 ? 'that the key, and this network, may list animals, and ' : '';
  return `check ${whose}the base address; it ends in a version segment, like https://host/v1`;
}

async function stopWrongAddress(session: Session, first: Exchange): Promise<never> {
  const advice = await adviceFor(session, first);
  throw new NotStarted(reason('other-interface', { answer: inWords(first), advice }));
}

async function stopUnlessInterface(session: Session, first: Exchange): Promise<void> {
  for (const request of [{ ...listing, credential: noKey }, unknownAnimal]) {
    if (mayBeInterfaceAnswer(await session.send(request))) return;
  }
  await stopWrongAddress(session, first);
}

/** Sends at most four requests to the address and one below it; rejects with NotStarted if the target cannot be judged. */
export async function preflight(session: Session): Promise<void> {
  session.enter('preflight');
  try {
    const first = await session.send(listing);
    const isUnanswered = first.response === undefined || session.exchanges.every(isOutage);
    if (isUnanswered) stopUnanswered(first, session.settings.baseUrl);
    if (!mayBeInterfaceAnswer(first)) await stopUnlessInterface(session, first);
    if (await isWrongPath(session, first)) await stopWrongAddress(session, first);
    stopRefused(first);
  } catch (error) {
    // A gateway may refuse any request with 429: that is no answer of the interface.
    if (error instanceof RunStopped && !session.exchanges.some(mayBeServiceAnswer)) throw new NotStarted(error.reason);
    if (!(error instanceof BudgetSpent)) throw error;
    throw new NotStarted(reason('interface-unseen', { why: error.message }));
  }
}

/** Ends the run if the key was accepted before and is refused now; sends a listing if the last answer was a 401. */
export async function stopIfExpired(session: Session): Promise<void> {
  const isWithKey = ({ credential }: Exchange): boolean => credential.kind === 'valid';
  const last = session.exchanges.findLast(isWithKey);
  if (last === undefined || statusOf(last) !== 401) return;
  const again = await session.send(listing);
  if (statusOf(again) !== 401) return;
  const accepted = session.exchanges.findLast((exchange) => isWithKey(exchange) && statusOf(exchange) !== 401);
  const lastAccepted = accepted?.number ?? 0;
  throw new RunStopped(reason('key-expired', { number: lastAccepted }));
}
