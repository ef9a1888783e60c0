/** Reads and writes JSON without losing a digit of an int64. */

/** A JSON value; integers are bigints, whatever their spelling, other numbers are numbers. */
export type JsonValue = null | boolean | string | bigint | number | JsonValue[] | { [field: string]: JsonValue };

/** A number that was spelt with a fraction or an exponent, and is an integer all the same (gap integer-written-as-decimal). */
export const spelledDecimals = new WeakMap<object, Set<string>>();

const most = 2n ** 63n - 1n;
const deepest = 200;

export function isInt64(value: unknown): value is bigint {
  return typeof value === 'bigint' && value >= -most - 1n && value <= most;
}

export function isObject(value: JsonValue | undefined): value is { [field: string]: JsonValue } {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function readDecimal(source: string): bigint | number {
  const value = Number(source);
  // Beyond 2^53 a double no longer tells whether the text is an integer.
  return Number.isSafeInteger(value) ? BigInt(value) : value;
}

/** Depth is measured first: a reviver recurses, and 100,000 brackets are cheap to send. */
function isTooDeep(text: string): boolean {
  let depth = 0;
  let inString = false;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (inString) {
      if (code === 92) at += 1;
      else if (code === 34) inString = false;
    } else if (code === 34) inString = true;
    else if (code === 91 || code === 123) {
      depth += 1;
      if (depth > deepest) return true;
    } else if (code === 93 || code === 125) depth -= 1;
  }
  return false;
}

/** Parses a JSON text; undefined where it is none, or nested more than 200 deep. */
export function parseJson(text: string): JsonValue | undefined {
  if (isTooDeep(text)) return undefined;
  function revive(this: object, field: string, value: unknown, context?: { source?: string }): unknown {
    if (typeof value !== 'number' || context?.source === undefined) return value;
    if (/^-?\d+$/.test(context.source)) return BigInt(context.source);
    const fields = spelledDecimals.get(this) ?? new Set();
    spelledDecimals.set(this, fields.add(field));
    return readDecimal(context.source);
  }
  try {
    return JSON.parse(text, revive as (this: object, field: string, value: unknown) => unknown) as JsonValue;
  } catch {
    return undefined;
  }
}

// In Node 24, and not yet in the compiler's library.
const rawJson = (JSON as unknown as { rawJSON(text: string): unknown }).rawJSON;

export function stringifyJson(value: unknown): string {
  return JSON.stringify(value, (_field, part: unknown) => (typeof part === 'bigint' ? rawJson(String(part)) : part));
}
