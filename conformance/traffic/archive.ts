/** Reads HTTP archives (HAR 1.2) of browsers and proxies. Any part of an archive may be missing or wrong. */

import { defined } from '../../spec/defined.ts';
import { isJsonText } from '../http/json.ts';
import { UsageError } from '../run/usage-error.ts';
import {
  type BodyLoss,
  type CapturedExchange,
  type CapturedResponse,
  longestCaptured,
  mostExchanges,
  targetBelow,
} from './captured-exchange.ts';

/** The entries of an archive. */
export type Archive = readonly unknown[];

/** Why an entry is no evidence, in the words of a count. */
export const leftOutWords = {
  'no-request': 'without a method or an address',
  elsewhere: 'to other addresses',
  cancelled: 'cancelled or blocked by the browser',
  'service-worker': 'answered by a service worker',
  cache: 'answered from a cache',
  upgrade: 'upgraded to another protocol',
  'no-time': 'without a start time',
  'no-request-headers': 'without recorded request headers',
  'no-response-headers': 'without recorded response headers',
  'no-request-body': 'without the recorded body of the request',
  'too-many': `beyond the first ${mostExchanges}`,
} as const;

export type LeftOut = keyof typeof leftOutWords;

/** What archives hold for a base address. */
export interface ArchivedTraffic {
  readonly exchanges: readonly CapturedExchange[];
  /** The reason of each entry that is left out. */
  readonly leftOut: readonly LeftOut[];
}

/** The value at a path; undefined where a part of the path is missing. */
function valueAt(value: unknown, ...path: readonly string[]): unknown {
  return path.reduce<unknown>((part, name) => (Object(part) as Readonly<Record<string, unknown>>)[name], value);
}

/** The text at a path; empty where there is none. Some exporters write numbers where HAR has texts. */
function textAt(value: unknown, ...path: readonly string[]): string {
  const text = valueAt(value, ...path);
  return typeof text === 'string' || typeof text === 'number' ? String(text) : '';
}

/** The number at a path, which some exporters write as text; NaN where there is none. */
function numberAt(value: unknown, ...path: readonly string[]): number {
  return Number.parseFloat(textAt(value, ...path));
}

/** Headers without the pseudo-headers of HTTP/2, which begin with a colon. */
function archivedHeaders(entry: unknown, part: 'request' | 'response'): CapturedExchange['headers'] {
  const headers = valueAt(entry, part, 'headers');
  const byName = Map.groupBy(Array.isArray(headers) ? headers : [], (one) => textAt(one, 'name').toLowerCase());
  const named = [...byName].filter(([name]) => /^[^:]/.test(name));
  return Object.fromEntries(named.map(([name, all]) => [name, all.map((one) => textAt(one, 'value')).join(', ')]));
}

/** A body as it was recorded; undefined if the archive does not hold it. */
function recordedBody(entry: unknown, ...path: readonly string[]): Buffer | undefined {
  const text = valueAt(entry, ...path, 'text');
  if (typeof text !== 'string') return undefined;
  const isBase64 = valueAt(entry, ...path, 'encoding') === 'base64';
  return Buffer.from(text, isBase64 ? 'base64' : 'utf8');
}

/**
 * Whether a text that is shorter than `content.size` is whole all the same. Browsers write the size of the decoded body;
 * some proxies write that of the compressed one, which is larger for a short body.
 */
function isWholeAnyway(entry: unknown, headers: CapturedExchange['headers'], body: Buffer): boolean {
  if (isJsonText(body.toString())) return true;
  const isCompressed = headers['content-encoding'] !== undefined;
  return isCompressed && numberAt(entry, 'response', 'content', 'size') === numberAt(entry, 'response', 'bodySize');
}

/** The body of a response, which archives hold decoded. */
function answeredBody(entry: unknown, headers: CapturedExchange['headers']): Buffer | BodyLoss {
  const body = recordedBody(entry, 'response', 'content');
  const size = numberAt(entry, 'response', 'content', 'size');
  if (body === undefined) return 'not-recorded';
  if (body.length > longestCaptured) return 'too-long';
  if (body.length === 0) return size === 0 ? body : 'not-recorded';
  if (size > body.length && !isWholeAnyway(entry, headers, body)) return 'cut';
  return body;
}

/** The response of an entry; undefined where none came. */
function archivedResponse(entry: unknown): CapturedResponse | undefined {
  const status = numberAt(entry, 'response', 'status');
  if (!(status > 0)) return undefined;
  const headers = archivedHeaders(entry, 'response');
  return { status, headers, body: answeredBody(entry, headers) };
}

