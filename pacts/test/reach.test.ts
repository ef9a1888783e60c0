/** Provider states are reached by operations of the interface; an unreachable one gives the reason. */

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { PlannedRequest } from '../../conformance/run/planned-request.ts';
import type { Session } from '../../conformance/run/session.ts';
import { exceedWith, reach } from '../verify/entered-states.ts';
import { NotVerifiable, SkippedByUser } from '../verify/reached.ts';
import { type Answer, stubSession } from './stub-session.ts';

const created: Answer = { status: 201, body: '{"id":7,"name":"Rex","categoryId":1}' };
const refused: Answer = { status: 400, body: '{}' };
const unknown: Answer = { status: 404, body: '{}' };

/** Method, path and body of each sent request. */
function shown(planned: readonly PlannedRequest[]): readonly string[] {
  return planned.map(({ method = 'GET', target, body = '' }) => `${method} ${target} ${body}`.trim());
}

async function notReached(session: Session, name: string, params: object = {}): Promise<NotVerifiable> {
  const error = await reach(session, { name, params: { ...params } }).then(
    () => undefined,
    (reason: unknown) => reason,
  );
  assert.instance(error, NotVerifiable);
  return error as NotVerifiable;
}

test('an animal is created with the parameters of the state, and its values are injected', async () => {
  const { planned, session } = stubSession([created]);
  const params = { name: 'Mia', categoryId: '9007199254740993', status: 'sold' };
  const { values } = await reach(session, { name: 'an animal exists', params });
  assert.equal(values, { id: 7, name: 'Rex', categoryId: 1 });
  assert.equal(shown(planned), ['POST /pets {"name":"Mia","categoryId":9007199254740993,"status":"sold"}']);
});

test('missing parameters get plain values, and large numbers are injected as strings', async () => {
  const body = '{"id":9007199254740993,"name":"Rex","categoryId":-9223372036854775808}';
  const { planned, session } = stubSession([{ status: 201, body }]);
  const { values } = await reach(session, { name: 'an animal exists', params: {} });
  assert.equal(values, { id: '9007199254740993', name: 'Rex', categoryId: '-9223372036854775808' });
  assert.equal(shown(planned), ['POST /pets {"name":"cf-abc123-00","categoryId":1}']);
});

test('a refused drawn name is drawn again', async () => {
  const { planned, session } = stubSession([refused, created]);
  await reach(session, { name: 'an animal exists', params: {} });
  assert.equal(
    planned.map(({ body }) => body),
    ['{"name":"cf-abc123-00","categoryId":1}', '{"name":"cf-abc123-01","categoryId":1}'],
  );
});

const listed = [
  { id: 1, name: 'Rex', categoryId: 3 },
  { id: 2, name: 'Mia', categoryId: 2 },
  { id: 3, name: 'Mia', categoryId: 3 },
];

test('if the name is taken, the existing animal is used', async () => {
  const page: Answer = { body: JSON.stringify(listed) };
  const params = { name: 'Mia', categoryId: 3, status: 'sold' };
  const { planned, session } = stubSession([refused, page]);
  const { values } = await reach(session, { name: 'an animal exists', params });
  assert.is(values['id'], 3);
  assert.is(shown(planned)[1], 'GET /pets?limit=100&status=sold');
  const another = stubSession([refused, page]);
  const first = await reach(another.session, { name: 'an animal exists', params: { name: 'Mia' } });
  assert.is(first.values['id'], 2);
  assert.is(shown(another.planned)[1], 'GET /pets?limit=100');
});

test('a failed creation names the options that help', async () => {
  const plain = await notReached(stubSession([refused]).session, 'an animal exists');
  assert.is(plain.message, 'createPet answered 400: the category may not be known, see --category-id');
  const named = await notReached(stubSession([refused, { body: '[]' }]).session, 'an animal exists', { name: 'Mia' });
  assert.match(named.message, /see --category-id, or the name "Mia" is not accepted$/);
});

test('as many animals are created as the state asks for, two by default', async () => {
  for (const [params, count] of [
    [{}, 2],
    [{ count: 3, status: 'sold' }, 3],
  ] as const) {
    const { planned, session } = stubSession([created]);
    assert.equal(await reach(session, { name: 'animals exist', params }), { values: {} });
    assert.is(planned.length, count);
  }
});

test('a read-only run creates no animal for a state', async () => {
  const { planned, session } = stubSession([], { isReadOnly: true });
  assert.instance(await notReached(session, 'an animal exists'), SkippedByUser);
  assert.equal(planned, []);
});

