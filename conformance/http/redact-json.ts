/** Changes single values of a JSON text. A text that holds none of them stays as it is, to the last character. */

import { rawJson } from './json.ts';
import type { Redact } from './redact.ts';
import { hiddenValue, hideInUrls, isSecretName } from './secret-names.ts';

/** Returns the value itself to keep it. `field` has the name of an object's member, `source` a number as it is written. */
type Edit = (value: unknown, part: { readonly field?: string; readonly source?: string }) => unknown;

/** The text with its values edited, written without white space where any is; undefined where it is no JSON that can be read. */
function editJson(text: string, edit: Edit, rename: (field: string) => string = String): string | undefined {
  let isEdited = false;
  function revive(this: unknown, key: string, value: unknown, context?: { readonly source?: string }): unknown {
    const source = typeof value === 'number' ? context?.source : undefined;
    const edited = edit(value, {
      ...(Array.isArray(this) || key === '' ? {} : { field: key }),
      ...(source === undefined ? {} : { source }),
    });
    isEdited ||= edited !== value;
    if (edited !== value) return edited;
    // A number keeps its digits.
    if (source !== undefined) return rawJson(source);
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
    const fields = Object.entries(value);
    if (fields.every(([name]) => rename(name) === name)) return value;
    isEdited = true;
    return Object.fromEntries(fields.map(([name, part]) => [rename(name), part]));
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

/** Hides the values of fields with a secret name, and secrets in URLs and forms. */
export function hideSecretFields(text: string): string {
  const edit: Edit = (value, { field }) => {
    if (field !== undefined && isSecretName(field)) return hiddenValue;
    return typeof value === 'string' && value.includes('://') ? hideInUrls(value) : value;
  };
  return editJson(text, edit) ?? hideInUrls(text);
}
