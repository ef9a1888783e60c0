/** Answers out of step: those of a connection that answers each request with the answer to the one before. */

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { noKey } from '../../http/credentials.ts';
import type { Exchange } from '../../http/exchange.ts';
import { readOutOfStep } from '../../verdict/out-of-step.ts';
import { exchangeOf } from '../run/hand-made.ts';

type Kind = 'list' | 'read' | 'create' | 'invalid' | 'refused';

const json = { 'content-type': 'application/json' };

const parts: Readonly<Record<Kind, (number: number) => Partial<Exchange>>> = {
  list: () => ({}),
  read: (number) => ({
    operation: 'getPet',
    request: { method: 'GET', target: `/pets/${number}`, headers: {} },
    response: answer(200, `{"id":${number},"name":"Rex","categoryId":1}`),
  }),
  create: (number) => ({
    operation: 'createPet',
    request: { method: 'POST', target: '/pets', headers: json, body: `{"name":"Rex ${number}","categoryId":1}` },
    response: answer(201, `{"id":${number},"name":"Rex ${number}","categoryId":1}`),
  }),
  invalid: () => ({
    operation: 'createPet',
    request: { method: 'POST', target: '/pets', headers: json, body: '{"name":7,"categoryId":1}' },
    response: answer(400, '{"code":"a","message":"b","status":400}'),
  }),
  refused: () => ({ credential: noKey.shown, response: answer(401, '{"code":"a","message":"b","status":401}') }),
};

function answer(status: number, body: string): NonNullable<Exchange['response']> {
  return { status, headers: json, body };
}

/** Exchanges of these kinds, each with its own answer; from one position up to another with that to the one before. */
function exchangesOf(kinds: readonly Kind[], from = kinds.length, until = kinds.length): readonly Exchange[] {
  const inStep = kinds.map((kind, at) => exchangeOf(at + 1, parts[kind](at + 1)));
  return inStep.map((exchange, at): Exchange => {
    const before = inStep[at - 1]?.response;
    return at >= from && at < until && before !== undefined ? { ...exchange, response: before } : exchange;
  });
}

const numbersOf = (exchanges: Iterable<Exchange>): readonly number[] => [...exchanges].map(({ number }) => number);
const mixed: readonly Kind[] = [
  'list',
  'create',
  'read',
  'list',
  'invalid',
  'refused',
  'read',
  'create',
  'list',
  'read',
];

test('answers to their own requests are in step', () => {
  assert.equal(readOutOfStep(exchangesOf(mixed)), { shifted: [], disregarded: new Set() });
});

test('answers that fit only the request before are shifted, up to the first that fits its own alone', () => {
  const { shifted, disregarded } = readOutOfStep(exchangesOf(mixed, 2, 8));
  assert.equal(
    shifted.map(([before, exchange]) => [before.number, exchange.number]),
    [3, 4, 5, 6, 7, 8].map((number) => [number - 1, number]),
  );
  assert.equal(numbersOf(disregarded), [3, 4, 5, 6, 7, 8]);
  assert.equal(numbersOf(readOutOfStep(exchangesOf(mixed, 2)).disregarded), [3, 4, 5, 6, 7, 8, 9, 10]);
});

test('fewer than four such answers, or those of one operation, are a coincidence', () => {
  assert.equal(readOutOfStep(exchangesOf(mixed, 2, 5)).shifted, []);
  const reads = Array.from({ length: 9 }, (): Kind => 'read');
  assert.equal(readOutOfStep(exchangesOf(reads, 2, 8)).shifted, []);
});

test('concurrent requests have no order', () => {
  const shifted = exchangesOf(mixed, 2).map((exchange) => ({ ...exchange, sent: exchange.number, answered: 100 }));
  assert.equal(readOutOfStep(shifted).shifted, []);
});

test.run();
