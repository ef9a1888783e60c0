/** A consumer's request is planned for the target, without the consumer's secrets. */

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { validKey } from '../../conformance/http/credentials.ts';
import { type ConsumerRequest, planRequest } from '../verify/forward.ts';
import { NotVerifiable } from '../verify/states.ts';

const credential = validKey('key-of-the-run');

function plan(request: Partial<ConsumerRequest>, baseUrl = 'http://127.0.0.1:8080/api/v1', id?: string | number) {
  return planRequest({ method: 'GET', target: '/pets', headers: {}, body: '', ...request }, baseUrl, credential, id);
}

test('further headers of the consumer are sent unchanged, and those of a connection and of secrets are not', () => {
  const further = { accept: 'application/json', 'x-request-id': '7', 'x-host': 'a', 'te-x': 'b', 'x-range': 'c' };
  const names =
    'authorization proxy-authorization cookie x-api-key x-auth-token x-client-secret x-password host connection keep-alive transfer-encoding content-length accept-encoding te upgrade expect proxy-connection user-agent';
  const others = Object.fromEntries(names.split(' ').map((name) => [name, 'consumer-secret']));
  assert.equal(plan({ headers: { ...further, ...others } }), {
    operation: 'listPets',
    method: 'GET',
    target: '/pets',
    headers: further,
    credential,
  });
});

test('a body is sent with every digit and with its media type, application/json by default', () => {
  const body = '{"name":"Rex","categoryId":9007199254740993}';
  const create = { method: 'POST', target: '/v1/pets', body };
  const bare = plan(create);
  assert.equal([bare.body, bare.contentType, bare.operation], [body, 'application/json', 'createPet']);
  assert.is(plan({ ...create, headers: { 'content-type': 'text/plain' } }).contentType, 'text/plain');
  assert.not.ok('body' in plan({}) || 'contentType' in plan({}));
});

/** Base address, the consumer's path, the id of the state → the path below the base address. */
const targets: readonly (readonly [base: string | undefined, target: string, below: string, id?: string | number])[] = [
  [undefined, '/pets?limit=5', '/pets?limit=5'],
  [undefined, '/v1/pets', '/pets'],
  [undefined, '/api/v1/pets/3?x=1', '/pets/3?x=1'],
  [undefined, '/elsewhere/v1/pets', '/pets'],
  [undefined, '/api/v1x/pets', '/api/v1x/pets'],
  ['http://host/shop', '/shop/pets/7', '/pets/7'],
  ['http://host/shop/', '/shop/pets/7', '/pets/7'],
  ['http://host/shop', '/shops/pets', '/shops/pets'],
  ['http://host', '/pets', '/pets'],
  [undefined, '/pets/12', '/pets/7', 7],
  [undefined, '/v1/pets/-12?x=1', '/pets/9007199254740993?x=1', '9007199254740993'],
  [undefined, '/pets/12/toys', '/pets/12/toys', 7],
  [undefined, '/pets/abc', '/pets/abc', 7],
  [undefined, '/pets?limit=12', '/pets?limit=12', 7],
];

for (const [base, target, below, id] of targets) {
  test(`${target} is sent as ${below} to ${base ?? 'the base address'}`, () => {
    assert.is(plan({ target }, base, id).target, below);
  });
}

const altering = ['if-none-match', 'range', 'prefer', 'accept-charset', 'accept-language', 'x-http-method-override'];

/** Request → the operation whose requirements apply. */
const operations: readonly (readonly [Partial<ConsumerRequest>, string])[] = [
  [{ target: '/pets?limit=1' }, 'listPets'],
  [{ target: '/pets/1' }, 'getPet'],
  [{ target: '/pets/1/toys' }, 'other'],
  [{ method: 'HEAD' }, 'other'],
  [{ headers: { accept: 'text/html' } }, 'other'],
  [{ headers: { accept: 'text/html, application/*;q=0.5' } }, 'listPets'],
  ...altering.map((name) => [{ headers: { [name]: 'x' } }, 'other'] as const),
  ...['x-range', 'range-x', 'preferred', 'x-if-match'].map(
    (name) => [{ headers: { [name]: 'x' } }, 'listPets'] as const,
  ),
  [{ method: 'POST', headers: { 'if-match': '"1"' } }, 'createPet'],
];

for (const [request, operation] of operations) {
  test(`${JSON.stringify(request)} is ${operation}`, () => assert.is(plan(request).operation, operation));
}

for (const [request, why] of [
  [{ method: 'DELETE', target: '/pets/1' }, /shows no DELETE \/pets\/1, so it is not sent/],
  [{ method: 'POST', target: '/pets/' }, /shows no POST \/pets\//],
  [{ method: 'POST', headers: { accept: 'text/html' } }, /what answers a creation that accepts text\/html/],
] as const) {
  test(`${JSON.stringify(request)} is not sent`, () => {
    assert.throws(
      () => plan(request),
      (error: Error) => error instanceof NotVerifiable && why.test(error.message),
    );
  });
}

test.run();
