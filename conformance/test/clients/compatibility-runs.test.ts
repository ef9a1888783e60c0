/** Which services a client runs under, what it is blamed for, and what its report says. */

import { readFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { ClientRequirementId } from '../../../spec/client-requirements.ts';
import { createSend, expect, newPet, readPet, readPets } from '../../clients/polite-client.ts';
import { noHabits } from '../../clients/serve-variant.ts';
import { variantWith } from '../../clients/service-variant.ts';
import { plainLimits } from '../../clients/variations/rate-limits.ts';
import { slowAnswerMs } from '../../http/tolerances.ts';
import { reporters } from '../../reporters/index.ts';
import { sentenceOf } from '../../verdict/failure.ts';
import { reasonInWords } from '../../verdict/reasons.ts';
import { clientOf, expectsOrder, exploreOnly, idsOf, lists, type Run, report, signal, verdictIn } from './exploring.ts';

test('a client that fails with the reference server runs under no other, and cannot be judged', async () => {
  const made = await exploreOnly(() => Promise.reject(new Error('no')), ['any-list-order']);
  assert.is(made.runs.length, 1);
  const { exitCode, verdict, reason } = report(made);
  assert.equal([exitCode, verdict], [3, 'inconclusive']);
  assert.is(
    reasonInWords(reason),
    'The client fails with the reference server already: the error "no". Try it by hand: petstore-server --service reference.',
  );
});

test('a client that fails with the reference server because of its own invalid request breaks that requirement', async () => {
  const run: Run = async (environment) =>
    expect((await createSend(environment)({ body: { name: 1 } })).status === 201, '201');
  const made = report(await exploreOnly(run, ['any-list-order']));
  assert.equal([made.exitCode, verdictIn(made, 'client-values-in-range')?.verdict], [1, 'fail']);
  assert.match(
    reasonInWords(made.reason) ?? '',
    'The client fails with the reference server already: the error "expected 201", after 400 to createPet. ',
  );
});

test('a client that needs an animal is judged among those of other clients, which its report says', async () => {
  const reads =
    (fields: number): Run =>
    async (environment) => {
      const [first] = readPets(await createSend(environment)());
      expect(first !== undefined && Object.keys(first).length <= fields, 'an animal');
    };
  const made = await exploreOnly(reads(9), ['any-extra-response-fields']);
  assert.equal(idsOf(made).slice(0, 2), ['reference', 'catalogue: other-animals']);
  const { exitCode, reason, client } = report(made);
  assert.equal([exitCode, client?.worksWith, client?.ranWith], [0, 2, 3]);
  assert.match(
    reasonInWords(reason) ?? '',
    /^the client fails while the catalogue is empty: the error "expected an animal"/,
  );
  const strict = report(await exploreOnly(reads(4), ['any-extra-response-fields']));
  assert.equal([strict.exitCode, verdictIn(strict, 'any-extra-response-fields')?.verdict], [1, 'fail']);
  const never = report(await exploreOnly(reads(0), ['any-extra-response-fields']));
  assert.match(reasonInWords(never.reason) ?? '', /^The client fails with the reference server already/);
});

test('a client that sends nothing is not judged', async () => {
  const { exitCode, reason } = report(await exploreOnly(() => Promise.resolve(), ['any-list-order']));
  assert.equal([exitCode, reasonInWords(reason)], [3, 'The client sent no request to the service.']);
});

test('a client that works with every service conforms, and services that answer it alike need no run', async () => {
  const made = await exploreOnly(lists, ['any-list-order', 'any-location-header']);
  const shown = report(made);
  assert.is(shown.exitCode, 0);
  assert.equal(idsOf(made), [
    'reference',
    'catalogue: other-animals',
    'list-order: newest-first',
    'list-order: shuffled',
  ]);
  assert.equal(
    [verdictIn(shown, 'any-list-order')?.verdict, verdictIn(shown, 'any-list-order')?.evidence],
    ['pass', 2],
  );
  assert.is(verdictIn(shown, 'any-location-header')?.reason, 'the client sent nothing that it concerns');
  assert.is(verdictIn(shown, 'any-id-form')?.reason, 'the client did not run under the service variants that show it');
  assert.is(verdictIn(shown, 'any-key-scope')?.reason, 'no service variant differs in it');
});

test('an answer in which the question does not show is no evidence', async () => {
  const listsOne: Run = async (environment) =>
    void (await createSend(environment)({ path: '/pets?limit=1&status=sold' }));
  const made = report(await exploreOnly(listsOne, ['any-page-cap']));
  assert.equal(verdictIn(made, 'any-page-cap')?.verdict, 'not-applicable');
});

test('that a client ends well where it may give up is no evidence', async () => {
  const made = await exploreOnly(lists, ['client-remaining']);
  assert.equal(
    [idsOf(made).at(-1), verdictIn(report(made), 'client-remaining')?.reason],
    ['nothing remains', 'no request of the client shows it'],
  );
});

test('a client that ends well after a 429 without another request does not show that it goes on', async () => {
  const givesUp: Run = async ({ baseUrl, key, fetch }) =>
    void (await fetch(`${baseUrl}/pets`, { headers: { authorization: `Bearer ${key}` } }));
  const broken = verdictIn(report(await exploreOnly(givesUp, ['client-goes-on'])), 'client-goes-on');
  assert.equal(
    [broken?.verdict, broken?.reason],
    ['inconclusive', 'the client ended well after a 429, and sent the request no more'],
  );
  const goesOn = verdictIn(report(await exploreOnly(lists, ['client-goes-on'])), 'client-goes-on');
  assert.is(goesOn?.verdict, 'pass');
});

test('a service without getPet keeps the day of the client in X-RateLimit-Reset', async () => {
  const looksAtReset =
    (path: string): Run =>
    async (environment) => {
      const { headers } = await createSend(environment)({ path });
      const wait = Number(headers.get('x-ratelimit-reset')) * 1000 - environment.now();
      expect(wait >= 0 && wait <= 60_000, `a reset within a minute, received ${wait}`);
    };
  assert.equal(idsOf(await exploreOnly(looksAtReset('/pets'), ['any-after-removal'])), [
    'reference',
    'catalogue: other-animals',
  ]);
  const made = await exploreOnly(looksAtReset('/pets/1'), ['any-after-removal']);
  assert.is(idsOf(made).length, 5);
  assert.is(verdictIn(report(made), 'any-after-removal')?.verdict, 'pass');
});

test('a client that needs getPet relies on an operation that is removed', async () => {
  const reads: Run = async (environment) => {
    const send = createSend(environment);
    const path = `/pets/${readPet(await send({ body: newPet(environment) })).id}`;
    expect((await send({ path })).status === 200, '200');
  };
  const broken = verdictIn(report(await exploreOnly(reads, ['any-after-removal'])), 'any-after-removal');
  assert.is(broken?.verdict, 'warn');
  for (const failure of broken?.failures ?? []) {
    assert.match(failure.received, /: it relies on getPet, which is removed on 5 December 2030 \(§9\)$/);
  }
});

test('a client that uses a category of its own learns where it finds one that exists', async () => {
  const fixed: Run = async (environment) =>
    expect((await createSend(environment)({ body: { name: 'Rex', categoryId: 1 } })).status === 201, '201');
  const broken = verdictIn(report(await exploreOnly(fixed, ['any-known-categories'])), 'any-known-categories');
  assert.is(broken?.verdict, 'fail');
  assert.match(
    sentenceOf(broken!.failures[0]!),
    /: it relies on a category of its own, .* \(§2\): the variable PETSTORE_CATEGORY_ID holds one that exists$/,
  );
});

test('a client whose name some services refuse learns which name works with all of them', async () => {
  const named =
    (name: string): Run =>
    async (environment) =>
      expect((await createSend(environment)({ body: newPet(environment, name) })).status === 201, '201');
  const verdictOn = async (name: string) =>
    verdictIn(report(await exploreOnly(named(name), ['any-name-limits'])), 'any-name-limits');
  const broken = await verdictOn('Żółw');
  assert.is(broken?.verdict, 'fail');
  assert.match(sentenceOf(broken!.failures[0]!), /: it relies on a name that .* works with all services here$/);
  assert.is((await verdictOn('Rex the 2nd and his co-pilot'))?.verdict, 'not-applicable');
});

test('a client that a ban stops is reported as one that does not wait', async () => {
  const impatient: Run = async (environment) => {
    const send = createSend(environment, { waitAfterRefusal: (_asked, attempt) => (attempt > 40 ? undefined : 100) });
    expect((await send()).status === 200, '200');
  };
  const broken = verdictIn(report(await exploreOnly(impatient, ['any-ban'])), 'any-ban');
  assert.is(broken?.verdict, 'fail');
  assert.match(
    sentenceOf(broken!.failures[0]!),
    /: it does not wait, and repeated requests after a 429 may cause a ban \(§8\)$/,
  );
});

test('counts of requests are shown by requests with a key, and by refused ones', async () => {
  const scopes = ['any-limit-scope', 'any-refused-requests', 'any-key-scope'] as const;
  const evidenceOf = async (run: Run) => {
    const made = report(await exploreOnly(run, scopes));
    return scopes.map((id) => [verdictIn(made, id)?.verdict, verdictIn(made, id)?.evidence]);
  };
  assert.equal(await evidenceOf(lists), [
    ['pass', 1],
    ['not-applicable', 0],
    ['not-applicable', 0],
  ]);
  const getsUnknown: Run = async (environment) =>
    expect((await createSend(environment)({ path: '/pets/99' })).status === 404, '404');
  assert.equal(await evidenceOf(getsUnknown), [
    ['pass', 1],
    ['pass', 1],
    ['not-applicable', 0],
  ]);
});

test('an answer that a client relies on is named, with the service, the section and the requests that show it', async () => {
  const made = report(await exploreOnly(expectsOrder, ['any-list-order']));
  const broken = verdictIn(made, 'any-list-order');
  assert.is(made.exitCode, 1);
  assert.equal([broken?.verdict, broken?.recheck], ['fail', 'fails-again']);
  assert.is(broken?.failures[0]?.code, 'relies-on-an-answer');
  assert.equal([made.client?.reliesOn, made.client?.worksWith, made.client?.ranWith], [1, 2, 4]);
  assert.is(
    sentenceOf(broken!.failures[0]!),
    'expected the client to work with list-order: newest-first (In reverse order of creation.), received the error ' +
      '"expected a first": it relies on list-order: oldest-first, and the interface does not say so (§4.1)',
  );
  const [number] = broken?.failures[0]?.exchanges ?? [];
  const shown = made.exchanges.find((exchange) => exchange.number === number);
  assert.equal([shown?.check, shown?.operation], ['list-order: newest-first', 'listPets']);
  assert.is(broken?.failures[0]?.curl, "petstore-server --service 'list-order: newest-first'");
});

test('of many requests that a question concerns, the last three are shown', async () => {
  const run: Run = async (environment) => {
    for (let count = 0; count < 5; count += 1) await lists(environment);
    await expectsOrder(environment);
  };
  const made = await exploreOnly(run, ['any-list-order']);
  const shown = report(made);
  const numbers = verdictIn(shown, 'any-list-order')?.failures[0]?.exchanges;
  assert.equal(
    numbers?.map((number) => shown.timeline[number - 1]?.operation),
    ['listPets', 'listPets', 'listPets'],
  );
  const after = shown.timeline.filter(
    ({ number, check, operation }) =>
      number > numbers!.at(-1)! && check === shown.timeline[numbers!.at(-1)! - 1]?.check && operation === 'listPets',
  );
  assert.equal(after, []);
});

test('animals of other clients are a variation of their own, and no part of another one', async () => {
  const expectsOne: Run = async (environment) => {
    const send = createSend(environment);
    await send({ body: { name: 'a', categoryId: 4711 } });
    expect(readPets(await send()).length === 1, 'one animal');
  };
  const made = await exploreOnly(expectsOne, ['any-catalogue', 'any-list-order', 'any-extra-response-fields']);
  assert.equal(
    made.breakages.map(({ variations: own }) => own.map(({ id }) => id)),
    [['catalogue: other-animals']],
  );
  assert.ok(idsOf(made).includes('extra-response-fields: extra'));
  assert.not.ok(idsOf(made).includes('catalogue: full'));
  assert.equal(made.unexplained, []);
});

test('under a slow service, a request sent before an answer arrives counts as sent without knowing it', async () => {
  const [slow] = plainLimits;
  const habits = { ...noHabits, usual: [{ operation: 'listPets', nth: 1 }] } as const;
  const { exchanges } = await clientOf(lists)(variantWith([slow!]), habits, signal);
  assert.is(exchanges.length, 2);
  for (const { startedAt, endedAt } of exchanges) assert.is(endedAt - startedAt, slowAnswerMs);
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

test('a preflight is a request of the browser, not of the client', async () => {
  const run: Run = async (environment) => {
    const { fetch, baseUrl } = environment;
    const headers = { origin: 'http://localhost:3000', 'access-control-request-method': 'GET' };
    await fetch(`${baseUrl}/pets`, { method: 'OPTIONS', headers });
    await lists(environment);
  };
  const made = report(await exploreOnly(run, ['any-list-order']));
  assert.equal([made.exitCode, verdictIn(made, 'client-shown-only')?.verdict], [0, 'pass']);
});

test('a page of another origin runs under services that allow it', async () => {
  const page: Run = async (environment) => {
    const { fetch, baseUrl, key } = environment;
    const headers = { origin: 'http://localhost:3000', authorization: `Bearer ${key}` };
    const response = await fetch(`${baseUrl}/pets`, { headers });
    expect(response.headers.get('access-control-allow-origin') !== null, 'permission to read');
  };
  const made = await exploreOnly(page, ['any-list-order']);
  assert.is(report(made).exitCode, 0);
  assert.ok(made.runs.slice(1).every(({ variant }) => variant.gaps?.cors === 'any-origin'));
});

test('with a profile, all services answer as it says, the first one included', async () => {
  const only: readonly ClientRequirementId[] = ['any-list-order', 'any-page-cap', 'any-limit-out-of-range'];
  const profile = { 'list-order': 'newest-first', 'page-cap': 'as-asked', 'limit-out-of-range': 'clamped' };
  const asksForMany: Run = async (environment) => {
    await createSend(environment)();
    const { status, text } = await createSend(environment)({ path: '/pets?limit=1000' });
    expect(status === 200 && text.lastIndexOf('old-5') <= text.indexOf('old-4'), 'the newest first');
  };
  const made = await exploreOnly(asksForMany, only, { profile });
  assert.equal(idsOf(made), ['reference', 'catalogue: other-animals']);
  assert.equal(made.breakages, []);
  const capped = await exploreOnly(asksForMany, only, { profile: { ...profile, 'page-cap': 'fewer' } });
  assert.equal(idsOf(capped), ['reference', 'catalogue: other-animals', 'page-cap: fewer']);
});

test('a client is given a category that the service of a profile knows, and no other size is in question', async () => {
  const given: bigint[] = [];
  const creates: Run = async (environment) => {
    given.push(environment.categoryId);
    const { status } = await createSend(environment)({ body: newPet(environment) });
    expect(status === 201, '201');
  };
  for (const [choice, category] of [
    ['refused-400 3..7,12', 3n],
    ['refused-400 0..2147483647', 4_711n],
    ['accepted', 4_711n],
  ] as const) {
    const profile = { 'known-categories': choice, 'name-limits': 'other-length 64' };
    const made = await exploreOnly(creates, ['any-known-categories', 'any-name-limits'], { profile });
    assert.ok(made.reference.isPassed, choice);
    assert.equal([...new Set(given.splice(0))], [category], choice);
    assert.equal(
      idsOf(made).filter((id) => /known-categories|name-limits/.test(id)),
      [],
      choice,
    );
  }
});

test('an animal that is listed late is missed by the first look, however late that comes', async () => {
  const looksOnce: Run = async (environment) => {
    const send = createSend(environment);
    const { id } = readPet(await send({ body: newPet(environment) }));
    await environment.sleep(5_000);
    expect(
      readPets(await send()).some((pet) => pet.id === id),
      'the new animal',
    );
  };
  const made = await exploreOnly(looksOnce, ['any-visibility']);
  assert.is(verdictIn(report(made), 'any-visibility')?.verdict, 'fail');
});

test.run();
