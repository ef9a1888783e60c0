/** Which animals a world has, what shows them, and which of them a page lacks. */

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { rateLimitKey } from '../../http/credentials.ts';
import { trialSettings } from '../../proof/trial.ts';
import {
  createdByName,
  isGroundSteady,
  listedPages,
  missingAnimals,
  pagesByQuery,
  sightings,
} from '../../world/animals.ts';
import { readWorld } from '../../world/world.ts';
import { animalOf, created, exchangesOf, type HandMadeAnswer, page, read } from '../sections/evidence.ts';

const worldOf = (...answers: readonly HandMadeAnswer[]) => readWorld(exchangesOf(answers), trialSettings(60));

test('an id that the service assigned twice is that of the first animal', () => {
  assert.is(worldOf(created(1), created(2, {}, { id: 1n })).createdById.get(1n)?.exchange.number, 1);
});

test('an animal is seen under its id with its name, after its creation, and animals come in the order of their answers', () => {
  const [first, second] = [created(1), created(2)];
  const another = read(1, animalOf(1, { name: 'x' }));
  const world = worldOf(read(1, animalOf(1)), first, second, another, page('', animalOf(1)), read(2, 404));
  const seen = [...sightings(world)].map(([{ id }, shown]) => `${id}: ${shown.map(({ number }) => number)}`);
  assert.equal(seen, ['1: 5']);
  const sideBySide = worldOf({ ...first, events: [1, 4] }, { ...second, events: [2, 3] });
  assert.equal(
    sideBySide.created.map(({ id }) => id),
    [2n, 1n],
  );
});

test('exchanges are read once, and again where there are more of them or other settings', () => {
  const exchanges = [...exchangesOf([created(1)])];
  const settings = trialSettings(60);
  const world = readWorld(exchanges, settings);
  assert.ok(readWorld(exchanges, settings) === world);
  exchanges.push(exchangesOf([created(1), created(2)])[1]!);
  assert.is(readWorld(exchanges, settings).created.length, 2);
  assert.ok(readWorld(exchanges, trialSettings(60)) !== readWorld(exchanges, settings));
});

test('an animal is not seen by another key, and has no name that was sent twice', () => {
  const theirs = { ...read(1, animalOf(1)), credential: rateLimitKey('Key-2') };
  assert.is(sightings(worldOf(created(1), theirs)).size, 0);
  const again = created(2, { name: animalOf(1).name });
  assert.equal(
    [...createdByName(worldOf(created(1), created(2))).values()].map(({ id }) => id),
    [1n, 2n],
  );
  assert.is(createdByName(worldOf(created(1), again)).size, 0);
});

test('the ground is steady where an answer of that moment or later shows an animal, or none had before', () => {
  const [first, shown, empty] = [created(1), page('', animalOf(1)), page('limit=5')];
  const isSteady = (...answers: readonly HandMadeAnswer[]): boolean => {
    const world = worldOf(...answers);
    return isGroundSteady(world, world.exchanges[2]!);
  };
  assert.ok(isSteady(first, shown, page('limit=6', animalOf(1))));
  assert.ok(isSteady(first, shown, empty, read(1, animalOf(1))));
  assert.ok(isSteady(first, empty, page('limit=6')));
  assert.not.ok(isSteady(first, shown, empty));
  // One animal of several is enough.
  const both = page('', animalOf(1), animalOf(2));
  const world = worldOf(first, created(2), both, page('limit=5', animalOf(2)));
  const [one, two] = world.created;
  assert.ok(isGroundSteady(world, world.exchanges[3]!));
  assert.ok(isGroundSteady(world, world.exchanges[3]!, one));
  // The animal that is in question is no witness.
  assert.not.ok(isGroundSteady(world, world.exchanges[3]!, two));
});

test('an animal that was seen while the answer was under way was there only if that was answered later', () => {
  const isSteadyWhere = (answered: number): boolean => {
    const world = worldOf(
      { ...created(1), events: [1, 2] },
      { ...page('', animalOf(1)), events: [3, 4] },
      { ...page('limit=5'), events: [5, 8] },
      { ...read(1, animalOf(1)), events: [6, answered] },
    );
    return isGroundSteady(world, world.exchanges[2]!);
  };
  assert.equal([isSteadyWhere(7), isSteadyWhere(9)], [false, true]);
});

test('pages come in the order of their requests, and those of two keys, or of parameters that are not allowed, are no answers to one question', () => {
  const theirs = { ...page('limit=5'), credential: rateLimitKey('Key-2') };
  const world = worldOf(
    { ...page('limit=5', animalOf(1)), events: [2, 3] },
    { ...page('limit=5'), events: [1, 4] },
    { ...theirs, events: [5, 6] },
    { ...page('limit=0'), events: [7, 8] },
    { ...page('status=lost'), events: [9, 10] },
  );
  const asked = [...pagesByQuery(world).values()].map((pages) => pages.map(({ exchange }) => exchange.number).join());
  assert.equal(asked, ['2,1', '3']);
});

test('a page with room lacks the animals that it shows neither by id nor by name, and that match its filter', () => {
  for (const [shown, missing] of [
    [page('', animalOf(1)), '2 3 5'],
    [page('', animalOf(1), animalOf(2, { id: 7n })), '3 5'],
    [page('limit=1', animalOf(1)), ''],
    [page('status=sold', animalOf(1)), '3'],
    [page('', animalOf(9), null as never), '1 2 3 5'],
  ] as const) {
    const [sold, pending] = [{ status: 'sold' }, { status: 'pending' }];
    // A transition may have changed the status of the last (§3).
    const before = [created(1), created(2, pending), created(3, sold), created(5, pending, sold)];
    const world = worldOf(...before, shown, created(4));
    const lacked = missingAnimals(world, listedPages(world)[0]!);
    assert.is(lacked.map(({ id }) => id).join(' '), missing);
  }
});

test.run();
