/** Which services a client runs under, what it is blamed for, and what its report says. */

import { readFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { ClientRequirementId } from '../../../spec/client-requirements.ts';
import type { RunClient } from '../../clients/client-run.ts';
import type { CompatibilityOptions } from '../../clients/compatibility.ts';
import { reporters } from '../../reporters/index.ts';
import { clientOf, explore, linesOf, type Run, report } from './bench.ts';
import { browsing } from './faulty.ts';
import { createSend, expect, newPet, readPets } from './polite-client.ts';

const lists: Run = async (environment) => expect((await createSend(environment)()).status === 200, '200');

/** A client that sends one listing, and expects an answer by its status. */
const asking =
  (path: string, isExpected: (status: number) => boolean = () => true): Run =>
  async (environment) => {
    expect(isExpected((await createSend(environment)({ path })).status), 'another status');
    await lists(environment);
  };

const expectsOrder: Run = async (environment) => {
  const send = createSend(environment);
  for (const name of ['a', 'b']) await send({ body: newPet(environment, name) });
  const names = readPets(await send({ path: '/pets?limit=100' })).map(({ name }) => name);
  expect(names.indexOf('a') < names.indexOf('b'), 'a first');
};

const creating =
  (name: string, own: object = {}): Run =>
  async (environment) => {
    const body = { ...newPet(environment, name), ...own };
    expect((await createSend(environment)({ body })).status === 201, '201');
  };

const listsPatiently: Run = async (environment) => {
  const once = createSend(environment, { waitAfterRefusal: () => undefined });
  await createSend(environment)();
  for (const name of ['a', 'b']) await once({ body: newPet(environment, name) });
};

const page: Run = async ({ fetch, baseUrl, key }) => {
  const headers = { origin: 'http://localhost:3000' };
  const preflight = { ...headers, 'access-control-request-method': 'GET' };
  await fetch(`${baseUrl}/pets`, { method: 'OPTIONS', headers: preflight });
  const response = await fetch(`${baseUrl}/pets`, { headers: { ...headers, authorization: `Bearer ${key}` } });
  expect(response.ok && response.headers.get('access-control-allow-origin') !== null, 'permission to read');
};

const careless: Run = async (environment) => {
  const { status } = await createSend(environment)({ body: { name: 'Rex', categoryId: '7' } });
  expect(status === 201 || status === 400, 'an answer to a creation');
  await lists(environment);
  await createSend(environment, { credential: () => ({}), waitAfterAnswer: () => 0 })();
};

const misplaces: Run = (environment) => asking(`/pets?limit=500&api_key=${environment.key}`)(environment);

const withProfile: Run = async (environment) => {
  await creating('Rex')(environment);
  expect(readPets(await createSend(environment)())[0]?.name === 'Rex', 'the newest first');
};

const content = /; the client is content whatever such requests get: it ignores the answers$/m;
const goesOn = /; such requests are refused, and the client goes on as if they were served$/m;
const noticed = /would notice if it were not: a test of refusals$/m;
const order = 'any-list-order';
const forms = 'client-goes-on any-retry-after-form any-too-many-requests-body';
const profile = { 'list-order': 'newest-first', 'page-cap': 'as-asked', 'known-categories': 'refused-400' } as const;
const is = (...all: readonly number[]) => all.includes.bind(all);
const isError = (status: number): boolean => status >= 400;

type Row = readonly [
  what: string,
  run: Run,
  /** The requirements whose services it may run under, apart by spaces; all where it is empty. */
  only: string,
  says: readonly RegExp[],
  options?: Partial<CompatibilityOptions>,
];

const rows: readonly Row[] = [
  [
    'a client that fails before it sends a request runs under no other service, except without animals',
    () => Promise.reject(new Error('no')),
    order,
    [
      /^exit code 3$/m,
      /^runs ten-animals reference$/m,
      /^says The client fails with the reference server already: the error "no" before it sent a request to PETSTORE_BASE_URL\. Try it by hand: petstore-server --service reference\.$/m,
    ],
  ],
  [
    'a client that fails with the reference server by its own invalid request breaks that requirement',
    creating('Rex', { name: 1 }),
    order,
    [/^exit code 1$/m, /^client-values-in-range fail/m, /the error "expected 201", after 400 to createPet\. /],
  ],
  [
    'a client that sends nothing is not judged',
    async () => {},
    order,
    [/^exit code 3$/m, /^says The client sent no request to the service, whose address is in PETSTORE_BASE_URL\.$/m],
  ],
  [
    'a client that looks at no answer is not judged by how it ends',
    async (environment) => void (await createSend(environment)()),
    order,
    [/^exit code 3$/m, /^says The client ends well where every answer is 501, and where it is 200: it looks at none/m],
  ],
  [
    'a test of refusals alone looks at answers',
    async (environment) => expect((await createSend(environment)({ method: 'DELETE' })).status >= 400, 'a refusal'),
    order,
    [/^exit code 0$/m],
  ],
  [
    'services that answer a client like the reference need no run, and what it never used is said',
    lists,
    `${order} any-location-header`,
    [
      /^exit code 0$/m,
      /^runs ten-animals list-order=newest-first list-order=shuffled$/m,
      /^any-list-order pass 2 exchanges; no reason$/m,
      /^any-location-header not-applicable .*; no request of the client shows it$/m,
      /^any-id-form skipped .*; the client did not run under the services that show it$/m,
      /^any-cors not-applicable .*; no request of the client shows it$/m,
      /^says your command never used createPet and getPet$/m,
    ],
  ],
  [
    'animals of other clients are a question of their own, and no part of another one',
    async (environment) => {
      await creating('a')(environment);
      expect(readPets(await createSend(environment)()).length === 1, 'one animal');
    },
    `any-catalogue ${order} any-extra-response-fields`,
    [
      /^any-catalogue fail .* work with ten-animals /m,
      /^runs ten-animals reference ten-animals (?!.*list-order=newest-first).*extra-response-fields=extra/m,
      /^any-extra-response-fields pass/m,
    ],
  ],
  [
    'with a profile, all services answer as it says, the first one included',
    withProfile,
    `${order} any-page-cap any-known-categories`,
    [/^exit code 0\n.*\nruns ten-animals$/m, /^any-catalogue pass [1-9]/m],
    { profile },
  ],
  [
    'and one that differs in nothing else is tried',
    withProfile,
    `${order} any-page-cap any-known-categories`,
    [/^runs ten-animals page-cap=fewer$/m],
    { profile: { ...profile, 'page-cap': 'fewer' } },
  ],
  [
    'a page of another origin may read all answers, and its preflight is the request of a browser',
    page,
    order,
    [/^exit code 0$/m, /^client-shown-only pass/m],
  ],
  [
    'a client that gives up after a 429 is warned of that, and shows nothing about the forms of one',
    browsing({ waitAfterRefusal: () => undefined }),
    forms,
    [
      /^exit code 0\nworks with 1 of 2, relies on 0$/m,
      /^client-goes-on warn .*: §8 says: A client that gets 429 waits and goes on;/m,
      /^any-list-order skipped/m,
      /^any-too-many-requests-body inconclusive .*; the client does not go on after a plain 429 either$/m,
    ],
  ],
  [
    'a client that never repeats a creation is judged by its lists, and relies on no form of a 429',
    listsPatiently,
    forms,
    [
      /^works with \d+ of \d+, relies on 0$/m,
      /^client-goes-on pass/m,
      /^any-retry-after-form pass/m,
      /^any-too-many-requests-body pass/m,
    ],
  ],
  [
    'a client that ends well after a 429 without another request does not show that it goes on',
    async ({ baseUrl, key, fetch }) =>
      void (await fetch(`${baseUrl}/pets`, { headers: { authorization: `Bearer ${key}` } })),
    'client-goes-on',
    [/^client-goes-on not-applicable .*; no request of the client shows it$/m],
  ],
  [
    'that a client does not heed Remaining is observed, and breaks nothing',
    browsing({ waitAfterAnswer: () => 0 }),
    'client-goes-on',
    [/^exit code 0$/m, /although X-RateLimit-Remaining is 0/],
  ],
  [
    'and that it does is not',
    browsing({}),
    'client-goes-on',
    [/^exit code 0$/m, /^says (?!.*although X-RateLimit-Remaining)/m],
  ],
  [
    'a client that relies on getPet is warned, which counts as no reliance',
    asking('/pets/1', is(200, 404)),
    'any-after-removal',
    [/^exit code 0\nworks with 1 of 2, relies on 0$/m, /^any-after-removal warn/m],
  ],
  // A request against the interface is a test of refusals only if the client notices another answer.
  ['limit=500, for any answer', asking('/pets?limit=500'), '', [/^client-limit-in-range fail/m, content]],
  [
    'limit=500, refused or not',
    asking('/pets?limit=500', is(200, 400, 422)),
    '',
    [/^client-limit-in-range not-applicable/m, noticed],
  ],
  ['another path, for any answer', asking('/stores'), '', [/^client-shown-only warn/m, goesOn]],
  [
    'a test of refusals for which only one service gives a reason',
    async (environment) => {
      const send = createSend(environment);
      const { headers, status } = await send({ path: '/pets?limit=1' });
      expect(status === 200, '200');
      if (headers.has('link')) expect(isError((await send({ method: 'DELETE' })).status), 'a refusal');
    },
    'any-later-pages',
    [/^client-shown-only pass .*/m, noticed],
  ],
  ['another path, refused', asking('/stores', isError), '', [/^client-shown-only pass/m, noticed]],
  [
    'a category as text and a request without a key, refused or not',
    careless,
    'client-key-in-header',
    [/^client-values-in-range fail categoryId-outside/m, /^client-key-in-header fail no-key/m, content],
  ],
  [
    'a key in the query that is refused for another reason is no test of a refusal',
    misplaces,
    'client-key-in-header',
    [/^client-key-in-header fail/m],
  ],
];

for (const [what, run, only, says, options] of rows) {
  test(what, async () => {
    const wanted = only === '' ? {} : { only: new Set(only.split(' ') as ClientRequirementId[]) };
    const lines = linesOf(await explore(clientOf(run), { ...wanted, ...options }));
    for (const pattern of says) assert.match(lines, pattern);
  });
}

// Runs that fail now and then, disturb each other, or are ended.

/** A client that fails in some of its runs, counted from 1. */
function failingIn(isFailing: (count: number) => boolean): RunClient {
  let count = 0;
  const client = clientOf(lists);
  return async (service, stop) => {
    count += 1;
    const run = await client(service, stop);
    return isFailing(count) ? { ...run, isPassed: false, ending: 'exit code 1' } : run;
  };
}

const onlyOrder = { only: new Set([order] as const) };

test('a client that fails now and then relies on nothing', async () => {
  const once = await explore(
    failingIn((count) => count === 3),
    onlyOrder,
  );
  assert.match(
    linesOf(once),
    /relies on 0\n.*\nsays .*the client failed beside another run, and passed alone \(can .*\?\): exit code 1/,
  );
  const later = await explore(
    failingIn((count) => count >= 2),
    onlyOrder,
  );
  const lines = linesOf(later);
  assert.match(lines, /relies on 0\n.*\nsays .*the client failed, and later without it, too: exit code 1/);
  assert.match(lines, /^any-list-order inconclusive .*; the client failed, and later without it, too$/m);
});

test('a client that cannot run beside itself, since it listens on a fixed port, relies on nothing', async () => {
  const client = clientOf(lists);
  let isTaken = false;
  const runClient: RunClient = async (service, stop) => {
    if (isTaken) return { ...(await client(service, stop)), isPassed: false, ending: 'exit code 98' };
    isTaken = true;
    await new Promise(setImmediate);
    return client(service, stop).finally(() => {
      isTaken = false;
    });
  };
  assert.match(linesOf(await explore(runClient, { concurrency: 3 })), /^exit code 0\n.*relies on 0$/m);
});

test('the number of runs that remain falls to none, repetitions included', async () => {
  const left: number[] = [];
  await explore(clientOf(expectsOrder), { ...onlyOrder, onRun: (_run, remaining) => left.push(remaining) });
  assert.equal(left, [0, 2, 1, 1, 1, 0]);
});

test('a request that breaks the interface is shown as a curl line', async () => {
  const only = new Set(['client-limit-in-range'] as const);
  const made = report(await explore(clientOf(asking('/pets?limit=500')), { only }));
  const { failures } = made.requirements.find(({ id }) => id === 'client-limit-in-range')!;
  const [authorization, accept] = [
    '"Authorization: Bearer $PETSTORE_API_KEY"',
    "'accept: */*' -H 'accept-language: *'",
  ];
  assert.is(failures[0]?.curl, `curl -i 'http://localhost:8080/v1/pets?limit=500' -H ${authorization} -H ${accept}`);
});

test('a report shows the request of a failure, and is one of the kit, to its schema and to every reporter', async () => {
  const client = clientOf(expectsOrder);
  const printing: RunClient = async (...all) => ({ ...(await client(...all)), printed: ['not a'] });
  const made = report(await explore(printing, onlyOrder));
  // Nothing follows from how it ended where every answer is 501.
  const printed = new Set(made.client?.services.filter((one) => one.printed !== undefined).map(({ id: of }) => of));
  assert.equal([...printed], ['list-order=newest-first']);
  const broken = made.requirements.find(({ id }) => id === order)!;
  const [number] = broken.failures[0]!.exchanges;
  const shown = made.exchanges.find((exchange) => exchange.number === number);
  assert.equal([shown?.check, shown?.operation], ['list-order=newest-first', 'listPets']);
  assert.equal(
    [broken.failures[0]!.curl, broken.recheck],
    ["petstore-server --service 'list-order=newest-first'", 'fails-again'],
  );
  const schema = JSON.parse(readFileSync(new URL('../../report.schema.json', import.meta.url), 'utf8')) as object;
  const ajv = new Ajv2020({ strict: false });
  (formats as unknown as (to: Ajv2020) => void)(ajv);
  const isValid = ajv.compile(schema);
  assert.ok(isValid(JSON.parse(reporters.json(made))), JSON.stringify(isValid.errors));
  for (const [name, render] of Object.entries(reporters)) {
    if (name !== 'profile') assert.match(render(made), order, name);
  }
});

test.run();
