/** How a client is led through worlds, what breaks it, and what a report says of that. */

import { readFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { ClientRequirementId } from '../../../spec/client-requirements.ts';
import type { Attempt } from '../../clients/attempt.ts';
import { runClient } from '../../clients/client-run.ts';
import { type CompatibilityOptions, type CompatibilityRuns, runCompatibility } from '../../clients/compatibility.ts';
import { attemptOf } from '../../clients/example.ts';
import { createAsk, expect, petsIn } from '../../clients/polite.ts';
import { reportClient } from '../../clients/report-client.ts';
import { variantWith } from '../../clients/service-variant.ts';
import { combination, variations } from '../../clients/variations/index.ts';
import { slowAnswerMs } from '../../http/tolerances.ts';
import { reporters } from '../../reporters/index.ts';
import type { Report } from '../../verdict/report.ts';

type Run = Parameters<typeof attemptOf>[0]['run'];

/** Nothing ends a tour before its end. */
const { signal } = new AbortController();

function tour(attempt: Attempt, options: Partial<CompatibilityOptions> = {}): Promise<CompatibilityRuns> {
  return runCompatibility({ attempt, worlds: 200, seed: 1, lanes: 4, signal, ...options });
}

function tourOf(
  run: Run,
  only: readonly ClientRequirementId[],
  options: Partial<CompatibilityOptions> = {},
): Promise<CompatibilityRuns> {
  return tour(attemptOf({ id: 'x', title: 'x', run }), { only: new Set(only), ...options });
}

function report(made: CompatibilityRuns, ended?: string): Report {
  return reportClient({
    tour: made,
    command: ['npm', 'test'],
    seed: 1,
    startedAt: 0,
    endedAt: 1_000,
    scope: 'failures',
    ...(ended === undefined ? {} : { ended }),
  });
}

function verdictIn({ requirements }: Report, id: ClientRequirementId) {
  return requirements.find((one) => one.id === id);
}

const lists: Run = async (given) => expect((await createAsk(given)()).status === 200, '200');

test('a client that fails with the reference server is led no further, and cannot be judged', async () => {
  const made = await tourOf(() => Promise.reject(new Error('no')), ['any-list-order']);
  assert.is(made.runs.length, 1);
  const { exitCode, verdict, reason } = report(made);
  assert.equal([exitCode, verdict], [3, 'inconclusive']);
  assert.is(reason, 'the client fails with the reference server already: the error "no"');
});

test('a client that sends nothing is not judged', async () => {
  const { exitCode, reason } = report(await tourOf(() => Promise.resolve(), ['any-list-order']));
  assert.equal([exitCode, reason], [3, 'the client sent no request to PETSTORE_BASE_URL']);
});

test('one that works everywhere conforms, and nothing is said of worlds that were not visited', async () => {
  const made = await tourOf(lists, ['any-list-order', 'any-location-header']);
  const told = report(made);
  assert.is(told.exitCode, 0);
  assert.equal(
    made.runs.map(({ variant: world }) => world.id),
    ['reference', 'list-order: newest-first', 'list-order: shuffled', 'location-header: sent'],
  );
  assert.equal([verdictIn(told, 'any-list-order')?.verdict, verdictIn(told, 'any-list-order')?.evidence], ['pass', 2]);
  assert.is(verdictIn(told, 'any-location-header')?.verdict, 'not-applicable');
  assert.is(verdictIn(told, 'any-id-form')?.reason, 'its worlds were not visited');
  assert.is(verdictIn(told, 'any-key-scope')?.reason, 'no world differs in it');
  assert.is(told.requests, 4);
});

test('how requests are counted is borne out by those that are: with a key, and refused', async () => {
  const scopes = ['any-limit-scope', 'any-refused-requests', 'any-key-scope'] as const;
  const evidenceOf = async (run: Run) => {
    const told = report(await tourOf(run, scopes));
    return scopes.map((id) => [verdictIn(told, id)?.verdict, verdictIn(told, id)?.evidence]);
  };
  assert.equal(await evidenceOf(lists), [
    ['pass', 1],
    ['not-applicable', 0],
    ['not-applicable', 0],
  ]);
  const asksUnknown: Run = async (given) => expect((await createAsk(given)({ path: '/pets/1' })).status === 404, '404');
  assert.equal(await evidenceOf(asksUnknown), [
    ['pass', 1],
    ['pass', 1],
    ['not-applicable', 0],
  ]);
});

const wantsOrder: Run = async (given) => {
  const ask = createAsk(given);
  for (const name of ['a', 'b']) await ask({ body: { name, categoryId: 4711 } });
  expect(petsIn(await ask())[0]?.name === 'a', 'a first');
};

test('what a client relies on is named, with the world, the section and the requests that show it', async () => {
  const made = await tourOf(wantsOrder, ['any-list-order']);
  const told = report(made);
  const broken = verdictIn(told, 'any-list-order');
  assert.is(told.exitCode, 1);
  assert.is(broken?.verdict, 'fail');
  assert.is(broken?.recheck, 'fails-again');
  assert.is(
    broken?.failures[0]?.message,
    'expected the client to work with list-order: newest-first (In reverse order of creation.), received the error ' +
      '"expected a first": it relies on list-order: oldest-first, and the interface does not say so (§4.1)',
  );
  const [number] = broken?.failures[0]?.exchanges ?? [];
  const shown = told.exchanges.find((exchange) => exchange.number === number);
  assert.equal([shown?.check, shown?.operation], ['list-order: newest-first', 'listPets']);
  assert.not.match(broken?.failures[0]?.curl ?? '', /host:|connection:/i);
  assert.match(
    broken?.failures[0]?.curl ?? '',
    /^curl -i 'http:\/\/127.*\/v1\/pets' -H "Authorization: Bearer \$PETSTORE_API_KEY"/,
  );
});

test('in a world that makes it wait, what a client sends before an answer arrives was sent without knowing it', async () => {
  const [slow] = variations.filter(({ isSlow }) => isSlow);
  const { exchanges } = await runClient(
    variantWith([slow!]),
    1,
    attemptOf({ id: 'x', title: 'x', run: lists }),
    signal,
  );
  assert.ok(exchanges.length > 1);
  for (const { startedAt, endedAt } of exchanges) assert.is(endedAt - startedAt, slowAnswerMs);
});

test('a report of a client is one of the kit, to its schema and to every reporter', async () => {
  const told = report(await tourOf(wantsOrder, ['any-list-order']));
  const schema = JSON.parse(readFileSync(new URL('../../report.schema.json', import.meta.url), 'utf8')) as object;
  const ajv = new Ajv2020({ strict: false });
  (formats as unknown as (to: Ajv2020) => void)(ajv);
  const isValid = ajv.compile(schema);
  assert.ok(isValid(JSON.parse(reporters.json(told))), JSON.stringify(isValid.errors));
  for (const [name, render] of Object.entries(reporters)) {
    const subject = { badge: 'Does not conform', har: 'client: npm test' }[name] ?? 'any-list-order';
    assert.match(render(told), subject, name);
  }
});

test('a client that fails once of twice is told as flaky', async () => {
  let visits = 0;
  const run: Run = async (given) => {
    visits += 1;
    await lists(given);
    expect(visits !== 2, 'another number');
  };
  const broken = verdictIn(report(await tourOf(run, ['any-list-order'], { lanes: 1 })), 'any-list-order');
  assert.equal([broken?.verdict, broken?.recheck], ['fail', 'flaky']);
});

/** A client that fails only where two answers come together. */
const fearsTwo: Run = async (given) => {
  const ask = createAsk(given);
  const created = await ask({ body: { name: 'a', categoryId: 4711, status: 'sold' } });
  const hasLocation = created.headers.has('location');
  const hasMore = created.text.includes('"kind"');
  expect(!(hasLocation && hasMore), 'not both');
};

test('a combination that breaks a client is narrowed down to the answers that do so together', async () => {
  const hasBoth = (seed: number): boolean => {
    const ids = combination(seed, new Set()).variations.map(({ id }) => id);
    return ids.includes('location-header: sent') && ids.includes('extra-response-fields: extra');
  };
  // Two combinations come to the same, which is told once.
  const both = Array.from({ length: 400 }, (_nothing, at) => at + 1).find(
    (seed) => hasBoth(seed) && hasBoth(seed + 1),
  )!;
  const made = await tour(attemptOf({ id: 'x', title: 'x', run: fearsTwo }), {
    seed: both,
    worlds: variations.length + 3,
    lanes: 8,
  });
  const [breakage] = made.breakages;
  assert.is(made.breakages.length, 1);
  assert.equal(breakage?.turns.map(({ id }) => id).sort(), ['extra-response-fields: extra', 'location-header: sent']);
  const told = report(made);
  for (const id of ['any-location-header', 'any-extra-response-fields'] as const) {
    assert.match(
      verdictIn(told, id)?.failures[0]?.message ?? '',
      'it relies on extra-response-fields: none, and the interface does not say so (§2); it relies on location-header: none',
    );
  }
});

test('a combination that fails once blames nothing that it has, and is told all the same', async () => {
  let visits = 0;
  const run: Run = async (given) => {
    visits += 1;
    await lists(given);
    expect(visits !== variations.length + 3, 'another number');
  };
  const made = await tour(attemptOf({ id: 'x', title: 'x', run }), { worlds: variations.length + 3, lanes: 1 });
  assert.equal([made.breakages.length, made.unexplained.length], [0, 1]);
  const { exitCode, reason } = report(made);
  assert.is(exitCode, 0);
  assert.match(reason ?? '', /^in combination \d+ the client failed once and passed when it was run again: the error/);
});

test('what a client has shown to depend on is visited first, and no more worlds than it is told', async () => {
  const made = await tour(attemptOf({ id: 'x', title: 'x', run: lists }), { worlds: 12, lanes: 1 });
  assert.is(made.runs.length, 12);
  assert.ok(made.left.length > 0);
  const requirements = made.runs.flatMap(({ variant: world }) =>
    world.variations.map(({ requirement }) => requirement),
  );
  for (const requirement of ['any-list-order', 'any-later-pages'] as const)
    assert.ok(requirements.includes(requirement));
  assert.not.ok(requirements.includes('any-name-limits'));
});

test('a tour that is ended says so, and blames no world that was cut short', async () => {
  const stop = new AbortController();
  const attempt: Attempt = async (given, name, ending) => {
    if (name === 'reference') await lists(given);
    else stop.abort();
    return { isPassed: !ending.aborted, ending: ending.aborted ? 'its end' : 'exit code 0' };
  };
  const made = await tour(attempt, { signal: stop.signal, lanes: 1 });
  assert.equal([made.breakages, made.isEnded], [[], true]);
  // In each of the two lanes, of what waits and of what does not, one world was under way.
  const most = 1 + 1 + 2;
  assert.ok(made.runs.length <= most, String(made.runs.length));
  const { exitCode, reason } = report(made, 'The deadline has passed.');
  assert.equal([exitCode, reason], [3, 'The deadline has passed.']);
});

test('who gives up after a 429 is warned of that alone, since nothing is known of how it reads one', async () => {
  const run: Run = async (given) => {
    const ask = createAsk(given, { patience: () => undefined });
    for (let count = 0; count < 3; count += 1) await ask();
  };
  const slow: readonly ClientRequirementId[] = ['client-goes-on', 'any-retry-after-form', 'any-too-many-requests-body'];
  const told = report(await tourOf(run, slow, { lanes: 8 }));
  assert.is(told.exitCode, 0);
  assert.is(verdictIn(told, 'client-goes-on')?.verdict, 'warn');
  assert.equal(
    slow.slice(1).map((id) => verdictIn(told, id)?.reason),
    Array(2).fill('the client does not go on after any 429'),
  );
});

test.run();
