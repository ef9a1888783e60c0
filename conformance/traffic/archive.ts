/** Reads HTTP archives (HAR 1.2) of browsers and proxies. Any part of an archive may be missing or wrong. */

import { defined } from '../../spec/defined.ts';
import { UsageError } from '../run/usage-error.ts';
import { type CapturedExchange, longestCaptured, mostExchanges, targetBelow } from './captured-exchange.ts';

/** The entries of an archive. */
export type Archive = readonly unknown[];

/** The value at a path; undefined where a part of the path is missing. */
function valueAt(value: unknown, ...path: readonly string[]): unknown {
  return path.reduce<unknown>((part, name) => (Object(part) as Readonly<Record<string, unknown>>)[name], value);
}

/** The text at a path; empty where there is none. */
function textAt(value: unknown, ...path: readonly string[]): string {
  const text = valueAt(value, ...path);
  return typeof text === 'string' ? text : '';
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
  const { text, encoding } = Object(valueAt(entry, ...path)) as Readonly<Record<string, unknown>>;
  return typeof text === 'string' ? Buffer.from(text, encoding === 'base64' ? encoding : undefined) : undefined;
}

/** The body of a response, which browsers record decoded; undefined if the archive does not hold all of it. */
function answeredBody(entry: unknown): Buffer | undefined {
  const body = recordedBody(entry, 'response', 'content');
  const size = valueAt(entry, 'response', 'content', 'size');
  const isWhole = body !== undefined && (body.length > 0 ? Number(size) <= body.length : size === 0);
  return isWhole && body.length <= longestCaptured ? body : undefined;
}

/** An entry as evidence; undefined if it went elsewhere, never reached the target, or was not recorded whole. */
function readArchiveEntry(entry: unknown, baseUrl: string): CapturedExchange | undefined {
  const method = textAt(entry, 'request', 'method');
  const target = targetBelow(baseUrl, textAt(entry, 'request', 'url'));
  // A cache or a service worker answered, or the browser cancelled the request.
  const isAborted = /ERR_ABORTED|blocked|cancel/i.test(textAt(entry, 'response', '_error'));
  const isOfWorker = valueAt(entry, 'response', '_fetchedViaServiceWorker') === true;
  const isSent = !isAborted && !isOfWorker && valueAt(entry, '_fromCache') === undefined;
  if (method === '' || target === undefined || !isSent) return undefined;
  const startedAt = Date.parse(textAt(entry, 'startedDateTime'));
  const took = Number(valueAt(entry, 'time'));
  const body = recordedBody(entry, 'request', 'postData');
  const type = textAt(entry, 'request', 'postData', 'mimeType');
  const isBodyLost = method === 'POST' && body === undefined && valueAt(entry, 'request', 'bodySize') !== 0;
  const sent = archivedHeaders(entry, 'request');
  const received = archivedHeaders(entry, 'response');
  const status = Number(valueAt(entry, 'response', 'status'));
  // Every request and every response has headers; if an archive holds none, they were not recorded.
  const areHeadersLost = [sent, ...(status > 0 ? [received] : [])].some((one) => Object.keys(one).length === 0);
  if (Number.isNaN(startedAt) || isBodyLost || areHeadersLost) return undefined;
  return defined({
    method,
    target,
    headers: { ...(type === '' ? {} : { 'content-type': type }), ...sent },
    body: body?.toString(),
    response: status > 0 ? { status, headers: received, body: answeredBody(entry) } : undefined,
    startedAt,
    endedAt: startedAt + (took > 0 ? Math.ceil(took) : 0),
  });
}

/** Parses the text of a file; throws a UsageError if it is no archive. */
export function parseArchive(text: string, file: string): Archive {
  let archive: unknown;
  try {
    archive = JSON.parse(text.replace(/^\ufeff/, ''));
  } catch {
    throw new UsageError(`${file} is no HTTP archive: it is no JSON.`);
  }
  const entries = valueAt(archive, 'log', 'entries');
  if (!Array.isArray(entries)) throw new UsageError(`${file} is no HTTP archive: it has no log with entries.`);
  return entries;
}

/** The first exchanges of archives below a base address. */
export function readArchives(archives: readonly Archive[], baseUrl: string): readonly CapturedExchange[] {
  const seen = archives.map((archive) => {
    const ofArchive = archive.flatMap((entry) => readArchiveEntry(entry, baseUrl) ?? []);
    // Browsers remove keys from an archive, and so do people before they share it.
    const showsKey = ofArchive.some(({ headers }) => headers['authorization'] !== undefined);
    return showsKey ? ofArchive : ofArchive.map((one) => ({ ...one, isCleaned: true as const }));
  });
  return seen.flat().slice(0, mostExchanges);
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
