/** A refusal of a valid body fails only if nothing that the interface leaves open explains it; an invalid body gets 400. */

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { noKey } from '../../../http/credentials.ts';
import { writeJson } from '../../../http/json.ts';
import type { PlannedRequest } from '../../../run/planned-request.ts';
import { whyNothingIsCreated } from '../../../sections/4.2-create-pet/attempts.ts';
import { createPet, createPetFrom, listPets } from '../../../sections/requests.ts';
import { sentenceOf } from '../../../verdict/finding.ts';
import { makeName } from '../../../world/names.ts';
import { checkRows, exchangesOf, failuresIn, type HandMadeAnswer } from '../evidence.ts';

const animalAt = (at: number) => ({ name: makeName('abc123', 10 + at), categoryId: 1n, status: 'available' });

/** Bodies by their letters: plain animals, those that differ in what the interface fixes or leaves open, and invalid ones. */
const bodies: Readonly<Record<string, (plain: ReturnType<typeof animalAt>, last: string) => string>> = {
  v: writeJson,
  s: (plain) => writeJson({ ...plain, status: 'sold' }),
  w: (plain) => writeJson(plain).replaceAll(':', ': '),
  c: (plain) => writeJson({ ...plain, categoryId: 2n, status: 'sold' }),
  f: (plain) => writeJson({ ...plain, categoryId: 2n ** 43n, status: 'sold' }),
  h: (plain) => writeJson({ ...plain, name: `${plain.name} 🦄`, status: 'sold' }),
  o: ({ name, categoryId }) => writeJson({ name, categoryId }),
  L: (plain) => writeJson(plain) + ' '.repeat(512),
  N: () => '{"name":7,"categoryId":1}',
  q: ({ name }) => writeJson({ name, categoryId: 'x' }),
  // The names of the first and the second.
  n: () => writeJson({ ...animalAt(0), status: 'sold' }),
  m: () => writeJson({ ...animalAt(1), status: 'sold' }),
  '=': (_plain, last) => last,
  x: () => '{"categoryId":1}',
  g: (plain) => writeJson({ ...plain, status: 'gone' }),
  G: (plain) => writeJson({ ...plain, name: `${plain.name} 🦄`, status: 'gone' }),
  C: (plain) => writeJson({ ...plain, categoryId: 2n, status: 'gone' }),
  u: (plain) => writeJson({ ...plain, status: 'gone', colour: 'brown' }),
  '[': () => '[1]',
  // 523, 513 and 512 bytes.
  b: () => `[${'1,'.repeat(260)}1]`,
  k: () => `[${'1,'.repeat(254)}101]`,
  K: () => `[${'1,'.repeat(254)}10]`,
};

/** Creations by their letters: with "!" after it, one is answered with the status, else with 201. */
function sent(letters: string, status: number): readonly HandMadeAnswer[] {
  let last = '';
  return letters.split(' ').map(([letter, isAnswered], at) => {
    last = bodies[letter!]!(animalAt(at), last);
    const isCreated = isAnswered === undefined || status === 201;
    return {
      request: createPetFrom(last, 'application/json'),
      status: isAnswered === undefined ? 201 : status,
      ...(isCreated && { body: `{"id":${at},"name":"x","categoryId":1}` }),
    };
  });
}

const differs = (what: string) => `valid-refused: expected 201 as for a body that differs only in ${what}, received`;
const noObject = 'unexpected-status: expected 400 to the body [1], which is no object, received';
const start = `unexpected-status: expected 400 to the body [${'1,'.repeat(58)}..., which is no object, received`;
const gone = 'unexpected-status: expected 400 to the status "gone", which is no PetStatus, received';
const nameless = 'unexpected-status: expected 400 to a body without name, received';

