/** §7: which server errors fail, and how Errors are judged. */

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { PlannedRequest } from '../../../run/planned-request.ts';
import { createPet, createPetFrom, getPet, listPets } from '../../../sections/requests.ts';
import { sentenceOf } from '../../../verdict/finding.ts';
import { failuresIn, type HandMadeAnswer, heldIn, messageOf } from '../evidence.ts';

const list = listPets();
const pet = { name: 'Rex', categoryId: 1n };
const create = createPet(pet);
const withName = (name: string) => createPet({ ...pet, name });
const missing = (body: string, request = getPet(1n)): HandMadeAnswer => ({ request, status: 404, body });
const title = '{"title":"no"}';
const broken: HandMadeAnswer = { request: create, isBroken: true };
const other: HandMadeAnswer = { request: list, seconds: 2 };
const again = (first: HandMadeAnswer, seconds: number): HandMadeAnswer => ({ ...first, repeats: 1, seconds });
/** The request four times in seven seconds, the third one after something else. */
const repeated = (first: HandMadeAnswer, between: readonly HandMadeAnswer[]): readonly HandMadeAnswer[] => [
  first,
  again(first, 1),
  ...between,
  again(first, 3),
  again(first, 7),
];
const failed = (request: PlannedRequest) => [{ request, status: 500 }];
const down: HandMadeAnswer = { request: list, status: 503 };
const found: HandMadeAnswer = { request: getPet(7n), status: 404, seconds: 2 };
const anError = 'expected an Error in the body of the';
const inVain = '4 times in 7 s, while other requests were served';

type Row = readonly [answers: readonly HandMadeAnswer[], ...messages: string[]];
const rows: Readonly<Record<string, readonly [of: RegExp, ...cases: readonly Row[]]>> = {
  'a gateway error, or a broken connection, fails only if it comes again and again while others are served': [
    /^errors-listed$/,
    [repeated(down, [found]), `expected no server error, received 503 ${inVain}`],
    [repeated(down, [])],
    [repeated(broken, [other]), `expected an answer, received none (ECONNRESET) ${inVain}`],
    [repeated(broken, [])],
    [[broken, again(broken, 1), other]],
  ],
  'any other server error fails, and the failure names what was asked for': [
    /^errors-listed$/,
    ...[list, create].map((request): Row => [failed(request), 'expected no server error, received 500']),
    [failed(listPets('limit=0')), 'expected no server error to the query "limit=0", received 500'],
    [failed(getPet(7n)), 'expected no server error to the petId "7", received 500'],
    [[missing('')]],
  ],
  'what is not shown may be answered with any status, or not at all': [
    /^errors-listed$/,
    ...[
      { operation: 'other', method: 'PUT', target: '/pets' } as const,
      getPet('%00'),
      getPet('%E0%A4%A'),
      listPets('limit=%'),
      listPets('status=%ff'),
    ].flatMap((request): readonly Row[] => [[failed(request)], [repeated({ request, isBroken: true }, [other])]]),
  ],
  'a body beyond 512 bytes may break off each time, and a 500 to it fails': [
    /^errors-listed$/,
    ...[withName('n'.repeat(490)), withName('\u00e4'.repeat(245))].flatMap((request): readonly Row[] => [
      [failed(request), 'expected no server error, received 500'],
      [repeated({ request, isBroken: true }, [other])],
    ]),
  ],
  'a code or a message that is empty warns': [
    /not-empty/,
    [[missing('{"code":"c","message":"\\t","status":404}')], 'expected a message that is not empty, received "\\t"'],
    [[missing('{"code":"","message":"","status":404}', listPets('limit=0'))]],
    [[missing('{"code":7,"status":404}')]],
  ],
  'a body that is no JSON is no Error, unless a cut may be its only mistake': [
    /^error-shape$/,
    ...['No.', 'No [a]'].map(
      (body): Row => [[missing(body)], `${anError} 404, received text that is no JSON, near ${body}`],
    ),
    [[missing('[]')], `${anError} 404, received []`],
    [[{ request: createPetFrom('{'), status: 400, body: '7' }], `${anError} 400, received 7`],
    ...['{"code":', ' {', '\ufeff{}', '\u0000N'].map((body): Row => [[missing(body)]]),
    [[{ request: list }]],
  ],
  'each field of an Error is judged by itself': [
    /^error-(code|message|status|status-equals)$/,
    [[missing('{"code":"c","message":"m","status":400}')], 'expected status 404 in the Error, received 400'],
    [[missing('{"message":"m","status":404}')], 'expected code in the Error of the 404: a string, received nothing'],
    [
      [missing('{"code":"c","message":4,"status":4.5}')],
      'expected message in the Error of the 404: a string, received 4',
      'expected status in the Error of the 404: an integer, received 4.5',
    ],
  ],
  'the bodies of unlisted errors are not judged': [
    /^(error-|service-json)/,
    ...[405, 409, 413, 415, 422].map((status): Row => [[{ request: create, status, body: title }]]),
    [[{ request: listPets('limit=0'), status: 400, body: '' }]],
    [[missing('', getPet('abc'))]],
    [[{ request: withName('n'.repeat(4_200)), status: 400, body: '' }]],
  ],
};

