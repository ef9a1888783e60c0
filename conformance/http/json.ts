/** Reads and writes JSON for the judge; integers keep every digit. */

/** A JSON value. A number with an integral value is a bigint, any other a number. */
export type JsonValue = null | boolean | string | bigint | number | readonly JsonValue[] | JsonObject;
export interface JsonObject {
  readonly [field: string]: JsonValue;
}

/**
 * The value, or the reason why there is none. `isJson`: the text may still be JSON, so no check concludes anything from
 * it. `isCut`: the value is an array of which only the first entries were read.
 */
export type JsonReading = ({ readonly value: JsonValue } | { readonly problem: string; readonly isJson?: true }) & {
  readonly isCut?: true;
};

/** Numbers with a larger exponent are no int64, and would take much memory to write out. */
const longestExponent = 400;

/** Reads a number from its source text: `1.0` and `1e2` are integers, `1.5` and `1e999` are not. */
function readNumber(source: string): bigint | number {
  const [, sign = '', whole = '', fraction = '', exponent = '0'] =
    /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(source) ?? [];
  const digits = whole + fraction;
  const shift = Number(exponent) - fraction.length;
  if (digits === '' || Math.abs(shift) > longestExponent || digits.length > longestExponent) return Number(source);
  const integer = shift >= 0 ? digits + '0'.repeat(shift) : digits.slice(0, shift) || '0';
  return shift >= 0 || /^0*$/.test(digits.slice(shift)) ? BigInt(sign + integer) : Number(source);
}

/** Whether the text of a JSON object has two fields of one name. */
export function hasFieldTwice(text: string): boolean {
  const fields = new Set<unknown>();
  let [last, depth] = ['', 0];
  // Its strings and signs.
  for (const [token] of text.matchAll(/"[^"\\]*(?:\\.[^"\\]*)*"?|[[\]{},:]/gs)) {
    if (/^[\]}]/.test(token)) depth -= 1;
    const field: unknown = token === ':' && depth === 1 ? JSON.parse(last) : undefined;
    if (field !== undefined && fields.has(field)) return true;
    if (/^[[{]/.test(token)) depth += 1;
    fields.add(field);
    last = token;
  }
  return false;
}

/** Finds text that may hold a number which a double does not represent exactly. */
const hardNumber = /\d[.eE]|\d{16}/;
/** Deeper values are not read, since every walk through a value recurses once for each level. */
const deepest = 500;

/** Changes the numbers in a parsed value, in place. Throws a RangeError if it is nested too deeply. */
function changeNumbers(value: unknown, change: (value: number) => unknown, depth = 0): unknown {
  if (typeof value === 'number') return change(value);
  if (typeof value !== 'object' || value === null) return value;
  if (depth === deepest) throw new RangeError();
  // JSON.parse made a field named __proto__ an own property, so this assignment does not change the prototype.
  const fields = value as Record<string, unknown>;
  for (const [field, part] of Object.entries(fields)) {
    const made = changeNumbers(part, change, depth + 1);
    if (made !== part) fields[field] = made;
  }
  return value;
}

function parse(text: string): unknown {
  // On easy numbers a reviver takes four times as long as a walk afterwards.
  if (!hardNumber.test(text)) return changeNumbers(JSON.parse(text), BigInt);
  const readExactly = (_field: string, value: unknown, context?: { readonly source: string }): unknown =>
    typeof value === 'number' && context !== undefined ? readNumber(context.source) : value;
  // What is still a number is no integer.
  return changeNumbers(JSON.parse(text, readExactly as (field: string, value: unknown) => unknown), Number);
}

/** Reads a JSON text without loss of digits; never throws. */
export function readJson(text: string): JsonReading {
  try {
    return { value: parse(text) as JsonValue };
  } catch (error) {
    // Whether a text is JSON, however deep it nests, the parser says without a stack.
    if (error instanceof RangeError && isJsonText(text))
      return { problem: 'JSON nested too deeply to read', isJson: true };
    return { problem: text === '' ? 'an empty body' : 'text that is no JSON' };
  }
}

export function isJsonText(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** A number as it is written. Node 24 has it; the type library of the compiler does not know it yet. */
export const rawJson = (JSON as unknown as { rawJSON(text: string): unknown }).rawJSON;

/** Writes a value as JSON; integers keep all digits. */
export function writeJson(value: JsonValue): string {
  return JSON.stringify(value, (_field, part: unknown) => (typeof part === 'bigint' ? rawJson(String(part)) : part));
}

export function isInt64(value: JsonValue | undefined): value is bigint {
  return typeof value === 'bigint' && BigInt.asIntN(64, value) === value;
}

export function isJsonObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Copies the start of a text; a slice would keep the whole text in memory. */
export function copyStart(text: string, length: number): string {
  return Buffer.from(text.slice(0, length)).toString();
}

const longestMessage = 120;

/** Writes a value for a message: JSON of bounded length. */
export function showJson(value: JsonValue | undefined): string {
  if (value === undefined) return 'nothing';
  const text = writeJson(value);
  return text.length < longestMessage ? text : `${copyStart(text, longestMessage - 3)}...`;
}
