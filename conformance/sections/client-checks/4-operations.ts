/** Judges operations, parameters and ids in the requests of a client (§4). */

import { operations, petIdIn, queryParameters } from '../../../spec/operations.ts';
import type { Exchange } from '../../http/exchange.ts';
import { isPetStatus, queryOf, readPetId } from '../../http/read-request.ts';
import { idsShownIn } from '../../http/read-response.ts';
import { keyMark } from '../../http/redact.ts';
import { breaks, type ClientCheck, type ClientFinding, holds } from './check.ts';

/** The addresses in Link and Location of an answer, resolved against the address of its request. */
function linksOf({ request, response }: Exchange): readonly string[] {
  const { link = '', location } = response?.headers ?? {};
  const links = [...link.matchAll(/<([^<>]*)>/g)].map(([, address = '']) => address);
  return [...links, ...(location === undefined ? [] : [location])].flatMap((address) => {
    const url = URL.parse(address, `http://base${request.target}`);
    return url === null ? [] : [url.pathname + url.search];
  });
}

/** Whether an earlier answer named the address of a request: a client may follow links that the service shows. */
export function isFollowed({ request, sent }: Exchange, exchanges: readonly Exchange[]): boolean {
  return exchanges.some(
    (earlier) => earlier.answered < sent && linksOf(earlier).some((link) => link.endsWith(request.target)),
  );
}

function judgeShown(exchange: Exchange, exchanges: readonly Exchange[]): ClientFinding {
  const { operation, request } = exchange;
  if (isFollowed(exchange, exchanges)) return holds('client-shown-only', exchange);
  if (operation === 'other') {
    const place = `${request.method} ${request.target}`;
    const shown = Object.values(operations).map(({ method, path }) => `${method} ${path}`);
    const facts = {
      expected: `${shown.slice(0, -1).join(', ')} or ${shown.at(-1)} below the base address`,
      received: place,
    };
    return breaks('client-shown-only', 'other-operation', facts, exchange);
  }
  const known = queryParameters[operation];
  // A key in the query breaks `client-key-in-header`.
  const others = [...queryOf(exchange)].flatMap(([name, value]) =>
    known.includes(name) || value.includes(keyMark) ? [] : [name],
  );
  if (others.length === 0) return holds('client-shown-only', exchange);
  const facts = {
    expected: `${operation} with ${known.join(' and ') || 'no parameter'}`,
    received: `${others.join(', ')} as well`,
  };
  return breaks('client-shown-only', 'other-parameter', facts, exchange);
}

function judgeLimit(exchange: Exchange): readonly ClientFinding[] {
  const limits = queryOf(exchange).getAll('limit');
  if (limits.length === 0) return [];
  const [limit = ''] = limits;
  if (limits.length === 1 && /^[1-9]\d{0,2}$/.test(limit) && Number(limit) <= 100) {
    return [holds('client-limit-in-range', exchange)];
  }
  const facts = { expected: 'one limit from 1 to 100', received: limits.map((one) => `"${one}"`).join(' and ') };
  return [breaks('client-limit-in-range', 'limit-outside', facts, exchange)];
}

function judgeStatus(exchange: Exchange): readonly ClientFinding[] {
  const statuses = queryOf(exchange).getAll('status');
  if (statuses.length === 0) return [];
  if (statuses.length === 1 && isPetStatus(statuses[0])) return [holds('client-status-known', exchange)];
  const received = statuses.map((one) => `"${one}"`).join(' and ');
  const facts = { expected: 'one status of available, pending and sold', received };
  return [breaks('client-status-known', 'status-unknown', facts, exchange)];
}

function petIdText({ request }: Exchange): string {
  return petIdIn(request.target.split('?')[0]!) ?? '';
}

/** The id that the service gave and the client sent back rounded, as a double rounds it. */
function findRounded(exchange: Exchange, exchanges: readonly Exchange[]) {
  const digits = petIdText(exchange);
  const given = exchanges
    .filter(({ answered }) => answered < exchange.sent)
    .flatMap((giver) => idsShownIn(giver).map((id) => ({ id, giver })));
  if (given.some(({ id }) => id === readPetId(exchange))) return 'exact';
  const integer = /^-?\d{1,30}$/.test(digits) ? BigInt(digits) : undefined;
  return given.find(({ id }) => String(Number(id)) === digits || BigInt(Number(id)) === integer);
}

function judgePetId(exchange: Exchange, exchanges: readonly Exchange[]): readonly ClientFinding[] {
  if (typeof readPetId(exchange) === 'bigint') return [holds('client-id-int64', exchange)];
  // The largest int64 is rounded to a number beyond them, which breaks `client-id-exact`.
  if (findRounded(exchange, exchanges) !== undefined) return [];
  const facts = { expected: 'an int64 in plain digits', received: `"${petIdText(exchange)}"` };
  return [breaks('client-id-int64', 'no-int64', facts, exchange)];
}

function judgeExactness(exchange: Exchange, exchanges: readonly Exchange[]): readonly ClientFinding[] {
  const rounded = findRounded(exchange, exchanges);
  if (rounded === undefined) return [];
  if (rounded === 'exact') return [holds('client-id-exact', exchange)];
  const facts = { expected: `${rounded.id}, as the service gave it`, received: petIdText(exchange) };
  return [breaks('client-id-exact', 'rounded', facts, rounded.giver, exchange)];
}

function ofOperation(exchanges: readonly Exchange[], operation: Exchange['operation']): readonly Exchange[] {
  return exchanges.filter((exchange) => exchange.operation === operation);
}

export const operationChecks: readonly ClientCheck[] = [
  {
    verifies: ['client-shown-only'],
    judge: ({ exchanges }) => exchanges.map((exchange) => judgeShown(exchange, exchanges)),
  },
  {
    verifies: ['client-limit-in-range'],
    judge: ({ exchanges }) => ofOperation(exchanges, 'listPets').flatMap(judgeLimit),
  },
  {
    verifies: ['client-status-known'],
    judge: ({ exchanges }) => ofOperation(exchanges, 'listPets').flatMap(judgeStatus),
  },
  {
    verifies: ['client-id-int64'],
    judge: ({ exchanges }) => ofOperation(exchanges, 'getPet').flatMap((exchange) => judgePetId(exchange, exchanges)),
  },
  {
    verifies: ['client-id-exact'],
    judge: ({ exchanges }) =>
      ofOperation(exchanges, 'getPet').flatMap((exchange) => judgeExactness(exchange, exchanges)),
  },
];
