/** §4.1 Claims: which pages raise one, what it asks then, in which order, and when the answers still show it. */

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { removalOfGetPet } from '../../../../spec/facts.ts';
import { rateLimitKey } from '../../../http/credentials.ts';
import type { Claim, PlaceOfLook } from '../../../run/confirm.ts';
import type { Session } from '../../../run/session.ts';
import { claimsOfListings } from '../../../sections/4.1-list-pets/claims.ts';
import { createPetFrom } from '../../../sections/requests.ts';
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

/** What a look at the first claim shows, and its waits in milliseconds. */
async function lookedAt(
  before: Answers,
  next: Answers,
  place: PlaceOfLook = 'between',
  changes: Partial<Settings> = {},
) {
  const { session, toCome, waits } = sessionOf(before, next, changes);
  const look = await claimsOfListings(session)[0]!.look(session, place);
  assert.is(toCome.length, 0);
  return [look.sight, ...waits].join(' ');
}

type Row = readonly [shown: string, before: Answers, next: Answers, changes?: Partial<Settings>];

async function check(rows: readonly Row[], place?: PlaceOfLook): Promise<void> {
  for (const [at, [shown, before, next, changes]] of rows.entries())
    assert.is(await lookedAt(before, next, place, changes), shown, `row ${at}`);
}

test('a page is asked for again, twice, and between that the animal that it lacks, or an older one where that may be gone', async () => {
  const lacksSecond = [first, second, page('limit=100', 1)];
  const again = page('limit=100', 1);
  const large = created(2, { categoryId: 2n ** 61n });
  await check([
    ['stands', lacksSecond, [again, found, again]],
    ['settled', lacksSecond, [page('limit=100', 1, 2)]],
    // An animal that was created since is missing as well.
    ['stands', [...lacksSecond, created(3)], [page('limit=100', 1, 2), read(3, 200), page('limit=100', 1, 2)]],
    ['settled', lacksSecond, [failing('limit=100')]],
    ['settled', lacksSecond, [again, found, failing('limit=100')]],
    ['settled', lacksSecond, [again, found, page('limit=100', 2)]],
    // Pages of varying length prove nothing, whichever of them vary.
    ['settled', lacksSecond, [again, found, page('limit=100', 1, 7)]],
    [
      'unprovable',
      [...lacksSecond, page('status=sold', animalOf(7, sold)), page('status=sold')],
      [again, found, again],
    ],
    ['stands', lacksSecond, [again, read(2, 404), read(1, 200), again]],
    ['moved', lacksSecond, [again, read(2, 404), read(1, 404)]],
    ['stands', [first, page('limit=100')], [page('limit=100'), read(1, 404), page('limit=100')]],
    ['moved', [first, page('limit=50', 1), page('limit=100')], [page('limit=100'), read(1, 404)]],
    // Where getPet is removed, no animal can be asked for.
    ['stands', lacksSecond, [again, again], { today: removalOfGetPet }],
    // The smallest that is missing, and of equal ones the newest.
    ['stands', [first, large, page('limit=100', 7)], [page('limit=100', 7), read(1, 200), page('limit=100', 7)]],
    ['stands', [first, second, page('limit=100', 7)], [page('limit=100', 7), found, page('limit=100', 7)]],
    // A page without a limit may have another one, but none of 0.
    ['stands', [first, page('')], [page(''), read(1, 200), page('')]],
    ['settled', [first, page('')], [page('', 7), read(1, 200), page('', 7)]],
  ]);
});

test('a claim stands while an animal is missing that every look before has missed', async () => {
  const shows = (...ids: readonly number[]): HandMadeAnswer => page('limit=100', ...ids);
  const looks = [
    [shows(7), read(3, 200), shows(7)],
    // Animal 3 has come, and 2 is the newest of those that are still missing.
    [shows(3, 7), read(2, 200), shows(3, 7)],
    [shows(2, 3, 7), read(1, 200), shows(2, 3, 7)],
  ];
  // Now 3 is missing again, but it was there.
  const { session, toCome } = sessionOf([first, second, created(3), shows(7)], [...looks.flat(), shows(1, 2, 7)]);
  let claim = claimsOfListings(session)[0]!;
  for (const _look of looks) claim = await after(claim, session, 'between');
  assert.is((await claim.look(session, 'between')).sight, 'settled');
  assert.is(toCome.length, 0);
});

