/**
 * Request bodies are text. A body that is not UTF-8 has each byte that does not decode as a lone surrogate, U+DC80 for 0x80
 * to U+DCFF for 0xFF, as in Python's `surrogateescape` (PEP 383): so it survives JSON, HAR and replay like any other text.
 */

/** Writes bytes that are neither ASCII nor part of valid UTF-8 as the text of a body. */
export function rawBytes(...bytes: readonly number[]): string {
  return String.fromCharCode(...bytes.map((byte) => 0xdc00 + byte));
}

export function encodeBody(body: string): Buffer {
  const parts = body.split(/([\udc80-\udcff])/u);
  return Buffer.concat(
    parts.map((part, at) => (at % 2 === 1 ? Buffer.of(part.charCodeAt(0) & 0xff) : Buffer.from(part))),
  );
}
