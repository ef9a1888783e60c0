/** §4.3: reads of known animals, of unknown ids, and of petIds that are no int64. A 404 for an animal is a claim. */

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { noKey, rateLimitKey } from '../../../http/credentials.ts';
import { trialSettings } from '../../../proof/trial.ts';
import type { Session } from '../../../run/session.ts';
import { claimsOfReads } from '../../../sections/4.3-get-pet/claims.ts';
import {
  animalOf,
  checkRows,
  created,
  type EvidenceRows,
  exchangesOf,
  type HandMadeAnswer,
  page,
  read,
} from '../evidence.ts';

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
    ['holds', read('abc', 300)],
    ['', read('abc', 500)],
    ['', read('abc', 401)],
  ],
};

test('a known id answers with its animal, any other with 404, and a segment that is no int64 with no animal', () =>
  checkRows(rows));

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

test('a claim is about what the key of the run does not find, and about the removal of getPet where it finds nothing', () => {
  const claimed = (...answers: readonly HandMadeAnswer[]): readonly string[] =>
    claimsOfReads({ exchanges: exchangesOf(answers), settings: trialSettings(60) } as unknown as Session).flatMap(
      ({ failures }) => failures([{ sight: 'shown', exchanges: [] }], 63).map(({ requirement }) => requirement),
    );
  const [first, second] = [created(1), created(2)];
  assert.equal(claimed(first, read(1, 404)), ['get-answer', 'get-until-removal']);
  assert.equal(claimed(first, second, read(1, 404), read(2, animalOf(2))), ['get-answer']);
  assert.equal(claimed(first, read(1, 404), read(1, animalOf(1))), []);
  const limitKey = { credential: rateLimitKey('Key-2') };
  assert.equal(claimed(first, { ...created(2), ...limitKey }, { ...read(2, 404), ...limitKey }), []);
});

test.run();