test('a page by status is compared with the one without, which has more and is not full', async () => {
  const query = 'limit=3&status=sold';
  const [one, two, other] = [animalOf(1, sold), animalOf(2, sold), animalOf(7, sold)];
  const before = [soldFirst, soldSecond, page(query, one)];
  const [again, whole] = [page(query, one), page('limit=3', one, two)];
  const full = page('limit=3', one, two, 7);
  for (const place of ['first', 'between', 'last'] as const) {
    await check(
      [
        ['stands', before, [again, whole, again]],
        ['stands', [soldFirst, soldSecond, page(query)], [page(query), whole, page(query)]],
        ['settled', before, [page(query, one, two), whole, page(query, one, two)]],
        ['settled', before, [page(query, one, other), whole, page(query, one, other)]],
        ['settled', before, [page(query, two), whole, again]],
        ['settled', before, [again, whole, page(query, one, other)]],
        ['settled', [soldFirst, soldSecond, page(query)], [page(query), whole, page(query, other)]],
        ['settled', before, [failing(query)]],
        ['settled', before, [again, whole, failing(query)]],
        ['settled', before, [again, full]],
        ['settled', before, [again, failing('limit=3')]],
        // Both are shown by the unfiltered page, and in full text.
        ['settled', [soldFirst, created(2, { ...sold, name: 'x'.repeat(99) }), again], [again, whole, again]],
        // A transition may have changed the status (§3).
        ['settled', before, [again, page('limit=3', one, animalOf(2, pending)), again]],
      ],
      place,
    );
  }
});

const grown = created(9);
const other = created(10, { categoryId: 2n ** 61n });
const [refused, otherRefused] = [
  { ...grown, status: 400 },
  { ...other, status: 400 },
];

test('a page has room if it grows by an animal, which may need another category or a moment', async () => {
  const before = [first, second, page('limit=100', 1)];
  const again = page('limit=100', 1);
  const looks = [again, found, again];
  const more = page('limit=100', 1, 9);
  await check(
    [
      ['settled', before, [page('limit=100', 1, 2)]],
      ['stands', before, [...looks, grown, more]],
      ['stands 2000', before, [...looks, grown, again, read(9, 404), more]],
      ['stands', before, [...looks, grown, again, read(9, 200), other, page('limit=100', 1, 10)]],
      ['unprovable', before, [...looks, grown, again, read(9, 200), other, again, read(10, 200)]],
      ['stands', before, [...looks, refused, again, other, page('limit=100', 1, 10)]],
      ['unprovable', before, [...looks, refused, again, otherRefused, again]],
      ['unprovable', [...before, otherRefused], [...looks, refused, again]],
      ['unprovable', before, [...looks, grown, failing('limit=100'), read(9, 200), other, again, read(10, 200)]],
      ['unprovable', before, looks, { isReadOnly: true }],
      // What the page lacked is there now, and nothing else is missing.
      ['unprovable', before, [...looks, grown, page('limit=100', 1, 2, 9)]],
      // The animal for the room has the status of an animal on the page.
      [
        'stands',
        [created(1, pending), second, page('limit=100', animalOf(1, pending))],
        [...looks, created(9, pending), more],
      ],
    ],
    'first',
  );
});

