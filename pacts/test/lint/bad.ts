/** Pacts that claim more than the interface states; remarks.txt has what lint says of each. */

import {
  alike,
  animal,
  type Case,
  content,
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

export const bad: Readonly<Record<string, Case>> = {
  'a path that is not shown': { request: { path: '/orders' }, response: page([]) },
  'an operation that is not shown': { request: { method: 'DELETE', path: '/pets/1' }, response: { status: 204 } },
  'a status that is not listed': {
    request: creation({ name: 'Mia', categoryId: 1 }),
    response: read(animal, alike, 200),
  },
  'a wrong type': { states: [exists], request: { path: '/pets/1' }, response: read({ ...animal, id: '1' }) },
  'a status of no animal': {
    states: [exists],
    request: { path: '/pets/1' },
    response: read({ ...animal, status: 'lost' }),
  },
  'a field that is not listed': {
    states: [exists],
    request: { path: '/pets/1' },
    response: read({ ...animal, colour: 'red' }),
  },
  'an Error of another shape': {
    states: [unknown],
    request: { path: '/pets/1' },
    response: read({ error: 'none' }, alike, 404),
  },
  'a page for no key': { request: { headers: {} }, response: page([], alike) },
  'another media type': { response: { status: 200, headers: { 'Content-Type': ['text/html'] } } },
  'animals in place of an Error': {
    request: { headers: {} },
    response: { status: 401, headers: json, body: content([animal]) },
  },
  'an Error with an id': {
    request: creation({ name: 'Rex' }),
    response: read({ ...error(400), id: 5 }, errorRules, 400),
  },
  'a status that answers no request that is right': { response: { status: 404 } },
  'a limit out of range': { request: { query: { limit: ['101'] } }, response: read(error(400), errorRules, 400) },
  'a limit that is no integer': { request: { query: { limit: ['ten'] } }, response: read(error(400), errorRules, 400) },
  'a filter by no status': { request: { query: { status: ['lost'] } }, response: read(error(400), errorRules, 400) },
  'a parameter that is not listed': { states: [exists], request: { query: { page: ['2'] } }, response: page([animal]) },
  'a parameter of createPet': {
    request: { ...creation({ name: 'Mia', categoryId: 1 }), query: { dry: ['1'] } },
    response: read(animal, alike, 201),
  },
  'a parameter of getPet': {
    states: [exists],
    request: { path: '/pets/7', query: { limit: ['1'] } },
    response: read(animal),
  },
  'an id that is no int64': { request: { path: '/pets/abc' }, response: read(error(404), errorRules, 404) },
  'a field of a body that is not listed': {
    request: creation({ name: 'Mia', categoryId: 1, colour: 'red' }),
    response: read(animal, alike, 201),
  },
  'an id of the client': {
    request: creation({ name: 'Mia', categoryId: 1, id: 9 }),
    response: read(animal, alike, 201),
  },
  'a name that need not be accepted': {
    request: creation({ name: '', categoryId: 1 }),
    response: read(animal, alike, 201),
  },
  'a body of another media type': {
    request: creation({ name: 'Mia', categoryId: 1 }, { ...key, 'Content-Type': ['text/plain'] }),
    response: { status: 400 },
  },
  'a valid body that is refused': {
    request: creation({ name: 'Mia', categoryId: 1 }),
    response: read(error(400), errorRules, 400),
  },
  'a parameter twice': { request: { query: { limit: ['5', '6'] } }, response: { status: 200 } },
  'an invalid body that is accepted': { request: creation({ name: 'Mia' }), response: read(animal, alike, 201) },
  'no body that is accepted': {
    request: { method: 'POST', headers: { ...key, ...json } },
    response: read(animal, alike, 201),
  },
  'a limit of none': { request: { query: { limit: ['0'] } }, response: { status: 200 } },
  'an id beyond an int64': {
    request: { path: '/pets/9223372036854775808' },
    response: read(error(404), errorRules, 404),
  },
  'an id below an int64': {
    request: { path: '/pets/-9223372036854775809' },
    response: read(error(404), errorRules, 404),
  },
  'a name that need not be accepted, and is not': {
    request: creation({ name: '', categoryId: 1 }),
    response: read(error(400), errorRules, 400),
  },
  'a body that is cut off and accepted': {
    request: { ...creation(''), body: { contentType: 'application/json', encoded: false, content: '{"name":' } },
    response: read(animal, alike, 201),
  },
  'a limit out of range in a query that is text': {
    request: { query: 'limit=101&status=sold' },
    response: { status: 200 },
  },
  'a status in the Error that is not that of the answer': {
    states: [unknown],
    request: { path: '/pets/1' },
    response: read(error(400), errorRules, 404),
  },
  'the exact code': {
    states: [unknown],
    request: { path: '/pets/1' },
    response: read(error(404), { body: { '$.message': type } }, 404),
  },
  'the exact code by a pattern': {
    states: [unknown],
    request: { path: '/pets/1' },
    response: read(error(404), { body: { $: type, '$.code': regex('^a$') } }, 404),
  },
  'the exact message': {
    states: [unknown],
    request: { path: '/pets/1' },
    response: read(error(404), { body: { '$.code': type } }, 404),
  },
  'the body of a 429': {
    states: [{ name: 'the rate limit is exceeded' }],
    response: read(error(429), errorRules, 429),
  },
  'a pattern for codes': {
    states: [unknown],
    request: { path: '/pets/1' },
    response: read(error(404), { body: { $: type, '$.code': regex('^[A-Z_]+$') } }, 404),
  },
  'a part of a message': {
    states: [unknown],
    request: { path: '/pets/1' },
    response: read(
      error(404),
      { body: { $: type, '$.message': { matchers: [{ match: 'include', value: 'b' }] } } },
      404,
    ),
  },
  'an Error without a body': { request: { headers: {} }, response: { status: 401, headers: json, body: content('') } },
  'a header that no sentence promises': { response: { status: 200, headers: { 'X-Total-Count': ['3'] } } },
  'one form of Retry-After': {
    states: [{ name: 'the rate limit is exceeded' }],
    response: {
      status: 429,
      headers: { 'Retry-After': ['1'] },
      matchingRules: { header: { 'Retry-After': regex('^\\d+$') } },
    },
  },
  'a Location header': {
    request: creation({ name: 'Mia', categoryId: 1 }),
    response: { ...read(animal, alike, 201), headers: { ...json, Location: ['/pets/1'] } },
  },
  'the limit of one plan': {
    response: {
      status: 200,
      headers: { 'X-RateLimit-Limit': ['60'] },
      matchingRules: { header: { 'X-RateLimit-Limit': regex('^(60|300)$') } },
    },
  },
  'one charset': { response: { status: 200, headers: { 'Content-Type': ['application/json; charset=utf-8'] } } },
  'an exact number of requests that are left': {
    response: { status: 200, headers: { 'X-RateLimit-Remaining': ['59'] } },
  },
  'a WWW-Authenticate header': {
    request: { headers: {} },
    response: { status: 401, headers: { 'WWW-Authenticate': ['Bearer'] } },
  },
  'the announcement of a removal': {
    states: [exists],
    request: { path: '/pets/1' },
    response: { status: 200, headers: { Link: ['x'], Sunset: ['x'], Deprecation: ['x'] } },
  },
  'an exact reset': { response: { status: 200, headers: { 'X-RateLimit-Reset': ['1795228800'] } } },
  'a media type by a pattern without parameters': {
    response: {
      status: 200,
      headers: { 'Content-Type': ['application/json'] },
      matchingRules: { header: { 'Content-Type': regex('^application/json$') } },
    },
  },
  'the order of a page': {
    states: [exists],
    response: page([animal, animal], { body: { '$[*].id': type, '$[*].name': type, '$[*].categoryId': type } }),
  },
  'more animals than the limit': {
    states: [{ name: 'animals exist', params: { count: 6 } }],
    request: { query: { limit: ['5'] } },
    response: page([animal], { body: { $: { matchers: [{ match: 'type', min: 6 }] } } }),
  },
  'fewer animals than there may be': {
    states: [exists],
    response: page([animal], { body: { $: { matchers: [{ match: 'type', min: 1, max: 1 }] } } }),
  },
  'more animals than the state brings': {
    states: [exists],
    response: page([animal], { body: { $: { matchers: [{ match: 'type', min: 3 }] } } }),
  },
  'an empty page': { response: page([], {}) },
  'a single animal on a page': {
    states: [exists],
    response: page([animal], { body: { '$[0].id': type, '$[0].name': type, '$[0].categoryId': type } }),
  },
  'animals of a status that the state does not bring': {
    states: [{ name: 'animals exist', params: { count: 3, status: 'pending' } }],
    request: { query: { status: ['sold'] } },
    response: page([{ ...animal, status: 'sold' }], {
      body: { $: { matchers: [{ match: 'type', min: 2 }] }, '$[*].status': { matchers: [{ match: 'equality' }] } },
    }),
  },
  'more animals than a page has that names no limit': {
    response: page([animal], { body: { $: { matchers: [{ match: 'type', min: 21 }] } } }),
  },
  'a single animal where the limit is one, and no state': {
    request: { query: { limit: ['1'] } },
    response: page([animal], { body: { '$[0].id': type, '$[0].name': type, '$[0].categoryId': type } }),
  },
  'two animals in the state of one': {
    states: [exists],
    response: page([animal], { body: { $: { matchers: [{ match: 'type', min: 2 }] } } }),
  },
  'another name than was sent': {
    request: creation({ name: 'Rex', categoryId: 1 }),
    response: read({ ...animal, name: 'Max' }, { body: { '$.id': type } }, 201),
  },
  'the default status of a new animal': {
    request: creation({ name: 'Mia', categoryId: 1 }),
    response: read({ ...animal, status: 'available' }, alike, 201),
  },
  'an exact id': {
    states: [exists],
    request: { path: '/pets/1' },
    response: read(animal, { body: { '$.name': type, '$.categoryId': type } }),
  },
  'an id of at most nine digits': {
    states: [exists],
    request: { path: '/pets/1' },
    response: read(animal, { body: { $: type, '$.id': regex('^-?\\d{1,9}$') } }),
  },
  'an id that is not negative': {
    states: [exists],
    request: { path: '/pets/1' },
    response: read(animal, { body: { $: type, '$.id': regex('^\\d+$') } }),
  },
  'another status than was sent': {
    request: creation({ name: 'Mia', categoryId: 1, status: 'sold' }),
    response: read(
      { ...animal, status: 'available' },
      { body: { $: type, '$.status': { matchers: [{ match: 'equality' }] } } },
      201,
    ),
  },
  'a status of every animal of a page without a filter': {
    states: [{ ...exists, params: { status: 'sold' } }],
    response: page([{ ...animal, status: 'sold' }]),
  },
  'a name of every animal of a page': {
    states: [{ ...exists, params: { name: 'Mia' } }],
    response: page([animal], { body: { $: type, '$[*].name': { matchers: [{ match: 'equality' }] } } }),
  },
  'a fixed value for an injected one': {
    states: [{ name: 'an animal can be created' }],
    request: {
      ...creation({ name: 'Mia', categoryId: 1 }),
      generators: { body: { '$.name': { type: 'ProviderState', expression: 'name' } } },
    },
    response: read(animal, { body: { '$.id': type, '$.categoryId': type } }, 201),
  },
  'a number that is no integer': {
    states: [exists],
    request: { path: '/pets/1' },
    response: read(animal, { body: { $: type, '$.id': { matchers: [{ match: 'decimal' }] } } }),
  },
  'another category than was sent': {
    request: creation({ name: 'Mia', categoryId: 2 }),
    response: read(animal, { body: { '$.id': type, '$.name': type } }, 201),
  },
  'a category that no state was given': {
    states: [{ ...exists, params: { name: 'Mia' } }],
    request: { path: '/pets/1' },
    response: read(animal, { body: { '$.id': type } }),
  },
  'another status than the state was given': {
    states: [{ ...exists, params: { status: 'sold' } }],
    request: { path: '/pets/1' },
    response: read(
      { ...animal, status: 'pending' },
      { body: { $: type, '$.status': { matchers: [{ match: 'equality' }] } } },
    ),
  },
  'another name than the one that a state injects': {
    states: [{ name: 'an animal can be created' }],
    request: {
      ...creation({ name: 'Mia', categoryId: 1 }),
      generators: { body: { '$.name': { type: 'ProviderState', expression: 'name' } } },
    },
    response: read({ ...animal, name: 'Rex' }, { body: { '$.id': type, '$.categoryId': type } }, 201),
  },
  'a page in a state without a key': {
    states: [{ name: 'the API key is missing' }],
    request: { headers: {} },
    response: page([], alike),
  },
  'a key in a request whose state is that it is missing': {
    states: [{ name: 'the API key is missing' }],
    response: { status: 401 },
  },
  'a key in a request that says that it has none': {
    comments: { absentHeaders: ['authorization'] },
    response: { status: 401 },
  },
  'a page for a request that says that it has no key': {
    comments: { absentHeaders: 'Authorization' },
    request: { headers: {} },
    response: page([], alike),
  },
  'a state outside the vocabulary': { states: [{ name: 'the moon is full' }], response: page([animal]) },
  'an animal without a state': { request: { path: '/pets/1' }, response: read(animal) },
  'an unknown animal without a state': { request: { path: '/pets/1' }, response: read(error(404), errorRules, 404) },
  'an excess without a state': { response: { status: 429 } },
  'a parameter of a state that cannot be': {
    states: [{ name: 'animals exist', params: { count: 21 } }],
    response: { status: 200 },
  },
  'an animal in a state without one': { states: [unknown], request: { path: '/pets/1' }, response: read(animal) },
  'a refused key in the state of an excess': {
    states: [{ name: 'the rate limit is exceeded' }],
    response: { status: 401 },
  },
  'a page whatever the key, before any animal': {
    states: [{ name: 'the API key is invalid' }, exists],
    response: page([animal]),
  },
  'a state with no animals': { states: [{ name: 'animals exist', params: { count: 0 } }], response: { status: 200 } },
  'a state with a name that is no text': {
    states: [{ name: 'an animal exists', params: { name: 5 } }],
    response: { status: 200 },
  },
  'a state with a status that is none': {
    states: [{ name: 'an animal exists', params: { status: 'lost' } }],
    response: { status: 200 },
  },
  'a state with a category that is none': {
    states: [{ name: 'an animal exists', params: { categoryId: 'x' } }],
    response: { status: 200 },
  },
  'an animal whatever the key, which decides first': {
    states: [{ name: 'the API key is invalid' }, exists],
    request: { path: '/pets/1' },
    response: read(animal),
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
  'any media type that is JSON': {
    states: [exists],
    response: {
      ...page([animal]),
      matchingRules: { ...alike, header: { 'Content-Type': regex('^application/json') } },
    },
  },
  'an excess with a body that is empty': {
    states: [{ name: 'the rate limit is exceeded' }],
    response: { status: 429, body: content('') },
  },
};
