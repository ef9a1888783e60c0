/** Decodes percent escapes (RFC 3986) of text from outside, which may be malformed. */

/** The decoded text; undefined if an escape is malformed or the bytes are not UTF-8. */
export function decodeEscapes(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}
