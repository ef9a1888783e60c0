/**
 * Keeps requests with their answers as they came, so that they cost little until somebody reads them. Requests and headers stand
 * in blocks of memory that the garbage collector neither copies nor searches.
 */

import type { StoreRequest, StoreResponse } from '../index.ts';

const blockBytes = 2 ** 20;
/** A UTF-16 unit takes no more bytes in UTF-8. */
const mostBytesOfUnit = 3;

const mostTargets = 1_000;

/** A request and its answer: the heads of both, then the body of the request stand in a block. */
export interface Kept {
  /** Counts from 1. */
  readonly number: number;
  /** When it came, in Unix milliseconds. */
  readonly now: number;
  readonly block: Buffer;
  readonly heads: number;
  readonly sentBody: number;
  readonly end: number;
  /** Undefined where the connection broke. */
  readonly status: number | undefined;
  readonly body: string;
}

/** The request line, the headers of the request, an empty line, and the headers of the answer. */
function writeHeads({ method, target, headers }: StoreRequest, answer: StoreResponse | undefined): string {
  let text = `${method} ${target}\n`;
  for (const [name, value] of headers) text += `${name}: ${value}\n`;
  text += '\n';
  for (const name in answer?.headers) text += `${name}: ${answer.headers[name]}\n`;
  return text;
}

function readHeaders(lines: readonly string[]): (readonly [name: string, value: string])[] {
  return lines.map((line) => {
    const nameEnd = line.indexOf(': ');
    return [line.slice(0, nameEnd), line.slice(nameEnd + 2)];
  });
}

/** Keeps the latest requests, so many, with their answers. */
export function createRequestRing(most: number) {
  const ring: Kept[] = [];
  let count = 0;
  let block = Buffer.alloc(0);
  let used = 0;
  const latestBodies = new Map<string, string>();

  /** The body, or the same text as it was kept before: a client that asks again often gets the same page. */
  function bodyOnce(target: string, body: string): string {
    const before = latestBodies.get(target);
    if (before === body) return before;
    if (latestBodies.size >= mostTargets) latestBodies.clear();
    latestBodies.set(target, body);
    return body;
  }

  return {
    /** Adds a request with its answer, undefined where the connection broke. */
    add(sent: StoreRequest, answer: StoreResponse | undefined, now: number): void {
      const text = writeHeads(sent, answer);
      const mostBytes = text.length * mostBytesOfUnit + sent.body.length;
      if (used + mostBytes > block.length) {
        block = Buffer.allocUnsafeSlow(Math.max(blockBytes, mostBytes));
        used = 0;
      }
      const heads = used;
      const sentBody = heads + block.write(text, heads);
      if (sent.body.length > 0) block.set(sent.body, sentBody);
      used = sentBody + sent.body.length;
      const body = answer === undefined ? '' : bodyOnce(sent.target, answer.body);
      const at = count % most;
      count += 1;
      ring[at] = { number: count, now, block, heads, sentBody, end: used, status: answer?.status, body };
    },
    latest: (): Kept => ring[(count - 1) % most]!,
    /** Those that are kept, the oldest first. */
    all(): readonly Kept[] {
      const oldest = count % most;
      return [...ring.slice(oldest), ...ring.slice(0, oldest)];
    },
  };
}

/** Reads what was kept: all that the journal shows. */
export function readKept({ block, heads, sentBody, end, status, body }: Kept) {
  const lines = block.toString('utf8', heads, sentBody).split('\n');
  const [requestLine = ''] = lines;
  const emptyLine = lines.indexOf('');
  const methodEnd = requestLine.indexOf(' ');
  const sent: StoreRequest = {
    method: requestLine.slice(0, methodEnd),
    target: requestLine.slice(methodEnd + 1),
    headers: readHeaders(lines.slice(1, emptyLine)),
    body: block.subarray(sentBody, end),
    address: '',
  };
  if (status === undefined) return { sent, answer: undefined };
  const headers = Object.fromEntries(readHeaders(lines.slice(emptyLine + 1, -1)));
  return { sent, answer: { status, headers, body } };
}
