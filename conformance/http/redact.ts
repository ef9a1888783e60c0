/** Keeps secrets out of evidence: every form of a key in a text from the target becomes `[key]`. */

import { endOfString } from './json.ts';
import type { Incoming } from './transport.ts';

/** What is shorter may be a word or a number of any answer. */
const shortestSecret = 8;

/** Takes the secrets out of a text. */
export type Redact = (text: string) => string;

/** The forms in which a target may echo a key: plain, base64 and URL-encoded, and near misses that a run sends. */
function formsOf(key: string): readonly string[] {
  const base64 = (text: string): string => Buffer.from(text).toString('base64');
  return [
    key,
    encodeURIComponent(key),
    JSON.stringify(key).slice(1, -1),
    base64(key),
    base64(key).replace(/=+$/, ''),
    Buffer.from(key).toString('base64url'),
    base64(`${key}:`),
    base64(`api:${key}`),
    base64(`${key}:${key}`),
    // A target that echoes one of these would tell all but a character of the key.
    ...(key.length > 8 ? [key.slice(0, -1), key.slice(1)] : []),
  ];
}

/** Replaces every form of the keys in a text. */
export function redactor(keys: readonly string[]): Redact {
  const patterns = [...new Set(keys.flatMap(formsOf))]
    .filter((form) => form.length > 0)
    .sort((one, other) => other.length - one.length)
    .map((form) => {
      const literal = form.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&');
      // A short key may be a word of the interface: only where it stands alone can it be the key.
      return form.length >= shortestSecret ? literal : `(?<![A-Za-z0-9])${literal}(?![A-Za-z0-9])`;
    });
  if (patterns.length === 0) return (text) => text;
  const pattern = new RegExp(patterns.join('|'), 'gi');
  return (text) => text.replace(pattern, '[key]');
}

/**
 * Redacts the strings of a JSON text and leaves its numbers alone, so that what was JSON stays what it was. Looks for
 * the strings by hand: a regular expression for them overflows its stack on some megabytes.
 */
export function redactJson(text: string, redact: Redact): string {
  if (redact(text) === text) return text;
  try {
    JSON.parse(text);
  } catch {
    return redact(text);
  }
  const parts: string[] = [];
  let done = 0;
  for (let open = text.indexOf('"'); open !== -1; open = text.indexOf('"', done)) {
    const end = endOfString(text, open);
    parts.push(text.slice(done, open), redact(text.slice(open, end)));
    done = end;
  }
  return parts.join('') + text.slice(done);
}

/** An answer without a text of the request, which is nearly the key: byte for byte, so that nothing else changes. */
export function withoutEcho<Answer extends Pick<Incoming, 'headers' | 'body'>>(
  answer: Answer,
  secret: string | undefined,
): Answer {
  if (secret === undefined || secret.length < shortestSecret) return answer;
  const without = (text: string): string => text.replaceAll(secret, '[key]');
  const headers = Object.fromEntries(Object.entries(answer.headers).map(([name, value]) => [name, without(value)]));
  const body = Buffer.from(answer.body);
  const isEchoed = body.includes(secret);
  return { ...answer, headers, ...(isEchoed ? { body: Buffer.from(without(body.toString('latin1')), 'latin1') } : {}) };
}

/** Words that answers are made of. A key that is one of them could not be kept out of reports without changing them. */
const wordsOfAnswers: ReadonlySet<string> = new Set(
  'available pending sold id name categoryid status code message application json charset utf-8 true false null'.split(
    ' ',
  ),
);

/** Whether a key can be told from what a target says anyway. */
export function canBeRedacted(key: string): boolean {
  return !wordsOfAnswers.has(key.toLowerCase());
}

/** Whether a header that the user gives, for a gateway before the target, holds a secret by its name. */
export function isSecretHeader(name: string): boolean {
  return /key|token|secret|auth|cookie|pass/i.test(name);
}
