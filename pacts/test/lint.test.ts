/** What a pact may claim: good and bad ones, each with the finding that it must give. */

import { readFileSync } from 'node:fs';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { description } from '../../spec/description.ts';
import { lintPact, type Remark, showRemark } from '../lint/lint-pact.ts';
import { readPacts } from '../read-pact.ts';
import { version2, version3 } from './handmade.ts';
import { pactFrom } from './in-process.ts';

const key = { Authorization: ['Bearer any'] };
const json = { 'Content-Type': ['application/json'] };
const type = { combine: 'AND', matchers: [{ match: 'type' }] };
const regex = (pattern: string) => ({ combine: 'AND', matchers: [{ match: 'regex', regex: pattern }] });
const animal = { id: 1, name: 'Mia', categoryId: 1 };
const error = (status: number, more: object = {}) => ({ code: 'a', message: 'b', status, ...more });
const content = (value: unknown) => ({ contentType: 'application/json', encoded: false, content: value });
const alike = { body: { $: type } };
const errorRules = { body: { '$.code': type, '$.message': type } };
const unknown = { name: 'no animal has this id' };
const exists = { name: 'an animal exists' };

interface Case {
  readonly states?: readonly object[];
  readonly request?: object;
  readonly response: object;
}

function pactOf({ states = [], request = {}, response }: Case): object {
  const interaction = {
    type: 'Synchronous/HTTP',
    description: 'it',
    providerStates: states,
    request: { method: 'GET', path: '/pets', headers: key, ...request },
    response,
  };
  return {
    consumer: { name: 'c' },
    provider: { name: 'pet-store' },
    interactions: [interaction],
    metadata: { pactSpecification: { version: '4.0' } },
  };
}

const page = (value: unknown, rules: object = alike) => ({
  status: 200,
  headers: json,
  body: content(value),
  matchingRules: rules,
});
const read = (value: unknown, rules: object = alike, status = 200) => ({
  status,
  headers: json,
  body: content(value),
  matchingRules: rules,
});
const creation = (body: unknown, headers: object = { ...key, ...json }) => ({
  method: 'POST',
  headers,
  body: content(body),
});

/** Name → a pact that claims no more than the interface says. */
const good: Readonly<Record<string, Case>> = {
  'a page of animals that are alike': { states: [exists], response: page([animal]) },
  'a page by status': {
    states: [{ ...exists, params: { status: 'sold' } }],
    request: { query: { status: ['sold'] } },
    response: page([{ ...animal, status: 'sold' }], {
      body: { $: type, '$[*].status': { matchers: [{ match: 'equality' }] } },
    }),
  },
  'an animal': { states: [exists], request: { path: '/pets/1' }, response: read(animal) },
  'an animal with a name that the state was given': {
    states: [{ ...exists, params: { name: 'Mia' } }],
    request: { path: '/pets/1' },
    response: read(animal, { body: { '$.id': type, '$.categoryId': type } }),
  },
  'fewer fields than the animal has': { states: [exists], request: { path: '/v1/pets/1' }, response: read({ id: 1 }) },
  'an unknown animal': { states: [unknown], request: { path: '/pets/1' }, response: read(error(404), errorRules, 404) },
  'a creation that returns what was sent': {
    request: creation({ name: 'Rex', categoryId: 1, status: 'sold' }),
    response: read({ id: 1, name: 'Rex', categoryId: 1, status: 'sold' }, { body: { '$.id': type } }, 201),
  },
  'a creation that is refused': { request: creation({ name: 'Rex' }), response: read(error(400), errorRules, 400) },
  'no key': { request: { headers: {} }, response: { status: 401 } },
  'one animal where the limit is one': {
    states: [exists],
    request: { query: { limit: ['1'] } },
    response: page([animal], { body: { '$[0].id': type, '$[0].name': type, '$[0].categoryId': type } }),
  },
  'a page that may be empty': {
    response: page([animal], { body: { $: { combine: 'AND', matchers: [{ match: 'type', min: 0 }] } } }),
  },
  'an animal somewhere on a page': {
    states: [{ ...exists, params: { name: 'Bello' } }],
    response: page([{ id: 1, name: 'Bello' }], {
      body: {
        $: {
          matchers: [{ match: 'arrayContains', variants: [{ index: 0, rules: { '$.id': type }, generators: {} }] }],
        },
      },
    }),
  },
  'a body in base64': {
    states: [exists],
    request: { path: '/pets/1' },
    response: {
      status: 200,
      headers: json,
      body: { contentType: 'application/json', encoded: 'base64', content: Buffer.from('{"id":1}').toString('base64') },
      matchingRules: alike,
    },
  },
  'a header that the interface does not know in a request': {
    states: [exists],
    request: { headers: { ...key, 'X-Request-Id': ['1'] } },
    response: page([animal]),
  },
  'a missing key whatever animals there are': {
    states: [exists],
    request: { path: '/pets/1', headers: {} },
    response: { status: 401 },
  },
  'the last of several states': {
    states: [unknown, exists],
    request: { path: '/pets/1' },
    response: read(animal),
  },
  'any media type that is JSON': {
    states: [exists],
    response: {
      ...page([animal]),
      matchingRules: { ...alike, header: { 'Content-Type': regex('^application/json') } },
    },
  },
  'an excess without a body': {
    states: [{ name: 'the rate limit is exceeded' }],
    response: {
      status: 429,
      headers: { 'Retry-After': ['1'], 'X-RateLimit-Limit': ['60'] },
      matchingRules: { header: { 'Retry-After': regex('.+'), 'X-RateLimit-Limit': regex('^\\d+$') } },
    },
  },
};