test('an unknown id is one that getPet answers with 404, within three tries', async () => {
  const { planned, session } = stubSession([{}, {}, unknown]);
  const { values } = await reach(session, { name: 'no animal has this id', params: {} });
  assert.is(planned[2]?.target, `/pets/${values['id']}`);
  assert.type(values['id'], 'string');
  const never = stubSession();
  assert.match((await notReached(never.session, 'no animal has this id')).message, /404 for none of 3 ids/);
  assert.is(never.planned.length, 3);
});

test('no unknown id is searched for after the removal of getPet', async () => {
  const { planned, session } = stubSession([unknown], { today: Date.UTC(2030, 11, 5) });
  assert.match((await notReached(session, 'no animal has this id')).message, /getPet is removed/);
  assert.equal(planned, []);
});

test('the injected category of a new animal is one that a JSON number can carry', async () => {
  const large: Answer = { body: '[{"id":1,"name":"Rex","categoryId":9007199254740993}]' };
  const { session } = stubSession([large]);
  await session.send({ operation: 'listPets', target: '/pets' });
  const state = { name: 'an animal can be created', params: {} };
  assert.equal((await reach(session, state)).values, { name: 'cf-abc123-01', categoryId: 1 });
  const named = stubSession([], { categoryIds: [9007199254740993n] });
  assert.is((await reach(named.session, state)).values['categoryId'], '9007199254740993');
});

test('a state about the key sends nothing, and chooses the credential', async () => {
  const { planned, session } = stubSession([], {}, { keys: { api: 'a', rateLimit: 'b' } });
  const kindOf = async (name: string) => (await reach(session, { name, params: {} })).credential?.shown.kind;
  assert.is(await kindOf('the API key is missing'), 'missing');
  assert.is(await kindOf('the API key is invalid'), 'invalid');
  assert.is(await kindOf('the rate limit is exceeded'), 'rate-limit');
  assert.equal(planned, []);
  assert.instance(await notReached(stubSession().session, 'the rate limit is exceeded'), SkippedByUser);
});

const request: PlannedRequest = { operation: 'listPets', target: '/pets?status=sold' };
const excess = (status: number, reset: string): Answer => ({
  status,
  headers: { 'x-ratelimit-reset': reset, 'x-ratelimit-remaining': '0', 'x-ratelimit-limit': '8' },
});

function exceeding(answers: readonly Answer[]) {
  return stubSession(answers, {}, { keys: { api: 'a', rateLimit: 'b' } });
}

test('a request beyond the limit is sent when the key is exhausted', async () => {
  const { planned, session } = exceeding([excess(429, '60'), excess(429, '60')]);
  assert.is((await exceedWith(session, request)).number, 2);
  assert.is(planned[1], request);
});

test('a request that is served beyond the limit is returned, unless the limit was reset before it', async () => {
  const served = exceeding([excess(429, '60'), excess(200, '60')]);
  assert.is((await exceedWith(served.session, request)).response?.status, 200);
  const reset = exceeding([excess(429, '60'), excess(200, '120'), excess(429, '120'), excess(429, '120')]);
  assert.is((await exceedWith(reset.session, request)).number, 4);
});

test('a limit that is reset each time makes the state unreachable', async () => {
  const answers = [1, 2, 3].flatMap((window) => [excess(429, `${window}`), excess(200, `${window + 1}`)]);
  const { planned, session } = exceeding(answers);
  const error = await exceedWith(session, request).catch((reason: unknown) => reason);
  assert.instance(error, NotVerifiable);
  assert.match((error as Error).message, /^the limit was reset each time/);
  assert.is(planned.length, 6);
});

test('a key that cannot be exhausted gives the reason', async () => {
  const messageOf = async (remaining: string, requestsLeft: number) => {
    const others = {
      keys: { api: 'a', rateLimit: 'b' },
      budget: { requestsLeft: () => requestsLeft, creationsLeft: () => 0 },
    };
    const headers = { 'x-ratelimit-limit': '99', 'x-ratelimit-reset': '60', 'x-ratelimit-remaining': remaining };
    const served = { status: 200, headers };
    const { session } = stubSession([served], {}, others);
    return ((await exceedWith(session, request).catch((reason: unknown) => reason)) as Error).message;
  };
  assert.is(await messageOf('0', 100), 'the key was served beyond its limit');
  assert.match(await messageOf('90', 20), /takes 97 more requests, the budget has 20: raise --max-requests/);
});

test.run();
