/** Faulty clients: each must be found, and named by the requirements that it breaks. */

import type { ClientRequirementId } from '../../../spec/client-requirements.ts';
import { type Run, simulatedStart } from './bench.ts';
import {
  type Answer,
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

/**
 * Clients of one request: name | the requirements that a judge must name | method, path and body or headers | the status or
 * header that it expects, if any. KEY and CATEGORY stand for those of the run, ID for the id of an animal that it adds first.
 */
const ofOneRequest = `
writes-numbers-as-text | client-values-in-range | POST /pets {"name":"Rex","categoryId":"CATEGORY"} | 201
knows-a-category | any-known-categories | POST /pets {"name":"Rex","categoryId":1} | 201
sends-more-fields | any-extra-body-fields | POST /pets {"name":"Rex","categoryId":CATEGORY,"age":3} | 201
chooses-ids | any-client-sent-id | POST /pets {"name":"Rex","categoryId":CATEGORY,"id":77} | 201
writes-integers-as-decimals | any-integer-written-as-decimal | POST /pets {"name":"Rex","categoryId":CATEGORY.0} | 201
has-names-of-other-letters | any-name-limits | POST /pets {"name":"Żółw","categoryId":CATEGORY} | 201
expects-400-for-limit-0 | any-limit-out-of-range | GET /pets?limit=0 | 400
expects-400-for-limit-many | any-limit-not-integer | GET /pets?limit=many | 400
expects-400-for-an-unknown-status | any-status-filter-unknown | GET /pets?status=all | 400
uses-a-page-parameter | client-shown-only any-unknown-query-parameters | GET /pets?page=2 | 200
updates-animals | any-other-operations | PUT /pets {"name":"Rex","categoryId":CATEGORY} | 405
uses-getPet | client-deprecated any-after-removal | GET /pets/ID | 200
expects-404-for-a-word | any-pet-id-not-int64 | GET /pets/abc | 404
sends-the-key-in-the-query | client-key-in-header | GET /pets?api_key=KEY |
writes-bearer-in-lower-case | any-bearer-case any-after-removal | GET /pets/ID authorization: bearer KEY | 200
sends-plain-text | any-other-media-type | POST /pets content-type: text/plain | 415
compares-the-media-type-as-text | any-json | GET /pets | content-type: application/json
expects-a-challenge | any-www-authenticate | GET /pets authorization: Bearer wrong | www-authenticate
expects-a-limit-without-a-key | any-rate-limit-without-key | GET /pets authorization: | x-ratelimit-limit: 60
reads-the-sunset | any-deprecation-headers client-deprecated | GET /pets/1 | sunset
`;

/** A client that sends the request of a row, and fails unless the answer has its status or header, or one of several. */
export function sending(line: string, expected: string): Run {
  return async (environment) => {
    const { key, categoryId } = environment;
    const send = createSend(environment);
    const id = line.includes('ID') ? readIdText(await send({ body: newPet(environment) })) : '';
    const text = line.replace('KEY', key).replace('CATEGORY', String(categoryId)).replace('ID', id);
    const [, method = '', path = '', rest = ''] = /^(\S+) (\S+) ?(.*)$/.exec(text)!;
    const [, name, value = ''] = /^([a-z-]+): ?(.*)$/.exec(rest) ?? [];
    const body = name === undefined ? rest : newPet(environment);
    const { status, headers } = await send({
      method,
      path,
      ...(method === 'GET' || method === 'DELETE' ? {} : { body }),
      ...(name === undefined ? {} : { headers: { [name]: value } }),
    });
    const shown = [String(status), ...headers.keys(), ...[...headers].map((pair) => pair.join(': '))];
    expect(expected === '' || expected.split(' or ').some((one) => shown.includes(one)), expected);
  };
}

/** A client that fails unless the answer to a request is as it expects. */
function asking(request: PoliteRequest, isExpected: (answer: Answer) => boolean): Run {
  return async (environment) => expect(isExpected(await createSend(environment)(request)), 'another answer');
}

/** A client that adds animals with these statuses, and fails unless a page, or its last animal, is as it expects. */
function adding(
  statuses: readonly (string | undefined)[],
  path: string,
  isExpected: (answer: Answer, ids: readonly string[]) => boolean,
): Run {
  return async (environment) => {
    const send = createSend(environment);
    const ids: string[] = [];
    let answer: Answer | undefined;
    for (const [at, status] of statuses.entries()) {
      answer = await send({ body: { ...newPet(environment, `Rex ${at}`), status } });
      ids.push(readIdText(answer));
    }
    if (path !== '') answer = await send({ path });
    expect(isExpected(answer!, ids), 'another answer');
  };
}

const added = (isExpected: (answer: Answer) => boolean, status?: string): Run => adding([status], '', isExpected);

/** A client that fails unless the remaining requests after two others are as it expects. */
function counting(body: object | undefined, isExpected: (before: number, after: number) => boolean): Run {
  return async (environment) => {
    const send = createSend(environment);
    const remaining = ({ headers }: Answer): number => Number(headers.get('x-ratelimit-remaining'));
    const before = remaining(await send());
    expect(isExpected(before, remaining(await send({ body }))), 'another number');
  };
}

/** A client with one habit of its own, which sends a few requests one after the other. */
export function browsing(habits: Partial<Habits>): Run {
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

/** A client that reads the body of any answer as JSON, and asks again so many times until that is a page. */
function reading(most: number): Run {
  return async ({ baseUrl, key, fetch, sleep }) => {
    for (let attempt = 1; attempt <= most; attempt += 1) {
      const response = await fetch(`${baseUrl}/pets`, { headers: { authorization: `Bearer ${key}` } });
      if (Array.isArray(JSON.parse(await response.text()))) return;
      await sleep(6_000);
    }
  };
}

/** A client that gives up after a 429, with an error that it makes of the body. */
export function givingUp(reasonIn: (body: string) => string): Run {
  return async ({ baseUrl, key, fetch }) => {
    const response = await fetch(`${baseUrl}/pets`, { headers: { authorization: `Bearer ${key}` } });
    const body = await response.text();
    if (response.status === 429) throw new Error(`refused: ${reasonIn(body)}`);
    expect(Array.isArray(JSON.parse(body)), 'a page');
  };
}

const isKnownField = (field: string): boolean => ['id', 'name', 'categoryId', 'status'].includes(field);
const a = 'available';

/** Client → the requirements that a judge must name, apart by spaces, and how it runs. */
const clients: Readonly<Record<string, readonly [breaks: string, run: Run]>> = {
  // §2
  'uses-a-name-twice': [
    'any-duplicate-names',
    async (environment) => {
      const send = createSend(environment);
      for (const _ of [1, 2]) expect((await send({ body: newPet(environment) })).status === 201, '201');
    },
  ],
  'expects-new-animals-to-be-available': ['any-status-omitted', added((answer) => readPet(answer).status === a)],
  'rounds-ids': [
    'client-id-exact any-id-form',
    async (environment) => {
      const send = createSend(environment);
      const rounded = BigInt(readPet(await send({ body: newPet(environment) })).id);
      expect([200, 410].includes((await send({ path: `/pets/${rounded}` })).status), 'its animal');
    },
  ],
  'expects-small-ids': ['any-id-form', added((answer) => /^\d{1,10}$/.test(readIdText(answer)), a)],
  'crashes-on-unknown-fields': [
    'any-extra-response-fields',
    added((answer) => Object.keys(readPet(answer)).every(isKnownField), a),
  ],
  'reads-json-by-pattern': ['any-json', added(({ text }) => /"id":-?\d+,"name":"Rex/.test(text), a)],
  'expects-an-empty-store': ['any-catalogue', adding([a], '/pets', (page) => readPets(page).length <= 1)],
  // §4
  'expects-the-oldest-first': [
    'any-list-order',
    adding([a, a], '/pets?limit=100', ({ text }, ids) => {
      const [first, second] = ids.map((id) => text.indexOf(`:${id},`));
      return first === -1 || second === -1 || first! < second!;
    }),
  ],
  'expects-all-animals-in-a-page': [
    'any-page-cap',
    adding([a, a, a, a], '/pets?limit=100', (page) => readPets(page).length >= 4),
  ],
  'expects-the-filter-before-the-limit': [
    'any-short-pages',
    adding([a, 'sold'], '/pets?limit=1&status=sold', (page) => readPets(page).length === 1),
  ],
  'expects-its-animal-at-once': [
    'any-visibility any-catalogue',
    adding([a], '/pets?limit=100', ({ text }, [id]) => text.includes(id!)),
  ],
  'rejects-link-headers': ['any-later-pages', adding([a, a], '/pets?limit=1', ({ headers }) => !headers.has('link'))],
  'sends-chunks': [
    'any-chunked-bodies',
    asking({ body: { name: 'Rex', categoryId: 7 }, isStreamed: true }, ({ status }) => status === 201),
  ],
  'treats-a-location-as-a-redirect': ['any-location-header', added(({ headers }) => !headers.has('location'), a)],
  // §5, §7
  'sends-its-key-twice': [
    'client-key-in-header',
    async (environment) => {
      const send = createSend(environment);
      expect((await send({ headers: { 'x-api-key': environment.key } })).status === 200, '200');
      expect((await send({ headers: withoutKey })).status === 401, '401');
    },
  ],
  'reads-messages': ['any-json', asking({ body: {} }, ({ text }) => text.includes('name'))],
  'switches-on-error-codes': [
    'any-error-codes',
    asking({ body: {} }, ({ text }) => (JSON.parse(text) as { code: string }).code === 'invalid_request'),
  ],
  // §8
  hammers: ['client-no-hammering client-waits any-ban', repeating(100, () => 10)],
  'reads-retry-after-as-seconds-only': [
    'any-retry-after-form client-waits',
    repeating(3, (retryAfter) => Number(retryAfter) * 1000 || 0),
  ],
  'gives-up': ['client-goes-on', repeating(0, () => 0)],
  'reads-a-429-as-an-error': ['any-too-many-requests-body', reading(1)],
  'gives-up-with-the-code-of-a-429': [
    'any-too-many-requests-body client-goes-on',
    givingUp((body) => (JSON.parse(body) as { code: string }).code),
  ],
  'reads-the-body-of-a-429-in-a-loop': ['any-too-many-requests-body', reading(9)],
  'expects-a-window-of-a-minute': [
    'any-rate-limit-window',
    asking({}, ({ headers }) => Number(headers.get('x-ratelimit-reset')) <= simulatedStart / 1000 + 61),
  ],
  'expects-a-limit-of-its-own': ['any-limit-scope', counting(undefined, (before, after) => before - after <= 1)],
  'counts-refused-requests': ['any-refused-requests', counting({ name: 'Rex' }, (before, after) => after < before)],
};

const rows = ofOneRequest.trim().split('\n');

/** A client, and the requirements that a judge must name. */
export const faultyClients = [
  ...rows.map((row) => {
    const [id = '', breaks = '', line = '', status = ''] = row.split(/ \|(?: |$)/);
    return { id, breaks, run: sending(line, status) };
  }),
  ...Object.entries(clients).map(([id, [breaks, run]]) => ({ id, breaks, run })),
].map(({ breaks, ...rest }) => ({ ...rest, breaks: breaks.split(' ') as readonly ClientRequirementId[] }));
