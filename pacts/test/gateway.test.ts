/** The gateway between Pact's verifier and a target: the states that it reaches, and what it sends and returns. */

import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { text as readText } from 'node:stream/consumers';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { validKey } from '../../conformance/http/credentials.ts';
import type { Exchange } from '../../conformance/http/exchange.ts';
import { trialSettings } from '../../conformance/proof/trial.ts';
import type { PlannedRequest } from '../../conformance/run/planned-request.ts';
import type { Session } from '../../conformance/run/session.ts';
import { exchangeOf } from '../../conformance/test/run/hand-made.ts';
import type { Settings } from '../../conformance/world/settings.ts';
import { removalOfGetPet } from '../../spec/facts.ts';
import { readPact } from '../pact.ts';
import { type Gateway, startGateway } from '../verify/gateway.ts';
import { pactFrom } from './in-process.ts';

type Answer = Partial<NonNullable<Exchange['response']>>;

const key = 'key-of-the-run';

/** A session without a target: it records planned requests, and gives answers in order, of which the last one repeats. */
function stubSession(answers: readonly Answer[] = [], settings: Partial<Settings> = {}) {
  const planned: PlannedRequest[] = [];
  const exchanges: Exchange[] = [];
  let now = 0;
  function send(one: PlannedRequest): Promise<Exchange> {
    const answer = answers[Math.min(planned.length, answers.length - 1)];
    planned.push(one);
    const { method = 'GET', body = '', contentType = '', operation, target } = one;
    const exchange = exchangeOf(planned.length, {
      operation,
      credential: (one.credential ?? validKey(key)).shown,
      request: { method, target, body, headers: { 'content-type': contentType } },
      response: { status: 200, headers: {}, body: '[]', ...answer },
      endedAt: 0,
    });
    exchanges.push(exchange);
    return Promise.resolve(exchange);
  }
  const session = {
    settings: trialSettings(100, settings),
    keys: { api: key, rateLimit: 'another' },
    exchanges,
    newName: () => `CFklmbcdaa${'abc'[planned.length]}`,
    random: () => 0.5,
    clock: { now: () => now },
    forCheck: () => session,
    wait: async (ms: number, why: string) => {
      assert.is(why, 'new animals may not be listed yet');
      now += ms;
    },
    mask: { text: (text: string) => text.replaceAll(key, '[key]'), body: (text: string) => text },
    budget: { requestsLeft: () => 100, creationsLeft: () => 0 },
    send,
    sendOnce: send,
  };
  return { planned, waitedMs: () => now, session: session as unknown as Session };
}

/** Verifies these interactions through a gateway as the verifier does, and returns what it saw of them. */
async function through(session: Session, interactions: readonly object[], use?: (gateway: Gateway) => unknown) {
  const gateway = await startGateway(session);
  const [url] = gateway.serve(pactFrom({ interactions }));
  const change = (action: string, state = '') =>
    fetch(gateway.statesUrl, { method: 'POST', body: JSON.stringify({ action, state }) });
  try {
    const served = readPact(await (await fetch(url!)).text(), url!);
    for (const { states } of served.interactions) {
      await change('setup', states[0]?.name);
      await use?.(gateway);
      await change('teardown', states[0]?.name);
    }
  } finally {
    await gateway.close();
  }
  return gateway.take().attempts;
}

/** An interaction in these states. */
const inStates = (...names: readonly (string | { name: string; params: object })[]) => ({
  providerStates: names.map((one) => (typeof one === 'string' ? { name: one } : one)),
});

/** Sends a request without the headers that fetch adds, some of which may alter an answer. */
async function send(gateway: Gateway, line: string, headers: Readonly<Record<string, string>> = {}, body = '') {
  const [method = '', target = ''] = line.split(' ');
  const sent = request(gateway.url + target, { method, headers });
  sent.end(body);
  const [answer] = (await once(sent, 'response')) as [IncomingMessage];
  return { status: answer.statusCode, headers: answer.headers, body: await readText(answer) };
}

