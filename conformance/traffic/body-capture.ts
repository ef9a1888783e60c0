/** Copies a body that passes through, up to a limit. */

import { brotliDecompressSync, gunzipSync, inflateSync, zstdDecompressSync } from 'node:zlib';

/** A longer body is not judged, bytes. */
const longestBody = 2 * 1024 * 1024;

const options = { maxOutputLength: longestBody };

const decoders: Readonly<Record<string, (bytes: Buffer) => Buffer>> = {
  identity: (bytes) => bytes,
  gzip: (bytes) => gunzipSync(bytes, options),
  'x-gzip': (bytes) => gunzipSync(bytes, options),
  deflate: (bytes) => inflateSync(bytes, options),
  br: (bytes) => brotliDecompressSync(bytes, options),
  zstd: (bytes) => zstdDecompressSync(bytes, options),
};

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
    /** The body without its content encoding; undefined if it cannot be decoded. */
    decoded(encoding = 'identity'): Buffer | undefined {
      const whole = bytes();
      const name = encoding.trim().toLowerCase();
      // An empty body needs no decoding, whatever Content-Encoding says.
      if (whole === undefined || whole.length === 0) return whole;
      try {
        return Object.hasOwn(decoders, name) ? decoders[name]!(whole) : undefined;
      } catch {
        return undefined;
      }
    },
  };
}

export type BodyCapture = ReturnType<typeof captureBody>;
