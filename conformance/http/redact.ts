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

export function canBeRedacted(key: string): boolean {
  return !wordsOfResponses.has(key.toLowerCase());
}

/**
 * The parts of a base64 text that some bytes determine alone, whatever stands before and behind them: one for each of the
 * three positions at which the bytes may begin within a group of three.
 */
function base64Cores(bytes: Buffer): readonly string[] {
  return [0, 1, 2].flatMap((before) => {
    const whole = Buffer.concat([Buffer.alloc(before), bytes]);
    const core = whole.toString('base64').slice(Math.ceil((before * 4) / 3), Math.floor((whole.length * 4) / 3));
    return core.length < shortestBase64 ? [] : [core, core.replaceAll('+', '-').replaceAll('/', '_')];
  });
}

/** The forms that are found letter by letter. The near misses would disclose all but one character of the key. */
function plainForms(key: string): readonly string[] {
  const isLong = key.length > shortestForm;
  const nearMisses = isLong ? [key.slice(0, -1), key.slice(1)] : [];
  // A double keeps fifteen digits of a number.
  const rounded = /^\d{16,}$/.test(key) ? [key.slice(0, 15)] : [];
  const short = key.length < shortestForm ? [Buffer.from(key).toString('base64').replace(/=+$/, '')] : [];
  return [key, ...nearMisses, ...rounded, ...short].filter(canBeRedacted);
}

/** A form of a key, in lower case: case is no protection of a key. */
interface Form {
  readonly text: string;
  /** How many characters on each side of a match belong to it, since they depend on the key in part; undefined if none. */
  readonly margin?: number;
}

function formsOf(key: string): readonly Form[] {
  const once = base64Cores(Buffer.from(key));
  const twice = once.flatMap((core) => base64Cores(Buffer.from(core)));
  // PowerShell encodes both bytes of each character.
  const wide = base64Cores(Buffer.from(key, 'utf16le'));
  return [
    ...plainForms(key).map((text) => ({ text: text.toLowerCase() })),
    ...[...once, ...wide].map((text) => ({ text: text.toLowerCase(), margin: 1 })),
    ...twice.map((text) => ({ text: text.toLowerCase(), margin: 2 })),
  ];
}

/** The hexadecimal digits of a key. */
interface Digits {
  /** Finds the first bytes: V8 takes milliseconds to compile the whole of a long key, and most texts have not even these. */
  readonly beginning: RegExp;
  readonly whole: RegExp;
}

const bytesOfBeginning = 4;

/** Finds the hexadecimal digits of a key also as dumps and literals write them: `6b:65:79`, `0x6b, 0x65, 0x79`. */
function hexadecimalOf(key: string): readonly Digits[] {
  const bytes = Buffer.from(key).toString('hex').match(/../g) ?? [];
  // The digits of a short key may be a number.
  if (bytes.length * 2 < shortestForm) return [];
  const between = '[\\s:;,.-]{0,2}(?:0x)?';
  return [
    {
      beginning: new RegExp(bytes.slice(0, bytesOfBeginning).join(between)),
      whole: new RegExp(bytes.join(between), 'g'),
    },
  ];
}

function lowerCase(text: string): string {
  const lower = text.toLowerCase();
  // Some characters outside ASCII become longer.
  return lower.length === text.length ? lower : text.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
}

function isAlphanumeric(character: string | undefined): boolean {
  return character !== undefined && /[a-z0-9]/.test(character);
}

function isBase64(character: string | undefined): boolean {
  return character !== undefined && /[a-z0-9+/_-]/.test(character);
}

function findForm(lower: string, { text, margin }: Form, found: Range[]): void {
  for (let at = lower.indexOf(text); at !== -1; at = lower.indexOf(text, at + 1)) {
    let [start, end] = [at, at + text.length];
    const isPart = isAlphanumeric(lower[start - 1]) || isAlphanumeric(lower[end]);
    if (margin === undefined && text.length < shortestForm && isPart) continue;
    for (let side = 0; side < (margin ?? 0); side += 1) {
      if (isBase64(lower[start - 1])) start -= 1;
      if (isBase64(lower[end])) end += 1;
    }
    if (margin !== undefined) while (lower[end] === '=') end += 1;
    found.push([start, end]);
  }
}

/**
 * A function that tells quickly whether a text may have one of some words: two characters tell how far ahead the next word
 * may begin (Wu and Manber).
 */
function searchFor(words: readonly string[]): (text: string) => boolean {
  const shortest = Math.min(...words.map(({ length }) => length));
  const indexOf = (text: string, at: number): number =>
    ((text.charCodeAt(at - 1) << 7) ^ text.charCodeAt(at)) & (skips.length - 1);
  const beginnings = new Set(words.map((word) => word.slice(0, shortest)));
  const skips = new Uint16Array(2 ** 14).fill(shortest - 1);
  for (const word of words) {
    for (let at = 1; at < shortest; at += 1) {
      const index = indexOf(word, at);
      skips[index] = Math.min(skips[index]!, shortest - 1 - at);
    }
  }
  return (text) => {
    for (let at = shortest - 1; at < text.length; ) {
      const skip = skips[indexOf(text, at)]!;
      if (skip === 0 && beginnings.has(text.slice(at + 1 - shortest, at + 1))) return true;
      at += skip || 1;
    }
    return false;
  };
}

interface Forms {
  readonly texts: readonly Form[];
  readonly mayHaveTexts: (lower: string) => boolean;
  readonly digits: readonly Digits[];
}

/** Where secrets stand in a text, also those that are written with escapes. */
function findSecrets(text: string, { texts, mayHaveTexts, digits }: Forms): readonly Range[] {
  const found: Range[] = [];
  let view = text;
  let toText = (start: number, end: number): Range => [start, end];
  for (let layer = 0; layer <= mostLayers; layer += 1) {
    const lower = lowerCase(view);
    const inView: Range[] = [];
    if (mayHaveTexts(lower)) for (const form of texts) findForm(lower, form, inView);
    for (const { beginning, whole } of digits) {
      if (!beginning.test(lower)) continue;
      for (const { index, 0: match } of lower.matchAll(whole)) inView.push([index, index + match.length]);
    }
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
  const secrets = [...new Set(keys)].filter((key) => key !== '');
  if (secrets.length === 0) return (text) => text;
  const texts = new Map(secrets.flatMap(formsOf).map((form) => [form.text, form]));
  const forms: Forms = {
    texts: [...texts.values()],
    mayHaveTexts: searchFor([...texts.keys()]),
    digits: secrets.flatMap(hexadecimalOf),
  };
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
