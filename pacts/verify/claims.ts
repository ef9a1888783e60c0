/** Reads what an interaction sends and which status it expects, the same way from every version of Pact. */

import { operationOf } from '../../spec/operations.ts';
import { type Fields, fieldsOf, isFields, type PactInteraction, parseExactly, toText, withoutBase } from '../pact.ts';

/** The body as text with every digit, which version 4 wraps and may encode; empty if there is none. */
function sentTextOf({ text }: PactInteraction): string {
  const { request } = parseExactly(text) as { readonly request?: Fields };
  const body = request?.['body'];
  const isWrapped = isFields(body) && 'content' in body;
  const value = (isWrapped ? body['content'] : body) ?? '';
  if (typeof value !== 'string') return JSON.stringify(value);
  const isBase64 = isWrapped && toText(body['encoded']).toLowerCase() === 'base64';
  return isBase64 ? Buffer.from(value, 'base64').toString('utf8') : value;
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
  const sentHeaders: Readonly<Record<string, string>> = Object.fromEntries(
    Object.entries(fieldsOf(request['headers'])).map(([name, value]) => [
      name.toLowerCase(),
      [value].flat().map(toText).join(', '),
    ]),
  );
  const method = toText(request['method'] ?? 'GET').toUpperCase();
  // Some consumers record the path of a base address.
  const path = withoutBase(toText(request['path'] ?? '/'));
  return {
    operation: operationOf(method, path),
    method,
    path,
    query: queryOf(request['query']),
    sentHeaders,
    sentText: sentTextOf(interaction),
    mediaType: sentHeaders['content-type'] ?? 'application/json',
    /** The status that it expects. */
    status: Number(response['status'] ?? 200),
  };
}

export type Claims = ReturnType<typeof claimsOf>;
