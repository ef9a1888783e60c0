/** §7 Judges that no request to an operation makes the service fail: the list of errors has no server error. */

import { hasLargeBody } from '../../http/documented.ts';
import { type Exchange, happenedBefore, repeatedExchange } from '../../http/exchange.ts';
import { isJsonObject, showJson } from '../../http/json.ts';
import { isAllowed, readListing, readRequestJson } from '../../http/read-request.ts';
import { isGatewayError, statusOf } from '../../http/read-response.ts';
import type { Check, Scenario } from '../../run/scenario.ts';
import type { Invariant } from '../../verdict/check.ts';
import { type Failing, type Finding, fails, holds } from '../../verdict/finding.ts';
import { type History, isAuthorized } from '../../verdict/history.ts';
import { isRemoved } from '../4.3-get-pet/reads.ts';
import { getPet } from '../requests.ts';

/** Whether the escapes of a query decode to text. */
function isWellEscaped(query: string): boolean {
  try {
    decodeURIComponent(query);
    return true;
  } catch {
    return false;
  }
}

/**
 * Whether the interface shows how a request is answered. It shows no other paths and methods, no escapes in a petId, and
 * no limits on bodies: a gateway may answer a large one with any status, or break off.
 */
function isShown(exchange: Exchange): boolean {
  const [path = '', query = ''] = exchange.request.target.split('?');
  const isEscaped = path.includes('%') || !isWellEscaped(query);
  return exchange.operation !== 'other' && !isEscaped && !hasLargeBody(exchange);
}

/** The exchange that another one repeats; in recorded traffic, the one before it. */
function askedBefore({ exchanges }: History, again: Exchange, at: number): Exchange | undefined {
  return repeatedExchange(exchanges, again) ?? exchanges[at - 1];
}

/**
 * The first of two exchanges whose connection broke over the same request, while the target went on answering others. How
 * long an answer takes, and how large it is, is open.
 */
function brokenBefore(history: History, second: Exchange, at: number): Exchange | undefined {
  const first = askedBefore(history, second, at);
  if (first?.failure?.code !== 'broken' || second.failure?.code !== 'broken') return undefined;
  const isSame = first.request.target === second.request.target && first.request.body === second.request.body;
  const lastAnswered = history.exchanges.findLast((later) => later.response !== undefined);
  return isSame && (lastAnswered?.number ?? 0) > second.number ? first : undefined;
}

function judgeUnanswered(history: History, exchange: Exchange, at: number): readonly Finding[] {
  const first = brokenBefore(history, exchange, at);
  if (first === undefined) return [];
  const message = `expected an answer, received none twice: ${exchange.failure?.message ?? ''}`;
  return [fails('errors-listed', 'no-answer', message, first, exchange)];
}

function judgeServerError(history: History, exchange: Exchange): readonly Finding[] {
  const status = statusOf(exchange) ?? 0;
  // A gateway's answer counts only if the same request fails again when it is repeated.
  if (!isGatewayError(exchange)) {
    return [fails('errors-listed', 'server-error', `expected no server error, received ${status}`, exchange)];
  }
  const first = repeatedExchange(history.exchanges, exchange);
  if (first === undefined || (statusOf(first) ?? 0) < 500) return [];
  const message = `expected no server error, received ${statusOf(first)} and ${status} when asked again`;
  return [fails('errors-listed', 'server-error', message, first, exchange)];
}

/** Listings that are server errors from one creation on: one failure, since they have one cause. */
interface SpoiltListings {
  readonly listings: readonly Exchange[];
  readonly failing: Failing;
}

/** If more creations than these may be the cause, none of them is cited. */
const mostSuspects = 8;

/** Describes the creations one of which must be the cause. */
function showSuspects(suspects: readonly Exchange[]): string {
  const [first, last] = [suspects[0]!, suspects.at(-1)!];
  if (suspects.length > 1) return `one of ${suspects.length} creations (#${first.number} to #${last.number})`;
  const reading = readRequestJson(first.request);
  const name = 'value' in reading && isJsonObject(reading.value) ? reading.value['name'] : undefined;
  return `the creation #${first.number} of ${name === undefined ? 'an animal' : showJson(name)}`;
}

/** Creations between two listings that may have stored something. */
function suspectsBetween(history: History, last: Exchange, first: Exchange): readonly Exchange[] {
  return history.exchanges.filter((exchange) => {
    const status = statusOf(exchange) ?? 500;
    const mayHaveStored = exchange.operation === 'createPet' && (status === 201 || status >= 500);
    return mayHaveStored && happenedBefore(last, exchange) && happenedBefore(exchange, first);
  });
}

function spoiltListings(history: History): SpoiltListings | undefined {
  const listings = history.answered.filter(
    (exchange) => exchange.operation === 'listPets' && isAuthorized(exchange) && isAllowed(readListing(exchange)),
  );
  const isBroken = (exchange: Exchange): boolean => (statusOf(exchange) ?? 0) >= 500;
  const last = listings.findLast((exchange) => !isBroken(exchange));
  const broken = last === undefined ? [] : listings.filter((exchange) => happenedBefore(last, exchange));
  const [first, second] = broken;
  if (last === undefined || first === undefined || second === undefined) return undefined;
  const suspects = suspectsBetween(history, last, first);
  if (suspects.length === 0) return undefined;
  const message = `expected no server error, received ${statusOf(first)} for every listing after ${showSuspects(suspects)}`;
  const cited = [last, ...(suspects.length > mostSuspects ? [] : suspects), first, second];
  return { listings: broken, failing: fails('errors-listed', 'listings-spoilt', message, ...cited) };
}

function judgeListed(history: History): readonly Finding[] {
  const spoilt = spoiltListings(history);
  const reported = new Set(spoilt?.listings);
  const findings = history.exchanges.flatMap((exchange, at) => {
    if (!isShown(exchange) || reported.has(exchange)) return [];
    const status = statusOf(exchange);
    if (status === undefined) return judgeUnanswered(history, exchange, at);
    return status < 500 ? [holds('errors-listed', exchange)] : judgeServerError(history, exchange);
  });
  return spoilt === undefined ? findings : [spoilt.failing, ...findings];
}

const noServerErrors: Invariant = {
  kind: 'invariant',
  id: 'no-server-errors',
  verifies: ['errors-listed'],
  title: 'No request to an operation makes the service fail',
  judge: judgeListed,
};

/** Some services crash on these ids, so they come after creations and listings. */
const deadlyIds: Scenario = {
  kind: 'scenario',
  id: 'deadly-ids',
  rank: 5,
  verifies: ['errors-listed', 'get-id-not-int64'],
  title: 'Reads ids that careless services parse as something else',
  run: async (session) => {
    if (isRemoved(session)) return;
    // Each breaks another kind of parser: of numbers, of objects, of integers of a fixed size.
    await session.sendAll(
      ['null', '9223372036854775808', '1e300', '__proto__', '9'.repeat(400)].map((segment) => getPet(segment)),
    );
  },
};

export const serverErrorChecks: readonly Check[] = [noServerErrors, deadlyIds];
