/** The record of what came in and what was answered, shaped as the exchanges of the kit; no key enters it. */

import type { Operation } from '../spec/operations.ts';
import type { StoreResponse } from './answer.ts';
import { BrokenOff } from './broken-off.ts';
import type { Handle } from './pet-store.ts';
import { readHeader, type StoreRequest } from './request.ts';

type CredentialKind = 'valid' | 'lenient' | 'missing' | 'invalid' | 'misplaced';

/** What a request says of its sender, without the key. */
export interface ReceivedCredential {
  readonly id: string;
  readonly kind: CredentialKind;
  readonly title: string;
  readonly curl: { readonly words: string };
}

/** One request as it came, and its answer, or the reason that there is none. */
export interface ReceivedExchange {
  /** Position among all that came, from 1. */
  readonly number: number;
  readonly check: 'client';
  readonly operation: Operation;
  readonly credential: ReceivedCredential;
  readonly request: {
    readonly method: string;
    /** Path and query, relative to the base address; what lies elsewhere begins with two dots. */
    readonly target: string;
    /** By lower-case name, without Authorization. Where a key stands, it says [key]. */
    readonly headers: Readonly<Record<string, string>>;
    readonly body?: string;
  };
  readonly response?: {
    readonly status: number;
    readonly headers: Readonly<Record<string, string>>;
    readonly body: string;
  };
  readonly failure?: { readonly code: string; readonly message: string };
  /** Unix milliseconds by the clock of the server. */
  readonly startedAt: number;
  readonly endedAt: number;
  /** Event numbers: of the request and of its answer. */
  readonly sent: number;
  readonly answered: number;
}

export interface Receipts {
  readonly received: readonly ReceivedExchange[];
  /** A handle that is recorded. */
  readonly record: (handle: Handle) => Handle;
}

/** What a record keeps in all, UTF-16 units of bodies; the oldest exchanges leave it. */
const mostKept = 16 * 1024 * 1024;
const mostExchanges = 10_000;

const variable = '$PETSTORE_API_KEY';
const credentials = {
  valid: { id: 'api-key', title: 'the API key', words: `-H "Authorization: Bearer ${variable}"` },
  lenient: { id: 'bearer-in-another-form', title: 'the API key', words: `-H "Authorization: bearer ${variable}"` },
  missing: { id: 'none', title: 'no Authorization header', words: '' },
  invalid: { id: 'wrong-key', title: 'a wrong key', words: '-H "Authorization: Bearer wrong"' },
  misplaced: { id: 'key-elsewhere', title: 'the API key elsewhere', words: '' },
} as const satisfies Record<CredentialKind, object>;

/** The forms in which a key may stand in a text. */
function formsOf(key: string): readonly string[] {
  const base64 = (text: string): string => Buffer.from(text).toString('base64').replace(/=+$/, '');
  return [...new Set([key, encodeURIComponent(key), base64(key), base64(`${key}:`), base64(`:${key}`)])];
}

function redactor(keys: readonly string[]): (text: string) => string {
  const forms = keys.flatMap(formsOf).toSorted((one, other) => other.length - one.length);
  return (text) => forms.reduce((shown, form) => shown.replaceAll(form, '[key]'), text);
}

function kindOf(request: StoreRequest, keys: readonly string[], isElsewhere: boolean): CredentialKind {
  const value = readHeader(request, 'authorization');
  const [, scheme, token = ''] = /^(bearer +)(.*)$/i.exec(value) ?? [];
  if (keys.includes(token)) return scheme === 'Bearer ' ? 'valid' : 'lenient';
  if (isElsewhere || keys.some((key) => formsOf(key).some((form) => value.includes(form)))) return 'misplaced';
  return request.headers.some(([name]) => name.toLowerCase() === 'authorization') ? 'invalid' : 'missing';
}

function operationOf(method: string, target: string): Operation {
  const [path = ''] = target.split('?');
  if (path === '/pets' && method === 'GET') return 'listPets';
  if (path === '/pets' && method === 'POST') return 'createPet';
  return method === 'GET' && /^\/pets\/[^/]+$/.test(path) ? 'getPet' : 'other';
}

/** A record for a server at a base path; `keys` are told apart from others, and never kept. */
export function createReceipts(keys: readonly string[], basePath: string): Receipts {
  const received: ReceivedExchange[] = [];
  const redact = redactor(keys);
  let [number, kept] = [0, 0];

  /** What was read of a request. */
  function describe(request: StoreRequest): Pick<ReceivedExchange, 'operation' | 'credential' | 'request'> {
    const { method, target: whole } = request;
    const isInside = whole.startsWith(basePath) && /^(\/|\?|$)/.test(whole.slice(basePath.length));
    const target = redact(isInside ? whole.slice(basePath.length) : `..${whole}`);
    const others = request.headers.filter(([name]) => name.toLowerCase() !== 'authorization');
    const headers = Object.fromEntries(others.map(([name, value]) => [name.toLowerCase(), redact(value)]));
    const body = request.body.length === 0 ? {} : { body: redact(Buffer.from(request.body).toString()) };
    const isElsewhere = [target, ...Object.values(headers), body.body ?? ''].some((text) => text.includes('[key]'));
    const kind = kindOf(request, keys, isElsewhere);
    const { id, title, words } = credentials[kind];
    return {
      operation: operationOf(method, target),
      credential: { id, kind, title, curl: { words } },
      request: { method, target, headers, ...body },
    };
  }

  function keep(exchange: ReceivedExchange): void {
    const sizeOf = ({ request, response }: ReceivedExchange): number =>
      (request.body?.length ?? 0) + (response?.body.length ?? 0);
    received.push(exchange);
    kept += sizeOf(exchange);
    while (kept > mostKept || received.length > mostExchanges) kept -= sizeOf(received.shift()!);
  }

  function answerTo({ status, headers, body }: StoreResponse): Pick<ReceivedExchange, 'response'> {
    const named = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), redact(value)]);
    return { response: { status, headers: Object.fromEntries(named), body: redact(body) } };
  }

  return {
    received,
    record: (handle) => (request, now) => {
      number += 1;
      const head = {
        number,
        check: 'client',
        ...describe(request),
        startedAt: now,
        endedAt: now,
        // A request is answered before the next is looked at.
        sent: 2 * number - 1,
        answered: 2 * number,
      } as const;
      try {
        const answer = handle(request, now);
        keep({ ...head, ...answerTo(answer) });
        return answer;
      } catch (error) {
        if (!(error instanceof BrokenOff)) throw error;
        const failure = { code: 'broken', message: 'the connection broke off' };
        keep({ ...head, failure });
        throw error;
      }
    },
  };
}
