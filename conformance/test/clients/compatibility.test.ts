/** Which services a client runs under, what it is blamed for, and what its report says. */

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { ClientRequirementId } from '../../../spec/client-requirements.ts';
import { type Client, type RunClient, runOverSockets } from '../../clients/client-run.ts';
import { judgeClient } from '../../clients/judge-client.ts';
import { refusalsTo } from '../../clients/refusals.ts';
import { judgeSent } from '../../clients/waits.ts';
import { isFailing } from '../../verdict/finding.ts';
import { clientOf, explore, linesOf, type Run, report } from './bench.ts';
import { browsing, givingUp, sending } from './faulty.ts';
import { createSend, expect, newPet, readPets, withoutKey } from './polite-client.ts';

const lists: Run = async (environment) => expect((await createSend(environment)()).status === 200, '200');

/** A client that creates an animal, and fails unless a page is as it expects. */
const creating =
  (isExpected: (names: readonly string[]) => boolean): Run =>
  async (environment) => {
    const send = createSend(environment);
    await send({ body: newPet(environment, 'own') });
    expect(isExpected(readPets(await send()).map(({ name }) => name)), 'another page');
  };

const oldestFirst = creating(([first]) => first !== 'own');

const content = /; the client is content whatever such requests get: it ignores the answers$/m;
const noticed = /would notice if it were not: a test of refusals$/m;
const order = 'any-list-order';
const forms = 'any-retry-after-form any-too-many-requests-body';

