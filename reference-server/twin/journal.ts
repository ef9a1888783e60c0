/**
 * The journal of a server: every request with its answer, as exchanges of the kit, without a key. It keeps what came, and makes
 * exchanges when somebody reads them.
 */

import { noKey, validKey } from '../../conformance/http/credentials.ts';
import type { Credential, Exchange, RecordedRequest } from '../../conformance/http/exchange.ts';
import { keyMark, type Redact, redactor } from '../../conformance/http/redact.ts';
import { defined } from '../../spec/defined.ts';
import { operationOf } from '../../spec/operations.ts';
import { readHeader, type StoreRequest, type StoreResponse } from '../index.ts';
import { createRequestRing, type Kept } from './kept.ts';

const mostKept = 10_000;

const lenientForm = { ...validKey('').shown, kind: 'lenient', id: 'bearer-in-another-form' } as const;
const { curl } = noKey.shown;
const wrongKey = { kind: 'invalid', id: 'wrong-key', title: 'a wrong key', curl } as const;
const misplaced = { kind: 'misplaced', id: 'key-elsewhere', title: 'the API key elsewhere', curl } as const;

/** The server of a journal. */
interface Journaled {
  /** They are recognised, and stand in no exchange. */
  readonly keys: readonly string[];
  readonly basePath: string;
  readonly redact: Redact;
}

function recordHeaders(headers: readonly (readonly [string, string])[], redact: Redact): RecordedRequest['headers'] {
  return Object.fromEntries(headers.map(([name, value]) => [name.toLowerCase(), redact(value)]));
}

/** The credential of a request; `shown` is the request without it. */
function credentialReceived(sent: StoreRequest, shown: RecordedRequest, { keys, redact }: Journaled): Credential {
  const value = readHeader(sent, 'authorization');
  const [, scheme, token = ''] = /^(bearer +)(.*)$/i.exec(value) ?? [];
  if (keys.includes(token)) return scheme === 'Bearer ' ? validKey('').shown : lenientForm;
  if (JSON.stringify(shown).includes(keyMark) || redact(value) !== value) return misplaced;
  return value === '' ? noKey.shown : wrongKey;
}

function requestOf(sent: StoreRequest, { basePath, redact }: Journaled): RecordedRequest {
  // One outside the base path begins with two dots.
  const isInside = sent.target.startsWith(`${basePath}/`);
  const target = redact(isInside ? sent.target.slice(basePath.length) : `..${sent.target}`);
  const others = sent.headers.filter(([name]) => name.toLowerCase() !== 'authorization');
  const body = sent.body.length === 0 ? undefined : redact(Buffer.from(sent.body).toString());
  return defined({ method: sent.method, target, headers: recordHeaders(others, redact), body });
}

function outcomeOf(answer: StoreResponse | undefined, { redact }: Journaled): Pick<Exchange, 'response' | 'failure'> {
  if (answer === undefined) return { failure: { code: 'broken', message: 'the connection broke off' } };
  const headers = recordHeaders(Object.entries(answer.headers), redact);
  return { response: { ...answer, headers, body: redact(answer.body) } };
}

function exchangeOf({ number, now, sent, answer }: Kept, server: Journaled): Exchange {
  const request = requestOf(sent, server);
  return {
    number,
    check: 'client',
    operation: operationOf(request.method, request.target.split('?')[0]!),
    request,
    credential: credentialReceived(sent, request, server),
    startedAt: now,
    endedAt: now,
    // The store answers a request before it sees the next.
    sent: 2 * number - 1,
    answered: 2 * number,
    ...outcomeOf(answer, server),
  };
}

/** A journal for a server at a base path; `keys` are recognised, and stand in no exchange. */
export function createJournal(keys: readonly string[], basePath: string) {
  const server: Journaled = { keys, basePath, redact: redactor(keys) };
  const ring = createRequestRing(mostKept);
  /** The exchanges that somebody has read, each at the place of its number in the ring. */
  const read: Exchange[] = [];

  /** Reads a request once, however often somebody asks for it. */
  function exchangeAt(number: number): Exchange {
    const before = read[number % mostKept];
    if (before?.number === number) return before;
    const exchange = exchangeOf(ring.read(number), server);
    read[number % mostKept] = exchange;
    return exchange;
  }

  return {
    /** Adds a request with its answer, undefined where the connection broke. */
    add: ring.add,
    /** The exchange of the request that was added last. */
    latest: (): Exchange => exchangeAt(ring.count()),
    /** The exchanges that are kept, the oldest first. */
    received(): readonly Exchange[] {
      const length = Math.min(ring.count(), mostKept);
      return Array.from({ length }, (_nothing, at) => exchangeAt(ring.count() - length + at + 1));
    },
  };
}