type Expected = readonly [kind: Remark['kind'], gap: Remark['gap'] | undefined, message: RegExp];

/** Name → a pact that claims more, and what must be said of it. */
const bad: Readonly<Record<string, readonly [Case, ...Expected]>> = {
  'a path that is not shown': [
    { request: { path: '/orders' }, response: page([]) },
    'contradiction',
    undefined,
    /request\.path: .*GET \/orders/,
  ],
  'an operation that is not shown': [
    { request: { method: 'DELETE', path: '/pets/1' }, response: { status: 204 } },
    'contradiction',
    undefined,
    /DELETE \/pets\/1/,
  ],
  'a status that is not listed': [
    { request: creation({ name: 'Mia', categoryId: 1 }), response: read(animal, alike, 200) },
    'contradiction',
    undefined,
    /response\.status: .*200/,
  ],
  'a wrong type': [
    { states: [exists], request: { path: '/pets/1' }, response: read({ ...animal, id: '1' }) },
    'contradiction',
    undefined,
    /response\.body\.id: .*must be integer/,
  ],
  'a status of no animal': [
    { states: [exists], request: { path: '/pets/1' }, response: read({ ...animal, status: 'lost' }) },
    'contradiction',
    undefined,
    /response\.body\.status: .*allowed values/,
  ],
  'a field that is not listed': [
    { states: [exists], request: { path: '/pets/1' }, response: read({ ...animal, colour: 'red' }) },
    'contradiction',
    'extra-response-fields',
    /colour/,
  ],
  'an Error of another shape': [
    { states: [unknown], request: { path: '/pets/1' }, response: read({ error: 'none' }, alike, 404) },
    'contradiction',
    'extra-response-fields',
    /error/,
  ],
  'a status in the Error that is not that of the answer': [
    { states: [unknown], request: { path: '/pets/1' }, response: read(error(400), errorRules, 404) },
    'contradiction',
    undefined,
    /status is 400, .*HTTP status 404/,
  ],
  'another name than was sent': [
    {
      request: creation({ name: 'Rex', categoryId: 1 }),
      response: read({ ...animal, name: 'Max' }, { body: { '$.id': type } }, 201),
    },
    'contradiction',
    undefined,
    /name is not "Rex", and §4\.2 returns the name that was sent/,
  ],
  'a page for no key': [
    { request: { headers: {} }, response: page([], alike) },
    'contradiction',
    undefined,
    /Authorization/,
  ],
  'a page in a state without a key': [
    { states: [{ name: 'the API key is missing' }], response: page([], alike) },
    'contradiction',
    undefined,
    /in the state "the API key is missing" it is 401 \(§5\)/,
  ],
  'another media type': [
    { response: { status: 200, headers: { 'Content-Type': ['text/html'] } } },
    'contradiction',
    undefined,
    /content-type/i,
  ],
  'a header that no sentence promises': [
    { response: { status: 200, headers: { 'X-Total-Count': ['3'] } } },
    'contradiction',
    undefined,
    /x-total-count is promised by no sentence/,
  ],
  'the exact code': [
    {
      states: [unknown],
      request: { path: '/pets/1' },
      response: read(error(404), { body: { '$.message': type } }, 404),
    },
    'open',
    'error-codes',
    /response\.body\.code has to be like "a"/,
  ],
  'the exact code by a pattern': [
    {
      states: [unknown],
      request: { path: '/pets/1' },
      response: read(error(404), { body: { $: type, '$.code': regex('^a$') } }, 404),
    },
    'open',
    'error-codes',
    /response\.body\.code/,
  ],
  'the exact message': [
    { states: [unknown], request: { path: '/pets/1' }, response: read(error(404), { body: { '$.code': type } }, 404) },
    'open',
    'error-codes',
    /response\.body\.message has to be like "b"/,
  ],
  'the order of a page': [
    {
      states: [exists],
      response: page([animal, animal], { body: { '$[*].id': type, '$[*].name': type, '$[*].categoryId': type } }),
    },
    'open',
    'list-order',
    /2 animals in this order/,
  ],
  'the default status of a new animal': [
    {
      request: creation({ name: 'Mia', categoryId: 1 }),
      response: read({ ...animal, status: 'available' }, alike, 201),
    },
    'open',
    'status-omitted',
    /status is claimed, and nothing says which one/,
  ],
  'the body of a 429': [
    { states: [{ name: 'the rate limit is exceeded' }], response: read(error(429), errorRules, 429) },
    'open',
    'too-many-requests-body',
    /of a 429/,
  ],
  'one form of Retry-After': [
    {
      states: [{ name: 'the rate limit is exceeded' }],
      response: {
        status: 429,
        headers: { 'Retry-After': ['1'] },
        matchingRules: { header: { 'Retry-After': regex('^\\d+$') } },
      },
    },
    'open',
    'retry-after-form',
    /one form/,
  ],
  'a limit out of range': [
    { request: { query: { limit: ['101'] } }, response: read(error(400), errorRules, 400) },
    'open',
    'limit-out-of-range',
    /limit is "101"/,
  ],
  'a limit that is no integer': [
    { request: { query: { limit: ['ten'] } }, response: read(error(400), errorRules, 400) },
    'open',
    'limit-not-integer',
    /"ten"/,
  ],
  'a filter by no status': [
    { request: { query: { status: ['lost'] } }, response: read(error(400), errorRules, 400) },
    'open',
    'status-filter-unknown',
    /"lost"/,
  ],
  'a parameter that is not listed': [
    { states: [exists], request: { query: { page: ['2'] } }, response: page([animal]) },
    'open',
    'unknown-query-parameters',
    /page/,
  ],
  'an id that is no int64': [
    { request: { path: '/pets/abc' }, response: read(error(404), errorRules, 404) },
    'open',
    'pet-id-not-int64',
    /no int64/,
  ],
  'a field of a body that is not listed': [
    { request: creation({ name: 'Mia', categoryId: 1, colour: 'red' }), response: read(animal, alike, 201) },
    'open',
    'extra-body-fields',
    /colour/,
  ],
  'an id of the client': [
    { request: creation({ name: 'Mia', categoryId: 1, id: 9 }), response: read(animal, alike, 201) },
    'open',
    'client-sent-id',
    /id/,
  ],
  'a name that need not be accepted': [
    { request: creation({ name: '', categoryId: 1 }), response: read(animal, alike, 201) },
    'open',
    'name-limits',
    /plain short names/,
  ],
  'a body of another media type': [
    {
      request: creation({ name: 'Mia', categoryId: 1 }, { ...key, 'Content-Type': ['text/plain'] }),
      response: { status: 400 },
    },
    'open',
    'other-media-type',
    /text\/plain/,
  ],
  'a Location header': [
    {
      request: creation({ name: 'Mia', categoryId: 1 }),
      response: { ...read(animal, alike, 201), headers: { ...json, Location: ['/pets/1'] } },
    },
    'open',
    'location-header',
    /location/,
  ],
  'a state outside the vocabulary': [
    { states: [{ name: 'the moon is full' }], response: page([animal]) },
    'unreachable',
    undefined,
    /"the moon is full"/,
  ],
  'an animal without a state': [
    { request: { path: '/pets/1' }, response: read(animal) },
    'unreachable',
    undefined,
    /name "an animal exists"/,
  ],
  'an unknown animal without a state': [
    { request: { path: '/pets/1' }, response: read(error(404), errorRules, 404) },
    'unreachable',
    undefined,
    /name "no animal has this id"/,
  ],
  'an excess without a state': [
    { response: { status: 429 } },
    'unreachable',
    undefined,
    /name "the rate limit is exceeded"/,
  ],
  'an exact id': [
    {
      states: [exists],
      request: { path: '/pets/1' },
      response: read(animal, { body: { '$.name': type, '$.categoryId': type } }),
    },
    'unreachable',
    undefined,
    /id has to be like 1, and the service assigns ids/,
  ],
  'an empty page': [{ response: page([], {}) }, 'unreachable', undefined, /0 animals, and others may be there/],
  'a pattern for codes': [
    {
      states: [unknown],
      request: { path: '/pets/1' },
      response: read(error(404), { body: { $: type, '$.code': regex('^[A-Z_]+$') } }, 404),
    },
    'open',
    'error-codes',
    /code has to be like/,
  ],
  'a part of a message': [
    {
      states: [unknown],
      request: { path: '/pets/1' },
      response: read(
        error(404),
        { body: { $: type, '$.message': { matchers: [{ match: 'include', value: 'b' }] } } },
        404,
      ),
    },
    'open',
    'error-codes',
    /message has to be like/,
  ],
  'another status than was sent': [
    {
      request: creation({ name: 'Mia', categoryId: 1, status: 'sold' }),
      response: read(
        { ...animal, status: 'available' },
        { body: { $: type, '$.status': { matchers: [{ match: 'equality' }] } } },
        201,
      ),
    },
    'contradiction',
    undefined,
    /status is available, and every animal here is sold/,
  ],
  'a status of every animal of a page without a filter': [
    { states: [{ ...exists, params: { status: 'sold' } }], response: page([{ ...animal, status: 'sold' }]) },
    'open',
    'status-omitted',
    /nothing says which one/,
  ],
  'a name of every animal of a page': [
    {
      states: [{ ...exists, params: { name: 'Mia' } }],
      response: page([animal], { body: { $: type, '$[*].name': { matchers: [{ match: 'equality' }] } } }),
    },
    'unreachable',
    undefined,
    /name has to be like "Mia"/,
  ],
  'more animals than the limit': [
    {
      states: [{ name: 'animals exist', params: { count: 6 } }],
      request: { query: { limit: ['5'] } },
      response: page([animal], { body: { $: { matchers: [{ match: 'type', min: 6 }] } } }),
    },
    'contradiction',
    undefined,
    /6 animals or more, and the limit is 5/,
  ],
  'fewer animals than there may be': [
    { states: [exists], response: page([animal], { body: { $: { matchers: [{ match: 'type', min: 1, max: 1 }] } } }) },
    'unreachable',
    undefined,
    /at most 1 animals/,
  ],
  'more animals than the state brings': [
    { states: [exists], response: page([animal], { body: { $: { matchers: [{ match: 'type', min: 3 }] } } }) },
    'unreachable',
    undefined,
    /name "animals exist" with count 3/,
  ],
  'a parameter of a state that cannot be': [
    { states: [{ name: 'animals exist', params: { count: 21 } }], response: { status: 200 } },
    'unreachable',
    undefined,
    /count 21 is none from 1 to 20/,
  ],
  'a valid body that is refused': [
    { request: creation({ name: 'Mia', categoryId: 1 }), response: read(error(400), errorRules, 400) },
    'contradiction',
    'known-categories',
    /201 to a valid body/,
  ],
  'a fixed value for an injected one': [
    {
      states: [{ name: 'an animal can be created' }],
      request: {
        ...creation({ name: 'Mia', categoryId: 1 }),
        generators: { body: { '$.name': { type: 'ProviderState', expression: 'name' } } },
      },
      response: read(animal, { body: { '$.id': type, '$.categoryId': type } }, 201),
    },
    'unreachable',
    undefined,
    /name is fixed, and a state injects/,
  ],
  'a number that is no integer': [
    {
      states: [exists],
      request: { path: '/pets/1' },
      response: read(animal, { body: { $: type, '$.id': { matchers: [{ match: 'decimal' }] } } }),
    },
    'unreachable',
    undefined,
    /id has to be like 1/,
  ],
  'the limit of one plan': [
    {
      response: {
        status: 200,
        headers: { 'X-RateLimit-Limit': ['60'] },
        matchingRules: { header: { 'X-RateLimit-Limit': regex('^(60|300)$') } },
      },
    },
    'unreachable',
    undefined,
    /x-ratelimit-limit has to be like "60"/,
  ],
  'one charset': [
    { response: { status: 200, headers: { 'Content-Type': ['application/json; charset=utf-8'] } } },
    'unreachable',
    undefined,
    /content-type has to be/,
  ],
  'a parameter twice': [
    { request: { query: { limit: ['5', '6'] } }, response: { status: 200 } },
    'open',
    'unknown-query-parameters',
    /limit is there more than once/,
  ],
  'an exact number of requests that are left': [
    { response: { status: 200, headers: { 'X-RateLimit-Remaining': ['59'] } } },
    'unreachable',
    undefined,
    /x-ratelimit-remaining has to be like "59"/,
  ],
};

