/** Where a failure shows is told by the smallest description that separates it from where the requirement holds. */

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { RequirementId } from '../../../spec/requirements.ts';
import { noKey, rateLimitKey } from '../../http/credentials.ts';
import type { JsonValue } from '../../http/json.ts';
import { findCredential } from '../../sections/5-authentication/credentials.ts';
import { createPet, createPetFrom, listPets } from '../../sections/requests.ts';
import { dimensionIds, dimensions, type EvidenceSubject, ofAnimals } from '../../verdict/dimensions.ts';
import { fails, holds } from '../../verdict/finding.ts';
import { readSubjects } from '../../verdict/subjects.ts';
import { findWhere, whereInWords } from '../../verdict/where.ts';
import { apiKey, created, exchangesOf, type HandMadeAnswer, page, read } from '../sections/evidence.ts';

const facts = { expected: 'this', received: 'that' };

/** Where a requirement fails that fails in the first answers and holds in the others. */
function whereOf(failing: readonly HandMadeAnswer[], holding: readonly HandMadeAnswer[], pointer?: string): string {
  const exchanges = exchangesOf([...failing, ...holding]);
  const subjectOf = readSubjects(exchanges);
  const requirement: RequirementId = 'pet-name-kept';
  const found = exchanges.map((one, at) => {
    const isFailing = at < failing.length;
    const shown = pointer === undefined ? facts : { ...facts, pointer };
    return subjectOf(isFailing ? fails(requirement, 'name-changed', shown, one) : holds(requirement, one));
  });
  return whereInWords(findWhere(found.slice(0, failing.length), found.slice(failing.length), []));
}

const withName = (name: string) => created(1, { name });
const withCategory = (categoryId: JsonValue) => ({ request: createPet({ name: 'Rex', categoryId }), status: 400 });
const wrongKey = (id: string) => findCredential(id, { api: apiKey })!;
const listing = (query: string, status = 200) => ({ request: listPets(query), status });

test('it is told by the property whose values differ, with the numbers of exchanges', () => {
  const unauthorized = { ...listing('', 401), credential: noKey };
  const others = [listing(''), listing('limit=0', 400), created(1), read(7, 404)];
  assert.is(whereOf([unauthorized, unauthorized], others), 'on 401 (2 of 2), not on 200, 201, 400, 404');
  assert.is(whereOf([read(7, 404)], [listing(''), created(1)]), 'on 404 (1 of 1), not on 200, 201');
});

test('values are told by their classes', () => {
  const classes = [2n ** 63n, 1.5, null, 'x', true].map(withCategory);
  assert.is(
    whereOf([withCategory(2n ** 63n), withCategory(2n ** 64n)], classes.slice(1)),
    'with categoryId beyond int64 (2 of 2), not with categoryId a fraction, null, a text, true',
  );
  assert.is(
    whereOf([created(1, { categoryId: 2n ** 53n + 1n })], [created(2, { categoryId: 2n ** 53n }), created(3)]),
    'with categoryId that a double rounds (beyond 2^53) (1 of 1), not with categoryId beyond 2^31, a small integer',
  );
});

test('a name is told by what it has, the longest length first', () => {
  const plain = [withName('Rex'), withName('x'.repeat(120))];
  assert.is(
    whereOf([withName(' Rex'), withName('Mia\t')], plain),
    'with a name that has white space at an end (2 of 2), not otherwise',
  );
  assert.is(
    whereOf([withName('🦄'.repeat(300)), withName('y'.repeat(256))], plain),
    'with a name that has more than 255 characters (2 of 2), not otherwise',
  );
});

test('a body is told by the fields that the interface does not know', () => {
  const withId = { request: createPet({ id: null, name: 'Rex', categoryId: 1 }), status: 201, body: '{"id":null}' };
  assert.is(
    whereOf([withId, withId], [created(1), created(2)], '/id'),
    'with the unknown field id in the body (2 of 2), not otherwise',
  );
});

