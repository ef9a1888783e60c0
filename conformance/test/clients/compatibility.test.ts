/** Which services a client runs under, what it is blamed for, and what its report says. */

import { readFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { ClientRequirementId } from '../../../spec/client-requirements.ts';
import type { RunClient } from '../../clients/client-run.ts';
import { reporters } from '../../reporters/index.ts';
import { sentenceOf } from '../../verdict/failure.ts';
import { reason, reasonInWords } from '../../verdict/reasons.ts';
import { createSend, expect, newPet, readPet, readPets } from './examples/polite-client.ts';
import {
  clientOf,
  expectsOrder,
  explore,
  exploreOnly,
  idsOf,
  lists,
  type Run,
  report,
  verdictIn,
} from './exploring.ts';

test('a client that fails with the reference server runs under no other, and cannot be judged', async () => {
  const made = await exploreOnly(() => Promise.reject(new Error('no')), ['any-list-order']);
  assert.is(made.runs.length, 1);
  const { exitCode, verdict, reason: why } = report(made);
  assert.equal([exitCode, verdict], [3, 'inconclusive']);
  assert.is(
    reasonInWords(why),
    'The client fails with the reference server already: the error "no" before it sent a request. Try it by hand: petstore-server --service reference.',
  );
});

test('a client that fails with the reference server because of its own invalid request breaks that requirement', async () => {
  const run: Run = async (environment) =>
    expect((await createSend(environment)({ body: { name: 1 } })).status === 201, '201');
  const made = report(await exploreOnly(run, ['any-list-order']));
  assert.equal([made.exitCode, verdictIn(made, 'client-values-in-range')?.verdict], [1, 'fail']);
  assert.match(reasonInWords(made.reason) ?? '', 'the error "expected 201", after 400 to createPet. ');
});

test('a client that needs an animal is judged among those of other clients, which its report says', async () => {
  const reads =
    (fields: number): Run =>
    async (environment) => {
      const [first] = readPets(await createSend(environment)());
      expect(first !== undefined && Object.keys(first).length <= fields, 'an animal');
    };
  const made = await exploreOnly(reads(9), ['any-extra-response-fields']);
  assert.equal(idsOf(made), ['reference', 'ten-animals', 'extra-response-fields=extra']);
  const { exitCode, reason: why, client } = report(made);
  assert.equal([exitCode, client?.worksWith, client?.ranWith], [0, 2, 3]);
  assert.match(
    reasonInWords(why) ?? '',
    /^the client fails while the catalogue is empty: the error "expected an animal"/,
  );
  const strict = report(await exploreOnly(reads(4), ['any-extra-response-fields']));
  assert.equal([strict.exitCode, verdictIn(strict, 'any-extra-response-fields')?.verdict], [1, 'fail']);
  const never = report(await exploreOnly(reads(0), ['any-extra-response-fields']));
  assert.match(reasonInWords(never.reason) ?? '', /^The client fails with the reference server already/);
});

test('a client that sends nothing is not judged', async () => {
  const { exitCode, reason: why } = report(await exploreOnly(() => Promise.resolve(), ['any-list-order']));
  assert.equal([exitCode, reasonInWords(why)], [3, 'The client sent no request to the service.']);
});

test('services that answer a client like the reference need no run, and what it never used is said', async () => {
  const made = await exploreOnly(lists, ['any-list-order', 'any-location-header']);
  const shown = report(made);
  assert.is(shown.exitCode, 0);
  assert.equal(idsOf(made), ['reference', 'ten-animals', 'list-order=newest-first', 'list-order=shuffled']);
  const { verdict, evidence } = verdictIn(shown, 'any-list-order')!;
  assert.equal([verdict, evidence], ['pass', 2]);
  assert.is(verdictIn(shown, 'any-location-header')?.reason, 'the client sent nothing that it concerns');
  assert.is(verdictIn(shown, 'any-id-form')?.reason, 'the client did not run under the services that show it');
  assert.is(verdictIn(shown, 'any-key-scope')?.reason, 'no service differs in it');
  assert.is(reasonInWords(shown.reason), 'your command never used createPet and getPet');
});

test('an answer that a client relies on is named, with its service, the section and the requests that show it', async () => {
  const made = report(await exploreOnly(expectsOrder, ['any-list-order']));
  const broken = verdictIn(made, 'any-list-order');
  assert.equal([made.exitCode, broken?.verdict, broken?.recheck], [1, 'fail', 'fails-again']);
  assert.equal([made.client?.reliesOn, made.client?.worksWith, made.client?.ranWith], [1, 3, 4]);
  assert.is(
    sentenceOf(broken!.failures[0]!),
    'expected the client to work with list-order=newest-first (In reverse order of creation.), received the error ' +
      '"expected a first": it relies on list-order: oldest-first, and the interface does not say so (§4.1)',
  );
  const [number] = broken?.failures[0]?.exchanges ?? [];
  const shown = made.exchanges.find((exchange) => exchange.number === number);
  assert.equal([shown?.check, shown?.operation], ['list-order=newest-first', 'listPets']);
  assert.is(broken?.failures[0]?.curl, "petstore-server --service 'list-order=newest-first'");
  assert.match(reasonInWords(made.reason) ?? '', '--gaps PROFILE');
});

test('animals of other clients are a question of their own, and no part of another one', async () => {
  const expectsOne: Run = async (environment) => {
    const send = createSend(environment);
    await send({ body: { name: 'a', categoryId: 4711 } });
    expect(readPets(await send()).length === 1, 'one animal');
  };
  const made = await exploreOnly(expectsOne, ['any-catalogue', 'any-list-order', 'any-extra-response-fields']);
  assert.ok(made.reliances.some(({ service }) => service.id === 'ten-animals'));
  assert.ok(idsOf(made).includes('extra-response-fields=extra'));
  assert.not.ok(idsOf(made).includes('list-order=newest-first'));
  assert.equal(made.unexplained, []);
});

const creating =
  (name: string, own?: number): Run =>
  async (environment) => {
    const body = { ...newPet(environment, name), ...(own === undefined ? {} : { categoryId: own }) };
    expect((await createSend(environment)({ body })).status === 201, '201');
  };
const reading: Run = async (environment) => {
  const send = createSend(environment);
  const path = `/pets/${readPet(await send({ body: newPet(environment) })).id}`;
  expect((await send({ path })).status === 200, '200');
};
const impatient: Run = async (environment) => {
  const send = createSend(environment, { waitAfterRefusal: (_asked, attempt) => (attempt > 40 ? undefined : 100) });
  expect((await send()).status === 200, '200');
};

/** Requirement, client → its verdict, and what its failure says of the way out. */
const reliances: readonly (readonly [id: ClientRequirementId, run: Run, verdict: string, said?: RegExp])[] = [
  ['any-after-removal', reading, 'warn', /: it relies on getPet, which is removed on 5 December 2030 \(§9\)$/],
  ['any-known-categories', creating('Rex', 1), 'fail', /: the variable PETSTORE_CATEGORY_ID holds one that exists$/],
  ['any-name-limits', creating('Żółw'), 'fail', /: it relies on a name that .* works with all services here$/],
  ['any-name-limits', creating('Rex the 2nd and his co-pilot'), 'not-applicable'],
  ['any-ban', impatient, 'fail', /: it does not wait, and repeated requests after a 429 may cause a ban/],
];

test('what a client relies on is said with the way out', async () => {
  for (const [id, run, verdict, said = /^$/] of reliances) {
    const judged = verdictIn(report(await exploreOnly(run, [id])), id);
    assert.is(judged?.verdict, verdict, id);
    assert.match(judged?.failures[0]?.received ?? '', said);
  }
});

test('with a profile, all services answer as it says, the first one and the category included', async () => {
  const only: readonly ClientRequirementId[] = ['any-list-order', 'any-page-cap', 'any-known-categories'];
  const profile = { 'list-order': 'newest-first', 'page-cap': 'as-asked', 'known-categories': 'refused-400' };
  const creates: Run = async (environment) => {
    assert.is(environment.categoryId, 7n);
    expect((await createSend(environment)({ body: newPet(environment) })).status === 201, '201');
    expect(readPets(await createSend(environment)())[0]?.name === 'Rex', 'the newest first');
  };
  assert.equal(idsOf(await exploreOnly(creates, only, { profile })), ['reference', 'ten-animals']);
  const capped = await exploreOnly(creates, only, { profile: { ...profile, 'page-cap': 'fewer' } });
  assert.equal(idsOf(capped), ['reference', 'ten-animals', 'page-cap=fewer']);
});

test('a page of another origin may read all answers, and its preflight is the request of a browser', async () => {
  const page: Run = async (environment) => {
    const { fetch, baseUrl, key } = environment;
    const headers = { origin: 'http://localhost:3000' };
    const preflight = { ...headers, 'access-control-request-method': 'GET' };
    await fetch(`${baseUrl}/pets`, { method: 'OPTIONS', headers: preflight });
    const response = await fetch(`${baseUrl}/pets`, { headers: { ...headers, authorization: `Bearer ${key}` } });
    expect(response.headers.get('access-control-allow-origin') !== null, 'permission to read');
  };
  const made = await exploreOnly(page, ['any-list-order']);
  assert.equal([report(made).exitCode, verdictIn(report(made), 'client-shown-only')?.verdict], [0, 'pass']);
});

// A client that is refused with a 429.

const forms: readonly ClientRequirementId[] = ['client-goes-on', 'any-retry-after-form', 'any-too-many-requests-body'];

test('a client that gives up after every 429 is warned of that, since it shows nothing about the forms of one', async () => {
  const run: Run = async (environment) => {
    const send = createSend(environment, { waitAfterRefusal: () => undefined });
    for (let count = 0; count < 3; count += 1) await send();
  };
  const made = report(await exploreOnly(run, forms));
  const { verdict, failures = [] } = verdictIn(made, 'client-goes-on') ?? {};
  assert.equal([made.exitCode, verdict, made.client?.reliesOn], [0, 'warn', 0]);
  assert.match(sentenceOf(failures[0]!), /: §8 says: A client that gets 429 waits and goes on$/);
  assert.equal(
    forms.slice(1).map((id) => verdictIn(made, id)?.reason),
    Array(2).fill('the client does not go on after any 429'),
  );
});

test('a client that never repeats a creation is judged by its lists, and relies on no form of a 429', async () => {
  const run: Run = async (environment) => {
    const once = createSend(environment, { waitAfterRefusal: () => undefined });
    await once({ body: { name: 'a', categoryId: 4711 } });
    await createSend(environment)();
  };
  const made = await exploreOnly(run, forms);
  assert.equal([made.reliances, made.givesUpAt.map(({ id }) => id)], [[], ['429-to-createPet']]);
  const shown = report(made);
  assert.equal(
    forms.map((id) => verdictIn(shown, id)?.verdict),
    ['pass', 'pass', 'pass'],
  );
  assert.is(verdictIn(shown, 'client-goes-on')?.reason, 'the client gives up after 429-to-createPet');
});

test('a client that ends well after a 429 without another request does not show that it goes on', async () => {
  const once: Run = async ({ baseUrl, key, fetch }) =>
    void (await fetch(`${baseUrl}/pets`, { headers: { authorization: `Bearer ${key}` } }));
  const { verdict, reason: why } = verdictIn(report(await exploreOnly(once, ['client-goes-on'])), 'client-goes-on')!;
  assert.equal([verdict, why], ['inconclusive', 'the client ended well after a 429, and sent the request no more']);
});

test('a client that reads the body of a 429 as an Error relies on that, whether it asks again or goes on', async () => {
  const reading =
    (isAskingAgain: boolean): Run =>
    async ({ baseUrl, key, fetch, sleep }) => {
      for (const status of ['available', 'pending', 'sold']) {
        for (;;) {
          const response = await fetch(`${baseUrl}/pets?status=${status}`, {
            headers: { authorization: `Bearer ${key}` },
          });
          const data: unknown = JSON.parse(await response.text());
          if (Array.isArray(data) || !isAskingAgain) break;
          await sleep(6_000);
        }
      }
    };
  for (const isAskingAgain of [true, false]) {
    const made = await exploreOnly(reading(isAskingAgain), forms);
    assert.ok(
      made.reliances.some(({ service }) => service.id === 'too-many-requests-body=html'),
      String(isAskingAgain),
    );
  }
});

test('that a client does not heed Remaining is observed, and breaks nothing', async () => {
  for (const [waitMs, isObserved] of [
    [0, true],
    [2_000, false],
  ] as const) {
    const run: Run = async (environment) => {
      for (let count = 0; count < 2; count += 1) await createSend(environment, { waitAfterAnswer: () => waitMs })();
    };
    const made = report(await exploreOnly(run, ['client-goes-on']));
    assert.is(made.exitCode, 0);
    assert.is(/although X-RateLimit-Remaining is 0/.test(reasonInWords(made.reason) ?? ''), isObserved);
  }
});

// Requests that break the interface.

/** The verdict on a requirement for a client that sends one request, and expects an answer by its status. */
async function verdictOnOne(id: ClientRequirementId, path: string, isExpected: (status: number) => boolean) {
  const run: Run = async (environment) => {
    expect(isExpected((await createSend(environment)({ path })).status), 'another status');
    await lists(environment);
  };
  const { verdict, reason: why } = verdictIn(report(await explore(clientOf(run))), id)!;
  return [verdict, why?.split(':')[0]];
}

test('a request against the interface is a test of refusals only if the client notices another answer', async () => {
  const anything = (): boolean => true;
  const content = 'the client is content whether such requests are refused, served or fail';
  const noticed = 'the client sent requests against it, was refused, and would notice if it were not';
  const withStatus = (...all: readonly number[]) => all.includes.bind(all);
  for (const [id, path, isExpected, ...expected] of [
    ['client-limit-in-range', '/pets?limit=500', anything, 'fail', content],
    ['client-limit-in-range', '/pets?limit=500', withStatus(200, 400, 422), 'not-applicable', noticed],
    ['client-limit-in-range', '/pets?limit=500', (status: number) => status >= 400, 'not-applicable', noticed],
    ['client-status-known', '/pets?status=undefined', anything, 'fail', content],
    ['client-shown-only', '/pets?page=2', anything, 'fail', content],
    [
      'client-shown-only',
      '/stores',
      anything,
      'warn',
      'such requests are refused, and the client goes on as if they were served',
    ],
    ['client-shown-only', '/stores', (status: number) => status >= 400, 'pass', noticed],
  ] as const) {
    assert.equal(await verdictOnOne(id, path, isExpected), expected, `${path}, ${isExpected}`);
  }
});

test('a category as text and a request without a key are warnings, with the request', async () => {
  const careless: Run = async (environment) => {
    const send = createSend(environment);
    await send({ body: { name: 'Rex', categoryId: '7' } });
    await lists(environment);
    await createSend(environment, { credential: () => ({}), waitAfterAnswer: () => 0 })();
  };
  const made = report(await exploreOnly(careless, ['client-key-in-header']));
  for (const [id, code] of [
    ['client-values-in-range', 'categoryId-outside'],
    ['client-key-in-header', 'no-key'],
  ] as const) {
    const { verdict, failures } = verdictIn(made, id)!;
    assert.equal([verdict, failures.map((one) => one.code)], ['warn', [code]]);
    assert.is(failures[0]?.exchanges.length, 1);
  }
});

test('a key in the query that is refused for another reason is no test of a refusal', async () => {
  const misplaces: Run = async ({ fetch, baseUrl, key }) => {
    await fetch(`${baseUrl}/pets?limit=500&api_key=${key}`, { headers: { authorization: `Bearer ${key}` } });
  };
  const judged = report(await exploreOnly(misplaces, ['client-key-in-header']));
  assert.is(verdictIn(judged, 'client-key-in-header')?.verdict, 'fail');
});

// Runs that fail now and then, disturb each other, or are ended.

/** A client that fails in some of its runs, counted from 1. */
function failingIn(isFailing: (count: number) => boolean): RunClient {
  let count = 0;
  const client = clientOf(lists);
  return async (service, all, stop) => {
    count += 1;
    const run = await client(service, all, stop);
    return isFailing(count) ? { ...run, isPassed: false, ending: 'exit code 1' } : run;
  };
}

for (const [what, isFailing, why, words] of [
  ['once', (count: number) => count === 3, 'passed-again', 'failed beside another run, and passed when it ran alone'],
  ['from some moment on', (count: number) => count >= 4, 'fails-without', 'failed, and later without it, too'],
] as const) {
  test(`a client that fails ${what} relies on nothing`, async () => {
    const made = await explore(failingIn(isFailing), { only: new Set(['any-list-order']) });
    assert.equal([made.reliances, made.unexplained.map((one) => one.why)], [[], [why]]);
    assert.match(reasonInWords(report(made).reason) ?? '', `the client ${words}: exit code 1`);
  });
}

test('a client that cannot run beside itself, since it listens on a fixed port, relies on nothing', async () => {
  const client = clientOf(lists);
  let isTaken = false;
  const runClient: RunClient = async (service, all, stop) => {
    if (isTaken) return { ...(await client(service, all, stop)), isPassed: false, ending: 'exit code 98' };
    isTaken = true;
    await new Promise(setImmediate);
    return client(service, all, stop).finally(() => {
      isTaken = false;
    });
  };
  const made = await explore(runClient, { concurrency: 3 });
  assert.equal([made.reliances, report(made).exitCode], [[], 0]);
});

test('the client runs as often as the bound allows, and each failure is confirmed or said not to be', async () => {
  for (const maxRuns of [1, 2, 3, 6, 12, 40]) {
    const made = await explore(clientOf(expectsOrder), { maxRuns });
    assert.ok(made.runs.length <= maxRuns, `${made.runs.length} of ${maxRuns}`);
    const isFailing = made.runs.some(({ isPassed, service }) => !isPassed && /^list-order/.test(service.id));
    const shown = report(made);
    const words = reasonInWords(shown.reason) ?? '';
    if (maxRuns === 6) assert.match(words, /\d+ services that would answer it differently had no run \(--runs\)/);
    const { verdict } = verdictIn(shown, 'any-list-order')!;
    assert.ok(!isFailing || verdict === 'fail' || verdict === 'inconclusive', `${maxRuns}: ${verdict}`);
  }
});

test('the number of runs that remain falls to none', async () => {
  const left: number[] = [];
  await exploreOnly(lists, ['any-list-order'], { onRun: (_run, remaining) => left.push(remaining) });
  assert.equal(left, [0, 0, 1, 0]);
});

test('a client that is run to its end too early is blamed for nothing', async () => {
  const stop = new AbortController();
  const client = clientOf(lists);
  const runClient: RunClient = async (service, all, ending) => {
    const run = await client(service, all, ending);
    if (service.id === 'reference') return run;
    stop.abort();
    return { ...run, isPassed: false, ending: 'its end by SIGKILL' };
  };
  const made = await explore(runClient, { signal: stop.signal });
  assert.equal([made.reliances, made.isEnded, made.runs.length], [[], true, 2]);
  const ended = reason('overdue', {});
  const over = report(made, ended);
  assert.equal([over.exitCode, over.reason], [3, ended]);
});

test('a report of a client is one of the kit, to its schema and to every reporter', async () => {
  const made = report(await exploreOnly(expectsOrder, ['any-list-order']));
  const schema = JSON.parse(readFileSync(new URL('../../report.schema.json', import.meta.url), 'utf8')) as object;
  const ajv = new Ajv2020({ strict: false });
  (formats as unknown as (to: Ajv2020) => void)(ajv);
  const isValid = ajv.compile(schema);
  assert.ok(isValid(JSON.parse(reporters.json(made))), JSON.stringify(isValid.errors));
  for (const [name, render] of Object.entries(reporters)) {
    if (name !== 'profile') assert.match(render(made), 'any-list-order', name);
  }
});

test.run();
