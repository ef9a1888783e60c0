/** The journal of a server: every request with its answer, shaped like the exchanges of the kit. No key enters it. */

import type { CredentialKind, Exchange } from '../../conformance/http/exchange.ts';
import type { Redact } from '../../conformance/http/redact.ts';
import { defined } from '../../spec/defined.ts';
import { operationOf } from '../../spec/operations.ts';
import { type Handle, readHeader, type StoreRequest, type StoreResponse } from '../index.ts';
import { BrokenConnection } from './wraps.ts';

/** One request as it arrived, and its answer or the reason why there is none. No key is in it. */
export type ReceivedExchange = Exchange;

/** The journal keeps at most so many UTF-16 units of bodies, and so many exchanges; the oldest go first. */
const [mostUnits, mostExchanges] = [16 * 1024 * 1024, 10_000];

const bearer = (scheme: string): string => `-H "Authorization: ${scheme} $PETSTORE_API_KEY"`;
const credentials = {
  valid: { id: 'api-key', title: 'the API key', words: bearer('Bearer') },
  lenient: { id: 'bearer-in-another-form', title: 'the API key', words: bearer('bearer') },
  missing: { id: 'none', title: 'no Authorization header', words: '' },
  invalid: { id: 'wrong-key', title: 'a wrong key', words: '-H "Authorization: Bearer wrong"' },
  misplaced: { id: 'key-elsewhere', title: 'the API key elsewhere', words: '' },
} as const satisfies Partial<Record<CredentialKind, object>>;

function kindOf(
  request: StoreRequest,
  keys: readonly string[],
  redact: Redact,
  others: readonly string[],
): keyof typeof credentials {
  const value = readHeader(request, 'authorization');
  const [, scheme, token = ''] = /^(bearer +)(.*)$/i.exec(value) ?? [];
  if (keys.includes(token)) return scheme === 'Bearer ' ? 'valid' : 'lenient';
  if (others.some((text) => text.includes('[key]')) || redact(value) !== value) return 'misplaced';
  return request.headers.some(([name]) => name.toLowerCase() === 'authorization') ? 'invalid' : 'missing';
}

/** A path and query relative to a base path; one outside it begins with two dots. */
function relativeTarget(target: string, basePath: string): string {
  const isInside = target.startsWith(basePath) && /^(\/|\?|$)/.test(target.slice(basePath.length));
  return isInside ? target.slice(basePath.length) : `..${target}`;
}

/** A journal for a server at a base path; `keys` are recognised and never kept. */
export function createJournal(keys: readonly string[], redact: Redact, basePath: string) {
  const received: ReceivedExchange[] = [];
  let [number, kept] = [0, 0];

  const redactHeaders = (headers: readonly (readonly [string, string])[]): Readonly<Record<string, string>> =>
    Object.fromEntries(headers.map(([name, value]) => [name.toLowerCase(), redact(value)]));

  function describe(request: StoreRequest): Pick<ReceivedExchange, 'operation' | 'credential' | 'request'> {
    const { method } = request;
    const target = redact(relativeTarget(request.target, basePath));
    const headers = redactHeaders(request.headers.filter(([name]) => name.toLowerCase() !== 'authorization'));
    const body = request.body.length === 0 ? undefined : redact(Buffer.from(request.body).toString());
    const kind = kindOf(request, keys, redact, [target, ...Object.values(headers), body ?? '']);
    const { id, title, words } = credentials[kind];
    return {
      operation: operationOf(method, target.split('?')[0] ?? ''),
      credential: { id, kind, title, curl: { words } },
      request: defined({ method, target, headers, body }),
    };
  }

  function keep(exchange: ReceivedExchange): void {
    const sizeOf = ({ request, response }: ReceivedExchange): number =>
      (request.body?.length ?? 0) + (response?.body.length ?? 0);
    received.push(exchange);
    kept += sizeOf(exchange);
    while (kept > mostUnits || received.length > mostExchanges) kept -= sizeOf(received.shift()!);
  }

  function describeAnswer({ status, headers, body }: StoreResponse): ReceivedExchange['response'] & object {
    return { status, headers: redactHeaders(Object.entries(headers)), body: redact(body) };
  }

  return {
    received: received as readonly ReceivedExchange[],
    record:
      (handle: Handle): Handle =>
      (request, now) => {
        number += 1;
        // The handle answers a request before it sees the next.
        const times = { startedAt: now, endedAt: now, sent: 2 * number - 1, answered: 2 * number };
        const head = { number, check: 'client', ...describe(request), ...times } as const;
        try {
          const answer = handle(request, now);
          keep({ ...head, response: describeAnswer(answer) });
          return answer;
        } catch (error) {
          const failure = { code: 'broken', message: 'the connection broke off' };
          if (error instanceof BrokenConnection) keep({ ...head, failure });
          throw error;
        }
      },
    /** Forgets all exchanges, and counts from 1 again. */
    clear(): void {
      received.length = 0;
      [number, kept] = [0, 0];
    },
  };
}

const longest = 200;

/** A request in a line of a log: without keys, values of unknown parameters, and what a terminal could take for its own. */
export function describeForLog({ method, target }: StoreRequest, redact: Redact, basePath: string): string {
  if (method === '') return '(unreadable)';
  const shown = relativeTarget(target, basePath).replace(/([?&](?!limit=|status=|after=)[^=&]*=)[^&]*/g, '$1...');
  const escaped = redact(`${method} ${shown}`).replace(
    /[^ -~]/gu,
    (character) => `\\u{${character.codePointAt(0)!.toString(16)}}`,
  );
  return escaped.length > longest ? `${escaped.slice(0, longest)}…` : escaped;
}
