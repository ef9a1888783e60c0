/** Detects that a cache answers reads: a copy repeats the X-RateLimit headers of an earlier answer, so it is no reading. */

import { effectOf } from '../../../spec/operation-roles.ts';
import type { Exchange } from '../../http/exchange.ts';
import { memoize } from '../../http/memoize.ts';
import { readInteger, statusOf } from '../../http/read-response.ts';
import type { History } from '../../verdict/history.ts';

/** The three headers of an answer as one text; undefined unless all are integers. */
const numbersOf = memoize(({ response }: Exchange): string | undefined => {
  if (response === undefined) return undefined;
  const numbers = ['limit', 'remaining', 'reset'].map((name) => readInteger(response, `x-ratelimit-${name}`));
  return numbers.every((number) => typeof number === 'number') ? numbers.join() : undefined;
});

/** Equal for two answers that one client got to the same request, with the same headers and body. */
const answerOf = memoize((exchange: Exchange): string =>
  JSON.stringify([exchange.credential.kind, exchange.request.target, numbersOf(exchange), exchange.response?.body]),
);

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
      const answer = answerOf(exchange);
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
