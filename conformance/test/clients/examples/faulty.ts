/** Faulty clients: each must be found, and named by the requirements that it breaks. */

import type { ClientRequirementId } from '../../../../spec/client-requirements.ts';
import type { ExampleClient, ExampleEnvironment } from './example-client.ts';
import {
  type Answer,
  askedWait,
  createSend,
  expect,
  type Habits,
  newPet,
  type PoliteRequest,
  readIdText,
  readPet,
  readPets,
  withoutKey,
} from './polite-client.ts';

type Run = ExampleClient['run'];
type RequestFor = (environment: ExampleEnvironment) => PoliteRequest;

/** A client that sends one request, and fails unless the answer has this status. */
function expecting(status: number, requestFor: RequestFor): Run {
  return async (environment) => {
    const answer = await createSend(environment)(requestFor(environment));
    expect(answer.status === status, String(status));
  };
}

const asking = (status: number, path: string): Run => expecting(status, () => ({ path }));

/** A client that adds an animal, with some members of its own, and expects 201. */
const adding = (members: object): Run =>
  expecting(201, (environment) => ({ body: { ...newPet(environment), ...members } }));

/** A client that fails unless the answer to one request is as it expects. */
function reading(
  requestFor: RequestFor,
  isExpected: (answer: Answer, environment: ExampleEnvironment) => boolean,
): Run {
  return async (environment) => {
    const answer = await createSend(environment)(requestFor(environment));
    expect(isExpected(answer, environment), 'another answer');
  };
}

const creation: RequestFor = (environment) => ({ body: newPet(environment) });
const listing: RequestFor = () => ({});

/** A client that adds animals with these statuses, and fails unless a page is as it expects. */
function listingAfter(
  statuses: readonly string[],
  path: string,
  isExpected: (page: Answer, ids: readonly string[]) => boolean,
): Run {
  return async (environment) => {
    const send = createSend(environment);
    const ids: string[] = [];
    for (const [at, status] of statuses.entries()) {
      ids.push(readIdText(await send({ body: newPet(environment, `Rex ${at}`, status) })));
    }
    expect(isExpected(await send({ path }), ids), 'another page');
  };
}

/** A client that adds an animal, and sends another request for it. */
function following(
  request: (id: string) => PoliteRequest,
  isExpected: (answer: Answer) => boolean,
  idIn: (answer: Answer) => string = readIdText,
): Run {
  return async (environment) => {
    const send = createSend(environment);
    const id = idIn(await send({ body: newPet(environment) }));
    expect(isExpected(await send(request(id))), 'another answer');
  };
}

/** A client that fails unless the remaining requests after two others are as it expects. */
function counting(second: PoliteRequest, isExpected: (before: number, after: number) => boolean): Run {
  return async (environment) => {
    const send = createSend(environment);
    const [before, after] = [await send(), await send(second)].map(({ headers }) =>
      Number(headers.get('x-ratelimit-remaining')),
    );
    expect(isExpected(before!, after!), 'another number');
  };
}

/** A client with one habit of its own, which sends a few requests one after the other. */
function browsing(habits: Partial<Habits> = {}): Run {
  return async (environment) => {
    const send = createSend(environment, habits);
    for (const status of ['available', 'pending', 'sold']) {
      expect((await send({ path: `/pets?status=${status}` })).status === 200, '200');
    }
  };
}

/** A client that repeats a refused request so many times, after a wait of its own. */
function repeating(most: number, waitMs: (retryAfter: string, now: number) => number): Run {
  return browsing({
    waitAfterRefusal: (retryAfter, attempt, now) => (attempt > most ? undefined : waitMs(retryAfter, now)),
  });
}

const givingUp = browsing({ waitAfterRefusal: () => undefined });
const isKnownField = (field: string): boolean => ['id', 'name', 'categoryId', 'status'].includes(field);
const readError = ({ text }: Answer): string => (JSON.parse(text) as { readonly code: string }).code;

const a = 'available';

