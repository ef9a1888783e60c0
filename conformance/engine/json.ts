/** The judge's own reading and writing of JSON, in which integers keep every digit. */

/** A JSON value. A number that is mathematically an integer is a bigint, any other a number. */
export type JsonValue = null | boolean | string | bigint | number | readonly JsonValue[] | JsonObject;
export interface JsonObject {
  readonly [field: string]: JsonValue;
}

/** Either the value, or why the text is no JSON that can be judged. */
export type Reading = { readonly value: JsonValue } | { readonly problem: string };

const int64Minimum = -(2n ** 63n);
const int64Maximum = 2n ** 63n - 1n;
/** Longer exponents than this are no int64 whatever stands before them, and would cost memory to spell out. */
const longestExponent = 400;

/** Reads a number from its source text: `1.0` and `1e2` are integers, `1.5` is none, and neither is 1e999. */
function readNumber(source: string): bigint | number {
  const parts = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(source);
  if (parts === null) return Number(source);
  const [, sign = '', whole = '', fraction = '', exponent = '0'] = parts;
  const shift = Number(exponent) - fraction.length;
  const digits = whole + fraction;
  if (Math.abs(shift) > longestExponent || digits.length > longestExponent) return Number(source);
  if (shift >= 0) return BigInt(sign + digits + '0'.repeat(shift));
  const tail = digits.slice(shift);
  if (!/^0*$/.test(tail)) return Number(source);
  return BigInt(sign + (digits.slice(0, shift) || '0'));
}

/** Whether a number may stand in a text that JavaScript does not hold as it is written. */
const hardNumber = /\d[.eE]|\d{16}/;

function revive(_field: string, value: unknown, context?: { source?: string }): unknown {
  return typeof value === 'number' && context?.source !== undefined ? readNumber(context.source) : value;
}

/** Makes the numbers in a parsed value bigints, in place: much faster than to revive each value of a large page. */
function withBigints(value: unknown): unknown {
  if (typeof value === 'number') return BigInt(value);
  if (typeof value !== 'object' || value === null) return value;
  for (const [field, part] of Object.entries(value)) {
    const made = withBigints(part);
    // A field may be called __proto__, which cannot be assigned.
    if (made !== part) Object.defineProperty(value, field, { value: made, enumerable: true });
  }
  return value;
}

/** The problem of a text that is JSON and cannot be looked into. */
export const tooDeep = 'JSON nested too deeply to read';

/** Reads a JSON text without losing a digit; never throws. */
export function readJson(text: string): Reading {
  try {
    const value: unknown = hardNumber.test(text) ? JSON.parse(text, revive) : withBigints(JSON.parse(text));
    return { value: value as JsonValue };
  } catch (error) {
    if (error instanceof RangeError) return { problem: tooDeep };
    return { problem: text === '' ? 'an empty body' : 'text that is no JSON' };
  }
}

// `JSON.rawJSON` is in Node 24, and not yet in the compiler's library.
const rawJson = (JSON as unknown as { rawJSON(text: string): unknown }).rawJSON;

/** Writes a value as JSON, integers with all their digits. */
export function writeJson(value: JsonValue): string {
  return JSON.stringify(value, (_field, part: unknown) => (typeof part === 'bigint' ? rawJson(String(part)) : part));
}

export function isInt64(value: JsonValue | undefined): value is bigint {
  return typeof value === 'bigint' && value >= int64Minimum && value <= int64Maximum;
}

export function isJsonObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A value for a message: JSON, cut to a length that a person reads. */
export function showJson(value: JsonValue | undefined): string {
  if (value === undefined) return 'nothing';
  const text = writeJson(value);
  return text.length <= 120 ? text : `${text.slice(0, 117)}...`;
}
