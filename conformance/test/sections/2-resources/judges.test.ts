/** §2: fields have their types, values are kept, and ids are assigned by the service. */

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { noKey, rateLimitKey } from '../../../http/credentials.ts';
import { createPet, createPetFrom, drawUnknownId, isDrawnId, listPets } from '../../../sections/requests.ts';
import {
  animalOf,
  checkRows,
  created,
  type EvidenceRows,
  failuresIn,
  type HandMadeAnswer,
  page,
  pending,
  read,
  sold,
} from '../evidence.ts';

const drawn = drawUnknownId({ random: () => 0.5 });
const at = (seconds: number, one: HandMadeAnswer): HandMadeAnswer => ({ ...one, seconds });
const during = (one: HandMadeAnswer, ...events: [number, number]): HandMadeAnswer => ({ ...one, events });
const withId = (id: bigint | string, one: HandMadeAnswer): HandMadeAnswer => ({
  ...one,
  request: createPet({ name: 'CFklmbcdaab', categoryId: 1n, id }),
});
const byOther = (one: HandMadeAnswer): HandMadeAnswer => ({ ...one, credential: rateLimitKey('Key-2') });

const afterReset = (...ids: readonly number[]) => ids.map((id) => created(id, {}, { id: 1n }));
const renumbered = animalOf(1, { id: 7n });
const [soldFirst, soldPage] = [created(1, sold), page('', animalOf(1, sold))];
const pendingLater = read(1, animalOf(1, pending));
const twoOfClient = [1, 2].map((at) => withId(drawn, created(at, {}, { id: drawn })));

/** A creation that gets the id of another animal, and that animal as later answers show it. */
const newSeven = created(1, {}, { id: 7n });
const sevenNow = animalOf(7, { name: animalOf(1).name });

