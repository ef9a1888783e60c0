/** §5 Every credential that a run sends: one table of templates, read as what is sent and as its text for a shell. */

import { defined } from '../../../spec/defined.ts';
import {
  type CredentialName,
  type Keys,
  keyVariable,
  noKey,
  rateLimitKey,
  type SentCredential,
  validKey,
} from '../../http/credentials.ts';
import type { CredentialKind } from '../../http/exchange.ts';
import { memoize } from '../../http/memoize.ts';

const half = (key: string): number => Math.ceil(key.length / 2);

/** A character that differs from one in a high bit: the low bits of the last one of a key in base64 may be padding. */
const otherThan = (character = ''): string => (/[A-Za-f]/.test(character) ? '7' : 'A');

const through = (command: string): string => `$(printf %s "${keyVariable}" | ${command})`;

/** What stands in the braces of a template: the text that is made from the key, and the same for a shell. */
const parts = {
  key: (key) => [key, `\${PETSTORE_API_KEY}`],
  'key%?': (key) => [key.slice(0, -1), `\${PETSTORE_API_KEY%?}`],
  'key#?': (key) => [key.slice(1), `\${PETSTORE_API_KEY#?}`],
  'first-half': (key) => [key.slice(0, half(key)), `$(printf %.${half(key)}s "${keyVariable}")`],
  'other-first': (key) => [otherThan(key[0]) + key.slice(1), through(`sed 's/^./${otherThan(key[0])}/'`)],
  'other-middle': (key) => {
    const [at, other] = [half(key), otherThan(key[half(key) - 1])];
    return [key.slice(0, at - 1) + other + key.slice(at), through(`sed 's/./${other}/${at}'`)];
  },
  'other-last': (key) => {
    const other = otherThan(/.(?==*$)/.exec(key)?.[0]);
    return [key.replace(/.(=*)$/, `${other}$1`), through(`sed 's/.\\(=*\\)$/${other}\\1/'`)];
  },
  sevens: (key) => ['7'.repeat(key.length), through('sed s/./7/g')],
  'without-separators': (key) => [key.replace(/[-_.]/g, ''), through(`sed 's/[-_.]//g'`)],
  reversed: (key) => [[...key].reverse().join(''), through('rev')],
  'lower-case': (key) => [key.toLowerCase(), through('tr A-Z a-z')],
  'other-case': (key) => [key.replace(/[a-z]/gi, swapCase), through('tr a-zA-Z A-Za-z')],
  'first-in-hexadecimal': (key) => [
    Buffer.from(key.slice(0, 1)).toString('hex'),
    `$(printf %.1s "${keyVariable}" | od -An -tx1 | tr -d ' ')`,
  ],
  zeros: () => ['0'.repeat(1_500), '$(printf %01500d 0)'],
} as const satisfies Readonly<Record<string, (key: string) => readonly [value: string, shell: string]>>;

function swapCase(letter: string): string {
  return letter < 'a' ? letter.toLowerCase() : letter.toUpperCase();
}

type Row = readonly [title: string, template: string, kind?: CredentialKind];

