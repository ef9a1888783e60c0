/**
 * §5 The credentials that a service must refuse, one template each, which two small interpreters read: one for what is sent,
 * one for the shell. `{key}` stands for the API key, `{key%?}` and `{key#?}` for the key without its last and its first
 * character, `{key|command}` for the key through one of the commands below.
 */

import { createHash } from 'node:crypto';
import { defined } from '../../../spec/defined.ts';
import { type Keys, noKey, rateLimitKey, type SentCredential, validKey } from '../../http/credentials.ts';
import type { CredentialKind } from '../../http/exchange.ts';
import { memoize } from '../../http/memoize.ts';

interface Command {
  readonly apply: (key: string) => string;
  readonly shell: string;
}

const otherThan = (character: string | undefined): string => (character === '7' ? 'k' : '7');
const middle = (key: string): number => Math.max(1, key.length >> 1);
const sed = (script: (key: string) => string, apply: Command['apply']) => (key: string) => ({
  apply,
  shell: `sed '${script(key)}'`,
});
const plain = (shell: string, apply: Command['apply']) => () => ({ apply, shell });
const at = (key: string, place: number, put: string): string => key.slice(0, place - 1) + put + key.slice(place);
const swapCase = (text: string): string =>
  text.replace(/[a-z]/gi, (letter) => (letter < 'a' ? letter.toLowerCase() : letter.toUpperCase()));
const escapes = (text: string): string => Buffer.from(text).toString('hex').replace(/../g, '%$&');

/** What may be done to the key, as it is sent and as a shell does it. */
const commands: Readonly<Record<string, (key: string) => Command>> = {
  last: sed(
    (key) => `s/.$/${otherThan(key.at(-1))}/`,
    (key) => key.slice(0, -1) + otherThan(key.at(-1)),
  ),
  first: sed(
    (key) => `s/^./${otherThan(key[0])}/`,
    (key) => otherThan(key[0]) + key.slice(1),
  ),
  middle: sed(
    (key) => `s/./${otherThan(key[middle(key) - 1])}/${middle(key)}`,
    (key) => at(key, middle(key), otherThan(key[middle(key) - 1])),
  ),
  twice: sed(
    (key) => `s/./&&/${middle(key)}`,
    (key) => at(key, middle(key), key[middle(key) - 1]!.repeat(2)),
  ),
  swapped: plain(`sed 's/^\\(.\\)\\(.\\)/\\2\\1/'`, (key) => `${key.slice(1, 2)}${key.slice(0, 1)}${key.slice(2)}`),
  half: (key) => ({ apply: () => key.slice(0, middle(key)), shell: `cut -c 1-${middle(key)}` }),
  end: (key) => ({ apply: () => key.slice(middle(key)), shell: `cut -c ${middle(key) + 1}-` }),
  start: (key) => ({
    apply: () => key.slice(0, middle(key)) + '7'.repeat(key.length - middle(key)),
    shell: `sed 's/./7/${middle(key) + 1}g'`,
  }),
  ends: (key) => ({
    apply: () =>
      key.replace(/^(.{4}).*(.{4})$/, (_all, one, other) => one + '7'.repeat(Math.max(0, key.length - 8)) + other),
    shell: `sed 's/^\\(....\\).*\\(....\\)$/\\1${'7'.repeat(Math.max(0, key.length - 8))}\\2/'`,
  }),
  letter: plain('cut -c 1', (key) => key.slice(0, 1)),
  sevens: plain('sed s/./7/g', (key) => '7'.repeat(key.length)),
  reversed: plain('rev', (key) => [...key].reverse().join('')),
  undashed: plain(`tr -d '._-'`, (key) => key.replace(/[._-]/g, '')),
  underscored: plain(`tr -- - _`, (key) => key.replaceAll('-', '_')),
  swapcase: plain('tr a-zA-Z A-Za-z', swapCase),
  lower: plain('tr A-Z a-z', (key) => key.toLowerCase()),
  base64: plain(`base64 | tr -d '\\n'`, (key) => Buffer.from(key).toString('base64')),
  sha256: plain(`sha256sum | cut -c 1-64`, (key) => createHash('sha256').update(key).digest('hex')),
  escaped: plain(`od -An -v -tx1 | tr -d '\\n' | tr ' ' %`, escapes),
  user: plain(`sed 's/$/:/' | base64 | tr -d '\\n'`, (key) => Buffer.from(`${key}:`).toString('base64')),
  password: plain(`sed 's/^/:/' | base64 | tr -d '\\n'`, (key) => Buffer.from(`:${key}`).toString('base64')),
  both: plain(`sed 's/.*/&:&/' | base64 | tr -d '\\n'`, (key) => Buffer.from(`${key}:${key}`).toString('base64')),
};

