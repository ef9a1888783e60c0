/** What a planned request becomes: what is sent, what is recorded, and whether it may create an animal. */

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { noKey, rateLimitKey, type SentCredential, validKey } from '../../http/credentials.ts';
import { trialSettings } from '../../proof/trial.ts';
import { type PlannedRequest, plainListing, prepare } from '../../run/planned-request.ts';
import type { Settings } from '../../world/settings.ts';
import { creation } from './bench.ts';

const keys = { api: 'Planned-Key-4711' };
const prepared = (planned: PlannedRequest, settings: Partial<Settings> = {}) =>
  prepare(planned, keys, trialSettings(60, { baseUrl: 'http://host/v1', ...settings }));

test('a listing is a GET with the API key, which is sent and not recorded', () => {
  const { operation, credential, request, outgoing } = prepared(plainListing);
  const accept = 'application/json';
  assert.equal([operation, credential], ['listPets', validKey(keys.api).shown]);
  assert.equal(request, { method: 'GET', target: '/pets', headers: { accept } });
  const headers = { accept, authorization: 'Bearer Planned-Key-4711' };
  assert.equal(outgoing, { method: 'GET', url: 'http://host/v1/pets', headers });
});

test('headers of the user replace those of a request, but never its media type', () => {
  const headers = { accept: '*/*', 'x-tenant': 'mine', 'content-type': 'text/plain' };
  const planned = { ...creation, headers: { accept: 'text/html', 'x-tenant': 'other', 'x-own': '1' } };
  const { request, outgoing } = prepared(planned, { headers });
  const all = { accept: '*/*', 'x-tenant': 'mine', 'x-own': '1', 'content-type': 'application/json' };
  assert.equal(request, { method: 'POST', target: '/pets', headers: all, body: creation.body });
  assert.equal(outgoing.headers, { ...all, authorization: 'Bearer Planned-Key-4711' });
  assert.is(outgoing.body, creation.body);
});

test('the query of a credential follows that of the request', () => {
  const credential: SentCredential = { ...noKey, query: 'api_key=x' };
  const urlOf = (target: string): string => prepared({ ...plainListing, target, credential }).outgoing.url;
  assert.is(urlOf('/pets'), 'http://host/v1/pets?api_key=x');
  assert.is(urlOf('/pets?limit=1'), 'http://host/v1/pets?limit=1&api_key=x');
});

const lenient: SentCredential = { ...validKey(keys.api), shown: { ...validKey(keys.api).shown, kind: 'lenient' } };
const rateLimited = rateLimitKey('Other-Key-4711');

test('a creation that the service may accept may create an animal', () => {
  for (const planned of [
    creation,
    { ...creation, credential: lenient },
    { ...creation, credential: rateLimited },
    // Refusing a body that is not UTF-8 is advised only.
    { ...creation, body: '\udcff' },
  ])
    assert.is(prepared(planned).creation, 'may-create', JSON.stringify(planned));
});

test('a creation that must be refused must not create an animal, nor any other request that may change something', () => {
  for (const planned of [
    { ...creation, body: '{"name":"Rex"}' },
    { ...creation, credential: noKey },
    { ...creation, operation: 'other' },
    { ...creation, operation: 'listPets', method: 'delete' },
  ] as const)
    assert.is(prepared(planned).creation, 'must-not-create', JSON.stringify(planned));
});

test('a request by a safe method creates nothing', () => {
  for (const method of ['GET', 'HEAD', 'OPTIONS', 'TRACE', 'get'])
    assert.is(prepared({ ...creation, method }).creation, 'cannot-create', method);
  assert.is(prepared({ ...creation, method: 'POST' }).creation, 'may-create');
});

test.run();
