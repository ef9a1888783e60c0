/** §4.3: reads of known animals, of unknown ids, and of petIds that are no int64. A 404 for an animal is a claim. */

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { removalOfGetPet } from '../../../../spec/facts.ts';
import { noKey, rateLimitKey } from '../../../http/credentials.ts';
import type { Claim } from '../../../run/confirm.ts';
import { claimsOfReads } from '../../../sections/4.3-get-pet/claims.ts';
import { largestPage } from '../../../sections/requests.ts';
import type { Failing } from '../../../verdict/finding.ts';
import type { Settings } from '../../../world/settings.ts';
import {
  animalOf,
  checkRows,
  created,
  type EvidenceRows,
  failuresIn,
  type HandMadeAnswer,
  messageOf,
  page,
  read,
  sessionOf,
  startedAt,
} from '../evidence.ts';

const limitKey = { credential: rateLimitKey('Key-2') };
const other = read(1, animalOf(1, { name: 'CFklmbcdaac' }));
const unknown = 2n ** 61n + 5n * 8_191n;

const rows: EvidenceRows = {
  'get-answer': [
    ['holds', created(1), read(1, animalOf(1))],
    ['holds', page('', animalOf(1)), read(1, animalOf(1))],
    // A read makes no animal known: its client knew the id.
    ['', read(1, animalOf(1)), read(1, animalOf(1))],
    // Confirm asks again for a 404, §5 judges 401 and §9 410.
    ...[404, 410, 405, 401].map((status) => ['', created(1), read(1, status)] as const),
    ['unexpected-status', created(1), { ...read(1, animalOf(1)), status: 404 }],
    ['', created(1), { ...read(1, 200), body: 'no JSON' }],
    ['', created(1), read(1, { name: 'CFklmbcdaab', categoryId: 1n, id: 'x' })],
    ['not-an-animal', created(1), { ...read(1, 200), body: '[]' }],
    ['holds', created(1), read(1, animalOf(1, { name: 'x' }))],
    ['another-animal', created(1), created(2), other],
    ['another-animal', created(1), read(1, animalOf(2))],
    // The animal is another client's.
    ['holds', page('', animalOf(1)), created(2), read(1, { ...animalOf(2), id: 1n })],
    // A catalogue that was replaced between shows only newer animals since.
    ['holds', created(1), created(2), read(2, animalOf(2)), other, created(3), read(3, animalOf(3))],
    ['', { ...created(1), credential: noKey }, { ...read(1, animalOf(1)), credential: noKey }],
    ['', created(1), { ...read(1, 404), credential: rateLimitKey('Key-2') }],
    ['', created(1), read('1?page=2' as never, 400)],
    // The scope of a key may forbid it all reads, but not one of them.
    ['', created(1), read(1, 403)],
    ['holds unexpected-status', created(1), read(1, 403), read(1, animalOf(1))],
    ['holds', created(1), read(1, 403), { ...read(1, animalOf(1)), ...limitKey }],
  ],
  'get-not-found': [
    ['holds', read(unknown, 404)],
    ['', read(unknown, 401)],
    // An operation that says that it is gone is judged by §9.
    ['', created(1), read(1, 410), read(unknown, 410)],
    ['unexpected-status', read(unknown, 410)],
    // Another client may have the animal, but not with an id that the run has drawn.
    ['', read(7, animalOf(7))],
    ['', { ...read(7, 200), body: 'no JSON' }],
    ['unexpected-status', { ...read(7, animalOf(7)), status: 500 }],
    ['unexpected-status', read(7, animalOf(8))],
    ['unexpected-status', read(unknown, animalOf(unknown))],
    ['', read(7, { name: 'x', categoryId: 1n })],
    ['unexpected-status', read(7, { code: 'x', message: 'No.', status: 404n })],
  ],
  'get-id-not-int64': [
    ['holds', read('abc', 404)],
    ...[199, 300].map((status) => ['holds', read('abc', status)] as const),
    ['', read('abc', 500)],
    ['', read('abc', 401)],
  ],
};

