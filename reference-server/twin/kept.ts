/**
 * Keeps requests with their answers as they came, so that they cost little until somebody reads them: all but the bodies of
 * answers stand as bytes in blocks of memory that the garbage collector neither copies nor searches.
 */

import type { StoreRequest, StoreResponse } from '../index.ts';

const blockBytes = 2 ** 20;
/** A UTF-16 unit takes no more bytes in UTF-8. */
const mostBytesOfUnit = 3;

const mostTargets = 1_000;

/** A request and its answer, as they came. */
export interface Kept {
  /** Counts from 1. */
  readonly number: number;
  /** When it came, in Unix milliseconds. */
  readonly now: number;
  readonly sent: StoreRequest;
  /** Undefined where the connection broke. */
  readonly answer: StoreResponse | undefined;
}

/** The request line, the headers of the request, an empty line, and the headers of the answer. */
function writeHeads({ method, target, headers }: StoreRequest, answer: StoreResponse | undefined): string {
  let text = `${method} ${target}\n`;
  for (const [name, value] of headers) text += `${name}: ${value}\n`;
  text += '\n';
  for (const name in answer?.headers) text += `${name}: ${answer.headers[name]}\n`;
  return text;
}

/** What two texts with a separator between them were. */
function split(text: string, separator: string): readonly [string, string] {
  const at = text.indexOf(separator);
  return [text.slice(0, at), text.slice(at + separator.length)];
}

/** Keeps the latest requests, so many, with their answers. */
export function createRequestRing(most: number) {
  // Of each request: when it came, where its heads begin in a block, where its body follows them, and where that ends.
  const times = new Float64Array(most);
  const blocks: Buffer[] = [];
  const headsAt = new Uint32Array(most);
  const bodyAt = new Uint32Array(most);
  const endsAt = new Uint32Array(most);
  /** 0 where the connection broke. */
  const statuses = new Uint16Array(most);
  const answerBodies: string[] = [];
  /** Every block that holds something, the oldest first. */
  const filled: Buffer[] = [];
  const latestBodies = new Map<string, string>();
  let count = 0;
  let block: Buffer = Buffer.alloc(0);
  let used = 0;

  /** A block of at least so many bytes: the oldest, where nothing in it will be kept, since new memory costs more; or another. */
  function takeBlock(bytes: number): Buffer {
    const oldestKept = blocks[(count + 1) % most];
    const isOldestFree = count >= most && filled[0] !== oldestKept;
    const spare = isOldestFree ? filled.shift() : undefined;
    const taken =
      spare !== undefined && spare.length >= bytes ? spare : Buffer.allocUnsafeSlow(Math.max(blockBytes, bytes));
    filled.push(taken);
    return taken;
  }

  /** The body, or the same text as it was kept before: a client that asks again often gets the same page. */
  function bodyOnce(target: string, body: string): string {
    const before = latestBodies.get(target);
    if (before === body) return before;
    if (latestBodies.size >= mostTargets) latestBodies.clear();
    latestBodies.set(target, body);
    return body;
  }

  /** Reads one of those that are kept, by its number. */
  function read(number: number): Kept {
    const at = (number - 1) % most;
    const kept = blocks[at]!;
    const lines = kept.toString('utf8', headsAt[at], bodyAt[at]).split('\n');
    const [method, target] = split(lines[0]!, ' ');
    const emptyLine = lines.indexOf('');
    const headers = lines.slice(1, emptyLine).map((line) => split(line, ': '));
    const body = kept.subarray(bodyAt[at], endsAt[at]);
    const sent: StoreRequest = { method, target, headers, body, address: '' };
    const now = times[at]!;
    const status = statuses[at]!;
    if (status === 0) return { number, now, sent, answer: undefined };
    const answer: StoreResponse = {
      status,
      headers: Object.fromEntries(lines.slice(emptyLine + 1, -1).map((line) => split(line, ': '))),
      body: answerBodies[at]!,
    };
    return { number, now, sent, answer };
  }

  return {
    /** Adds a request with its answer, undefined where the connection broke. */
    add(sent: StoreRequest, answer: StoreResponse | undefined, now: number): void {
      const heads = writeHeads(sent, answer);
      const mostBytes = heads.length * mostBytesOfUnit + sent.body.length;
      const at = count % most;
      if (used + mostBytes > block.length) {
        block = takeBlock(mostBytes);
        used = 0;
      }
      count += 1;
      times[at] = now;
      blocks[at] = block;
      headsAt[at] = used;
      used += block.write(heads, used);
      bodyAt[at] = used;
      if (sent.body.length > 0) block.set(sent.body, used);
      used += sent.body.length;
      endsAt[at] = used;
      statuses[at] = answer?.status ?? 0;
      answerBodies[at] = answer === undefined ? '' : bodyOnce(sent.target, answer.body);
    },
    /** How many were added so far. */
    count: (): number => count,
    read,
  };
}
