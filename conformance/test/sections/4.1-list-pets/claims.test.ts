/** §4.1 Claims: which pages raise one, what it asks then, in which order, and when the answers still show it. */

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { removalOfGetPet } from '../../../../spec/facts.ts';
import { rateLimitKey } from '../../../http/credentials.ts';
import type { Claim } from '../../../run/confirm.ts';
import { claimsOfListings } from '../../../sections/4.1-list-pets/claims.ts';
import type { Failing } from '../../../verdict/finding.ts';
import type { Settings } from '../../../world/settings.ts';
import {
  animalOf,
  created,
  type HandMadeAnswer,
  page as listing,
  pending,
  read,
  sessionOf,
  sold,
  startedAt,
} from '../evidence.ts';

type Answers = readonly HandMadeAnswer[];

/** A page with the animals of these ids, or with these. */
const page = (query: string, ...animals: readonly (number | object)[]): HandMadeAnswer =>
  listing(query, ...animals.map((animal) => (typeof animal === 'number' ? animalOf(animal) : animal)));
const failing = (query: string): HandMadeAnswer => ({ ...page(query), status: 500 });
const [first, second] = [created(1), created(2)];
const [soldFirst, soldSecond] = [created(1, sold), created(2, sold)];
const found = read(2, animalOf(2));

/** What a look at the first claim shows: its sight, `fresh` if no cache explains it, and its waits in milliseconds. */
async function lookedAt(before: Answers, next: Answers, showsRoom = false, changes: Partial<Settings> = {}) {
  const { session, toCome, waits } = sessionOf(before, next, changes);
  const look = await claimsOfListings(session)[0]!.look(session, showsRoom);
  assert.is(toCome.length, 0);
  return [look.sight, ...(look.isFresh === true ? ['fresh'] : []), ...waits].join(' ');
}

type Row = readonly [shown: string, before: Answers, next: Answers, changes?: Partial<Settings>];

async function check(rows: readonly Row[], showsRoom = false): Promise<void> {
  for (const [at, [shown, before, next, changes]] of rows.entries())
    assert.is(await lookedAt(before, next, showsRoom, changes), shown, `row ${at}`);
}

test('a page is asked for again, and then the animal that it lacks, or an older one where that may be gone', async () => {
  const lacksSecond = [first, second, page('limit=100', 1)];
  const again = page('limit=100', 1);
  await check([
    ['shown', lacksSecond, [again, found]],
    ['settled', lacksSecond, [page('limit=100', 1, 2)]],
    ['settled', lacksSecond, [failing('limit=100')]],
    ['shown fresh', [first, second, page('limit=100', 2)], [page('limit=100', 2), read(1, 200)]],
    ['shown', lacksSecond, [again, read(2, 404), read(1, 200)]],
    ['moved', lacksSecond, [again, read(2, 404), read(1, 404)]],
    ['shown', [first, page('limit=100')], [page('limit=100'), read(1, 404)]],
    ['moved', [first, page('limit=50', 1), page('limit=100')], [page('limit=100'), read(1, 404)]],
    // Where getPet is removed, no animal can be asked for.
    ['shown', lacksSecond, [again], { today: removalOfGetPet }],
    // The newest that is older than one on the page.
    ['shown fresh', [first, second, created(3), page('limit=100', 3)], [page('limit=100', 3), found]],
  ]);
});

test('a page by status is compared with the one without, which must be longer and not full', async () => {
  const query = 'limit=3&status=sold';
  const [one, two, other] = [animalOf(1, sold), animalOf(2, sold), animalOf(7, sold)];
  const before = [soldFirst, soldSecond, page(query, one)];
  await check([
    ['shown', before, [page('limit=3', one, two), page(query, one)]],
    ['shown fresh', before, [page('limit=3', one, two), page(query, two)]],
    ['settled', before, [page('limit=3', one, two), page(query, one, two)]],
    ['settled', before, [page('limit=3', one, two), page(query, one, other)]],
    ['settled', before, [page('limit=3', one, two), failing(query)]],
    ['settled', before, [page('limit=3', one, two, 7)]],
    ['settled', before, [failing('limit=3')]],
    // A transition may have changed the status (§3).
    ['settled', before, [page('limit=3', one, animalOf(2, pending)), page(query, one)]],
  ]);
});

