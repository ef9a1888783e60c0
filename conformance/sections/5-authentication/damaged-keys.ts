/** Near misses of the API key: changed at one place, cut off, or with characters added. */

import { bearer, type SentCredential } from '../../http/credentials.ts';
import { around, derived, isHexadecimal, splitPadding, through } from './derived-keys.ts';

const base64url = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';

/**
 * Another character for the last one of a key. The low bits of the last character of a base64 key may be padding, so a
 * high bit is flipped.
 */
function flipHighBit(character: string): string {
  const index = base64url.indexOf(character);
  return index === -1 ? 'x' : base64url[index ^ 32]!;
}

/** A replacement that reveals nothing about the character that it replaces. */
function otherThan(character: string | undefined): string {
  return character === '7' ? '3' : '7';
}

interface Damage {
  readonly what: string;
  readonly apply: (key: string, at: number) => string;
  /** The same change as a sed script. */
  readonly script: (key: string, at: number) => string;
}

/** Changes at one place of a key, counted from 1. */
const damages = {
  changed: {
    what: 'another character at place',
    apply: (key, at) => key.slice(0, at - 1) + otherThan(key[at - 1]) + key.slice(at),
    script: (key, at) => `s/./${otherThan(key[at - 1])}/${at}`,
  },
  dropped: {
    what: 'no character at place',
    apply: (key, at) => key.slice(0, at - 1) + key.slice(at),
    script: (_key, at) => `s/.//${at}`,
  },
  doubled: {
    what: 'two characters for the one at place',
    apply: (key, at) => key.slice(0, at) + key.slice(at - 1),
    script: (_key, at) => `s/./&&/${at}`,
  },
  inserted: {
    what: 'one character more after place',
    apply: (key, at) => key.slice(0, at) + otherThan(key[at - 1]) + key.slice(at),
    script: (key, at) => `s/./&${otherThan(key[at - 1])}/${at}`,
  },
  swapped: {
    what: 'the next character before the one at place',
    apply: (key, at) => key.slice(0, at - 1) + key.slice(at, at + 1) + key.slice(at - 1, at) + key.slice(at + 1),
    script: (_key, at) => `s/^\\(.\\{${at - 1}\\}\\)\\(.\\)\\(.\\)/\\1\\3\\2/`,
  },
} as const satisfies Record<string, Damage>;

export type DamageKind = keyof typeof damages;
export type DamagedId = `${DamageKind}-at-${number}`;

export const damageKinds = Object.keys(damages) as readonly DamageKind[];

/** The number of places at which a change makes another key. The end of a key has rules of its own. */
export function placesIn(key: string): number {
  return splitPadding(key).digits.length - 1;
}

/** The key with one change; undefined if it has no such place. */
export function damaged(kind: DamageKind, at: number, key: string): SentCredential | undefined {
  if (at < 1 || at > placesIn(key)) return undefined;
  const { what, apply, script } = damages[kind];
  const name = { id: `${kind}-at-${at}`, kind: 'invalid', title: `the key with ${what} ${at}` } as const;
  return derived(name, apply(key, at), through(`sed '${script(key, at)}'`));
}

export function firstOf(length: number, key: string): SentCredential | undefined {
  if (length < 1 || length > placesIn(key)) return undefined;
  const name = { id: `first-${length}`, kind: 'invalid', title: `the first ${length} characters of the key` } as const;
  return derived(name, key.slice(0, length), `$(printf %.${length}s "$PETSTORE_API_KEY")`);
}

/** Servers limit the length of header lines. */
const longestTail = 1_000;

/** The key with zeros appended; undefined for a base64 key with padding, since readers may ignore what follows it. */
export function withTail(length: number, key: string): SentCredential | undefined {
  if (length < 1 || length > longestTail || splitPadding(key).padding !== '') return undefined;
  const name = { id: `and-${length}-more`, kind: 'invalid', title: `the key with ${length} zeros behind it` } as const;
  return derived(name, key + '0'.repeat(length), `\${PETSTORE_API_KEY}$(printf %0${length}d 0)`);
}

const separators = { dashes: '-', dots: '.', underscores: '_' } as const;

