/** What the runs of a client are spent on: combinations and their causes, confirmations, and no more than allowed. */

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { createSend, expect, readPets } from '../../clients/polite-client.ts';
import { drawCombination, plainVariations } from '../../clients/variations/index.ts';
import { sentenceOf } from '../../verdict/failure.ts';
import { clientOf, expectsOrder, explore, lists, type Run, report, verdictIn } from './exploring.ts';

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
      sentenceOf(verdictIn(shown, id)!.failures[0]!),
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

test('one seed draws one sequence of combinations', () => {
  assert.equal(drawCombination(9, plainVariations), drawCombination(9, plainVariations));
});

test('a failure is confirmed before the runs are spent on forms of a 429; one that is not confirmed is reported as such', async () => {
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

test.run();
