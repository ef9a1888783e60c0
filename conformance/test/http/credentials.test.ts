/** Credentials derived from unusual keys are wrong, repeatable, and never disclosed. */

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { noKey } from '../../http/credentials.ts';
import { createRecorder } from '../../http/record.ts';
import { redactor } from '../../http/redact.ts';
import {
  credentialIds,
  findCredential,
  partsOf,
  refusedCredentials,
} from '../../sections/5-authentication/credentials.ts';

const tokensFor = (key: string): readonly string[] =>
  refusedCredentials({ api: key }).flatMap(
    ({ headers }) => /^Bearer (.+)$/.exec(headers['authorization'] ?? '')?.[1] ?? [],
  );

const tokenOf = (id: string, key: string): string | undefined =>
  findCredential(id, { api: key })?.headers['authorization']?.slice('Bearer '.length);

const uuid = '{0D5C1E0A-93F2-4B7E-8A11-5D2C3B4A5968}';
const digitsOf = (text: string): string => text.replace(/[{}()-]/g, '').toLowerCase();
const lengths = [4, 5, 7, 8, 16, 32];
const padded = lengths.map((bytes) =>
  Buffer.from(Array.from({ length: bytes }, (_nothing, at) => (at * 89 + 7) % 256)).toString('base64'),
);

test('no refused credential is the real key, nor what a careful service may take for it', () => {
  for (const [keys, same] of [
    // The low bits of the last character of base64 may be padding, and case and dashes say nothing in hexadecimal.
    [padded, (text) => Buffer.from(text, 'base64').toString('hex')],
    [['deadbeef00c0ffee', uuid], digitsOf],
    [['Key-Of-Some-Client', 'aAbBcC', 'xX7X7x'], (text) => text.toLowerCase()],
    [['a', 'ab', '0000', '7777', 'UPPER', 'lower', 'x'.repeat(200), 'a-b_c.d~e', '!!!', '*', 'null'], String],
  ] as readonly (readonly [readonly string[], (text: string) => string])[]) {
    for (const key of keys) {
      const tokens = tokensFor(key);
      assert.ok(tokens.length > 10);
      for (const token of tokens) assert.is.not(same(token), same(key), `${key} and ${token}`);
    }
  }
  for (const id of ['case-exchanged', 'lower-case']) assert.is(tokenOf(id, uuid), undefined, id);
  assert.equal([tokenOf('case-exchanged', 'key'), tokenOf('lower-case', 'key')], ['KEY', undefined]);
});

test('the id of a credential says what is made of the key', () => {
  const expected = {
    'first-half': 'abc7d',
    'first-character-changed': '7bc7def-gh',
    'middle-changed': 'abc77ef-gh',
    'last-character-changed': 'abc7def-gA',
    'last-character-missing': 'abc7def-g',
    'one-character-more': 'abc7def-ghx',
    'same-length': '7777777777',
    'without-separators': 'abc7defgh',
    'key-doubled': 'abc7def-ghabc7def-gh',
    'percent-for-last': 'abc7def-g%',
    'one-escape': '%61bc7def-gh',
    reversed: 'hg-fed7cba',
    'case-exchanged': 'ABC7DEF-GH',
  };
  for (const [id, token] of Object.entries(expected)) assert.is(tokenOf(id, 'abc7def-gh'), token, id);
  assert.is(tokenOf('without-separators', 'abc'), undefined);
  assert.is(findCredential('basic-user-and-password', { api: 'k' })?.headers['authorization'], `Basic ${btoa('k:k')}`);
});

test('a combined credential has its parts, one for each place and one without any', () => {
  const keys = { api: 'Some-Key-1' };
  const { headers } = findCredential('elsewhere', keys)!;
  const parts = partsOf('elsewhere', keys.api);
  // Beside the headers, the key may be in the query and in the body.
  assert.equal([parts[0], parts.length], [noKey, 1 + Object.keys(headers).length + 2]);
  assert.is(partsOf('made-up-elsewhere', keys.api).length, parts.length);
  const ids = partsOf('basic-user-and-password', keys.api).map(({ shown }) => shown.id);
  assert.equal([ids, partsOf('quoted', keys.api)], [['basic-user', 'basic-password'], []]);
});

test('a response that echoes a damaged key does not disclose it', () => {
  const key = 'Some-Key-1-And-More';
  const { recordResponse } = createRecorder({ redact: redactor([key]) });
  for (const id of ['middle-changed', 'reversed', 'one-escape', 'without-separators']) {
    const { secret = '' } = findCredential(id, { api: key })!;
    const answer = {
      status: 401,
      headers: { 'x-echo': `got ${secret}` },
      body: Buffer.from(`{"message":"ä ${secret}"}`),
    };
    const { headers, body } = recordResponse(answer, secret);
    assert.is(headers['x-echo'], 'got [key]', id);
    assert.is(body, '{"message":"ä [key]"}', id);
  }
  const number = { status: 200, headers: {}, body: Buffer.from('{"n":1234567}') };
  for (const text of [undefined, '1234567']) assert.is(recordResponse(number, text).body, '{"n":1234567}');
});

test('a misplaced key is in every place but the Authorization header, within the limits of common servers', () => {
  const { headers, query, shown } = findCredential('elsewhere', { api: 'a key&more' })!;
  assert.is(headers['authorization'], undefined);
  assert.is(headers['x-auth-token'], 'a key&more');
  assert.match(headers['cookie'] ?? '', 'session=a%20key%26more');
  assert.is(new URLSearchParams(query).get('access_token'), 'a key&more');
  assert.not.match(JSON.stringify(shown), 'a key');
  for (const length of [40, 900, 1_500, 4_000]) {
    const long = findCredential('elsewhere', { api: 'k'.repeat(length) })!;
    assert.ok(JSON.stringify(long.headers).length < Math.max(8_000, 3 * length), `${length}`);
    assert.ok((long.query ?? '').length < Math.max(4_000, 2 * length), `${length}`);
  }
});

test('credentials differ, and each is found by its id', () => {
  const keys = { api: 'Some-Key-1', rateLimit: 'Other-Key-2' };
  const all = credentialIds.map((id) => findCredential(id, keys)!);
  const parts = all.flatMap(({ shown }) => partsOf(shown.id, keys.api).filter((part) => part !== noKey));
  const contents = [...all, ...parts].map(({ headers, query, fields }) => JSON.stringify([headers, query, fields]));
  assert.is(new Set(contents).size, contents.length);
  for (const credential of parts) assert.equal(findCredential(credential.shown.id, keys), credential);
  assert.is(findCredential('rate-limit-key', keys)?.headers['authorization'], 'Bearer Other-Key-2');
  assert.is(findCredential('id-of-no-credential', keys), undefined);
});

test('a made-up key in the place of the real one has its form, and is found again by its id', () => {
  const keys = { api: 'Ab9-c.d_E/7' };
  const { madeUp } = findCredential('elsewhere', keys)!;
  assert.equal([madeUp?.headers['x-api-key'], madeUp?.shown.kind], ['Xx0-x.x_Xx0', 'missing']);
  assert.match(madeUp?.shown.curl?.words ?? '', 'X-API-Key: Xx0-x.x_Xx0');
  assert.equal(findCredential('made-up-elsewhere', keys), madeUp);
});

test.run();