test('a page of the same limit that is longer shows room, if it has as much text', async () => {
  const twenty = page('limit=20', 1);
  const looks = [twenty, found, twenty];
  const refusals = [refused, twenty, otherRefused, twenty];
  const longSecond = created(2, { name: 'x'.repeat(99) });
  const long = animalOf(8, { name: 'x'.repeat(99) });
  const wide = animalOf(8, { name: 'ü'.repeat(50) });
  for (const place of ['first', 'last'] as const) {
    await check(
      [
        ['stands', [first, second, twenty, page('', 1, 8)], looks],
        ['unprovable', [first, second, twenty, page('', 8)], [...looks, ...refusals]],
        ['unprovable', [first, second, twenty, page('', 1, { name: 'x' })], [...looks, ...refusals]],
        ['unprovable', [first, longSecond, twenty, page('', 1, 8)], [...looks, ...refusals]],
        ['stands', [first, longSecond, twenty, page('', 1, long)], looks],
        // As many bytes, but fewer characters.
        ['unprovable', [first, longSecond, twenty, page('', 1, wide)], [...looks, ...refusals]],
        // The page may have ended at the largest of those that it lacks.
        [
          'unprovable',
          [first, longSecond, created(3), twenty, page('', 1, 8)],
          [twenty, read(3, 200), twenty, ...refusals],
        ],
        // Pages of another limit, or with a filter.
        ['unprovable', [first, second, twenty, page('limit=19', 1, 8)], [...looks, ...refusals]],
        ['unprovable', [first, second, twenty, page('status=available', 1, 8)], [...looks, ...refusals]],
      ],
      place,
    );
  }
});

test('without proof an empty page of a usual limit has room, and one that lists the last plain animal alone', async () => {
  const empty = (limit: number) => page(`limit=${limit}`);
  const lookAtEmpty = (limit: number) => [empty(limit), read(1, 200), empty(limit)];
  const alone = page('limit=100', 2);
  const looks = [alone, read(1, 200), alone];
  const long = { name: 'x'.repeat(99) };
  const refusals = (page: HandMadeAnswer) => [refused, page, otherRefused, page];
  await check(
    [
      ['stands', [first, empty(20)], lookAtEmpty(20)],
      ['unprovable', [first, empty(19)], [...lookAtEmpty(19), ...refusals(empty(19))]],
      ['stands', [first, second, alone], looks],
      ['unprovable', [created(1, long), second, alone], [...looks, ...refusals(alone)]],
      ['unprovable', [first, created(2, long), alone], [...looks, ...refusals(alone)]],
      // Two, of which the newest is listed.
      [
        'unprovable',
        [first, second, page('limit=100', 2, 7)],
        [page('limit=100', 2, 7), read(1, 200), page('limit=100', 2, 7), ...refusals(page('limit=100', 2, 7))],
      ],
    ],
    'first',
  );
});

test('the animal for the room is no smaller than the largest that is missing', async () => {
  const names = ['x'.repeat(99), 'ü'.repeat(40), '🦄'.repeat(20), 'CFklmbcdaac-🦄-ü'];
  const animals = names.map((name, at) => created(at + 2, { name, categoryId: BigInt(at) * 10n ** 17n }));
  const again = page('limit=100', 1);
  const { session } = sessionOf(
    [first, ...animals, again],
    [again, read(5, 200), again, grown, again, read(9, 200), otherRefused, again],
  );
  const look = await claimsOfListings(session)[0]!.look(session, 'first');
  assert.is(look.sight, 'unprovable');
  const { body = '' } = session.exchanges.findLast(({ operation, request }) => {
    return operation === 'createPet' && !request.body?.includes('2305843009213693952');
  })!.request;
  for (const { request } of animals) {
    const whole = request.body!;
    assert.ok(body.length >= whole.length && Buffer.byteLength(body) >= Buffer.byteLength(whole));
  }
  // A name that was accepted.
  assert.match(body, /"name":"ü{40}a+"/);
});

test('the animal for the room has the longest name that is missing, with a tag of its own', async () => {
  const again = page('limit=100', 1);
  const missing = created(2, { name: 'CFklmbcdaac is long' });
  const { session } = sessionOf([first, missing, again], [again, found, again, refused, again, otherRefused, again]);
  await claimsOfListings(session)[0]!.look(session, 'first');
  const [, , body = ''] = session.exchanges.flatMap(({ request }) => request.body ?? []);
  assert.match(body, /"name":"CF[a-p]{6}[a-z]{3} is long"/);
  assert.not.match(body, /CFklmbcdaac/);
});

