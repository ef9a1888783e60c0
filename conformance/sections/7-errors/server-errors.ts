/** §7 Judges that no request to an operation makes the service fail: the list of errors has no server error. */

import { hasLargeBody } from '../../http/documented.ts';
import { type Exchange, happenedBefore } from '../../http/exchange.ts';
import { isJsonObject, showJson } from '../../http/json.ts';
import { decodeEscapes } from '../../http/percent-escapes.ts';
import { isAllowed, readListing, readRequestJson } from '../../http/read-request.ts';
import { statusOf } from '../../http/read-response.ts';
import type { Check } from '../../run/scenario.ts';
import type { FailureFacts } from '../../verdict/failure.ts';
import { type Failing, type Finding, fails, holds } from '../../verdict/finding.ts';
import { type History, isAuthorized, isRemovedFor } from '../../verdict/history.ts';
import { unrefusedExcess } from '../8-limits/ledger.ts';

/**
 * Whether the interface shows how a request is answered. It shows no other paths and methods, no escapes in a petId, and
 * no limits on bodies: a gateway may answer a large one with any status, or break off.
 */
function isShown(exchange: Exchange): boolean {
  const [path = '', query = ''] = exchange.request.target.split('?');
  const isEscaped = path.includes('%') || decodeEscapes(query) === undefined;
  return exchange.operation !== 'other' && !isEscaped && !hasLargeBody(exchange);
}

/** Judges a request that failed each time, as by an outage, while others were served. */
function judgeLasting(exchange: Exchange, shown: readonly Exchange[]): Finding {
  const seconds = Math.round((exchange.startedAt - shown[0]!.endedAt) / 1000);
  const often = `${shown.length - 1} times in ${seconds} s, while other requests were served`;
  const status = statusOf(exchange);
  if (status === undefined) {
    const facts = { expected: 'an answer', received: `none (${exchange.failure?.message}) ${often}` };
    return fails('errors-listed', 'no-answer', facts, ...shown);
  }
  const facts = { expected: 'no server error', received: `${status} ${often}`, status };
  return fails('errors-listed', 'server-error', facts, ...shown);
}

/** The value of a GET request that may have caused the error. §4.2 names the values of a body. */
function inputOf({ request }: Exchange): FailureFacts['input'] {
  const value = request.target.slice('/pets'.length + 1);
  if (value === '') return undefined;
  return { name: request.target.includes('?') ? 'query' : 'petId', value: showJson(value) };
}

function judgeServerError(exchange: Exchange): Finding {
  const input = inputOf(exchange);
  const asked = input === undefined ? '' : ` to the ${input.name} ${input.value}`;
  const status = statusOf(exchange);
  const facts = { expected: `no server error${asked}`, received: `${status}`, status, input };
  return fails('errors-listed', 'server-error', facts, exchange);
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
  const facts = {
    expected: 'no server error',
    received: `${statusOf(first)} for every listing after ${showSuspects(suspects)}`,
    status: statusOf(first),
  };
  const cited = [last, ...(suspects.length > mostSuspects ? [] : suspects), first, second];
  return { listings: broken, failing: fails('errors-listed', 'listings-spoilt', facts, ...cited) };
}

function judgeListed(history: History): readonly Finding[] {
  const spoilt = spoiltListings(history);
  const reported = new Set(spoilt?.listings);
  const excess = unrefusedExcess(history);
  const isJudged = (exchange: Exchange): boolean =>
    isShown(exchange) && !isRemovedFor(history, exchange) && !reported.has(exchange) && !excess.has(exchange);
  const lasting = [...history.lasting].filter(([exchange]) => isJudged(exchange));
  const findings = [
    ...lasting.map(([exchange, shown]) => judgeLasting(exchange, shown)),
    ...history.answered
      .filter((exchange) => isJudged(exchange) && !history.lasting.has(exchange))
      .map((exchange) =>
        exchange.response.status < 500 ? holds('errors-listed', exchange) : judgeServerError(exchange),
      ),
  ];
  return spoilt === undefined ? findings : [spoilt.failing, ...findings];
}

export const serverErrorChecks: readonly Check[] = [
  {
    id: 'no-server-errors',
    verifies: ['errors-listed'],
    title: 'No request to an operation makes the service fail',
    judge: judgeListed,
  },
];
