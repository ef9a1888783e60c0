/** Clients that are refused: with a 429, or because of their own invalid requests. */

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { ClientRequirementId } from '../../../spec/client-requirements.ts';
import { createSend, expect } from '../../clients/polite-client.ts';
import { sentenceOf } from '../../verdict/failure.ts';
import { clientOf, explore, exploreOnly, lists, type Run, report, verdictIn } from './exploring.ts';

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

test('a client that gives up after a 429 relies on no answer', async () => {
  const givesUp: Run = async ({ fetch, baseUrl, key }) => {
    const { status } = await fetch(`${baseUrl}/pets`, { headers: { authorization: `Bearer ${key}` } });
    expect(status === 200, '200');
  };
  const judged = report(await explore(clientOf(givesUp), { maxRuns: 60 }));
  assert.is(judged.client?.reliesOn, 0);
  const { verdict, failures = [] } = verdictIn(judged, 'client-goes-on') ?? {};
  assert.is(verdict, 'warn');
  assert.match(sentenceOf(failures[0]!), /exit|error .*: §8 says: A client that gets 429 waits and goes on/);
});

test('a key in the query that is refused for another reason is no test of a refusal', async () => {
  const misplaces: Run = async ({ fetch, baseUrl, key }) => {
    await fetch(`${baseUrl}/pets?limit=500&api_key=${key}`, { headers: { authorization: `Bearer ${key}` } });
  };
  const judged = report(await exploreOnly(misplaces, ['client-key-in-header']));
  assert.is(verdictIn(judged, 'client-key-in-header')?.verdict, 'fail');
});

test.run();
