/** Detects that a cache answers reads: a copy repeats the X-RateLimit headers of an earlier answer, so it is no reading. */

import { effectOf } from '../../../spec/operation-roles.ts';
import type { Exchange } from '../../http/exchange.ts';
import { memoize } from '../../http/memoize.ts';
import { readInteger, statusOf } from '../../http/read-response.ts';
import type { History } from '../../verdict/history.ts';

/** The three headers of an answer as one text; undefined unless all are integers. */
function numbersOf({ response }: Exchange): string | undefined {
  if (response === undefined) return undefined;
  const numbers = ['limit', 'remaining', 'reset'].map((name) => readInteger(response, `x-ratelimit-${name}`));
  return numbers.every((number) => typeof number === 'number') ? numbers.join() : undefined;
}

const isRead = ({ operation }: Exchange): boolean => effectOf(operation) === 'none';

/**
 * Whether an answer to a read came from a cache: it has an Age header, or it repeats body and headers of an earlier
 * answer to the same request, although other answers in between had other headers.
 */
function hasCopy({ exchanges }: Pick<History, 'exchanges'>): boolean {
  const seen = new Set<string>();
  const latest = new Map<string, string>();
  for (const exchange of exchanges) {
    const numbers = numbersOf(exchange);
    const client = exchange.credential.kind;
    if (isRead(exchange) && statusOf(exchange) === 200) {
      if (exchange.response?.headers['age'] !== undefined) return true;
      const answer = JSON.stringify([client, exchange.request.target, numbers, exchange.response?.body]);
      if (numbers !== undefined && seen.has(answer) && latest.get(client) !== numbers) return true;
      seen.add(answer);
    }
    if (numbers !== undefined) latest.set(client, numbers);
  }
  return false;
}

const isBehindCache = memoize(hasCopy);

/** Whether an answer may be a copy. Behind a cache any read may be one, since the cache also refreshes by itself. */
export function mayBeCopy(history: Pick<History, 'exchanges'>, exchange: Exchange): boolean {
  return isRead(exchange) && isBehindCache(history);
}
