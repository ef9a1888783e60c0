/** The credentials that a run sends: the real key, none, and everything near it that §5 does not accept. */

import type { Credential } from './exchange.ts';

/** A credential together with what it sends; the secret part never enters an exchange. */
export interface SentCredential {
  readonly shown: Credential;
  readonly headers: Readonly<Record<string, string>>;
  /** A query parameter, for keys that stand where none belongs. */
  readonly query?: string;
}

const variable = '$PETSTORE_API_KEY';

function bearer(kind: Credential['kind'], shown: string, token: string, shell: string): SentCredential {
  return {
    shown: { kind, shown, curl: `-H "Authorization: Bearer ${shell}"` },
    headers: { authorization: `Bearer ${token}` },
  };
}

export function validKey(key: string): SentCredential {
  return bearer('valid', 'the API key', key, variable);
}

export function rateLimitKey(key: string): SentCredential {
  return bearer('rate-limit', 'the rate-limit key', key, '$PETSTORE_RATE_LIMIT_KEY');
}

export const noKey: SentCredential = {
  shown: { kind: 'missing', shown: 'no Authorization header', curl: '' },
  headers: {},
};

const base64url = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';

/**
 * Another character for the last one of a key. In a key that is base64 the low bits of the last character may carry
 * nothing, so a high bit is turned.
 */
function turn(character: string): string {
  const index = base64url.indexOf(character);
  return index === -1 ? 'x' : base64url[index ^ 32]!;
}

function swapCase(text: string): string {
  return [...text]
    .map((character) => (character === character.toLowerCase() ? character.toUpperCase() : character.toLowerCase()))
    .join('');
}

function headerWith(kind: Credential['kind'], shown: string, value: string, shell: string): SentCredential {
  return {
    shown: { kind, shown, curl: `-H "Authorization: ${shell}"` },
    headers: { authorization: value },
  };
}

/** The key with exchanged case, where that makes another key: hexadecimal digits are the same in both. */
function inOtherCase(key: string): string | undefined {
  const other = swapCase(key);
  return other === key || /^[0-9a-f{}-]+$/i.test(key) ? undefined : other;
}

