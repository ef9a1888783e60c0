/**
 * The journal of a server: every request with its answer, as exchanges of the kit, without a key. It keeps what came, and makes
 * exchanges when somebody reads them.
 */

import { noKey, validKey } from '../../conformance/http/credentials.ts';
import type { Credential, Exchange } from '../../conformance/http/exchange.ts';
import { memoize } from '../../conformance/http/memoize.ts';
import { keyMark, redactor } from '../../conformance/http/redact.ts';
import { defined } from '../../spec/defined.ts';
import { operationOf } from '../../spec/operations.ts';
import { readHeader, type StoreRequest } from '../index.ts';
import { createRequestRing, type Kept, readKept } from './kept.ts';

const mostKept = 10_000;

const lenientForm = { ...validKey('').shown, kind: 'lenient', id: 'bearer-in-another-form' } as const;
const wrongKey = { ...noKey.shown, kind: 'invalid', id: 'wrong-key', title: 'a wrong key' } as const;
const misplaced = { ...noKey.shown, kind: 'misplaced', id: 'key-elsewhere', title: 'the API key elsewhere' } as const;

/** A journal for a server at a base path; `keys` are recognised, and stand in no exchange. */
export function createJournal(keys: readonly string[], basePath: string) {
  const redact = redactor(keys);
  const kept = createRequestRing(mostKept);

  const record = (headers: readonly (readonly [string, string])[]): Readonly<Record<string, string>> =>
    Object.fromEntries(headers.map(([name, value]) => [name.toLowerCase(), redact(value)]));

  function credentialOf(sent: StoreRequest, shown: Exchange['request']): Credential {
    const value = readHeader(sent, 'authorization');
    const [, scheme, token = ''] = /^(bearer +)(.*)$/i.exec(value) ?? [];
    if (keys.includes(token)) return scheme === 'Bearer ' ? validKey('').shown : lenientForm;
    if (JSON.stringify(shown).includes(keyMark) || redact(value) !== value) return misplaced;
    return value === '' ? noKey.shown : wrongKey;
  }

  const exchangeOf = memoize((one: Kept): Exchange => {
    const { number, now } = one;
    const { sent, answer } = readKept(one);
    const { method } = sent;
    // One outside the base path begins with two dots.
    const isInside = sent.target.startsWith(`${basePath}/`);
    const target = redact(isInside ? sent.target.slice(basePath.length) : `..${sent.target}`);
    const headers = record(sent.headers.filter(([name]) => name.toLowerCase() !== 'authorization'));
    const body = sent.body.length === 0 ? undefined : redact(Buffer.from(sent.body).toString());
    const request = defined({ method, target, headers, body });
    return {
      number,
      check: 'client',
      operation: operationOf(method, target.split('?')[0]!),
      request,
      credential: credentialOf(sent, request),
      startedAt: now,
      endedAt: now,
      // The store answers a request before it sees the next.
      sent: 2 * number - 1,
      answered: 2 * number,
      ...(answer === undefined
        ? { failure: { code: 'broken', message: 'the connection broke off' } }
        : { response: { ...answer, headers: record(Object.entries(answer.headers)), body: redact(answer.body) } }),
    };
  });

  return {
    /** Adds a request with its answer, undefined where the connection broke. */
    add: kept.add,
    /** The exchange of the request that was added last. */
    latest: (): Exchange => exchangeOf(kept.latest()),
    /** The exchanges that are kept, the oldest first. */
    received: (): readonly Exchange[] => kept.all().map(exchangeOf),
  };
}
