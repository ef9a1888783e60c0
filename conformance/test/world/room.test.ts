/** Room: for which of the animals that it lacks a page is known to have room, and when the length of pages proves nothing. */

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { trialSettings } from '../../proof/trial.ts';
import { isFull, listedPages } from '../../world/animals.ts';
import { arePagesVarying, missingDespiteRoom } from '../../world/room.ts';
import { readWorld } from '../../world/world.ts';
import { animalOf, created, exchangesOf, type HandMadeAnswer, page } from '../sections/evidence.ts';

const worldWith = (...answers: readonly HandMadeAnswer[]) => readWorld(exchangesOf(answers), trialSettings(60));

/** The ids of the animals that the first page lacks although it has room. */
function missed(...answers: readonly HandMadeAnswer[]): string {
  const world = worldWith(...answers);
  const ids = missingDespiteRoom(world, listedPages(world)[0]!).map(({ id }) => id);
  return ids.join();
}

const one = animalOf(1);
const short = page('limit=20', one);
/** The animal 2 with this name, which the first page lacks, and another page of twenty that has one more animal. */
const lacking = (name: string, shown: string, ...others: readonly HandMadeAnswer[]): string =>
  missed(created(1), created(2, { name }), ...others, short, page('', one, animalOf(8, { name: shown })));

test('a page has room where another of its limit has one more animal, and as much text in every unit', () => {
  const ascii = 'x'.repeat(60);
  assert.is(lacking(ascii, ascii), '2');
  assert.is(lacking(ascii, ascii.slice(1)), '');
  assert.is(missed(created(1), created(2), short, page('', animalOf(8, { name: 'x'.repeat(999) }))), '');
  for (const [name, shown] of [
    // Fewer UTF-16 units.
    [ascii, 'ü'.repeat(30)],
    // Fewer characters where what is no ASCII is escaped.
    ['ü'.repeat(30), ascii],
    ['🦄'.repeat(15), ascii],
    // Fewer bytes.
    ['한'.repeat(20), 'ü'.repeat(25)],
  ] as const)
    assert.is(lacking(name, shown), '', `${name} ${shown}`);
  assert.is(lacking('ü'.repeat(30), 'ü'.repeat(30)), '2');
  assert.is(lacking('🦄'.repeat(15), '🦄'.repeat(15)), '2');
});

test('the room must do for the largest of the animals that a page lacks, at which it may have ended', () => {
  const [narrow, wide] = ['x'.repeat(60), '한'.repeat(20)];
  assert.is(lacking(narrow, narrow, created(3, { name: wide })), '');
  assert.is(lacking(wide, wide, created(3, { name: narrow })), '');
  assert.is(lacking(wide, 'ü'.repeat(25), created(3, { name: 'x' })), '');
  assert.is(lacking(wide, wide.repeat(2), created(3, { name: narrow })), '');
  assert.is(lacking(wide, wide.repeat(3), created(3, { name: narrow })), '2,3');
});

test('pages of another limit, and with a filter that the page has not, show no room', () => {
  const two = [one, animalOf(8)];
  for (const [query, ids] of [
    ['', '2'],
    ['limit=20', '2'],
    ['limit=19', ''],
    ['limit=21', ''],
    ['status=available', ''],
  ] as const)
    assert.is(missed(created(1), created(2), short, page(query, ...two)), ids, query);
  const sold = { status: 'sold' };
  const [soldOne, soldTwo] = [animalOf(1, sold), animalOf(2, sold)];
  for (const [query, ids] of [
    ['limit=20', '2'],
    ['limit=20&status=sold', '2'],
    ['limit=20&status=pending', ''],
  ] as const) {
    const lacks = page('status=sold', soldOne);
    assert.is(missed(created(1, sold), created(2, sold), lacks, page(query, soldOne, soldTwo)), ids, query);
  }
});

test('a full page has no room', () => {
  const world = worldWith(created(1), created(2), page('limit=1', one), page('limit=1', one, animalOf(2)));
  const [view] = listedPages(world);
  assert.is(isFull(view!), true);
  assert.equal(missingDespiteRoom(world, view!, world.created), []);
});

test('an empty page has room for any animal, where its limit is a usual one', () => {
  const large = created(2, { name: 'x'.repeat(999) });
  assert.is(missed(created(1), large, page('limit=20')), '1,2');
  assert.is(missed(created(1), large, page('limit=19')), '');
});

test('a page that lists the newest animal alone has room for the one before, if both are plain', () => {
  const alone = page('limit=100', animalOf(3));
  /** `{"name":"…","categoryId":1}` takes 26 bytes without the name. */
  const name = (size: number) => ({ name: 'x'.repeat(size - 26) });
  for (const [ids, second, third, listing = alone] of [
    ['2', {}, {}],
    ['2', name(100), {}],
    ['', name(101), {}],
    ['2', {}, name(100)],
    ['', {}, name(101)],
    ['', {}, {}, page('limit=100', animalOf(2))],
    ['', {}, {}, page('limit=100', animalOf(3), animalOf(7))],
  ] as const)
    assert.is(missed(created(1), created(2, second), created(3, third), listing), ids);
  assert.is(missed(created(3), alone), '');
});

test('pages vary where one is shorter than the one before it to the same question', () => {
  const two = page('limit=100', one, animalOf(2));
  for (const [varies, ...answers] of [
    [false, page('limit=100', one), two],
    [false, two, two],
    [false, two, page('limit=99', one)],
    [true, two, page('limit=100', one)],
    [true, two, created(3), page('limit=100', one), two],
    [true, two, page('limit=99'), page('limit=100')],
  ] as readonly (readonly [boolean, ...HandMadeAnswer[]])[])
    assert.is(arePagesVarying(worldWith(...answers)), varies);
});

test.run();
