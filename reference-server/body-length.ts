/** Counts the bytes of bodies, and keeps the counts of long ones. */

/** What is kept: so many counts, of bodies from so many characters to so many. */
const [mostKept, shortest, longest] = [256, 1_024, 65_536];

/**
 * Gives the length of a body in UTF-8. To count that of a page of 100 takes as long as all else that is done for it, and
 * a page that is kept comes again and again: it is the same string, which a map finds without reading it.
 */
export function createBodyLength(): (body: string) => number {
  const kept = new Map<string, number>();
  return (body) => {
    if (body.length < shortest || body.length > longest) return Buffer.byteLength(body);
    const known = kept.get(body);
    if (known !== undefined) return known;
    if (kept.size >= mostKept) kept.clear();
    const length = Buffer.byteLength(body);
    kept.set(body, length);
    return length;
  };
}
