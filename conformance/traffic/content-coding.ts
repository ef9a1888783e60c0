/** Reads the content codings of HTTP (RFC 9110, 8.4.1) that node can decode. */

import {
  brotliDecompressSync,
  gunzipSync,
  inflateRawSync,
  inflateSync,
  type ZlibOptions,
  zstdDecompressSync,
} from 'node:zlib';
import { type BodyLoss, longestCaptured } from './captured-exchange.ts';

type Decode = (body: Uint8Array, options: ZlibOptions) => Buffer;

/** Some services send deflate without the header of zlib. */
function inflateAny(body: Uint8Array, options: ZlibOptions): Buffer {
  try {
    return inflateSync(body, options);
  } catch {
    return inflateRawSync(body, options);
  }
}

const decoders = new Map<string, Decode>([
  ['gzip', gunzipSync],
  ['x-gzip', gunzipSync],
  ['deflate', inflateAny],
  ['br', (body, { maxOutputLength }) => brotliDecompressSync(body, { maxOutputLength })],
  ['zstd', (body, { maxOutputLength }) => zstdDecompressSync(body, { maxOutputLength })],
  ['identity', (body) => Buffer.from(body)],
]);

/** The parts of a list in a header. */
function listItems(header: string): readonly string[] {
  return header
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');
}

/** An Accept-Encoding without the codings that the kit cannot read: the client accepts any answer to it. */
export function readableCodings(acceptEncoding: string): string {
  const readable = listItems(acceptEncoding).filter((one) => {
    const coding = one.split(';')[0]!.trim().toLowerCase();
    return coding === '*' || decoders.has(coding);
  });
  return readable.length === 0 ? 'identity' : readable.join(', ');
}

/** The content of a body that was sent in the codings of a Content-Encoding, or why it is unknown. */
export function decodeContent(body: Uint8Array, contentEncoding = ''): Uint8Array | BodyLoss {
  if (body.length > longestCaptured) return 'too-long';
  let content = body;
  // The coding that was applied last comes last. An answer without a body, as one to HEAD, may name one as well.
  for (const coding of body.length === 0 ? [] : listItems(contentEncoding).toReversed()) {
    const decode = decoders.get(coding.toLowerCase());
    if (decode === undefined) return 'not-decoded';
    try {
      content = decode(content, { maxOutputLength: longestCaptured });
    } catch (error) {
      return (error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE' ? 'too-long' : 'not-decoded';
    }
  }
  return content;
}
