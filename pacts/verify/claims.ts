/** Reads what an interaction sends and what it claims of the answer, the same way from every version of Pact. */

import { operationOf } from '../../spec/operations.ts';
import { type Fields, fieldsOf, isFields, type PactInteraction, parseExactly, toText, withoutBase } from '../pact.ts';

function headersOf(headers: unknown): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(fieldsOf(headers)).map(([name, value]) => [
      name.toLowerCase(),
      [value].flat().map(toText).join(', '),
    ]),
  );
}

/** The content of a body, which version 4 wraps and may encode. */
function contentOf(body: unknown): unknown {
  const isWrapped = isFields(body) && 'content' in body;
  const value = isWrapped ? body['content'] : body;
  const isBase64 = isWrapped && toText(body['encoded']).toLowerCase() === 'base64';
  return typeof value === 'string' && isBase64 ? Buffer.from(value, 'base64').toString('utf8') : value;
}

function bodyOf(body: unknown, contentType = 'application/json'): unknown {
  const value = contentOf(body);
  if (typeof value !== 'string' || value === '') return value ?? undefined;
  if (!/json/i.test(contentType)) return value;
  try {
    return JSON.parse(value) as unknown;
  } catch {
    return value;
  }
}

function sentTextOf({ text }: PactInteraction): string {
  const { request } = parseExactly(text) as { readonly request?: Fields };
  const value = contentOf(request?.['body']) ?? '';
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function queryOf(query: unknown): ReadonlyMap<string, readonly string[]> {
  if (typeof query === 'string') {
    const parameters = new URLSearchParams(query);
    return new Map([...new Set(parameters.keys())].map((name) => [name, parameters.getAll(name)]));
  }
  return new Map(Object.entries(fieldsOf(query)).map(([name, value]) => [name, [value].flat().map(toText)]));
}

export function claimsOf(interaction: PactInteraction) {
  const { request, response } = interaction;
  const sentHeaders = headersOf(request['headers']);
  const headers = headersOf(response['headers']);
  const body = bodyOf(response['body'], headers['content-type']);
  const method = toText(request['method'] ?? 'GET').toUpperCase();
  // Some consumers record the path of a base address.
  const path = withoutBase(toText(request['path'] ?? '/'));
  return {
    interaction,
    operation: operationOf(method, path),
    method,
    path,
    query: queryOf(request['query']),
    sentHeaders,
    sent: bodyOf(request['body'], sentHeaders['content-type']),
    /** The sent body as text with every digit; empty if there is none. */
    sentText: sentTextOf(interaction),
    mediaType: sentHeaders['content-type'] ?? 'application/json',
    status: Number(response['status'] ?? 200),
    headers,
    /** The body of the answer; undefined if none is claimed. */
    body,
  };
}

export type Claims = ReturnType<typeof claimsOf>;
