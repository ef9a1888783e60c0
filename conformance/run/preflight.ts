/** Before a run: whether there is a target, whether it is one of the interface, and whether it knows the key. */

import { noKey } from '../http/credentials.ts';
import { isDocumented } from '../http/documented.ts';
import type { Exchange } from '../http/exchange.ts';
import { isJson, pageOf, statusOf } from '../http/read-response.ts';
import { BudgetSpent } from './budget.ts';
import { RunStopped } from './pace.ts';
import type { PlannedRequest } from './planned-request.ts';
import type { Session } from './session.ts';

/** Ends the run before it began: what came so far says nothing of the interface. */
export class NotStarted extends RunStopped {}

const listing: PlannedRequest = { operation: 'listPets', target: '/pets' };
/** What §4.2 refuses wherever animals are created, so that it creates none. */
const emptyCreation: PlannedRequest = {
  operation: 'createPet',
  method: 'POST',
  target: '/pets',
  body: '{}',
  contentType: 'application/json',
};
/** An id that hardly any animal has. */
const unknownAnimal: PlannedRequest = { operation: 'getPet', target: '/pets/2305843009213693951' };

/** Whether an answer could be one of the interface at all: it speaks of its rate limit, or is JSON (or says so) where JSON belongs. */
function isOfInterface(exchange: Exchange): boolean {
  const { 'x-ratelimit-limit': limit, 'content-type': type = '' } = exchange.response?.headers ?? {};
  const saysJson = /^application\/json\b/i.test(type);
  return limit !== undefined || (isDocumented(exchange) && (saysJson || isJson(exchange)));
}

/** An answer in a few words, for a person. */
function inWords({ response, failure }: Exchange): string {
  if (response === undefined) return `no answer (${failure?.message ?? ''})`;
  const { location, 'content-type': type = 'no media type' } = response.headers;
  return `${response.status} with ${location === undefined ? type : `a redirect to ${location}`}`;
}

function stopUnanswered({ failure }: Exchange): void {
  if (failure === undefined) return;
  const { code, message } = failure;
  const what = code === 'unreachable' ? 'could not be reached' : 'gave no answer that can be read';
  throw new NotStarted(`The target ${what} (${message}): check the base address and that the service runs.`);
}

/** Which refusal of the key ends the run before it begins: nothing can be judged with a key that may not list. */
function stopRefused(exchange: Exchange): void {
  const status = statusOf(exchange);
  if (status === 401) {
    throw new NotStarted(
      'The target refused the API key with 401: check that the key is one of this environment, and the base address.',
    );
  }
  if (status === 403) {
    throw new NotStarted('The target refused the API key with 403: check that its scope allows to list animals.');
  }
}

/** Whether neither animals are listed here nor created: a service may miss one operation, a wrong address has none. */
async function isWrongPath(session: Session, first: Exchange): Promise<boolean> {
  if (statusOf(first) !== 404 || session.settings.isReadOnly) return false;
  const status = statusOf(await session.send(emptyCreation));
  return status === 404 || status === 405;
}

/** Says where the interface may be: below `/v1`, if a listing is answered there. */
async function adviceFor(session: Session): Promise<string> {
  const { baseUrl } = session.settings;
  const below = await session.sendOnce({ ...listing, operation: 'other', target: '/v1/pets' });
  const isPage = pageOf({ ...below, operation: 'listPets' }) !== undefined;
  const isThere = isPage || (statusOf(below) === 401 && isJson(below));
  return isThere
    ? `${baseUrl}/v1 answers as it does: try that`
    : 'check the base address; it ends in a version segment, like https://host/v1';
}

async function stopElsewhere(session: Session, first: Exchange): Promise<void> {
  for (const request of [{ ...listing, credential: noKey }, unknownAnimal]) {
    if (isOfInterface(await session.send(request))) return;
  }
  await stopHere(session, first);
}

async function stopHere(session: Session, first: Exchange): Promise<never> {
  const advice = await adviceFor(session);
  throw new NotStarted(`Nothing here answers as the interface does (a listing got ${inWords(first)}): ${advice}.`);
}

/** Asks the target at most four times, and once below it; rejects with NotStarted where it cannot be judged. */
export async function preflight(session: Session): Promise<void> {
  session.enter('preflight');
  try {
    const first = await session.send(listing);
    stopUnanswered(first);
    if (!isOfInterface(first)) await stopElsewhere(session, first);
    if (await isWrongPath(session, first)) await stopHere(session, first);
    stopRefused(first);
  } catch (error) {
    if (!(error instanceof BudgetSpent)) throw error;
    throw new NotStarted(`The target cannot be told from another service, and ${error.message}: raise --max-requests.`);
  }
}

/** Whether the key was accepted before and is not any more; asks once where the last answer leaves that open. */
export async function stopIfExpired(session: Session): Promise<void> {
  const withKey = session.exchanges.filter(({ credential }) => credential.kind === 'valid');
  const last = withKey.at(-1);
  if (last === undefined || statusOf(last) !== 401) return;
  const again = await session.send(listing);
  if (statusOf(again) !== 401) return;
  const since = withKey.findLast((exchange) => statusOf(exchange) !== 401)?.number ?? 0;
  throw new RunStopped(
    `The API key was accepted up to request ${since} and is refused with 401 since: has it expired?`,
  );
}
