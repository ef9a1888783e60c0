/** Curl lines: what sends the request of an exchange again. */

import { splitObject } from './credentials.ts';
import type { Exchange } from './exchange.ts';

/** Quotes a word for a POSIX shell; control characters need the $'…' form of bash. */
export function quoteForShell(text: string): string {
  if (!/[\x00-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069]/.test(text)) return `'${text.replaceAll("'", `'\\''`)}'`;
  const escaped = [...text].map((character) => {
    if (character === "'" || character === '\\') return `\\${character}`;
    const code = character.codePointAt(0) ?? 0;
    return code < 0x20 || (code >= 0x7f && code <= 0x9f) || /[\u2028-\u202e\u2066-\u2069]/.test(character)
      ? `\\u${code.toString(16).padStart(4, '0')}`
      : character;
  });
  return `$'${escaped.join('')}'`;
}

function quoteBody(body: string, fields: string | undefined): string {
  const parts = fields === undefined ? undefined : splitObject(body);
  return parts === undefined ? quoteForShell(body) : `${quoteForShell(parts[0])}"${fields}"${quoteForShell(parts[1])}`;
}

/** The curl line that sends the request of an exchange again. */
export function curlOf({ request, credential }: Pick<Exchange, 'request' | 'credential'>, baseUrl: string): string {
  const { method, target, headers, body } = request;
  const { words: credentialWords, query, fields } = credential.curl;
  const words = ['curl', '-i'];
  if (method !== 'GET') words.push('-X', method);
  const glue = target.includes('?') ? '&' : '?';
  const url = quoteForShell(baseUrl + target);
  words.push(query === undefined ? url : `${url}"${glue}${query}"`);
  if (credentialWords !== '') words.push(credentialWords);
  for (const [name, value] of Object.entries(headers)) words.push('-H', quoteForShell(`${name}: ${value}`));
  if (body !== undefined) words.push('--data-binary', quoteBody(body, fields));
  return words.join(' ');
}
