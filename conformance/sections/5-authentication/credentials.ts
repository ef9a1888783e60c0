/** §5 Every credential that a run sends: one table of templates, read as what is sent and as its text for a shell. */

import { defined } from '../../../spec/defined.ts';
import {
  formOfHeader,
  type Keys,
  keyVariable,
  noKey,
  rateLimitKey,
  type SentCredential,
  validKey,
} from '../../http/credentials.ts';
import { type Credential, type CredentialKind, mustBeRefused } from '../../http/exchange.ts';
import { memoize } from '../../http/memoize.ts';

/**
 * Another character than the given one. It differs in a high bit, since the low bits of the last character of a key in base64
 * may be padding. A hexadecimal digit becomes another one, since a service may look at the form of a key alone.
 */
const otherThan = (character = ''): string => (/[A-Za-f]/.test(character) ? '7' : 'a');

const swapCase = (letter: string): string => (letter < 'a' ? letter.toLowerCase() : letter.toUpperCase());

const through = (command: string): string => `$(printf %s "${keyVariable}" | ${command})`;

/** By the name in the braces of a template: the text that is made from the key, and the same text for a shell. */
const templateParts = {
  key: (key) => [key, `\${PETSTORE_API_KEY}`],
  'escaped-key': (key) => [encodeURIComponent(key), `\${PETSTORE_API_KEY}`],
  'key%?': (key) => [key.slice(0, -1), `\${PETSTORE_API_KEY%?}`],
  'key#?': (key) => [key.slice(1), `\${PETSTORE_API_KEY#?}`],
  'other-first': (key) => [otherThan(key[0]) + key.slice(1), through(`sed 's/^./${otherThan(key[0])}/'`)],
  'other-last': (key) => {
    const other = otherThan(/.(?==*$)/.exec(key)?.[0]);
    return [key.replace(/.(=*)$/, `${other}$1`), through(`sed 's/.\\(=*\\)$/${other}\\1/'`)];
  },
  'lower-case': (key) => [key.toLowerCase(), through('tr A-Z a-z')],
  'other-case': (key) => [key.replace(/[a-z]/gi, swapCase), through('tr a-zA-Z A-Za-z')],
  'user-and-password': (key) => [
    btoa(`${key}:${key}`),
    `$(printf %s:%s "${keyVariable}" "${keyVariable}" | base64 | tr -d '\\n')`,
  ],
  zeros: () => ['0'.repeat(1_500), '$(printf %01500d 0)'],
} as const satisfies Readonly<Record<string, (key: string) => readonly [value: string, shell: string]>>;

type CredentialRow = readonly [title: string, template: string, kind?: CredentialKind];

/** Values of Authorization, the likeliest mistakes first. */
const credentialRows = {
  'last-character-changed': ['the key with another last character', 'Bearer {other-last}'],
  'basic-user-and-password': ['the key as user and password of Basic', 'Basic {user-and-password}'],
  'without-scheme': ['the key without a scheme', '{key}'],
  'last-character-missing': ['the key without its last character', 'Bearer {key%?}'],
  'never-issued': ['the bearer token never-issued-key', 'Bearer never-issued-key'],
  'scheme-token': ['the key with the scheme Token', 'Token {key}'],
  'one-character-more': ['the key with one more character', 'Bearer {key}x'],
  'empty-header': ['an empty Authorization header', ''],
  'bearer-without-key': ['the scheme Bearer without a key', 'Bearer'],
  // As long as Bearer: a service that cuts off seven characters accepts it, too.
  'scheme-api-key': ['the key with the scheme ApiKey', 'ApiKey {key}'],
  // A service that splits the header at blanks, and takes the second part, accepts it.
  'word-after': ['the key with a word behind it', 'Bearer {key} x'],
  'first-character-missing': ['the key without its first character', 'Bearer {key#?}'],
  'one-character-before': ['the key with a character before it', 'Bearer x{key}'],
  // A column or a hash may take so many characters and no more.
  'very-long': ['a bearer token of 1500 zeros', 'Bearer {zeros}'],
  'word-null': ['the bearer token null', 'Bearer null'],
  // A lookup in an object finds what every object has.
  'word-constructor': ['the bearer token constructor', 'Bearer constructor'],
  'word-undefined': ['the bearer token undefined', 'Bearer undefined'],
  'first-character-changed': ['the key with another first character', 'Bearer {other-first}'],
  'comma-after': ['the key with a comma behind it', 'Bearer {key},'],
  'bearer-twice': ['the word Bearer twice before the key', 'Bearer Bearer {key}'],
  'scheme-without-space': ['the key right behind Bearer', 'Bearer{key}'],
  // A service that cuts off seven characters accepts it.
  'scheme-with-colon': ['the key with a colon after Bearer', 'Bearer:{key}'],
  'scheme-x-bearer': ['the key with the scheme XBearer', 'XBearer {key}'],
  quoted: ['the key in double quotes', 'Bearer "{key}"'],
  'sql-quote': ['a condition of SQL', "Bearer ' OR '1'='1"],
  star: ['a star', 'Bearer *'],
  'word-proto': ['the bearer token __proto__', 'Bearer __proto__'],
  'second-of-two': ['another key and the key, after a comma', 'Bearer never-issued-key, Bearer {key}'],
  // A service is advised to refuse these.
  'case-exchanged': ['the key with upper and lower case exchanged', 'Bearer {other-case}', 'other-case'],
  'lower-case': ['the key in lower case', 'Bearer {lower-case}', 'other-case'],
  // HTTP accepts this form of the key, and §5 leaves it open: either answer is legal.
  'lower-case-bearer': ['the API key with the scheme bearer', 'bearer {key}', 'lenient'],
} as const satisfies Readonly<Record<string, CredentialRow>>;

