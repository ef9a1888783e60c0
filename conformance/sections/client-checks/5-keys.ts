/** Judges where a client sends its key (§5). */

import type { Exchange } from '../../http/exchange.ts';
import { keyMark } from '../../http/redact.ts';
import { breaks, type ClientCheck, type ClientFinding, holds, type SentRequests } from './check.ts';

/** The places of a key outside the Authorization header. */
function placesOf({ request }: Exchange): readonly string[] {
  const headers = Object.entries(request.headers).filter(([, value]) => value.includes(keyMark));
  return [
    ...(request.target.includes(keyMark) ? ['the address'] : []),
    ...headers.map(([name]) => `the header ${name}`),
    ...(request.body?.includes(keyMark) ? ['the body'] : []),
  ];
}

/** A library may send its key only once it was asked for it: the same request then follows at once. */
function isRepeatedWithKey(exchange: Exchange, exchanges: readonly Exchange[]): boolean {
  const { method, target } = exchange.request;
  const next = exchanges[exchanges.indexOf(exchange) + 1];
  return next?.credential.kind === 'valid' && next.request.method === method && next.request.target === target;
}

function judgePlace(exchange: Exchange, exchanges: readonly Exchange[]): readonly ClientFinding[] {
  const { kind } = exchange.credential;
  const found = placesOf(exchange);
  const isInScheme = kind === 'misplaced' && found.length === 0;
  const places = isInScheme ? ['another scheme of the Authorization header'] : found;
  if (places.length > 0) {
    const facts = { expected: 'the key in Authorization: Bearer alone', received: `it in ${places.join(' and ')}` };
    return [breaks('client-key-in-header', 'key-elsewhere', facts, exchange)];
  }
  if (kind === 'missing' && !isRepeatedWithKey(exchange, exchanges)) {
    const { method, target } = exchange.request;
    const facts = { expected: 'the key with every request', received: `${method} ${target} without one` };
    return [breaks('client-key-in-header', 'no-key', facts, exchange)];
  }
  return kind === 'valid' || kind === 'lenient' ? [holds('client-key-in-header', exchange)] : [];
}

function answersNaming({ exchanges, otherHost }: SentRequests): readonly Exchange[] {
  if (otherHost === undefined) return [];
  return exchanges.filter(({ response }) =>
    ['link', 'location'].some((name) => response?.headers[name]?.includes(otherHost)),
  );
}

function judgeOtherHost(exchange: Exchange, requests: SentRequests): ClientFinding {
  const requirement = 'client-key-to-base-address';
  const isKeyInHeader = ['valid', 'lenient', 'misplaced'].includes(exchange.credential.kind);
  if (!isKeyInHeader && placesOf(exchange).length === 0) return holds(requirement, exchange);
  const naming = answersNaming(requests).at(-1);
  const cause =
    naming === undefined
      ? ''
      : `, after the service "${naming.check}" answered ${naming.response?.status} to ${naming.request.method} ${naming.request.target}`;
  const { method, target } = exchange.request;
  const facts = {
    expected: `no key at ${requests.otherHost ?? 'another host'}`,
    received: `it with ${method} ${target}${cause}`,
  };
  return breaks(requirement, 'key-to-another-host', facts, ...(naming === undefined ? [] : [naming]), exchange);
}

/** A client keeps its key if an answer names another host and the client does not go there, or goes without the key. */
function* judgeHosts(requests: SentRequests): Generator<ClientFinding> {
  yield* requests.toOtherHost.map((exchange) => judgeOtherHost(exchange, requests));
  if (requests.toOtherHost.length > 0) return;
  yield* answersNaming(requests).map((exchange) => holds('client-key-to-base-address', exchange));
}

export const keyChecks: readonly ClientCheck[] = [
  {
    verifies: ['client-key-in-header'],
    judge: ({ exchanges }) => exchanges.flatMap((one) => judgePlace(one, exchanges)),
  },
  { verifies: ['client-key-to-base-address'], judge: judgeHosts },
];