test('a page has room if it is short, or another is longer, or it grows by one more animal', async () => {
  const grown = created(9);
  const lacks = (query: string, ...ids: readonly number[]): Answers => [first, second, page(query, ...ids)];
  const five = [1, 4, 5, 6, 7];
  const [short, atCap] = [lacks('limit=100', 1), lacks('limit=100', ...five)];
  const [again, full] = [page('limit=100', 1), page('limit=100', ...five)];
  const other = created(9, { categoryId: 2n ** 61n });
  const no = { ...grown, status: 400 };
  const noOther = { ...other, status: 400 };
  const bySold = 'status=sold&limit=9';
  const [one, two, nine] = [1, 2, 9].map((id) => animalOf(id, sold)) as [object, object, object];
  await check(
    [
      ['settled', short, [page('limit=100', 1, 2)]],
      ['shown', short, [again, found, grown, page('limit=100', 1, 9)]],
      ['shown', short, [again, found, grown, again, read(9, animalOf(9))]],
      ['shown 2000', short, [again, found, grown, again, read(9, 404), again]],
      ['shown', short, [again, found, no, again]],
      ['shown', short, [again, found, grown, failing('limit=100'), read(9, animalOf(9))]],
      ['shown', atCap, [full, found, grown, page('limit=100', ...five, 9)]],
      ['shown 2000', atCap, [full, found, grown, full, read(9, 404), page('limit=100', ...five, 9)]],
      // A page may hold one animal of each category.
      ['shown', atCap, [full, found, no, full, other, page('limit=100', ...five, 9)]],
      ['unprovable', atCap, [full, found, no, full, noOther, full]],
      ['unprovable', [...atCap, noOther], [full, found, no, full]],
      ['shown', [...atCap, page('', ...five, 8)], [full, found, no, full]],
      ['shown', short, [again, found], { isReadOnly: true }],
      ['unprovable', atCap, [full, found], { isReadOnly: true }],
      // The animal for the room has the status of the page, or of an animal on it.
      [
        'shown',
        [created(1, pending), second, page('limit=100', animalOf(1, pending))],
        [again, found, created(9, pending), page('limit=100', 1, 9)],
      ],
      [
        'shown',
        [soldFirst, soldSecond, page(bySold, one)],
        [page('limit=9', one, two), page(bySold, one), created(9, sold), page(bySold, one, nine)],
      ],
    ],
    true,
  );
});

test('once a page has grown, it has room also where no animal may be created any more', async () => {
  const full = page('limit=100', 1, 4, 5, 6, 7);
  const grown = page('limit=100', 1, 4, 5, 6, 7, 9);
  let left = 1;
  const next = [full, found, created(9), grown, grown, found];
  const { session } = sessionOf([first, second, full], next, {}, () => left--);
  const [claim] = claimsOfListings(session) as [Claim];
  assert.is((await claim.look(session, true)).sight, 'shown');
  assert.is((await claim.look(session, true)).sight, 'shown');
});

const limitKey = { credential: rateLimitKey('Key-2') };
const filled = (query: string, count: number): HandMadeAnswer =>
  page(query, ...Array.from({ length: count }, (_nothing, at) => 30 + at));

test('the longest page of each filter that lacks animals raises a claim, and a page without a limit that is no page of 20', () => {
  const claimed = (...answers: Answers): readonly string[] =>
    claimsOfListings(sessionOf(answers, []).session).map(({ key, cost, since, needsRoom }) => {
      return `${key} ${cost} ${since() - startedAt}${needsRoom ? ' room' : ''}`;
    });
  const lacking = page('limit=100');
  for (const [answers, ...claims] of [
    [[first, lacking], '/pets?limit=100 2 0 room'],
    [[first, second, page('limit=100', 1)], '/pets?limit=100 3 1 room'],
    [[first, second, page('limit=100', 1), page('limit=100', 1, 2)]],
    [[first, page('limit=30'), page('limit=40'), page('limit=35')], '/pets?limit=40 2 0 room'],
    [[first, second, page('limit=40', 2), page('limit=50', 1, 2)], '/pets?limit=40, shorter than another 3 0 room'],
    [
      [soldFirst, page('limit=9'), page('limit=9&status=sold'), page('limit=9&status=pending')],
      ...['/pets?limit=9 2 0 room', '/pets?limit=9&status=sold 2 0 room'],
    ],
    [
      [first, page('limit=100', 4), page('limit=9', 4, 1), page('limit=9&status=available', 5)],
      '/pets?limit=100, shorter than another 3 0 room',
    ],
    [[first, page('')]],
    [[first, { ...lacking, ...limitKey }]],
    // An animal without an id, or twice, may be the one.
    [[first, page('limit=100', { name: 'x' })]],
    [[first, page('limit=100', 7, 7)]],
    [[filled('limit=20', 20), created(1), filled('', 19)]],
    [[filled('limit=20', 20), filled('', 19), created(1)], 'default any 3 2'],
    [[filled('limit=20', 20), filled('', 21)]],
    [[filled('limit=20', 19), filled('', 20)], 'default any 3 1'],
    [[filled('limit=20', 10), filled('', 19)], 'default any 3 1'],
    [[filled('limit=20', 20), { ...filled('', 19), ...limitKey }]],
    [[{ ...filled('limit=20', 20), ...limitKey }, filled('', 19)]],
    [[filled('limit=20', 3), filled('', 5)], 'default any 3 1'],
    [[filled('limit=20', 3), filled('limit=20', 5), filled('', 5)]],
    [[filled('limit=30', 30), filled('', 20)]],
    [[filled('limit=30', 30), filled('', 10)], 'default any 3 1'],
    [[filled('limit=19', 19), filled('', 10)]],
    [[filled('limit=30', 5), filled('', 10)]],
    [[filled('', 10), filled('', 12)]],
    [[filled('', 12), filled('', 10)], 'default any 3 1'],
    [[filled('status=sold&limit=20', 9), filled('status=sold', 8), filled('', 9)], 'default sold 3 1'],
  ] as readonly (readonly [answers: Answers, ...claims: string[]])[])
    assert.equal(claimed(...answers), claims, JSON.stringify(answers.map(({ request }) => request.target)));
});