test('where invalid bodies were accepted, the animal for the room is a plain one', async () => {
  const invalid = (id: number): HandMadeAnswer => ({ ...created(id), request: createPetFrom('{"categoryId":1}') });
  const again = page('limit=100', 1);
  const next = [again, read(3, animalOf(3)), again, refused, again, otherRefused, again];
  const { session, toCome } = sessionOf([invalid(1), invalid(2), created(3), again], next);
  const look = await claimsOfListings(session)[0]!.look(session, 'first');
  assert.equal([look.sight, toCome.length], ['unprovable', 0]);
  const [, , , body = ''] = session.exchanges.flatMap(({ request }) => request.body ?? []);
  assert.match(body, /^\{"name":"CF[a-p]{6}[a-z]{3}a*","categoryId":1\}$/);
});

/** The claim after a look, which must stand. */
async function after(claim: Claim, session: Session, place: PlaceOfLook): Promise<Claim> {
  const look = await claim.look(session, place);
  assert.ok(look.sight === 'stands', look.sight);
  return look.claim;
}

test('a page that always lacks the newest animal lacks the next one then, until another shows that there was room', async () => {
  const [one, two, three] = [page('limit=100', 1), page('limit=100', 1, 2), page('limit=100', 1, 2, 9)];
  const next = [
    one,
    found,
    one,
    grown,
    two,
    read(9, 200),
    two,
    read(9, 200),
    two,
    two,
    read(9, 200),
    two,
    created(10),
    three,
    read(10, 200),
  ];
  const { session, toCome } = sessionOf([first, second, one], next);
  const [claim] = claimsOfListings(session) as [Claim];
  const last = await after(await after(await after(claim, session, 'first'), session, 'between'), session, 'last');
  assert.is(toCome.length, 0);
  // The animal for the room is a plain one where plain ones are missing.
  assert.match(session.exchanges[6]!.request.body!, /"name":"CF[a-p]{6}[a-z]{3}"/);
  const [{ failure, exchanges }] = last.failures(63) as [Failing];
  assert.is(failure.expected, 'the animal 9 from GET /pets?limit=100, a page with room for 100');
  assert.is(failure.received, '2 animals without it, 3 times, until 63 s after its creation');
  assert.equal(
    exchanges.map(({ number }) => number),
    [7, 8, 15],
  );
});

test('the last page has room only if one is longer than it, so that a cap is not reached meanwhile', async () => {
  const [one, two] = [page('limit=100', 1), page('limit=100', 1, 9)];
  let left = 1;
  const next = [one, found, one, grown, two, two, found, two];
  const { session, toCome } = sessionOf([first, second, one], next, {}, () => left--);
  const claim = await after(claimsOfListings(session)[0]!, session, 'first');
  assert.is((await claim.look(session, 'last')).sight, 'unprovable');
  assert.is(toCome.length, 0);
});

const limitKey = { credential: rateLimitKey('Key-2') };
const filled = (query: string, count: number): HandMadeAnswer =>
  page(query, ...Array.from({ length: count }, (_nothing, at) => 30 + at));