/** The key without a separator, or with another one in its place, as a store of keys may normalize it. */
function otherSeparators(key: string): readonly SentCredential[] {
  return Object.entries(separators).flatMap(([called, separator]) => {
    if (!key.includes(separator)) return [];
    const without = { id: `without-${called}`, kind: 'invalid', title: `the key without its ${called}` } as const;
    const other = separator === '_' ? '-' : '_';
    const exchanged = {
      id: `other-${called}`,
      kind: 'invalid',
      title: `the key with ${other} for its ${called}`,
    } as const;
    return [
      derived(without, key.replaceAll(separator, ''), through(`tr -d '${separator}'`)),
      derived(exchanged, key.replaceAll(separator, other), through(`tr '${separator}' '${other}'`)),
    ];
  });
}

/** The key with a character that stands for any in patterns of SQL or of file names. */
const patterns = { like: ['_', '%'], glob: ['?', '*'] } as const;

function asPatterns(key: string): readonly SentCredential[] {
  return Object.entries(patterns).flatMap(([called, [one, many]]) => {
    const name = (id: string, title: string) => ({ id: `${called}-${id}`, kind: 'invalid', title }) as const;
    return [
      derived(
        name('of-one', `${one} for the first character of the key`),
        one + key.slice(1),
        `${one}\${PETSTORE_API_KEY#?}`,
      ),
      derived(
        name('of-many', `${many} for the last character of the key`),
        key.slice(0, -1) + many,
        `\${PETSTORE_API_KEY%?}${many}`,
      ),
    ];
  });
}

export type NearId =
  | 'last-character-changed'
  | 'last-character-missing'
  | 'one-character-more'
  | 'first-character-missing'
  | 'one-character-before'
  | 'same-length'
  | `${'without' | 'other'}-${keyof typeof separators}`
  | `${keyof typeof patterns}-of-${'one' | 'many'}`;

export function nearKeys(key: string): readonly SentCredential[] {
  const { digits, padding } = splitPadding(key);
  const last = digits.slice(-1);
  const cut = '?'.repeat(padding.length + 1);
  // `change` is a parameter expansion of the shell.
  const near = (id: NearId, title: string, token: string, change: string, after = ''): SentCredential =>
    derived({ id, kind: 'invalid', title }, token, `\${PETSTORE_API_KEY${change}}${after}`);
  return [
    near(
      'last-character-changed',
      'the key with another last character',
      digits.slice(0, -1) + flipHighBit(last) + padding,
      `%${cut}`,
      flipHighBit(last) + padding,
    ),
    ...(padding === ''
      ? [
          near('last-character-missing', 'the key without its last character', key.slice(0, -1), '%?'),
          near('one-character-more', 'the key with one more character', `${key}x`, '', 'x'),
        ]
      : []),
    near('first-character-missing', 'the key without its first character', key.slice(1), '#?'),
    derived(
      { id: 'one-character-before', kind: 'invalid', title: 'the key with a character before it' },
      `x${key}`,
      around('x', ''),
    ),
    bearer(
      { id: 'same-length', kind: 'invalid', title: 'sevens, as many as the key has characters' },
      '7'.repeat(key.length),
      through('sed s/./7/g'),
    ),
    ...otherSeparators(key),
    ...(padding === '' ? asPatterns(key) : []),
  ];
}

function swapCase(text: string): string {
  return text.replace(/[a-z]/gi, (letter) => (letter < 'a' ? letter.toLowerCase() : letter.toUpperCase()));
}

/** The key in another letter case, if that makes another key: hexadecimal digits have no case. */
export function keysInOtherCase(key: string): readonly SentCredential[] {
  if (isHexadecimal(key)) return [];
  const candidates = [
    ['case-exchanged', 'with upper and lower case exchanged', swapCase(key), 'tr a-zA-Z A-Za-z'],
    ['lower-case', 'in lower case', key.toLowerCase(), 'tr A-Z a-z'],
  ] as const;
  return candidates.flatMap(([id, what, token, command]) =>
    token === key ? [] : [derived({ id, kind: 'other-case', title: `the key ${what}` }, token, through(command))],
  );
}