/** A claim that two looks have shown, and what its failure says of the answers to come. */
async function shownTwice(before: Answers, next: Answers) {
  const { session } = sessionOf(before, [...next, ...next]);
  const [claim] = claimsOfListings(session) as [Claim];
  const looks = [await claim.look(session, false), await claim.look(session, false)];
  const [{ failure, exchanges }] = claim.failures(looks, 63) as [Failing];
  return { ...failure, numbers: exchanges.map(({ number }) => number) };
}

test('a page without a limit is wrong if the pages of 20 before and after it have one length, and it has another', async () => {
  const [twenty, sold20] = ['limit=20', 'limit=20&status=sold'];
  const before = [filled(twenty, 20), filled('', 19)];
  const pages = (...lengths: readonly number[]): Answers =>
    lengths.map((length, at) => (length === 0 ? failing : filled)(at === 1 ? '' : twenty, length));
  await check([
    ['shown', before, pages(20, 19, 20)],
    ...[pages(20, 20, 20), pages(20, 19, 19), pages(20, 20, 19)].map((next): Row => ['settled', before, next]),
    ...[pages(20, 19, 0), pages(0, 19, 20), pages(20, 0, 20)].map((next): Row => ['settled', before, next]),
  ]);
  const bySold = [filled(sold20, 20), filled('status=sold', 19)];
  for (const [first, next, query, with20] of [
    [before, pages(20, 19, 20), '', '?limit=20'],
    [bySold, [...bySold, filled(sold20, 20)], '?status=sold', '?limit=20&status=sold'],
  ] as const) {
    const { expected, received, numbers } = await shownTwice(first, next);
    assert.is(expected, `20 animals from GET /pets${query}, as from GET /pets${with20} just before and after`);
    assert.equal([received, numbers], ['19', [6, 8, 7]]);
  }
});

test('the failure says what the page shows in place of the animal, and cites its creation, and the first and last page', async () => {
  const [all, bySold] = ['limit=100', 'limit=100&status=sold'];
  const [one, other] = [animalOf(1, sold), animalOf(7, sold)];
  const filter = 'status=sold finds nothing; it is on the page without a filter';
  const others = '1 animal without it; 2 animals of the run are missing';
  for (const [before, next, received, ...numbers] of [
    [[first, page(all)], [page(all), read(1, 200)], 'an empty page', 1, 3, 5],
    [[first, second, page(all, 7)], [page(all, 7), found], others, 2, 4, 6],
    [[soldFirst, page(bySold)], [page(all, one), page(bySold)], filter, 1, 3, 4, 6],
    [
      [soldFirst, page(bySold, other)],
      [page(all, one, other, 8), page(bySold, other)],
      ...(['1 animal without it', 1, 3, 4, 6] as const),
    ],
  ] as const) {
    const failure = await shownTwice(before, next);
    assert.is(failure.received, `${received}, 2 times, until 63 s after its creation`);
    assert.equal(failure.numbers, numbers);
  }
});

test.run();
