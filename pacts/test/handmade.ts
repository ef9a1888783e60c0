/** Pacts of versions 2 and 3, as other tools write them. */

const key = { Authorization: 'Bearer from-another-tool' };
const json = { 'Content-Type': 'application/json' };
const type = { match: 'type' };
const get = (path: string, more: object = {}) => ({ method: 'get', path, headers: key, ...more });

const animal = { id: 12, name: 'Mia', categoryId: 1 };
const notFound = { code: 'missing', message: 'There is no such animal.', status: 404 };
const typed = (prefix: string, ...names: readonly string[]) =>
  Object.fromEntries(names.map((name) => [`${prefix}${name}`, type]));

const page = { '$.body': { min: 1 }, '$.body[*].*': type };
const remaining = { '$.headers.X-RateLimit-Remaining': { match: 'regex', regex: '\\d+' } };
const one = { ...remaining, ...typed('$.body.', 'id', 'name', 'categoryId') };
const none = typed('$.body.', 'code', 'message');

/** Version 2: one state as a string, matching rules by path, no generators. */
export const version2 = {
  consumer: { name: 'shelter-kiosk' },
  provider: { name: 'Pet Store' },
  interactions: [
    {
      description: 'a page of animals',
      providerState: 'an animal exists',
      request: get('/v1/pets', { query: 'limit=10' }),
      response: { status: 200, headers: json, body: [animal], matchingRules: page },
    },
    {
      description: 'one animal',
      providerState: 'an animal exists',
      request: get('/v1/pets/12'),
      response: { status: 200, headers: { ...json, 'X-RateLimit-Remaining': '3' }, body: animal, matchingRules: one },
    },
    {
      description: 'an animal that is not there',
      providerState: 'no animal has this id',
      request: get('/v1/pets/13'),
      response: { status: 404, headers: json, body: notFound, matchingRules: none },
    },
    { description: 'a page without a key', request: get('/v1/pets', { headers: {} }), response: { status: 401 } },
    {
      description: 'a page with a key that is none',
      request: get('/v1/pets', { headers: { Authorization: 'Bearer nonsense' } }),
      response: { status: 401 },
    },
  ],
  metadata: { pactSpecification: { version: '2.0.0' } },
};

const integer = { matchers: [{ match: 'integer' }] };
const ids = { body: { '$.id': integer, '$.categoryId': integer } };
const three = { matchers: [{ match: 'type', min: 3 }] };
const inPage = { '$[*].id': integer, '$[*].name': { matchers: [type] }, '$[*].categoryId': integer };

/** Version 3: several states with parameters, matching rules by part, generators. */
export const version3 = {
  consumer: { name: 'vet-app' },
  provider: { name: 'pet-store' },
  interactions: [
    {
      description: 'the animals that are sold',
      providerStates: [{ name: 'animals exist', params: { count: 3, status: 'sold' } }],
      request: get('/pets', { query: { status: ['sold'], limit: ['100'] } }),
      response: {
        status: 200,
        body: [{ ...animal, status: 'sold' }],
        matchingRules: { body: { $: three, ...inPage } },
      },
    },
    {
      description: 'an animal by its name',
      providerStates: [{ name: 'an animal exists', params: { name: 'Mia', status: 'pending' } }],
      // biome-ignore lint/suspicious/noTemplateCurlyInString: the placeholder of a provider state.
      request: get('/pets/12', { generators: { path: { type: 'ProviderState', expression: '/pets/${id}' } } }),
      response: { status: 200, body: { ...animal, status: 'pending' }, matchingRules: ids },
    },
    {
      description: 'a new animal',
      providerStates: [{ name: 'an animal can be created' }],
      request: {
        ...{ method: 'POST', path: '/pets', headers: { ...key, ...json }, body: { name: 'Rex', categoryId: 1 } },
        generators: { body: { '$.categoryId': { type: 'ProviderState', expression: 'categoryId' } } },
      },
      response: { status: 201, body: { id: 12, name: 'Rex', categoryId: 1 }, matchingRules: ids },
    },
    {
      description: 'a page beyond the limit',
      providerStates: [{ name: 'the rate limit is exceeded' }],
      request: get('/pets'),
      response: {
        status: 429,
        headers: { 'Retry-After': '1' },
        matchingRules: { header: { 'Retry-After': { matchers: [{ match: 'regex', regex: '.+' }] } } },
      },
    },
  ],
  metadata: { 'pact-specification': { version: '3.0.0' } },
};
