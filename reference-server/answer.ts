/** A request, its answer, and the function between them; how both are written: headers, Errors (§7), JSON. */

import { STATUS_CODES } from 'node:http';

/** A request as it arrived; `target` is its path and query, `unread` the status where node:http could not read it. */
export interface StoreRequest {
  readonly method: string;
  readonly target: string;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: Uint8Array;
  readonly address: string;
  readonly unread?: number;
}

export type StoreResponse = Readonly<{ status: number; headers: Record<string, string>; body: string }>;

/** Answers a request at a time, in Unix milliseconds. */
export type Handle = (request: StoreRequest, now: number) => StoreResponse;

export function answer(status: number, body: string, headers?: Readonly<Record<string, string>>): StoreResponse {
  return { status, headers: { 'Content-Type': 'application/json', ...headers }, body };
}

/** The words of a status as a code, such as not_found. */
export function codeOf(status: number): string {
  return status === 400 ? 'invalid_request' : (STATUS_CODES[status] ?? 'refused').toLowerCase().replaceAll(/\W/g, '_');
}

export function refuse(status: number, message: string, headers?: Readonly<Record<string, string>>): StoreResponse {
  return answer(status, JSON.stringify({ code: codeOf(status), message, status }), headers);
}

/** The value of a header; empty where it is missing, or sent twice: two servers may read two different ones. */
export function readHeader({ headers }: StoreRequest, name: string): string {
  const found = headers.filter(([sent]) => sent.length === name.length && sent.toLowerCase() === name);
  return found.length === 1 ? found[0]![1] : '';
}

/** Node 24 has both; the compiler's library does not declare them yet. */
type RawJson = { rawJSON: (text: string) => object; isRawJSON: (value: unknown) => value is { rawJSON: string } };
export const { rawJSON, isRawJSON } = JSON as unknown as RawJson;
const keepText = (_field: string, value: unknown, { source = '' }: { source?: string } = {}): unknown =>
  typeof value === 'number' ? rawJSON(source) : value;
const utf8 = new TextDecoder('utf-8', { fatal: true });

/** The fields of a JSON object; numbers that a double may change keep their text. None if broken or too deep for keepText. */
export function parseFields(bytes: Uint8Array): Readonly<Record<string, unknown>> {
  try {
    const text = utf8.decode(bytes);
    return Object(JSON.parse(text, /\d(?:\d{15}|[.e])|(?!^)[[{]/i.test(text) ? keepText : undefined));
  } catch {
    return {};
  }
}

/** The int64 that a number of parseFields exactly equals, as 1.0 and 1e3 do; undefined for any other value. */
export function readInt64(number: unknown): bigint | undefined {
  const text = isRawJSON(number) ? number.rawJSON : typeof number === 'number' ? String(number) : '';
  const [, whole = '', fraction = '', exponent = ''] = /^(-?\d+)(?:\.(\d+))?(?:e([+-]?\d+))?$/i.exec(text) ?? [];
  const shift = Number(exponent) - fraction.length;
  // 1e999999999 must not be written out.
  if (whole === '' || text.length > 100 || Math.abs(shift) > 100) return undefined;
  const [digits, power] = [BigInt(whole + fraction), 10n ** BigInt(Math.abs(shift))];
  const value = shift < 0 ? digits / power : digits * power;
  return (shift >= 0 || value * power === digits) && BigInt.asIntN(64, value) === value ? value : undefined;
}