/** Values of Authorization, the likeliest mistakes first. */
const rows = {
  'never-issued': ['the bearer token never-issued-key', 'Bearer never-issued-key'],
  'last-character-changed': ['the key with another last character', 'Bearer {other-last}'],
  'basic-user-and-password': ['the key as user and password of Basic', 'Basic {key}:{key}'],
  'without-scheme': ['the key without a scheme', '{key}'],
  'scheme-token': ['the key with the scheme Token', 'Token {key}'],
  'last-character-missing': ['the key without its last character', 'Bearer {key%?}'],
  'one-character-more': ['the key with one more character', 'Bearer {key}x'],
  'empty-header': ['an empty Authorization header', ''],
  'bearer-without-key': ['the scheme Bearer without a key', 'Bearer'],
  // As long as Bearer: a service that cuts off seven characters accepts it, too.
  'scheme-api-key': ['the key with the scheme ApiKey', 'ApiKey {key}'],
  'first-character-missing': ['the key without its first character', 'Bearer {key#?}'],
  'one-character-before': ['the key with a character before it', 'Bearer x{key}'],
  'word-null': ['the bearer token null', 'Bearer null'],
  'word-undefined': ['the bearer token undefined', 'Bearer undefined'],
  'same-length': ['sevens, as many as the key has characters', 'Bearer {sevens}'],
  'first-half': ['the first half of the key', 'Bearer {first-half}'],
  'middle-changed': ['the key with another character in the middle', 'Bearer {other-middle}'],
  'first-character-changed': ['the key with another first character', 'Bearer {other-first}'],
  'comma-after': ['the key with a comma behind it', 'Bearer {key},'],
  'bearer-twice': ['the word Bearer twice before the key', 'Bearer Bearer {key}'],
  'scheme-without-space': ['the key right behind Bearer', 'Bearer{key}'],
  'scheme-with-colon': ['the key with Bearer and a colon', 'Bearer: {key}'],
  'scheme-x-bearer': ['the key with the scheme XBearer', 'XBearer {key}'],
  quoted: ['the key in double quotes', 'Bearer "{key}"'],
  'sql-quote': ['a condition of SQL', "Bearer ' OR '1'='1"],
  star: ['a star', 'Bearer *'],
  'without-separators': ['the key without dashes, dots and underscores', 'Bearer {without-separators}'],
  'scheme-key': ['the key with the scheme Key', 'Key {key}'],
  'scheme-jwt': ['the key with the scheme JWT', 'JWT {key}'],
  'dot-after': ['the key with a dot behind it', 'Bearer {key}.'],
  'word-after': ['the key with a word behind it', 'Bearer {key} x'],
  'second-of-two': ['another key and the key, after a comma', 'Bearer never-issued-key, Bearer {key}'],
  'key-twice': ['the key twice', 'Bearer {key} {key}'],
  'key-doubled': ['the key twice in a row', 'Bearer {key}{key}'],
  reversed: ['the key from its end to its start', 'Bearer {reversed}'],
  'percent-for-last': ['% for the last character of the key', 'Bearer {key%?}%'],
  'one-escape': ['the key with its first character escaped', 'Bearer %{first-in-hexadecimal}{key#?}'],
  'escaped-space-after': ['the key with an escaped space behind it', 'Bearer {key}%20'],
  'at-sign-after': ['the key with an at sign and more behind it', 'Bearer {key}@x'],
  'very-long': ['a bearer token of 1500 zeros', 'Bearer {zeros}'],
  // A service is advised to refuse these.
  'case-exchanged': ['the key with upper and lower case exchanged', 'Bearer {other-case}', 'other-case'],
  'lower-case': ['the key in lower case', 'Bearer {lower-case}', 'other-case'],
  // HTTP accepts these forms of the key, and §5 leaves them open: either answer is legal.
  'lower-case-bearer': ['the API key with the scheme bearer', 'bearer {key}', 'lenient'],
  'two-spaces': ['the API key with two spaces after Bearer', 'Bearer  {key}', 'lenient'],
} as const satisfies Readonly<Record<string, Row>>;

/** Sent one by one if both at once are not refused. */
const partsOfBasic: Readonly<Record<string, Row>> = {
  'basic-user': ['the key as the user of Basic', 'Basic {key}:'],
  'basic-password': ['the key as the password of Basic', 'Basic :{key}'],
};