const placeholder = /\{key(?:(%\?)|(#\?)|\|(\w+))?\}/g;

/** The text with the key put in. */
function valueFor(template: string, key: string): string {
  return template.replace(placeholder, (_all, isCut, isBehind, command?: string) => {
    if (command !== undefined) return commands[command]!(key).apply(key);
    return isCut ? key.slice(0, -1) : isBehind ? key.slice(1) : key;
  });
}

/** The same text for the double quotes of a shell. */
function shellOf(template: string, key: string): string {
  const parts = template.split(/(\{key[^}]*\})/);
  return parts
    .map((part) => {
      if (!part.startsWith('{key')) return part.replace(/[\\"`$]/g, '\\$&');
      const command = /\|(\w+)/.exec(part)?.[1];
      if (command !== undefined) return `$(printf %s "$PETSTORE_API_KEY" | ${commands[command]!(key).shell})`;
      return `\${PETSTORE_API_KEY${part.slice(4, -1)}}`;
    })
    .join('');
}

/** A credential: its id, how a reader calls it, and where it stands. */
export interface Template {
  readonly id: string;
  readonly kind: CredentialKind;
  readonly title: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Names of query parameters, and of fields of a body, that hold the key. */
  readonly query?: readonly string[];
  readonly fields?: readonly string[];
}

const token = (id: string, title: string, text: string): Template => ({
  id,
  kind: 'invalid',
  title,
  headers: { authorization: `Bearer ${text}` },
});
const scheme = (id: string, title: string, text: string): Template => ({
  id,
  kind: 'misplaced',
  title,
  headers: { authorization: text },
});
const inHeader = (name: string, text = '{key}'): Template => ({
  id: `in-header-${name}${text === '{key}' ? '' : '-with-bearer'}`,
  kind: 'misplaced',
  title: `${text === '{key}' ? 'the key' : 'Bearer and the key'} in the header ${name}`,
  headers: { [name]: text },
});
const inQuery = (name: string): Template => ({
  id: `in-query-${name}`,
  kind: 'misplaced',
  title: `the key as ${name} in the query`,
  query: [name],
});
const missing = (id: string, title: string, headers: Template['headers']): Template => ({
  id,
  kind: 'missing',
  title,
  ...(headers && { headers }),
});

const cookies = 'api_key={key}; token={key}; session={key}; access_token={key}; auth={key}';

/** Every credential to refuse, in order of likelihood; `none` stands for no header at all. */
export const refusedTemplates: readonly Template[] = [
  missing('none', noKey.shown.title, undefined),
  token('never-issued', 'a key that was never issued', 'never-issued-key'),
  {
    id: 'elsewhere',
    kind: 'misplaced',
    title: 'the key in X-API-Key and its like, in cookies, in the query and in the body',
    headers: {
      'x-api-key': '{key}',
      'api-key': '{key}',
      apikey: '{key}',
      'x-auth-token': '{key}',
      'x-access-token': '{key}',
      token: '{key}',
      cookie: cookies,
    },
    query: ['api_key', 'access_token', 'key', 'token', 'apikey', 'apiKey', 'auth'],
    fields: ['api_key', 'apiKey', 'access_token'],
  },
  token('last-character-missing', 'the key without its last character', '{key%?}'),
  scheme('without-scheme', 'the key without a scheme', '{key}'),
  token('one-character-more', 'the key with one more character', '{key}x'),
  scheme('basic-user-and-password', 'the key as user and password of Basic', 'Basic {key|both}'),
  missing('bearer-without-key', 'the word Bearer without a key', { authorization: 'Bearer' }),
  token('last-character-changed', 'the key with another last character', '{key|last}'),
  scheme('scheme-token', 'the key with the scheme Token', 'Token {key}'),
  token('same-length', 'sevens, as many as the key has characters', '{key|sevens}'),
  missing('empty-header', 'an empty Authorization header', { authorization: '' }),
  token('first-half', 'the first half of the key', '{key|half}'),
  inHeader('x-api-key'),
  token('word-null', 'the word null', 'null'),
  inQuery('api_key'),
  token('another-second-half', 'the first half of the key and sevens', '{key|start}'),
  scheme('scheme-basic', 'the key with the scheme Basic, as it is', 'Basic {key}'),
  missing('bearer-and-space', 'the word Bearer with a space behind it', { authorization: 'Bearer ' }),
  token('first-character-changed', 'the key with another first character', '{key|first}'),
  scheme('basic-user', 'the key as the user of Basic', 'Basic {key|user}'),
  inQuery('access_token'),
  token('first-character-missing', 'the key without its first character', '{key#?}'),
  scheme('scheme-api-key', 'the key with the scheme ApiKey', 'ApiKey {key}'),
  token('word-undefined', 'the word undefined', 'undefined'),
  inHeader('api-key'),
  token('changed-in-the-middle', 'the key with another character in its middle', '{key|middle}'),
  inQuery('key'),
  {
    id: 'elsewhere-with-bearer',
    kind: 'misplaced',
    title: 'Bearer and the key in X-Authorization and its like',
    headers: {
      'x-authorization': 'Bearer {key}',
      'proxy-authorization': 'Bearer {key}',
      'x-forwarded-authorization': 'Bearer {key}',
      'x-auth': 'Bearer {key}',
      authentication: 'Bearer {key}',
    },
  },
  scheme('basic-password', 'the key as the password of Basic', 'Basic {key|password}'),
  token('word-after', 'the key with a word behind it', '{key} x'),
  token('comma-after', 'the key with a comma and more behind it', '{key},x'),
  token('word-before', 'the key with a word before it', 'x {key}'),
  token('one-letter', 'the first character of the key', '{key|letter}'),
  scheme('scheme-without-space', 'the key right behind Bearer', 'Bearer{key}'),
  token('quoted', 'the key in double quotes', '"{key}"'),
  {
    id: 'case-exchanged',
    kind: 'other-case',
    title: 'the key with upper and lower case exchanged',
    headers: { authorization: 'Bearer {key|swapcase}' },
  },
  scheme('scheme-with-colon', 'the key with Bearer and a colon', 'Bearer: {key}'),
  {
    id: 'lower-case',
    kind: 'other-case',
    title: 'the key in lower case',
    headers: { authorization: 'Bearer {key|lower}' },
  },
  inHeader('cookie', cookies),
  token('key-twice', 'the key twice', '{key} {key}'),
  token('same-ends', 'the key with sevens between its ends', '{key|ends}'),
  token('second-half', 'the second half of the key', '{key|end}'),
  inHeader('x-auth-token'),
  inHeader('x-authorization'),
  inHeader('x-auth-key'),
  inQuery('token'),
  inQuery('auth'),
  token('one-character-before', 'the key with a character before it', 'x{key}'),
  token('key-doubled', 'the key twice in a row', '{key}{key}'),
  token('repeated-character', 'the key with a character of its middle twice', '{key|twice}'),
  token('swapped', 'the key with its first two characters exchanged', '{key|swapped}'),
  token('full-stop-after', 'the key with a full stop behind it', '{key}.'),
  token('slash-after', 'the key with a slash behind it', '{key}/'),
  token('at-and-more-after', 'the key with @ and more behind it', '{key}@x'),
  token('question-after', 'the key with a question mark behind it', '{key}?x'),
  token('bearer-twice', 'the word Bearer twice before the key', 'Bearer {key}'),
  token('second-of-two', 'another key and the key, after a comma', 'never-issued-key, Bearer {key}'),
  token('star', 'a star', '*'),
  token('percent', 'a percent sign', '%'),
  token('like', 'the key with _ for its first character', '_{key#?}'),
  token('sql-quote', 'a quote of SQL', "' OR '1'='1"),
  token('without-separators', 'the key without its separators', '{key|undashed}'),
  token('other-separators', 'the key with _ for each -', '{key|underscored}'),
  token('in-base64', 'the key in base64', '{key|base64}'),
  token('reversed', 'the key backwards', '{key|reversed}'),
  token('in-sha256', 'the SHA-256 of the key', '{key|sha256}'),
  token('all-escapes', 'the key with all its characters escaped', '{key|escaped}'),
  token('between-marks', 'the key between marks', '.:!-_~*{key}*~_-!:.'),
  token('not-ascii', 'a key beyond ASCII', 'clé'),
  token('very-long', '1,500 zeros', '0'.repeat(1_500)),
  token('word-true', 'the word true', 'true'),
  scheme('scheme-digest', 'the key with the scheme Digest', 'Digest {key}'),
  scheme('scheme-x-bearer', 'the key with the scheme XBearer', 'XBearer {key}'),
];

/** Credentials that a firewall may refuse before the service sees them. */
const blockable = new Set(['sql-quote', 'star', 'percent', 'not-ascii', 'very-long', 'between-marks', 'quoted']);
export const isBlockable = (id: string): boolean => blockable.has(id);

/** The API key in forms that §5 leaves open. */
const lenientTemplates: readonly Template[] = [
  {
    id: 'lower-case-bearer',
    kind: 'lenient',
    title: 'the API key with the scheme bearer',
    headers: { authorization: 'bearer {key}' },
  },
  {
    id: 'two-spaces',
    kind: 'lenient',
    title: 'the API key with two spaces after Bearer',
    headers: { authorization: 'Bearer  {key}' },
  },
];

function buildAs(template: Template, key: string, shellFor: (text: string) => string): SentCredential {
  const { id, kind, title, headers = {}, query = [], fields = [] } = template;
  const words = Object.entries(headers).map(([name, text]) => {
    const header = name === 'authorization' ? 'Authorization' : name;
    // curl sends a header without a value only if a semicolon follows its name.
    return text === '' ? `-H "${header};"` : `-H "${header}: ${shellFor(text)}"`;
  });
  const encoded = encodeURIComponent(key);
  const inEach = (names: readonly string[], write: (name: string) => string, glue: string): string | undefined =>
    names.length === 0 ? undefined : names.map(write).join(glue);
  const value = headers['authorization'] ?? '';
  const secret = /\{key[|%#]/.test(value) ? valueFor(value, key).replace(/^\w+ /, '') : undefined;
  return defined({
    shown: {
      id,
      kind,
      title,
      curl: defined({
        words: words.join(' '),
        query: inEach(query, (name) => `${name}=${shellFor('{key}')}`, '&'),
        fields: inEach(fields, (name) => `\\"${name}\\":\\"${shellFor('{key}')}\\"`, ','),
      }),
    },
    headers: Object.fromEntries(
      Object.entries(headers).map(([name, text]) => [name, valueFor(text, name === 'cookie' ? encoded : key)]),
    ),
    query: inEach(query, (name) => `${name}=${encoded}`, '&'),
    fields: inEach(fields, (name) => `"${name}":${JSON.stringify(key)}`, ','),
    secret,
  });
}

/** A key of the same form as the real one, of which it has no letter and no digit. */
function madeUpKey(key: string): string {
  return key
    .replace(/[A-Z]/g, 'X')
    .replace(/\d/g, '0')
    .replace(/[^X0._-]/g, 'x');
}

function build(template: Template, key: string): SentCredential {
  if (template.id === 'none') return noKey;
  const credential = buildAs(template, key, (text) => shellOf(text, key));
  const isElsewhere = template.headers?.['authorization'] === undefined;
  if (!isElsewhere) return credential;
  // No header says who the client is, so the key is missing.
  const title = template.title.replace(/\bthe key\b/, 'a made-up key');
  const shown = { ...template, id: `made-up-${template.id}`, kind: 'missing', title } as const;
  return { ...credential, madeUp: buildAs(shown, madeUpKey(key), (text) => valueFor(text, madeUpKey(key))) };
}

/** Whether a key may be hexadecimal, so that case, dashes and braces carry no information. */
const isHexadecimal = (key: string): boolean => /^[0-9a-f{}()-]+$/i.test(key);

/** Whether a careful service may take a token for the key itself. */
function isSameKey(key: string, { shown, headers }: SentCredential): boolean {
  const text = /^Bearer (.*)$/.exec(headers['authorization'] ?? '')?.[1];
  if (text === undefined) return false;
  const bare = (one: string): string => (isHexadecimal(key) ? one.replace(/[{}()-]/g, '') : one);
  if (shown.kind === 'other-case') return bare(text) === bare(key) || isHexadecimal(key);
  // A base64 decoder may ignore characters after the padding.
  const isPadded = key.endsWith('=') && text.replace(/[^\w]+$/, '').startsWith(key.replace(/=+$/, ''));
  return bare(text).toLowerCase() === bare(key).toLowerCase() || isPadded;
}

/** Credentials that must be refused, the likeliest mistakes first. */
export const refusedCredentials: (keys: Pick<Keys, 'api'>) => readonly SentCredential[] = memoize(({ api }) =>
  refusedTemplates.map((template) => build(template, api)).filter((credential) => !isSameKey(api, credential)),
);

/** The API key with the scheme in lower case: HTTP accepts it, §5 leaves it open (gap bearer-case). */
export function lowerCaseBearer(key: string): SentCredential {
  return build(lenientTemplates[0]!, key);
}

const credentialsById: (keys: Keys) => ReadonlyMap<string, SentCredential> = memoize((keys) => {
  const { api, rateLimit } = keys;
  const all = [
    validKey(api),
    ...(rateLimit === undefined ? [] : [rateLimitKey(rateLimit)]),
    ...lenientTemplates.map((template) => build(template, api)),
    ...refusedCredentials(keys).flatMap((credential) => [credential, credential.madeUp ?? []].flat()),
  ];
  return new Map(all.map((credential) => [credential.shown.id, credential]));
});

/** The credential with an id, for sending an exchange again; undefined if these keys have no such credential. */
export function findCredential(id: string, keys: Keys): SentCredential | undefined {
  return credentialsById(keys).get(id);
}
