/** The credentials that a service must refuse (§5): none, near misses of the key, and the key in wrong places. */

import {
  authorization,
  type Keys,
  keyVariable,
  noKey,
  rateLimitKey,
  type SentCredential,
  validKey,
} from '../../http/credentials.ts';
import { memoize } from '../../http/memoize.ts';
import {
  type DamagedId,
  type DamageKind,
  damaged,
  damageKinds,
  firstOf,
  keysInOtherCase,
  type NearId,
  nearKeys,
  placesIn,
  withTail,
} from './damaged-keys.ts';
import { isSameKey } from './derived-keys.ts';
import { type FormId, forms } from './header-forms.ts';
import { bearerElsewhere, everyPlace, keyAsBasic, keyElsewhere, type PlacedId } from './misplaced-keys.ts';

/** The ids of credentials that must be refused, except those that depend on the length of a key. */
export type RefusedId = 'none' | NearId | DamagedId | FormId | PlacedId;

/** Whether even a careful service reads another token than the key. */
function isAnother(key: string, { headers }: SentCredential): boolean {
  const token = /^Bearer (.*)$/.exec(headers['authorization'] ?? '')?.[1];
  return token === undefined || !isSameKey(key, token);
}

/** Credentials that must be refused, the likeliest mistakes first; every key has them. */
export const refusedCredentials: (keys: Pick<Keys, 'api'>) => readonly SentCredential[] = memoize(({ api }) =>
  refusedFor(api),
);

function refusedFor(key: string): readonly SentCredential[] {
  const half = firstOf(Math.ceil(key.length / 2), key);
  return [
    noKey,
    keyElsewhere(key),
    keyAsBasic(key),
    bearerElsewhere(key),
    ...nearKeys(key),
    // A comparison that starts at the second character accepts it.
    ...[half, damaged('changed', 1, key)].filter((credential) => credential !== undefined),
    ...forms(key),
  ].filter((credential) => isAnother(key, credential));
}

function draw(random: () => number, most: number): number {
  return 1 + Math.floor(random() * most);
}

/** Changes at drawn places: one in the middle, which careless comparisons skip, and one of each kind anywhere. */
export function drawDamaged(key: string, random: () => number): readonly SentCredential[] {
  const places = placesIn(key);
  const third = Math.max(1, Math.floor(places / 3));
  const drawn = [
    damaged('changed', Math.min(places, third + draw(random, third)), key),
    ...damageKinds.map((kind) => damaged(kind, draw(random, places), key)),
    firstOf(draw(random, places), key),
    withTail(2 ** draw(random, 9), key),
  ];
  return drawn.filter((credential) => credential !== undefined && isAnother(key, credential)) as SentCredential[];
}

/** The API key with the scheme in lower case: HTTP accepts it, §5 leaves it open (gap bearer-case). */
export function lowerCaseBearer(key: string): SentCredential {
  return authorization(
    { id: 'lower-case-bearer', kind: 'lenient', title: 'the API key with the scheme bearer' },
    `bearer ${key}`,
    `bearer ${keyVariable}`,
  );
}

/** The API key with two spaces in front: HTTP allows it, §5 shows one. Either answer is legal, but no server error. */
export function twoSpaces(key: string): SentCredential {
  return authorization(
    { id: 'two-spaces', kind: 'lenient', title: 'the API key with two spaces after Bearer' },
    `Bearer  ${key}`,
    `Bearer  ${keyVariable}`,
  );
}

/** The ids of credentials that depend on a place or a length, and how each is built again. */
const templates: readonly (readonly [
  RegExp,
  (key: string, count: number, kind: string) => SentCredential | undefined,
])[] = [
  [
    new RegExp(`^(?<kind>${damageKinds.join('|')})-at-(?<count>\\d+)$`),
    (key, at, kind) => damaged(kind as DamageKind, at, key),
  ],
  [/^first-(?<count>\d+)$/, (key, count) => firstOf(count, key)],
  [/^and-(?<count>\d+)-more$/, (key, count) => withTail(count, key)],
];

function findByTemplate(id: string, key: string): SentCredential | undefined {
  for (const [pattern, make] of templates) {
    const { count, kind = '' } = pattern.exec(id)?.groups ?? {};
    const credential = count === undefined ? undefined : make(key, Number(count), kind);
    if (credential !== undefined && isAnother(key, credential)) return credential;
  }
  return undefined;
}

/** The credentials whose ids depend on no place and no length; recorded traffic asks for one with each exchange. */
const credentialsById: (keys: Keys) => ReadonlyMap<string, SentCredential> = memoize((keys) => {
  const { api, rateLimit } = keys;
  const places = everyPlace(api);
  const all = [
    validKey(api),
    lowerCaseBearer(api),
    twoSpaces(api),
    ...(rateLimit === undefined ? [] : [rateLimitKey(rateLimit)]),
    ...refusedCredentials(keys),
    ...keysInOtherCase(api),
    ...places,
    ...places.flatMap(({ madeUp = [] }) => madeUp),
  ];
  return new Map(all.map((credential) => [credential.shown.id, credential]));
});

/** The credential with an id, for sending an exchange again; undefined if these keys have no such credential. */
export function findCredential(id: string, keys: Keys): SentCredential | undefined {
  return credentialsById(keys).get(id) ?? findByTemplate(id, keys.api);
}
