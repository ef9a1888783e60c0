/** A consumer's request is planned for the target, without the consumer's secrets. */

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { validKey } from '../../conformance/http/credentials.ts';
import { type ConsumerRequest, planRequest } from '../verify/planned-request.ts';
import { NotVerifiable } from '../verify/reached.ts';

const credential = validKey('key-of-the-run');
const provided = { baseUrl: 'http://127.0.0.1:8080/api/v1', credential, id: undefined };

function consumer(request: Partial<ConsumerRequest> = {}): ConsumerRequest {
  return { method: 'GET', target: '/pets', headers: {}, body: '', ...request };
}

test('further headers of the consumer are sent unchanged', () => {
  const alike = { 'x-host': 'a', 'te-x': 'b', 'x-range': 'c', 'range-x': 'd' };
  const headers = { accept: 'application/json', 'x-request-id': '7', 'accept-language': 'de', ...alike };
  assert.equal(planRequest(consumer({ headers }), provided), {
    operation: 'other',
    method: 'GET',
    target: '/pets',
    headers,
    credential,
  });
});

test('no secret of the consumer is sent, in whatever header it is', () => {
  const secrets = {
    authorization: 'Bearer consumer-secret',
    'proxy-authorization': 'Basic consumer-secret',
    cookie: 'session=consumer-secret',
    'x-api-key': 'consumer-secret',
    'x-auth-token': 'consumer-secret',
    'x-client-secret': 'consumer-secret',
    'x-password': 'consumer-secret',
  };
  const planned = planRequest(consumer({ headers: { ...secrets, 'x-request-id': '7' } }), provided);
  assert.equal(planned.headers, { 'x-request-id': '7' });
  assert.not.ok(JSON.stringify(planned).includes('consumer-secret'));
  assert.is(planned.credential, credential);
});

test('headers about the connection to the gateway are not sent', () => {
  const headers = {
    host: '127.0.0.1:1234',
    connection: 'close',
    'keep-alive': 'timeout=5',
    'transfer-encoding': 'chunked',
    'content-length': '2',
    'accept-encoding': 'gzip',
    te: 'trailers',
    upgrade: 'h2c',
    expect: '100-continue',
    'proxy-connection': 'close',
    'user-agent': 'verifier',
  };
  assert.equal(planRequest(consumer({ headers }), provided).headers, {});
});

test('a body is sent with its media type, application/json by default', () => {
  const body = '{"name":"Rex","categoryId":9007199254740993}';
  const create = { method: 'POST', target: '/v1/pets', body };
  const bare = planRequest(consumer(create), provided);
  assert.is(bare.body, body);
  assert.is(bare.contentType, 'application/json');
  assert.is(bare.operation, 'createPet');
  const named = planRequest(consumer({ ...create, headers: { 'content-type': 'text/plain' } }), provided);
  assert.is(named.contentType, 'text/plain');
  assert.equal(named.headers, {});
  const none = planRequest(consumer(), provided);
  assert.not.ok('body' in none || 'contentType' in none);
});

/** The consumer's path → the path below the base address. */
const targets: Readonly<Record<string, string>> = {
  '/pets?limit=5': '/pets?limit=5',
  '/v1/pets': '/pets',
  '/api/v1/pets/3?x=1': '/pets/3?x=1',
  '/elsewhere/v1/pets': '/pets',
  '/api/v1x/pets': '/api/v1x/pets',
};

for (const [target, below] of Object.entries(targets)) {
  test(`${target} is sent as ${below}`, () => {
    assert.is(planRequest(consumer({ target }), provided).target, below);
  });
}

test('a base address without a version is taken off the path, and nothing that only begins with it', () => {
  const below = (baseUrl: string, target: string): string =>
    planRequest(consumer({ target }), { ...provided, baseUrl }).target;
  assert.is(below('http://host/shop', '/shop/pets/7'), '/pets/7');
  assert.is(below('http://host/shop/', '/shop/pets/7'), '/pets/7');
  assert.is(below('http://host/shop', '/shops/pets'), '/shops/pets');
  assert.is(below('http://host', '/pets'), '/pets');
});

test('headers that may change the answer make a read another operation, and only those', () => {
  const operationWith = (name: string) => planRequest(consumer({ headers: { [name]: 'x' } }), provided).operation;
  for (const name of ['if-none-match', 'range', 'prefer', 'accept-charset', 'x-http-method-override']) {
    assert.is(operationWith(name), 'other', name);
  }
  for (const name of ['x-range', 'range-x', 'preferred', 'x-if-match'])
    assert.is(operationWith(name), 'listPets', name);
});

test('the id in the path is replaced by that of the state', () => {
  const targetWith = (target: string, id: string | number) =>
    planRequest(consumer({ target }), { ...provided, id }).target;
  assert.is(targetWith('/pets/12', 7), '/pets/7');
  assert.is(targetWith('/v1/pets/-12?x=1', '9007199254740993'), '/pets/9007199254740993?x=1');
  assert.is(targetWith('/pets/12/toys', 7), '/pets/12/toys');
  assert.is(targetWith('/pets/abc', 7), '/pets/abc');
  assert.is(targetWith('/pets?limit=12', 7), '/pets?limit=12');
  assert.is(targetWith('/shop/pets/12', 7), '/shop/pets/12');
});

/** Request → the operation whose requirements apply. */
const operations: readonly (readonly [Partial<ConsumerRequest>, string])[] = [
  [{}, 'listPets'],
  [{ target: '/pets?limit=1' }, 'listPets'],
  [{ target: '/pets/1' }, 'getPet'],
  [{ target: '/pets/1/toys' }, 'other'],
  [{ target: '/pets/' }, 'other'],
  [{ target: '/orders' }, 'other'],
  [{ method: 'HEAD' }, 'other'],
  [{ headers: { accept: 'text/html' } }, 'other'],
  [{ headers: { accept: 'text/html, application/*;q=0.5' } }, 'listPets'],
  [{ headers: { 'if-none-match': '"1"' } }, 'other'],
  [{ headers: { range: 'bytes=0-1' } }, 'other'],
  [{ headers: { 'x-http-method-override': 'DELETE' } }, 'other'],
  [{ method: 'POST', headers: { 'if-match': '"1"' } }, 'createPet'],
];

for (const [request, operation] of operations) {
  test(`${JSON.stringify(request)} is ${operation}`, () => {
    assert.is(planRequest(consumer(request), provided).operation, operation);
  });
}

/** Request that is not sent → reason. */
const refused: readonly (readonly [Partial<ConsumerRequest>, RegExp])[] = [
  [{ method: 'DELETE', target: '/pets/1' }, /shows no DELETE \/pets\/1, so it is not sent/],
  [{ method: 'POST', target: '/pets/' }, /shows no POST \/pets\//],
  [{ method: 'POST', headers: { accept: 'text/html' } }, /what answers a creation that accepts text\/html/],
];

for (const [request, why] of refused) {
  test(`${JSON.stringify(request)} is not sent`, () => {
    assert.throws(
      () => planRequest(consumer(request), provided),
      (error: Error) => error instanceof NotVerifiable && why.test(error.message),
    );
  });
}

test.run();