test('what an animal has in a page is told by the request that created it', () => {
  const animals = [created(1, { name: ' Rex' }), created(2)];
  const [padded, other] = animals.map(({ body = '' }) => JSON.parse(body));
  const exchanges = exchangesOf([...animals, page('', padded), read(2, other)]);
  const subjectOf = readSubjects(exchanges);
  const failing = [subjectOf(fails('pet-name-kept', 'name-changed', { ...facts, pointer: '/0/name' }, exchanges[2]!))];
  const holding = [subjectOf(holds('pet-name-kept', exchanges[1]!))];
  assert.is(failing[0]!.creation, exchanges[0]);
  const { traits = [] } = findWhere(failing, holding, ['operation', 'status', 'page', 'limit', 'filter']);
  assert.equal(
    traits.map(({ dimension }) => dimension),
    ['white-space'],
  );
});

test('two properties tell it together where none does alone', () => {
  const both = listing('limit=5&status=sold');
  assert.is(
    whereOf([both, both], [listing('limit=5'), listing('status=sold'), listing('')]),
    'only with limit from 1 to 100 and with status filter sold (2 of 2)',
  );
});

test('two properties tell it with two pairs of values at most, since some pair separates almost everything', () => {
  const withBoth = ['sold', 'pending', 'available'].map((status) => listing(`limit=5&status=${status}`));
  const others = [...['sold', 'pending', 'available'].map((status) => listing(`status=${status}`)), listing('limit=5')];
  assert.is(
    whereOf(withBoth.slice(0, 2), [...others, listing('')]),
    'only with limit from 1 to 100 and with status filter sold, pending (2 of 2)',
  );
  assert.is(whereOf(withBoth, [...others, listing('')]), 'with limit from 1 to 100 (3 of 4), not with limit none');
});

test('a property of six values describes, and one of seven does not', () => {
  const failing = [400, 401, 404, 405, 406, 409, 410].map((status) => listing('', status));
  const six = 'on 400, 401, 404, 405, 406, 409 (6 of 6), not on 200';
  assert.is(whereOf(failing.slice(0, 6), [listing('')]), six);
  assert.is(whereOf(failing, [listing('')]), 'in 7 of 8 answers, without a pattern that the kit sees');
});

test('usual values come first, and statuses in their own order', () => {
  const others = [listing('limit=101'), listing(''), listing('')];
  assert.is(whereOf([listing('limit=0')], others), 'with limit 0 (1 of 1), not with limit none, above 100');
  const limits = ['limit=101', 'limit=5', 'limit=5', 'limit=0', 'limit=0', 'limit=0'].map((query) => listing(query));
  const withoutFault = ['status', 'fault', 'page'] as const;
  const traitsOf = (failing: HandMadeAnswer, holding: readonly HandMadeAnswer[]) => {
    const exchanges = exchangesOf([failing, ...holding]);
    const subjects = exchanges.map((one) => readSubjects(exchanges)(holds('pet-id', one)));
    return findWhere(subjects.slice(0, 1), subjects.slice(1), withoutFault).traits?.[0]?.others;
  };
  assert.equal(traitsOf(listing(''), limits), ['0', 'from 1 to 100', 'above 100']);
  assert.equal(traitsOf(listing(''), limits.slice(0, 3)), ['from 1 to 100', 'above 100']);
});

test('a property with exceptions is told where it leaves most others out', () => {
  const others = Array.from({ length: 9 }, () => listing('limit=5'));
  assert.is(
    whereOf([listing('limit=0'), listing('limit=0')], [listing('limit=0'), ...others]),
    'with limit 0 (2 of 3), not with limit from 1 to 100',
  );
  assert.is(
    whereOf([listing('limit=0')], [listing('limit=0'), listing('limit=5')]),
    'with limit 0 (1 of 2), not with limit from 1 to 100',
  );
  const alike = Array.from({ length: 8 }, () => listing(''));
  assert.is(whereOf(alike.slice(0, 3), alike), 'in 3 of 11 answers, without a pattern that the kit sees');
});

test('a property of which few exchanges fail is no description', () => {
  const zero = (count: number) => Array.from({ length: count }, () => listing('limit=0'));
  const others = Array.from({ length: 40 }, () => listing('limit=5'));
  const inQuarter = 'with limit 0 (2 of 8), not with limit from 1 to 100';
  assert.is(whereOf(zero(2), [...zero(6), ...others]), inQuarter);
  const inFewer = 'in 2 of 49 answers, without a pattern that the kit sees';
  assert.is(whereOf(zero(2), [...zero(7), ...others]), inFewer);
});

