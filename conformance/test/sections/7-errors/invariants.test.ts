/** §7: which server errors fail, and how Errors are judged. */

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { requirements } from '../../../../spec/requirements.ts';
import { noKey } from '../../../http/credentials.ts';
import { sentenceOf } from '../../../verdict/failure.ts';
import { createPet, getPet, listPets } from '../../../world/requests.ts';
import { failuresIn, type HandMadeAnswer, heldIn } from '../evidence.ts';

function messages(answers: readonly HandMadeAnswer[], requirement = /^errors-listed$/): readonly string[] {
  return failuresIn(answers, requirement).map(({ failure }) => sentenceOf(failure));
}

const list = listPets();
const pet = { name: 'Rex', categoryId: 1n };

test('a server error on an operation fails, with any key', () => {
  for (const [request, value] of [
    [list, ''],
    [createPet(pet), ''],
    [getPet('abc'), ' to the petId "abc"'],
    [listPets('limit=%2B1'), ' to the query "limit=%2B1"'],
  ] as const) {
    assert.equal(messages([{ request, status: 500 }]), [`expected no server error${value}, received 500`]);
    assert.is(messages([{ request, status: 501, credential: noKey }]).length, 1);
  }
  assert.equal(heldIn([{ request: list, status: 400 }], /^errors-listed$/), ['errors-listed']);
});

const repeated = (seconds: number, part: Partial<HandMadeAnswer> = {}): HandMadeAnswer => ({
  request: list,
  repeats: 1,
  seconds,
  ...part,
});

test('a gateway error fails only if the same request fails again and again while others are served', () => {
  for (const status of [502, 503, 504]) {
    const first: HandMadeAnswer = { request: list, status };
    assert.equal(messages([first]), []);
    assert.equal(messages([first, repeated(1)]), []);
    assert.equal(messages([first, repeated(1, { status })]), []);
    const other: HandMadeAnswer = { request: getPet(7n), status: 404, seconds: 2 };
    const attempts = [first, repeated(1, { status }), other, repeated(3, { status }), repeated(7, { status })];
    assert.equal(messages(attempts), [
      `expected no server error, received ${status} 4 times in 7 s, while other requests were served`,
    ]);
    assert.equal(messages(attempts.filter((one) => one !== other)), []);
    assert.equal(
      failuresIn(attempts, /^errors-l/)[0]?.exchanges.map(({ number }) => number),
      [1, 2, 4, 3, 5],
    );
  }
});

test('a connection that breaks for the same request again and again fails while others are served', () => {
  const broken: HandMadeAnswer = { request: createPet(pet), isBroken: true };
  const other: HandMadeAnswer = { request: list, seconds: 2 };
  const again = (seconds: number): HandMadeAnswer => ({ ...broken, repeats: 1, seconds });
  assert.equal(messages([broken, again(1), other, again(3), again(7)]), [
    'expected an answer, received none (ECONNRESET) 4 times in 7 s, while other requests were served',
  ]);
  assert.equal(messages([broken, again(1), again(3), again(7)]), []);
  assert.equal(messages([broken, again(1), other]), []);
});

test('paths, methods and escapes that are not shown, and bodies beyond 4 KiB, may be answered with any status', () => {
  const long = createPet({ ...pet, name: 'n'.repeat(4_200) });
  const wide = createPet({ ...pet, name: '\u00e4'.repeat(2_100) });
  const requests = [
    { operation: 'other', method: 'PUT', target: '/pets' } as const,
    getPet('%00'),
    getPet('%E0%A4%A'),
    listPets('limit=%'),
    listPets('status=%ff'),
    long,
    wide,
  ];
  for (const request of requests) {
    assert.equal(messages([{ request, status: 500 }]), [], request.target);
    const broken: HandMadeAnswer = { request, isBroken: true };
    assert.equal(messages([broken, broken, { request: list }]), [], request.target);
  }
  assert.is(messages([{ request: createPet({ ...pet, name: 'n'.repeat(4_000) }), status: 500 }]).length, 1);
});

const fine: HandMadeAnswer = { request: list };
const spoilt: HandMadeAnswer = { request: list, status: 500 };
const creation: HandMadeAnswer = { request: createPet({ ...pet, name: 'a\ud83e' }), status: 201 };