const rows: EvidenceRows = {
  'pet-id': [
    ['holds', page('', animalOf(1))],
    ['', page('')],
    ['id-not-int64', page('', animalOf(2n ** 63n))],
    // Each field is judged by itself.
    ['holds', page('', animalOf(1, { name: 7n, categoryId: 'x', status: 'SOLD' }))],
    // An Error in place of an animal fails for the answer, not for its fields.
    ['holds', created(1), read(1, { code: 'x', message: 'No.', status: 500n })],
  ],
  'pet-category-id': [
    ['categoryId-not-int64 holds', page('', animalOf(1)), page('', animalOf(1, { categoryId: -(2n ** 63n) - 1n }))],
    ['holds', page('', animalOf(1, { categoryId: -(2n ** 63n) }))],
    ['holds', page('', animalOf(2n ** 63n))],
  ],
  'pet-status': [
    ['holds', page('', animalOf(1))],
    ['', { ...page('', animalOf(1, { status: 'SOLD' })), credential: noKey }],
  ],
  'pet-name-kept': [
    // What was sent comes back in the 201 and in every later answer.
    ['holds', created(1), read(1, animalOf(1))],
    ['holds name-changed', created(1), page('', animalOf(1, { name: 'CF' }))],
    ['holds', created(1), page('', animalOf(1, { name: 7n }))],
    ['holds', page('', animalOf(1, { name: 'CF' })), created(1)],
    ['holds', created(1), byOther(page('', animalOf(1, { name: 'CF' })))],
    ['holds', created(1), created(2, {}, { id: 1n }), page('', animalOf(1, { name: 'CF' }))],
    // §4.1 and §4.3 judge an answer that shows another animal of the run under the id.
    ['holds', created(1), created(2), page('', animalOf(1, { name: 'CFklmbcdaac' }))],
    ['holds name-changed', created(1), created(2), page('', animalOf(1, { name: 'CFklmbcdaac' }), animalOf(2))],
    // After a reset ids may start anew: an animal of before is seen no more.
    ['holds', created(1), created(2), read(2, animalOf(2)), page('', animalOf(1, { name: 'CF' }))],
  ],
  'pet-category-id-kept': [
    ['holds', created(1), read(1, animalOf(1, { categoryId: '1' }))],
    ['categoryId-changed holds', created(1), read(1, animalOf(1, { categoryId: 1.5 }))],
  ],
  'pet-status-kept': [
    ['status-changed', created(1, sold, { status: undefined })],
    ['', created(1), read(1, animalOf(1, sold)), pendingLater],
    ['holds status-changed', soldFirst, pendingLater],
    ['holds status-changed', soldFirst, created(2, sold), read(2, animalOf(2, sold)), pendingLater],
    // A later change is a transition, and so may be one that the first read shows after the settle time.
    ['holds', soldFirst, read(1, animalOf(1, sold)), pendingLater],
    ['holds status-changed', at(0, soldFirst), at(2, pendingLater)],
    ['holds', at(0, soldFirst), at(3, pendingLater)],
    // A page that is under way with the creation, or with the first read, may have shown the animal first.
    ['holds', during(soldFirst, 0, 3), during(soldPage, 1, 2), pendingLater],
    ['holds', during(soldFirst, 1, 4), during(pendingLater, 2, 5)],
    ['holds', soldFirst, during(pendingLater, 3, 6), during(soldPage, 4, 5)],
  ],
  'pet-id-unique': [
    ['holds', created(1), page('', animalOf(1), animalOf(2))],
    ['', page('', animalOf(1))],
    ['holds', page('', animalOf(1), animalOf(2))],
    ['', created(1, {}, { id: undefined })],
    ['holds', created(1), byOther(created(2, {}, { id: 1n }))],
    ['holds', created(1), created(2), read(2, animalOf(2)), ...afterReset(3)],
    ['holds id-assigned-twice', created(1), created(2), read(2, animalOf(2)), ...afterReset(3, 4)],
    ['id-in-use', page('', animalOf(7)), created(1, {}, { id: 7n }), read(7, animalOf(7))],
    // It stands in its place, while its neighbours are still there; where another is gone too, somebody may have removed both.
    ['holds id-in-use', page('', animalOf(7), animalOf(8)), newSeven, page('', animalOf(8), sevenNow)],
    ['holds', page('', animalOf(7), animalOf(8)), newSeven, page('', sevenNow)],
    ['holds', page('', animalOf(7), animalOf(8), animalOf(9)), newSeven, page('', animalOf(8), sevenNow)],
    ['holds', page('', animalOf(7)), newSeven, page('', sevenNow)],
    ['holds', page('', animalOf(7), animalOf(8)), newSeven, page('', animalOf(8))],
    ['holds', page('', animalOf(7)), created(1, {}, { id: 7n })],
    // A page that was under way with the creation shows the same animal.
    ['holds', page('', renumbered), created(1, {}, { id: 7n }), read(7, renumbered)],
    ['holds', page('', animalOf(7)), created(1, {}, { id: 7n }), read(7, renumbered)],
    ['holds', page('', animalOf(8), renumbered), created(1, {}, { id: 7n }), page('', animalOf(8), renumbered)],
    ['holds', byOther(page('', animalOf(7))), created(1, {}, { id: 7n }), read(7, animalOf(7))],
    // An id that the client chose is reported by pet-id-assigned alone.
    ['', ...twoOfClient],
    ['holds', ...twoOfClient, withId(drawn, created(3))],
    ['holds', withId(5n, created(1, {}, { id: 5n }))],
  ],
  'pet-id-assigned': [
    ['holds', withId(drawn, created(1))],
    ['holds', { ...withId(drawn, created(1)), status: 400 }],
    ...[302, 500].map((status) => ['', { ...withId(drawn, created(1)), status }] as const),
    ...['[1', '7', 'null'].map((body) => ['', { ...created(1), request: createPetFrom(body) }] as const),
    ...[`x${drawn}`, `${drawn}x`].map((id) => ['', withId(id, created(1, {}, { id: drawn }))] as const),
    ['', { ...withId(drawn, created(1, {}, { id: drawn })), credential: noKey }],
    ['', withId(5n, created(1, {}, { id: 5n }))],
    ['', created(1)],
    ...[drawn, `${drawn}`].map((id) => ['id-of-the-client', withId(id, created(1, {}, { id: drawn }))] as const),
    // A double holds it: JavaScript prints fewer digits than others.
    ...[BigInt(String(Number(drawn))), BigInt(Number(drawn))].map(
      (id) => ['id-of-the-client', withId(drawn, created(1, {}, { id }))] as const,
    ),
    ['holds', withId(drawn, created(1, {}, { id: drawn + 8_191n }))],
  ],
};

test('fields, values and ids of animals are judged in every answer that shows them', () => checkRows(rows));

test('the ids that a run draws are known by their remainder', () => {
  assert.is(isDrawnId(drawn), true);
  for (const id of [drawn + 1n, 1n, 2n ** 63n - 1n, 2n ** 61n - 8_191n]) assert.is(isDrawnId(id), false);
});

test('a body that is no JSON is called by the usual mistake, or else by the problem of the parser', () => {
  for (const [body, words] of [
    ['\ufeff[]', /^a byte order mark in front of the JSON$/],
    [' \n<p>No', /^HTML or XML instead of JSON$/],
    [' [{"id":1', /^JSON that is cut off: \S/],
    ['oops <p>', /^(?!HTML|JSON that)./],
    ['oops [1', /^(?!HTML|JSON that)./],
    ['[1,] \n', /^(?!JSON that).+/],
    ['[1,]x', /^JSON that is cut off/],
  ] as const)
    assert.match(failuresIn([{ request: listPets(), body }], /^service-json$/)[0]!.failure.received, words);
});

/** What a failure says was received, and the numbers of its exchanges. */
function shownOf(answers: readonly HandMadeAnswer[], code: string) {
  const { failure, exchanges } = failuresIn(answers, /^pet-/).find((one) => one.failure.code === code)!;
  return [failure.received, exchanges.map(({ number }) => number)] as const;
}