/** Why the answer of an entry is none of the service; undefined if it is one. */
function whyNotOfService(entry: unknown): LeftOut | undefined {
  const fetchType = textAt(entry, '_fetchType');
  if (/ERR_ABORTED|blocked|cancel/i.test(textAt(entry, 'response', '_error'))) return 'cancelled';
  const isOfWorker = valueAt(entry, 'response', '_fetchedViaServiceWorker') === true;
  if (isOfWorker || /worker/i.test(fetchType)) return 'service-worker';
  if (valueAt(entry, '_fromCache') !== undefined || /cache/i.test(fetchType)) return 'cache';
  const status = numberAt(entry, 'response', 'status');
  return status >= 100 && status < 200 ? 'upgrade' : undefined;
}

/** Which part of an exchange was not recorded, without which it cannot be judged; undefined if it is whole. */
function missingPart(
  { method, headers, body, response, startedAt }: CapturedExchange,
  entry: unknown,
): LeftOut | undefined {
  if (Number.isNaN(startedAt)) return 'no-time';
  // Every request and every response has headers; if an archive holds none, they were not recorded.
  if (Object.keys(headers).length === 0) return 'no-request-headers';
  if (response !== undefined && Object.keys(response.headers).length === 0) return 'no-response-headers';
  const hasBody = method === 'POST' && numberAt(entry, 'request', 'bodySize') !== 0;
  return hasBody && body === undefined ? 'no-request-body' : undefined;
}

/** An entry as evidence, or why it is none. */
function readArchiveEntry(entry: unknown, baseUrl: string): CapturedExchange | LeftOut {
  const method = textAt(entry, 'request', 'method');
  const address = textAt(entry, 'request', 'url');
  if (method === '' || address === '') return 'no-request';
  const target = targetBelow(baseUrl, address);
  if (target === undefined) return 'elsewhere';
  const whyNot = whyNotOfService(entry);
  if (whyNot !== undefined) return whyNot;
  const startedAt = Date.parse(textAt(entry, 'startedDateTime'));
  const took = numberAt(entry, 'time');
  const exchange: CapturedExchange = defined({
    method,
    target,
    headers: archivedHeaders(entry, 'request'),
    body: recordedBody(entry, 'request', 'postData')?.toString(),
    response: archivedResponse(entry),
    startedAt,
    endedAt: startedAt + (took > 0 ? Math.ceil(took) : 0),
  });
  return missingPart(exchange, entry) ?? withMediaType(exchange, textAt(entry, 'request', 'postData', 'mimeType'));
}

/** The exchange with the media type of its body, which some exporters write beside the body alone. */
function withMediaType(exchange: CapturedExchange, type: string): CapturedExchange {
  return type === '' ? exchange : { ...exchange, headers: { 'content-type': type, ...exchange.headers } };
}

/** Parses the text of a file; throws a UsageError if it is no archive. */
export function parseArchive(text: string, file: string): Archive {
  let archive: unknown;
  try {
    archive = JSON.parse(text);
  } catch {
    throw new UsageError(`${file} is no HTTP archive: it is no JSON.`);
  }
  const entries = valueAt(archive, 'log', 'entries');
  if (!Array.isArray(entries)) throw new UsageError(`${file} is no HTTP archive: it has no log with entries.`);
  return entries;
}

function isExchange(read: CapturedExchange | LeftOut): read is CapturedExchange {
  return typeof read === 'object';
}

/** The entries of one archive. Browsers remove keys from it, and so do people before they share it. */
function readEntries(archive: Archive, baseUrl: string): readonly (CapturedExchange | LeftOut)[] {
  const entries = archive.map((entry) => readArchiveEntry(entry, baseUrl));
  const showsKey = entries.some((one) => isExchange(one) && one.headers['authorization'] !== undefined);
  if (showsKey) return entries;
  return entries.map((one) => (isExchange(one) ? { ...one, isCleaned: true } : one));
}

/** The first exchanges of archives below a base address, and why the other entries are left out. */
export function readArchives(archives: readonly Archive[], baseUrl: string): ArchivedTraffic {
  const read = archives.flatMap((archive) => readEntries(archive, baseUrl));
  const exchanges = read.filter(isExchange);
  const leftOut = read.filter((one) => typeof one === 'string');
  const tooMany = exchanges.slice(mostExchanges).map(() => 'too-many' as const);
  return { exchanges: exchanges.slice(0, mostExchanges), leftOut: [...leftOut, ...tooMany] };
}

/** The base address of archives, if the user names none: the part before /pets, if all addresses agree. */
export function findBaseUrl(archives: readonly Archive[]): string {
  const addresses = archives.flat().flatMap((entry) => {
    const { origin = 'null', pathname = '' } = URL.parse(textAt(entry, 'request', 'url')) ?? {};
    const before = /(.*?)\/pets(?:\/|$)/.exec(pathname)?.[1];
    return before === undefined || origin === 'null' ? [] : [origin + before];
  });
  const found = [...new Set(addresses)];
  if (found.length === 1) return found[0]!;
  const what = found.length === 0 ? 'no address that ends in /pets' : `several: ${found.slice(0, 5).join(', ')}`;
  throw new UsageError(`Name the base address with --base-url, like https://host/v1: the archives hold ${what}.`);
}