/** Title → a client, the requirements whose services it runs under (all of them if empty), and lines of its report. */
const rows: Readonly<Record<string, readonly [run: Run, only: string, says: readonly RegExp[]]>> = {
  'a client that fails before it sends a request runs under no other service, except without animals': [
    () => Promise.reject(new Error('no')),
    order,
    [
      /^exit code 3\n.*\nruns ten-animals reference\nsays The client fails with the reference server already: the error "no" before it sent a request to PETSTORE_BASE_URL\. Try it by hand: petstore-server --service reference\.$/m,
    ],
  ],
  'a client that fails because its own request is invalid breaks the requirement of that request': [
    sending('POST /pets {"name":1,"categoryId":CATEGORY}', '201'),
    order,
    [/^exit code 1$/m, /^client-values-in-range fail/m, /the error "expected 201", after 400 to createPet\. /],
  ],
  'a client that sends nothing is not judged': [
    async () => {},
    order,
    [/^runs ten-animals\nsays The client sent no request to the service, whose address is in PETSTORE_BASE_URL\.$/m],
  ],
  'a client that looks at no answer is not judged by how it ends': [
    sending('GET /pets', ''),
    order,
    [/^exit code 3$/m, /^says The client ends well where every answer is 501, and where it is 200: it looks at none/m],
  ],
  'a client that gives up after a 429 is warned where a parser ends it, since §8 shows no body': [
    givingUp((body) => (JSON.parse(body) as { code: string }).code),
    'any-too-many-requests-body',
    [
      /^exit code 0$/m,
      /^any-too-many-requests-body warn relies-on-an-answer .* with too-many-requests-body=empty .*; the client gives up/m,
      // Of no other requirement.
      /^(?!(.*it reads the body){2})/s,
    ],
  ],
  'a client that gives up after a 429 with the text of the body reads nothing in it': [
    givingUp((body) => body),
    'any-too-many-requests-body',
    [/^any-too-many-requests-body inconclusive 0 exchanges; the client does not go on after a plain 429 either$/m],
  ],
  'a test of refusals alone looks at answers': [
    sending('DELETE /pets', '400 or 401 or 404 or 405 or 501'),
    order,
    [/^exit code 0$/m],
  ],
  'services that answer a client like the reference need no run, and what it never used is said': [
    lists,
    `${order} any-location-header`,
    [
      /^exit code 0\n.*\nruns ten-animals list-order=newest-first list-order=shuffled\nsays your command never used createPet and getPet$/m,
      /^any-list-order pass 2 exchanges; no reason$/m,
      /^any-location-header not-applicable .*; no request of the client shows it$/m,
      /^any-id-form skipped .*; the client did not run under the services that show it$/m,
      /^any-cors not-applicable .*; no request of the client shows it$/m,
    ],
  ],
  'animals of other clients are a question of their own, and no part of another one': [
    creating(({ length }) => length === 1),
    `any-catalogue ${order} any-extra-response-fields`,
    [
      /^any-catalogue fail .* work with ten-animals /m,
      /^runs ten-animals reference ten-animals (?!.*list-order=newest-first).*extra-response-fields=extra/m,
      /^any-extra-response-fields pass/m,
    ],
  ],
  'a page of another origin may read all answers, and its preflight is the request of a browser': [
    async (environment) => {
      const send = createSend(environment);
      const headers = { origin: 'http://localhost:3000' };
      await send({ method: 'OPTIONS', headers: { ...headers, ...withoutKey, 'access-control-request-method': 'GET' } });
      const answer = await send({ headers });
      expect(answer.status === 200 && answer.headers.has('access-control-allow-origin'), 'permission to read');
    },
    order,
    [/^exit code 0$/m, /^client-shown-only pass/m],
  ],
  'a client that gives up after a 429 is warned of that, and shows nothing about the forms of one': [
    browsing({ waitAfterRefusal: () => undefined }),
    forms,
    [
      /^exit code 0\nworks with 1 of 2, relies on 0$/m,
      /^client-goes-on warn .*: §8 says: A client that gets 429 waits and goes on;/m,
      /^any-list-order skipped/m,
      /^any-too-many-requests-body inconclusive .*; the client does not go on after a plain 429 either$/m,
    ],
  ],
  'a client that never repeats a creation is judged by its lists, and relies on no form of a 429': [
    async (environment) => {
      const once = createSend(environment, { waitAfterRefusal: () => undefined });
      expect((await once({ headers: withoutKey })).status === 401, '401');
      await once({ body: newPet(environment) });
      await lists(environment);
    },
    forms,
    [
      /^works with \d+ of \d+, relies on 0$/m,
      /^client-goes-on pass/m,
      /^any-retry-after-form pass/m,
      /^any-too-many-requests-body pass/m,
    ],
  ],
  'a client that ends well after a 429 without another request does not show that it goes on': [
    async ({ baseUrl, key, fetch }) =>
      void (await fetch(`${baseUrl}/pets`, { headers: { authorization: `Bearer ${key}` } })),
    'client-goes-on',
    [/^client-goes-on not-applicable .*; no request of the client shows it$/m],
  ],
  'that a client does not heed Remaining is observed, and breaks nothing': [
    browsing({ waitAfterAnswer: () => 0 }),
    'client-goes-on',
    [/^exit code 0$/m, /although X-RateLimit-Remaining is 0/],
  ],
  'a client that takes a Remaining of 0 for an error relies on nothing': [
    async (environment) => {
      const { status, headers } = await createSend(environment)({ body: newPet(environment) });
      expect(status === 201 && headers.get('x-ratelimit-remaining') !== '0', 'more requests');
    },
    'client-goes-on',
    // It only creates, so its creation gets the 429.
    [/^exit code 0\n.*relies on 0$/m, /^client-goes-on pass/m],
  ],
  'a client that heeds Remaining, and gives up after two refusals in a row, relies on nothing': [
    browsing({ waitAfterRefusal: (_retryAfter, attempt) => (attempt > 1 ? undefined : 1_100) }),
    'client-goes-on client-backs-off',
    [/^exit code 0\n.*relies on 0$/m, /^says (?!.*although X-RateL)/m, /^client-backs-off not-applicable/m],
  ],
  'a client that relies on getPet is warned, which counts as no reliance': [
    sending('GET /pets/1', '200 or 404'),
    'any-after-removal',
    [/^exit code 0\nworks with 1 of 2, relies on 0$/m, /^any-after-removal warn/m],
  ],
  // A request against the interface is a test of refusals only if the client notices another answer.
  'limit=500, for any answer': [sending('GET /pets?limit=500', ''), '', [/^client-limit-in-range fail/m, content]],
  'limit=500, refused or not': [
    sending('GET /pets?limit=500', '200 or 400 or 422'),
    '',
    [/^client-limit-in-range not-applicable/m, noticed],
  ],
  'a body that is invalid, for any answer but 201': [
    sending('POST /pets {"name":1,"categoryId":CATEGORY}', '200 or 400'),
    'client-values-in-range',
    [/^client-values-in-range not-applicable/m, noticed],
  ],
  'another path, for any answer': [
    sending('GET /stores', ''),
    '',
    [/^client-shown-only warn .*; such requests are refused, and the client goes on as if they were served$/m],
  ],
  'another path for any answer, and a parameter that is served': [
    async (run) => void [await sending('DELETE /pets/1', '')(run), await sending('GET /pets?page=2', '200')(run)],
    '',
    [/^client-shown-only fail/m],
  ],
  'a parameter that some services ignore, for any answer': [
    sending('GET /pets?page=2', ''),
    'any-unknown-query-parameters',
    [/^client-shown-only fail/m, content],
  ],
  'a test of refusals for which only one service gives a reason': [
    async (environment) => {
      const send = createSend(environment);
      const { headers, status } = await send({ path: '/pets?limit=1' });
      expect(status === 200, '200');
      if (headers.has('link')) expect((await send({ method: 'DELETE' })).status >= 400, 'a refusal');
    },
    'any-later-pages',
    [/^client-shown-only pass .*/m, noticed],
  ],
  'a key in the query that is refused for another reason is no test of a refusal': [
    sending('GET /pets?limit=500&api_key=KEY', '400'),
    'client-key-in-header',
    [/^client-key-in-header fail/m],
  ],
};

/** Options that run a client under the services of these requirements alone. The ids are separated by spaces. */
const underServicesOf = (ids: string) => ({ only: new Set(ids.split(' ') as ClientRequirementId[]) });

