/**
 * Request bodies are strings. A byte that is not valid UTF-8 becomes a lone surrogate, U+DC80 for 0x80 to U+DCFF for 0xFF,
 * like Python's `surrogateescape` (PEP 383). So such a body survives JSON, HAR and sending again like any other.
 */

/** Returns bytes from 0x80 on that are not valid UTF-8 as a part of a body. */
export function rawBytes(...bytes: readonly number[]): string {
  return String.fromCharCode(...bytes.map((byte) => 0xdc00 + byte));
}

/** Returns the bytes of a body as they are sent. */
export function encodeBody(body: string): Buffer {
  const parts = body.split(/([\udc80-\udcff])/u);
  const bytes = parts.map((part, at) => (at % 2 === 1 ? Buffer.of(part.charCodeAt(0) & 0xff) : Buffer.from(part)));
  return Buffer.concat(bytes);
}
