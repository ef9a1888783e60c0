/** A request, its answer, and the function between them; how both are written: headers, Errors (§7), JSON. */

import { STATUS_CODES } from 'node:http';

/** A request as it arrived; the target is its path and query. */
export interface StoreRequest {
  readonly method: string;
  readonly target: string;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: Uint8Array;
  /** The address of the client. */
  readonly address: string;
  /** The status of the refusal, where node:http could not read the request. */
  readonly unread?: number;
}

export interface StoreResponse {
  readonly status: number;
  readonly headers: Record<string, string>;
  readonly body: string;
}

/** Answers a request at a time, in Unix milliseconds. */
export type Handle = (request: StoreRequest, now: number) => StoreResponse;

export function answer(status: number, body: string, headers?: Readonly<Record<string, string>>): StoreResponse {
  return { status, headers: { 'Content-Type': 'application/json', ...headers }, body };
}

/** The words of a status as a code, such as not_found. */
export function codeOf(status: number): string {
  if (status === 400 || status === 422) return 'invalid_request';
  return (STATUS_CODES[status] ?? 'refused').toLowerCase().replaceAll(/\W/g, '_');
}

export function refuse(status: number, message: string, headers?: Readonly<Record<string, string>>): StoreResponse {
  return answer(status, JSON.stringify({ code: codeOf(status), message, status }), headers);
}

/** The value of a header; empty where it is missing, or sent twice: two servers may read two different ones. */
export function readHeader({ headers }: StoreRequest, name: string): string {
  let found: string | undefined;
  for (const [sent, value] of headers) {
    if (sent.length !== name.length || sent.toLowerCase() !== name) continue;
    if (found !== undefined) return '';
    found = value;
  }
  return found ?? '';
}

// Node 24 has both; the compiler's library does not declare them yet.
const { rawJSON, isRawJSON } = JSON as unknown as {
  readonly rawJSON: (text: string) => object;
  readonly isRawJSON: (value: unknown) => value is { readonly rawJSON: string };
};
const keepText = (_field: string, value: unknown, { source = '' }: { source?: string } = {}): unknown =>
  typeof value === 'number' ? rawJSON(source) : value;

const utf8 = new TextDecoder('utf-8', { fatal: true });

/** Parses JSON whose numbers keep their text; undefined where it is broken, not UTF-8, or too deep for the stack. */
export function parseJson(json: string | Uint8Array): unknown {
  try {
    const text = typeof json === 'string' ? json : utf8.decode(json);
    return JSON.parse(text, keepText as (field: string, value: unknown) => unknown);
  } catch {
    return undefined;
  }
}

export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !isRawJSON(value);
}

/** The int64 that a number of parseJson exactly equals, as 1.0 and 1e3 do; undefined for any other value. */
export function readInt64(number: unknown): bigint | undefined {
  const text = isRawJSON(number) ? number.rawJSON : '';
  const [, whole = '', fraction = '', exponent = '0'] = /^(-?\d+)(?:\.(\d+))?(?:e([+-]?\d+))?$/i.exec(text) ?? [];
  const shift = Number(exponent) - fraction.length;
  // 1e999999999 must not be written out.
  if (whole === '' || text.length > 100 || Math.abs(shift) > 100) return undefined;
  const [digits, power] = [BigInt(whole + fraction), 10n ** BigInt(Math.abs(shift))];
  const value = shift < 0 ? digits / power : digits * power;
  return (shift >= 0 || value * power === digits) && BigInt.asIntN(64, value) === value ? value : undefined;
}
