/** Copies a body that passes through, up to a limit. */

import zlib from 'node:zlib';

/** A longer body is not judged, bytes. */
const longestBody = 2 * 1024 * 1024;

const options = { maxOutputLength: longestBody };

const decoders: Readonly<Record<string, (bytes: Buffer) => Buffer>> = {
  identity: (bytes) => bytes,
  gzip: (bytes) => zlib.gunzipSync(bytes, options),
  'x-gzip': (bytes) => zlib.gunzipSync(bytes, options),
  deflate: (bytes) => zlib.inflateSync(bytes, options),
  br: (bytes) => zlib.brotliDecompressSync(bytes, options),
  zstd: (bytes) => zlib.zstdDecompressSync(bytes, options),
};

/** A body without its content encoding; undefined if it cannot be decoded. */
export function decodeBody(bytes: Buffer, encoding = 'identity'): Buffer | undefined {
  const name = encoding.trim().toLowerCase();
  // An empty body needs no decoding, whatever Content-Encoding says.
  if (bytes.length === 0) return bytes;
  try {
    return Object.hasOwn(decoders, name) ? decoders[name]!(bytes) : undefined;
  } catch {
    return undefined;
  }
}

export function captureBody() {
  const chunks: Buffer[] = [];
  let length = 0;
  /** The whole body; undefined if it is too long. */
  const bytes = (): Buffer | undefined => (length > longestBody ? undefined : Buffer.concat(chunks));
  return {
    take(chunk: Buffer): void {
      length += chunk.length;
      if (length <= longestBody) chunks.push(chunk);
      else chunks.length = 0;
    },
    bytes,
    /** The whole body without its content encoding; undefined if it is too long or cannot be decoded. */
    decoded(encoding?: string): Buffer | undefined {
      const whole = bytes();
      return whole && decodeBody(whole, encoding);
    },
  };
}

export type BodyCapture = ReturnType<typeof captureBody>;
