/** The causes of a report: what is about one animal or one key is one cause, and each says where it shows. */

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { FailureCode } from '../../../spec/failure-codes.ts';
import type { RequirementId } from '../../../spec/requirements.ts';
import { rateLimitKey } from '../../http/credentials.ts';
import type { Exchange } from '../../http/exchange.ts';
import { findCredential } from '../../sections/5-authentication/credentials.ts';
import { createPet, listPets } from '../../sections/requests.ts';
import { type Counterexample, type Failing, type FailureFacts, fails, holds } from '../../verdict/finding.ts';
import { chooseCauses } from '../../verdict/report-causes.ts';
import { whereInWords } from '../../verdict/where.ts';
import { verdictOf } from '../run/hand-made.ts';
import { animalOf, apiKey, created, exchangesOf, type HandMadeAnswer, page, read } from '../sections/evidence.ts';

/** A failure that some exchanges show, by their places. */
type FailingRow = readonly [RequirementId, FailureCode, places: readonly number[], facts?: Partial<FailureFacts>];

const placesIn = (exchanges: readonly Exchange[], places: readonly number[]) => places.map((at) => exchanges[at]!);

function findingOf(exchanges: readonly Exchange[], [id, code, places, facts]: FailingRow): Failing {
  return fails(id, code, { expected: 'this', received: 'that', ...facts }, ...placesIn(exchanges, places)) as Failing;
}

/** The causes of some failures; a requirement holds in the exchanges at its places, where any are given. */
function chosen(
  answers: readonly HandMadeAnswer[],
  rows: readonly FailingRow[],
  holding: Readonly<Partial<Record<RequirementId, readonly number[]>>> = {},
  shown?: FailingRow,
) {
  const exchanges = exchangesOf(answers);
  const byId = Map.groupBy(rows, ([id]) => id);
  const verdicts = [...byId].map(([id, ofId]) => {
    const failures = ofId.map((row) => findingOf(exchanges, row));
    const places = holding[id];
    if (places === undefined) return verdictOf(id, 'fail', { failures });
    return verdictOf(id, 'fail', { failures, holding: placesIn(exchanges, places).map((one) => holds(id, one)) });
  });
  const passed = verdictOf('pet-status', 'pass', { holding: [] });
  const finding = shown && findingOf(exchanges, shown);
  const counterexamples = new Map<RequirementId, Counterexample>();
  if (finding !== undefined) {
    counterexamples.set(finding.requirement, { finding, exchanges: finding.exchanges, recheck: 'fails-again' });
  }
  return chooseCauses([passed, ...verdicts], exchanges, counterexamples);
}

/** The requirements of each cause. */
function causesOf(answers: readonly HandMadeAnswer[], ...rows: readonly FailingRow[]): readonly string[] {
  return chosen(answers, rows).causes.map(({ requirements }) => requirements.map(({ id }) => id).join(' '));
}

/** Where the first cause shows. */
function whereOf(
  answers: readonly HandMadeAnswer[],
  holding: Readonly<Partial<Record<RequirementId, readonly number[]>>>,
  ...rows: readonly FailingRow[]
): string | undefined {
  const where = chosen(answers, rows, holding).causes[0]?.where;
  return where && whereInWords(where);
}

const listing = (query: string, status = 200): HandMadeAnswer => ({ request: listPets(query), status });
const wrongName = { request: createPet({ name: 7n, categoryId: 1n }), status: 201, body: '{"id":1,"name":7}' };
const accepted: FailingRow = ['create-invalid-values', 'accepted', [0]];

test('a value that was accepted has one cause with what shows it later of the same animal, and none with another animal', () => {
  const shownOf = (id: number, entry = {}) => page('', { id: BigInt(id), ...entry });
  const answers = [wrongName, created(2), shownOf(1), shownOf(2)];
  const pointer = '/0/name';
  assert.equal(causesOf(answers, accepted, ['pet-name', 'name-wrong', [2], { pointer }]), [
    'create-invalid-values pet-name',
  ]);
  assert.equal(causesOf(answers, accepted, ['pet-name', 'name-wrong', [3], { pointer }]), [
    'create-invalid-values',
    'pet-name',
  ]);
});

test('an animal that was found by no int64 has one cause with its id in the same answer, and none with that of another one', () => {
  const found: FailingRow = ['get-id-not-int64', 'found', [0]];
  const answers = [read('abc', 200), read('abd', 200)];
  assert.equal(causesOf(answers, found, ['pet-id', 'id-wrong', [0]]), ['get-id-not-int64 pet-id']);
  assert.equal(causesOf(answers, found, ['pet-id', 'id-wrong', [1]]), ['get-id-not-int64', 'pet-id']);
});

