/** The key where it does not belong: other headers, cookies, the query, the body, and Basic; several at once and singly. */

import { keyVariable, noKey, type SentCredential } from '../../http/credentials.ts';

/** The names that keys have in each place where services look for them. */
const names = {
  header: [
    'X-API-Key',
    'Api-Key',
    'ApiKey',
    'X-Auth-Token',
    'X-Access-Token',
    'X-Token',
    'X-Authorization',
    'X-Auth-Key',
    'Token',
    'Key',
  ],
  cookie: ['api_key', 'token', 'session', 'access_token', 'apikey', 'auth', 'jwt'],
  query: [
    'api_key',
    'access_token',
    'key',
    'token',
    'apikey',
    'apiKey',
    'api-key',
    'auth',
    'auth_token',
    'bearer_token',
    'authorization',
  ],
  field: ['api_key', 'apiKey', 'access_token', 'token', 'key'],
  /** Headers that hold all that Authorization would. */
  credentials: [
    'X-Authorization',
    'Proxy-Authorization',
    'Authentication',
    'X-Forwarded-Authorization',
    'X-Original-Authorization',
    'X-Auth',
    'Auth',
    'X-API-Key',
  ],
} as const;

type Place = keyof typeof names;
type Placed = Readonly<Partial<Record<Place, readonly string[]>>>;

/** What several places at once are called. */
const packs = {
  elsewhere: {
    title: 'the key in X-API-Key and its like, in cookies, in the query and in the body',
    places: ['header', 'cookie', 'query', 'field'],
  },
  'elsewhere-with-bearer': {
    title: 'Bearer and the key in X-Authorization and its like',
    places: ['credentials'],
  },
} as const satisfies Record<string, { readonly title: string; readonly places: readonly Place[] }>;

export type PlacedId = keyof typeof packs | 'basic-user-and-password' | 'basic-user' | 'basic-password';

/** Servers take no more than some kilobytes of headers, and no longer lines: of a long key there are fewer copies. */
const mostCopiedBytes = 3_000;

function asManyAsFit(candidates: readonly string[], value: string): readonly string[] {
  return candidates.slice(0, Math.max(1, Math.floor(mostCopiedBytes / value.length)));
}

function inEach(parameters: readonly string[], value: string, glue: string): string {
  return parameters.map((name) => `${name}=${value}`).join(glue);
}

/** Fields of a JSON object, written with these quotes. */
function fieldsWith(fields: readonly string[], value: string, quote: string): string {
  return fields.map((name) => `${quote}${name}${quote}:${value}`).join();
}

/** The key in all places that are named. */
function placed(id: string, title: string, at: Placed, key: string): SentCredential {
  const { header = [], cookie = [], query = [], field = [], credentials = [] } = at;
  const encoded = encodeURIComponent(key);
  const words = [
    ...header.map((name) => `-H "${name}: ${keyVariable}"`),
    ...credentials.map((name) => `-H "${name}: Bearer ${keyVariable}"`),
    ...(cookie.length > 0 ? [`-H "Cookie: ${inEach(cookie, keyVariable, '; ')}"`] : []),
  ];
  return {
    shown: {
      id,
      kind: 'misplaced',
      title,
      curl: {
        words: words.join(' '),
        ...(query.length > 0 ? { query: inEach(query, keyVariable, '&') } : {}),
        ...(field.length > 0 ? { fields: fieldsWith(field, `\\"${keyVariable}\\"`, '\\"') } : {}),
      },
    },
    headers: {
      ...Object.fromEntries(header.map((name) => [name.toLowerCase(), key])),
      ...Object.fromEntries(credentials.map((name) => [name.toLowerCase(), `Bearer ${key}`])),
      ...(cookie.length > 0 ? { cookie: inEach(cookie, encoded, '; ') } : {}),
    },
    ...(query.length > 0 ? { query: inEach(query, encoded, '&') } : {}),
    ...(field.length > 0 ? { fields: fieldsWith(field, JSON.stringify(key), '"') } : {}),
  };
}

const titleOf: Readonly<Record<Place, (name: string) => string>> = {
  header: (name) => `the key in the header ${name}`,
  cookie: (name) => `the key in the cookie ${name}`,
  query: (name) => `the key as ${name} in the query`,
  field: (name) => `the key as ${name} in the body`,
  credentials: (name) => `Bearer and the key in the header ${name}`,
};

/** One place of the key, by an id such as `in-query-api_key`. */
function inOnePlace(place: Place, name: string, key: string): SentCredential {
  return placed(`in-${place}-${name}`, titleOf[place](name), { [place]: [name] }, key);
}

function pack(id: keyof typeof packs, key: string): SentCredential {
  const { title, places } = packs[id];
  const encoded = encodeURIComponent(key);
  return placed(id, title, Object.fromEntries(places.map((place) => [place, asManyAsFit(names[place], encoded)])), key);
}

/** The key in every place but the Authorization header at once: one request asks about all of them. */
export function keyElsewhere(key: string): SentCredential {
  return pack('elsewhere', key);
}

/** All that Authorization would hold, in the headers that stand for it. */
export function bearerElsewhere(key: string): SentCredential {
  return pack('elsewhere-with-bearer', key);
}

function basic(id: string, title: string, user: string, password: string): SentCredential {
  const shown = (part: string): string => (part === '' ? '' : keyVariable);
  return {
    shown: { id, kind: 'misplaced', title, curl: { words: `-u "${shown(user)}:${shown(password)}"` } },
    headers: { authorization: `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}` },
    secret: Buffer.from(`${user}:${password}`).toString('base64'),
  };
}

/** The key as user and as password of Basic. */
export function keyAsBasic(key: string): SentCredential {
  return basic('basic-user-and-password', 'the key as user and password of Basic', key, key);
}

/** What a credential that packs several together is made of, the likeliest first; empty for one that packs none. */
export function partsOfPack(id: string, key: string): readonly SentCredential[] {
  if (id === 'basic-user-and-password') {
    return [
      basic('basic-user', 'the key as the user of Basic', key, ''),
      basic('basic-password', 'the key as the password of Basic', '', key),
    ];
  }
  if (!Object.hasOwn(packs, id)) return [];
  const { places } = packs[id as keyof typeof packs];
  // A service that takes the pack may take anything, or nothing at all.
  return [noKey, ...places.flatMap((place) => names[place].map((name) => inOnePlace(place, name, key)))];
}

/** Credentials for one place each, and what packs them. */
export function everyPlace(key: string): readonly SentCredential[] {
  const all = [keyElsewhere(key), bearerElsewhere(key), keyAsBasic(key)];
  return [...all, ...all.flatMap(({ shown }) => partsOfPack(shown.id, key).filter((part) => part !== noKey))];
}

/** By the id of each credential that packs others together; what it packs does not depend on the key. */
const partIds: ReadonlyMap<string, ReadonlySet<string>> = new Map(
  ['basic-user-and-password', ...Object.keys(packs)].map((id) => [
    id,
    new Set(partsOfPack(id, '').map(({ shown }) => shown.id)),
  ]),
);
const nothing: ReadonlySet<string> = new Set();

/** The ids of what a credential packs together. */
export function partIdsOf(id: string): ReadonlySet<string> {
  return partIds.get(id) ?? nothing;
}
