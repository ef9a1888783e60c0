/** Credentials derived from unusual keys are wrong, repeatable, and never disclosed. */

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { seededRandom } from '../../../spec/random.ts';
import { noKey } from '../../http/credentials.ts';
import { createRecorder } from '../../http/record.ts';
import { redactor } from '../../http/redact.ts';
import { damageKinds, keysInOtherCase } from '../../sections/5-authentication/damaged-keys.ts';
import { everyPlace, keyElsewhere, partIdsOf, partsOf } from '../../sections/5-authentication/misplaced-keys.ts';
import {
  drawDamaged,
  findCredential,
  refusedCredentials,
} from '../../sections/5-authentication/refused-credentials.ts';

/** All tokens that a run may send instead of a key, with every damage at every place. */
function tokensFor(key: string): readonly string[] {
  const places = Array.from({ length: key.length }, (_nothing, at) => at + 1);
  const ids = [...damageKinds.flatMap((kind) => places.map((at) => `${kind}-at-${at}`)), 'first-3', 'and-8-more'];
  const credentials = [
    ...refusedCredentials({ api: key }),
    ...ids.flatMap((id) => findCredential(id, { api: key }) ?? []),
  ];
  return credentials.flatMap(({ headers }) => /^Bearer (.+)$/.exec(headers['authorization'] ?? '')?.[1] ?? []);
}

function decoded(key: string): string {
  return Buffer.from(key, 'base64').toString('hex');
}

test('no near miss of a key in padded base64 decodes to the same bytes', () => {
  for (const bytes of [4, 5, 7, 8, 16, 32]) {
    const key = Buffer.from(Array.from({ length: bytes }, (_nothing, at) => (at * 89 + 7) % 256)).toString('base64');
    for (const token of tokensFor(key)) assert.is.not(decoded(token), decoded(key), `${key} and ${token}`);
  }
});

test('a hexadecimal key equals itself in the other case, so its case is not changed', () => {
  const digitsOf = (text: string): string => text.replace(/[{}()-]/g, '').toLowerCase();
  for (const key of ['deadbeef00c0ffee', '{0D5C1E0A-93F2-4B7E-8A11-5D2C3B4A5968}']) {
    assert.equal(keysInOtherCase(key), []);
    for (const token of tokensFor(key)) assert.is.not(digitsOf(token), digitsOf(key));
  }
});

test('a token that differs from the key only in case is not among those that a service must refuse', () => {
  for (const key of ['Key-Of-Some-Client', 'aAbBcC', 'xX7X7x']) {
    for (const token of tokensFor(key)) assert.is.not(token.toLowerCase(), key.toLowerCase());
  }
  const [exchanged, lower] = keysInOtherCase('Key-Of-Some-Client');
  assert.is(exchanged?.headers['authorization'], 'Bearer kEY-oF-sOME-cLIENT');
  assert.equal([exchanged?.shown.kind, lower?.headers['authorization']], ['other-case', 'Bearer key-of-some-client']);
  assert.is(keysInOtherCase('key').length, 1);
});

test('damaged keys are repeatable by their seed, and one is damaged near its middle', () => {
  const key = 'Some-Key-0123456789-abcdefghij';
  const idsOf = (seed: number): readonly string[] => drawDamaged(key, seededRandom(seed)).map(({ shown }) => shown.id);
  assert.equal(idsOf(4), idsOf(4));
  assert.is.not(idsOf(4).join(), idsOf(5).join());
  for (const seed of [1, 2, 3]) {
    const [middle, ...others] = idsOf(seed);
    const place = Number(/^changed-at-(\d+)$/.exec(middle ?? '')?.[1]);
    assert.ok(place > key.length / 3 - 1 && place < (2 * key.length) / 3 + 1, middle);
    for (const id of [middle!, ...others]) assert.is(findCredential(id, { api: key })?.shown.id, id);
  }
  assert.equal(
    drawDamaged('k', seededRandom(1)).filter(({ shown }) => / at /.test(shown.title)),
    [],
  );
});