const created: Answer = { status: 201, body: '{"id":7,"name":"Rex","categoryId":1}' };
const bodies: Readonly<Record<string, Answer>> = {
  created,
  large: { status: 201, body: '{"id":9007199254740993,"name":"Rex","categoryId":-9223372036854775808}' },
};
const [animal, unknown] = ['an animal exists', 'no animal has this id'];

/**
 * State and parameters | a status, or the name of an answer | the values that it injects, or the end of why it cannot be
 * reached | what it sends.
 */
const states = `
an animal exists {"name":"Mia","categoryId":"9007199254740993","status":"sold"} | created | {"id":7,"name":"Rex","categoryId":1} | POST /pets {"name":"Mia","categoryId":9007199254740993,"status":"sold"}
an animal exists | large | {"id":"9007199254740993","name":"Rex","categoryId":"-9223372036854775808"} | POST /pets {"name":"CFklmbcdaaa","categoryId":1}
an animal exists {"name":"Rex","categoryId":1} | 400 | see --category-id, or the name "Rex" is not accepted |
an animal exists | 400 | createPet answered 400: the category may not be known, see --category-id |
an animal exists {"categoryId":"many"} | 400 | see --category-id | POST /pets {"name":"CFklmbcdaaa","categoryId":"many"}
an animal exists {"categoryId":1.5,"status":"lost"} | 400 | see --category-id | POST /pets {"name":"CFklmbcdaaa","categoryId":1.5,"status":"lost"}
animals exist {"status":"sold"} | created | {} | POST /pets {"name":"CFklmbcdaaa","categoryId":1,"status":"sold"}; POST /pets {"name":"CFklmbcdaab","categoryId":1,"status":"sold"}
animals exist {"count":1} | created | {} | POST /pets {"name":"CFklmbcdaaa","categoryId":1}
animals exist {"count":20} | created | {} |
animals exist {"count":21} | created | count 21 is not from 1 to 20 |
animals exist {"count":0} | created | count 0 is not from 1 to 20 |
no animal has this id | 404 | {"id":"3458623776332185600"} | GET /pets/3458623776332185600
no animal has this id | 200 | getPet answered 200 for an id that no animal can have |
no animal has this id | 403 | the key of the run was answered with 403: its scope may not allow this |
an animal can be created | 200 | {"name":"CFklmbcdaaa","categoryId":1} |
the API key is missing | 200 | {} |
the moon is full | 200 | "the API key is missing", "the API key is invalid", "the rate limit is exceeded" |
`;

/** Enters a state; returns the values, or else why it cannot be reached, and what was sent. */
async function enter(name: string, params: object, answers: readonly Answer[], settings: Partial<Settings> = {}) {
  const { planned, session } = stubSession(answers, settings);
  const [attempt] = await through(session, [inStates({ name, params })]);
  const sent = planned.map(({ method = 'GET', target, body = '' }) => `${method} ${target} ${body}`.trim());
  return { found: attempt?.obstacle?.why ?? JSON.stringify(attempt?.reached.values), sent };
}

