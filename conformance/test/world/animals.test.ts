/** Which animals a world has, and which of them a page lacks. */

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { trialSettings } from '../../proof/trial.ts';
import { listedPages, missingAnimals } from '../../world/animals.ts';
import { readWorld } from '../../world/world.ts';
import { animalOf, created, exchangesOf, type HandMadeAnswer, page } from '../sections/evidence.ts';

const worldOf = (...answers: readonly HandMadeAnswer[]) => readWorld(exchangesOf(answers), trialSettings(60));

test('an id that the service assigned twice is that of the first animal', () => {
  assert.is(worldOf(created(1), created(2, {}, { id: 1n })).createdById.get(1n)?.exchange.number, 1);
});

test('a page with room lacks the animals that it shows neither by id nor by name, and that match its filter', () => {
  for (const [shown, missing] of [
    [page('', animalOf(1)), '2 3'],
    [page('', animalOf(1), animalOf(2, { id: 7n })), '3'],
    [page('limit=1', animalOf(1)), ''],
    [page('status=sold', animalOf(1)), '3'],
  ] as const) {
    const sold = created(3, { status: 'sold' });
    const world = worldOf(created(1), created(2, { status: 'pending' }), sold, shown, created(4));
    const lacked = missingAnimals(world, listedPages(world)[0]!);
    assert.is(lacked.map(({ id }) => id).join(' '), missing);
  }
});

test.run();
