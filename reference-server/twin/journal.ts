/** The journal and the log of a server: every request with its answer, as exchanges of the kit and as lines, without a key. */

import type { Exchange } from '../../conformance/http/exchange.ts';
import { keyMark, type Redact } from '../../conformance/http/redact.ts';
import { defined } from '../../spec/defined.ts';
import { operationOf } from '../../spec/operations.ts';
import { readHeader, type StoreRequest, type StoreResponse } from '../index.ts';

/** One request as it arrived, and its answer or the reason why there is none. No key is in it. */
export type ReceivedExchange = Exchange;

/** The journal keeps about so many UTF-16 units; the oldest exchanges go first. */
const mostUnits = 16 * 1024 * 1024;
/** Units of an exchange beside its bodies, about. */
const unitsOfHead = 1_600;

const bearer = (key: string): string => `-H "Authorization: ${key}"`;
/** Kind → its id, its title, and the words of a curl line. */
const credentials = {
  valid: ['api-key', 'the API key', bearer('Bearer $PETSTORE_API_KEY')],
  lenient: ['bearer-in-another-form', 'the API key', bearer('bearer $PETSTORE_API_KEY')],
  missing: ['none', 'no Authorization header', ''],
  invalid: ['wrong-key', 'a wrong key', bearer('Bearer wrong')],
  misplaced: ['key-elsewhere', 'the API key elsewhere', ''],
} as const;

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
  const sizeOf = ({ request, response }: ReceivedExchange): number =>
    unitsOfHead + (request.body?.length ?? 0) + (response?.body.length ?? 0);

  function kindOf(sent: StoreRequest, described: ReceivedExchange['request']): keyof typeof credentials {
    const value = readHeader(sent, 'authorization');
    const [, scheme, token = ''] = /^(bearer +)(.*)$/i.exec(value) ?? [];
    if (keys.includes(token)) return scheme === 'Bearer ' ? 'valid' : 'lenient';
    if (JSON.stringify(described).includes(keyMark) || redact(value) !== value) return 'misplaced';
    return sent.headers.some(([name]) => name.toLowerCase() === 'authorization') ? 'invalid' : 'missing';
  }

  return {
    received: received as readonly ReceivedExchange[],
    /** Adds a request with its answer; undefined where the connection broke. */
    add(sent: StoreRequest, answer: StoreResponse | undefined, now: number): void {
      number += 1;
      const { method } = sent;
      const target = redact(relativeTarget(sent.target, basePath));
      const headers = redactHeaders(sent.headers.filter(([name]) => name.toLowerCase() !== 'authorization'));
      const body = sent.body.length === 0 ? undefined : redact(Buffer.from(sent.body).toString());
      const request = defined({ method, target, headers, body });
      const kind = kindOf(sent, request);
      const [id, title, words] = credentials[kind];
      const exchange: ReceivedExchange = {
        ...{ number, check: 'client', operation: operationOf(method, target.split('?')[0]!), request },
        credential: { id, kind, title, curl: { words } },
        // The store answers a request before it sees the next.
        ...{ startedAt: now, endedAt: now, sent: 2 * number - 1, answered: 2 * number },
        ...(answer === undefined
          ? { failure: { code: 'broken', message: 'the connection broke off' } }
          : {
              response: {
                ...answer,
                headers: redactHeaders(Object.entries(answer.headers)),
                body: redact(answer.body),
              },
            }),
      };
      received.push(exchange);
      kept += sizeOf(exchange);
      while (kept > mostUnits) kept -= sizeOf(received.shift()!);
    },
    /** Forgets all exchanges, and counts from 1 again. */
    clear(): void {
      received.length = 0;
      [number, kept] = [0, 0];
    },
  };
}

/** A request in a line of a log: without keys, values of unknown parameters, and what a terminal could take for its own. */
export function describeForLog({ method, target }: StoreRequest, redact: Redact, basePath: string): string {
  if (method === '') return '(unreadable)';
  const shown = relativeTarget(target, basePath).replace(/([?&](?!limit=|status=|after=)[^=&]*=)[^&]*/g, '$1...');
  const toEscape = (character: string): string => `\\u{${character.codePointAt(0)!.toString(16)}}`;
  const escaped = redact(`${method} ${shown}`).replace(/[^ -~]/gu, toEscape);
  return escaped.length > 200 ? `${escaped.slice(0, 200)}…` : escaped;
}