for (const [name, one] of Object.entries(good)) {
  test(`nothing is said of ${name}`, async () => {
    assert.equal(await lintPact(pactFrom(pactOf(one))), []);
  });
}

for (const [name, [one, kind, gap, message]] of Object.entries(bad)) {
  test(`${kind}${gap === undefined ? '' : ` (${gap})`}: ${name}`, async () => {
    const remarks = await lintPact(pactFrom(pactOf(one)));
    const found = remarks.some((remark) => remark.kind === kind && remark.gap === gap && message.test(remark.message));
    assert.ok(found, remarks.map(showRemark).join('\n'));
    const others = remarks.filter((remark) => !message.test(remark.message));
    assert.equal(others, []);
  });
}

test('the recorded pact and those of version 2 and 3 claim no more than the interface says', async () => {
  const [recorded] = await readPacts(new URL('../adoption-site-pet-store.json', import.meta.url).pathname);
  for (const pact of [recorded!, pactFrom(version2), pactFrom(version3)]) assert.equal(await lintPact(pact), []);
});

test('what other tools leave out or write otherwise is read all the same', async () => {
  const interaction = {
    description: null,
    providerState: null,
    request: { path: '/petstore/v1/pets', query: { limit: [5] }, headers: { Authorization: ['Bearer x'] } },
    response: { body: [], matchingRules: { "$['body']": { match: 'type' } } },
  };
  const bare = {
    consumer: { name: 'bare' },
    interactions: [interaction],
    metadata: { pactSpecification: { version: 2 } },
  };
  assert.equal(await lintPact(pactFrom(bare)), []);
});

test('linting leaves the description as it is, which others read too', async () => {
  const before = JSON.stringify(description);
  await lintPact(pactFrom(version3));
  assert.is(JSON.stringify(description), before);
});

test('a message is none of the interface', async () => {
  const document = JSON.parse(readFileSync(new URL('../adoption-site-pet-store.json', import.meta.url), 'utf8'));
  const message = { type: 'Asynchronous/Messages', description: 'an event' };
  const [remark] = await lintPact(pactFrom({ ...document, interactions: [message] }));
  assert.is(remark?.gap, 'events');
});

test('a pattern that would be tried for ever is given up', async () => {
  const pattern = '^((a+)+|(.+)+)+!$';
  const one = {
    states: [{ name: 'the rate limit is exceeded' }],
    response: {
      status: 429,
      headers: { 'Retry-After': ['1'] },
      matchingRules: { header: { 'Retry-After': regex(pattern) } },
    },
  };
  const beganAt = performance.now();
  await lintPact(pactFrom(pactOf(one)));
  assert.ok(performance.now() - beganAt < 10_000);
});

test.run();
