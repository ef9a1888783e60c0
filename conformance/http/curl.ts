/** Writes the request of an exchange as a curl line, which sends it again. */

import { byteOf } from './body-bytes.ts';
import { splitObject } from './credentials.ts';
import type { Exchange } from './exchange.ts';

/** Characters that a terminal obeys, does not show, or shows elsewhere. */
const controlOrMark = /[\x00-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069]/;

/** Quotes a word for a POSIX shell; control characters need the $'…' form of bash. */
export function quoteForShell(text: string): string {
  if (!controlOrMark.test(text) && !/[\udc80-\udcff]/u.test(text)) return `'${text.replaceAll("'", `'\\''`)}'`;
  const escaped = [...text].map((character) => {
    if (character === "'" || character === '\\') return `\\${character}`;
    const code = character.codePointAt(0) ?? 0;
    if (code >= 0xdc80 && code <= 0xdcff) return `\\x${byteOf(code).toString(16)}`;
    return controlOrMark.test(character) ? `\\u${code.toString(16).padStart(4, '0')}` : character;
  });
  return `$'${escaped.join('')}'`;
}

function quoteBody(body: string, fields: string | undefined): string {
  const parts = fields === undefined ? undefined : splitObject(body);
  return parts === undefined ? quoteForShell(body) : `${quoteForShell(parts[0])}"${fields}"${quoteForShell(parts[1])}`;
}

/** A byte in the escapes of `printf %b`. */
function octalOf(byte: number): string {
  return `\\0${byte.toString(8).padStart(3, '0')}`;
}

/** Quotes a text for `printf %b`, which prints what no word of a shell can hold: a NUL. */
function quoteForPrintf(text: string): string {
  const escaped = [...text].map((character) => {
    const code = character.codePointAt(0) ?? 0;
    if (code >= 0xdc80 && code <= 0xdcff) return octalOf(byteOf(code));
    if (character === '\\') return '\\\\';
    return controlOrMark.test(character) ? [...Buffer.from(character)].map(octalOf).join('') : character;
  });
  return `'${escaped.join('').replaceAll("'", `'\\''`)}'`;
}

function printBody(body: string, fields: string | undefined): string {
  const parts = fields === undefined ? undefined : splitObject(body);
  if (parts === undefined) return `printf %b ${quoteForPrintf(body)}`;
  return `printf %b%s%b ${quoteForPrintf(parts[0])} "${fields}" ${quoteForPrintf(parts[1])}`;
}

/** Quotes a word where a shell would read it otherwise. */
export function quoteWord(word: string): string {
  return /^[\w./:-]+$/.test(word) ? word : quoteForShell(word);
}

export function curlOf({ request, credential }: Pick<Exchange, 'request' | 'credential'>, baseUrl: string): string {
  const { method, target, headers, body } = request;
  const { words: credentialWords, query, fields } = credential.curl;
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
  for (const [name, value] of Object.entries(headers)) {
    // curl sends no header without a value, unless a semicolon follows its name.
    words.push('-H', quoteForShell(value === '' ? `${name};` : `${name}: ${value}`));
  }
  // curl adds a media type to a body without one.
  if (body !== undefined && headers['content-type'] === undefined) words.push('-H', quoteForShell('Content-Type:'));
  if (body?.includes('\0')) return `${printBody(body, fields)} | ${[...words, '--data-binary', '@-'].join(' ')}`;
  // A body that begins with @ would be the name of a file for --data-binary.
  if (body !== undefined) words.push('--data-raw', quoteBody(body, fields));
  return words.join(' ');
}

const bare = '[\\w./-]+';
const single = "'[^']*'|\\\\'|\\$'(?:\\\\[^]|[^'\\\\])*'";
const ownVariable = '\\$\\{?PETSTORE_(?:API|RATE_LIMIT)_KEY(?:[#%]\\?|)\\}?';
const double = `"(?:[^"\`$\\\\]|\\\\"|${ownVariable})*"`;
const quoted = `(?:${single}|${double})+`;
/** curl would read headers from a file where the value begins with @. */
const header = `-H (?=\\$?['"][A-Za-z0-9_])${quoted}`;
const flag = `-[ig]|--path-as-is|--head|-X (?:${bare}|${quoted})|${header}|-u ${quoted}|--data-raw ${quoted}`;
const request = `curl(?: (?:${flag}|(?=\\$?'https?://)${quoted}))+`;
const harmless = new RegExp(
  `^(?:${request}|printf (?:%b|%b%s%b)(?: ${quoted})+ \\| ${request} --data-binary @-|petstore-server --service ${quoted})$`,
);

/**
 * Whether a command that a stranger's report holds does no more than the kit's own: it sends one request, to an address in
 * sight, reads no file, and runs no other command. Those that compute a key are left out as well.
 */
export function isHarmlessCommand(text: string): boolean {
  return harmless.test(text);
}