/** Every credential that must be refused, the likeliest mistakes first. */
export function refusedCredentials(key: string): readonly SentCredential[] {
  // The padding of base64 carries nothing: with more of it or less, it is the same key.
  const [, digits = key, padding = ''] = /^(.*?)(=*)$/.exec(key) ?? [];
  const isPadded = padding !== '';
  const turned = digits.slice(0, -1) + turn(digits.slice(-1)) + padding;
  const otherCase = inOtherCase(key);
  const sameLength = [...digits].map(turn).reverse().join('') + padding;
  const candidates: readonly (SentCredential | undefined)[] = [
    noKey,
    bearer('invalid', 'a key that was never issued', 'never-issued-key', 'never-issued-key'),
    key.length > 1 && !isPadded
      ? bearer('invalid', 'the key without its last character', key.slice(0, -1), `\${PETSTORE_API_KEY%?}`)
      : undefined,
    isPadded ? undefined : bearer('invalid', 'the key with one more character', `${key}x`, `\${PETSTORE_API_KEY}x`),
    {
      shown: {
        kind: 'misplaced',
        shown: 'the key in X-API-Key',
        curl: `-H "X-API-Key: ${variable}"`,
      },
      headers: { 'x-api-key': key },
    },
    headerWith('misplaced', 'the key without a scheme', key, variable),
    {
      shown: {
        kind: 'misplaced',
        shown: 'the key as the user of Basic',
        curl: `-u "${variable}:"`,
      },
      headers: {
        authorization: `Basic ${Buffer.from(`${key}:`).toString('base64')}`,
      },
    },
    {
      shown: {
        kind: 'misplaced',
        shown: 'the key in the query',
        curl: `\napi_key=${variable}`,
      },
      headers: {},
      query: `api_key=${encodeURIComponent(key)}`,
    },
    bearer(
      'invalid',
      'the key with another last character',
      turned,
      `\${PETSTORE_API_KEY%${'?'.repeat(padding.length + 1)}}${turn(digits.slice(-1))}${padding}`,
    ),
    otherCase === undefined
      ? undefined
      : bearer(
          'invalid',
          'the key with upper and lower case exchanged',
          otherCase,
          `$(printf %s "${variable}" | tr a-zA-Z A-Za-z)`,
        ),
    headerWith('missing', 'the scheme Bearer without a key', 'Bearer', 'Bearer'),
    headerWith('misplaced', 'the key with the scheme Token', `Token ${key}`, `Token ${variable}`),
    key.length > 1
      ? bearer('invalid', 'the key without its first character', key.slice(1), `\${PETSTORE_API_KEY#?}`)
      : undefined,
    sameLength === key
      ? undefined
      : bearer('invalid', 'another key of the same length', sameLength, '(a key of the same length)'),
    keyElsewhere(key),
    headerWith('misplaced', 'the key with the scheme Basic, as it is', `Basic ${key}`, `Basic ${variable}`),
    headerWith('misplaced', 'the key with the scheme ApiKey', `ApiKey ${key}`, `ApiKey ${variable}`),
    bearer('invalid', 'the key with a character before it', `x${key}`, `x${variable}`),
    isPadded ? undefined : bearer('invalid', 'the key with a dot and more', `${key}.x`, `\${PETSTORE_API_KEY}.x`),
    headerWith('misplaced', 'the key with the scheme BearerX', `BearerX ${key}`, `BearerX ${variable}`),
    key === key.toLowerCase() || otherCase === undefined
      ? undefined
      : bearer('invalid', 'the key in lower case', key.toLowerCase(), `$(printf %s "${variable}" | tr A-Z a-z)`),
    keyAsBasic(key),
    headerWith('missing', 'an empty Authorization header', '', ''),
    bearer('invalid', 'the first half of the key', key.slice(0, Math.ceil(key.length / 2)), '(half of the key)'),
    bearer('invalid', 'the word null', 'null', 'null'),
    bearer('invalid', 'the word undefined', 'undefined', 'undefined'),
    bearer('invalid', 'a star', '*', '*'),
  ];
  return candidates.filter(
    (candidate) => candidate !== undefined && candidate.headers['authorization'] !== `Bearer ${key}`,
  ) as SentCredential[];
}

/** Where keys stand elsewhere. */
const otherHeaders = ['X-API-Key', 'Api-Key', 'ApiKey', 'X-Auth-Token', 'X-Access-Token', 'X-Token', 'X-Authorization'];
const cookies = ['api_key', 'token', 'session', 'access_token'];
const parameters = ['api_key', 'access_token', 'key', 'token', 'apikey', 'apiKey', 'api-key', 'auth'];

function inEach(names: readonly string[], value: string, glue: string): string {
  return names.map((name) => `${name}=${value}`).join(glue);
}

/** Servers take no more than some kilobytes of headers, and no longer lines: of a long key there are fewer copies. */
const mostCopiedBytes = 3_000;

function asManyAsFit(names: readonly string[], value: string): readonly string[] {
  return names.slice(0, Math.max(1, Math.floor(mostCopiedBytes / value.length)));
}

/** The key in every place but the Authorization header at once: one request asks about all of them. */
export function keyElsewhere(key: string): SentCredential {
  const encoded = encodeURIComponent(key);
  const headers = asManyAsFit(otherHeaders, key);
  const inCookies = asManyAsFit(cookies, encoded);
  const inQuery = asManyAsFit(parameters, encoded);
  const words = headers.map((name) => `-H "${name}: ${variable}"`).join(' ');
  return {
    shown: {
      kind: 'misplaced',
      shown: 'the key in X-API-Key and its like, in cookies and in the query',
      curl: `${words} -H "Cookie: ${inEach(inCookies, variable, '; ')}"\n${inEach(inQuery, variable, '&')}`,
    },
    headers: {
      ...Object.fromEntries(headers.map((name) => [name.toLowerCase(), key])),
      cookie: inEach(inCookies, encoded, '; '),
    },
    query: inEach(inQuery, encoded, '&'),
  };
}

