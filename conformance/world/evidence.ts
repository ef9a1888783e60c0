/** What an exchange counts as, decided once: an answer of the service, a refusal (429), or something foreign. */

import { isError } from '../http/documented.ts';
import type { Exchange, RecordedResponse } from '../http/exchange.ts';
import { memoizeIncrementally } from '../http/memoize.ts';
import { isAllowed, readListing, readPetId } from '../http/read-request.ts';
import { isGatewayError } from '../http/read-response.ts';
import { persistentFailureMs } from '../http/tolerances.ts';
import { type Reason, reason } from '../verdict/reasons.ts';

/**
 * `answer`: the service's own. `refusal`: a 429 that the service may have given. `outage`: a gateway's 502, 503 or 504, or no
 * answer at all. `lasting`: the same, each time it was asked again, while others were served. `foreign`: a gateway refused.
 */
export type Evidence = 'answer' | 'refusal' | 'outage' | 'lasting' | 'foreign';

export type Answered = Exchange & { readonly response: RecordedResponse };

/** Whether an exchange looks like an outage: a gateway answered 502, 503 or 504, or the connection broke. */
export function looksLikeOutage(exchange: Pick<Exchange, 'response' | 'failure'>): boolean {
  return exchange.response === undefined ? exchange.failure?.code !== 'too-large' : isGatewayError(exchange);
}

const hasLimits = ({ headers }: RecordedResponse): boolean =>
  Object.keys(headers).some((name) => name.startsWith('x-ratelimit-'));

const isJsonType = ({ headers }: RecordedResponse): boolean => /\bjson\b/i.test(headers['content-type'] ?? '');

const isPlainHeader = ([name, value]: readonly [string, string]): boolean =>
  name === 'user-agent' || (/^(accept|content-type)$/.test(name) && value === 'application/json');

