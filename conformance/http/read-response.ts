/** Reads a recorded response: JSON, animals, and the numbers and dates in headers. */

import type { Exchange, RecordedResponse } from './exchange.ts';
import {
  isInt64,
  isJsonObject,
  type JsonObject,
  type JsonReading,
  type JsonValue,
  readJson,
  showJson,
} from './json.ts';
import { memoize } from './memoize.ts';

/** Bodies that were read whole when they were recorded. */
const readings = new WeakMap<RecordedResponse, JsonReading>();

export function keepReading(response: RecordedResponse, reading: JsonReading): void {
  readings.set(response, reading);
}

export function readBody(response: RecordedResponse): JsonReading {
  const known = readings.get(response);
  if (known !== undefined) return known;
  const reading = response.isNotUtf8 ? { problem: 'bytes that are no UTF-8' } : readJson(response.body);
  keepReading(response, reading);
  return reading;
}

export function bodyOf({ response }: Pick<Exchange, 'response'>): JsonValue | undefined {
  const reading = response && readBody(response);
  return reading !== undefined && 'value' in reading ? reading.value : undefined;
}

/** Says why a body is no JSON: the usual mistakes by their names, else the problem of the parser. */
export function bodyProblem(response: RecordedResponse): string {
  const { body } = response;
  const reading = readBody(response);
  const problem = 'problem' in reading ? reading.problem : '';
  if (body.startsWith('\ufeff')) return 'a byte order mark in front of the JSON';
  if (/^\s*</.test(body)) return 'HTML or XML instead of JSON';
  const isCut = response.isNotUtf8 === undefined && /^\s*[[{](?!\0)/.test(body) && !/[\]}]\s*$/.test(body);
  return isCut ? `JSON that is cut off: ${problem}` : problem;
}

/** A body as a sentence shows it: its value, or why it is no JSON. */
export function bodyInWords(exchange: Pick<Exchange, 'response'>): string {
  const body = bodyOf(exchange);
  if (body !== undefined || exchange.response === undefined) return showJson(body);
  return bodyProblem(exchange.response);
}

/** The id of the animal that a 201 says was created; undefined if it names none (§4.2). */
export function createdId(exchange: Pick<Exchange, 'operation' | 'response'>): bigint | undefined {
  if (exchange.operation !== 'createPet' || statusOf(exchange) !== 201) return undefined;
  const body = bodyOf(exchange);
  return isJsonObject(body) && isInt64(body['id']) ? body['id'] : undefined;
}

/** Whether a response body is JSON, even if it nests too deeply to be read: unlisted fields may hold anything. */
export function isJson({ response }: Exchange): boolean {
  const reading = response && readBody(response);
  return reading !== undefined && ('value' in reading || reading.isJson === true);
}

/**
 * Whether the status is one that a gateway sends if it cannot reach the service, or if a connection was idle (408): the client
 * may repeat the request. 520 to 530 are those of Cloudflare.
 */
export function isGatewayError({ response }: { readonly response?: { readonly status: number } }): boolean {
  const status = response?.status ?? 0;
  return [408, 502, 503, 504].includes(status) || (status >= 520 && status <= 530);
}

/** Whether an answer says that the service failed (5xx). */
export function isServerError(exchange: Pick<Exchange, 'response'>): boolean {
  return (statusOf(exchange) ?? 0) >= 500;
}

export function statusOf(exchange: Pick<Exchange, 'response'>): number | undefined {
  return exchange.response?.status;
}

/** Whether a value has a required field of an animal: an Error, for example, has none, so it is no animal that lacks one. */
export function isAnimal(value: JsonValue | undefined): value is JsonObject {
  return isJsonObject(value) && ['id', 'name', 'categoryId'].some((field) => Object.hasOwn(value, field));
}

/** The animals in the body of a 200 or 201. */
export const animalsOf = memoize((exchange: Pick<Exchange, 'operation' | 'response'>): readonly JsonObject[] => {
  const status = statusOf(exchange);
  if (status !== 200 && status !== 201) return [];
  const body = bodyOf(exchange);
  if (exchange.operation !== 'listPets') return isAnimal(body) ? [body] : [];
  return Array.isArray(body) ? body.filter(isAnimal) : [];
});

