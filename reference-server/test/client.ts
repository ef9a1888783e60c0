/** A client for tests: sends one request to a store, in process or over a socket. */

import { connect } from 'node:net';
import * as assert from 'uvu/assert';
import { parseFields, readInt64 } from '../answer.ts';
import type { Handle, StoreResponse } from '../index.ts';
import { createTwin, type TwinOptions } from '../twin/gaps.ts';

export const key = 'test-key-of-business';
/** Noon of a day before the removal of getPet, at the start of a minute; Unix milliseconds. */
export const noon = Date.UTC(2026, 10, 21, 12);

export interface Question {
  readonly method?: string;
  readonly target?: string;
  /** Undefined sends the test key; null sends no key. */
  readonly authorization?: string | null;
  readonly headers?: readonly (readonly [string, string])[];
  readonly body?: string | Uint8Array;
  readonly mediaType?: string | null;
  readonly address?: string;
}

function readHeaders(question: Question): (readonly [string, string])[] {
  const { authorization = `Bearer ${key}`, mediaType = 'application/json', body } = question;
  const headers = [...(question.headers ?? [])];
  if (authorization !== null) headers.push(['Authorization', authorization]);
  if (mediaType !== null && body !== undefined) headers.push(['Content-Type', mediaType]);
  return headers;
}

const methodOf = ({ method, body }: Question): string => method ?? (body === undefined ? 'GET' : 'POST');

/** Sends a request to a handle at a time in Unix milliseconds. */
export function askHandle(handle: Handle, question: Question, now: number = noon): StoreResponse {
  const { target = '/v1/pets', body = '', address = '192.0.2.1' } = question;
  const bytes = typeof body === 'string' ? new TextEncoder().encode(body) : body;
  return handle({ method: methodOf(question), target, headers: readHeaders(question), body: bytes, address }, now);
}

/** Sends a request over a socket; the answer has header names in lower case. */
export async function askUrl(url: string, question: Question): Promise<StoreResponse> {
  const { target = '/v1/pets', body = null } = question;
  const answer = await fetch(url.replace(/^(\w+:\/\/[^/]+).*$/, `$1${target}`), {
    method: methodOf(question),
    headers: readHeaders(question) as [string, string][],
    body: body && Buffer.from(body),
  });
  return { status: answer.status, headers: Object.fromEntries(answer.headers), body: await answer.text() };
}

/** Sends raw bytes, and closes its half if it `ends`; resolves with everything that the server sends until it closes. */
export async function sendRaw(
  url: string,
  text: string,
  { whenReset = () => undefined, ends = false }: { whenReset?: () => unknown; ends?: boolean } = {},
): Promise<string> {
  const { hostname: host, port } = new URL(url);
  const socket = connect({ port: Number(port), host, allowHalfOpen: true }).setEncoding('utf8');
  let received = '';
  socket.on('data', (chunk) => {
    received += chunk;
  });
  socket.on('error', whenReset).on('end', () => socket.destroy());
  socket.write(text, 'latin1');
  if (ends) socket.end();
  await new Promise((resolve) => socket.once('close', resolve));
  return received;
}

/** Parses the bytes of exactly one answer; throws for any other bytes, or without the headers of every answer. */
export function readRaw(text: string): StoreResponse {
  const [, status = '', head = '', body = ''] =
    /^HTTP\/1\.1 (\d{3}) [ -~]+\r\n([\s\S]*?)\r\n\r\n([\s\S]*)$/.exec(text) ?? [];
  const headers = Object.fromEntries(head.split('\r\n').map((line) => line.split(': ', 2) as [string, string]));
  const response = { status: Number(status), headers, body };
  assert.is(Buffer.byteLength(body), Number(headers['Content-Length']), text.slice(0, 200));
  for (const name of ['Limit', 'Remaining', 'Reset']) assert.match(headers[`X-RateLimit-${name}`] ?? '', /^\d+$/);
  assert.is(headers['Date'], new Date(noon).toUTCString());
  return response;
}

/** Opens a store with the test key; returns a function that sends it requests in process. */
export function open(options: TwinOptions = {}): (question?: Question, now?: number) => StoreResponse {
  const { handle } = createTwin({ keys: [{ key, plan: 'business' }], ...options });
  return (question = {}, now = noon) => askHandle(handle, question, now);
}

/** A body of createPet. */
export const write = (fields: Record<string, unknown> = {}): string =>
  JSON.stringify({ name: 'Rex', categoryId: 1, ...fields });

/** The fields of a JSON body; integers are bigints. */
export function readFields({ body }: StoreResponse): Record<string, unknown> {
  const fields = Object.entries(parseFields(new TextEncoder().encode(body)));
  return Object.fromEntries(fields.map(([name, value]) => [name, readInt64(value) ?? value]));
}

export const readHeader = ({ headers }: StoreResponse, name: string): string | undefined =>
  Object.entries(headers).find(([sent]) => sent.toLowerCase() === name.toLowerCase())?.[1];

export function readRate(response: StoreResponse): readonly [limit: number, remaining: number, reset: number] {
  const read = (name: string): number => Number(readHeader(response, `X-RateLimit-${name}`));
  return [read('Limit'), read('Remaining'), read('Reset')];
}
