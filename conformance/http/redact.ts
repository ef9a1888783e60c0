/** Takes secrets out of texts: a key becomes `[key]`, whether it is echoed plain, percent-encoded, with escapes of JSON or in base64. */

import { isJsonText } from './json.ts';

export type Redact = (text: string) => string;

export const keyMark = '[key]';
/** A shorter text may be a word or a number of any response. */
export const shortestSecret = 8;
/** A shorter base64 text is found by chance. */
const shortestBase64 = 6;

/** Matches a text, each of whose bytes may be percent-encoded. */
function plainPattern(text: string): string {
  const pattern = [...text]
    .map((character) => {
      const escaped = Buffer.from(character).toString('hex').replace(/../g, '%$&');
      return `(?:${character.replace(/[\\^$.*+?()[\]{}|/-]/, '\\$&')}|${escaped})`;
    })
    .join('');
  return text.length < shortestSecret ? `(?<![a-z0-9])${pattern}(?![a-z0-9])` : pattern;
}

/**
 * Matches the base64 text of a key within a longer text. Base64 writes groups of three bytes, and the key may begin at each
 * place of a group. Each of the three patterns has the characters that depend on the key alone, and on each side the one that
 * depends on its neighbour as well.
 */
function base64Patterns(key: string): readonly string[] {
  return [0, 1, 2].flatMap((before) => {
    const whole = Buffer.concat([Buffer.alloc(before), Buffer.from(key)]);
    const core = whole.toString('base64').slice(Math.ceil((before * 4) / 3), Math.floor((whole.length * 4) / 3));
    if (core.length < shortestBase64) return [];
    const characters = [...core].map((one) => ({ '+': '(?:[+-]|%2b)', '/': '(?:[/_]|%2f)' })[one] ?? one);
    return [`[a-z0-9+/_-]?${characters.join('')}[a-z0-9+/_-]?(?:=|%3d){0,2}`];
  });
}

/** Patterns for a key, for the key without its first or last character, and for its base64 text. */
function patternsOf(key: string): readonly string[] {
  const nearMisses = key.length > shortestSecret ? [key.slice(0, -1), key.slice(1)] : [];
  return [...[key, ...nearMisses].map(plainPattern), ...base64Patterns(key)];
}

/** A function that replaces every form of some keys in a text. */
export function redactor(keys: readonly string[]): Redact {
  // The longest key first, since one may be the beginning of another.
  const secrets = [...new Set(keys)].filter((key) => key !== '').sort((one, other) => other.length - one.length);
  if (secrets.length === 0) return (text) => text;
  const pattern = new RegExp(secrets.flatMap(patternsOf).join('|'), 'gi');
  return (text) => text.replace(pattern, keyMark);
}

const jsonString = /"(?:[^"\\]|\\.)*"/gs;

/**
 * Redacts the strings of a JSON text, names of fields included, so that it stays JSON with all its numbers: an id may have
 * the digits of a key. Redacts any other text as a whole.
 */
export function redactBody(text: string, redact: Redact): string {
  if (!text.includes('\\') && redact(text) === text) return text;
  if (!isJsonText(text)) return redact(text);
  return text.replace(jsonString, (written) => {
    const value = JSON.parse(written) as string;
    const redacted = redact(value);
    return redacted === value ? written : JSON.stringify(redacted);
  });
}
