/** Provider states are reached by operations of the interface, lasting ones once a run; an unreachable one gives the reason. */

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { PlannedRequest } from '../../conformance/run/planned-request.ts';
import type { Session } from '../../conformance/run/session.ts';
import { createStates, NotVerifiable } from '../verify/states.ts';
import { type Answer, stubSession } from './stub-session.ts';

const created: Answer = { status: 201, body: '{"id":7,"name":"Rex","categoryId":1}' };
const refused: Answer = { status: 400, body: '{}' };
const large: Answer = {
  status: 201,
  body: '{"id":9007199254740993,"name":"Rex","categoryId":-9223372036854775808}',
};
const listed: Answer = {
  body: '[{"id":1,"name":"Rex","categoryId":3},{"id":2,"name":"Mia","categoryId":2},{"id":3,"name":"Mia","categoryId":3}]',
};

/** Method, path and body of each sent request. */
function shown(planned: readonly PlannedRequest[]): readonly string[] {
  return planned.map(({ method = 'GET', target, body = '' }) => `${method} ${target} ${body}`.trim());
}

const enter = (session: Session, name: string, params: object = {}) =>
  createStates(session).enter({ name, params: { ...params } });

async function notReached(session: Session, name: string, params: object = {}): Promise<string> {
  const error = await enter(session, name, params).catch((reason: unknown) => reason);
  assert.instance(error, NotVerifiable);
  return (error as NotVerifiable).message;
}

/** State, parameters, answers → the values that it injects and the requests that it sends. */
const reached: readonly (readonly [
  name: string,
  params: object,
  answers: readonly Answer[],
  values: object,
  sent: readonly string[],
])[] = [
  [
    'an animal exists',
    { name: 'Mia', categoryId: '9007199254740993', status: 'sold' },
    [created],
    { id: 7, name: 'Rex', categoryId: 1 },
    ['POST /pets {"name":"Mia","categoryId":9007199254740993,"status":"sold"}'],
  ],
  [
    'an animal exists',
    {},
    [refused, large],
    { id: '9007199254740993', name: 'Rex', categoryId: '-9223372036854775808' },
    ['POST /pets {"name":"cf-abc123-00","categoryId":1}', 'POST /pets {"name":"cf-abc123-01","categoryId":1}'],
  ],
  [
    'an animal exists',
    { name: 'Mia', categoryId: 3, status: 'sold' },
    [refused, listed],
    { id: 3, name: 'Mia', categoryId: 3 },
    ['POST /pets {"name":"Mia","categoryId":3,"status":"sold"}', 'GET /pets?limit=100&status=sold'],
  ],
  [
    'an animal exists',
    { name: 'Mia' },
    [refused, listed],
    { id: 2, name: 'Mia', categoryId: 2 },
    ['POST /pets {"name":"Mia","categoryId":1}', 'GET /pets?limit=100'],
  ],
  [
    'animals exist',
    { status: 'sold' },
    [created],
    {},
    [0, 1].map((at) => `POST /pets {"name":"cf-abc123-0${at}","categoryId":1,"status":"sold"}`),
  ],
  ['animals exist', { count: 1 }, [created], {}, ['POST /pets {"name":"cf-abc123-00","categoryId":1}']],
  ['an animal can be created', {}, [], { name: 'cf-abc123-00', categoryId: 1 }, []],
  ['the API key is missing', {}, [], {}, []],
];

for (const [name, params, answers, values, sent] of reached) {
  test(`${name} with ${JSON.stringify(params)}, answered by ${answers.map(({ status = 200 }) => status)}`, async () => {
    const { planned, session } = stubSession(answers);
    assert.equal((await enter(session, name, params)).values, values);
    assert.equal(shown(planned), sent);
  });
}

/** State, parameters, answer, settings → why it cannot be reached. */
const unreachable: readonly (readonly [string, object, Answer, object, RegExp])[] = [
  ['an animal exists', {}, refused, {}, /^createPet answered 400: .* see --category-id$/],
  ['an animal exists', { name: 'Mia' }, refused, {}, /see --category-id, or the name "Mia" is not accepted$/],
  ['no animal has this id', {}, {}, {}, /404 for none of 3 ids/],
  ['no animal has this id', {}, { status: 403 }, {}, /the key of the run was answered with 403/],
  ['no animal has this id', {}, { status: 404 }, { today: Date.UTC(2030, 11, 5) }, /getPet is removed/],
  ['the moon is full', {}, {}, {}, /^no operation reaches the state "the moon is full"; known are "an animal exists",/],
  ['an animal exists', { name: null }, {}, {}, /^name null is not a string$/],
  ['an animal exists', { categoryId: 1.5 }, {}, {}, /^categoryId 1\.5 is not an int64$/],
  ['animals exist', { count: 21 }, {}, {}, /^count 21 is not from 1 to 20$/],
];

for (const [name, params, answer, settings, why] of unreachable) {
  test(`not reached: ${why.source}`, async () => {
    assert.match(await notReached(stubSession([answer], settings).session, name, params), why);
  });
}

test('an unknown id is one that getPet answers with 404, within three tries', async () => {
  const { planned, session } = stubSession([{}, {}, { status: 404 }]);
  const { values } = await enter(session, 'no animal has this id');
  assert.is(planned[2]?.target, `/pets/${values['id']}`);
  assert.type(values['id'], 'string');
});

test('the injected category of a new animal is one that a JSON number can carry', async () => {
  const { session } = stubSession([{ body: '[{"id":1,"name":"Rex","categoryId":9007199254740993}]' }]);
  await session.send({ operation: 'listPets', target: '/pets' });
  assert.equal((await enter(session, 'an animal can be created')).values, { name: 'cf-abc123-01', categoryId: 1 });
  const named = stubSession([], { categoryIds: [9007199254740993n] });
  assert.is((await enter(named.session, 'an animal can be created')).values['categoryId'], '9007199254740993');
});

test('a lasting state is reached once, twice where one interaction names it twice, and again where it failed', async () => {
  const animal = { name: 'an animal exists', params: {} };
  const bodies = [1, 2, 3].map((id): Answer => ({ status: 201, body: `{"id":${id},"name":"a","categoryId":1}` }));
  const { planned, session } = stubSession([refused, refused, ...bodies]);
  const states = createStates(session);
  await states.enter(animal).catch(() => undefined);
  const first = await states.enter(animal);
  assert.equal([first.values['id'], first.exchanges], [1, [3]]);
  assert.is(await states.enter({ ...animal, params: {} }), first);
  assert.is((await states.enter(animal, [animal])).values['id'], 2);
  assert.is((await states.enter(animal, [{ name: 'the API key is invalid', params: {} }])).values['id'], 1);
  assert.is((await states.enter({ ...animal, params: { status: 'sold' } })).values['id'], 3);
  assert.is(planned.length, 5);
  const free = { name: 'an animal can be created', params: {} };
  assert.is.not(await states.enter(free), await states.enter(free));
});

test.run();