/** JSON pointer to a field of an animal that an answer shows, alone or in a page. */
export function pointerTo(exchange: Exchange, animal: JsonValue, field: string): string {
  const body = bodyOf(exchange);
  return Array.isArray(body) ? `/${body.indexOf(animal)}/${field}` : `/${field}`;
}

export function idsShownIn(exchange: Parameters<typeof animalsOf>[0]): readonly bigint[] {
  return animalsOf(exchange).flatMap(({ id }) => (isInt64(id) ? [id] : []));
}

/** The entries of a 200 to listPets, or undefined if the body is no array. */
export function pageOf(exchange: Exchange): readonly JsonValue[] | undefined {
  const body = exchange.operation === 'listPets' && statusOf(exchange) === 200 ? bodyOf(exchange) : undefined;
  return Array.isArray(body) ? body : undefined;
}

/**
 * The leading integer of a header, `missing` or `malformed`. Text after a comma, a semicolon or a space is ignored, as
 * clients do: §8 gives no format.
 */
export function readInteger({ headers }: RecordedResponse, name: string): number | 'missing' | 'malformed' {
  const text = headers[name];
  if (text === undefined) return 'missing';
  // A time may have a fraction of a second; a count has none.
  const form = name === 'x-ratelimit-reset' ? /^(\d{1,15})(?:\.\d+)?(?![^\s,;])/ : /^(\d{1,15})(?![^\s,;])/;
  const digits = form.exec(text.trim())?.[1];
  return digits === undefined ? 'malformed' : Number(digits);
}

/** The integers of a header that holds nothing else: more than one where several layers of a service write the header. */
export function integersIn({ headers }: RecordedResponse, name: string): readonly number[] {
  const parts = (headers[name] ?? '').split(',').map((part) => part.trim());
  return parts.every((part) => /^\d{1,15}$/.test(part)) ? parts.map(Number) : [];
}

/** The value of a header. One that a proxy repeats arrives twice, separated by a comma. */
export function headerOf({ headers }: RecordedResponse, name: string): string | undefined {
  const text = headers[name]?.trim();
  const half = text?.slice(0, (text.length - 2) / 2) ?? '';
  return half !== '' && text === `${half}, ${half}` ? half : text;
}

/** The three forms of an HTTP date (RFC 9110, 5.6.7): 'Sun, 06 Nov 1994 08:49:37 GMT' and the two obsolete ones. */
const httpDate = /^[A-Z][a-z]{2,8},? [\w -]{6,11} \d{2}:\d{2}:\d{2} (GMT|\d{4})$/;

/** Milliseconds to wait by Retry-After (§8), seconds or date; undefined if it is missing or malformed. */
export function readRetryAfter(response: RecordedResponse, now: number): number | undefined {
  const text = headerOf(response, 'retry-after');
  if (text === undefined) return undefined;
  if (/^\d{1,9}$/.test(text)) return Number(text) * 1000;
  if (!httpDate.test(text)) return undefined;
  // The asctime form names no zone and means GMT.
  const until = Date.parse(text.endsWith('GMT') ? text : `${text} GMT`);
  // Retry-After and Date come from the same clock.
  return Number.isNaN(until) ? undefined : Math.max(0, until - dateOf(response, now));
}

/**
 * Milliseconds from a response to a time that it names (Unix milliseconds), by its Date and by our clock: a gateway may
 * replace Date, so either clock may be that of the service.
 */
export function timesUntil(time: number, response: RecordedResponse, now: number): readonly number[] {
  return [time - dateOf(response, now), time - now];
}

/** The shorter time ahead by the two clocks; where both have passed it, the shorter time since then, negative. */
export function timeUntil(time: number, response: RecordedResponse, now: number): number {
  const times = timesUntil(time, response, now);
  const ahead = times.filter((ms) => ms >= 0);
  return ahead.length > 0 ? Math.min(...ahead) : Math.max(...times);
}

/** When the target answered: its Date header, else our clock. Unix milliseconds. */
export function dateOf(response: RecordedResponse, now: number): number {
  const date = Date.parse(headerOf(response, 'date') ?? '');
  return Number.isNaN(date) ? now : date;
}
