/** The gateway between Pact's verifier and a target. */

import { once } from 'node:events';
import { get } from 'node:http';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { Session } from '../../conformance/run/session.ts';
import type { Attempt } from '../verify/attempts.ts';
import { type Gateway, type GatewayOptions, startGateway } from '../verify/gateway.ts';
import { pactFrom } from './in-process.ts';
import { type Answer, stubSession } from './stub-session.ts';

const metadata = { pactSpecification: { version: '4.0' } };

/** Uses a gateway that was given these interactions, and returns what it saw of them. */
async function through(
  session: Session,
  interactions: readonly object[],
  use: (gateway: Gateway) => Promise<unknown>,
  options: GatewayOptions = {},
): Promise<readonly Attempt[]> {
  const gateway = await startGateway(session, options);
  try {
    gateway.serve(pactFrom({ consumer: { name: 'c' }, interactions, metadata }));
    await use(gateway);
    return gateway.take();
  } finally {
    await gateway.close();
  }
}

async function change(gateway: Gateway, state = '', params: object = {}, action = 'setup'): Promise<unknown> {
  const answer = await fetch(gateway.statesUrl, { method: 'POST', body: JSON.stringify({ action, state, params }) });
  return answer.json();
}

const tearDown = (gateway: Gateway) => change(gateway, '', {}, 'teardown');

function create(gateway: Gateway): Promise<Response> {
  const headers = { 'content-type': 'application/json' };
  return fetch(`${gateway.url}/pets`, { method: 'POST', headers, body: '{"name":"Rex","categoryId":5}' });
}

test('only the secret paths are served', async () => {
  const { planned, session } = stubSession();
  await through(session, [{}], async (gateway) => {
    const { origin, pathname } = new URL(gateway.url);
    for (const path of ['/', '/pets', `${pathname}x/pets`, pathname, '/states']) {
      assert.is((await fetch(origin + path)).status, 404, path);
    }
    assert.is(new Set([gateway.url, gateway.statesUrl, gateway.brokerUrl]).size, 3);
    assert.match(pathname, /^\/[0-9a-f]{32}$/);
  });
  assert.equal(planned, []);
});

test('the planned request is sent, and the answer returns without headers about the connection', async () => {
  const dropped = { connection: 'close', 'transfer-encoding': 'chunked', 'content-length': '999' };
  const further = { 'content-encoding': 'gzip', 'set-cookie': 'a=b', 'x-odd': 'one\u2028two' };
  const headers = {
    'content-type': 'application/json',
    'x-ratelimit-limit': '60',
    location: '/x',
    ...dropped,
    ...further,
  };
  const { planned, session } = stubSession([{ status: 201, headers, body: '{"id":1}' }]);
  const [attempt] = await through(session, [{}], async (gateway) => {
    const answer = await fetch(`${gateway.url}/v1/pets?limit=1`, { headers: { 'x-request-id': '7', cookie: 'a=b' } });
    assert.equal([answer.status, await answer.text()], [201, '{"id":1}']);
    const returned = ['x-ratelimit-limit', 'location', ...Object.keys(further)].map((name) => answer.headers.get(name));
    assert.equal(returned, ['60', '/x', null, null, null]);
  });
  assert.equal([planned.length, planned[0]?.target, planned[0]?.headers?.['x-request-id']], [1, '/pets?limit=1', '7']);
  assert.is(planned[0]?.headers?.['cookie'], undefined);
  assert.equal([attempt?.isSent, attempt?.exchanges], [true, [1]]);
});

test('a redirect returns without its Location', async () => {
  const { session } = stubSession([{ status: 307, headers: { location: '/elsewhere' } }]);
  await through(session, [{}], async (gateway) => {
    const answer = await fetch(`${gateway.url}/pets`, { redirect: 'manual' });
    assert.equal([answer.status, answer.headers.get('location')], [307, null]);
  });
});

const listing = (query: object) => ({ request: { method: 'GET', path: '/pets', query } });