/** Client → the requirements that a judge must name, apart by spaces, and how it runs. */
const clients: Readonly<Record<string, readonly [breaks: string, run: Run]>> = {
  // §2
  'forgets-a-field': ['client-required-fields', expecting(201, () => ({ body: { name: 'Rex' } }))],
  'sends-no-json': ['client-required-fields', expecting(201, () => ({ body: 'name=Rex&categoryId=7' }))],
  'writes-numbers-as-text': ['client-values-in-range', adding({ categoryId: '7' })],
  'has-statuses-of-its-own': ['client-values-in-range', adding({ status: 'reserved' })],
  'knows-a-category': ['any-known-categories', adding({ categoryId: 1 })],
  'gives-long-names': ['any-name-limits', adding({ name: 'x'.repeat(200) })],
  'uses-a-name-twice': [
    'any-duplicate-names',
    async (environment) => {
      for (const _ of [1, 2]) await adding({})(environment);
    },
  ],
  'expects-new-animals-to-be-available': [
    'any-status-omitted',
    reading(
      (environment) => ({ body: { ...newPet(environment), status: undefined } }),
      (created) => readPet(created).status === 'available',
    ),
  ],
  'rounds-ids': [
    'client-id-exact any-id-form',
    following(
      (id) => ({ path: `/pets/${id}` }),
      ({ status }) => status === 200 || status === 410,
      (created) => String(BigInt(readPet(created).id)),
    ),
  ],
  'expects-small-ids': ['any-id-form', reading(creation, (created) => /^\d{1,10}$/.test(readIdText(created)))],
  'crashes-on-unknown-fields': [
    'any-extra-response-fields',
    reading(creation, (created) => Object.keys(readPet(created)).every(isKnownField)),
  ],
  'reads-json-by-pattern': ['any-json', reading(creation, ({ text }) => /"id":-?\d+,"name":"Rex"/.test(text))],
  'compares-the-media-type-as-text': [
    'any-json',
    reading(listing, ({ headers }) => headers.get('content-type') === 'application/json'),
  ],
  'expects-an-empty-store': ['any-catalogue', listingAfter([a], '/pets', (page) => readPets(page).length <= 1)],
  // §4
  'asks-for-too-many': ['client-limit-in-range', asking(200, '/pets?limit=1000')],
  'asks-for-five-hundred': [
    'client-limit-in-range',
    reading(
      () => ({ path: '/pets?limit=500' }),
      () => true,
    ),
  ],
  'expects-400-for-limit-0': ['any-limit-out-of-range', asking(400, '/pets?limit=0')],
  'expects-400-for-limit-many': ['any-limit-not-integer', asking(400, '/pets?limit=many')],
  'writes-statuses-in-capitals': ['client-status-known', asking(200, '/pets?status=AVAILABLE')],
  'expects-400-for-an-unknown-status': ['any-status-filter-unknown', asking(400, '/pets?status=all')],
  'uses-a-page-parameter': ['client-shown-only any-unknown-query-parameters', asking(200, '/pets?page=2')],
  'updates-animals': [
    'any-other-operations',
    expecting(405, (environment) => ({ method: 'PUT', body: newPet(environment) })),
  ],
  'deletes-animals': [
    'client-shown-only',
    following(
      (id) => ({ method: 'DELETE', path: `/pets/${id}` }),
      ({ status }) => status === 204,
    ),
  ],
  'leaves-the-base-address': [
    'client-shown-only',
    (environment) => asking(200, '/health')({ ...environment, baseUrl: new URL(environment.baseUrl).origin }),
  ],
  'expects-the-oldest-first': [
    'any-list-order',
    listingAfter([a, a], '/pets?limit=100', ({ text }, ids) => {
      const [first, second] = ids.map((id) => text.indexOf(`:${id},`));
      return first === -1 || second === -1 || first! < second!;
    }),
  ],
  'expects-all-animals-in-a-page': [
    'any-page-cap',
    listingAfter([a, a, a, a], '/pets?limit=100', (page) => readPets(page).length >= 4),
  ],
  'expects-the-filter-before-the-limit': [
    'any-short-pages',
    listingAfter([a, 'sold'], '/pets?limit=1&status=sold', (page) => readPets(page).length === 1),
  ],
  'expects-its-animal-at-once': [
    'any-visibility any-catalogue',
    listingAfter([a], '/pets?limit=100', ({ text }, [id]) => text.includes(id!)),
  ],
  'rejects-link-headers': [
    'any-later-pages',
    listingAfter([a, a], '/pets?limit=1', ({ headers }) => !headers.has('link')),
  ],
  'sends-plain-text': [
    'any-other-media-type',
    expecting(415, (environment) => ({ body: newPet(environment), headers: { 'content-type': 'text/plain' } })),
  ],
  'names-no-media-type': [
    'client-sends-json',
    expecting(201, (environment) => ({ body: newPet(environment), headers: { 'content-type': 'text/plain' } })),
  ],
  'sends-chunks': [
    'any-chunked-bodies',
    expecting(201, (environment) => ({ body: newPet(environment), isStreamed: true })),
  ],
  'sends-more-fields': ['any-extra-body-fields', adding({ age: 3 })],
  'chooses-ids': ['any-client-sent-id', adding({ id: 77 })],
  'writes-integers-as-decimals': [
    'any-integer-written-as-decimal',
    expecting(201, ({ categoryId }) => ({ body: `{"name":"Rex","categoryId":${categoryId}.0}` })),
  ],
  'treats-a-location-as-a-redirect': [
    'any-location-header',
    reading(creation, ({ headers }) => !headers.has('location')),
  ],
  'asks-for-undefined': ['client-id-int64 client-deprecated', asking(200, '/pets/undefined')],
  'expects-404-for-a-word': ['any-pet-id-not-int64', asking(404, '/pets/abc')],
  // §5, §7
  'sends-the-key-in-the-query': [
    'client-key-in-header',
    reading(
      ({ key }) => ({ path: `/pets?api_key=${key}` }),
      () => true,
    ),
  ],
  'sends-the-key-in-another-header': [
    'client-key-in-header',
    reading(
      ({ key }) => ({ headers: { 'x-api-key': key } }),
      () => true,
    ),
  ],
  'sends-the-key-as-a-password': [
    'client-key-in-header',
    expecting(200, ({ key }) => ({
      headers: { authorization: `Basic ${Buffer.from(`api:${key}`).toString('base64')}` },
    })),
  ],
  'writes-bearer-in-lower-case': [
    'any-bearer-case',
    expecting(200, ({ key }) => ({ headers: { authorization: `bearer ${key}` } })),
  ],
  'expects-a-challenge': [
    'any-www-authenticate',
    reading(
      () => ({ headers: { authorization: 'Bearer wrong' } }),
      ({ headers }) => headers.has('www-authenticate'),
    ),
  ],
  'expects-a-limit-without-a-key': [
    'any-rate-limit-without-key',
    async (environment) => {
      const { headers } = await createSend(environment, withoutKey)();
      expect(headers.get('x-ratelimit-limit') === '60', 'a limit of 60');
    },
  ],
  'switches-on-error-codes': [
    'any-error-codes',
    reading(
      () => ({ body: {} }),
      (refused) => readError(refused) === 'invalid_request',
    ),
  ],
  // §8
  'retries-at-once': ['client-waits', repeating(2, () => 0)],
  hammers: ['client-no-hammering client-waits any-ban', repeating(100, () => 10)],
  'reads-retry-after-as-milliseconds': ['client-waits', repeating(6, (retryAfter) => Number(retryAfter) || 0)],
  'reads-retry-after-as-seconds-only': [
    'any-retry-after-form client-waits',
    repeating(3, (retryAfter) => Number(retryAfter) * 1000 || 0),
  ],
  'waits-a-third-of-the-time': [
    'any-ban client-waits',
    repeating(4, (retryAfter, now) => askedWait(retryAfter, now) / 3 + 50),
  ],
  'waits-always-the-same': ['client-backs-off', repeating(9, askedWait)],
  'always-waits-eight-seconds': ['client-waits', repeating(9, () => 8_000)],
  'gives-up': ['client-goes-on', givingUp],
  'gives-up-later': [
    'client-goes-on',
    async (environment) => {
      await createSend(environment)();
      await createSend(environment, { waitAfterRefusal: () => undefined })();
    },
  ],
  'reads-the-body-of-a-429': [
    'any-too-many-requests-body',
    browsing({ readRefusal: ({ text }) => void JSON.parse(text) }),
  ],
  'expects-a-window-of-a-minute': [
    'any-rate-limit-window',
    reading(listing, ({ headers }, { now }) => Number(headers.get('x-ratelimit-reset')) <= now() / 1000 + 61),
  ],
  'expects-a-limit-of-its-own': ['any-limit-scope', counting({}, (before, after) => before - after <= 1)],
  'counts-refused-requests': [
    'any-refused-requests',
    counting({ body: { name: 'Rex' } }, (before, after) => after < before),
  ],
  // §9
  'uses-getPet': [
    'client-deprecated any-after-removal',
    following(
      (id) => ({ path: `/pets/${id}` }),
      ({ status }) => status === 200,
    ),
  ],
  'reads-the-sunset': [
    'any-deprecation-headers client-deprecated',
    reading(
      () => ({ path: '/pets/1' }),
      ({ headers }) => headers.has('sunset'),
    ),
  ],
};

export const faultyClients = Object.entries(clients).map(([id, [breaks, run]]) => ({
  ...{ id, run },
  breaks: breaks.split(' ') as readonly ClientRequirementId[],
}));