test('a failure of an id says which id, and cites the answers that show it', () => {
  assert.equal(shownOf([page('', animalOf(1), animalOf(1))], 'id-twice-in-page'), ['1 twice', [1]]);
  const again = [created(1), created(2), read(2, animalOf(2)), ...afterReset(3, 4)];
  assert.equal(shownOf(again, 'id-assigned-twice'), ['1 for two', [1, 4]]);
  const inUse = [page('', animalOf(7)), created(1, {}, { id: 7n }), read(7, animalOf(7))];
  assert.equal(shownOf(inUse, 'id-in-use'), ['7, which another animal had before', [2, 3]]);
  const ofClient = withId(drawn, created(1, {}, { id: drawn }));
  assert.equal(shownOf([ofClient], 'id-of-the-client'), [`${drawn}, which the client had sent`, [1]]);
});

test('a changed value cites the creation and the answer, or the creation alone', () => {
  assert.equal(shownOf([created(1), page(''), page('', animalOf(1, { name: 'CF' }))], 'name-changed')[1], [1, 3]);
  assert.equal(shownOf([page(''), created(1, {}, { name: 'CF' })], 'name-changed')[1], [2]);
});

test('the first difference is told where a name has become longer, and at the end of an excerpt', () => {
  const receivedFor = (name: string, returned: string) => {
    const [changed] = failuresIn([created(1, { name }, { name: returned })], /^pet-name-kept$/);
    return [changed?.failure.expected, changed?.failure.received];
  };
  const [tail, dots] = ['y'.repeat(23), '…'];
  assert.equal(receivedFor('Rex', 'Rex!'), ['name "Rex" in the 201', '"Rex!": the end and U+0021 at character 4']);
  assert.equal(receivedFor('Rex', 'R x'), ['name "Rex" in the 201', '"R x": U+0065 and U+0020 at character 2']);
  assert.equal(receivedFor(`a${tail}`, `b${tail}`), [`name "a${tail}" in the 201`, `"b${tail}"`]);
  assert.equal(receivedFor(`a${tail}z`, `b${tail}z`), [`name "a${tail}"${dots} in the 201`, `"b${tail}"${dots}`]);
  // A character beyond U+FFFF counts as one.
  assert.is(receivedFor('🦄x', '🦄y')[1], '"🦄y"');
  assert.is(receivedFor('x🦄', 'x')[1], '"x": U+1F984 and the end at character 2');
});

test('a field that breaks the range of int64 says which range', () => {
  const [failing] = failuresIn([page('', animalOf(1, { categoryId: 2n ** 63n }))], /^pet-category-id$/);
  assert.is(failing?.failure.expected, 'categoryId in a page: an integer from -2^63 to 2^63 - 1');
});

test('a failure names what was sent, and points at the part of the body that is wrong', () => {
  const [kept] = failuresIn([created(1), page('', animalOf(1, { name: 'CF' }))], /^pet-name-kept$/);
  assert.equal(kept!.failure.input, { name: 'name', value: '"CFklmbcdaab"' });
  const long = 'x'.repeat(40);
  for (const [answer, expected, received] of [
    [page('', animalOf(1, { name: 'CF' })), 'name "CFklmbcdaab" in a page', '"CF": U+006B and the end at character 3'],
    [created(2, {}, { name: 'CFklmbcdaaC' }), 'name "CFklmbcdaac" in the 201', '"CFklmbcdaaC"'],
    [read(1, animalOf(1, { categoryId: 2n })), 'categoryId 1 in getPet', '2'],
    [
      created(2, { name: `${long}\u00e9${long}` }, { name: `${long}a${long}` }),
      `name …"${'x'.repeat(12)}\u00e9${'x'.repeat(23)}"… in the 201`,
      `…"${'x'.repeat(12)}a${'x'.repeat(23)}"…: U+00E9 and U+0061 at character 41`,
    ],
  ] as const) {
    const [changed] = failuresIn([created(1), answer], /-kept$/);
    assert.equal([changed?.failure.expected, changed?.failure.received], [expected, received]);
  }
  for (const [code, pointer, answer] of [
    ['name-changed', '/1/name', page('', animalOf(2), animalOf(1, { name: 'CF' }))],
    ['id-wrong', '/id', read(1, animalOf(1, { id: 'x' }))],
    ['name-missing', '/1/name', page('', animalOf(2), { id: 1n, categoryId: 1n })],
    ['id-twice-in-page', '/2/id', page('', ...[2, 1, 1, 3].map((id) => animalOf(id)))],
    ['other-status', '/1/status', page('status=sold', animalOf(1, sold), animalOf(2, pending))],
    ['not-an-animal', '/1', { request: listPets(), body: '[{"id":1,"name":"a","categoryId":1},7]' }],
    ['status-differs', '/status', { ...read(9, { code: 'x', message: 'No.', status: 400n }), status: 404 }],
  ] as const) {
    const found = failuresIn([created(1), answer], /./).find(({ failure }) => failure.code === code);
    assert.is(found?.failure.pointer, pointer, code);
  }
});

test.run();