test('the longest page of each filter that lacks animals raises a claim, and a page without a limit that is no page of 20', () => {
  const claimed = (...answers: Answers): readonly string[] =>
    claimsOfListings(sessionOf(answers, []).session).map(({ key, cost, since, costOfProof, takesTime }) => {
      assert.ok(takesTime && (costOfProof === 0 || costOfProof === 2));
      return `${key} ${cost} ${since - startedAt}${costOfProof > 0 ? ' room' : ''}`;
    });
  const lacking = page('limit=100');
  for (const [answers, ...claims] of [
    [[first, lacking], '/pets?limit=100, at most 0 so far 3 0'],
    [[first, second, lacking], '/pets?limit=100, at most 0 so far 3 1'],
    [[first, second, page('limit=100', 1)], '/pets?limit=100, at most 1 so far 4 1 room'],
    [[first, second, page('limit=100', 1), page('limit=100', 1, 2)]],
    [[first, page('limit=30'), page('limit=40'), page('limit=35')], '/pets?limit=40, at most 0 so far 3 0'],
    [[first, second, page('limit=40', 2), page('limit=50', 1, 2)], '/pets?limit=40, at most 1 so far 4 0 room'],
    [
      [soldFirst, page('limit=9'), page('limit=9&status=sold'), page('limit=9&status=pending')],
      '/pets?limit=9, at most 0 so far 3 0 room',
      '/pets?limit=9&status=sold, at most 0 so far 3 0',
    ],
    [
      [first, page('limit=100', 4), page('limit=9', 4, 1), page('limit=9&status=available', 5)],
      '/pets?limit=100, at most 1 so far 4 0 room',
    ],
    [[first, page('')], '/pets, at most 0 so far 3 0'],
    [[first, page('', 7)]],
    // One that is known to have room comes before longer ones.
    [
      [first, second, page('limit=100', 1), page('limit=20', 1), page('', 1, 8)],
      '/pets?limit=20, at most 2 so far 4 1 room',
      'default any 3 1',
    ],
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
  const last = await after(await after(claim, session, 'between'), session, 'between');
  const [{ requirement, failure, exchanges }] = last.failures(63) as [Failing];
  assert.is(claim.requirement, requirement);
  return { requirement, ...failure, numbers: exchanges.map(({ number }) => number) };
}

test('a page without a limit is wrong if the pages of 20 before and after it have one length, and it has another', async () => {
  const [twenty, sold20] = ['limit=20', 'limit=20&status=sold'];
  const before = [filled(twenty, 20), filled('', 19)];
  const pages = (...lengths: readonly number[]): Answers =>
    lengths.map((length, at) => (length === 0 ? failing : filled)(at === 1 ? '' : twenty, length));
  await check([
    ['stands', before, pages(20, 19, 20)],
    ...[pages(20, 20, 20), pages(20, 19, 19), pages(20, 20, 19)].map((next): Row => ['settled', before, next]),
    ...[pages(20, 19, 0), pages(0, 19, 20), pages(20, 0, 20)].map((next): Row => ['settled', before, next]),
  ]);
  await check([['unprovable', [...before, page('limit=9', 7), page('limit=9')], pages(20, 19, 20)]]);
  // A default is the same at every look.
  for (const [sight, length] of [
    ['stands', 18],
    ['settled', 19],
  ] as const) {
    const next = [...pages(20, 18, 20), ...pages(20, length, 20)];
    const { session } = sessionOf([filled(twenty, 20), filled('', 18)], next);
    const claim = await after(claimsOfListings(session)[0]!, session, 'first');
    assert.is((await claim.look(session, 'between')).sight, sight);
  }
  const bySold = [filled(sold20, 20), filled('status=sold', 19)];
  for (const [first, next, query, with20] of [
    [before, pages(20, 19, 20), '', '?limit=20'],
    [bySold, [...bySold, filled(sold20, 20)], '?status=sold', '?limit=20&status=sold'],
  ] as const) {
    const { requirement, code, expected, received, numbers } = await shownTwice(first, next);
    assert.equal([requirement, code], ['list-limit-default', 'default-differs']);
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
    [[first, page(all)], [page(all), read(1, 200), page(all)], 'an empty page', 1, 3, 8],
    [[first, second, page(all, 7)], [page(all, 7), found, page(all, 7)], others, 2, 4, 9],
    [[soldFirst, page(bySold)], [page(bySold), page(all, one), page(bySold)], filter, 1, 4, 5, 8],
    [
      [soldFirst, page(bySold, other)],
      [page(bySold, other), page(all, one, other, 8), page(bySold, other)],
      '1 animal without it',
      1,
      4,
      5,
      8,
    ],
  ] as const) {
    const failure = await shownTwice(before, next);
    assert.equal([failure.requirement, failure.code], ['list-complete', 'animal-missing']);
    assert.is(failure.received, `${received}, 2 times, until 63 s after its creation`);
    assert.equal(failure.numbers, numbers);
  }
});

test.run();
