/** Writes the request of an exchange as a curl line that sends it again. */

import { encodeBody } from './body-bytes.ts';
import type { Exchange } from './exchange.ts';

/**
 * Characters that an output escapes, or that a viewer or a clipboard may change: control and format characters, line ends,
 * code units that are no character, bytes that are not UTF-8, blanks other than a single space, and the second of two `#`,
 * which may begin a command to a CI.
 */
const fragile = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}\ufffe\uffff]|(?! )\p{Zs}|(?<= ) | (?= )|(?<=#)#/gu;

function isFragile(text: string): boolean {
  return text.search(fragile) >= 0;
}

/** Quotes a word for a POSIX shell. */
export function quoteForShell(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

function escapeBytes(text: string, prefix: string): string {
  return [...encodeBody(text)].map((byte) => prefix + byte.toString(8).padStart(3, '0')).join('');
}

/** The address with escapes for everything but visible ASCII: HTTP sends nothing else. */
function escapeUrl(url: string): string {
  return url.replace(/[^!-~]+/g, (found) => encodeBody(found).toString('hex').toUpperCase().replace(/../g, '%$&'));
}

/** The command that prints a text: fragile characters, quotes and backslashes become octal escapes. */
function printText(text: string): string {
  const escaped = text.replace(/['\\]+/g, (found) => escapeBytes(found, '\\0'));
  return `printf %b '${escaped.replace(fragile, (found) => escapeBytes(found, '\\0'))}'`;
}

/** The command that prints a text several times: printf reads its format once for each argument, of which it prints nothing. */
function printRepeated(text: string, times: number): string {
  const escaped = text.replace(/['\\%]|^-/g, (found) => escapeBytes(found, '\\'));
  return `printf '${escaped.replace(fragile, (found) => escapeBytes(found, '\\'))}%.0s' $(seq ${times})`;
}

/** A text of up to twelve characters that is repeated at least twenty times. */
const repeated = /(.{1,12}?)\1{19,}/gsu;
/** A shorter text is written out. */
const longEnough = 100;

/** A part of a body: a text, and how often it stands there in a row. */
interface BodyPart {
  readonly text: string;
  readonly times: number;
}

/** Cuts a body where something is repeated, so that a line need not write it out. */
function partsOfBody(body: string): readonly BodyPart[] {
  const parts: BodyPart[] = [];
  let end = 0;
  for (const { 0: whole, 1: text = '', index } of body.matchAll(repeated)) {
    if (whole.length < longEnough) continue;
    if (index > end) parts.push({ text: body.slice(end, index), times: 1 });
    parts.push({ text, times: whole.length / text.length });
    end = index + whole.length;
  }
  if (end < body.length) parts.push({ text: body.slice(end), times: 1 });
  return parts;
}

/** Most systems take no longer argument of a program. */
const longestArgument = 100_000;

/** Bytes, of which a character has at most three for each code unit. */
const longestUnasked = 1_024 / 3;

/** The command whose output is the body; undefined where the body can be an argument of curl. */
function printBody(body: string): string | undefined {
  const parts = partsOfBody(body);
  const hasRepetition = parts.some(({ times }) => times > 1);
  if (!hasRepetition && !isFragile(body) && body.length <= longestArgument) return undefined;
  const commands = parts.map(({ text, times }) => (times > 1 ? printRepeated(text, times) : printText(text)));
  return commands.length === 1 ? commands[0] : `{ ${commands.join('; ')}; }`;
}

/** Quotes a word of a request; what a viewer may change is printed by a command. */
function quoteExactly(text: string): string {
  return isFragile(text) ? `"$(${printText(text)})"` : quoteForShell(text);
}

/** Quotes a word for a POSIX shell, unless it is plain without quotes. */
export function quoteWord(word: string): string {
  return /^[\w./:-]+$/.test(word) ? word : quoteForShell(word);
}

/**
 * The line that sends the request of an exchange byte for byte. It is one line of visible characters that no format has to
 * escape, wrap or shorten.
 */
export function curlOf({ request, credential }: Pick<Exchange, 'request' | 'credential'>, baseUrl: string): string {
  const { method, target, headers, body } = request;
  const { words: credentialWords, query } = credential.curl;
  const url = escapeUrl(baseUrl + target);
  const words = ['curl', '-i'];
  // Otherwise curl expands brackets and braces, and removes dot segments.
  if (/[[\]{}]/.test(url)) words.push('-g');
  if (/\/\.{1,2}(?:[/?]|$)/.test(url)) words.push('--path-as-is');
  if (method === 'HEAD') words.push('--head');
  else if (method !== 'GET' || body !== undefined) words.push('-X', quoteWord(method));
  const glue = target.includes('?') ? '&' : '?';
  words.push(query === undefined ? quoteExactly(url) : `${quoteExactly(url)}"${glue}${query}"`);
  if (credentialWords !== '') words.push(credentialWords);
  // curl takes a header that begins with @ for the name of a file.
  for (const [name, value] of Object.entries(headers).filter(([one]) => /^[\w-]+$/.test(one))) {
    // curl sends no header without a value, unless a semicolon follows its name.
    words.push('-H', quoteExactly(value === '' ? `${name};` : `${name}: ${value}`));
  }
  // curl adds a media type to a body without one.
  if (body !== undefined && headers['content-type'] === undefined) words.push('-H', quoteForShell('Content-Type:'));
  if (body === undefined) return words.join(' ');
  // Otherwise an older curl asks by a header whether it may send a long body.
  if (body.length > longestUnasked) words.push('-H', quoteForShell('Expect:'));
  const printed = printBody(body);
  if (printed !== undefined) return `${printed} | ${[...words, '--data-binary', '@-'].join(' ')}`;
  // --data-raw, since --data-binary takes a body that begins with @ for the name of a file.
  return [...words, '--data-raw', quoteForShell(body)].join(' ');
}