test('a wrong key that is accepted has one cause with its other answers, and none with those of another key', () => {
  const accepts: FailingRow = ['auth-bearer-header', 'accepted', [0]];
  const refuses: FailingRow = ['auth-invalid-key', 'unexpected-status', [1], { status: 400 }];
  const [one, other] = ['without-scheme', 'elsewhere'].map((id) => findCredential(id, { api: apiKey })!);
  const sent = (credential = one!): HandMadeAnswer => ({ ...listing('limit=0', 400), credential });
  assert.equal(causesOf([sent(), sent()], accepts, refuses), ['auth-bearer-header auth-invalid-key']);
  const two = ['auth-bearer-header', 'auth-invalid-key'];
  assert.equal(causesOf([sent(), sent(other)], accepts, refuses), two);
  for (const right of [undefined, rateLimitKey(apiKey)]) {
    const answer = right === undefined ? listing('') : { ...listing(''), credential: right };
    assert.equal(causesOf([answer, answer], accepts, refuses), two);
  }
});

test('server errors are one cause where an operation gives nothing else', () => {
  const error = (query: string): FailingRow => [
    'errors-listed',
    'server-error',
    [query === '' ? 0 : 1],
    { status: 500 },
  ];
  const errors = [listing('', 500), listing('limit=0', 500)];
  const causesWith = (...others: readonly HandMadeAnswer[]): number =>
    causesOf([...errors, ...others], error(''), error('limit=0')).length;
  assert.is(causesWith(), 1);
  assert.is(causesWith(created(1)), 1);
  assert.is(causesWith(listing('limit=5')), 2);
  // No answer is none that an operation gives.
  assert.is(causesWith({ ...listing('limit=5'), isBroken: true }), 1);
});

test('where the failure says which status came, it is told by another property', () => {
  const answers = [listing('limit=5', 500), listing('limit=5', 500), listing(''), listing('')];
  const holding = { 'list-answer': [2, 3], 'errors-listed': [2, 3] } as const;
  const both = [0, 1] as const;
  const wrong = both.map((at): FailingRow => ['list-answer', 'unexpected-status', [at], { status: 500 }]);
  assert.is(whereOf(answers, holding, ...wrong), 'with limit from 1 to 100 (2 of 2), not with limit none');
  const untold = both.map((at): FailingRow => ['list-answer', 'not-json', [at]]);
  assert.is(whereOf(answers, holding, ...untold), 'on 500 (2 of 2), not on 200');
  for (const code of ['accepted', 'not-refused', 'found', 'valid-refused', 'removed-early'] as const) {
    const rows = both.map((at): FailingRow => ['list-answer', code, [at]]);
    assert.match(whereOf(answers, holding, ...rows) ?? '', /^with limit from 1 to 100 /, code);
  }
});

test('a status that only says again that the answer is wrong is left out, with the page', () => {
  const answers = [listing('', 400), listing('')];
  const row: FailingRow = ['list-answer', 'unexpected-status', [0], { status: 400 }];
  const { causes } = chosen(answers, [row], { 'list-answer': [1] });
  assert.equal(causes[0]?.where, { failing: 1, holding: 1 });
});

const oddCreation = (id: number) => created(id, { name: ' Rex' });
const readOf = (id: number, name: string) => read(id, animalOf(id, { name }));
const withWhiteSpace = ['white-space'];

test('an animal is described where a field of it is wrong or three of them fail, and never for keys and limits', () => {
  const creations = [oddCreation(1), oddCreation(2), oddCreation(3), created(4, { name: 'Mia' })];
  const reads = [readOf(1, ' Rex'), readOf(2, ' Rex'), readOf(3, ' Rex'), readOf(4, 'Mia')];
  const dimensionsOf = (rows: readonly FailingRow[], holding: number): readonly string[] | undefined => {
    const { causes } = chosen([...creations, ...reads], rows, { [rows[0]![0]]: [holding] });
    return causes[0]?.where?.traits?.map(({ dimension }) => dimension);
  };
  const reading = (at: number, facts = {}): FailingRow => ['get-answer', 'another-animal', [at], facts];
  assert.is(dimensionsOf([reading(4)], 7), undefined);
  assert.is(dimensionsOf([reading(4), reading(5)], 7), undefined);
  assert.equal(dimensionsOf([reading(4), reading(5), reading(6)], 7), withWhiteSpace);
  assert.equal(dimensionsOf([reading(4, { input: { name: 'name', value: '" Rex"' } })], 7), withWhiteSpace);
  assert.equal(dimensionsOf([reading(4, { pointer: '/name' })], 7), withWhiteSpace);
  assert.equal(dimensionsOf([['pet-name-kept', 'name-changed', [0]]], 3), withWhiteSpace);
  assert.is(dimensionsOf([['auth-valid-key', 'name-changed', [0]]], 3), undefined);
  assert.is(dimensionsOf([['rate-limit-header', 'missing', [0]]], 3), undefined);
});

