/** Keeps the beginning of a body that passes, and lets the rest go by. */

import { brotliDecompressSync, gunzipSync, inflateSync, zstdDecompressSync } from 'node:zlib';

/** Longer bodies are not looked at, bytes. */
const longestBody = 2 * 1024 * 1024;

export interface BodyCapture {
  readonly take: (chunk: Buffer) => void;
  /** All of the body, undefined where it is too long. */
  readonly bytes: () => Buffer | undefined;
  /** The same without its content encoding; undefined where that cannot be undone. */
  readonly decoded: (encoding: string | undefined) => Buffer | undefined;
}

const options = { maxOutputLength: longestBody };

const decoders: Readonly<Record<string, (bytes: Buffer) => Buffer>> = {
  identity: (bytes) => bytes,
  gzip: (bytes) => gunzipSync(bytes, options),
  'x-gzip': (bytes) => gunzipSync(bytes, options),
  deflate: (bytes) => inflateSync(bytes, options),
  br: (bytes) => brotliDecompressSync(bytes, options),
  zstd: (bytes) => zstdDecompressSync(bytes, options),
};

export function captureBody(): BodyCapture {
  const chunks: Buffer[] = [];
  let length = 0;
  const bytes = (): Buffer | undefined => (length > longestBody ? undefined : Buffer.concat(chunks));
  return {
    take(chunk) {
      length += chunk.length;
      if (length <= longestBody) chunks.push(chunk);
      else chunks.length = 0;
    },
    bytes,
    decoded(encoding = 'identity') {
      const whole = bytes();
      const decode = decoders[encoding.trim().toLowerCase()];
      // An answer without a body has nothing to decode, whatever it says.
      if (whole === undefined || whole.length === 0) return whole;
      try {
        return decode?.(whole);
      } catch {
        return undefined;
      }
    },
  };
}