test('where it never holds, it is told how often it fails', () => {
  assert.is(whereOf([listing('')], []), 'the one time that it was asked');
  assert.is(whereOf([listing(''), listing('limit=5')], []), 'each time (2 of 2)');
  const nearly = Array.from({ length: 10 }, () => listing(''));
  assert.is(whereOf(nearly, [listing('')]), 'nearly each time (10 of 11)');
  assert.is(whereOf(nearly.slice(1), [listing('')]), 'nearly each time (9 of 10)');
  const unauthorized = Array.from({ length: 9 }, () => listing('', 401));
  assert.is(whereOf(unauthorized, [listing('')]), 'on 401 (9 of 9), not on 200');
});

test('where nothing fails, or no property is left, there is no description', () => {
  const exchanges = exchangesOf([listing('', 401), listing('')]);
  const [one, other] = exchanges.map((exchange) => readSubjects(exchanges)(holds('pet-id', exchange)));
  assert.equal(findWhere([], [other!], []), { failing: 0, holding: 1 });
  assert.equal(findWhere([one!], [], []), { failing: 1, holding: 0 });
  assert.equal(findWhere([one!], [other!], dimensionIds), { failing: 1, holding: 1 });
});

test('a property that only some of the failing exchanges have is no description', () => {
  const exchanges = exchangesOf([listing('limit=0'), created(1), listing('limit=5')]);
  const subjects = exchanges.map((exchange) => readSubjects(exchanges)(holds('pet-id', exchange)));
  const where = findWhere(subjects.slice(0, 2), subjects.slice(2), ['status', 'operation']);
  assert.equal(where, { failing: 2, holding: 1 });
});

test('an animal is described only beside other animals of the run', () => {
  const creations = [created(1, { name: ' Rex' }), created(2)];
  const exchanges = exchangesOf([...creations, read(1, 404), read(1, 404), read(7, 404), read(8, 404), read(2, 404)]);
  const subjects = exchanges.map((exchange) => readSubjects(exchanges)(holds('pet-id', exchange)));
  const traitsWith = (...holding: readonly number[]) => {
    const others = holding.map((at) => subjects[at]!);
    return findWhere(subjects.slice(2, 4), others, ['previous']).traits?.map(({ dimension }) => dimension);
  };
  assert.is(traitsWith(4, 5), undefined);
  assert.equal(traitsWith(6), ['white-space']);
  assert.equal(traitsWith(4, 6), ['white-space']);
});

test('of two properties that separate as well, that of the part that is wrong is told', () => {
  const exchanges = exchangesOf([listing('limit=2&status='), listing('status=unknown', 400), listing('limit=0', 400)]);
  const [empty, unknown, zero] = exchanges.map((one) => readSubjects(exchanges)(holds('list-status-refused', one)));
  const told = (failing: EvidenceSubject, holding: EvidenceSubject): string =>
    whereInWords(findWhere([failing], [holding], ['status', 'page']));
  assert.is(told(empty!, unknown!), 'with status filter empty (1 of 1), not with status filter unknown');
  assert.is(told(zero!, unknown!), 'with a wrong limit (1 of 1), not with a wrong status filter');
});

test('a request whose body was left unread is told by its operation', () => {
  const refused = { ...created(1), status: 401 } as const;
  const afterCreations = [refused, listing('', 501), refused, listing('', 501), refused, listing('', 501)];
  const exchanges = exchangesOf([...afterCreations, listing('', 401), listing(''), listing('')]);
  const subjects = exchanges.map((one) => readSubjects(exchanges)(holds('list-answer', one)));
  const failing = [1, 3, 5].map((at) => subjects[at]!);
  assert.is(
    whereInWords(findWhere(failing, subjects.slice(7), ['status', 'page'])),
    'right after createPet with 401 (3 of 3), not right after listPets with 401, listPets with 200',
  );
});

test('the order of requests is told of several exchanges alone: one may be chance', () => {
  const after404 = [read(7, 404), listing('')] as const;
  const exchanges = exchangesOf([...after404, ...after404, ...after404, listing(''), listing('')]);
  const subjectOf = readSubjects(exchanges);
  const subjects = exchanges.map((one) => subjectOf(holds('pet-name', one)));
  const afterMiss = [1, 3, 5].map((at) => subjects[at]!);
  const others = [subjects[7]!];
  assert.is(
    whereInWords(findWhere(afterMiss, others, ['matches'])),
    'right after a 404 (3 of 3), not right after a 200',
  );
  assert.is(findWhere(afterMiss.slice(0, 1), others, ['matches']).traits, undefined);
  // Answers of two statuses came before by chance.
  const afterBoth = [subjects[1]!, subjects[3]!, subjects[6]!];
  const afterCreation = exchangesOf([created(1), listing('')]);
  const other = readSubjects(afterCreation)(holds('pet-name', afterCreation[1]!));
  assert.is(findWhere(afterBoth, [other], ['matches']).traits, undefined);
});

