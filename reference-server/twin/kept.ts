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

/** Reads what `writeHeads` wrote. */
function readHeads(text: string) {
  const lines = text.split('\n');
  const [method, target] = split(lines[0]!, ' ');
  const emptyLine = lines.indexOf('');
  return {
    method,
    target,
    headers: lines.slice(1, emptyLine).map((line) => split(line, ': ')),
    answerHeaders: Object.fromEntries(lines.slice(emptyLine + 1, -1).map((line) => split(line, ': '))),
  };
}

/** Gives out blocks of memory. `oldestKept` is the block of the oldest request that stays; undefined while all stay. */
function createBlocks(): (bytes: number, oldestKept: Buffer | undefined) => Buffer {
  /** Every block that holds something, the oldest first. */
  const filled: Buffer[] = [];
  return (bytes, oldestKept) => {
    // New memory costs more than the oldest block, which is free once no request in it stays.
    const isOldestFree = oldestKept !== undefined && filled[0] !== oldestKept;
    const spare = isOldestFree ? filled.shift() : undefined;
    const isLargeEnough = spare !== undefined && spare.length >= bytes;
    const taken = isLargeEnough ? spare : Buffer.allocUnsafeSlow(Math.max(blockBytes, bytes));
    filled.push(taken);
    return taken;
  };
}

/** Returns the text that was kept for a target before, where it is the same: a client that asks again often gets the same page. */
function createBodies(): (target: string, body: string) => string {
  const latest = new Map<string, string>();
  return (target, body) => {
    const before = latest.get(target);
    if (before === body) return before;
    if (latest.size >= mostTargets) latest.clear();
    latest.set(target, body);
    return body;
  };
}

/** One place for each request in every column, so that no object of a request survives it. */
function createColumns(most: number) {
  return {
    times: new Float64Array(most),
    blocks: [] as Buffer[],
    /** Where the heads begin in their block, where the body of the request follows them, and where it ends. */
    headsAt: new Uint32Array(most),
    bodyAt: new Uint32Array(most),
    endsAt: new Uint32Array(most),
    /** 0 where the connection broke. */
    statuses: new Uint16Array(most),
    answerBodies: [] as string[],
  } as const;
}

/** Reads the request at a place of the columns. */
function readPlace(columns: ReturnType<typeof createColumns>, at: number): Omit<Kept, 'number'> {
  const block = columns.blocks[at]!;
  const bodyAt = columns.bodyAt[at]!;
  const { answerHeaders, ...head } = readHeads(block.toString('utf8', columns.headsAt[at], bodyAt));
  const sent: StoreRequest = { ...head, body: block.subarray(bodyAt, columns.endsAt[at]), address: '' };
  const now = columns.times[at]!;
  const status = columns.statuses[at]!;
  if (status === 0) return { now, sent, answer: undefined };
  return { now, sent, answer: { status, headers: answerHeaders, body: columns.answerBodies[at]! } };
}

/** Keeps the latest requests, so many, with their answers. */
export function createRequestRing(most: number) {
  const columns = createColumns(most);
  const takeBlock = createBlocks();
  const bodyOnce = createBodies();
  let count = 0;
  let block: Buffer = Buffer.alloc(0);
  /** Bytes of the block. */
  let used = 0;
  return {
    /** Adds a request with its answer, undefined where the connection broke. */
    add(sent: StoreRequest, answer: StoreResponse | undefined, now: number): void {
      const heads = writeHeads(sent, answer);
      const mostBytes = heads.length * mostBytesOfUnit + sent.body.length;
      const at = count % most;
      if (used + mostBytes > block.length) {
        block = takeBlock(mostBytes, columns.blocks[(count + 1) % most]);
        used = 0;
      }
      count += 1;
      columns.times[at] = now;
      columns.blocks[at] = block;
      columns.headsAt[at] = used;
      used += block.write(heads, used);
      columns.bodyAt[at] = used;
      if (sent.body.length > 0) block.set(sent.body, used);
      used += sent.body.length;
      columns.endsAt[at] = used;
      columns.statuses[at] = answer?.status ?? 0;
      columns.answerBodies[at] = answer === undefined ? '' : bodyOnce(sent.target, answer.body);
    },
    /** How many were added so far. */
    count: (): number => count,
    /** Reads one of those that are kept, by its number. */
    read: (number: number): Kept => ({ number, ...readPlace(columns, (number - 1) % most) }),
  };
}
