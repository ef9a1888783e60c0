/** Which services a client runs under, what it is blamed for, and what its report says. */

import { readFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { ClientRequirementId } from '../../../spec/client-requirements.ts';
import { defined } from '../../../spec/defined.ts';
import type { RunClient } from '../../clients/client-run.ts';
import { type CompatibilityRuns, runCompatibility } from '../../clients/compatibility-runs.ts';
import { type ExampleClient, simulate } from '../../clients/example-client.ts';
import type { CompatibilityOptions } from '../../clients/exploration.ts';
import { createSend, expect, newPet, readPet, readPets } from '../../clients/polite-client.ts';
import { reportClient } from '../../clients/report-client.ts';
import { noHabits } from '../../clients/serve-variant.ts';
import { variantWith } from '../../clients/service-variant.ts';
import { drawCombination, plainVariations } from '../../clients/variations/index.ts';
import { plainLimits } from '../../clients/variations/rate-limits.ts';
import { slowAnswerMs } from '../../http/tolerances.ts';
import { reporters } from '../../reporters/index.ts';
import type { Report } from '../../verdict/report.ts';

type Run = ExampleClient['run'];

const { signal } = new AbortController();

function clientOf(run: Run): RunClient {
  return simulate({ id: 'x', run });
}

function explore(runClient: RunClient, options: Partial<CompatibilityOptions> = {}): Promise<CompatibilityRuns> {
  return runCompatibility({ runClient, maxRuns: 200, seed: 1, concurrency: 1, signal, ...options });
}

function exploreOnly(run: Run, only: readonly ClientRequirementId[], options: Partial<CompatibilityOptions> = {}) {
  return explore(clientOf(run), { only: new Set(only), ...options });
}

function report(made: CompatibilityRuns, ended?: string): Report {
  const input = { made, command: ['npm', 'test'], seed: 1, startedAt: 0, endedAt: 1_000, scope: 'failures' } as const;
  return reportClient(defined({ ...input, ended }));
}

function verdictIn({ requirements }: Report, id: ClientRequirementId) {
  return requirements.find((one) => one.id === id);
}

function idsOf({ runs }: CompatibilityRuns): readonly string[] {
  return runs.map(({ variant }) => variant.id);
}

const lists: Run = async (environment) => expect((await createSend(environment)()).status === 200, '200');

test('a client that fails with the reference server runs under no other, and cannot be judged', async () => {
  const made = await exploreOnly(() => Promise.reject(new Error('no')), ['any-list-order']);
  assert.is(made.runs.length, 1);
  const { exitCode, verdict, reason } = report(made);
  assert.equal([exitCode, verdict], [3, 'inconclusive']);
  assert.is(
    reason,
    'the client fails with the reference server already: the error "no". Try it by hand: petstore-conformance client --serve reference',
  );
});

test('a client that fails with the reference server because of its own invalid request breaks that requirement', async () => {
  const run: Run = async (environment) =>
    expect((await createSend(environment)({ body: { name: 1 } })).status === 201, '201');
  const made = report(await exploreOnly(run, ['any-list-order']));
  assert.equal([made.exitCode, verdictIn(made, 'client-values-in-range')?.verdict], [1, 'fail']);
  assert.match(made.reason ?? '', 'the client fails with the reference server already');
});

test('a client that sends nothing is not judged', async () => {
  const { exitCode, reason } = report(await exploreOnly(() => Promise.resolve(), ['any-list-order']));
  assert.equal([exitCode, reason], [3, 'the client sent no request to the service']);
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

const expectsOrder: Run = async (environment) => {
  const send = createSend(environment);
  for (const name of ['a', 'b']) await send({ body: { name, categoryId: 4711 } });
  const names = readPets(await send({ path: '/pets?limit=100' })).map(({ name }) => name);
  expect(names.indexOf('a') < names.indexOf('b'), 'a first');
};

test('an answer that a client relies on is named, with the service, the section and the requests that show it', async () => {
  const made = report(await exploreOnly(expectsOrder, ['any-list-order']));
  const broken = verdictIn(made, 'any-list-order');
  assert.is(made.exitCode, 1);
  assert.equal([broken?.verdict, broken?.recheck], ['fail', 'fails-again']);
  assert.is(broken?.failures[0]?.code, 'relies-on-an-answer');
  assert.equal([made.client?.reliesOn, made.client?.worksWith, made.client?.ranWith], [1, 2, 4]);
  assert.is(
    broken?.failures[0]?.message,
    'expected the client to work with list-order: newest-first (In reverse order of creation.), received the error ' +
      '"expected a first": it relies on list-order: oldest-first, and the interface does not say so (§4.1)',
  );
  const [number] = broken?.failures[0]?.exchanges ?? [];
  const shown = made.exchanges.find((exchange) => exchange.number === number);
  assert.equal([shown?.check, shown?.operation], ['list-order: newest-first', 'listPets']);
  assert.is(broken?.failures[0]?.curl, "petstore-conformance client --serve 'list-order: newest-first'");
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
    const subject = { badge: 'legal services', har: 'client: npm test' }[name] ?? 'any-list-order';
    assert.match(render(made), subject, name);
  }
});

/** A client that fails in some of its runs, counted from 1. */
function failingIn(isFailing: (count: number, variant: string) => boolean): RunClient {
  let count = 0;
  const client = clientOf(lists);
  return async (variant, habits, stop) => {
    count += 1;
    const run = await client(variant, habits, stop);
    return isFailing(count, variant.id) ? { ...run, isPassed: false, ending: 'exit code 1' } : run;
  };
}

test('a client that fails twice of three times with a service, and never without, is reported as flaky', async () => {
  const outcomes = [true, false, true].values();
  const client = failingIn((_count, variant) => variant === 'list-order: shuffled' && outcomes.next().value === true);
  const broken = verdictIn(report(await explore(client, { only: new Set(['any-list-order']) })), 'any-list-order');
  assert.equal([broken?.verdict, broken?.recheck], ['fail', 'flaky']);
});

test('a client that fails once, and then no more, relies on nothing', async () => {
  const made = await explore(
    failingIn((count) => count === 3),
    { only: new Set(['any-list-order']) },
  );
  assert.equal([made.breakages.length, made.unexplained.map(({ why }) => why)], [0, ['passed-again']]);
  const { exitCode, reason } = report(made);
  assert.is(exitCode, 0);
  assert.is(reason, 'with list-order: newest-first the client failed once and passed when it ran again: exit code 1');
});

test('a client that fails once while other runs are under way is said to disturb itself', async () => {
  const made = await explore(
    failingIn((count, variant) => count === 5 && variant !== 'reference'),
    { only: new Set(['any-list-order', 'any-id-form']), concurrency: 2 },
  );
  assert.equal([made.breakages, made.unexplained, made.isDisturbedByItself], [[], [], true]);
});

test('a client that from some moment on fails with every service relies on nothing', async () => {
  const made = await explore(
    failingIn((count) => count >= 4),
    { only: new Set(['any-list-order']) },
  );
  assert.equal([made.breakages.length, made.unexplained.map(({ why }) => why)], [0, ['fails-without']]);
  assert.match(report(made).reason ?? '', 'the client failed, and later without it, too: exit code 1');
});

/** A client that cannot run while another run of it is under way, as one that listens on a fixed port. */
function withFixedPort(run: Run): RunClient {
  const client = clientOf(run);
  let isTaken = false;
  return async (variant, habits, stop) => {
    if (isTaken) return { ...(await client(variant, habits, stop)), isPassed: false, ending: 'exit code 98' };
    isTaken = true;
    await new Promise(setImmediate);
    return client(variant, habits, stop).finally(() => {
      isTaken = false;
    });
  };
}

test('a client that disturbs itself runs one at a time, relies on nothing, and learns why', async () => {
  const made = await explore(withFixedPort(lists), { concurrency: 3, maxRuns: 60 });
  assert.equal([made.breakages, made.isDisturbedByItself], [[], true]);
  const { exitCode, reason } = report(made);
  assert.is(exitCode, 0);
  assert.match(
    reason ?? '',
    /while another run of it was under way \(does it listen on a fixed port\?\).*--concurrency 1$/,
  );
  assert.is((await explore(clientOf(lists), { concurrency: 3, maxRuns: 60 })).isDisturbedByItself, false);
});

/** A client that fails only with two answers together. */
const rejectsTwo: Run = async (environment) => {
  const created = await createSend(environment)({ body: { name: 'a', categoryId: 4711, status: 'sold' } });
  expect(!(created.headers.has('location') && created.text.includes('"kind"')), 'not both');
};

test('a combination that breaks a client is narrowed, and its cause is left out of later combinations', async () => {
  const made = await explore(clientOf(rejectsTwo), { maxRuns: 150 });
  assert.is(made.breakages.length, 1);
  const both = ['extra-response-fields: extra', 'location-header: sent'];
  assert.equal(made.breakages[0]?.variations.map(({ id }) => id).sort(), both);
  const after = made.runs.slice(made.runs.indexOf(made.breakages[0]!.run) + 1);
  for (const { variant } of after) {
    assert.not.ok(
      both.every((id) => variant.variations.some((one) => one.id === id)),
      variant.id,
    );
  }
  const shown = report(made);
  for (const id of ['any-location-header', 'any-extra-response-fields'] as const) {
    assert.match(
      verdictIn(shown, id)?.failures[0]?.message ?? '',
      'it relies on extra-response-fields: none, and the interface does not say so (§2); it relies on location-header: none',
    );
    assert.is(verdictIn(shown, id)?.failures[0]?.code, 'relies-on-answers');
  }
});

test('the client runs as often as the bound allows, whatever the runs are for', async () => {
  for (const maxRuns of [1, 2, 3, 12, 40]) {
    for (const run of [lists, expectsOrder, rejectsTwo]) {
      const made = await explore(clientOf(run), { maxRuns });
      assert.ok(made.runs.length <= maxRuns, `${made.runs.length} of ${maxRuns}`);
    }
  }
});

test('a few runs keep enough back to confirm each failure', async () => {
  const made = await explore(clientOf(expectsOrder), { only: new Set(['any-list-order']), maxRuns: 6 });
  assert.equal(
    made.breakages.map(({ run }) => run.variant.id),
    ['list-order: newest-first'],
  );
});

test('a combination repeats no variation that breaks the client alone', async () => {
  const made = await explore(clientOf(expectsOrder), { maxRuns: 100 });
  const combinations = made.runs.filter(({ variant }) => variant.id.startsWith('combination'));
  assert.ok(combinations.length > 5, String(combinations.length));
  for (const { variant } of combinations) {
    assert.not.ok(variant.variations.some(({ id }) => id === 'list-order: newest-first'));
  }
});

test('a client that is run to its end too early is blamed for nothing', async () => {
  const stop = new AbortController();
  const client = clientOf(lists);
  const runClient: RunClient = async (variant, habits, ending) => {
    const run = await client(variant, habits, ending);
    if (variant.id === 'reference') return run;
    stop.abort();
    return { ...run, isPassed: false, ending: 'its end by SIGKILL' };
  };
  const made = await explore(runClient, { signal: stop.signal });
  assert.equal([made.breakages, made.isEnded, made.runs.length], [[], true, 2]);
  const { exitCode, reason } = report(made, 'The deadline has passed.');
  assert.equal([exitCode, reason], [3, 'The deadline has passed.']);
});

const forms: readonly ClientRequirementId[] = ['client-goes-on', 'any-retry-after-form', 'any-too-many-requests-body'];

test('a client that gives up after every 429 is warned of that, since it shows nothing about the forms of one', async () => {
  const run: Run = async (environment) => {
    const send = createSend(environment, { waitAfterRefusal: () => undefined });
    for (let count = 0; count < 3; count += 1) await send();
  };
  const made = report(await exploreOnly(run, forms));
  assert.is(made.exitCode, 0);
  assert.is(verdictIn(made, 'client-goes-on')?.verdict, 'warn');
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
  assert.equal([made.breakages, made.givesUpAt.map(({ id }) => id)], [[], ['429 to createPet']]);
  const shown = report(made);
  assert.equal(
    forms.map((id) => verdictIn(shown, id)?.verdict),
    ['pass', 'pass', 'pass'],
  );
  assert.is(verdictIn(shown, 'client-goes-on')?.reason, 'the client gives up after 429 to createPet');
});

test('a test of refusals is noted and breaks nothing', async () => {
  const run: Run = async (environment) => {
    const send = createSend(environment);
    expect((await send({ body: { name: 1 } })).status === 400, '400');
    await lists(environment);
  };
  const made = report(await explore(clientOf(run), { maxRuns: 80 }));
  assert.is(made.exitCode, 0);
  const { verdict, reason } = verdictIn(made, 'client-values-in-range')!;
  assert.is(verdict, 'not-applicable');
  assert.match(reason ?? '', /^the client sent \d+ requests against it, was refused and went on: a test of refusals$/);
});

test('a test of refusals stays one where only the form of a refusal makes the client fail', async () => {
  const run: Run = async (environment) => {
    const { status, text } = await createSend(environment)({ body: { name: 'Rex' } });
    expect(status === 400, '400');
    expect(text.includes('"invalid_request"'), 'invalid_request');
  };
  const made = report(await exploreOnly(run, ['any-error-codes', 'client-required-fields']));
  assert.is(verdictIn(made, 'any-error-codes')?.verdict, 'fail');
  assert.is(verdictIn(made, 'client-required-fields')?.verdict, 'not-applicable');
});

test('an invalid request whose refusal is taken for granted breaks the requirement', async () => {
  const run: Run = async (environment) =>
    expect((await createSend(environment)({ path: '/pets?limit=0' })).status === 400, '400');
  const made = report(await explore(clientOf(run), { maxRuns: 80 }));
  assert.is(verdictIn(made, 'client-limit-in-range')?.verdict, 'fail');
  assert.is(verdictIn(made, 'any-limit-out-of-range')?.verdict, 'fail');
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

test('one seed draws one sequence of combinations', () => {
  assert.equal(drawCombination(9, plainVariations), drawCombination(9, plainVariations));
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

test('a failure is confirmed before the runs are spent on forms of a 429; one that is not confirmed is told', async () => {
  const relies: Run = async (environment) => {
    const pets = readPets(await createSend(environment)());
    expect(String(pets.map(({ name }) => name)) === String(pets.map(({ name }) => name).toSorted()), 'a sorted page');
  };
  for (const maxRuns of [8, 14, 20, 30, 40]) {
    const made = await explore(clientOf(relies), { maxRuns });
    const judged = report(made);
    const isFailing = made.runs.some(({ isPassed, variant }) => !isPassed && /^list-order/.test(variant.id));
    const { verdict } = verdictIn(judged, 'any-list-order')!;
    assert.ok(!isFailing || verdict === 'fail' || verdict === 'inconclusive', `${maxRuns}: ${verdict}`);
    if (maxRuns > 25) assert.is(verdict, 'fail', String(maxRuns));
  }
});

test('a client that gives up after a 429 relies on no answer', async () => {
  const givesUp: Run = async ({ fetch, baseUrl, key }) => {
    const { status } = await fetch(`${baseUrl}/pets`, { headers: { authorization: `Bearer ${key}` } });
    expect(status === 200, '200');
  };
  const judged = report(await explore(clientOf(givesUp), { maxRuns: 60 }));
  assert.is(judged.client?.reliesOn, 0);
  const { verdict, failures = [] } = verdictIn(judged, 'client-goes-on') ?? {};
  assert.is(verdict, 'warn');
  assert.match(failures[0]?.message ?? '', /exit|error .*: §8 says: A client that gets 429 waits and goes on/);
});

test('a key in the query that is refused for another reason is no test of a refusal', async () => {
  const misplaces: Run = async ({ fetch, baseUrl, key }) => {
    await fetch(`${baseUrl}/pets?limit=500&api_key=${key}`, { headers: { authorization: `Bearer ${key}` } });
  };
  const judged = report(await exploreOnly(misplaces, ['client-key-in-header']));
  assert.is(verdictIn(judged, 'client-key-in-header')?.verdict, 'fail');
});

test.run();