/** The status of the refusals, the creations, and what they show. */
const rows: readonly (readonly [status: number, letters: string, expected?: string])[] = [
  [422, 'v s! v s!', differs('the status sold')],
  [400, 'v w! w! v', differs('the way its JSON is written and sent')],
  [400, 's s v! v! s', differs('the status available')],
  [400, 'v o! v o! v', differs('its missing status')],
  [401, 'v s! v s! v'],
  [413, 'v L! v L! v'],
  // Once, or without similar ones before and after.
  [422, 'v s! v'],
  [422, 's! s! v'],
  [422, 'v s! s!'],
  // One name may be refused, and one that an earlier animal has.
  [422, 'v s! =! v'],
  [400, 'v n! v n! v'],
  [400, 'v v n! m! v'],
  // A store may be full for a while.
  [409, 'v s! s! s v'],
  // Any category and any name may be refused.
  [409, 'v c! h! v c! h! v'],
  // Nothing shows that the rest of the body is accepted.
  ...['g!', 'v u!', 'c! g!', 'h! g!', 'h g!', 'v G!', 'v C!'].map((letters) => [422, letters] as const),
  [422, 'v q!', 'unexpected-status: expected 400 to the categoryId "x", which is no int64, received'],
  [422, 'v N!', 'unexpected-status: expected 400 to the name 7, which is no string, received'],
  ...[302, 500].map((status) => [status, 'v u!', gone] as const),
  [500, 'v!', 'unexpected-status: expected 201 or a refusal (4xx) to a valid body, received'],
  [422, 'v f C!', gone],
  // Bodies beyond 512 bytes may be refused with any 4xx: limits are not shown.
  [413, 'v b! [!', noObject],
  [422, 'v k!'],
  [422, 'v K!', start],
  [401, 'v [!'],
  [500, 'v k!', start],
  // What refuses an ordinary body alike may have read neither: a quota that is used up, or a key that only reads.
  [403, 'v v x! v! x!'],
  [409, 'v v x! v! x!'],
  [403, 'v! [!'],
  // No other status says that nobody has read the body.
  [422, 'v! [!', noObject],
  [409, 'v! x!'],
  [403, 'v v x!', nameless],
  [422, 'v x! v', nameless],
  // Other names and categories are none of an ordinary one, unless nothing is known to be accepted.
  [422, 'v h! x!', nameless],
  [422, 'v c! x!', nameless],
  [403, 'c! [!'],
  [422, 'c! [!', noObject],
];

test('a valid body is answered 201 or refused for what is left open, an invalid one with 400 if its rest is accepted', () => {
  const judged = /^create-(answer|required-fields|invalid-values|malformed-body)$/;
  for (const [status, letters, expected] of rows) {
    const found = failuresIn(sent(letters, status), judged).map(
      ({ failure }) => `${failure.code}: ${sentenceOf(failure)}`,
    );
    assert.equal(found, expected === undefined ? [] : [`${expected} ${status}`], letters);
  }
});

const unrouted = (status: number, what: string) =>
  `unexpected-status: expected 201 or 400 from POST /pets, by its body, received ${status} to each of ${what} bodies`;

test('POST /pets is missing where a router answers every body alike, an invalid one too', () => {
  const shownIn = (letters: string, status: number) =>
    failuresIn(sent(letters, status), /^create-answer$/).map(({ failure, exchanges }) => {
      return [`${failure.code}: ${sentenceOf(failure)}`, exchanges.map(({ number }) => number).join(' ')];
    });
  for (const status of [404, 405, 410]) {
    assert.equal(shownIn('v! [!', status), [[unrouted(status, '2'), '2 1']]);
    assert.equal(shownIn('x! v! v!', status), [[unrouted(status, '3'), '1 2']]);
    // Only an invalid body has no other reason, such as a category that is not known; and one answer may be of another.
    for (const letters of ['v! v!', '[! x!', 'v [! v!', 'v! [! v']) assert.equal(shownIn(letters, status), [], letters);
  }
  assert.equal(shownIn('v! [!', 409), []);
});

test('a refusal of a similar body cites the creations before and after it, and those that were refused, the last of all', () => {
  const [found] = failuresIn(sent('v v s! v s!', 422), /^create-answer$/);
  assert.equal([found?.failure.received, found?.exchanges.map(({ number }) => number)], ['422', [2, 4, 3, 5]]);
});

test('what is repeated after an outage may have been carried out, so that its name is no new one', () => {
  const answers = sent('v s! v s! v', 422);
  assert.is(failuresIn(answers, /^create-answer$/).length, 1);
  const repeated = answers.map((one, at) => (at === 1 ? { ...one, repeats: 1 } : one));
  assert.equal(failuresIn(repeated, /^create-answer$/), []);
});

const body = '{"name":"CFbkcldmaab","categoryId":1}';
const marked = { request: createPetFrom('{"name":"CFbkcldmaab"}'), status: 400 };
const drawn = `${2n ** 40n + 5n}`;
const page = (...animals: readonly object[]) => ({ request: listPets('limit=100'), body: JSON.stringify(animals) });
const animal = { id: 9, name: 'CFbkcldmaab', categoryId: 1 };

const whole = { request: createPetFrom(body), body: JSON.stringify(animal) };
const byCategory = { request: createPetFrom(`{"categoryId":${drawn}}`), status: 400 };
const escaped = { request: createPetFrom(`{"name":"\\u0043Fbkcldmaab","categoryId":${drawn}}`), status: 400 };
const accepted = { request: createPetFrom(`{"name":"CFbkcldmaac","categoryId":${drawn}}`), status: 201 };
const ofCategory = page({ ...animal, name: 'x', categoryId: Number(drawn) });