/** The key as user and as password of Basic. */
export function keyAsBasic(key: string): SentCredential {
  return {
    shown: { kind: 'misplaced', shown: 'the key as user and password of Basic', curl: `-u "${variable}:${variable}"` },
    headers: { authorization: `Basic ${Buffer.from(`${key}:${key}`).toString('base64')}` },
  };
}

/** The API key behind the scheme name in lower case: HTTP accepts it, §5 does not say (gap bearer-case). */
export function lowerCaseBearer(key: string): SentCredential {
  return headerWith('lenient', 'the API key with the scheme bearer', `bearer ${key}`, `bearer ${variable}`);
}

/** The credential that a recorded exchange tells in these words, for sending it again. */
export function credentialShownAs(
  words: string,
  keys: { readonly api: string; readonly rateLimit?: string },
): SentCredential | undefined {
  const { api, rateLimit } = keys;
  return [
    validKey(api),
    lowerCaseBearer(api),
    ...(rateLimit === undefined ? [] : [rateLimitKey(rateLimit)]),
    ...refusedCredentials(api),
  ].find(({ shown }) => shown.shown === words);
}

/** Replaces every form of the keys in a text from the target: plain, base64 and URL-encoded. */
export function redactor(keys: readonly string[]): (text: string) => string {
  const forms = keys.flatMap((key) => [
    key,
    encodeURIComponent(key),
    JSON.stringify(key).slice(1, -1),
    Buffer.from(key).toString('base64'),
    Buffer.from(key).toString('base64').replace(/=+$/, ''),
    Buffer.from(key).toString('base64url'),
    Buffer.from(`${key}:`).toString('base64'),
    Buffer.from(`api:${key}`).toString('base64'),
    Buffer.from(`${key}:${key}`).toString('base64'),
    // Near misses that a run sends: a target that echoes one of them would tell all but a character of the key.
    ...(key.length > 8 ? [key.slice(0, -1), key.slice(1)] : []),
  ]);
  const patterns = [...new Set(forms)]
    .filter((form) => form.length > 0)
    .sort((one, other) => other.length - one.length)
    .map((form) => {
      const literal = form.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&');
      // A short key may be a word of the interface: only where it stands alone can it be the key.
      return form.length >= 8 ? literal : `(?<![A-Za-z0-9])${literal}(?![A-Za-z0-9])`;
    });
  if (patterns.length === 0) return (text) => text;
  const pattern = new RegExp(patterns.join('|'), 'gi');
  return (text) => text.replace(pattern, '[key]');
}

/** Redacts the strings of a JSON text and leaves its numbers alone, so that what was JSON stays what it was. */
export function redactJson(text: string, redact: (text: string) => string): string {
  if (redact(text) === text) return text;
  try {
    JSON.parse(text);
  } catch {
    return redact(text);
  }
  return text.replace(/"(?:[^"\\]|\\.)*"/g, redact);
}

/** Words that answers are made of. A key that is one of them could not be kept out of reports without changing them. */
const wordsOfAnswers: ReadonlySet<string> = new Set(
  'available pending sold id name categoryid status code message application json charset utf-8 true false null'.split(
    ' ',
  ),
);

/** Whether a key can be told from what a target says anyway. */
export function isTellable(key: string): boolean {
  return !wordsOfAnswers.has(key.toLowerCase());
}

/** Whether a header that the user gives, for a gateway before the target, holds a secret by its name. */
export function isSecretHeader(name: string): boolean {
  return /key|token|secret|auth|cookie|pass/i.test(name);
}
