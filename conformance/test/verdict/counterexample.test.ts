/** Counterexamples: of all evidence for a failure the smallest is shown. */

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { rateLimitKey } from '../../http/credentials.ts';
import type { Exchange } from '../../http/exchange.ts';
import {
  isSameFailure,
  plainestFailures,
  requiredCreations,
  shortestSequence,
  stepOf,
} from '../../verdict/counterexample.ts';
import { type Failing, fails, holds } from '../../verdict/finding.ts';
import { exchangeOf } from '../run/hand-made.ts';

/** A creation with a body of so many characters. */
const creation = (number: number, length: number): Exchange =>
  exchangeOf(number, { request: { method: 'POST', target: '/pets', headers: {}, body: 'x'.repeat(length) } });

const failing = (code: 'id-missing' | 'id-not-int64', ...exchanges: readonly Exchange[]) =>
  fails('pet-id', code, { expected: code, received: 'none' }, ...exchanges);

const chosen = (...findings: Parameters<typeof plainestFailures>[0]) =>
  plainestFailures(findings).map(({ requirement, exchanges }) => [requirement, exchanges.map(({ number }) => number)]);

const crowded = exchangeOf(2, { request: { ...exchangeOf(2).request, headers: { cookie: 'k'.repeat(900) } } });
const used = { ...creation(1, 10), credential: rateLimitKey('used-up').shown };
const two = failing('id-missing', creation(1, 20), creation(2, 20));

/** What is shown of failures of one code: the numbers of its exchanges. */
const rows: Readonly<Record<string, readonly [readonly Failing[], number[]]>> = {
  'the shortest request, whichever came first': [
    [creation(1, 5_400), creation(2, 40), creation(3, 90)].map((one) => failing('id-missing', one)),
    [2],
  ],
  'headers count, since some credentials fill many of them': [
    [failing('id-missing', crowded), failing('id-missing', creation(3, 300))],
    [3],
  ],
  'two short requests are smaller than one long one': [
    [failing('id-missing', creation(3, 400)), two],
    [1, 2],
  ],
  'and larger than one short one': [[two, failing('id-missing', creation(3, 60))], [3]],
  'the key that is used up is shown only where there is no other': [
    [failing('id-missing', used), failing('id-missing', creation(2, 900))],
    [2],
  ],
  'or alone': [[failing('id-missing', used)], [1]],
};

test('of all evidence the smallest is shown', () => {
  for (const [what, [failures, numbers]] of Object.entries(rows))
    assert.equal(chosen(...failures), [['pet-id', numbers]], what);
});

test('the first failure decides which code is shown, and each requirement has one', () => {
  const findings = [
    failing('id-not-int64', creation(1, 500)),
    failing('id-missing', creation(2, 10)),
    fails('pet-name', 'name-missing', { expected: 'a name', received: 'none' }, creation(3, 10)),
    holds('pet-status', creation(4, 10)),
  ];
  assert.equal(chosen(...findings), [
    ['pet-id', [1]],
    ['pet-name', [3]],
  ]);
});

test('a failure is shown by the exchanges that it cites, where needed with the creation of what they ask for', () => {
  const body = '{"id":8,"name":"Rex","categoryId":1}';
  const create = exchangeOf(1, { operation: 'createPet', response: { status: 201, headers: {}, body } });
  const read = exchangeOf(3, { operation: 'getPet', request: { method: 'GET', target: '/pets/8', headers: {} } });
  const found = failing('id-missing', read);
  const shownBy = (least: number): readonly number[] => {
    const judge = (exchanges: readonly Exchange[]) => (exchanges.length < least ? [] : [found]);
    return shortestSequence(judge, [create, exchangeOf(2), read], found).exchanges.map(({ number }) => number);
  };
  assert.equal([shownBy(1), shownBy(2), shownBy(3)], [[3], [1, 3], [3]]);
  assert.not(isSameFailure(found, { ...found, requirement: 'pet-id-unique' }));
  assert.is(stepOf(read).durationMs, 7);
});

test('a replay needs the creations of the animals that its steps ask for or show, and none of its own steps', () => {
  const body = (id: number): string => `{"id":${id},"name":"Rex","categoryId":1}`;
  const create = (number: number, id: number) =>
    stepOf(exchangeOf(number, { operation: 'createPet', response: { status: 201, headers: {}, body: body(id) } }));
  const [seven, eight, nine] = [create(1, 7), create(2, 8), create(3, 9)];
  const request = { method: 'GET', target: '/pets/8', headers: {} };
  const read = stepOf(exchangeOf(4, { operation: 'getPet', request }));
  const page = stepOf(exchangeOf(5, { response: { status: 200, headers: {}, body: `[${body(7)},{"id":"9"},3]` } }));
  const recorded = [seven, eight, nine, read, page];
  assert.equal(requiredCreations([read], recorded), [eight]);
  assert.equal(requiredCreations([page], recorded), [seven]);
  assert.equal(requiredCreations([read, page], recorded), [seven, eight]);
  assert.equal(requiredCreations([eight, read], recorded), []);
  const many = Array.from({ length: 30 }, (_nothing, at) => create(at + 1, at));
  const all = `[${many.map((_one, at) => body(at)).join()}]`;
  const full = stepOf(exchangeOf(40, { response: { status: 200, headers: {}, body: all } }));
  assert.equal(requiredCreations([full], many), many.slice(0, 25));
});

test.run();