test('a listing by status gets an animal of that status, after one of another where three have room', async () => {
  for (const [query, given, statuses] of [
    [{ status: ['sold'] }, {}, ['available', 'sold']],
    [{ status: ['sold'], limit: ['2'] }, {}, ['sold']],
    [{ status: ['sold'], limit: ['many'] }, {}, ['sold']],
    [{ status: ['available'], limit: ['3'] }, { status: 'pending' }, ['pending']],
    [{ status: ['lost'] }, {}, [undefined]],
    [{}, {}, [undefined]],
  ] as const) {
    const { planned, session } = stubSession([{ status: 201, body: '{"id":7,"name":"Rex","categoryId":1}' }]);
    await through(session, [listing(query)], (gateway) => change(gateway, 'an animal exists', given));
    const sent = planned.map(({ body = '{}' }) => (JSON.parse(body) as { status?: string }).status);
    assert.equal(sent, statuses, JSON.stringify(query));
  }
});

/** Interaction, its request, answers, settings → what the gateway notes of it; `sent` counts requests. */
const noted: readonly (readonly [
  what: string,
  request: { readonly states?: readonly string[]; readonly path?: string; readonly init?: RequestInit },
  answers: readonly Answer[],
  settings: object,
  noted: { readonly blockedBy?: RegExp; readonly excuse?: RegExp; readonly sent: number },
])[] = [
  ['an unknown state', { states: ['the moon is full'] }, [], {}, { blockedBy: /state "the moon is full"/, sent: 0 }],
  ['the key in the path', { path: '/pets?note=key-of-the-run' }, [], {}, { blockedBy: /contains a key of/, sent: 0 }],
  [
    'the key in a header',
    { init: { headers: { 'x-id': 'key-of-the-run' } } },
    [],
    {},
    { blockedBy: /a key of/, sent: 0 },
  ],
  [
    'the key in the body',
    { init: { method: 'POST', body: '{"name":"key-of-the-run"}' } },
    [],
    {},
    { blockedBy: /contains a key of the run, so it is not sent/, sent: 0 },
  ],
  [
    'a very large request',
    { init: { method: 'POST', body: 'x'.repeat(2 ** 20 + 1) } },
    [],
    {},
    { blockedBy: /more than 1048576 bytes/, sent: 0 },
  ],
  ['a very deep answer', {}, [{ body: `"]]"${'['.repeat(128)}` }], {}, { excuse: /nested too deeply/, sent: 1 }],
  ['the deepest answer', {}, [{ body: `${'['.repeat(127)}"[\\"["${']'.repeat(127)}` }], {}, { sent: 1 }],
  [
    'a refusal of the key',
    {},
    [{ status: 401 }],
    {},
    { excuse: /^the key of the run was answered with 401: /, sent: 1 },
  ],
  ['a refusal of another key', { states: ['the API key is invalid'] }, [{ status: 401 }], {}, { sent: 1 }],
  ['a refusal without a key', { states: ['the API key is missing'] }, [{ status: 401 }], {}, { sent: 1 }],
];

for (const [what, { states = [], path = '/pets', init = {} }, answers, settings, expected] of noted) {
  test(`${what} is noted`, async () => {
    const { planned, session } = stubSession(answers, settings);
    const [attempt] = await through(session, [{}], async (gateway) => {
      for (const state of states) await change(gateway, state);
      await fetch(gateway.url + path, init).catch(() => undefined);
    });
    assert.match(attempt?.blockedBy ?? 'none', expected.blockedBy ?? /^none$/);
    assert.match(attempt?.excuse ?? 'none', expected.excuse ?? /^none$/);
    assert.is(planned.length, expected.sent);
  });
}

test('a refused creation is excused only if its category may be unknown', async () => {
  const excuseWith = async (settings: object) => {
    const { session } = stubSession([{ status: 400, body: '{}' }], settings);
    return (await through(session, [{}], create))[0]?.excuse;
  };
  assert.match((await excuseWith({})) ?? '', /the category may not be known, see --category-id/);
  assert.is(await excuseWith({ categoryIds: [5n] }), undefined);
  const { session } = stubSession([
    { status: 201, body: '{}' },
    { status: 400, body: '{}' },
  ]);
  const attempts = await through(session, [{}, {}], async (gateway) => {
    await create(gateway);
    await tearDown(gateway);
    await create(gateway);
  });
  assert.is(attempts[1]?.excuse, undefined);
});

