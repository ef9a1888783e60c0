/** The key in wrong places: other headers, cookies, the query, the body, and Basic; singly and combined. */

import { defined } from '../../../spec/defined.ts';
import { type CredentialName, keyVariable, noKey, type SentCredential } from '../../http/credentials.ts';
import { words } from '../strange-texts.ts';

/** The names under which services look for keys in each place. */
const names = {
  header: words('X-API-Key Api-Key ApiKey X-Auth-Token X-Access-Token X-Token X-Authorization X-Auth-Key Token Key'),
  cookie: ['api_key', 'token', 'session', 'access_token', 'apikey', 'auth', 'jwt'],
  query: words('api_key access_token key token apikey apiKey api-key auth auth_token bearer_token authorization'),
  field: ['api_key', 'apiKey', 'access_token', 'token', 'key'],
  /** Headers that hold the scheme and the key, as Authorization does. */
  credentials: words(
    'X-Authorization Proxy-Authorization Authentication X-Forwarded-Authorization',
    'X-Original-Authorization X-Auth Auth X-API-Key',
  ),
} as const;

type Place = keyof typeof names;
type Placed = Readonly<Partial<Record<Place, readonly string[]>>>;

const combinations = {
  elsewhere: {
    title: 'the key in X-API-Key and its like, in cookies, in the query and in the body',
    places: ['header', 'cookie', 'query', 'field'],
  },
  'elsewhere-with-bearer': {
    title: 'Bearer and the key in X-Authorization and its like',
    places: ['credentials'],
  },
} as const satisfies Record<string, { readonly title: string; readonly places: readonly Place[] }>;

export type PlacedId = keyof typeof combinations | 'basic-user-and-password' | 'basic-user' | 'basic-password';

/** Servers limit headers and lines to some kilobytes, so a long key is sent in fewer places at once. */
const mostCopiedBytes = 3_000;

function inEach(parameters: readonly string[], value: string, glue: string): string {
  return parameters.map((name) => `${name}=${value}`).join(glue);
}

function fieldsWith(fields: readonly string[], value: string, quote: string): string {
  return fields.map((name) => `${quote}${name}${quote}:${value}`).join();
}

/** A key of the same form as the real one, of which it has no letter and no digit. */
function madeUpKey(key: string): string {
  return key
    .replace(/[A-Z]/g, 'X')
    .replace(/\d/g, '0')
    .replace(/[^X0._-]/g, 'x');
}

/** A key in all given places; `shell` is the key for a shell. */
function keyIn(name: CredentialName, at: Placed, key: string, shell: string): SentCredential {
  const { header = [], cookie = [], query = [], field = [], credentials = [] } = at;
  const encoded = encodeURIComponent(key);
  const ifAny = (names: readonly string[], text: string): string | undefined => (names.length > 0 ? text : undefined);
  const words = [
    ...header.map((one) => `-H "${one}: ${shell}"`),
    ...credentials.map((one) => `-H "${one}: Bearer ${shell}"`),
    ...(cookie.length > 0 ? [`-H "Cookie: ${inEach(cookie, shell, '; ')}"`] : []),
  ];
  const curl = defined({
    words: words.join(' '),
    query: ifAny(query, inEach(query, shell, '&')),
    fields: ifAny(field, fieldsWith(field, `\\"${shell}\\"`, '\\"')),
  });
  return defined({
    shown: { ...name, curl },
    headers: defined({
      ...Object.fromEntries(header.map((one) => [one.toLowerCase(), key])),
      ...Object.fromEntries(credentials.map((one) => [one.toLowerCase(), `Bearer ${key}`])),
      cookie: ifAny(cookie, inEach(cookie, encoded, '; ')),
    }) as Readonly<Record<string, string>>,
    query: ifAny(query, inEach(query, encoded, '&')),
    fields: ifAny(field, fieldsWith(field, JSON.stringify(key), '"')),
  });
}

const madeUpPrefix = 'made-up-';

