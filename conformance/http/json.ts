/** Reads and writes JSON for the judge; integers keep every digit. */

/** A JSON value. A number with an integral value is a bigint, any other a number. */
export type JsonValue = null | boolean | string | bigint | number | readonly JsonValue[] | JsonObject;
export interface JsonObject {
  readonly [field: string]: JsonValue;
}

/** The value, or the reason why there is none. `isJson`: the text may still be JSON, so no check concludes anything from it. */
export type JsonReading = { readonly value: JsonValue } | { readonly problem: string; readonly isJson?: true };

/** Whether the text of a Content-Type names JSON, with or without parameters. Derived types, such as problem+json, are others. */
export function isJsonMediaType(type = ''): boolean {
  return /^application\/json\s*(;|$)/i.test(type);
}

/** Whether the text of a JSON object has two fields of one name. */
export function hasFieldTwice(text: string): boolean {
  const fields = new Set<unknown>();
  let last = '';
  let depth = 0;
  // Its strings and its punctuation.
  for (const [token] of text.matchAll(/"[^"\\]*(?:\\.[^"\\]*)*"|[[\]{},:]/gs)) {
    if (/^[\]}]/.test(token)) depth -= 1;
    const field: unknown = token === ':' && depth === 1 ? JSON.parse(last) : undefined;
    if (field !== undefined && fields.has(field)) return true;
    if (/^[[{]/.test(token)) depth += 1;
    fields.add(field);
    last = token;
  }
  return false;
}

/**
 * A reviver that reads a number from its source text, which the type library of the compiler does not know yet: `1.0` and
 * `1e2` are integers, `1.5` and `1e999` are not.
 */
function readNumber(_field: string, value: unknown, context?: { readonly source: string }): unknown {
  if (typeof value !== 'number') return value;
  const plain = /^(-?\d{1,400})(?:\.0+)?$/.exec(context!.source)?.[1];
  return plain !== undefined || Number.isInteger(value) ? BigInt(plain ?? value) : value;
}

/** Where the parser stopped: it quotes the text around that place, or says its position. */
function whereParserStopped(error: unknown): string {
  const { message } = error as SyntaxError;
  const around = /, (?:\.{3})?"(.*?)"(?:\.{3})? is not valid JSON$/s.exec(message)?.[1];
  if (around !== undefined) return `, near ${around}`;
  const position = / in JSON at position (\d+)/.exec(message)?.[1];
  return position === undefined ? '' : `, from character ${Number(position) + 1} on`;
}

/** Reads a JSON text without loss of digits; never throws. */
export function readJson(text: string): JsonReading {
  try {
    return { value: JSON.parse(text, readNumber) };
  } catch (error) {
    // The parser needs no stack, but the reviver does.
    if (error instanceof RangeError) return { problem: 'JSON nested too deeply to read', isJson: true };
    return { problem: text === '' ? 'an empty body' : `text that is no JSON${whereParserStopped(error)}` };
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

/** Writes a value as JSON; integers keep all digits, and a number beyond a double stays one. */
export function writeJson(value: JsonValue): string {
  return JSON.stringify(value, (_field, part: unknown) => {
    if (typeof part === 'bigint') return rawJson(String(part));
    if (typeof part === 'number' && !Number.isFinite(part)) return rawJson(part > 0 ? '1e999' : '-1e999');
    return part;
  });
}

export function isInt64(value: JsonValue | undefined): value is bigint {
  return typeof value === 'bigint' && BigInt.asIntN(64, value) === value;
}

export function isJsonObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

const longestShownJson = 120;
const longestShownNumber = 40;

/** Writes a value for a message: JSON of bounded length. */
export function showJson(value: JsonValue | undefined): string {
  if (value === undefined) return 'nothing';
  // A number beyond the range of a double shows as Infinity.
  const text = typeof value === 'number' ? String(value) : writeJson(value);
  // Nobody reads all digits of what 1e300 stands for.
  if (typeof value === 'bigint' && text.length > longestShownNumber) {
    return `${text.slice(0, longestShownNumber)}… (${text.length} digits)`;
  }
  return text.length <= longestShownJson ? text : `${text.slice(0, longestShownJson - 3)}...`;
}
