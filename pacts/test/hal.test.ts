/** Requests to a broker follow its links, at its own address only; every problem is one sentence. */

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { type Incoming, type Outgoing, TransportError } from '../../conformance/http/transport.ts';
import { type BrokerAccess, BrokerError, createHal, linkOf } from '../verify/hal.ts';

/** A broker with one answer; `asked` records the requests. */
function brokerWith(answer: Partial<Incoming> | TransportError, more: object = {}) {
  const asked: Outgoing[] = [];
  const access: BrokerAccess = {
    url: 'https://broker.example/team/',
    transport: (outgoing) => {
      asked.push(outgoing);
      if (answer instanceof TransportError) return Promise.reject(answer);
      return Promise.resolve({ status: 200, headers: {}, body: new TextEncoder().encode('{"a":1}'), ...answer });
    },
    ...more,
  };
  return { ask: createHal(access, new AbortController().signal), asked };
}

async function refused(answer: Partial<Incoming> | TransportError, link = '/x'): Promise<string> {
  const error = await brokerWith(answer)
    .ask('GET', link)
    .catch((reason: unknown) => reason);
  assert.instance(error, BrokerError);
  return (error as BrokerError).message;
}

test('a link is requested at the address of the broker, whatever host it names', async () => {
  const { ask, asked } = brokerWith({}, { token: 'secret' });
  assert.equal((await ask('GET', 'http://internal:9292/pacts/7?x=1')).fields, { a: 1 });
  await ask('POST', '/pacts/7/results', { success: true });
  assert.equal(
    asked.map(({ url }) => url),
    ['https://broker.example/pacts/7?x=1', 'https://broker.example/pacts/7/results'],
  );
  assert.is(asked[0]?.headers['authorization'], 'Bearer secret');
  assert.equal([asked[0]?.body, asked[0]?.headers['content-type']], [undefined, undefined]);
  assert.equal([asked[1]?.body, asked[1]?.headers['content-type']], ['{"success":true}', 'application/json']);
});

test('a name and a password are sent as Basic; without them there is no Authorization header', async () => {
  const named = brokerWith({}, { user: { name: 'me', password: 'öse' } });
  await named.ask('GET', '/');
  assert.is(named.asked[0]?.headers['authorization'], `Basic ${Buffer.from('me:öse').toString('base64')}`);
  const open = brokerWith({});
  await open.ask('GET', '/');
  assert.is(open.asked[0]?.headers['authorization'], undefined);
});

test('the message on a refused credential names the variable to set or to check', async () => {
  const message = async (access: object): Promise<string> => {
    const { ask } = brokerWith({ status: 401 }, access);
    return ask('GET', '/').then(String, ({ message: text }: Error) => text);
  };
  assert.match(await message({}), /^it answered 401: set PACT_BROKER_TOKEN, or /);
  assert.match(await message({ token: 'secret' }), /^it answered 401: check the token in PACT_BROKER_TOKEN, or /);
  const user = { name: 'me', password: 'secret' };
  assert.match(await message({ user }), /^it answered 401: check PACT_BROKER_USERNAME and PACT_BROKER_PASSWORD$/);
});

test('an answer that is not a resource is one sentence', async () => {
  assert.is(await refused({ status: 302 }), 'it answered 302');
  assert.is(await refused({ isCut: true }), 'its answer is larger than any pact');
  assert.is(await refused({ body: new TextEncoder().encode('<html>') }), 'its answer is not a JSON object');
  assert.is(await refused({ body: new TextEncoder().encode('[]') }), 'its answer is not a JSON object');
  assert.is(
    await refused(new TransportError('timeout', 'no complete response within 5 ms')),
    'no complete response within 5 ms',
  );
  assert.match(await refused({}, 'http://['), /^it names the address "http/);
});

test('an answer without a body is an empty resource', async () => {
  assert.equal((await brokerWith({ status: 201, body: new Uint8Array() }).ask('PUT', '/x', {})).fields, {});
});

test('the placeholders of a link are filled in, and a missing link is named', () => {
  const fields = { _links: { 'pb:one': { href: '/of/{provider}/{more}' }, 'pb:odd': 5 } };
  assert.is(linkOf({ fields }, 'pb:one', { provider: 'a/b c' }), '/of/a%2Fb%20c/%7Bmore%7D');
  for (const relation of ['pb:odd', 'pb:none']) {
    assert.throws(
      () => linkOf({ fields }, relation),
      (error: unknown) => String(error).includes(`it names no ${relation}`),
    );
  }
  assert.throws(() => linkOf({ fields: {} }, 'self'), /it names no self/);
});

test.run();