test('what a failure says itself, and what says nothing, is left out', () => {
  const exchanges = exchangesOf([listing('', 500), listing('')]);
  const subjectOf = readSubjects(exchanges);
  const [failing, holding] = exchanges.map((one) => subjectOf(holds('errors-listed', one)));
  assert.equal(findWhere([failing!], [holding!], ['status', 'page']), { failing: 1, holding: 1 });
});

test('a long list of values is cut between two of them', () => {
  const others = ['a very long value of a property', 'another very long value of a property', 'a third value of it'];
  const where = { failing: 1, holding: 3, traits: [{ dimension: 'of-a-later-kit', values: ['x'], others }] };
  const [first, second] = others;
  assert.is(
    whereInWords(where),
    `where of-a-later-kit is x (1 of 1), not where of-a-later-kit is ${first}, ${second}, …`,
  );
  const fitting = ['a'.repeat(40), 'b'.repeat(40)];
  const whole = whereInWords({ failing: 1, holding: 2, traits: [{ ...where.traits[0]!, others: fitting }] });
  assert.ok(whole.endsWith(fitting.join(', ')), whole);
});

/** A request or an answer, and what some of its properties are. */
const readings: readonly (readonly [HandMadeAnswer, Readonly<Record<string, string | undefined>>])[] = [
  [{ request: createPetFrom('') }, { body: 'empty', fault: 'body', name: undefined }],
  [{ request: { operation: 'createPet', method: 'POST', target: '/pets' } }, { body: 'empty' }],
  [{ request: createPetFrom('null') }, { body: 'null', name: undefined, fault: 'body' }],
  [{ request: createPetFrom('[1]') }, { body: 'an array', fault: 'body' }],
  [{ request: createPetFrom('name=Rex', 'text/plain') }, { fault: 'media type', 'media-type': 'text/plain' }],
  [{ request: createPetFrom('{') }, { body: 'no JSON' }],
  [{ request: createPetFrom('[['.repeat(100)) }, { body: 'nested deeply' }],
  [{ request: createPetFrom('{"name":"\udce9"}') }, { body: 'not UTF-8' }],
  [{ request: createPetFrom('{"name":7}') }, { body: 'an object', fault: 'set of fields', categoryId: 'left out' }],
  [{ request: createPet({ name: 7n, categoryId: 1n }) }, { fault: 'name', name: 'a number' }],
  [{ request: createPet({ name: '', categoryId: -1n }) }, { name: 'an empty text', categoryId: 'negative' }],
  [{ request: createPet({ name: 'a', categoryId: {} }) }, { categoryId: 'an object', fault: 'categoryId' }],
  [{ request: createPetFrom('{"name":"a","categoryId":1e300}') }, { categoryId: 'beyond int64' }],
  [{ request: createPet({ name: 'a', categoryId: 2n ** 62n }) }, { categoryId: 'beyond 2^53 that a double holds' }],
  [{ request: createPet({ name: 'a', categoryId: 1n, status: 'sold' }) }, { 'status-sent': 'sold', fault: undefined }],
  [{ request: createPet({ name: 'a', status: 'SOLD ' }) }, { 'status-sent': 'one of the three in another spelling' }],
  [{ request: createPet({ name: 'a', status: 'new' }) }, { 'status-sent': 'an unknown text' }],
  [{ request: createPet({ name: ' ', categoryId: ' ', status: 7n }) }, { name: 'a text', categoryId: 'an empty text' }],
  [{ request: createPet({ name: 'a', categoryId: 1n, status: 7n }) }, { 'status-sent': 'a number' }],
  [{ request: createPet({ name: 'a', categoryId: -(2n ** 40n) }) }, { categoryId: 'beyond 2^31' }],
  [{ request: createPet({ name: 'a', categoryId: 2n ** 31n }) }, { categoryId: 'beyond 2^31' }],
  [{ request: createPet({ name: 'a', categoryId: 2n ** 31n - 1n }) }, { categoryId: 'a small integer' }],
  [{ request: createPet({ name: 'a', categoryId: 0n }) }, { categoryId: 'a small integer' }],
  [created(1), { limit: undefined, filter: undefined, petId: undefined, page: undefined, fault: undefined }],
  [{ request: { ...listPets(''), body: '{"name":" x"}' } }, { name: undefined, 'white-space': undefined }],
  [{ request: { operation: 'other', target: '/dogs?limit=0' } }, { fault: undefined, limit: undefined }],
  [listing('limit='), { limit: 'empty', fault: 'limit', filter: 'none', page: 'an empty page' }],
  [listing('limit=x'), { limit: 'no integer' }],
  [listing('limit=x5'), { limit: 'no integer' }],
  [listing('limit=5x'), { limit: 'no integer' }],
  [listing('limit=05'), { limit: 'an integer with leading zeros' }],
  [listing('limit=0100'), { limit: 'an integer with leading zeros' }],
  [listing('limit=101'), { limit: 'above 100' }],
  [listing('limit=-1'), { limit: 'negative' }],
  [listing('status='), { filter: 'empty', fault: 'status filter' }],
  [listing('status=x'), { filter: 'unknown', limit: 'none' }],
  [listing('x=1'), { fault: 'query' }],
  [read('abc', 404), { petId: 'another text', fault: 'petId', page: undefined }],
  [read('3.!', 404), { petId: 'digits with more behind them' }],
  [read('9223372036854775808', 404), { petId: 'beyond int64' }],
  [{ request: createPetFrom('{"name":"a",}') }, { body: 'JSON with a comma too many' }],
  [{ request: createPetFrom('{"name":"a" /* b */}') }, { body: 'JSON with a comment' }],
  [{ request: createPetFrom('{"name":NaN}') }, { body: 'JSON with NaN, Infinity or undefined' }],
  [{ request: createPetFrom('{"name":"a"} x') }, { body: 'JSON with more behind it' }],
  [{ request: createPet({ name: 'a', categoryId: ' 7 ' }) }, { categoryId: 'a text of digits' }],
  [{ request: createPet({ name: 'a', status: ' ' }) }, { 'status-sent': 'an empty text' }],
  [read('-3', 404), { petId: 'zero or negative' }],
  [read(0, 404), { petId: 'zero or negative' }],
  [read(2n ** 53n, 404), { petId: 'a positive integer', fault: undefined }],
  [read(2n ** 60n, 404), { petId: 'beyond 2^53' }],
  [read(7, 404), { petId: 'a positive integer', status: '404', operation: 'getPet', key: 'the API key' }],
  [
    { ...listing('', 401), credential: noKey },
    { fault: 'key', key: 'no key', credential: 'no Authorization header', authorization: 'no Authorization header' },
  ],
  [
    { ...listing('limit=0', 401), credential: wrongKey('word-null') },
    { fault: 'key', 'beside-the-key': 'limit', authorization: 'Bearer and a token' },
  ],
  [
    { ...listing('', 401), credential: wrongKey('elsewhere') },
    { fault: 'key', 'beside-the-key': undefined },
  ],
];