for (const row of states.trim().split('\n')) {
  const [state = '', answered = '', expected = '', lines = ''] = row.split(/ \|(?: |$)/);
  test(`${state}, answered by ${answered}: ${expected}`, async () => {
    const [, name = '', params = '{}'] = /^([^{]*?)(?: ({.*))?$/.exec(state)!;
    const answer = bodies[answered] ?? { status: Number(answered) };
    const { found, sent } = await enter(name, JSON.parse(params) as object, [answer]);
    assert.ok(expected.startsWith('{') ? found === expected : found.endsWith(expected), found);
    if (lines !== '') assert.equal(sent, lines.split('; '));
  });
}

test('a state depends on the day and on the categories of the user, and adds to the values of others', async () => {
  const gone = await enter('no animal has this id', {}, [{ status: 404 }], { today: removalOfGetPet });
  assert.equal(gone, { found: 'getPet is removed from 5 December 2030 on', sent: [] });
  const { found } = await enter('an animal can be created', {}, [], { categoryIds: [2n ** 53n + 1n, 5n] });
  assert.is(found, '{"name":"CFklmbcdaaa","categoryId":5}');
  const [both] = await through(stubSession([created]).session, [inStates(animal, 'an animal can be created')]);
  assert.equal(both?.reached.values, { id: 7, name: 'CFklmbcdaab', categoryId: 1 });
});

test('an error of the kit is no reason why an interaction cannot be verified: it ends the verification', async () => {
  const { session } = stubSession();
  const broken = new TypeError('a mistake of the kit');
  Object.assign(session, { send: () => Promise.reject(broken) });
  const gateway = await startGateway(session);
  const [url] = gateway.serve(pactFrom({ interactions: [inStates(animal)] }));
  const served = readPact(await (await fetch(url!)).text(), url!);
  const [named] = served.interactions[0]!.states;
  const setup = { method: 'POST', body: JSON.stringify({ action: 'setup', state: named!.name }) };
  const hasAnswer = await fetch(gateway.statesUrl, setup).then(
    () => true,
    () => false,
  );
  await gateway.close();
  assert.is(hasAnswer, false);
  assert.throws(gateway.stopped, (error: unknown) => error === broken);
  assert.is(gateway.take().attempts[0]?.obstacle, undefined);
});

test('a lasting state is reached once, another one each time, and again where it failed', async () => {
  const { planned, session } = stubSession([{ status: 400 }, created, created, { status: 404 }, created]);
  const sold = { name: animal, params: { status: 'sold' } };
  const all = [animal, animal, 'an animal can be created', unknown, unknown, 'animals exist', 'animals exist'].map(
    (name) => inStates(name, animal, sold),
  );
  const attempts = await through(session, all);
  const seen = attempts.map(({ exchanges, reached: { animals } }) => `${exchanges.join()} ${animals}`);
  assert.equal([seen, planned.length], [['1 0', '2,3 3', ' 2', '4 2', ' 2', '5,6 4', ' 4'], 6]);
});

test('a listing by status gets an animal of that status, after one of another where three have room', async () => {
  for (const [query, given, statuses] of [
    ['status=sold', {}, ['available', 'sold']],
    ['status=sold&limit=2', {}, ['sold']],
    ['status=sold&limit=3', {}, ['available', 'sold']],
    ['status=available&limit=3', { status: 'sold' }, ['sold']],
    ['status=lost', {}, [undefined]],
    ['', {}, [undefined]],
  ] as const) {
    const { planned, session } = stubSession([created]);
    const request = { method: 'GET', path: '/pets', query };
    const [attempt] = await through(session, [{ request, ...inStates({ name: animal, params: given }) }]);
    const sent = planned.map(({ body = '{}' }) => (JSON.parse(body) as { status?: string }).status);
    assert.equal([sent, attempt?.reached.animals], [statuses, 1], query);
  }
});

/**
 * The request of a consumer | its header | the state, or the status that it expects | method, target, operation and credential
 * of what is sent, or why it is not.
 */
const requests = `
GET /pets?limit=5 | | | GET /pets?limit=5 listPets api-key
GET /v1/pets | | | GET /pets listPets api-key
GET /api/v1/pets/3?x=1 | | | GET /pets/3?x=1 getPet api-key
GET /shops/pets | | | GET /shops/pets other api-key
GET /pets/12 | | an animal exists | GET /pets/7 getPet api-key
GET /v1/pets/-12?x=1 | | an animal exists | GET /pets/7?x=1 getPet api-key
GET /pets/12/toys | | an animal exists | GET /pets/12/toys other api-key
GET /shops/pets/12 | | an animal exists | GET /shops/pets/12 other api-key
GET /pets/abc | | an animal exists | GET /pets/abc getPet api-key
GET /pets?limit=12 | | an animal exists | GET /pets?limit=12 listPets api-key
HEAD /pets | | | HEAD /pets other api-key
GET /pets | accept: text/html | | GET /pets other api-key
GET /pets | accept: text/html, application/*;q=0.5 | | GET /pets listPets api-key
GET /pets | if-none-match: x | | GET /pets other api-key
GET /pets | range: x | | GET /pets other api-key
GET /pets | accept-language: x | | GET /pets other api-key
GET /pets | x-http-method-override: x | | GET /pets other api-key
GET /pets | x-range: x | | GET /pets listPets api-key
GET /pets | x-if-match: x | | GET /pets listPets api-key
POST /pets {"categoryId":9007199254740993} | if-match: "1" | | POST /pets createPet api-key
GET /pets | | 401 | GET /pets listPets none
GET / | | | GET / other api-key
GET /pets | authorization: bearer x | | GET /pets listPets lower-case-bearer
GET /pets | authorization: bearer | | GET /pets listPets api-key
GET /pets | authorization: Bearer x | 401 | GET /pets listPets never-issued
GET /pets | authorization: Bearer x | the API key is missing | GET /pets listPets none
GET /pets | | the API key is invalid | GET /pets listPets never-issued
DELETE /pets/1 | | | the interface shows no DELETE /pets/1, so it is not sent
POST /pets/ | | | the interface shows no POST /pets/, so it is not sent
`;

for (const row of requests.trim().split('\n')) {
  const [asked = '', header = '', state = '', expected] = row.split(/ *\| */);
  test(`${asked} ${header} ${state} is sent as ${expected}`, async () => {
    const [, line = '', body = ''] = /^(\S+ \S+) ?(.*)$/.exec(asked)!;
    const headers = Object.fromEntries(header === '' ? [] : [header.split(': ')]);
    const { planned, session } = stubSession(state === animal ? [created, {}] : [{}]);
    const interaction = /^\d*$/.test(state) ? { response: { status: Number(state || 200) } } : inStates(state);
    const [attempt] = await through(session, [interaction], (gateway) => send(gateway, line, headers, body));
    const { credential = validKey(key), ...sent }: Partial<PlannedRequest> = planned.at(-1) ?? {};
    const words = [sent.method, sent.target, sent.operation, credential.shown.id];
    assert.is(attempt?.obstacle?.why ?? words.join(' '), expected);
    assert.equal([sent.body ?? '', sent.contentType], [body, body === '' ? undefined : 'application/json']);
  });
}

test('headers of the consumer are sent unchanged, and those of a connection and of secrets are not', async () => {
  const further = { accept: 'application/json', 'x-request-id': '7', 'x-host': 'a', 'te-x': 'b' };
  const secrets = 'authorization proxy-authorization cookie x-api-key x-auth-token x-client-secret x-password';
  const names = `${secrets} host accept-encoding te proxy-connection user-agent`.split(' ');
  const others = Object.fromEntries(names.map((name) => [name, 'secret']));
  const { planned, session } = stubSession();
  await through(session, [{}], (gateway) => send(gateway, 'GET /pets', { ...further, ...others }));
  assert.equal([planned[0]?.headers, planned[0]?.credential], [further, validKey(key)]);
});

test('only the secret paths are served', async () => {
  const { planned, session } = stubSession();
  await through(session, [{}], async (gateway) => {
    const { origin, pathname } = new URL(gateway.url);
    assert.match(pathname, /^\/[0-9a-f]{32}\/target$/);
    const paths = '/ /target/pets /states /x/target/pets /x/pacts/0 /x/states /x/broker'.split(' ');
    for (const path of [...paths, `${pathname}x/pets`]) assert.is((await fetch(origin + path)).status, 404, path);
    const event = { type: 'Asynchronous/Messages', description: 'an event' };
    assert.equal(gateway.serve(pactFrom({ interactions: [event] })), []);
  });
  assert.equal(planned, []);
});

test('an answer returns without headers about the connection', async () => {
  const framed = { 'transfer-encoding': 'chunked', 'content-length': '999' };
  const dropped = { ...framed, 'set-cookie': 'a=b', 'content-encoding': 'gzip' };
  const kept = { 'content-type': 'application/json', 'x-ratelimit-limit': '60', location: '/x' };
  const { session } = stubSession([{ status: 201, headers: { ...kept, ...dropped }, body: '{"id":1}' }]);
  await through(session, [{}], async (gateway) => {
    const { status, headers, body } = await send(gateway, 'GET /pets');
    const { date, connection, 'keep-alive': _keepAlive, 'transfer-encoding': framing, ...others } = headers;
    assert.equal([status, body, others, framing], [201, '{"id":1}', kept, 'chunked']);
  });
});

/** The answer → why it is no failure of the target, with these settings, where the consumer expects another one. */
const excuses: readonly (readonly [string, number, RegExp, Partial<Settings>?, number?])[] = [
  ['POST /pets', 400, /the category may not be known, see --category-id$/],
  ['POST /pets', 400, /^$/, { categoryIds: [5n] }],
  ['POST /pets', 500, /^$/],
  ['GET /pets', 403, /^the key of the run was answered with 403: its scope may not allow this$/],
  ['GET /pets', 401, /^the key of the run was answered with 401: /],
  ['GET /pets', 404, /^$/],
  // Without a key, 401 is what the consumer expects.
  ['GET /pets', 401, /^$/, {}, 401],
];

for (const [line, status, excuse, settings = {}, expected = 200] of excuses) {
  test(`${line} with ${status} has an excuse: ${excuse.source}`, async () => {
    const body = line.startsWith('POST') ? '{"name":"Rex","categoryId":5}' : '';
    const { session } = stubSession([{ status }], settings);
    const interactions = [{ response: { status: expected } }];
    const [attempt] = await through(session, interactions, (gateway) => send(gateway, line, {}, body));
    assert.match(attempt?.excuse ?? '', excuse);
  });
}

test('an answer that lacks the animals of its states is asked for again until it has them, for half a minute', async () => {
  const [gone, found]: Answer[] = [{ status: 404 }, { body: '{"id":7}' }];
  const asked = async (line: string, response: object, ...answers: readonly Answer[]) => {
    const { session, waitedMs } = stubSession([created, ...answers]);
    const interaction = { response, ...inStates(line.includes('limit') ? 'animals exist' : animal) };
    const [attempt] = await through(session, [interaction], (gateway) => send(gateway, line));
    return [attempt?.exchanges.length, waitedMs()];
  };
  assert.equal(await asked('GET /pets/7', {}, gone!, gone!, found!), [4, 5_000]);
  assert.equal(await asked('GET /pets/7', {}, gone!), [6, 30_000]);
  assert.equal(await asked('GET /pets/7', { status: 404 }, gone!), [2, 0]);
  assert.equal(await asked('GET /pets', {}, { body: '[]' }, { body: '[{}]' }), [3, 2_000]);
  assert.equal(await asked('GET /pets', {}, { body: '[{}]' }), [2, 0]);
  assert.equal(await asked('GET /pets?limit=1', {}, created, { body: '[{}]' }), [3, 0]);
  assert.equal(await asked('GET /pets?limit=2', {}, created, { body: '[{}]' }, { body: '[{},{}]' }), [4, 2_000]);
});

test('a request beyond the limit is sent once the key is exhausted', async () => {
  // Status, reset and rest of each answer → why it cannot be sent, and how many requests were.
  for (const [all, why] of [
    ['429 60 0, 429 120 0', /^none 2$/],
    ['429 60 0, 200 60 0', /^none 2$/],
    ['429 60 0, 200 120 0', /^the limit was reset before .* 2$/],
    ['200 60 0, 200 60 0', /^none 2$/],
    ['200 60 98', /raise --max-requests 1$/],
  ] as const) {
    const answers = all.split(', ').map((one): Answer => {
      const [status, reset = '', remaining = ''] = one.split(' ');
      const headers = { 'x-ratelimit-reset': reset, 'x-ratelimit-remaining': remaining, 'x-ratelimit-limit': '99' };
      return { status: Number(status), headers };
    });
    const { session, planned } = stubSession(answers);
    const interactions = [inStates('the rate limit is exceeded')];
    const [attempt] = await through(session, interactions, (gateway) => send(gateway, 'GET /x'));
    assert.match(`${attempt?.obstacle?.why ?? 'none'} ${planned.length}`, why, all);
  }
});

test.run();
