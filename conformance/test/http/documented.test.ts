/** Which responses the interface documents, and which requests a gateway may refuse before the operation sees them. */

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { hasUnusualContent, isDocumented, isError, isShown } from '../../http/documented.ts';
import type { Exchange } from '../../http/exchange.ts';
import { exchangeOf } from '../run/hand-made.ts';

const json = { 'content-type': 'application/json' };

function creation(body: string, headers: Readonly<Record<string, string>> = json): Partial<Exchange> {
  return { operation: 'createPet', request: { method: 'POST', target: '/pets', headers, body } };
}

function reading(target: string, operation: Exchange['operation'] = 'getPet'): Partial<Exchange> {
  return { operation, request: { method: 'GET', target, headers: {} } };
}

test('a request is unusual by its size, its characters, its encoding, its media type or its credential', () => {
  const rex = '{"name":"Rex", "categoryId":-1.5e+3}';
  const plain = [
    reading('/pets?limit=5&status=sold'),
    reading(`/pets/${'7'.repeat(114)}`),
    creation(rex),
    creation(rex, { 'content-type': 'application/json; charset=utf-8' }),
    creation('x'.repeat(512)),
    creation('', {}),
  ];
  for (const part of plain) assert.is(hasUnusualContent(exchangeOf(1, part)), false, JSON.stringify(part));
  const { credential } = exchangeOf(1);
  const unusual = [
    reading(`/pets/${'7'.repeat(115)}`),
    reading("/pets/'7"),
    reading("/pets/7'"),
    reading('/pets/%37'),
    creation('x'.repeat(513)),
    creation("{'name':7}"),
    creation("'"),
    creation('{"name":"O\'Hara","categoryId":1}'),
    creation('{"name":"é","categoryId":1}'),
    creation(rex, { ...json, 'transfer-encoding': 'chunked' }),
    creation(rex, { 'content-type': 'text/plain' }),
    creation(rex, {}),
    { credential: { ...credential, isUnusual: true as const } },
  ];
  for (const part of unusual) assert.is(hasUnusualContent(exchangeOf(1, part)), true, JSON.stringify(part));
});

test('the interface shows three operations, escapes in a query and none in a path', () => {
  for (const target of ['/pets', '/pets?status=%73old'])
    assert.is(isShown(exchangeOf(1, reading(target, 'listPets'))), true);
  assert.is(isShown(exchangeOf(1, reading('/pets/7'))), true);
  for (const part of [
    reading('/pets/%37'),
    reading('/pets?status=%zz', 'listPets'),
    reading('/pets?status=%ff', 'listPets'),
    reading('/pets', 'other'),
  ])
    assert.is(isShown(exchangeOf(1, part)), false, JSON.stringify(part));
});

function answered(part: Partial<Exchange>, status: number, body = ''): Exchange {
  return exchangeOf(1, { ...part, response: { status, headers: json, body } });
}

test('a response is documented where §4 lists its status, and no router or limit on bodies may have answered instead', () => {
  const large = creation('x'.repeat(513));
  for (const exchange of [
    answered(creation('{}'), 400),
    answered(creation('x'.repeat(512)), 400),
    answered(large, 201),
    answered(reading('/pets/7'), 404),
    answered(reading('/pets/7?x=1'), 200),
    answered(reading('/pets/7?x=1'), 401),
    answered(reading('/pets?limit=5', 'listPets'), 200),
  ])
    assert.is(isDocumented(exchange), true, JSON.stringify(exchange));
  const { response: _none, ...unanswered } = exchangeOf(1);
  for (const exchange of [
    answered(creation('{}'), 422),
    answered(large, 400),
    answered(reading('/pets/7?x=1'), 404),
    answered(reading('/pets/abc'), 404),
    answered(reading('/pets/1.0'), 404),
    answered(reading('/pets', 'listPets'), 404),
    answered(reading('/pets/7', 'other'), 200),
    unanswered,
  ])
    assert.is(isDocumented(exchange), false, JSON.stringify(exchange));
});

test('an Error has its three fields, and repeats the HTTP status', () => {
  const isErrorWith = (status: number, body: string): boolean => isError(answered(creation('{}'), status, body));
  assert.is(isErrorWith(400, '{"code":"c","message":"m","status":400,"more":1}'), true);
  assert.is(isErrorWith(418, '{"code":"c","message":"m","status":418}'), true);
  for (const body of ['{"code":"c","message":"m","status":401}', '{"code":"c","status":400}', '[]', 'null', 'no JSON'])
    assert.is(isErrorWith(400, body), false, body);
});

test.run();
