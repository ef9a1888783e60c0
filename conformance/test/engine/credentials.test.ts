/** Keys of unusual looks: what is sent instead of them, and that no text tells them. */

import fc from 'fast-check';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { findCredential, keyElsewhere, refusedCredentials } from '../../checks/refused-credentials.ts';
import { isSecretHeader, isTellable, redactJson, redactor } from '../../engine/redact.ts';

function tokensFor(key: string): readonly string[] {
  return refusedCredentials(key).flatMap(
    ({ headers }) => /^Bearer (.+)$/.exec(headers['authorization'] ?? '')?.[1] ?? [],
  );
}

function decoded(key: string): string {
  return Buffer.from(key, 'base64').toString('hex');
}

test('no near miss of a padded key is the same bytes in base64', () => {
  for (const bytes of [4, 5, 7, 8, 16, 32]) {
    const key = Buffer.from(Array.from({ length: bytes }, (_nothing, at) => (at * 89 + 7) % 256)).toString('base64');
    for (const token of tokensFor(key)) assert.is.not(decoded(token), decoded(key), `${key} and ${token}`);
  }
});

test('a hexadecimal key is the same in either case, so case is not asked about', () => {
  for (const key of ['deadbeef00c0ffee', '{0D5C1E0A-93F2-4B7E-8A11-5D2C3B4A5968}']) {
    for (const token of tokensFor(key)) assert.is.not(token.toLowerCase(), key.toLowerCase());
  }
  assert.ok(tokensFor('Key-Of-Some-Client').includes('kEY-oF-sOME-cLIENT'));
});

test('a key that is sent elsewhere stands in every place but the Authorization header', () => {
  const { headers, query, shown } = keyElsewhere('a key&more');
  assert.is(headers['authorization'], undefined);
  assert.is(headers['x-auth-token'], 'a key&more');
  assert.match(headers['cookie'] ?? '', 'session=a%20key%26more');
  assert.is(new URLSearchParams(query).get('access_token'), 'a key&more');
  assert.not.match(JSON.stringify(shown), 'a key');
});

test('a key as long as a token with claims goes into no more headers than common servers take', () => {
  for (const length of [40, 900, 1_500, 4_000]) {
    const { headers, query = '' } = keyElsewhere('k'.repeat(length));
    assert.ok(JSON.stringify(headers).length < Math.max(8_000, 3 * length), `${length}`);
    assert.ok(query.length < Math.max(4_000, 2 * length), `${length}`);
  }
});

test('every credential is found again by its id, and no two share one', () => {
  const keys = { api: 'Some-Key-1', rateLimit: 'Other-Key-2' };
  const ids = refusedCredentials(keys.api).map(({ shown }) => shown.id);
  assert.is(new Set(ids).size, ids.length);
  for (const credential of refusedCredentials(keys.api)) {
    assert.equal(findCredential(credential.shown.id, keys), credential);
  }
  assert.is(findCredential('rate-limit-key', keys)?.headers['authorization'], 'Bearer Other-Key-2');
  assert.is(findCredential('id-of-no-credential', keys), undefined);
});

test('a key of digits is redacted in the strings of JSON, and numbers stay what they were', () => {
  const redact = redactor(['12345678']);
  const text = '{"id":12345678,"name":"key 12345678","tags":["a\\"12345678"]}';
  assert.is(redactJson(text, redact), '{"id":12345678,"name":"key [key]","tags":["a\\"[key]"]}');
  assert.is(redactJson('no JSON: 12345678', redact), 'no JSON: [key]');
});

test('JSON stays JSON with the same numbers, and holds no key in any string', () => {
  const key = '40414243';
  fc.assert(
    fc.property(fc.jsonValue(), fc.integer(), (value, number) => {
      const json = { value, number, code: Number(key), echo: `your key is ${key}.` };
      const read = JSON.parse(redactJson(JSON.stringify(json), redactor([key])));
      assert.equal([read.number, read.code, read.echo], [number, Number(key), 'your key is [key].']);
    }),
  );
});

test('a key that is a word of every answer cannot be told from it', () => {
  for (const key of ['sold', 'Available', 'UTF-8', 'categoryId', 'null']) assert.not.ok(isTellable(key), key);
  for (const key of ['sold-out', 'key', 'a', '12345']) assert.ok(isTellable(key), key);
});

test('a header of a gateway is secret by its name', () => {
  for (const name of ['X-Gateway-Key', 'Cookie', 'Proxy-Authorization', 'x-session-token'])
    assert.ok(isSecretHeader(name));
  for (const name of ['X-Request-Id', 'Accept-Language', 'X-Tenant']) assert.not.ok(isSecretHeader(name));
});

test.run();