test('the id of a damaged key says how it is damaged', () => {
  const tokenOf = (id: string): string | undefined =>
    findCredential(id, { api: 'abc7def-gh' })?.headers['authorization']?.slice('Bearer '.length);
  const expected = {
    'changed-at-1': '7bc7def-gh',
    'changed-at-4': 'abc3def-gh',
    'dropped-at-8': 'abc7defgh',
    'doubled-at-2': 'abbc7def-gh',
    'inserted-at-9': 'abc7def-g7h',
    'swapped-at-3': 'ab7cdef-gh',
    'first-4': 'abc7',
    'and-3-more': 'abc7def-gh000',
    'without-dashes': 'abc7defgh',
    'other-dashes': 'abc7def_gh',
    'like-of-one': '_bc7def-gh',
    'glob-of-many': 'abc7def-g*',
    'key-doubled': 'abc7def-ghabc7def-gh',
    'mark-after-46': 'abc7def-gh.',
    'mark-before-35': '#abc7def-gh',
    'one-escape': '%61bc7def-gh',
    reversed: 'hg-fed7cba',
  };
  for (const [id, token] of Object.entries(expected)) assert.is(tokenOf(id), token, id);
  for (const id of ['changed-at-0', 'changed-at-10', 'first-10', 'and-1001-more', 'lost-at-3', 'without-dots']) {
    assert.is(tokenOf(id), undefined, id);
  }
});

test('a pack holds one credential for each place, and one request without a credential', () => {
  const key = 'Some-Key-1';
  const parts = partsOf('elsewhere', key);
  assert.is(parts[0], noKey);
  const { headers, query = '', fields = '' } = keyElsewhere(key);
  const names = Object.keys(headers).length - 1 + (headers['cookie'] ?? '').split('; ').length;
  const more = new URLSearchParams(query).size + Object.keys(JSON.parse(`{${fields}}`)).length;
  assert.is(parts.length, 1 + names + more);
  for (const { shown } of parts) assert.ok(partIdsOf('elsewhere').has(shown.id));
  assert.equal([...partIdsOf('basic-user-and-password')], ['basic-user', 'basic-password']);
  assert.is(partIdsOf('quoted').size, 0);
});

test('a response that echoes a damaged key does not disclose it', () => {
  const key = 'Some-Key-1-And-More';
  const { recordResponse } = createRecorder({ redact: redactor([key]) });
  for (const id of ['changed-at-5', 'swapped-at-9', 'reversed', 'all-escapes', 'in-hexadecimal', 'without-dashes']) {
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

test('a misplaced key is in every place but the Authorization header', () => {
  const { headers, query, shown } = keyElsewhere('a key&more');
  assert.is(headers['authorization'], undefined);
  assert.is(headers['x-auth-token'], 'a key&more');
  assert.match(headers['cookie'] ?? '', 'session=a%20key%26more');
  assert.is(new URLSearchParams(query).get('access_token'), 'a key&more');
  assert.not.match(JSON.stringify(shown), 'a key');
});

test('a key as long as a JWT stays within the header limits of common servers', () => {
  for (const length of [40, 900, 1_500, 4_000]) {
    const { headers, query = '' } = keyElsewhere('k'.repeat(length));
    assert.ok(JSON.stringify(headers).length < Math.max(8_000, 3 * length), `${length}`);
    assert.ok(query.length < Math.max(4_000, 2 * length), `${length}`);
  }
});

test('every credential is found by its id, and ids are unique', () => {
  const keys = { api: 'Some-Key-1', rateLimit: 'Other-Key-2' };
  const all = new Set([...refusedCredentials(keys), ...everyPlace(keys.api), ...keysInOtherCase(keys.api)]);
  const credentials = [...all].filter(({ shown }, at) => [...all].findIndex((one) => one.shown.id === shown.id) === at);
  const contents = new Set(credentials.map(({ headers, query, fields }) => JSON.stringify([headers, query, fields])));
  assert.is(contents.size, credentials.length);
  for (const credential of credentials) {
    assert.equal(findCredential(credential.shown.id, keys), credential);
  }
  assert.is(findCredential('rate-limit-key', keys)?.headers['authorization'], 'Bearer Other-Key-2');
  assert.is(findCredential('id-of-no-credential', keys), undefined);
});

test.run();
