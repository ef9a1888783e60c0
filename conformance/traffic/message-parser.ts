/** Parses a stream of HTTP/1 messages (RFC 9112) as it passes. It judges nothing: what it cannot read passes unread. */

export interface Head {
  readonly startLine: string;
  readonly headers: readonly (readonly [name: string, value: string])[];
}

/** How the end of a message body is found; `opaque`: what follows is not HTTP. */
export type Framing =
  | { readonly kind: 'length'; readonly length: number }
  | { readonly kind: 'chunked' | 'until-close' | 'opaque' };

export interface MessageHandler {
  /** The head of a message, with its bytes; tells how its body is framed, or 'malformed'. */
  readonly onHead: (head: Head, bytes: Buffer) => Framing | 'malformed';
  /** A part of the message body without the framing of chunks. */
  readonly onBody: (bytes: Buffer) => void;
  readonly onEnd: () => void;
  /** The stream is not HTTP from here on; nothing more is parsed. */
  readonly onMalformed: (why: string) => void;
  /** All bytes that are not part of a head, in their order with heads. */
  readonly onBytes: (bytes: Buffer) => void;
}

/** A longer head is not read, bytes. */
const longestHead = 65_536;
/** The line that begins a chunk may have extensions. */
const longestLine = 4_096;

/** The framing that the headers of a message announce; undefined if it is ambiguous. */
export function announcedFraming({ headers }: Head, otherwise: Framing): Framing | undefined {
  const valuesOf = (wanted: string): readonly string[] =>
    headers
      .flatMap(([name, value]) => (name.toLowerCase() === wanted ? value.split(',') : []))
      .map((one) => one.trim());
  const codings = valuesOf('transfer-encoding');
  if (codings.length > 0) return /^chunked$/i.test(codings.at(-1)!) ? { kind: 'chunked' } : otherwise;
  const [length, ...others] = valuesOf('content-length');
  if (length === undefined) return otherwise;
  const isUsable = /^\d{1,15}$/.test(length) && others.every((other) => other === length);
  return isUsable ? { kind: 'length', length: Number(length) } : undefined;
}

function readHead(bytes: Buffer): Head | undefined {
  const [startLine = '', ...lines] = bytes
    .toString('latin1')
    .replace(/\r?\n[ \t]+/g, ' ')
    .split(/\r?\n/)
    .filter((line) => line !== '');
  const headers = lines.map((line) => /^([^\s:]+)[ \t]*:[ \t]*(.*?)[ \t]*$/s.exec(line));
  if (startLine === '' || headers.includes(null)) return undefined;
  return { startLine, headers: headers.map((match) => [match![1]!, match![2]!] as const) };
}

const [carriageReturn, lineFeed] = [0x0d, 0x0a];

export function createMessageParser(handler: MessageHandler) {
  let state: 'head' | 'length' | 'until-close' | 'chunk-line' | 'chunk' | 'chunk-end' | 'trailer' | 'opaque' = 'head';
  /** A head that is not complete yet, and is held back until then. */
  let partial: Buffer = Buffer.alloc(0);
  /** A line of the chunked framing that is not complete yet; its bytes have been passed on. */
  let line = '';
  let bytesLeft = 0;

  /** Parses nothing more: passes on what it holds back, and all that follows. */
  function stop(): void {
    state = 'opaque';
    if (partial.length > 0) handler.onBytes(partial);
    partial = Buffer.alloc(0);
  }

  function giveUp(why: string, rest: Buffer): void {
    state = 'opaque';
    handler.onMalformed(why);
    stop();
    handler.onBytes(rest);
  }

  function end(): void {
    state = 'head';
    handler.onEnd();
  }

  function begin(framing: Framing): void {
    if (framing.kind === 'length') {
      bytesLeft = framing.length;
      state = 'length';
      if (bytesLeft === 0) end();
    } else state = framing.kind === 'chunked' ? 'chunk-line' : framing.kind;
  }

  /** Takes a head off the stream; returns what follows it, undefined while it is not complete. */
  function takeHead(bytes: Buffer): Buffer | undefined {
    const before = partial.length;
    const all = before === 0 ? bytes : Buffer.concat([partial, bytes]);
    let start = 0;
    while (all[start] === carriageReturn || all[start] === lineFeed) start += 1;
    const ends = ['\r\n\r\n', '\n\n'].flatMap((mark) => {
      const at = all.indexOf(mark, Math.max(start, before - mark.length));
      return at === -1 ? [] : [at + mark.length];
    });
    const at = ends.length === 0 ? all.length : Math.min(...ends);
    if (at > longestHead) giveUp('a header section that is too long', bytes);
    else if (ends.length === 0) partial = Buffer.from(all);
    else {
      partial = Buffer.alloc(0);
      const raw = all.subarray(0, at);
      const head = readHead(raw);
      const framing = head === undefined ? 'malformed' : handler.onHead(head, raw);
      if (framing === 'malformed') giveUp('a malformed header section', all);
      else {
        begin(framing);
        return all.subarray(at);
      }
    }
    return undefined;
  }

  /** Takes a line off the stream, and passes it on; undefined while it is not complete. */
  function takeLine(bytes: Buffer): readonly [line: string, rest: Buffer] | undefined {
    const at = bytes.indexOf(lineFeed);
    const part = at === -1 ? bytes : bytes.subarray(0, at + 1);
    if (line.length + part.length > longestLine) {
      giveUp('a chunk with a line that is too long', bytes);
      return undefined;
    }
    handler.onBytes(part);
    line += part.toString('latin1');
    if (at === -1) return undefined;
    const whole = line.replace(/\r?\n$/, '');
    line = '';
    return [whole, bytes.subarray(at + 1)];
  }

  function takeBody(bytes: Buffer): Buffer {
    const part = bytes.subarray(0, bytesLeft);
    bytesLeft -= part.length;
    handler.onBytes(part);
    handler.onBody(part);
    if (bytesLeft === 0 && state === 'length') end();
    else if (bytesLeft === 0) state = 'chunk-end';
    return bytes.subarray(part.length);
  }

  function takeChunkLine(bytes: Buffer): Buffer | undefined {
    const [text, rest] = takeLine(bytes) ?? [];
    if (text === undefined || rest === undefined) return undefined;
    if (state === 'trailer') {
      if (text === '') end();
      return rest;
    }
    if (state === 'chunk-end') {
      if (text === '') state = 'chunk-line';
      else giveUp('a chunk without an end', rest);
      return text === '' ? rest : undefined;
    }
    const size = /^([\da-f]{1,12})[ \t]*(?:;.*)?$/i.exec(text)?.[1];
    if (size === undefined) {
      giveUp('a chunk without a length', rest);
      return undefined;
    }
    bytesLeft = Number.parseInt(size, 16);
    state = bytesLeft === 0 ? 'trailer' : 'chunk';
    return rest;
  }

  function step(bytes: Buffer): Buffer | undefined {
    if (state === 'head') return takeHead(bytes);
    if (state === 'length' || state === 'chunk') return takeBody(bytes);
    if (state === 'chunk-line' || state === 'chunk-end' || state === 'trailer') return takeChunkLine(bytes);
    handler.onBytes(bytes);
    if (state === 'until-close') handler.onBody(bytes);
    return undefined;
  }

  return {
    feed(bytes: Buffer): void {
      let rest: Buffer | undefined = bytes;
      while (rest !== undefined && rest.length > 0) rest = step(rest);
    },
    /** The sender has closed its side. */
    close(): void {
      if (state === 'until-close') end();
      else if (partial.length > 0) giveUp('half a header section', Buffer.alloc(0));
    },
    stop,
  };
}
