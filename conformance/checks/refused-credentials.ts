/** The credentials that §5 does not accept: none, keys near the real one, and the real key where it does not belong. */

import {
  authorization,
  bearer,
  type Keys,
  keyVariable,
  noKey,
  rateLimitKey,
  type SentCredential,
  validKey,
} from '../engine/credentials.ts';

/** The ids of the credentials that must be refused. */
export type RefusedId =
  | 'none'
  | 'never-issued'
  | 'last-character-missing'
  | 'one-character-more'
  | 'without-scheme'
  | 'last-character-changed'
  | 'case-exchanged'
  | 'bearer-without-key'
  | 'scheme-token'
  | 'first-character-missing'
  | 'same-length'
  | 'scheme-basic'
  | 'scheme-api-key'
  | 'one-character-before'
  | 'dot-and-more'
  | 'scheme-bearer-x'
  | 'lower-case'
  | 'empty-header'
  | 'first-half'
  | 'word-null'
  | 'word-undefined'
  | 'star'
  | 'in-x-api-key'
  | 'basic-user'
  | 'in-query'
  | 'elsewhere'
  | 'basic-user-and-password';

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
    bearer(
      { id: 'never-issued', kind: 'invalid', title: 'a key that was never issued' },
      'never-issued-key',
      'never-issued-key',
    ),
    key.length > 1 && !isPadded
      ? bearer(
          { id: 'last-character-missing', kind: 'invalid', title: 'the key without its last character' },
          key.slice(0, -1),
          `\${PETSTORE_API_KEY%?}`,
        )
      : undefined,
    isPadded
      ? undefined
      : bearer(
          { id: 'one-character-more', kind: 'invalid', title: 'the key with one more character' },
          `${key}x`,
          `\${PETSTORE_API_KEY}x`,
        ),
    {
      shown: {
        id: 'in-x-api-key',
        kind: 'misplaced',
        title: 'the key in X-API-Key',
        curl: { words: `-H "X-API-Key: ${keyVariable}"` },
      },
      headers: { 'x-api-key': key },
    },
    authorization({ id: 'without-scheme', kind: 'misplaced', title: 'the key without a scheme' }, key, keyVariable),
    {
      shown: {
        id: 'basic-user',
        kind: 'misplaced',
        title: 'the key as the user of Basic',
        curl: { words: `-u "${keyVariable}:"` },
      },
      headers: {
        authorization: `Basic ${Buffer.from(`${key}:`).toString('base64')}`,
      },
    },
    {
      shown: {
        id: 'in-query',
        kind: 'misplaced',
        title: 'the key in the query',
        curl: { words: '', query: `api_key=${keyVariable}` },
      },
      headers: {},
      query: `api_key=${encodeURIComponent(key)}`,
    },
    bearer(
      { id: 'last-character-changed', kind: 'invalid', title: 'the key with another last character' },
      turned,
      `\${PETSTORE_API_KEY%${'?'.repeat(padding.length + 1)}}${turn(digits.slice(-1))}${padding}`,
    ),
    otherCase === undefined
      ? undefined
      : bearer(
          { id: 'case-exchanged', kind: 'invalid', title: 'the key with upper and lower case exchanged' },
          otherCase,
          `$(printf %s "${keyVariable}" | tr a-zA-Z A-Za-z)`,
        ),
    authorization(
      { id: 'bearer-without-key', kind: 'missing', title: 'the scheme Bearer without a key' },
      'Bearer',
      'Bearer',
    ),
    authorization(
      { id: 'scheme-token', kind: 'misplaced', title: 'the key with the scheme Token' },
      `Token ${key}`,
      `Token ${keyVariable}`,
    ),
    key.length > 1
      ? bearer(
          { id: 'first-character-missing', kind: 'invalid', title: 'the key without its first character' },
          key.slice(1),
          `\${PETSTORE_API_KEY#?}`,
        )
      : undefined,
    sameLength === key
      ? undefined
      : bearer(
          { id: 'same-length', kind: 'invalid', title: 'another key of the same length' },
          sameLength,
          '(a key of the same length)',
        ),
    keyElsewhere(key),
    authorization(
      { id: 'scheme-basic', kind: 'misplaced', title: 'the key with the scheme Basic, as it is' },
      `Basic ${key}`,
      `Basic ${keyVariable}`,
    ),
    authorization(
      { id: 'scheme-api-key', kind: 'misplaced', title: 'the key with the scheme ApiKey' },
      `ApiKey ${key}`,
      `ApiKey ${keyVariable}`,
    ),
    bearer(
      { id: 'one-character-before', kind: 'invalid', title: 'the key with a character before it' },
      `x${key}`,
      `x${keyVariable}`,
    ),
    isPadded
      ? undefined
      : bearer(
          { id: 'dot-and-more', kind: 'invalid', title: 'the key with a dot and more' },
          `${key}.x`,
          `\${PETSTORE_API_KEY}.x`,
        ),
    authorization(
      { id: 'scheme-bearer-x', kind: 'misplaced', title: 'the key with the scheme BearerX' },
      `BearerX ${key}`,
      `BearerX ${keyVariable}`,
    ),
    key === key.toLowerCase() || otherCase === undefined
      ? undefined
      : bearer(
          { id: 'lower-case', kind: 'invalid', title: 'the key in lower case' },
          key.toLowerCase(),
          `$(printf %s "${keyVariable}" | tr A-Z a-z)`,
        ),
    keyAsBasic(key),
    authorization({ id: 'empty-header', kind: 'missing', title: 'an empty Authorization header' }, '', ''),
    bearer(
      { id: 'first-half', kind: 'invalid', title: 'the first half of the key' },
      key.slice(0, Math.ceil(key.length / 2)),
      '(half of the key)',
    ),
    bearer({ id: 'word-null', kind: 'invalid', title: 'the word null' }, 'null', 'null'),
    bearer({ id: 'word-undefined', kind: 'invalid', title: 'the word undefined' }, 'undefined', 'undefined'),
    bearer({ id: 'star', kind: 'invalid', title: 'a star' }, '*', '*'),
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
  const words = headers.map((name) => `-H "${name}: ${keyVariable}"`).join(' ');
  return {
    shown: {
      id: 'elsewhere',
      kind: 'misplaced',
      title: 'the key in X-API-Key and its like, in cookies and in the query',
      curl: {
        words: `${words} -H "Cookie: ${inEach(inCookies, keyVariable, '; ')}"`,
        query: inEach(inQuery, keyVariable, '&'),
      },
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
    shown: {
      id: 'basic-user-and-password',
      kind: 'misplaced',
      title: 'the key as user and password of Basic',
      curl: { words: `-u "${keyVariable}:${keyVariable}"` },
    },
    headers: { authorization: `Basic ${Buffer.from(`${key}:${key}`).toString('base64')}` },
  };
}

/** The API key behind the scheme name in lower case: HTTP accepts it, §5 does not say (gap bearer-case). */
export function lowerCaseBearer(key: string): SentCredential {
  return authorization(
    { id: 'lower-case-bearer', kind: 'lenient', title: 'the API key with the scheme bearer' },
    `bearer ${key}`,
    `bearer ${keyVariable}`,
  );
}

/** The credential with an id, for sending an exchange again; undefined where these keys have none such. */
export function findCredential(id: string, { api, rateLimit }: Keys): SentCredential | undefined {
  return [
    validKey(api),
    lowerCaseBearer(api),
    ...(rateLimit === undefined ? [] : [rateLimitKey(rateLimit)]),
    ...refusedCredentials(api),
  ].find(({ shown }) => shown.id === id);
}