const eachHeader = (names: readonly string[], template: string): Readonly<Record<string, string>> =>
  Object.fromEntries(names.map((name) => [name, template]));

/** All other places of a key at once. */
const otherHeaders = {
  ...eachHeader(['X-API-Key', 'Api-Key', 'X-Auth-Token', 'X-Access-Token', 'X-Authorization', 'X-Auth-Key'], '{key}'),
  ...eachHeader(['X-Forwarded-Authorization', 'Authentication'], 'Bearer {key}'),
  Cookie: 'api_key={escaped-key}; token={escaped-key}; session={escaped-key}; access_token={escaped-key}',
};
const parameters = ['api_key', 'access_token', 'key', 'token', 'apikey', 'auth'];
const queryWithKey = parameters.map((name) => `${name}={escaped-key}`).join('&');

/** The ids of all credentials that must or may be refused; `elsewhere` has the key in all other places at once. */
export type SentId = 'none' | 'elsewhere' | keyof typeof credentialRows;
export const credentialIds = ['none', 'elsewhere', ...Object.keys(credentialRows)] as readonly SentId[];

/** Whether a firewall may see an attack in a credential, or a proxy a malformed header, and refuse it by itself. */
function isUnusual(template: string): boolean {
  return /[^\w .:-]/.test(template.replace(/\{.*?\}/g, '')) || template.includes('{zeros}');
}

interface Template extends Omit<Credential, 'curl' | 'form'> {
  readonly headers: Readonly<Record<string, string>>;
  readonly query?: string;
}

/** How a credential is wrong that must be refused: another key, the key at another place, or none. */
function refusedKindOf(template: string): CredentialKind {
  if (/^Bearer ./.test(template)) return 'invalid';
  return template.includes('{') ? 'misplaced' : 'missing';
}

const templates: readonly Template[] = [
  {
    id: 'elsewhere',
    kind: 'misplaced',
    title: 'the key in X-API-Key and its like, in cookies and in the query',
    headers: otherHeaders,
    query: queryWithKey,
    isUnusual: true,
  },
  ...Object.entries<CredentialRow>(credentialRows).map(([id, [title, template, own]]): Template => {
    return defined({
      id,
      title,
      kind: own ?? refusedKindOf(template),
      isUnusual: isUnusual(template) || undefined,
      headers: { Authorization: template },
    });
  }),
];

/** Fills a template with a key: the headers and the query that are sent, and their text for a shell. */
function credentialOf({ headers, query, ...shown }: Template, key: string): SentCredential {
  const fill = (template: string, as: 0 | 1): string =>
    template.replace(/\{([^{}]+)\}/g, (_braces, part: keyof typeof templateParts) => templateParts[part](key)[as]);
  const sentText = (template: string): string => fill(template, 0);
  const shellText = (template: string): string => fill(template.replace(/[\\"`$]/g, '\\$&'), 1);
  const named = Object.entries(headers);
  // curl sends a header without a value only if a semicolon follows its name.
  const words = named.map(([name, value]) => `-H "${name}${value === '' ? ';' : `: ${shellText(value)}`}"`).join(' ');
  const sent = Object.fromEntries(named.map(([name, value]) => [name.toLowerCase(), sentText(value)]));
  const curl = defined({ words, query: query && shellText(query) });
  return defined({
    shown: { ...shown, form: formOfHeader(sent['authorization']), curl },
    headers: sent,
    query: query && sentText(query),
  });
}

/** Whether something in front of the service may refuse the credential with this id by itself. */
export function isUnusualCredential(id: SentId): boolean {
  return templates.some((template) => template.id === id && template.isUnusual === true);
}

const credentialsOf: (keys: Keys) => ReadonlyMap<string, SentCredential> = memoize(({ api, rateLimit }) => {
  const valid = validKey(api);
  const made = templates.map((template) => credentialOf(template, api));
  const all = [
    noKey,
    ...made.filter(({ headers }) => headers['authorization'] !== valid.headers['authorization']),
    valid,
    ...(rateLimit === undefined ? [] : [rateLimitKey(rateLimit)]),
  ];
  return new Map(all.map((credential) => [credential.shown.id, credential]));
});

/** The credential with an id; undefined if there is none, or if it is the key itself, as one in lower case may be. */
export function findCredential(id: string, keys: Keys): SentCredential | undefined {
  return credentialsOf(keys).get(id);
}

/** Credentials that must be refused, the likeliest mistakes first. */
export function refusedCredentials(keys: Keys): readonly SentCredential[] {
  return [...credentialsOf(keys).values()].filter(({ shown }) => mustBeRefused(shown));
}
