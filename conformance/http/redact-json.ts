/** Changes single values of a JSON text. A text that holds none of them stays as it is, to the last character. */

import type { Redact } from './redact.ts';
import { hiddenValue, hideInUrls, isSecretName } from './secret-names.ts';

// Node 24 has `JSON.rawJSON`; the type library of the compiler does not know it yet.
const rawJson = (JSON as unknown as { rawJSON(text: string): unknown }).rawJSON;

interface Part {
  /** The name of the field whose value it is; undefined in an array and for the whole. */
  readonly field: string | undefined;
  /** A number as it is written. */
  readonly source: string | undefined;
}

/** Returns the value itself to keep it. */
type Edit = (value: unknown, part: Part) => unknown;

/** The text with its values edited, written without white space where any is; undefined where it is no JSON that can be read. */
function editJson(text: string, edit: Edit, rename: (field: string) => string = (field) => field): string | undefined {
  let isEdited = false;
  function revive(this: unknown, key: string, value: unknown, context?: { readonly source?: string }): unknown {
    const isField = !Array.isArray(this) && key !== '';
    const source = typeof value === 'number' ? context?.source : undefined;
    const edited = edit(value, { field: isField ? key : undefined, source });
    if (edited !== value) {
      isEdited = true;
      return edited;
    }
    // A number keeps its digits.
    if (source !== undefined) return rawJson(source);
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
    const names = Object.keys(value).map((name) => [name, rename(name)] as const);
    if (names.every(([name, renamed]) => name === renamed)) return value;
    isEdited = true;
    return Object.fromEntries(names.map(([name, renamed]) => [renamed, (value as Record<string, unknown>)[name]]));
  }
  try {
    const mark = text.startsWith('\ufeff') ? 1 : 0;
    const edited: unknown = JSON.parse(text.slice(mark), revive as (key: string, value: unknown) => unknown);
    return isEdited ? text.slice(0, mark) + JSON.stringify(edited) : text;
  } catch {
    return undefined;
  }
}

/** Fields whose numbers are judged: an id with the digits of a key stays an id. */
const judgedNumbers: ReadonlySet<string | undefined> = new Set(['id', 'categoryId', 'status']);

/** Redacts the strings, field names and numbers of a JSON text, which stays JSON; redacts any other text as a whole. */
export function redactBody(text: string, redact: Redact): string {
  if (!text.includes('\\') && redact(text) === text) return text;
  const edit: Edit = (value, { field, source }) => {
    if (typeof value === 'string') return redact(value);
    if (source === undefined || judgedNumbers.has(field)) return value;
    const redacted = redact(source);
    return redacted === source ? value : redacted;
  };
  return editJson(text, edit, redact) ?? redact(text);
}

/** Values of fields and elements with a secret name, in a text that is no JSON: a form, multipart form data, XML. */
function hideInText(text: string): string {
  return hideInUrls(text)
    .replace(/(^|[\s,;&])([\w.~%[\]-]{1,60})=([^&;,\s"'<>]+)/g, (whole, before: string, name: string) =>
      isSecretName(name) || name === 'code' ? `${before}${name}=${hiddenValue}` : whole,
    )
    .replace(/(<([\w:.-]{1,60})[^<>]{0,200}>)[^<]+(?=<\/)/g, (whole, tag: string, name: string) =>
      isSecretName(name) ? tag + hiddenValue : whole,
    )
    .replace(/(name="([^"\r\n]{1,60})"[^\r\n]{0,80}\r?\n\r?\n)[^\r\n]+/g, (whole, head: string, name: string) =>
      isSecretName(name) ? head + hiddenValue : whole,
    );
}

/** Hides the values of fields with a secret name, and secrets in URLs; `alsoHides` names more fields. */
export function hideSecretFields(text: string, alsoHides: (field: string) => boolean = () => false): string {
  const edit: Edit = (value, { field }) => {
    if (field !== undefined && (isSecretName(field) || alsoHides(field))) return hiddenValue;
    return typeof value === 'string' && value.includes('://') ? hideInUrls(value) : value;
  };
  return editJson(text, edit) ?? hideInText(text);
}
