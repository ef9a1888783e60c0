/** Distinguishes outages (of a gateway, of the network) from failures of the service. */

import type { Exchange } from '../http/exchange.ts';
import { isGatewayError } from '../http/read-response.ts';
import { persistentFailureMs } from '../http/tolerances.ts';
import { isGatewayRefusal, mayBeOfGateway, readBans } from './gateways.ts';
import { type Reason, reason } from './reasons.ts';

/** Whether an exchange looks like an outage: a gateway answered 502, 503 or 504, or the connection broke. */
export function looksLikeOutage(exchange: Pick<Exchange, 'response' | 'failure'>): boolean {
  const { response, failure } = exchange;
  return response === undefined
    ? ['broken', 'unreachable', 'malformed'].includes(failure?.code ?? '')
    : isGatewayError(exchange);
}

/** A ban shows within so many exchanges. */
const recentExchanges = 500;

/** Whether the latest exchange of a record is lost to an outage, or to a gateway that bans the client. */
export function isLost(exchanges: readonly Exchange[], last: Exchange): boolean {
  return looksLikeOutage(last) || (mayBeOfGateway(last) && readBans(exchanges.slice(-recentExchanges)).has(last));
}

/** So many refusals of a gateway in a row may be a ban, which a listing that was served before shows. */
const fewestOfBan = 3;

export function mayBeBanned(exchanges: readonly Exchange[]): boolean {
  const last = exchanges.slice(-fewestOfBan);
  if (last.length < fewestOfBan || !last.every(mayBeOfGateway)) return false;
  const recent = { exchanges: exchanges.slice(-recentExchanges) };
  return last.every((exchange) => isGatewayRefusal(recent, exchange));
}

/** Whether the service itself answered; a 429 says nothing about the request. */
function isServed(exchange: Exchange): boolean {
  return exchange.response !== undefined && exchange.response.status !== 429 && !isGatewayError(exchange);
}

export interface Outages {
  /**
   * Requests that failed each time they were repeated while another was served. By the last attempt: all attempts and the
   * other request, in the order of sending.
   */
  readonly persistent: ReadonlyMap<Exchange, readonly Exchange[]>;
  /** Exchanges that are evidence of nothing: an outage, or an earlier attempt of a persistent failure. */
  readonly disregarded: ReadonlySet<Exchange>;
  /** Exchanges in an outage: those disregarded without belonging to a persistent failure. */
  readonly lost: readonly Exchange[];
  /** Repeats that all have to fail before a failure counts as persistent. */
  readonly requiredRepeats: number;
}

const fewestRepeats = 3;
const mostRepeats = 8;
/** How likely any request of a run may look like a persistent failure behind a gateway that fails at random. */
const acceptedRisk = 0.01;

/** Where other requests recovered after so many lost attempts, a gateway fails now and then: more repeats have to rule it out. */
function countRequiredRepeats(lost: number, requests: number): number {
  if (lost === 0) return fewestRepeats;
  const share = Math.min(0.9, lost / requests);
  return Math.min(mostRepeats, Math.max(fewestRepeats, Math.ceil(Math.log(acceptedRisk / requests) / Math.log(share))));
}

/** Each request that met an outage, with its repeats, in the order of sending. */
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

/** The evidence that a request fails by itself: all attempts failed for long enough, and another request was served meanwhile. */
function persistentFailure(
  attempts: readonly Exchange[],
  served: readonly Exchange[],
  requiredRepeats: number,
): readonly Exchange[] {
  const [first, last] = [attempts[0]!, attempts.at(-1)!];
  if (attempts.length <= requiredRepeats || !attempts.every(looksLikeOutage)) return [];
  if (last.startedAt - first.endedAt < persistentFailureMs) return [];
  const other = served.find((one) => one.sent > first.answered && one.answered < last.sent);
  return other === undefined ? [] : [...attempts.slice(0, -1), other, last];
}

export function readOutages(exchanges: readonly Exchange[]): Outages {
  const requests = attemptsOf(exchanges);
  const served = requests.length === 0 ? [] : exchanges.filter(isServed);
  const recovered = requests.filter((attempts) => isServed(attempts.at(-1)!));
  const lostBefore = recovered.reduce((count, attempts) => count + attempts.length - 1, 0);
  const requiredRepeats = countRequiredRepeats(lostBefore, exchanges.length);
  const failures = requests.map((attempts) => persistentFailure(attempts, served, requiredRepeats));
  const persistent = new Map(
    failures.flatMap((shown) => (shown.length === 0 ? [] : [[shown.at(-1)!, shown] as const])),
  );
  const ofPersistent = new Set([...persistent.values()].flat());
  const banned = readBans(exchanges);
  const failed = exchanges.filter((exchange) => looksLikeOutage(exchange) || banned.has(exchange));
  return {
    persistent,
    disregarded: new Set(failed.filter((exchange) => !persistent.has(exchange))),
    lost: failed.filter((exchange) => !ofPersistent.has(exchange)),
    requiredRepeats,
  };
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
