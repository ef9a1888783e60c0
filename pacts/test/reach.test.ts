/** Provider states are reached by operations of the interface, and what cannot be reached says why. */

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { exceedWith } from '../verify/excess.ts';
import { BudgetSpent, type PlannedRequest, type Session } from '../verify/kit.ts';
import { reach } from '../verify/reach.ts';
import { NotReachable, NotWanted } from '../verify/reached.ts';
import { type Answer, stubSession } from './stub-session.ts';

const created: Answer = { status: 201, body: '{"id":7,"name":"Rex","categoryId":1}' };
const refused: Answer = { status: 400, body: '{}' };
const unknown: Answer = { status: 404, body: '{}' };

/** Method, path and body of what was sent. */
function shown(planned: readonly PlannedRequest[]): readonly string[] {
  return planned.map(({ method = 'GET', target, body = '' }) => `${method} ${target} ${body}`.trim());
}

async function notReached(session: Session, name: string, params: object = {}): Promise<NotReachable> {
  const error = await reach(session, { name, params: { ...params } }).then(
    () => undefined,
    (reason: unknown) => reason,
  );
  assert.instance(error, NotReachable);
  return error as NotReachable;
}

test('an animal is created as the state wants it, and its values are injected', async () => {
  const { planned, session } = stubSession([created]);
  const params = { name: 'Mia', categoryId: '9007199254740993', status: 'sold' };
  const { values } = await reach(session, { name: 'an animal exists', params });
  assert.equal(values, { id: 7, name: 'Rex', categoryId: 1 });
  assert.equal(shown(planned), ['POST /pets {"name":"Mia","categoryId":9007199254740993,"status":"sold"}']);
});

test('what the state leaves out is plain, and large numbers are injected as text', async () => {
  const body = '{"id":9007199254740993,"name":"Rex","categoryId":-9223372036854775808}';
  const { planned, session } = stubSession([{ status: 201, body }]);
  const { values } = await reach(session, { name: 'an animal exists', params: {} });
  assert.equal(values, { id: '9007199254740993', name: 'Rex', categoryId: '-9223372036854775808' });
  assert.equal(shown(planned), ['POST /pets {"name":"cf-abc123-00","categoryId":1}']);
});

test('a drawn name that is refused is drawn once more', async () => {
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

test('an animal whose name is taken is the one that has it', async () => {
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

test('an animal that cannot be created names the options that help', async () => {
  const plain = await notReached(stubSession([refused]).session, 'an animal exists');
  assert.is(plain.message, 'createPet answered 400: the category is not known, see --category-id');
  const named = await notReached(stubSession([refused, { body: '[]' }]).session, 'an animal exists', { name: 'Mia' });
  assert.match(named.message, /see --category-id, or the name "Mia" is not accepted$/);
});

test('animals are created as many as the state wants, two where it does not say', async () => {
  for (const [params, count] of [
    [{}, 2],
    [{ count: 3, status: 'sold' }, 3],
  ] as const) {
    const { planned, session } = stubSession([created]);
    assert.equal(await reach(session, { name: 'animals exist', params }), { values: {} });
    assert.is(planned.length, count);
  }
});

test('a run that creates nothing has the animal that the user names, and no other', async () => {
  const { planned, session } = stubSession([], { isReadOnly: true, petIds: [12n] });
  assert.equal(await reach(session, { name: 'an animal exists', params: {} }), { values: { id: 12 } });
  assert.instance(await notReached(session, 'an animal exists', { status: 'sold' }), NotWanted);
  assert.instance(await notReached(stubSession([], { isReadOnly: true }).session, 'an animal exists'), NotWanted);
  assert.equal(planned, []);
});

test('an id that no animal has is one that getPet answers with 404, within three tries', async () => {
  const { planned, session } = stubSession([{}, {}, unknown]);
  const { values } = await reach(session, { name: 'no animal has this id', params: {} });
  assert.is(planned[2]?.target, `/pets/${values['id']}`);
  assert.type(values['id'], 'string');
  const never = stubSession();
  assert.match((await notReached(never.session, 'no animal has this id')).message, /404 to none of 3 ids/);
  assert.is(never.planned.length, 3);
});

test('no id is asked for where getPet is removed', async () => {
  const { planned, session } = stubSession([unknown], { today: Date.UTC(2030, 11, 5) });
  assert.match((await notReached(session, 'no animal has this id')).message, /getPet is removed/);
  assert.equal(planned, []);
});

test('a new animal is injected a category that a body can carry', async () => {
  const large: Answer = { body: '[{"id":1,"name":"Rex","categoryId":9007199254740993}]' };
  const { session } = stubSession([large]);
  await session.send({ operation: 'listPets', target: '/pets' });
  const state = { name: 'an animal can be created', params: {} };
  assert.equal((await reach(session, state)).values, { name: 'cf-abc123-01', categoryId: 1 });
  const named = stubSession([], { categoryIds: [9007199254740993n] });
  assert.is((await reach(named.session, state)).values['categoryId'], '9007199254740993');
});

test('a state of the key sends nothing, and says with what the request goes', async () => {
  const { planned, session } = stubSession([], {}, { keys: { api: 'a', rateLimit: 'b' } });
  const kindOf = async (name: string) => (await reach(session, { name, params: {} })).credential?.shown.kind;
  assert.is(await kindOf('the API key is missing'), 'missing');
  assert.is(await kindOf('the API key is invalid'), 'invalid');
  assert.is(await kindOf('the rate limit is exceeded'), 'rate-limit');
  assert.equal(planned, []);
  assert.instance(await notReached(stubSession().session, 'the rate limit is exceeded'), NotWanted);
});

test('a budget that is spent makes a state not reachable, and says what to raise', async () => {
  const { session } = stubSession([], {}, { send: () => Promise.reject(new BudgetSpent('creations')) });
  assert.is((await notReached(session, 'an animal exists')).message, 'the budget of creations is spent; raise it');
});

const request: PlannedRequest = { operation: 'listPets', target: '/pets?status=sold' };
const excess = (status: number, reset: string): Answer => ({
  status,
  headers: { 'x-ratelimit-reset': reset, 'x-ratelimit-remaining': '0', 'x-ratelimit-limit': '8' },
});

function exceeding(answers: readonly Answer[]) {
  return stubSession(answers, {}, { keys: { api: 'a', rateLimit: 'b' } });
}

test('a request beyond the limit is sent when the key is used up', async () => {
  const { planned, session } = exceeding([excess(429, '60'), excess(429, '60')]);
  assert.is((await exceedWith(session, request)).number, 2);
  assert.is(planned[1], request);
});

test('a request that is served beyond the limit is given back, unless the limit was reset before it', async () => {
  const served = exceeding([excess(429, '60'), excess(200, '60')]);
  assert.is((await exceedWith(served.session, request)).response?.status, 200);
  const reset = exceeding([excess(429, '60'), excess(200, '120'), excess(429, '120'), excess(429, '120')]);
  assert.is((await exceedWith(reset.session, request)).number, 4);
});

test('a limit that is reset each time is not exceeded', async () => {
  const answers = [1, 2, 3].flatMap((window) => [excess(429, `${window}`), excess(200, `${window + 1}`)]);
  const { planned, session } = exceeding(answers);
  const error = await exceedWith(session, request).catch((reason: unknown) => reason);
  assert.instance(error, NotReachable);
  assert.match((error as Error).message, /^each time that the limit was exceeded/);
  assert.is(planned.length, 6);
});

test('a key that cannot be used up says why', async () => {
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
  assert.match(await messageOf('90', 20), /takes 96 more requests, the budget has 20: raise --max-requests/);
});

test.run();