for (const [what, [run, ids, says]] of Object.entries(rows)) {
  test(what, async () => {
    const lines = linesOf(await explore(clientOf(run), ids === '' ? {} : underServicesOf(ids)));
    for (const pattern of says) assert.match(lines, pattern);
  });
}

test('with a profile, all services answer as it says, the first one included, and one that answers otherwise is tried', async () => {
  const newestFirst = creating(([first]) => first === 'own');
  const profile = { 'list-order': 'newest-first', 'page-cap': 'fewer', 'known-categories': 'refused-400' } as const;
  const options = { ...underServicesOf(`${order} any-page-cap any-known-categories`), profile };
  const lines = linesOf(await explore(clientOf(newestFirst), options));
  assert.match(lines, /^exit code 0\n.*\nruns ten-animals page-cap=fewer$/m);
  assert.match(lines, /^any-catalogue pass [1-9]/m);
});

// Runs that fail now and then, disturb each other, or are ended.

const onlyOrder = underServicesOf(order);

test('a client that begins to fail relies on nothing', async () => {
  const client = clientOf(lists);
  let count = 0;
  const runClient: RunClient = async (service, stop) => {
    count += 1;
    const run = await client(service, stop);
    return count > 1 ? { ...run, isPassed: false, ending: 'exit code 1' } : run;
  };
  const lines = linesOf(await explore(runClient, onlyOrder));
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
  const lines = linesOf(await explore(runClient, { concurrency: 3 }));
  assert.match(lines, /^exit code 0\n.*relies on 0$/m);
  assert.match(lines, /^says .*the client failed beside another run, and passed alone \(can .*\?\): exit code 98/m);
});

test('what is sent while an answer is held back does not depend on it', async () => {
  const client: Client = async ({ baseUrl, key }) => {
    const ask = () => fetch(`${baseUrl}/pets`, { headers: { authorization: `Bearer ${key}` } });
    await Promise.all([ask(), ask()]);
    return { isPassed: true, ending: 'success' };
  };
  const { exchanges } = await runOverSockets(client, () => 0)(refusalsTo()[0]!, new AbortController().signal);
  assert.is(exchanges.map(({ response }) => response?.status).join(), '429,429');
  assert.not.ok(judgeSent(exchanges).some(isFailing));
});

test('the number of runs that remain falls to none, repetitions included', async () => {
  const left: number[] = [];
  await explore(clientOf(oldestFirst), { ...onlyOrder, onRun: (_run, remaining) => left.push(remaining) });
  assert.equal(left, [0, 2, 1, 1, 1, 0]);
});

test('a client is only warned where the run that would show whether it tests refusals is not made', async () => {
  const stop = new AbortController();
  const options = { ...underServicesOf('client-limit-in-range'), signal: stop.signal, onRun: () => stop.abort() };
  const lines = linesOf(await explore(clientOf(sending('GET /pets?limit=500', '')), options));
  assert.match(lines, /^client-limit-in-range warn/m);
});

test('waits that are too short are one failure, however long each service asked to wait', async () => {
  const impatient = clientOf(browsing({ waitAfterRefusal: () => 600 }));
  const verdicts = judgeClient(await explore(impatient, underServicesOf('client-goes-on client-waits')));
  const { verdict, failures } = verdicts.find(({ id }) => id === 'client-waits')!;
  assert.equal([verdict, failures.map(({ failure }) => failure.code)], ['warn', ['too-soon']]);
});

test('of a client that fails without a cause of its own, no remark says what it left out', async () => {
  const { notes } = report(await explore(clientOf(sending('GET /pets', '404')), onlyOrder));
  assert.is(notes, undefined);
});

// README.md shows a reliance, its request and the service.
test('a run that fails shows what the client printed, and a broken requirement its request as a curl line', async () => {
  const client = clientOf(oldestFirst);
  const printing: RunClient = async (...all) => ({ ...(await client(...all)), printed: ['not a'] });
  const { client: ran, requirements } = report(await explore(printing, onlyOrder));
  assert.is(requirements.find(({ id }) => id === order)?.recheck, 'fails-again');
  const shown = ran?.services.filter(({ printed }) => printed !== undefined).map(({ id }) => id);
  assert.equal(shown, ['list-order=newest-first']);
  const broken = report(
    await explore(clientOf(sending('GET /pets?limit=500', '')), underServicesOf('client-limit-in-range')),
  );
  const [failure] = broken.requirements.flatMap((one) => one.failures);
  // The exchanges of all runs are numbered from 1.
  assert.equal([failure?.exchanges, broken.exchanges[0]?.number], [[1], 1]);
  const headers = `-H "Authorization: Bearer $PETSTORE_API_KEY" -H 'accept: */*' -H 'accept-language: *'`;
  assert.match(broken.notes?.join() ?? '', 'petstore-server answers the curl lines, with the key that it prints');
  assert.is(failure?.curl, `curl -i 'http://127.0.0.1:8080/v1/pets?limit=500' ${headers}`);
});

test.run();
