/** Takes secrets out of texts: a key becomes `[key]`, whether it is echoed plain, percent-encoded, with escapes of JSON or in base64. */

import { planLimits } from '../../spec/facts.ts';
import { operations, petStatuses } from '../../spec/operations.ts';
import { isJsonText } from './json.ts';

export type Redact = (text: string) => string;

export const keyMark = '[key]';
/** A shorter text may be a word or a number of any response. */
export const shortestSecret = 8;
/** A shorter base64 text is found by chance. */
const shortestBase64 = 6;
/** A shorter beginning or end of a key discloses little, and is found by chance. */
const shortestPart = 4;

/** Words of the interface: they stand in every report, so that hiding them would protect nothing and spoil what is shown. */
const interfaceWords: ReadonlySet<string> = new Set(
  [
    ...Object.keys(operations),
    ...petStatuses,
    ...Object.keys(planLimits),
    'id',
    'name',
    'categoryId',
    'status',
    'code',
    'message',
    'limit',
    'pets',
    '/pets',
    'v1',
    '/v1',
    'bearer',
    'authorization',
    'application/json',
    'retry-after',
    'true',
    'false',
    'null',
    'x-ratelimit-limit',
    'x-ratelimit-remaining',
    'x-ratelimit-reset',
  ].map((word) => word.toLowerCase()),
);

/** Matches a text, each of whose bytes may be percent-encoded. */
function spelled(text: string): string {
  return [...text]
    .map((character) => {
      const escaped = Buffer.from(character).toString('hex').replace(/../g, '%$&');
      return `(?:${character.replace(/[\\^$.*+?()[\]{}|/-]/, '\\$&')}|${escaped})`;
    })
    .join('');
}

/** Matches a key; a short one only where it is no part of a longer word. */
function plainPattern(key: string): string {
  return key.length < shortestSecret ? `(?<![a-z0-9])${spelled(key)}(?![a-z0-9])` : spelled(key);
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

/** Patterns for a key, for the key without its first or last character, as JSON writes it, and for its base64 text. */
function patternsOf(key: string): readonly string[] {
  const nearMisses = key.length > shortestSecret ? [key.slice(0, -1), key.slice(1)] : [];
  const plain = new Set([key, ...nearMisses].flatMap((text) => [text, JSON.stringify(text).slice(1, -1)]));
  return [...[...plain].map(plainPattern), ...base64Patterns(key)];
}

/** Where a sentence cuts a value, a key may have lost its end or its beginning. */
const cut = '(?:…|\\.\\.\\.)';

/** Patterns for the beginnings of a key in front of a cut, and for its ends behind one, the longest first. */
function patternsAtCuts(key: string): readonly string[] {
  const lengths = Array.from({ length: Math.max(0, key.length - shortestPart) }, (_nothing, at) => key.length - 1 - at);
  return [
    ...lengths.map((length) => `${spelled(key.slice(0, length))}(?="?${cut})`),
    ...lengths.map((length) => `(?<=${cut}"?)${spelled(key.slice(-length))}`),
  ];
}

/** A function that replaces every form of some keys in a text. A key that is a word of the interface is left as it is. */
export function redactor(keys: readonly string[]): Redact {
  // The longest key first, since one may be the beginning of another.
  const secrets = [...new Set(keys)]
    .filter((key) => key !== '' && !interfaceWords.has(key.toLowerCase()))
    .sort((one, other) => other.length - one.length);
  if (secrets.length === 0) return (text) => text;
  const whole = new RegExp(secrets.flatMap(patternsOf).join('|'), 'gi');
  let atCuts: RegExp | undefined;
  return (text) => {
    const redacted = text.replace(whole, keyMark);
    if (!/…|\.\.\./.test(redacted)) return redacted;
    atCuts ??= new RegExp(secrets.flatMap(patternsAtCuts).join('|') || '(?!)', 'gi');
    return redacted.replace(atCuts, keyMark);
  };
}

/** A string of JSON. The last one of a text that was cut has no end. */
const jsonString = /"(?:[^"\\]|\\.)*(?:"|\\?$)/gs;
/** An escape that was cut. */
const halfEscape = /\\(?:u[\da-f]{0,3})?$/i;

/** Redacts the text in the quotes of a string of JSON. */
function redactString(written: string, redact: Redact): string {
  const hasEnd = written.endsWith('"');
  try {
    const value = JSON.parse(hasEnd ? written : `${written.replace(halfEscape, '')}"`) as string;
    const redacted = redact(value);
    if (redacted === value) return written;
    return hasEnd ? JSON.stringify(redacted) : JSON.stringify(redacted).slice(0, -1);
  } catch {
    // No string of JSON.
    return written;
  }
}

/**
 * Redacts the strings of a JSON text, names of fields included, so that it stays JSON with all its numbers: an id may have
 * the digits of a key. Redacts any other text as a whole, and what JSON may have escaped in it: the text may be cut JSON.
 */
export function redactBody(text: string, redact: Redact): string {
  if (!text.includes('\\') && redact(text) === text) return text;
  const inStrings = text.replace(jsonString, (written) => redactString(written, redact));
  return isJsonText(text) ? inStrings : redact(inStrings);
}