/** A name, and the properties that it has. */
const namesWith: readonly (readonly [name: string, properties: string])[] = [
  ['Rex', 'small-letters'],
  ['x'.repeat(50), 'small-letters'],
  ['x'.repeat(51), 'longer-than-50 small-letters'],
  ['X'.repeat(100), 'longer-than-50'],
  ['X'.repeat(101), 'longer-than-100 longer-than-50'],
  ['X'.repeat(256), 'longer-than-255 longer-than-100 longer-than-50'],
  ['X'.repeat(1_001), 'longer-than-1000 longer-than-255 longer-than-100 longer-than-50'],
  ['R ', 'white-space'],
  ['A  B', 'blanks'],
  ['<B>', 'markup'],
  ['"B', 'quotes'],
  ['A\\B', 'quotes'],
  ['100 %', 'percent'],
  ['A\0B', 'nul'],
  ['A\ud800', 'surrogate ascii'],
  ['A🦄', 'astral ascii'],
  ['A\u0301', 'normalized compatible ascii'],
  ['\u00c1', 'decomposed ascii'],
  ['\ufb01', 'compatible ascii small-letters'],
  ['A\u2003B', 'compatible other-blanks ascii'],
  ['A\u200dB', 'invisible ascii'],
  ['A\tB', 'control'],
  ['42', 'look-alike'],
  ['NULL', 'look-alike'],
];