/** The key in all given places; a target that is not disposable gets a made-up key there. */
function placed(id: string, title: string, at: Placed, key: string): SentCredential {
  const madeUp = madeUpKey(key);
  // No header says who the client is, so the key is missing.
  const name = {
    id: `${madeUpPrefix}${id}`,
    kind: 'missing',
    title: title.replace(/\bthe key\b/, 'a made-up key'),
  } as const;
  return {
    ...keyIn({ id, kind: 'misplaced', title }, at, key, keyVariable),
    madeUp: keyIn(name, at, madeUp, madeUp),
  };
}

const titleOf: Readonly<Record<Place, (name: string) => string>> = {
  header: (name) => `the key in the header ${name}`,
  cookie: (name) => `the key in the cookie ${name}`,
  query: (name) => `the key as ${name} in the query`,
  field: (name) => `the key as ${name} in the body`,
  credentials: (name) => `Bearer and the key in the header ${name}`,
};

/** The key in one place, with an id such as `in-query-api_key`. */
function inOnePlace(place: Place, name: string, key: string): SentCredential {
  return placed(`in-${place}-${name}`, titleOf[place](name), { [place]: [name] }, key);
}

function combined(id: keyof typeof combinations, key: string): SentCredential {
  const { title, places } = combinations[id];
  const most = Math.max(1, Math.floor(mostCopiedBytes / encodeURIComponent(key).length));
  return placed(id, title, Object.fromEntries(places.map((place) => [place, names[place].slice(0, most)])), key);
}

/** The key in every place except the Authorization header, in one request. */
export function keyElsewhere(key: string): SentCredential {
  return combined('elsewhere', key);
}

/** `Bearer` and the key in every header that resembles Authorization. */
export function bearerElsewhere(key: string): SentCredential {
  return combined('elsewhere-with-bearer', key);
}

function basic(id: string, title: string, user: string, password: string): SentCredential {
  const shown = (part: string): string => (part === '' ? '' : keyVariable);
  return {
    shown: { id, kind: 'misplaced', title, curl: { words: `-u "${shown(user)}:${shown(password)}"` } },
    headers: { authorization: `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}` },
    secret: Buffer.from(`${user}:${password}`).toString('base64'),
  };
}

export function keyAsBasic(key: string): SentCredential {
  return basic('basic-user-and-password', 'the key as user and password of Basic', key, key);
}

/** The parts of a combined credential, the likeliest cause of its acceptance first; none for other credentials. */
export function partsOf(id: string, key: string): readonly SentCredential[] {
  if (id === 'basic-user-and-password') {
    return [
      basic('basic-user', 'the key as the user of Basic', key, ''),
      basic('basic-password', 'the key as the password of Basic', '', key),
    ];
  }
  if (!Object.hasOwn(combinations, id)) return [];
  const { places } = combinations[id as keyof typeof combinations];
  // A service that accepts all of them may need no key at all.
  return [noKey, ...places.flatMap((place) => names[place].map((name) => inOnePlace(place, name, key)))];
}

export function everyPlace(key: string): readonly SentCredential[] {
  const all = [keyElsewhere(key), bearerElsewhere(key), keyAsBasic(key)];
  return [...all, ...all.flatMap(({ shown }) => partsOf(shown.id, key).filter((part) => part !== noKey))];
}

/** The ids of the parts of each combined credential; they do not depend on the key. */
const partIds: ReadonlyMap<string, ReadonlySet<string>> = new Map(
  ['basic-user-and-password', ...Object.keys(combinations)].map((id) => [
    id,
    new Set(partsOf(id, '').map(({ shown }) => shown.id)),
  ]),
);
const nothing: ReadonlySet<string> = new Set();

export function partIdsOf(id: string): ReadonlySet<string> {
  const parts = partIds.get(id.replace(madeUpPrefix, '')) ?? nothing;
  return id.startsWith(madeUpPrefix)
    ? new Set([...parts].map((part) => (part === noKey.shown.id ? part : `${madeUpPrefix}${part}`)))
    : parts;
}
