/** Reads a recorded response: its JSON, its animals, its numbers in headers. */

import type { Exchange, RecordedResponse } from './exchange.ts';
import { isInt64, isJsonObject, type JsonObject, type JsonValue, type Reading, readJson } from './json.ts';
import { memoize } from './memoize.ts';

/** What a session has read of a response when it recorded it; the same text is read once for all that have it. */
const readings = new WeakMap<RecordedResponse, Reading>();

/** Keeps what was read of a response as long as the response. */
export function keepReading(response: RecordedResponse, reading: Reading): void {
  readings.set(response, reading);
}

/** The JSON of a response. */
export function readBody(response: RecordedResponse): Reading {
  const known = readings.get(response);
  if (known !== undefined) return known;
  const reading = response.isNotUtf8 ? { problem: 'bytes that are no UTF-8' } : readJson(response.body);
  readings.set(response, reading);
  return reading;
}

/** The JSON value of the body of an exchange, or undefined where there is none. */
export function bodyOf(exchange: Exchange): JsonValue | undefined {
  if (exchange.response === undefined) return undefined;
  const reading = readBody(exchange.response);
  return 'value' in reading ? reading.value : undefined;
}

/** Whether a body is JSON, be it nested too deeply for us to read: fields that are not listed may hold anything. */
export function isJson({ response }: Exchange): boolean {
  if (response === undefined) return false;
  const reading = readBody(response);
  return 'value' in reading || reading.isJson === true;
}

/** Whether the target answered, and not with 429: a refusal for the rate limit says nothing about the request. */
export function isAnswered(exchange: Exchange): exchange is Exchange & { readonly response: RecordedResponse } {
  return exchange.response !== undefined && exchange.response.status !== 429;
}

/** Whether a gateway speaks for a service that it did not reach: 502, 503, 504. */
export function isOfGateway({ response }: Pick<Exchange, 'response'>): boolean {
  return response !== undefined && [502, 503, 504].includes(response.status);
}

export function statusOf(exchange: Exchange): number | undefined {
  return exchange.response?.status;
}

/** The animals in the body of a 200 or 201, as far as they are objects, each with its position. */
export function animalsOf(exchange: Exchange): readonly JsonObject[] {
  const status = statusOf(exchange);
  if (status !== 200 && status !== 201) return [];
  const body = bodyOf(exchange);
  const candidates = exchange.operation === 'listPets' && Array.isArray(body) ? body : [body];
  return candidates.filter(isJsonObject);
}

/** The ids of these animals, as far as they are int64. */
export function idsShownIn(exchange: Exchange): readonly bigint[] {
  return animalsOf(exchange).flatMap(({ id }) => (isInt64(id) ? [id] : []));
}

/** A page: the entries of a 200 to listPets, or undefined where the body is no array. */
export function pageOf(exchange: Exchange): readonly JsonValue[] | undefined {
  const body = exchange.operation === 'listPets' && statusOf(exchange) === 200 ? bodyOf(exchange) : undefined;
  return Array.isArray(body) ? body : undefined;
}

/** The text of a header without white space around it, where it begins with an integer that nothing is glued to. */
const integerInFront = /^(\d{1,15})(?![^\s,;])/;

/**
 * The integer in front of a header, `missing` or `malformed`. Whatever follows after a comma, a semicolon or a space is
 * left out, as clients do: no format is given (§8).
 */
export function readInteger(response: RecordedResponse, name: string): number | 'missing' | 'malformed' {
  const text = response.headers[name];
  if (text === undefined) return 'missing';
  const digits = integerInFront.exec(text.trim())?.[1];
  return digits === undefined ? 'malformed' : Number(digits);
}

/** Whether a header is an integer and nothing else. */
export function isPlainInteger(response: RecordedResponse, name: string): boolean {
  return /^\d{1,15}$/.test(response.headers[name]?.trim() ?? '');
}

/** The three forms of a date in HTTP (RFC 9110): 'Sun, 06 Nov 1994 08:49:37 GMT', and two that are obsolete. */
const httpDate =
  /^([A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT|[A-Z][a-z]{5,8}, \d{2}-[A-Z][a-z]{2}-\d{2} \d{2}:\d{2}:\d{2} GMT|[A-Z][a-z]{2} [A-Z][a-z]{2} [ \d]\d \d{2}:\d{2}:\d{2} \d{4})$/;

/** Milliseconds to wait by Retry-After (§8), in either form, or undefined where there is none that can be used. */
export function readRetryAfter(response: RecordedResponse, now: number): number | undefined {
  const text = response.headers['retry-after']?.trim();
  if (text === undefined) return undefined;
  if (/^\d{1,9}$/.test(text)) return Number(text) * 1000;
  if (!httpDate.test(text)) return undefined;
  // The last form says no zone and means GMT.
  const until = Date.parse(text.endsWith('GMT') ? text : `${text} GMT`);
  // The date is by the clock of the target, which Date tells.
  return Number.isNaN(until) ? undefined : Math.max(0, until - dateOf(response, now));
}

/**
 * Milliseconds from an answer to a time that it tells in Unix milliseconds, by each clock that may be that of the
 * target: its Date, and ours, since a gateway may tell another Date.
 */
export function timesUntil(time: number, response: RecordedResponse, now: number): readonly number[] {
  return [time - dateOf(response, now), time - now];
}

/** The same by one clock: the one by which the time comes next, else the one by which it has passed last. */
export function timeUntil(time: number, response: RecordedResponse, now: number): number {
  const times = timesUntil(time, response, now);
  const ahead = times.filter((ms) => ms >= 0);
  return ahead.length > 0 ? Math.min(...ahead) : Math.max(...times);
}

const readDate = memoize(({ headers }: RecordedResponse) => Date.parse(headers['date'] ?? ''));

/** The time of the target when it answered, by its Date header, else by our clock; Unix milliseconds. */
export function dateOf(response: RecordedResponse, now: number): number {
  const date = readDate(response);
  return Number.isNaN(date) ? now : date;
}
