/** Values of Authorization that careless parsers accept: the key in wrappings, encodings and other schemes. */

import { createHash } from 'node:crypto';
import { authorization, bearer, type SentCredential } from '../../http/credentials.ts';
import { around, derived, literally, splitPadding, through, withScheme } from './derived-keys.ts';

const wrappings = {
  'comma-after': ['', ',', 'the key with a comma behind it'],
  'first-of-two': ['', ', Bearer never-issued-key', 'the key and another, after a comma'],
  'second-of-two': ['never-issued-key, Bearer ', '', 'another key and the key, after a comma'],
  quoted: ['"', '"', 'the key in double quotes'],
  'bearer-twice': ['Bearer ', '', 'the word Bearer twice before the key'],
  'semicolon-and-more': ['', ';x', 'the key with a semicolon and more behind it'],
  'word-after': ['', ' x', 'the key with a word behind it'],
  'in-single-quotes': ["'", "'", 'the key in single quotes'],
  'in-angles': ['<', '>', 'the key in angle brackets'],
  'in-brackets': ['[', ']', 'the key in brackets'],
  'in-braces': ['{', '}', 'the key in braces'],
  'in-parentheses': ['(', ')', 'the key in parentheses'],
  'as-parameter': ['token="', '"', 'the key as a parameter of Bearer'],
  'second-of-three': ['e30.', '.e30', 'the key as the middle of three parts'],
  'word-and-colon-before': ['x:', '', 'the key with a word and a colon before it'],
  'escaped-space-after': ['', '%20', 'the key with an escaped space behind it'],
  'escaped-end-after': ['', '%00', 'the key with an escaped end of text behind it'],
  'between-marks': ['.:!-_~*', '*~_-!:.', 'the key between marks'],
} as const satisfies Record<string, readonly [string, string, string]>;

/** Marks that services strip from a token, or split it at. Commas and semicolons stand above, and `=` is padding. */
const marks = [...'!"#$%&\'()*+-./:<>?@[\\]^_`{|}~'] as const;

/** The key with one mark in front or behind, so that no other mark hides what a service does with it. */
function marked(key: string, side: 'before' | 'after'): readonly SentCredential[] {
  if (splitPadding(key).padding !== '') return [];
  return marks.map((mark) => {
    const [before, after] = side === 'before' ? [mark, ''] : ['', mark];
    const name = {
      id: `mark-${side}-${mark.charCodeAt(0)}`,
      kind: 'invalid',
      title: `the key with ${mark} ${side} it`,
    };
    return derived({ ...name, kind: 'invalid' }, before + key + after, around(before, after));
  });
}

/** Text before the key instead of "Bearer ". */
const schemes = {
  'scheme-x-bearer': ['XBearer ', 'the key with the scheme XBearer'],
  'without-scheme': ['', 'the key without a scheme'],
  'scheme-token': ['Token ', 'the key with the scheme Token'],
  'scheme-without-space': ['Bearer', 'the key right behind Bearer'],
  'scheme-with-colon': ['Bearer: ', 'the key with Bearer and a colon'],
  'scheme-with-equals': ['Bearer=', 'the key with Bearer and an equals sign'],
  'scheme-api-key': ['ApiKey ', 'the key with the scheme ApiKey'],
  'scheme-digest': ['Digest ', 'the key with the scheme Digest'],
  'scheme-key': ['Key ', 'the key with the scheme Key'],
  'scheme-basic': ['Basic ', 'the key with the scheme Basic, as it is'],
  'scheme-bearer-x': ['BearerX ', 'the key with the scheme BearerX'],
  'scheme-oauth': ['OAuth ', 'the key with the scheme OAuth'],
  'scheme-jwt': ['JWT ', 'the key with the scheme JWT'],
} as const satisfies Record<string, readonly [string, string]>;

/** Tokens that are unrelated to the key. `test`, `admin` and the like are missing, since they may have been issued. */
const words = {
  'never-issued': 'never-issued-key',
  'word-null': 'null',
  'word-undefined': 'undefined',
  'word-true': 'true',
  'word-constructor': 'constructor',
  'word-proto': '__proto__',
  'word-bearer': 'Bearer',
  'unsigned-token': 'eyJhbGciOiJub25lIn0.e30.',
} as const;

/** Tokens that a gateway may block (`isBlockable`): metacharacters of query languages, other letters, and too many. */
const blockable = {
  'sql-quote': "' OR '1'='1",
  star: '*',
  percent: '%',
  'dot-star': '.*',
  'sql-comment': "' OR 1=1 --",
  'ldap-filter': '*)(uid=*))(|(uid=*',
  'no-sql': '{"$ne":null}',
  'not-ascii': 'clé',
  'very-long': '0'.repeat(1_500),
} as const;