test('where a failure shows is told of all requirements with its code, and of all codes of its requirement', () => {
  const missing = [listing(''), listing('limit=5', 404), listing('', 400), listing('', 401)];
  const rows: readonly FailingRow[] = [
    ['rate-limit-header', 'missing', [0]],
    ['rate-remaining-header', 'missing', [1]],
  ];
  const wherever = (holding: Parameters<typeof chosen>[2], more: readonly FailingRow[] = []) =>
    chosen(missing, [...rows, ...more], holding).causes[0]?.where;
  assert.is(
    whereOf(missing, { 'rate-limit-header': [2], 'rate-remaining-header': [3] }, ...rows),
    'on 200, 404 (2 of 2), not on 400, 401',
  );
  assert.equal(wherever({ 'rate-limit-header': [2] })?.holding, 1);
  assert.is(wherever({}), undefined);
  // Another cause has no part in it.
  const unrelated: FailingRow = ['list-limit', 'too-many', [3]];
  assert.equal(wherever({ 'rate-limit-header': [2], 'list-limit': [3] }, [unrelated])?.holding, 1);
});

test('what follows from a mistake does not say where the mistake shows', () => {
  const answers = [wrongName, created(2), page('', { id: 1n, name: 7n })];
  const rows: readonly FailingRow[] = [accepted, ['pet-name', 'name-wrong', [2], { pointer: '/0/name' }]];
  const { causes } = chosen(answers, rows, { 'create-invalid-values': [1], 'pet-name': [1, 2] });
  assert.is(causes.length, 1);
  assert.equal([causes[0]?.where?.failing, causes[0]?.where?.holding], [1, 1]);
});

test('several answers of one limit show nothing by the last of them', () => {
  const answers = [listing('', 404), listing('limit=5', 404), listing('limit=5')];
  const whereShown = (id: RequirementId, code: FailureCode, ...places: readonly number[]) =>
    whereOf(answers, { [id]: [2] }, [id, code, places]);
  assert.is(whereShown('rate-remaining-falls', 'rises', 0, 1), undefined);
  assert.is(whereShown('rate-limit-header', 'missing', 1), 'on 404 (1 of 1), not on 200');
  assert.is(whereShown('list-complete', 'animal-missing', 0, 1), 'on 404 (1 of 1), not on 200');
});

test('each requirement is compared with the exchanges in which it holds itself', () => {
  const answers = [listing('', 404), listing('limit=5'), listing('limit=5', 401)];
  const rows: readonly FailingRow[] = [
    ['list-answer', 'not-an-array', [1]],
    ['list-limit', 'too-many', [0]],
  ];
  const { causes, failures, ways } = chosen(answers, rows, { 'list-limit': [2] });
  assert.equal(
    causes.map(({ where }) => where && whereInWords(where)),
    [undefined, 'on 404 (1 of 1), not on 401'],
  );
  assert.equal(
    [...failures].map(([id, own]) => [id, own.map(({ failure }) => failure.code)]),
    [
      ['list-answer', ['not-an-array']],
      ['list-limit', ['too-many']],
    ],
  );
  assert.equal([...ways], [['list-limit', ['too-many: on 404']]]);
});

test('the ways of a requirement are told once each, in the order of the alphabet', () => {
  const answers = [listing('', 404), listing('limit=5', 404), listing('limit=5', 401), listing('')];
  const rows = [0, 1, 2].map((at): FailingRow => ['rate-limit-header', 'missing', [at]]);
  const { ways } = chosen(answers, rows, { 'rate-limit-header': [3] });
  assert.equal([...ways], [['rate-limit-header', ['missing: on 401', 'missing: on 404']]]);
});

test('the counterexample stands first among failures of its own input, status and operation', () => {
  const answers = [listing('', 500), created(1), created(1, { name: 'Mia' }), read(7, 500), listing('limit=5', 500)];
  const kinds = (one: FailingRow, other: FailingRow, noted: FailingRow) => {
    const { failures } = chosen([...answers, ...answers], [one, other], {}, noted);
    return [...failures.values()][0]!.map(({ exchanges: [first] }) => first!.number);
  };
  const inputOf = (name: string) => ({ input: { name, value: 'of no matter' } });
  const taken = (at: number, name: string): FailingRow => ['create-invalid-values', 'accepted', [at], inputOf(name)];
  assert.equal(kinds(taken(1, 'name'), taken(2, 'categoryId'), taken(7, 'categoryId')), [8, 2]);
  const refused = (at: number, status: number): FailingRow => ['list-answer', 'unexpected-status', [at], { status }];
  assert.equal(kinds(refused(0, 400), refused(4, 422), refused(9, 422)), [10, 1]);
  const broken = (at: number): FailingRow => ['errors-listed', 'server-error', [at], { status: 500 }];
  assert.equal(kinds(broken(0), broken(3), broken(8)), [9, 1]);
});

test.run();
