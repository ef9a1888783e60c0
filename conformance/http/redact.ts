/** Takes secrets out of texts: each form in which a target may echo a key becomes `[key]`. */

import { unescapeOnce } from './unescape.ts';

/** Replaces the secrets in a text. */
export type Redact = (text: string) => string;

const mark = '[key]';
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

/** Whether a key can be told from the words of ordinary responses. */
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
  return [...new Set(cores)];
}

/** The forms that are found letter by letter. The near misses would disclose all but one character of the key. */
function plainForms(key: string): readonly string[] {
  const isLong = key.length > shortestForm;
  const nearMisses = isLong ? [key.slice(0, -1), key.slice(1)] : [];
  // A double keeps fifteen digits of a number.
  const rounded = /^\d{16,}$/.test(key) ? [key.slice(0, 15)] : [];
  const hexadecimal = Buffer.from(key).toString('hex');
  const short = key.length < shortestForm ? [Buffer.from(key).toString('base64').replace(/=+$/, '')] : [];
  return [key, ...nearMisses, ...rounded, hexadecimal, ...short].filter(canBeRedacted);
}

function literal(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&');
}

function patternOf(keys: readonly string[]): RegExp | undefined {
  const known = keys.filter((key) => key !== '');
  const plain = [...new Set(known.flatMap(plainForms))]
    .sort((one, other) => other.length - one.length)
    .map((form) =>
      form.length >= shortestForm ? literal(form) : `(?<![A-Za-z0-9])${literal(form)}(?![A-Za-z0-9])`,
    );
  // The characters at both ends depend on the key in part.
  const encoded = known.flatMap(base64Forms).map((core) => `[A-Za-z0-9+/_-]?${literal(core)}[A-Za-z0-9+/_-]?={0,2}`);
  return plain.length === 0 ? undefined : new RegExp([...plain, ...encoded].join('|'), 'gi');
}

type Range = readonly [start: number, end: number];

/** Where secrets stand in a text, also those that are written with escapes. */
function findSecrets(text: string, pattern: RegExp): readonly Range[] {
  const found: Range[] = [];
  let [view, toText] = [text, (start: number, end: number): Range => [start, end]];
  for (let layer = 0; layer <= mostLayers; layer += 1) {
    for (const match of view.matchAll(pattern)) found.push(toText(match.index, match.index + match[0].length));
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
  const pattern = patternOf(keys);
  if (pattern === undefined) return (text) => text;
  return (text) => {
    const parts: string[] = [];
    let done = 0;
    for (const [start, end] of findSecrets(text, pattern)) {
      if (start >= done) parts.push(text.slice(done, start), mark);
      done = Math.max(done, end);
    }
    return parts.length === 0 ? text : parts.join('') + text.slice(done);
  };
}