test('a second request of one interaction is not sent', async () => {
  const { planned, session } = stubSession();
  const [attempt] = await through(session, [{}], async (gateway) => {
    await fetch(`${gateway.url}/pets`);
    assert.is((await fetch(`${gateway.url}/pets`)).status, 503);
  });
  assert.equal([planned.length, attempt?.blockedBy], [1, 'its request was sent more than once']);
});

test('an answer that lacks the animals of its states is asked for again until it has them, for a minute', async () => {
  const created: Answer = { status: 201, body: '{"id":7,"name":"Rex","categoryId":1}' };
  const [gone, found]: Answer[] = [{ status: 404, body: '{}' }, { body: '{"id":7}' }];
  const asked = async (path: string, response: object, ...answers: readonly Answer[]) => {
    const { session, waits } = stubSession([created, ...answers]);
    const [attempt] = await through(session, [{ response }], async (gateway) => {
      await change(gateway, 'an animal exists');
      // fetch would add a header that may alter the answer.
      await once(get(gateway.url + path), 'response');
    });
    return [attempt?.exchanges.length, waits.at(-1) ?? 0];
  };
  assert.equal(await asked('/pets/7', {}, gone!, gone!, found!), [4, 5_000]);
  assert.equal(await asked('/pets/7', {}, gone!), [7, 63_000]);
  assert.equal(await asked('/pets/7', { status: 404 }, gone!), [2, 0]);
  assert.equal(await asked('/pets', {}, { body: '[]' }, { body: '[{}]' }), [3, 2_000]);
  assert.equal(await asked('/pets', {}, { body: '[{}]' }), [2, 0]);
});

test('a target that gives no answer and an internal error fail the interaction, and the run goes on', async () => {
  const unanswered = { number: 1, failure: { code: 'timeout', message: 'no complete response within 5 ms' } };
  for (const [send, status, failure] of [
    [
      () => Promise.resolve({ ...unanswered, credential: { kind: 'valid' }, request: { headers: {} } }),
      503,
      unanswered.failure.message,
    ],
    [() => Promise.reject(new TypeError('ours')), 500, 'TypeError: ours'],
  ] as const) {
    const [attempt] = await through(stubSession([], {}, { send }).session, [{}], async (gateway) => {
      assert.is((await fetch(`${gateway.url}/pets`)).status, status);
    });
    assert.is(attempt?.failure, failure);
  }
});

/** The answers of a key with this limit, reset and rest. */
const limited = (status: number, reset: string, remaining = '0'): Answer => ({
  status,
  headers: { 'x-ratelimit-reset': reset, 'x-ratelimit-remaining': remaining, 'x-ratelimit-limit': '99' },
});

for (const [what, answers, exchanges, why] of [
  ['is sent when the key is exhausted', [limited(429, '60'), limited(429, '60')], 2, undefined],
  ['is returned when it is served', [limited(429, '60'), limited(200, '60')], 2, undefined],
  [
    'is sent again where the limit was reset before it',
    [limited(429, '60'), limited(200, '120'), limited(429, '120'), limited(429, '120')],
    4,
    undefined,
  ],
  [
    'cannot be sent where the limit is reset each time',
    [1, 2, 3].flatMap((window) => [limited(429, `${window}`), limited(200, `${window + 1}`)]),
    6,
    /^the limit was reset each time/,
  ],
  ['is returned where nothing is left before it', [limited(200, '60'), limited(200, '60')], 2, undefined],
  ['cannot be sent where the budget is too small', [limited(200, '60', '98')], undefined, /raise --max-requests/],
] as const) {
  test(`a request beyond the limit ${what}`, async () => {
    const { session } = stubSession(answers, {}, { keys: { api: 'a', rateLimit: 'b' } });
    const [attempt] = await through(session, [{}], async (gateway) => {
      await change(gateway, 'the rate limit is exceeded');
      await fetch(`${gateway.url}/pets?status=sold`);
    });
    assert.match(attempt?.blockedBy ?? 'none', why ?? /^none$/);
    if (exchanges !== undefined) assert.is(attempt?.exchanges.length, exchanges);
  });
}

test.run();