test('a known id answers with its animal, any other with 404, and a segment that is no int64 with no animal', () =>
  checkRows(rows));

test('a failure of a read names the id and what came, and where it is in the answer', () => {
  for (const [message, ...answers] of [
    ['unexpected-status: expected 200 for the animal 1, which exists, received 500', created(1), read(1, 500)],
    ['another-animal: expected the animal 1, received the animal 2 at /id', created(1), read(1, animalOf(2))],
    [
      'another-animal: expected the animal 1 as its 201 showed it, received the one that got the id 2',
      created(1),
      created(2),
      other,
    ],
    [
      'unexpected-status: expected 404 for the id 7, which no animal has, received 500 to petId 7',
      { ...read(7, 500), body: '{}' },
    ],
    [
      'found: expected no animal for the petId "abc", which is no int64, received 200 to petId "abc"',
      read('abc', animalOf(1)),
    ],
  ] as readonly (readonly [string, ...HandMadeAnswer[]])[]) {
    const [found] = failuresIn(answers, /^get-/);
    assert.is(messageOf(found!), message);
  }
});

const wrong = `1.5b 1,1 1abc x.json x;v=1 1%3Bv=1 x1 1.5 1e-1 --1 %221%22 1%00 1- 0x .5 9223372036854775808
  -9223372036854775809 18446744073709551617 0x10000000000000001 00018446744073709551617 1e300 NaN`;
/** Other spellings of an int64, formats, path parameters, malformed escapes and escaped slashes: how to answer is open. */
const unusual = `+1 %2B1 01 -01 -0 1.0 1. 1e0 10e-1 0x1 0X1F 0b1 0o1 1_0 %201 1%20 %0A1 %31 % %E0%A4%A 1%
  1.json 1.XML 1; 1;v=1 1%2F..%2F1 1%5c..%5c1`;

test('a petId that is no int64 must find no animal; one in another spelling may', () => {
  const found = wrong.split(/\s+/).map((segment) => ['found', created(1), read(segment, animalOf(1))] as const);
  checkRows({ 'get-id-not-int64': found });
  const answers = unusual.split(/\s+/).flatMap((segment) => [404, 400, animalOf(1)].map((to) => read(segment, to)));
  const open = answers.map((answer) => ['', created(1), answer] as const);
  checkRows({ 'get-id-not-int64': open, 'get-answer': open, 'get-not-found': open });
});

type Answers = readonly HandMadeAnswer[];

const [first, second] = [created(1), created(2)];
const lost = read(2, 404);
const [seen, gone] = [read(1, animalOf(1)), read(1, 404)];

test('a claim is about the newest animal that the API key does not find, and about listings where it was seen', () => {
  for (const [answers, claims, codes = 'get-answer get-until-removal', changes] of [
    [[first, gone], 'getPet 1 0'],
    [[first, second, gone, read(2, animalOf(2))], 'getPet 1 0', 'get-answer'],
    [[first, gone, seen], ''],
    [[first, second, gone, lost], 'getPet 2 1'],
    [[first, seen, gone], 'getPet 1 0, removed by listings'],
    [[first, seen, gone], 'getPet 1 0', undefined, { isReadOnly: true }],
    [[page('', animalOf(5)), read(5, 404)], 'getPet 5 0'],
    [[first, { ...second, ...limitKey }, { ...lost, ...limitKey }], ''],
    [[first, gone], '', undefined, { today: removalOfGetPet }],
  ] as readonly (readonly [Answers, claims: string, codes?: string, changes?: Partial<Settings>])[]) {
    const all = claimsOfReads(sessionOf(answers, [], changes).session);
    const shown = all.map(({ key, since, takesTime }) => (takesTime ? `${key} ${since - startedAt}` : key));
    assert.is(shown.join(', '), claims);
    const by = answers[0] === first ? 'its creation' : 'a page showed it';
    const id = /\d/.exec(claims)?.[0];
    const told: Readonly<Record<string, string>> = {
      'get-answer': `unexpected-status: expected 200 for the animal ${id}, which exists`,
      'get-until-removal': 'removed-early: expected getPet to answer until 5 December 2030',
    };
    const [ofRead = [], ofRemoval = []] = all.map((claim) => claim.failures(63));
    assert.equal(
      ofRead.map((one) => `${one.requirement} ${messageOf(one)}`),
      claims === ''
        ? []
        : codes
            .split(' ')
            .map((code) => `${code} ${told[code]}, received 404 for each of 0 reads, until 63 s after ${by}`),
    );
    // Before the first look nothing shows it but the answer that first showed the animal.
    for (const { exchanges, failure } of ofRead) assert.equal([exchanges.length, failure.status], [1, 404]);
    assert.equal(
      [...all, ...ofRemoval].every(({ requirement }) => requirement === 'get-answer'),
      true,
    );
    assert.equal(
      ofRemoval.flatMap(({ exchanges }) => exchanges),
      [],
    );
  }
});

