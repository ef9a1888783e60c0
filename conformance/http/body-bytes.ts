/**
 * Request bodies are text. A body that is not UTF-8 has each byte that does not decode as a lone surrogate, U+DC80 for 0x80
 * to U+DCFF for 0xFF, as in Python's `surrogateescape` (PEP 383): so it survives JSON, HAR and replay like any other text.
 */

/** Writes bytes that are neither ASCII nor part of valid UTF-8 as the text of a body. */
export function rawBytes(...bytes: readonly number[]): string {
  return String.fromCharCode(...bytes.map((byte) => 0xdc00 + byte));
}

/** Writes a text as a body in UTF-16, with a byte order mark if the text begins with one. */
export function inUtf16(text: string, order: 'big-endian' | 'little-endian'): string {
  const bytes = Buffer.from(text, 'utf16le');
  const ordered = order === 'big-endian' ? bytes.swap16() : bytes;
  return [...ordered].map((byte) => (byte < 0x80 ? String.fromCharCode(byte) : rawBytes(byte))).join('');
}

/** Whether a body has a byte order mark of UTF-16, or a zero byte beside its first character, by which parsers detect it. */
export function looksLikeUtf16(body: string): boolean {
  return /^(?:\udcff\udcfe|\udcfe\udcff|[\t\n\r "[{]\0|\0[\t\n\r "[{])/.test(body);
}

export function encodeBody(body: string): Buffer {
  const parts = body.split(/([\udc80-\udcff])/u);
  return Buffer.concat(
    parts.map((part, at) => (at % 2 === 1 ? Buffer.of(part.charCodeAt(0) & 0xff) : Buffer.from(part))),
  );
}
