/** Changes single values of a JSON text and leaves all other characters as they are. */

import { endOfString } from './json.ts';
import type { Redact } from './redact.ts';
import { hiddenValue, hideInUrls, isSecretName } from './secret-names.ts';

/** Replaces values of a JSON text; each function returns what it is given to keep it. */
interface Edits {
  /** A string or the name of a field, decoded. */
  readonly text: (decoded: string) => string;
  /** A number as it is written; `field` is the name of its field, if it is the value of one. */
  readonly number: (source: string, field: string | undefined) => string;
  /** Whether the value of a field is replaced as a whole. */
  readonly hides: (field: string) => boolean;
}

const numberToken = /-?\d[\d.eE+-]*/y;

function endOfValue(json: string, from: number): number {
  let depth = 0;
  for (let at = from; at < json.length; at += 1) {
    const character = json[at]!;
    if (character === '"') {
      at = endOfString(json, at) - 1;
      if (depth === 0) return at + 1;
    } else if (character === '{' || character === '[') depth += 1;
    else if (character === '}' || character === ']') {
      if (depth === 0) return at;
      depth -= 1;
      if (depth === 0) return at + 1;
    } else if (depth === 0 && (character === ',' || /\s/.test(character))) return at;
  }
  return json.length;
}

function nextVisible(json: string, from: number): number {
  let at = from;
  while (at < json.length && ' \t\r\n'.includes(json[at]!)) at += 1;
  return at;
}

function editJson(json: string, { text, number, hides }: Edits): string {
  const parts: string[] = [];
  let done = 0;
  let field: string | undefined;
  const replace = (from: number, to: number, by: string): void => {
    parts.push(json.slice(done, from), by);
    done = to;
  };
  for (let at = 0; at < json.length; at += 1) {
    const character = json[at]!;
    if (character === '"') {
      const end = endOfString(json, at);
      const decoded = JSON.parse(json.slice(at, end)) as string;
      const edited = text(decoded);
      if (edited !== decoded) replace(at, end, JSON.stringify(edited));
      const colon = nextVisible(json, end);
      field = json[colon] === ':' ? decoded : undefined;
      const value = nextVisible(json, colon + 1);
      at = end - 1;
      if (field === undefined || !hides(field)) continue;
      const endOfHidden = endOfValue(json, value);
      replace(value, endOfHidden, JSON.stringify(hiddenValue));
      at = endOfHidden - 1;
    } else if (/[-\d]/.test(character)) {
      numberToken.lastIndex = at;
      const [source = character] = numberToken.exec(json) ?? [];
      const edited = number(source, field);
      if (edited !== source) replace(at, at + source.length, edited);
      at += source.length - 1;
    } else if (character === ',' || character === '[') field = undefined;
  }
  return parts.join('') + json.slice(done);
}

/** Fields whose numbers are judged: an id with the digits of a key stays an id. */
const judgedNumbers: ReadonlySet<string | undefined> = new Set(['id', 'categoryId', 'status']);

function isJsonText(text: string): boolean {
  try {
    JSON.parse(text.replace(/^\ufeff/, ''));
    return true;
  } catch {
    return false;
  }
}

/** Redacts the strings, field names and numbers of a JSON text, which stays JSON; redacts any other text as a whole. */
export function redactBody(text: string, redact: Redact): string {
  if (redact(text) === text) return text;
  if (!isJsonText(text)) return redact(text);
  return editJson(text, {
    text: redact,
    number: (source, field) =>
      judgedNumbers.has(field) || redact(source) === source ? source : JSON.stringify(redact(source)),
    hides: () => false,
  });
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
  if (!isJsonText(text)) return hideInText(text);
  return editJson(text, {
    text: (decoded) => (decoded.includes('://') ? hideInUrls(decoded) : decoded),
    number: (source) => source,
    hides: (field) => isSecretName(field) || alsoHides(field),
  });
}
