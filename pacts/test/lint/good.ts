/** Pacts that claim only what the interface states. */

import {
  alike,
  animal,
  type Case,
  creation,
  error,
  errorRules,
  exists,
  json,
  key,
  page,
  read,
  regex,
  type,
  unknown,
} from './interaction.ts';

export const good: Readonly<Record<string, Case>> = {
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
  'an id of any sign and length': {
    states: [exists],
    request: { path: '/pets/1' },
    response: read(animal, { body: { $: type, '$.id': regex('^-?\\d+$') } }),
  },
  'the largest id': { states: [unknown], request: { path: '/pets/9223372036854775807' }, response: { status: 404 } },
  'the smallest id': { states: [unknown], request: { path: '/pets/-9223372036854775808' }, response: { status: 404 } },
  'a body in base64, named in capitals': {
    states: [exists],
    request: { path: '/pets/1' },
    response: {
      status: 200,
      headers: json,
      body: { contentType: 'application/json', encoded: 'BASE64', content: Buffer.from('{"id":1}').toString('base64') },
      matchingRules: alike,
    },
  },
  'fewer fields than the animal has': { states: [exists], request: { path: '/v1/pets/1' }, response: read({ id: 1 }) },
  'an unknown animal': { states: [unknown], request: { path: '/pets/1' }, response: read(error(404), errorRules, 404) },
  'a creation that returns what was sent': {
    request: creation({ name: 'Rex', categoryId: 1, status: 'sold' }),
    response: read({ id: 1, name: 'Rex', categoryId: 1, status: 'sold' }, { body: { '$.id': type } }, 201),
  },
  'a creation that is refused': { request: creation({ name: 'Rex' }), response: read(error(400), errorRules, 400) },
  'no key, and that it is absent': {
    comments: { absentHeaders: 'Authorization', text: ['a comment'] },
    request: { headers: {} },
    response: { status: 401 },
  },
  'another header that is absent': { comments: { absentHeaders: 'X-Trace' }, response: { status: 401 } },
  'no key': { request: { headers: {} }, response: { status: 401 } },
  'one animal where the limit is one': {
    states: [exists],
    request: { query: { limit: ['1'] } },
    response: page([animal], { body: { '$[0].id': type, '$[0].name': type, '$[0].categoryId': type } }),
  },
  'a page that may be empty': {
    response: page([animal], { body: { $: { combine: 'AND', matchers: [{ match: 'type', min: 0 }] } } }),
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
  'an excess without a body': {
    states: [{ name: 'the rate limit is exceeded' }],
    response: {
      status: 429,
      headers: { 'Retry-After': ['1'], 'X-RateLimit-Limit': ['60'] },
      matchingRules: { header: { 'Retry-After': regex('.+'), 'X-RateLimit-Limit': regex('^\\d+$') } },
    },
  },
  'a field that is not listed without a key': {
    request: creation({ name: 'Rex', categoryId: 1, colour: 'red' }, json),
    response: { status: 401 },
  },
  'a creation that names no media type': {
    request: creation({ name: 'Rex', categoryId: 1 }, key),
    response: read({ id: 1 }, alike, 201),
  },
  'a page of one animal or more, with two as an example': {
    states: [exists],
    response: page([animal, animal]),
  },
  'as many animals as a state without a number brings': {
    states: [{ name: 'animals exist' }],
    response: page([animal], { body: { $: { matchers: [{ match: 'type', min: 2 }] } } }),
  },
  'a page of no more than the limit': {
    states: [exists],
    request: { query: { limit: ['5'] } },
    response: page([animal], { body: { $: { matchers: [{ match: 'type', min: 1, max: 5 }] } } }),
  },
  'a category that the state was given as text': {
    states: [{ ...exists, params: { name: 'Mia', categoryId: '1' } }],
    request: { path: '/pets/1' },
    response: read(animal, { body: { '$.id': type } }),
  },
  'the status of the last of several animals': {
    states: [
      { ...exists, params: { status: 'sold' } },
      { ...exists, params: { status: 'pending' } },
    ],
    request: { path: '/pets/1' },
    response: read({ id: 1, status: 'pending' }, { body: { '$.id': type } }),
  },
};
