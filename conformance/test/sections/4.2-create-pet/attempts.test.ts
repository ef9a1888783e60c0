/** §4.2: what the creations so far show of names, categories and ways of sending, and which of them show it alone. */

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { noKey } from '../../../http/credentials.ts';
import { trialSettings } from '../../../proof/trial.ts';
import type { PlannedRequest } from '../../../run/planned-request.ts';
import { attemptsIn, departing, isFarFromZero, learnedIn } from '../../../sections/4.2-create-pet/attempts.ts';
import { createPet, createPetFrom, listPets } from '../../../sections/requests.ts';
import { makeName } from '../../../world/names.ts';
import { readWorld } from '../../../world/world.ts';
import { exchangesOf, type HandMadeAnswer } from '../evidence.ts';

const worldOf = (answers: readonly HandMadeAnswer[]) => readWorld(exchangesOf(answers), trialSettings(60));
const plain = (at: number, fields = {}) => ({ name: makeName('abc123', at), categoryId: 1n, ...fields });

/** A creation with a plain name; without a status it is accepted. */
function creation(at: number, fields = {}, status = 201): HandMadeAnswer {
  return { request: createPet(plain(at, fields)), status, ...(status === 201 && { body: `{"id":${at}}` }) };
}

const refused = (at: number, fields = {}, status = 422): HandMadeAnswer => creation(at, fields, status);
const from = (body: string, part: Partial<PlannedRequest> = {}, status = 422): HandMadeAnswer => ({
  request: { ...createPetFrom(body), ...part },
  status,
});

test('a creation with a name and a category is an attempt, as far as the service answered it with the key', () => {
  const [own] = attemptsIn(worldOf([creation(1, { status: 'sold' })]));
  const { name, categoryId, status, isPlain, isValid, isAccepted, isRefused } = own!;
  assert.equal(
    [name, categoryId, status, isPlain, isValid, isAccepted, isRefused],
    [makeName('abc123', 1), 1n, 'sold', true, true, true, false],
  );
  const none: readonly HandMadeAnswer[] = [
    { ...creation(1), request: { ...listPets(), body: '{"name":"Rex","categoryId":1}' } },
    { ...creation(1), credential: noKey },
    { ...creation(1), isBroken: true },
    refused(1, { name: 7n }),
    refused(1, { categoryId: 'x' }),
    refused(1, { status: 'gone' }),
    from('{"name":"a","name":"b","categoryId":1}'),
    from('{"name":"\\ud800","categoryId":1}'),
    from('[1]'),
  ];
  for (const one of none) {
    assert.equal(learnedIn(worldOf([one])).attempts, [], `${one.request.target} ${one.request.body}`);
  }
});

test('a refusal of the content has a status from 400 to 499 that is not about the key', () => {
  const isRefused = (status: number) => attemptsIn(worldOf([refused(1, {}, status)]))[0]?.isRefused;
  assert.equal([302, 400, 401, 403, 409, 422, 499, 500].map(isRefused), [
    false,
    true,
    false,
    true,
    true,
    true,
    true,
    false,
  ]);
});

test('what the interface leaves open is no attempt of a valid animal, and shows no category that is accepted', () => {
  const open = worldOf([creation(1, { colour: 'brown', categoryId: 5n })]);
  assert.equal(attemptsIn(open), []);
  assert.equal([learnedIn(open).attempts.length, [...learnedIn(open).categories]], [1, []]);
  assert.equal([...learnedIn(worldOf([creation(1, { categoryId: 5n })])).categories], [5n]);
});

test('a category is far from zero beyond 2^42, on either side', () => {
  const far = 2n ** 42n;
  assert.equal([far, far + 1n, -far, -far - 1n, 0n].map(isFarFromZero), [false, true, false, true, false]);
});

/** What departs, the creations, and the numbers of those that show how it is treated. */
const departures: readonly (readonly [Parameters<typeof departing>[1], readonly HandMadeAnswer[], string])[] = [
  ['category', [creation(1), refused(2, { categoryId: 2n }), creation(3)], '2'],
  ['category', [creation(1), refused(2, { categoryId: 2n, id: 9n }), creation(3)], ''],
  ['category', [creation(1), creation(2, { categoryId: 2n }), refused(3, { categoryId: 2n }), creation(4)], ''],
  ['name', [creation(1), refused(2, { name: 'Rex' }), creation(3)], '2'],
  ['name', [creation(1), creation(2, { name: 'Rex' }), refused(3, { name: 'Rex' }), creation(4)], ''],
  ['namesake', [creation(1), refused(1), creation(3)], '2'],
  ['namesake', [creation(1), { ...refused(2), repeats: 1 }, creation(3)], '2'],
  ['namesake', [creation(1), creation(1), creation(3)], '2'],
  ['namesake', [creation(1), refused(2), creation(3)], ''],
  ['id', [creation(1), refused(2, { id: 9n }), creation(3)], '2'],
  ['id', [creation(1, { id: 9n }), creation(3)], '1'],
  ['fields', [creation(1), refused(2, { colour: 'brown' }), creation(3)], '2'],
  ['fields', [creation(1), refused(2, { id: 9n }), creation(3)], ''],
  [
    'media-type',
    [creation(1), { ...refused(2), request: { ...refused(2).request, contentType: 'text/plain' } }, creation(3)],
    '2',
  ],
  [
    'chunked',
    [
      creation(1),
      { ...refused(2), request: { ...refused(2).request, headers: { 'transfer-encoding': 'chunked' } } },
      creation(3),
    ],
    '2',
  ],
  ['chunked', [creation(1), refused(2), creation(3)], ''],
  // What is refused after the last acceptance may be refused for want of room.
  ['category', [creation(1), creation(3), refused(2, { categoryId: 2n })], ''],
  ['category', [refused(2, { categoryId: 2n })], ''],
  // Of what was accepted, every departure shows its own.
  ['id', [creation(1), creation(2, { id: 9n, colour: 'brown' }), creation(3)], '2'],
  ['fields', [creation(1), creation(2, { id: 9n, colour: 'brown' }), creation(3)], '2'],
];

test('how a departure is treated is shown by what was accepted with it, or refused for nothing else', () => {
  for (const [departure, answers, expected] of departures) {
    const shown = departing(worldOf(answers), departure).map(({ exchange }) => exchange.number);
    const bodies = answers.map(({ request, status }) => `${request.body} ${status}`).join(', ');
    assert.is(shown.join(' '), expected, `${departure}: ${bodies}`);
  }
});

test('a category in decimals departs, in whatever way it is written', () => {
  const name = makeName('abc123', 2);
  for (const [category, isDecimal] of [
    ['1.0', true],
    ['12.0', true],
    ['1e0', true],
    ['1E0', true],
    ['-1.0', true],
    ['1', false],
    ['12', false],
  ] as const) {
    for (const [before, behind] of [
      ['', ''],
      [' ', '\n '],
    ] as const) {
      const body = `{"name":"${name}","categoryId"${before}:${behind}${category}}`;
      const answers = [creation(1), { ...from(body, {}, 201), body: '{"id":2}' }, creation(3)];
      const shown = departing(worldOf(answers), 'decimal').map(({ exchange }) => exchange.number);
      assert.equal(shown, isDecimal ? [2] : [], body);
    }
  }
});

test.run();
