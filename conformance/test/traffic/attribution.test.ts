/** Whose request a recorded exchange is, what it asks for, and when it was under way. */

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { defined } from '../../../spec/defined.ts';
import { senderOf } from '../../traffic/attribution.ts';
import { placesOf, targetBelow } from '../../traffic/captured-exchange.ts';
import { operationAskedFor } from '../../traffic/recorder.ts';
import { seen } from '../seen.ts';
import { creates, options } from './judge.ts';

/** The kind of the credential, and whether the client is known. */
function sender(
  headers: Record<string, string>,
  status: number,
  changes: { readonly apiKey?: string; readonly isCleaned?: true } = {},
) {
  const { apiKey, isCleaned } = changes;
  const exchange = seen(1, 'GET /pets', status, [], { headers });
  const { credential, client } = senderOf(defined({ ...exchange, isCleaned }), defined({ ...options, apiKey }));
  return [credential.kind, client !== undefined];
}

test('a key that is accepted is valid; one that is refused may be either, unless it is the known one', () => {
  assert.equal(sender({ authorization: 'Bearer k' }, 200), ['valid', true]);
  assert.equal(sender({ authorization: 'Bearer k' }, 404), ['valid', true]);
  assert.equal(sender({ authorization: 'Bearer k' }, 401), ['unseen', false]);
  assert.equal(sender({ authorization: 'Bearer k' }, 401, { apiKey: 'k' }), ['valid', true]);
  assert.equal(sender({ authorization: 'bearer k' }, 200), ['lenient', true]);
});

test('no header is a missing key, unless the archive was cleaned of headers', () => {
  assert.equal(sender({}, 200), ['missing', false]);
  assert.equal(sender({}, 200, { isCleaned: true }), ['unseen', true]);
  assert.equal(sender({}, 401, { isCleaned: true }), ['unseen', false]);
});

test('another scheme is misplaced, and a placeholder for a key is not', () => {
  assert.equal(sender({ authorization: 'Basic eDp5' }, 200), ['misplaced', false]);
  for (const authorization of ['[redacted]', 'Redacted value', '***', 'Bearer', ''])
    assert.equal(sender({ authorization }, 200), ['unseen', false], authorization);
});

test('a credential that this kit recorded is found by its id', () => {
  const recorded = { ...seen(1, 'GET /pets', 403, {}), credentialId: 'last-character-changed' };
  assert.is(senderOf(recorded, options).credential.kind, 'invalid');
  assert.is(senderOf({ ...recorded, credentialId: 'of-another-kit' }, options).credential.kind, 'unseen');
});

test('operations are recognised by method and path, except for conditional and partial requests of HTTP', () => {
  const of = (line: string, status = 200, headers = {}) => operationAskedFor(seen(1, line, status, [], { headers }));
  assert.is(of('GET /pets?limit=1'), 'listPets');
  assert.is(of('POST /pets'), 'createPet');
  assert.is(of('GET /pets/7?x'), 'getPet');
  for (const line of ['HEAD /pets', 'PUT /pets/7', 'GET /pets/', 'GET /pets/7/photos', 'POST /pets/7', 'GET /petsy'])
    assert.is(of(line), 'other', line);
  assert.is(of('GET /pets', 304, { 'if-none-match': 'x' }), 'other');
  assert.is(of('GET /pets', 304), 'listPets');
  assert.is(of('GET /pets', 200, { 'if-none-match': 'x' }), 'listPets');
  assert.is(of('GET /pets', 406, { accept: 'text/html' }), 'other');
  assert.is(of('GET /pets', 406, { accept: 'application/json' }), 'listPets');
});

test('targets are those below the base address', () => {
  assert.is(targetBelow('https://host/v1', 'https://host/v1/pets?a=b#c'), '/pets?a=b');
  assert.is(targetBelow('https://host/v1', 'https://host:443/v1'), '');
  assert.is(targetBelow('https://host', 'https://host/pets'), '/pets');
  for (const address of ['http://host/v1/pets', 'https://host/v11/pets', 'https://host/pets', 'no address'])
    assert.is(targetBelow('https://host/v1', address), undefined);
});

test('exchanges within one millisecond may have overlapped', () => {
  const at = (startedAt: number, endedAt: number) => ({ ...creates(1), startedAt, endedAt });
  const [first, second, third] = placesOf([at(1, 2), at(2, 3), at(4, 4)]);
  assert.ok(first!.answered > second!.sent);
  assert.ok(second!.answered < third!.sent);
  assert.ok(third!.sent < third!.answered);
});

test.run();
