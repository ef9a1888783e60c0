/** Takes secrets out of texts: each form in which a target may echo a key becomes `[key]`. */

import { type Range, unescapeOnce } from './unescape.ts';

export type Redact = (text: string) => string;

export const keyMark = '[key]';
/** A shorter form may be a word or a number of any response, so it must stand alone. */
const shortestForm = 8;
/** A shorter base64 text is found by chance. */
const shortestBase64 = 6;
/** Escapes within escapes are undone this often: a JSON text within a JSON text within a URL. */
const mostLayers = 4;

/** Words of ordinary responses. A key that is one of them could not be hidden without changing the responses. */
const wordsOfResponses: ReadonlySet<string> = new Set(
  'available pending sold id name categoryid status code message application application/json json charset utf-8 true false null'.split(
    ' ',
  ),
);

/** Whether a key differs from the words of ordinary responses. */
export function canBeRedacted(key: string): boolean {
  return !wordsOfResponses.has(key.toLowerCase());
}

/**
 * The parts of a base64 text that a key determines alone, whatever stands before and behind it: one for each of the three
 * positions at which the key may begin within a group of three bytes.
 */
function base64Forms(key: string): readonly string[] {
  const cores = [0, 1, 2].flatMap((before) => {
    const bytes = Buffer.concat([Buffer.alloc(before), Buffer.from(key)]);
    const core = bytes.toString('base64').slice(Math.ceil((before * 4) / 3), Math.floor((bytes.length * 4) / 3));
    return core.length < shortestBase64 ? [] : [core, core.replaceAll('+', '-').replaceAll('/', '_')];
  });
  return cores;
}

/** The forms that are found letter by letter. The near misses would disclose all but one character of the key. */
function plainForms(key: string): readonly string[] {
  const isLong = key.length > shortestForm;
  const nearMisses = isLong ? [key.slice(0, -1), key.slice(1)] : [];
  // A double keeps fifteen digits of a number.
  const rounded = /^\d{16,}$/.test(key) ? [key.slice(0, 15)] : [];
  // The hexadecimal digits of a short key may be a number.
  const hexadecimal = key.length * 2 < shortestForm ? [] : [Buffer.from(key).toString('hex')];
  const short = key.length < shortestForm ? [Buffer.from(key).toString('base64').replace(/=+$/, '')] : [];
  return [key, ...nearMisses, ...rounded, ...hexadecimal, ...short].filter(canBeRedacted);
}

/** A form of a key, in lower case: case is no protection of a key. */
interface Form {
  readonly text: string;
  /** Characters next to a match that belong to it, since they depend on the key in part. */
  readonly extends: RegExp | undefined;
}

const base64Before = /[a-z0-9+/_-]$/;

function formsOf(key: string): readonly Form[] {
  const plain = plainForms(key).map((text) => ({ text: text.toLowerCase(), extends: undefined }));
  const encoded = base64Forms(key).map((text) => ({ text: text.toLowerCase(), extends: /[a-z0-9+/_-]?={0,2}/y }));
  return [...plain, ...encoded];
}

/** A text in lower case, character by character. */
function lowerCase(text: string): string {
  const lower = text.toLowerCase();
  // Some characters outside ASCII become longer.
  return lower.length === text.length ? lower : text.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
}

function isAlphanumeric(character: string | undefined): boolean {
  return character !== undefined && /[a-z0-9]/.test(character);
}

function findForm(lower: string, { text, extends: tail }: Form, found: Range[]): void {
  for (let at = lower.indexOf(text); at !== -1; at = lower.indexOf(text, at + 1)) {
    const end = at + text.length;
    const isPart = isAlphanumeric(lower[at - 1]) || isAlphanumeric(lower[end]);
    if (tail === undefined && text.length < shortestForm && isPart) continue;
    if (tail === undefined) found.push([at, end]);
    else {
      tail.lastIndex = end;
      const start = base64Before.test(lower.slice(Math.max(0, at - 1), at)) ? at - 1 : at;
      found.push([start, end + (tail.exec(lower)?.[0].length ?? 0)]);
    }
  }
}

/** Where secrets stand in a text, also those that are written with escapes. */
function findSecrets(text: string, forms: readonly Form[]): readonly Range[] {
  const found: Range[] = [];
  let view = text;
  let toText = (start: number, end: number): Range => [start, end];
  for (let layer = 0; layer <= mostLayers; layer += 1) {
    const lower = lowerCase(view);
    const inView: Range[] = [];
    for (const form of forms) findForm(lower, form, inView);
    for (const [start, end] of inView) found.push(toText(start, end));
    const next = layer === mostLayers ? undefined : unescapeOnce(view);
    if (next === undefined) break;
    const outer = toText;
    view = next.text;
    toText = (start, end) => outer(...next.toEscaped(start, end));
  }
  return found.sort((one, other) => one[0] - other[0]);
}

/** A function that replaces every form of some keys in a text. */
export function redactor(keys: readonly string[]): Redact {
  const all = keys.filter((key) => key !== '').flatMap(formsOf);
  const forms = [...new Map(all.map((form) => [form.text, form])).values()];
  if (forms.length === 0) return (text) => text;
  return (text) => {
    const parts: string[] = [];
    let done = 0;
    for (const [start, end] of findSecrets(text, forms)) {
      if (start >= done) parts.push(text.slice(done, start), keyMark);
      done = Math.max(done, end);
    }
    return parts.length === 0 ? text : parts.join('') + text.slice(done);
  };
}