/** Escapes a text for double quotes in a shell. */
const literally = (text: string): string => text.replace(/[\\"`$]/g, '\\$&');

/** Puts texts in the place of the braces of a template. */
function fill(template: string, text: (part: string) => string, literal = (between: string) => between): string {
  return template
    .split(/\{([^{}]+)\}/)
    .map((part, at) => (at % 2 === 1 ? text(part) : literal(part)))
    .join('');
}

/** The key outside Authorization, by what follows its name: headers, `?` parameters of the query, `"` fields of the body. */
const elsewhere = {
  'X-API-Key': 'X-API-Key: {key}',
  query: `?${each('api_key access_token key token apikey apiKey auth', '*={key}', '&')}`,
  cookies: `Cookie: ${each('api_key token session access_token', '*={key}', '; ')}`,
  body: each('api_key apiKey access_token token', '"*":"{key}"', ','),
  ...headers('Api-Key ApiKey X-Auth-Token X-Access-Token X-Authorization X-Auth-Key Token', '{key}'),
};
const withBearer = headers(
  'X-Authorization Proxy-Authorization X-Forwarded-Authorization Authentication X-API-Key',
  'Bearer {key}',
);

function each(names: string, template: string, glue: string): string {
  return names
    .split(' ')
    .map((name) => template.replace('*', name))
    .join(glue);
}

function headers(names: string, value: string): Readonly<Record<string, string>> {
  return Object.fromEntries(names.split(' ').map((name) => [name, `${name}: ${value}`]));
}

/** The key in many wrong places at once; sent in each of them if it is not refused. */
const combined = {
  elsewhere: ['the key in X-API-Key and its like, in cookies, in the query and in the body', elsewhere],
  'elsewhere-with-bearer': ['Bearer and the key in X-Authorization and its like', withBearer],
} as const satisfies Readonly<Record<string, readonly [title: string, places: Readonly<Record<string, string>>]>>;

type CombinedId = keyof typeof combined;
const combinedIds: readonly CombinedId[] = ['elsewhere', 'elsewhere-with-bearer'];

/** The ids of all credentials that are sent on their own. */
export type SentId = 'none' | CombinedId | keyof typeof rows;
export const credentialIds = ['none', ...combinedIds, ...Object.keys(rows)] as readonly SentId[];

/** Whether a firewall may see an attack in a credential, or a proxy a malformed header, and refuse it by itself. */
export function isOddCredential(id: string): boolean {
  const [, template = ''] = Object.hasOwn(rows, id) ? rows[id as keyof typeof rows] : [];
  return /[^\w .:-]/.test(template.replace(/\{.*?\}/g, '')) || template.includes('{zeros}');
}

type Fill = (part: string) => string;
const isBasic = /^Basic .*:/;

/** What places carry: `text` says what stands in the braces of their templates, `inShell` the same for a shell. */
function carry(name: CredentialName, places: readonly string[], text: Fill, inShell: Fill): SentCredential {
  const query = places.find((place) => place.startsWith('?'))?.slice(1);
  const fields = places.find((place) => place.startsWith('"'));
  const lines = places.flatMap((place) => {
    const [, header = '', value = ''] = /^([\w-]+): (.*)$/.exec(place) ?? [];
    return header === '' ? [] : [{ header, value }];
  });
  const shell = (template: string): string =>
    fill(template, inShell, literally).replace(/\$\{PETSTORE_API_KEY\}(?!\w)/g, keyVariable);
  const escaped = (template: string): string => fill(template, (part) => encodeURIComponent(text(part)));
  const words = lines.map(({ header, value }) => {
    if (isBasic.test(value)) return `-u "${shell(value.slice(6))}"`;
    // curl sends a header without a value only if a semicolon follows its name.
    return value === '' ? `-H "${header};"` : `-H "${header}: ${shell(value)}"`;
  });
  const headers = lines.map(({ header, value }) => {
    if (isBasic.test(value)) return [header.toLowerCase(), `Basic ${btoa(fill(value.slice(6), text))}`];
    return [header.toLowerCase(), header === 'Cookie' ? escaped(value) : fill(value, text)];
  });
  return defined({
    shown: {
      ...name,
      curl: defined({ words: words.join(' '), query: query && shell(query), fields: fields && shell(fields) }),
    },
    headers: Object.fromEntries(headers) as Readonly<Record<string, string>>,
    query: query && escaped(query),
    fields: fields && fill(fields, (part) => JSON.stringify(text(part)).slice(1, -1)),
  });
}

function authorized([id, [title, template, kind]]: readonly [string, Row], key: string): SentCredential {
  const isMade = template.includes('{');
  const refused = /^Bearer ./.test(template) ? 'invalid' : isMade ? 'misplaced' : 'missing';
  const partAt = (at: 0 | 1) => (part: string) => parts[part as keyof typeof parts](key)[at];
  const credential = carry({ id, kind: kind ?? refused, title }, [`Authorization: ${template}`], partAt(0), partAt(1));
  return isMade ? { ...credential, secret: credential.headers['authorization']!.replace(/^\w+ /, '') } : credential;
}

/** A key of the same form as the real one, of which it has no letter and no digit. */
function madeUpKey(key: string): string {
  return key
    .replace(/[A-Z]/g, 'X')
    .replace(/\d/g, '0')
    .replace(/[^X0._-]/g, 'x');
}

/** The key in all given places; a target that is not disposable gets a made-up key there, so that the key is missing. */
function placed(id: string, title: string, places: readonly string[], key: string): SentCredential {
  const madeUp = madeUpKey(key);
  const name = { id: `made-up-${id}`, kind: 'missing', title: title.replace('the key', 'a made-up key') } as const;
  return {
    ...carry(
      { id, kind: 'misplaced', title },
      places,
      () => key,
      () => keyVariable,
    ),
    madeUp: carry(
      name,
      places,
      () => madeUp,
      () => madeUp,
    ),
  };
}

/** Servers limit headers and lines to some kilobytes, so a longer key is sent in fewer places at once. */
const longKey = 250;

function inAllPlaces(id: CombinedId, key: string): SentCredential {
  const [title, places] = combined[id];
  const all = Object.values(places);
  const few = all.slice(0, 3).map((place) => place.replace(/[&;,].*/, ''));
  return placed(id, title, key.length > longKey ? few : all, key);
}

/** The parts of a combined credential, the likeliest cause of its acceptance first; none for other credentials. */
export function partsOf(id: string, key: string): readonly SentCredential[] {
  if (id === 'basic-user-and-password') return Object.entries(partsOfBasic).map((row) => authorized(row, key));
  const which = combinedIds.find((one) => id === one || id === `made-up-${one}`);
  if (which === undefined) return [];
  const parts = Object.entries(combined[which][1]).map(([place, text]) => {
    const title = `the key in the ${/^[A-Z]/.test(place) ? `header ${place}` : place}`;
    return placed(`${which}-${place.toLowerCase()}`, title, [text], key);
  });
  // A service that accepts the key in any place may need no key at all.
  return [noKey, ...parts];
}

/** Whether a key may be hexadecimal, so that case, dashes and braces carry no information. */
const isHexadecimal = (key: string): boolean => /^[0-9a-f{}()-]+$/i.test(key);

/** Whether a careful service may take a token for the key: of base64, it may ignore what stands behind the padding. */
function isSameKey(key: string, { headers, shown: { kind } }: SentCredential): boolean {
  const token = headers['authorization']?.replace(/^Bearer /, '') ?? '';
  if (kind === 'other-case') return isHexadecimal(key) || token === key;
  const plain = (text: string): string => (isHexadecimal(key) ? text.replace(/[{}()-]/g, '') : text).toLowerCase();
  const decoded = (text: string): string => Buffer.from(text, 'base64').toString('hex');
  return kind === 'invalid' && (plain(token) === plain(key) || (key.endsWith('=') && decoded(token) === decoded(key)));
}

const credentialsById: (keys: Keys) => ReadonlyMap<string, SentCredential> = memoize(({ api, rateLimit }) => {
  const sent = [
    noKey,
    ...combinedIds.map((id) => inAllPlaces(id, api)),
    ...Object.entries<Row>(rows).map((row) => authorized(row, api)),
  ];
  const all = [
    ...sent.filter((credential) => !isSameKey(api, credential)),
    validKey(api),
    ...(rateLimit === undefined ? [] : [rateLimitKey(rateLimit)]),
    ...sent.flatMap(({ shown }) => partsOf(shown.id, api)),
  ];
  const madeUp = all.flatMap((credential) => credential.madeUp ?? []);
  return new Map([...all, ...madeUp].map((credential) => [credential.shown.id, credential]));
});

/** The credential with an id; undefined if these keys have none that a careful service tells from the key. */
export function findCredential(id: string, keys: Keys): SentCredential | undefined {
  return credentialsById(keys).get(id);
}

/** Credentials that must be refused, the likeliest mistakes first. */
export function refusedCredentials(keys: Keys): readonly SentCredential[] {
  const all = credentialIds.flatMap((id) => findCredential(id, keys) ?? []);
  return all.filter(({ shown: { kind } }) => kind !== 'lenient' && kind !== 'other-case');
}