for (const [title, [of, ...cases]] of Object.entries(rows)) {
  test(title, () => {
    for (const [at, [answers, ...messages]] of cases.entries()) {
      const found = failuresIn(answers, of).map(({ failure }) => sentenceOf(failure));
      assert.equal(found, messages, `row ${at}`);
    }
  });
}

test('a failure of an Error has a code, and names the field where it is', () => {
  const error = (fields: string): HandMadeAnswer => missing(`{${fields}}`);
  for (const [answers, ...messages] of [
    [[missing('[]')], `error-shape not-an-object: ${anError} 404, received []`],
    [[missing('No.')], `error-shape not-json: ${anError} 404, received text that is no JSON, near No.`],
    [
      [error('"code":"c","message":4')],
      'error-message message-wrong: expected message in the Error of the 404: a string, received 4 at /message',
      'error-status status-missing: expected status in the Error of the 404: an integer, received nothing at /status',
    ],
    [
      [error('"code":"","message":"m","status":400')],
      'error-not-empty code-empty: expected a code that is not empty, received "" at /code',
      'error-status-equals status-differs: expected status 404 in the Error, received 400 at /status',
    ],
    [
      failed(getPet(7n)),
      'errors-listed server-error: expected no server error to the petId "7", received 500 to petId "7"',
    ],
    [repeated(down, [found]), `errors-listed server-error: expected no server error, received 503 ${inVain}`],
    [
      repeated({ request: listPets('limit=0'), status: 503 }, [found]),
      `errors-listed server-error: expected no server error, received 503 ${inVain}`,
    ],
    [repeated(broken, [other]), `errors-listed no-answer: expected an answer, received none (ECONNRESET) ${inVain}`],
  ] as readonly Row[]) {
    const shown = failuresIn(answers, /^error/).map((one) => `${one.requirement} ${messageOf(one)}`);
    assert.equal(shown, messages);
  }
});

test('an Error is evidence of each of its sentences, but not after the removal of getPet', () => {
  const answers = [missing('{"code":"c","message":"m","status":404}')];
  const held = ['error-shape', 'error-code', 'error-message', 'error-status', 'error-not-empty', 'error-status-equals'];
  assert.equal(heldIn(answers, /^error-/), held);
  assert.equal(heldIn(answers, /^error/, { today: Date.UTC(2031, 0, 1) }), []);
});

test('a media type other than that of JSON is named', () => {
  const [found] = failuresIn([{ request: list, headers: { 'content-type': 'text/plain' } }], /^service-json$/);
  assert.is(messageOf(found!), 'not-application-json: expected the media type application/json, received text/plain');
});

test.run();