test('each property of a name is told apart from the others', () => {
  for (const [name, properties] of namesWith) {
    const exchanges = exchangesOf([created(1, { name })]);
    const subject = readSubjects(exchanges)(holds('pet-name', exchanges[0]!));
    const ofNames = dimensionIds.filter((id) => dimensions[id].say('x') === 'with a name that has x');
    const found = ofNames.filter((id) => dimensions[id].read(subject) !== undefined);
    assert.is(found.join(' '), properties, JSON.stringify(name));
  }
});

test('the properties of an animal are its fields, unknown ones too, and those of its name', () => {
  const ofNames = dimensionIds.filter((id) => dimensions[id].say('x').startsWith('with a name'));
  assert.equal(ofAnimals, ['categoryId', 'status-sent', 'name', 'unknown-fields', ...ofNames]);
});

test('each property is read from what was sent and what came back', () => {
  for (const [answer, expected] of readings) {
    const exchanges = exchangesOf([answer]);
    const subject = readSubjects(exchanges)(holds('pet-id', exchanges[0]!));
    for (const id of dimensionIds.filter((one) => one in expected)) {
      assert.is(dimensions[id].read(subject), expected[id], `${answer.request.target} ${answer.request.body} ${id}`);
    }
    assert.equal(
      Object.keys(expected).filter((id) => !(id in dimensions)),
      [],
    );
  }
});

test('an animal that was asked for too early, a key that was refused before, and requests at once are told', () => {
  const early = exchangesOf([
    read(1, 404),
    created(1),
    { ...listing('', 429) },
    { ...listing(''), events: [7, 11] },
    { ...read(1, 404), events: [9, 13] },
  ]);
  const [first, , , , last] = early.map((one) => readSubjects(early)(holds('pet-id', one)));
  assert.is(dimensions.asked.read(last!), 'asked for before it existed');
  assert.is(dimensions.refused.read(last!), 'after a 429');
  assert.is(dimensions.overlap.read(last!), 'at once with others');
  for (const id of ['asked', 'refused', 'previous', 'overlap'] as const) {
    assert.is(dimensions[id].read(first!), undefined, id);
  }
});

/** What a property of the order says of the last of some answers. */
function lastHas(id: 'asked' | 'refused' | 'previous' | 'matches', ...answers: readonly HandMadeAnswer[]) {
  const exchanges = exchangesOf(answers);
  return dimensions[id].read(readSubjects(exchanges)(holds('pet-id', exchanges.at(-1)!)));
}

test('asked for too early is an animal that a read did not find before its creation', () => {
  const early = 'asked for before it existed';
  assert.is(lastHas('asked', read(1, 404), created(1), read(1, 404)), early);
  assert.is(lastHas('asked', read(2, 404), created(1), read(1, 404)), undefined);
  assert.is(lastHas('asked', read(1, 500), created(1), read(1, 404)), undefined);
  assert.is(lastHas('asked', created(1), read(1, 404), read(1, 404)), undefined);
  assert.is(lastHas('asked', read(1, 404), read(1, 404)), undefined);
});

test('what came before is told of the same key, of an answer, and of the animals that a listing may find', () => {
  const refused = listing('', 429);
  assert.is(lastHas('refused', { ...refused, credential: rateLimitKey(apiKey) }, listing('')), undefined);
  assert.is(lastHas('refused', refused, created(1), listing('')), 'after a 429');
  assert.is(lastHas('previous', { ...refused, isBroken: true }, listing('')), undefined);
  assert.is(lastHas('previous', refused, listing('')), '429');
  const sold = created(1, { status: 'sold' });
  assert.is(lastHas('matches', listing(''), listing('')), 'matches');
  assert.is(lastHas('matches', sold, listing('status=pending')), 'matches');
  assert.is(lastHas('matches', sold, listing('status=sold')), undefined);
  assert.is(lastHas('matches', sold, listing('')), undefined);
  assert.is(lastHas('matches', read(7, 404)), undefined);
});

test.run();
