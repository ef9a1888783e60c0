/** Writes the request of an exchange as a curl line that sends it again. */

import { encodeBody } from './body-bytes.ts';
import type { Exchange } from './exchange.ts';

/** Control characters, characters that are invisible or change the direction of text, and bytes that are not UTF-8. */
const unprintable = /[\x00-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\udc80-\udcff]/u;

/** Quotes a word for a POSIX shell. */
export function quoteForShell(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

/** Quotes a text for %b of printf: unprintable characters, quotes and backslashes become octal escapes. */
function quoteForPrintf(text: string): string {
  const octal = (byte: number): string => `\\0${byte.toString(8).padStart(3, '0')}`;
  const isPlain = (one: string): boolean => !unprintable.test(one) && !/['\\]/.test(one);
  return `'${[...text].map((one) => (isPlain(one) ? one : [...encodeBody(one)].map(octal).join(''))).join('')}'`;
}

/** Quotes a word for a POSIX shell, unless it is plain without quotes. */
export function quoteWord(word: string): string {
  return /^[\w./:-]+$/.test(word) ? word : quoteForShell(word);
}

export function curlOf({ request, credential }: Pick<Exchange, 'request' | 'credential'>, baseUrl: string): string {
  const { method, target, headers, body } = request;
  const { words: credentialWords, query } = credential.curl;
  const url = baseUrl + target;
  const words = ['curl', '-i'];
  // Otherwise curl expands brackets and braces, and removes dot segments.
  if (/[[\]{}]/.test(url)) words.push('-g');
  if (/\/\.{1,2}(?:[/?]|$)/.test(url)) words.push('--path-as-is');
  if (method === 'HEAD') words.push('--head');
  else if (method !== 'GET' || body !== undefined) words.push('-X', quoteWord(method));
  const glue = target.includes('?') ? '&' : '?';
  words.push(query === undefined ? quoteForShell(url) : `${quoteForShell(url)}"${glue}${query}"`);
  if (credentialWords !== '') words.push(credentialWords);
  // curl takes a header that begins with @ for the name of a file.
  for (const [name, value] of Object.entries(headers).filter(([one]) => /^[\w-]+$/.test(one))) {
    // curl sends no header without a value, unless a semicolon follows its name.
    words.push('-H', quoteForShell(value === '' ? `${name};` : `${name}: ${value}`));
  }
  // curl adds a media type to a body without one.
  if (body !== undefined && headers['content-type'] === undefined) words.push('-H', quoteForShell('Content-Type:'));
  if (body !== undefined && unprintable.test(body)) {
    return `printf %b ${quoteForPrintf(body)} | ${[...words, '--data-binary', '@-'].join(' ')}`;
  }
  // --data-raw, since --data-binary takes a body that begins with @ for the name of a file.
  if (body !== undefined) words.push('--data-raw', quoteForShell(body));
  return words.join(' ');
}