test('listings that fail from one creation on are one failure, which names it', () => {
  const [failure, ...others] = failuresIn([fine, creation, spoilt, spoilt, spoilt], /^errors-listed$/);
  assert.equal(others, []);
  assert.is(failure?.failure.code, 'listings-spoilt');
  assert.is(
    sentenceOf(failure!.failure),
    'expected no server error, received 500 for every listing after the creation #2 of "a\\ud83e"',
  );
  assert.equal(
    failure?.exchanges.map(({ number }) => number),
    [1, 2, 3, 4],
  );
});

test('if several creations may be the cause, none is named, and more than eight are not cited', () => {
  const [two] = failuresIn([fine, creation, creation, spoilt, spoilt], /^errors-listed$/);
  assert.match(sentenceOf(two!.failure), 'after one of 2 creations (#2 to #3)');
  assert.is(two?.exchanges.length, 5);
  const many = failuresIn([fine, ...Array.from({ length: 9 }, () => creation), spoilt, spoilt], /^errors-listed$/);
  assert.is(many[0]?.exchanges.length, 3);
});

test('a creation that fails or is not answered may be the cause of failing listings', () => {
  for (const suspect of [{ ...creation, status: 500 }, { request: creation.request, isBroken: true } as const]) {
    const answers = failuresIn([fine, suspect, spoilt, spoilt], /^errors-listed$/);
    assert.match(sentenceOf(answers[0]!.failure), 'for every listing after the creation #2');
  }
});

test('listings that fail for another reason are reported one by one', () => {
  const refused: HandMadeAnswer = { ...creation, status: 400 };
  for (const answers of [
    [fine, creation, spoilt],
    [fine, refused, spoilt, spoilt],
    [fine, creation, spoilt, spoilt, fine],
    [creation, spoilt, spoilt],
    [creation, fine, spoilt, spoilt],
  ]) {
    const failures = failuresIn(answers, /^errors-listed$/);
    assert.ok(
      failures.every(({ failure }) => failure.code === 'server-error'),
      JSON.stringify(answers.map(({ status }) => status)),
    );
    assert.is(failures.length, answers.filter(({ status }) => status === 500).length);
  }
  for (const other of [{ request: listPets('limit=0') }, { request: list, credential: noKey }]) {
    const broken: HandMadeAnswer = { ...other, status: 500 };
    assert.is(failuresIn([fine, creation, broken, broken], /^errors-listed$/).length, 2);
  }
});

test('a code or a message that is empty warns', () => {
  const answers = (body: string, request = getPet(1n)): readonly HandMadeAnswer[] => [{ request, status: 404, body }];
  assert.equal(messages(answers('{"code":"","message":"m","status":404}'), /not-empty/), [
    'expected a code that is not empty, received ""',
  ]);
  assert.is(messages(answers('{"code":" ","message":"\\t","status":404}'), /not-empty/).length, 2);
  assert.equal(messages(answers('{"code":"","message":"","status":404}', listPets('limit=0')), /not-empty/), []);
  assert.equal(messages(answers('{"code":7,"status":404}'), /not-empty/), []);
  assert.is(requirements.find(({ id }) => id === 'error-not-empty')?.level, 'advised');
});

test('the bodies of unlisted errors are not judged', () => {
  const body = '{"title":"no"}';
  for (const status of [405, 409, 413, 415, 422]) {
    assert.equal(failuresIn([{ request: createPet(pet), status, body }], /^(error-|service-json)/), []);
  }
  assert.equal(failuresIn([{ request: listPets('limit=0'), status: 400, body: '' }], /^(error-|service-json)/), []);
  assert.equal(failuresIn([{ request: getPet('abc'), status: 404, body: '' }], /^(error-|service-json)/), []);
  const large = createPet({ ...pet, name: 'n'.repeat(4_200) });
  assert.equal(failuresIn([{ request: large, status: 400, body: '' }], /^(error-|service-json)/), []);
  assert.is(failuresIn([{ request: createPet(pet), status: 400, body }], /^error-/).length, 3);
});

test('an error without JSON fails once, and other messages refer to that failure', () => {
  const answers: readonly HandMadeAnswer[] = [{ request: getPet(1n), status: 404, body: '<h1>Not Found</h1>' }];
  assert.equal(messages(answers, /^error-shape$/), ['expected an Error in the body of the 404, received no JSON']);
  assert.match(messages(answers, /^service-json$/)[0] ?? '', 'expected a JSON body with the 404');
});

test.run();
