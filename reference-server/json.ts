/** Reads and writes JSON without losing a digit of a number. */

/** A number other than an int64 in plain digits: its text as it was sent. */
export interface RawNumber {
  readonly rawJSON: string;
}

/** A JSON value. An int64 in plain digits is a bigint; any other number keeps its text. */
export type JsonValue = null | boolean | string | bigint | RawNumber | JsonValue[] | { [field: string]: JsonValue };

// Node 24 has both; the compiler's library does not declare them yet.
const native = JSON as unknown as {
  rawJSON(text: string): RawNumber;
  isRawJSON(value: unknown): value is RawNumber;
};

const deepest = 200;
/** A reviver costs a microsecond a number, so a mebibyte of numbers would block everybody for half a second. */
const mostValues = 10_000;

export function isObject(value: JsonValue): value is { [field: string]: JsonValue } {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !native.isRawJSON(value);
}

/** The int64 that a text of digits denotes, or undefined. */
export function readDigits(text: string): bigint | undefined {
  if (!/^-?\d{1,19}$/.test(text)) return undefined;
  const value = BigInt(text);
  return BigInt.asIntN(64, value) === value ? value : undefined;
}

/** The int64 that a number with a fraction or an exponent exactly equals, or undefined. */
export function readDecimal(number: JsonValue | undefined): bigint | undefined {
  if (!native.isRawJSON(number)) return undefined;
  const parts = /^(-?)(\d+)(?:\.(\d+))?(?:e([+-]?\d+))?$/i.exec(number.rawJSON);
  if (parts === null) return undefined;
  const [, sign = '', whole = '', fraction = '', exponent = '0'] = parts;
  const digits = (whole + fraction).replace(/^0+/, '');
  let end = digits.length;
  while (digits[end - 1] === '0') end -= 1;
  if (end === 0) return 0n;
  const zeros = Number(exponent) - fraction.length + digits.length - end;
  // No int64 has more than 19 digits, and 1e999999999 must not be written out.
  if (zeros < 0 || end + zeros > 19) return undefined;
  return readDigits(sign + digits.slice(0, end) + '0'.repeat(zeros));
}

/** Whether a text is nested too deep or holds too many values: 100,000 brackets or numbers are cheap to send. */
function isTooComplex(text: string): boolean {
  if (text.length <= deepest) return false;
  let [depth, values] = [0, 0];
  for (const [sign] of text.replace(/"[^"\\]*(?:\\.[^"\\]*)*"/gs, '').matchAll(/[[\]{},]/g)) {
    if (sign === ']' || sign === '}') depth -= 1;
    else values += 1;
    if (sign === '[' || sign === '{') depth += 1;
    if (depth < 0 || depth > deepest || values > mostValues) return true;
  }
  return false;
}

function revive(_field: string, value: unknown, context?: { readonly source?: string }): unknown {
  if (typeof value !== 'number' || context?.source === undefined) return value;
  return readDigits(context.source) ?? native.rawJSON(context.source);
}

/** Matches every number that a double may change or that is not written in plain digits; strings may match too. */
const unusualNumber = /\d(?:[.eE]|\d{15})/;

/** Turns the numbers of a parsed value into bigints; a reviver would take eight times as long. */
function toBigints(value: JsonValue | number): JsonValue {
  if (typeof value === 'number') return BigInt(value);
  if (typeof value !== 'object' || value === null) return value;
  const parts = value as { [field: string]: JsonValue };
  for (const field of Object.keys(parts)) {
    const part = parts[field]!;
    if (typeof part !== 'string') parts[field] = toBigints(part);
  }
  return value;
}

/** Parses a JSON text; undefined where it is not JSON, is nested more than 200 deep, or holds more than 10,000 values. */
export function parseJson(text: string): JsonValue | undefined {
  if (isTooComplex(text)) return undefined;
  try {
    return unusualNumber.test(text)
      ? (JSON.parse(text, revive as (field: string, value: unknown) => unknown) as JsonValue)
      : toBigints(JSON.parse(text) as JsonValue | number);
  } catch {
    return undefined;
  }
}

/** An int64 in a form that JSON.stringify writes digit by digit without a replacer. */
export function writable(integer: bigint): number | RawNumber {
  const number = Number(integer);
  return Number.isSafeInteger(number) ? number : native.rawJSON(String(integer));
}

/** Writes a value as JSON; bigints become integers in plain digits. */
export function stringifyJson(value: unknown): string {
  return JSON.stringify(value, (_field, part: unknown) => (typeof part === 'bigint' ? writable(part) : part));
}