test('a read that finds nothing is repeated, and shown by a page, or by an older animal that is still found', async () => {
  const listed = page(largestPage, animalOf(2));
  const empty = page(largestPage);
  for (const [shown, before, ...next] of [
    ['settled', [second, lost], read(2, 200)],
    ['stands #1,4,3', [second, lost], lost, listed],
    ['stands #1,3', [second, lost], lost, empty],
    ['moved', [second, read(2, animalOf(2)), lost], lost, empty],
    ['stands #3,5', [first, seen, second, lost], lost, empty, seen],
    ['moved', [first, seen, second, lost], lost, empty, gone],
    // Another client may have removed its animal.
    ['settled', [page('', animalOf(2)), lost], lost, empty],
    ['stands #1,4,3', [page('', animalOf(2)), lost], lost, listed],
  ] as readonly (readonly [shown: string, Answers, ...Answers])[]) {
    const { session, toCome } = sessionOf(before, next);
    const look = await claimsOfReads(session)[0]!.look(session, 'first');
    const numbers = look.sight === 'stands' ? look.claim.failures(63)[0]!.exchanges.map(({ number }) => number) : [];
    assert.is(numbers.length === 0 ? look.sight : `${look.sight} #${numbers}`, shown);
    assert.is(toCome.length, 0);
  }
});

test('a claim about a read counts its looks, and leaves the one before as it was', async () => {
  const { session } = sessionOf([second, lost], [lost, page(largestPage), lost, page(largestPage)]);
  const [claim] = claimsOfReads(session) as [Claim];
  const look = await claim.look(session, 'first');
  assert.ok(look.sight === 'stands');
  const next = await look.claim.look(session, 'last');
  assert.ok(next.sight === 'stands');
  const received = [claim, look.claim, next.claim].map((one) => one.failures(63)[0]!.failure.received);
  assert.equal(
    received,
    [0, 1, 2].map((looks) => `404 for each of ${looks} reads, until 63 s after its creation`),
  );
});

test('listings remove animals if a new one is found before them and by no read after them', async () => {
  const lists = [page(largestPage), page('status=sold')];
  const [made, there, away] = [created(3, { status: 'available' }), read(3, animalOf(3)), read(3, 404)];
  for (const [sight, ...next] of [
    ['stands', made, there, ...lists, away, away],
    ['unprovable', made, away, ...lists, away, away],
    ['unprovable', made, there, ...lists, there, away],
    ['unprovable', made, there, ...lists, away, there],
  ] as readonly (readonly [string, ...Answers])[]) {
    const { session, toCome } = sessionOf([first, seen, gone], next);
    const claim = claimsOfReads(session)[1]!;
    const look = await claim.look(session, 'first');
    assert.equal([look.sight, toCome.length, claim.cost], [sight, 0, next.length]);
    if (look.sight !== 'stands') continue;
    const [removal] = look.claim.failures(63) as [Failing];
    assert.is(
      `${removal.requirement} ${messageOf(removal)}`,
      'get-answer unexpected-status: expected 200 for an animal that was only read and listed since its creation, received 404, for each of 1 animals',
    );
    assert.is(removal.exchanges.length, 6);
  }
});

test.run();
