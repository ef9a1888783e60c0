/** Reads HTTP archives (HAR 1.2) of browsers, proxies and this kit. Any part of an archive may be missing or wrong. */

import { defined } from '../../spec/defined.ts';
import { UsageError } from '../run/usage-error.ts';
import {
  type CapturedExchange,
  decodeBody,
  type Headers,
  joinHeaders,
  targetBelow,
} from '../traffic/captured-exchange.ts';
import { readText } from './files.ts';

const largestArchive = 256 * 1024 * 1024;
const mostEntries = 100_000;
/** Only the start of a longer body is read, as in a run. Bytes. */
const longestBody = 2 * 1024 * 1024;

type Fields = Readonly<Record<string, unknown>>;

function fieldsOf(value: unknown): Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : {};
}

function objectsOf(value: unknown): readonly Fields[] {
  return Array.isArray(value) ? value.map(fieldsOf) : [];
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

/** Headers without the pseudo-headers of HTTP/2, which begin with a colon. */
function headersOf(value: unknown): Headers {
  const pairs = objectsOf(value).map((pair) => [textOf(pair['name']), textOf(pair['value'])] as const);
  return joinHeaders(
    pairs.flatMap(([name, text]) =>
      name === undefined || text === undefined || name.startsWith(':') ? [] : [[name, text] as const],
    ),
  );
}

export type LeftOut = 'elsewhere' | 'not sent' | 'not recorded whole';

/** The body of a request; `lost` if there was one that the archive does not hold. */
function bodyOf(request: Fields): { readonly body?: string } | 'lost' {
  const { postData, bodySize, method } = request;
  const { text, encoding } = fieldsOf(postData);
  if (typeof text === 'string') {
    return { body: encoding === 'base64' ? Buffer.from(text, 'base64').toString() : text };
  }
  const mayHaveBody = postData !== undefined || bodySize !== 0;
  return mayHaveBody && method === 'POST' ? 'lost' : {};
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

/** Whether a response did not come over the network, or the browser cancelled the request. */
function isNotSent(entry: Fields, response: Fields): boolean {
  const isAnsweredByBrowser = entry['_fromCache'] !== undefined || response['_fetchedViaServiceWorker'] === true;
  return isAnsweredByBrowser || /ERR_ABORTED|blocked|cancel/i.test(textOf(response['_error']) ?? '');
}

function readEntry(value: unknown, baseUrl: string): CapturedExchange | LeftOut {
  const entry = fieldsOf(value);
  const [request, response] = [fieldsOf(entry['request']), fieldsOf(entry['response'])];
  const method = textOf(request['method']);
  const target = targetBelow(baseUrl, textOf(request['url']) ?? '');
  if (method === undefined || target === undefined) return 'elsewhere';
  if (isNotSent(entry, response)) return 'not sent';
  const startedAt = Date.parse(textOf(entry['startedDateTime']) ?? '');
  const { time, _credentialId: credentialId } = entry;
  const sent = bodyOf(request);
  const { status } = response;
  const headers = headersOf(response['headers']);
  const isAnswered = typeof status === 'number' && status > 0;
  // Every request and every response has headers; if an archive holds none, they were not recorded.
  const hasRequestHeaders = credentialId !== undefined || objectsOf(request['headers']).length > 0;
  const isWhole = hasRequestHeaders && (!isAnswered || Object.keys(headers).length > 0);
  if (Number.isNaN(startedAt) || sent === 'lost' || !isWhole) return 'not recorded whole';
  return defined({
    method,
    target,
    headers: { ...mediaTypeOf(request), ...headersOf(request['headers']) },
    ...sent,
    response: isAnswered ? { status, headers, ...bytesOf(fieldsOf(response['content']), headers) } : undefined,
    credentialId: textOf(credentialId),
    startedAt,
    endedAt: startedAt + (typeof time === 'number' && time > 0 ? Math.ceil(time) : 0),
  });
}

function mediaTypeOf({ postData }: Fields): Headers {
  const mimeType = textOf(fieldsOf(postData)['mimeType']);
  return mimeType === undefined || mimeType === '' ? {} : { 'content-type': mimeType };
}

async function entriesOf(file: string): Promise<readonly unknown[]> {
  const text = await readText(file, { what: 'The archive', largest: largestArchive });
  let archive: unknown;
  try {
    archive = JSON.parse(text.replace(/^\ufeff/, ''));
  } catch {
    throw new UsageError(`${file} is no HTTP archive: it is no JSON.`);
  }
  const entries = fieldsOf(fieldsOf(archive)['log'])['entries'];
  if (!Array.isArray(entries)) throw new UsageError(`${file} is no HTTP archive: it has no log with entries.`);
  if (entries.length <= mostEntries) return entries;
  throw new UsageError(`${file} has ${entries.length} entries; no more than ${mostEntries} are judged at a time.`);
}

/** The entries of a file; browsers remove keys from an archive, and so do people before they share it. */
async function readFile(file: string, baseUrl: string): Promise<readonly (CapturedExchange | LeftOut)[]> {
  const read = (await entriesOf(file)).map((entry) => readEntry(entry, baseUrl));
  const showsKey = read.some(
    (one) => typeof one !== 'string' && (one.credentialId ?? one.headers['authorization']) !== undefined,
  );
  return showsKey ? read : read.map((one) => (typeof one === 'string' ? one : { ...one, isCleaned: true }));
}

/** The exchanges of archives below a base address, in the order of time; rejects with a UsageError if a file is no archive. */
export async function readArchives(files: readonly string[], baseUrl: string) {
  const entries = (await Promise.all(files.map((file) => readFile(file, baseUrl)))).flat();
  const leftOut = new Map<LeftOut, number>();
  for (const entry of entries) if (typeof entry === 'string') leftOut.set(entry, (leftOut.get(entry) ?? 0) + 1);
  const seen = entries.filter((entry) => typeof entry !== 'string');
  return { seen: seen.sort((one, other) => one.startedAt - other.startedAt), leftOut };
}

/** The base address of archives, if the user names none: the part before /pets, if all addresses agree. */
export async function findBaseUrl(files: readonly string[]): Promise<string> {
  const addresses = (await Promise.all(files.map(entriesOf))).flat().flatMap((entry) => {
    const address = textOf(fieldsOf(fieldsOf(entry)['request'])['url']) ?? '';
    const { origin, pathname } = URL.canParse(address) ? new URL(address) : { origin: '', pathname: '' };
    const before = /^(.*?)\/pets(?:\/|$)/.exec(pathname)?.[1];
    return before === undefined || origin === 'null' ? [] : [origin + before];
  });
  const found = [...new Set(addresses)];
  if (found.length === 1) return found[0]!;
  const what = found.length === 0 ? 'no address that ends in /pets' : `several: ${found.slice(0, 5).join(', ')}`;
  throw new UsageError(`Name the base address with --base-url, like https://host/v1: the archives hold ${what}.`);
}
