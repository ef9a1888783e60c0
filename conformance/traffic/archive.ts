/** Reads HTTP archives (HAR 1.2) of browsers and proxies. Any part of an archive may be missing or wrong. */

import { defined } from '../../spec/defined.ts';
import { UsageError } from '../run/usage-error.ts';
import {
  type CapturedExchange,
  decodeBody,
  type Headers,
  joinHeaders,
  longestBody,
  mostExchanges,
  targetBelow,
} from './captured-exchange.ts';

type Fields = Readonly<Record<string, unknown>>;

/** Why an entry is no evidence. */
export type LeftOut = 'elsewhere' | 'not sent' | 'not recorded whole';

/** The entries of an archive. */
export type Archive = readonly unknown[];

function fieldsOf(value: unknown): Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : {};
}

function objectsOf(value: unknown): readonly Fields[] {
  return Array.isArray(value) ? value.map(fieldsOf) : [];
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/** Headers without the pseudo-headers of HTTP/2, which begin with a colon. */
function headersOf(value: unknown): Headers {
  const pairs = objectsOf(value).map(({ name, value: text }) => [textOf(name), text] as const);
  return joinHeaders(
    pairs.flatMap(([name, text]) => (/^[^:]/.test(name) && typeof text === 'string' ? [[name, text] as const] : [])),
  );
}

function sentHeaders({ postData, headers }: Fields): Headers {
  const type = textOf(fieldsOf(postData)['mimeType']);
  return { ...(type === '' ? {} : { 'content-type': type }), ...headersOf(headers) };
}

/** The body of a request; `lost` if there was one that the archive does not hold. */
function bodyOf({ postData, bodySize, method }: Fields): { readonly body?: string } | 'lost' {
  const { text, encoding } = fieldsOf(postData);
  if (typeof text === 'string') {
    return { body: encoding === 'base64' ? Buffer.from(text, 'base64').toString() : text };
  }
  return method === 'POST' && (postData !== undefined || bodySize !== 0) ? 'lost' : {};
}

/** A byte order mark counts in the size of a body, and may be missing from its text. */
const bytesOfMark = 3;

/** The body of a response; undefined if the archive does not hold all of it. */
function bytesOf(content: Fields, headers: Headers): Pick<NonNullable<CapturedExchange['response']>, 'body' | 'isCut'> {
  const { text, encoding, size } = content;
  if (typeof text !== 'string' || (text === '' && size !== 0)) return { body: undefined };
  const recorded = Buffer.from(text, encoding === 'base64' ? 'base64' : 'utf8');
  const { 'content-encoding': coding, 'content-length': sent } = headers;
  // Some tools that cut a body give the size of what is left.
  const length = Math.max(Number(size) || 0, coding === undefined ? Number(sent) || 0 : 0);
  if (length > recorded.length + bytesOfMark) return { body: undefined };
  // Some tools record a body as it travelled. Most record it decoded, and then it cannot be decoded again.
  const bytes = decodeBody(recorded, coding) ?? recorded;
  return bytes.length <= longestBody ? { body: bytes } : { body: bytes.subarray(0, longestBody), isCut: true };
}

function readEntry(value: unknown, baseUrl: string): CapturedExchange | LeftOut {
  const entry = fieldsOf(value);
  const [request, response] = [fieldsOf(entry['request']), fieldsOf(entry['response'])];
  const target = targetBelow(baseUrl, textOf(request['url']));
  if (typeof request['method'] !== 'string' || target === undefined) return 'elsewhere';
  // A cache or a service worker answered, or the browser cancelled the request.
  const isAnsweredByBrowser = entry['_fromCache'] !== undefined || response['_fetchedViaServiceWorker'] === true;
  if (isAnsweredByBrowser || /ERR_ABORTED|blocked|cancel/i.test(textOf(response['_error']))) return 'not sent';
  const startedAt = Date.parse(textOf(entry['startedDateTime']));
  const sent = bodyOf(request);
  const { status } = response;
  const headers = headersOf(response['headers']);
  const isAnswered = typeof status === 'number' && status > 0;
  // Every request and every response has headers; if an archive holds none, they were not recorded.
  const isWhole = objectsOf(request['headers']).length > 0 && (!isAnswered || Object.keys(headers).length > 0);
  if (Number.isNaN(startedAt) || sent === 'lost' || !isWhole) return 'not recorded whole';
  const { time } = entry;
  return defined({
    method: request['method'],
    target,
    headers: sentHeaders(request),
    ...sent,
    response: isAnswered ? { status, headers, ...bytesOf(fieldsOf(response['content']), headers) } : undefined,
    startedAt,
    endedAt: startedAt + (typeof time === 'number' && time > 0 ? Math.ceil(time) : 0),
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
  const entries = fieldsOf(fieldsOf(archive)['log'])['entries'];
  if (!Array.isArray(entries)) throw new UsageError(`${file} is no HTTP archive: it has no log with entries.`);
  return entries;
}

/** The exchanges of archives below a base address; throws a UsageError if there are too many. */
export function readArchives(archives: readonly Archive[], baseUrl: string) {
  const read = archives.flatMap((archive) => {
    const entries = archive.map((entry) => readEntry(entry, baseUrl));
    // Browsers remove keys from an archive, and so do people before they share it.
    const showsKey = entries.some((one) => typeof one !== 'string' && one.headers['authorization'] !== undefined);
    return showsKey
      ? entries
      : entries.map((one) => (typeof one === 'string' ? one : { ...one, isCleaned: true as const }));
  });
  const seen = read.filter((entry) => typeof entry !== 'string');
  const leftOut = Map.groupBy(
    read.filter((entry) => typeof entry === 'string'),
    (why) => why,
  );
  if (seen.length <= mostExchanges) return { seen, leftOut };
  throw new UsageError(
    `The archives hold ${seen.length} exchanges; no more than ${mostExchanges} are judged at a time.`,
  );
}

/** The base address of archives, if the user names none: the part before /pets, if all addresses agree. */
export function findBaseUrl(archives: readonly Archive[]): string {
  const addresses = archives.flat().flatMap((entry) => {
    const { origin = 'null', pathname = '' } = URL.parse(textOf(fieldsOf(fieldsOf(entry)['request'])['url'])) ?? {};
    const before = /^(.*?)\/pets(?:\/|$)/.exec(pathname)?.[1];
    return before === undefined || origin === 'null' ? [] : [origin + before];
  });
  const found = [...new Set(addresses)];
  if (found.length === 1) return found[0]!;
  const what = found.length === 0 ? 'no address that ends in /pets' : `several: ${found.slice(0, 5).join(', ')}`;
  throw new UsageError(`Name the base address with --base-url, like https://host/v1: the archives hold ${what}.`);
}
