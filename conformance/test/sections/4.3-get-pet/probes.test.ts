/** §4.3: which animals a run reads, and with which ids and path segments it asks for none. */

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { removalOfGetPet } from '../../../../spec/facts.ts';
import type { Session } from '../../../run/session.ts';
import { wrongIds } from '../../../sections/values.ts';
import type { Settings } from '../../../world/settings.ts';
import { animalOf, created, type HandMadeAnswer, page, pending, read, requestsOf, sold } from '../evidence.ts';

type Answers = readonly HandMadeAnswer[];

/** Each rank, and the petIds that are read then. */
function readsAfter(kind: string, answers: Answers, changes?: Partial<Settings>, more?: Partial<Session>): string {
  const byRank = Map.groupBy(requestsOf(kind, answers, changes, more), (sent) => sent.split(' ')[0]);
  const shown = [...byRank].map(([rank, all]) => [rank, ...all.map((sent) => sent.split('/pets/')[1])].join(' '));
  return shown.join(', ');
}

const long = { name: 'CFbkcldmaab with a long name' };
const found = read(5, animalOf(5));

test('of the animals of the run those are read that no answer has shown, and those whose values are the hardest', () => {
  for (const [answers, expected, changes] of [
    [[], ''],
    [[page('', animalOf(9))], '0.9 9, 3.5 9'],
    [
      [created(5), created(6, { ...pending, ...long }), created(7, sold), created(8)],
      '0.9 6, 2.15 6, 3.5 7, 4 8, 5 5 5 5 5 5 5 5 5 5',
    ],
    // Of those that are pending the last that no page has shown, since a later status may be a transition.
    [
      [created(5, pending), created(6, pending), created(7), read(7, animalOf(7)), page('', animalOf(6, pending))],
      '0.9 5, 2.15 5, 3.5 5, 5 5 5 5 5 5 5 5 5 5',
    ],
    // The newest of a status is read at once.
    [[created(5, pending), page('', animalOf(5))], '0.9 5, 3.5 5, 4 5 5, 5 5 5 5 5 5 5 5 5 5'],
    // What was read is read no more, but for the first animal.
    [[created(5), found], '0.9 5, 3.5 5'],
    // An id that was asked for before it was assigned comes first.
    [
      [created(4), read(7, 404), created(5), found, read(5, 404), created(7), created(6), read(6, animalOf(6))],
      '0.9 4, 3.5 4, 5 7 7 7 7 7 7 7 7 7',
    ],
    [[created(5)], '', { today: removalOfGetPet }],
  ] as readonly (readonly [Answers, string, Partial<Settings>?])[])
    assert.is(readsAfter('reads', answers, changes), expected);
});

test('any of the animals that were not read may be next', () => {
  const answers = [created(4), created(5), found, created(6)];
  const last = readsAfter('reads', answers, {}, { random: () => 0.99 });
  assert.is(last, '0.9 4, 3.5 4, 4 6, 5 6 6 6 6 6 6 6 6 6');
});

/** Each rank, and the ids of no animal: other segments, and the ids that the table of values has, are left out. */
function unknownAfter(...answers: Answers): readonly string[] {
  const ofTable = wrongIds.map(({ text }) => text);
  const shown = readsAfter('unknown-ids', answers).split(', ');
  const numbers = shown.map((ofRank) => {
    const [rank, ...ids] = ofRank.split(' ');
    return [rank, ...ids.filter((id) => /^-?\d+$/.test(id) && !ofTable.includes(id))];
  });
  return numbers.flatMap((ofRank) => (ofRank.length > 1 ? [ofRank.join(' ')] : []));
}

test('truncation, a lost sign, rounding or wrapping turns ids of no animal into those of the run', () => {
  assert.equal(unknownAfter(created(9_007_199_254_740_999n)), [
    '1.5 2305843009213693952',
    '2.5 18455751272964292615',
    '2.6 0',
    '3.5 -1 -4294967289',
    '4 9007203549708295 -9007199254740999 9223372036854775807 9007199254741000 9007199254741000',
    '7 -9223372036854775808 340282366920938463463383614631022952455 9232379236109516807',
  ]);
  // Of several animals one after the other; the next id is that after the largest, of others as well.
  assert.equal(unknownAfter(created(5), created(6), page('', animalOf(70), animalOf(60))), [
    '1.5 2305843009213693952',
    '2.5 18446744073709551621',
    '2.6 0',
    '3.5 -1 -4294967290',
    '4 4294967301 -6 9223372036854775807 71 71',
    '7 -9223372036854775808 340282366920938463463374607431768211462 9223372036854775813',
  ]);
});

test('an id that the run knows is none of no animal, and where it has created none, those of others stand in', () => {
  const [drawn, beyond, next] = unknownAfter(page('', animalOf(0), animalOf(7)));
  assert.equal([drawn, beyond, next], ['1.5 2305843009213693952', '2.5 18446744073709551616', '3.5 -1 -4294967296']);
  assert.equal(unknownAfter().slice(1, 3), ['2.5 18446744073709551617', '2.6 0']);
});

test('every segment of the table is read, with the ids of animals in turn', () => {
  const rows = wrongIds.filter(({ text }) => text.includes('%I'));
  const read = readsAfter('unknown-ids', [created(5), created(6)]);
  const segments = read.split(/, | /);
  for (const { text } of rows)
    assert.ok(
      ['5', '6'].some((id) => segments.includes(text.replaceAll('%I', id))),
      text,
    );
  for (const id of ['5', '6'])
    assert.ok(
      rows.some(({ text }) => segments.includes(text.replaceAll('%I', id))),
      id,
    );
});

test.run();
