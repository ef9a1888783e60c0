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

/**
 * The text of a JSON array cut after its first entries; undefined if the text is no array or has no more entries. Does
 * not read the rest.
 */
export function firstEntries(text: string, count: number): string | undefined {
  if (!/^\s*\[/.test(text)) return undefined;
  let depth = 0;
  let entries = 0;
  for (let at = text.indexOf('['); at < text.length; at += 1) {
    const character = text.charCodeAt(at);
    if (character === 0x22) at = endOfString(text, at) - 1;
    else if (character === 0x5b || character === 0x7b) depth += 1;
    else if (character === 0x5d || character === 0x7d) depth -= 1;
    else if (character === 0x2c && depth === 1) {
      entries += 1;
      if (entries === count) return `${text.slice(0, at)}]`;
    }
  }
  return undefined;
}

/** The position behind the closing quote of the string that opens at a position of a JSON text. */
export function endOfString(text: string, from: number): number {
  let at = from + 1;
  for (;;) {
    const quote = text.indexOf('"', at);
    if (quote === -1) return text.length;
    let backslashes = 0;
    while (text[quote - 1 - backslashes] === '\\') backslashes += 1;
    if (backslashes % 2 === 0) return quote + 1;
    at = quote + 1;
  }
}

/** Whether the text of a JSON object has two fields of one name. */
export function hasFieldTwice(text: string): boolean {
  const fields = new Set<unknown>();
  const colon = /\s*:/y;
  let depth = 0;
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at];
    if (character === '{' || character === '[') depth += 1;
    else if (character === '}' || character === ']') depth -= 1;
    if (character !== '"') continue;
    const end = endOfString(text, at);
    colon.lastIndex = end;
    if (depth === 1 && colon.test(text)) {
      const field: unknown = JSON.parse(text.slice(at, end));
      if (fields.has(field)) return true;
      fields.add(field);
    }
    at = end - 1;
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
  const fields = value as Record<string, unknown>;
  for (const field of Object.keys(value)) {
    const part = fields[field];
    const made = changeNumbers(part, change, depth + 1);
    // JSON.parse made a field named __proto__ an own property, so this assignment does not change the prototype.
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

/** Reads a text that nests too deeply: only whether it is JSON, for which the parser needs no stack. */
function readTooDeep(text: string): JsonReading {
  try {
    JSON.parse(text);
    return { problem: 'JSON nested too deeply to read', isJson: true };
  } catch {
    return { problem: 'text that is no JSON' };
  }
}

/** Reads a JSON text without loss of digits; never throws. */
export function readJson(text: string): JsonReading {
  try {
    return { value: parse(text) as JsonValue };
  } catch (error) {
    if (error instanceof RangeError) return readTooDeep(text);
    return { problem: text === '' ? 'an empty body' : 'text that is no JSON' };
  }
}

// Node 24 has `JSON.rawJSON`; the type library of the compiler does not know it yet.
const rawJson = (JSON as unknown as { rawJSON(text: string): unknown }).rawJSON;

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

function startOf(value: JsonValue, depth = 0): JsonValue {
  if (typeof value === 'string') return value.slice(0, longestMessage);
  if (typeof value !== 'object' || value === null) return value;
  if (depth > longestMessage) return null;
  if (!isJsonObject(value)) return value.slice(0, longestMessage).map((entry) => startOf(entry, depth + 1));
  const fields = Object.entries(value).slice(0, longestMessage);
  return Object.fromEntries(fields.map(([field, part]) => [field.slice(0, longestMessage), startOf(part, depth + 1)]));
}

/** Writes a value for a message: JSON of bounded length. */
export function showJson(value: JsonValue | undefined): string {
  if (value === undefined) return 'nothing';
  const text = writeJson(startOf(value));
  return text.length < longestMessage ? text : `${copyStart(text, longestMessage - 3)}...`;
}