export type FormId =
  | keyof typeof wrappings
  | keyof typeof schemes
  | keyof typeof words
  | keyof typeof blockable
  | `mark-${'before' | 'after'}-${number}`
  | 'one-escape'
  | 'all-escapes'
  | 'key-twice'
  | 'key-doubled'
  | 'in-base64'
  | 'in-hexadecimal'
  | 'reversed'
  | 'in-sha256'
  | 'in-md5'
  | 'bearer-without-key'
  | 'empty-header';

/** Whether a web application firewall may refuse a credential before the service sees it. */
export function isBlockable(id: string): boolean {
  return Object.hasOwn(blockable, id);
}

/** Whether a credential is the key with marks around it, in which a firewall may see an attack as well. */
export function hasMarks(id: string): boolean {
  return isWrapped(id) || id.startsWith('mark-');
}

/** Whether a credential holds the key among other characters, which a proxy may take for a malformed header. */
export function isWrapped(id: string): boolean {
  return Object.hasOwn(wrappings, id);
}

function wrapped(key: string): readonly SentCredential[] {
  // A base64 decoder may ignore characters after the padding.
  if (splitPadding(key).padding !== '') return [];
  return Object.entries(wrappings).map(([id, [before, after, title]]) =>
    derived({ id, kind: 'invalid', title }, before + key + after, around(before, after)),
  );
}

function escapesOf(text: string): string {
  return Buffer.from(text).toString('hex').replace(/../g, '%$&');
}

/** The key in an encoding, or as a hash that a store of keys may keep. */
function encoded(key: string): readonly SentCredential[] {
  const [first = '', rest] = [key.slice(0, 1), key.slice(1)];
  const hash = (name: 'sha256' | 'md5'): string => createHash(name).update(key).digest('hex');
  const invalid = (id: FormId, title: string, token: string, shell: string): SentCredential =>
    derived({ id, kind: 'invalid', title }, token, shell);
  return [
    invalid(
      'one-escape',
      'the key with its first character escaped',
      escapesOf(first) + rest,
      `%$(printf %.1s "$PETSTORE_API_KEY" | od -An -tx1 | tr -d ' ')\${PETSTORE_API_KEY#?}`,
    ),
    invalid(
      'all-escapes',
      'the key with all its characters escaped',
      escapesOf(key),
      through(`od -An -v -tx1 | tr -d '\\n' | tr ' ' %`),
    ),
    ...(splitPadding(key).padding === ''
      ? [
          invalid('key-twice', 'the key twice', `${key} ${key}`, '$PETSTORE_API_KEY $PETSTORE_API_KEY'),
          invalid('key-doubled', 'the key twice in a row', `${key}${key}`, '$PETSTORE_API_KEY$PETSTORE_API_KEY'),
        ]
      : []),
    invalid('in-base64', 'the key in base64', Buffer.from(key).toString('base64'), through(`base64 | tr -d '\\n'`)),
    invalid(
      'in-hexadecimal',
      'the bytes of the key in hexadecimal',
      Buffer.from(key).toString('hex'),
      through(`od -An -v -tx1 | tr -d ' \\n'`),
    ),
    invalid('reversed', 'the key from its end to its start', [...key].reverse().join(''), through('rev')),
    invalid('in-sha256', 'the SHA-256 of the key', hash('sha256'), through(`sha256sum | cut -d ' ' -f 1`)),
    invalid('in-md5', 'the MD5 of the key', hash('md5'), through(`md5sum | cut -d ' ' -f 1`)),
  ];
}

/** A bearer token without the key. Node.js writes each character of a header as one byte, so that UTF-8 is written out. */
function bearerToken(id: string, token: string): SentCredential {
  const bytes = Buffer.from(token).toString('latin1');
  const zeros = /^0+$/.test(token) ? token.length : 0;
  const title = zeros > 0 ? `a bearer token of ${zeros} zeros` : `the bearer token ${token}`;
  return bearer({ id, kind: 'invalid', title }, bytes, zeros > 0 ? `$(printf %0${zeros}d 0)` : literally(token));
}

/** All forms of the key, and tokens and headers without it; the likeliest mistakes come first. */
export function forms(key: string): readonly SentCredential[] {
  return [
    ...wrapped(key),
    ...marked(key, 'after'),
    ...marked(key, 'before'),
    ...Object.entries(schemes).map(([id, [scheme, title]]) =>
      withScheme({ id, kind: 'misplaced', title }, scheme, key),
    ),
    ...encoded(key),
    ...Object.entries({ ...words, ...blockable }).map(([id, token]) => bearerToken(id, token)),
    authorization(
      { id: 'bearer-without-key', kind: 'missing', title: 'the scheme Bearer without a key' },
      'Bearer',
      'Bearer',
    ),
    authorization({ id: 'empty-header', kind: 'missing', title: 'an empty Authorization header' }, '', ''),
  ];
}