/** Whether a request has more than §4 and §5 show, apart from its body: a gateway may refuse it before the service sees it. */
function isOdd(exchange: Exchange): boolean {
  const { operation, request, credential } = exchange;
  if (operation === 'listPets' ? !isAllowed(readListing(exchange)) : request.target.includes('?')) return true;
  if (operation === 'getPet' && typeof readPetId(exchange) !== 'bigint') return true;
  const { words, query, fields } = credential.curl;
  const isElsewhere = query !== undefined || fields !== undefined || !/^(-H "Authorization|$)/.test(words);
  return isElsewhere || !Object.entries(request.headers).every(isPlainHeader);
}

/** How the service answers: with X-RateLimit headers and JSON, under the name of which software. */
interface Manner {
  served: number;
  stated: number;
  readonly software: Set<string>;
}

const softwareOf = ({ headers }: RecordedResponse): string =>
  `${headers['server'] ?? ''} ${headers['via'] ?? ''}`.trim();

const mannerOf = memoizeIncrementally(
  (): Manner => ({ served: 0, stated: 0, software: new Set() }),
  (manner, { response }) => {
    if (response === undefined || isGatewayError({ response })) return;
    manner.served += 1;
    if (!hasLimits(response) || !isJsonType(response)) return;
    manner.stated += 1;
    manner.software.add(softwareOf(response));
  },
);

const fewestStated = 5;
/** Statuses with which a gateway refuses; §7 lists none of them. */
const unlisted = (status: number): boolean => status > 401 && status < 500 && status !== 404 && status !== 429;

/** Whether a gateway gave an error by itself: without X-RateLimit headers, and with a body that is no Error. */
export function isForeign(record: { readonly exchanges: readonly Exchange[] }, exchange: Exchange): boolean {
  const { response, credential } = exchange;
  if (response === undefined) return false;
  const { status } = response;
  if (status < 400 || status === 401 || status === 500) return false;
  const { served, stated, software } = mannerOf(record);
  const named = softwareOf(response);
  const isNamedOtherwise = stated >= fewestStated && named !== '' && !software.has(named) && !hasLimits(response);
  if (isNamedOtherwise) return status !== 429 || credential.kind !== 'rate-limit';
  if (hasLimits(response) || (isJsonType(response) && isError(exchange) && !unlisted(status))) return false;
  if (status === 429) return credential.kind !== 'rate-limit' && stated * 2 > served;
  if (isError(exchange)) return false;
  if (unlisted(status) || status === 501) return stated > 0;
  return stated * 2 > served && isOdd(exchange) && status < 500;
}

/** A request that met an outage, with its repeats, in the order of sending. */
function attemptsOf(exchanges: readonly Exchange[]): readonly (readonly Exchange[])[] {
  const attempts = new Map<number, Exchange[]>();
  for (const exchange of exchanges) {
    const before = exchange.repeats === undefined ? undefined : attempts.get(exchange.repeats);
    if (before !== undefined) {
      before.push(exchange);
      attempts.set(exchange.number, before);
    } else if (looksLikeOutage(exchange)) attempts.set(exchange.number, [exchange]);
  }
  return [...new Set(attempts.values())];
}

/** So many attempts must fail: more where a gateway has failed single requests that were answered when asked again. */
export const attemptsBeforeLasting = { steady: 4, flickering: 8 } as const;

export interface Outages {
  /** By the last attempt of a request that failed each time: all attempts, and another request that was served meanwhile. */
  readonly lasting: ReadonlyMap<Exchange, readonly Exchange[]>;
  readonly lost: readonly Exchange[];
}

export function readOutages(exchanges: readonly Exchange[]): Outages {
  const failed = exchanges.filter(looksLikeOutage);
  if (failed.length === 0) return { lasting: new Map(), lost: [] };
  const requests = attemptsOf(exchanges);
  const hasFlickered = requests.some((attempts) => !looksLikeOutage(attempts.at(-1)!));
  const fewest = attemptsBeforeLasting[hasFlickered ? 'flickering' : 'steady'];
  const lasting = requests.flatMap((attempts): [Exchange, readonly Exchange[]][] => {
    const [first, last] = [attempts[0]!, attempts.at(-1)!];
    if (attempts.length < fewest || !attempts.every(looksLikeOutage)) return [];
    if (last.startedAt - first.endedAt < persistentFailureMs) return [];
    const other = exchanges.find(
      (one) =>
        one.sent > first.answered && one.answered < last.sent && one.response !== undefined && !looksLikeOutage(one),
    );
    return other === undefined ? [] : [[last, [...attempts.slice(0, -1), other, last]]];
  });
  const shown = new Set(lasting.flatMap(([, all]) => all));
  return { lasting: new Map(lasting), lost: failed.filter((exchange) => !shown.has(exchange)) };
}

/** The evidence of every exchange of a record. */
export function evidenceOf(exchanges: readonly Exchange[], { lasting }: Outages): ReadonlyMap<Exchange, Evidence> {
  const record = { exchanges };
  return new Map(
    exchanges.map((exchange) => {
      if (looksLikeOutage(exchange)) return [exchange, lasting.has(exchange) ? 'lasting' : 'outage'];
      if (exchange.response === undefined) return [exchange, 'foreign'];
      if (isForeign(record, exchange)) return [exchange, 'foreign'];
      return [exchange, exchange.response.status === 429 ? 'refusal' : 'answer'];
    }),
  );
}

function timeOf(ms: number): string {
  return `${new Date(ms).toISOString().slice(11, 19)} UTC`;
}

/** One sentence about the outages of a run, such as "152 of 300 answers were a gateway's 503, from 12:00:01 UTC to …". */
export function describeOutages({ lost }: Outages, requests: number): Reason | undefined {
  const [first, last] = [lost[0], lost.at(-1)];
  if (first === undefined || last === undefined) return undefined;
  const statuses = [...new Set(lost.flatMap(({ response }) => response?.status ?? []))].sort();
  const answered = lost.filter(({ response }) => response !== undefined).length;
  const gateway = `${answered} of ${requests} answers were a gateway's ${statuses.join(' or ')}`;
  const broken = `the connection broke for ${lost.length - answered} of ${requests} requests`;
  const parts = [...(answered > 0 ? [gateway] : []), ...(answered < lost.length ? [broken] : [])];
  const outages = `${parts.join(', ')}, from ${timeOf(first.startedAt)} to ${timeOf(last.endedAt)}`;
  return reason('outages-skipped', { outages });
}

/** A remark on a failure whose answer has the look of a gateway's; empty for all others. */
export function gatewayRemark(exchanges: readonly Exchange[]): string {
  const response = exchanges.at(-1)?.response;
  if (response === undefined || response.status < 400 || hasLimits(response) || isJsonType(response)) return '';
  return ` (this answer looks like a gateway's: it has no X-RateLimit headers and is no JSON)`;
}