test('an invalid body is accepted by 201, and may be refused for its query or the way it was sent', () => {
  const pet = createPet({ name: 'Rex', categoryId: 1n });
  const to = (status: number, changes: Partial<PlannedRequest> = {}) => {
    return { request: { ...createPetFrom('[1]', 'application/json'), ...changes }, status };
  };
  const charset = { contentType: 'application/json; charset=utf-8' };
  checkRows({
    'create-malformed-body': [
      ['holds', to(400)],
      ['accepted', to(201)],
      ...[302, 415, 422].map((status) => ['unexpected-status', to(status)] as const),
      ['', to(422, { target: '/pets?a=1' })],
      ['', to(411, { headers: { 'transfer-encoding': 'chunked' } })],
      ['', to(415, charset)],
      ['unexpected-status', to(422, charset)],
    ],
    'create-answer': [
      ['not-an-animal', { request: pet, status: 201, body: '[]' }],
      ['holds', { request: pet, status: 201, body: 'no JSON' }],
      ...[302, 500].map((status) => ['unexpected-status', { request: pet, status }] as const),
      ['', { request: createPetFrom('{"name":"Rex","categoryId":1,"a":1}'), status: 500 }],
      ['', { request: pet, status: 201, credential: noKey }],
    ],
  });
});

test('an animal with the mark of a refused body was stored, unless another request may have stored it', () => {
  checkRows({
    'create-refused-stores-nothing': [
      ['refused-yet-stored', marked, page(animal)],
      ['refused-yet-stored', byCategory, ofCategory],
      // Its name is the mark of a body, and what was accepted may have its category.
      ['refused-yet-stored', escaped, page(animal)],
      ['holds', escaped, ofCategory],
      ['', byCategory, { ...accepted, body: ofCategory.body.slice(1, -1) }, ofCategory],
      ['holds', marked, page()],
      ['', page(animal), marked],
      ['', { ...marked, status: 302 }, page(animal)],
      ['', page(), marked],
      ...[201, 500].map((status) => ['', marked, { ...whole, status }, page(animal)] as const),
      ['', { request: createPetFrom('{"categoryId":1}'), status: 400 }, page(animal)],
      // These pages may not show all animals.
      ['', marked, { request: listPets('status=sold'), body: '[]' }],
      ['', marked, { ...page({ ...animal, name: 'x' }), request: listPets('limit=1') }],
    ],
  });
});

test('a stored animal is told by the last answer that shows it, for a refusal of the key as well', () => {
  const answers = [marked, page(animal), page(), page(animal)];
  const [found] = failuresIn(answers, /^create-refused-stores-nothing$/);
  assert.equal([found?.failure.received, found?.exchanges.map(({ number }) => number)], ['one', [1, 4]]);
  // The answers of other creations, and of pages without a key, show nothing of what a refused one stored.
  const unseen = [
    { ...page(animal), credential: noKey },
    { ...whole, status: 409 },
    { request: createPet({ name: 'Rex', categoryId: 1n }), status: 201, body: JSON.stringify(animal) },
  ] as const;
  for (const one of unseen) assert.equal(failuresIn([marked, one], /^create-refused-stores-nothing$/), []);
  const withoutKey = { ...marked, status: 401, credential: noKey };
  checkRows({
    'auth-refused-stores-nothing': [
      ['refused-yet-stored', withoutKey, page(animal)],
      ['holds', withoutKey, page()],
    ],
  });
});

test('only a name that is unique to the run shows that a creation was carried out twice', () => {
  const codes = (name: string, changes?: { readonly nameTemplate: string }): readonly string[] => {
    const answers = [
      { request: createPet({ name, categoryId: 1n }), status: 201, body: JSON.stringify({ ...animal, name }) },
      page({ ...animal, name, id: 2 }, { ...animal, name }),
    ];
    return failuresIn(answers, /^create-answer$/, changes).map(({ failure }) => failure.code);
  };
  assert.equal(codes('CFbkcldmaab'), ['created-twice']);
  assert.equal(codes('0'), []);
  assert.equal(codes('Pet bklcmdaab', { nameTemplate: 'Pet {n}' }), ['created-twice']);
  assert.equal(codes('Pet', { nameTemplate: 'Pet' }), []);
});

test('if nothing is created, the reason quotes the target and names the option that helps', () => {
  const why = (status: number, message: string, letters = 'v! x!'): string => {
    const body = JSON.stringify({ code: 'c', message, status });
    const exchanges = exchangesOf(sent(letters, status).map((one) => ({ ...one, body })));
    return whyNothingIsCreated({ exchanges, settings: {} }) ?? '';
  };
  assert.match(
    why(409, 'No.'),
    /the plainest with 409 "No\.": where it knows only .* --category-id, or .* --name TEMPLATE$/,
  );
  assert.match(why(403, 'Not for this key.'), /with 403 "Not for this key\.": .*--read-only/);
  assert.match(why(400, 'x'.repeat(500)), /400 "x{116}\.\.\.: /);
  for (const nothing of [why(201, ''), why(202, ''), why(400, '', 'v v!')]) assert.is(nothing, '');
  assert.is(whyNothingIsCreated({ exchanges: exchangesOf([]), settings: {} }), undefined);
});

test.run();
