/** Which exchanges of a client an open question concerns, and which it does not. */

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { ClientRequirementId } from '../../../spec/client-requirements.ts';
import { operationOf } from '../../../spec/operations.ts';
import { concerns } from '../../clients/relevance.ts';
import type { Exchange } from '../../http/exchange.ts';

/** `METHOD TARGET BODY` and the status of its answer; `headers` are those of the request. */
function exchangeOf(words: string, status: number, headers: Readonly<Record<string, string>> = {}): Exchange {
  const [method = '', target = '', body] = words.split(' ');
  const request = { method, target, headers: { 'content-type': 'application/json', ...headers }, body };
  const response = { status, headers: {}, body: status === 200 ? '[]' : '{}' };
  const credential = { kind: 'valid' };
  return {
    operation: operationOf(method, target.split('?')[0]!),
    credential,
    request,
    response,
  } as unknown as Exchange;
}

const rex = '{"name":"Rex","categoryId":1,"status":"sold"}';
const created = exchangeOf(`POST /pets ${rex}`, 201);
const listed = exchangeOf('GET /pets?limit=5', 200);
const read = exchangeOf('GET /pets/7', 200);

/** Requirement → exchanges that it concerns, and others. */
const rows: Partial<Record<ClientRequirementId, readonly [readonly Exchange[], readonly Exchange[]]>> = {
  'any-cors': [[exchangeOf('GET /pets', 200, { origin: 'http://x' })], [listed]],
  'any-name-limits': [[created], [listed, read]],
  'any-status-omitted': [[exchangeOf('POST /pets {"name":"Rex"}', 201)], [created, listed]],
  'any-id-form': [[created, listed, read], [exchangeOf('GET /pets/7', 404)]],
  'any-extra-response-fields': [[created], [listed]],
  'any-limit-out-of-range': [
    [
      exchangeOf('GET /pets?limit=0', 400),
      exchangeOf('GET /pets?limit=-1', 400),
      exchangeOf('GET /pets?limit=101', 400),
    ],
    [
      listed,
      exchangeOf('GET /pets?limit=1', 200),
      exchangeOf('GET /pets?limit=100', 200),
      exchangeOf('GET /pets?limit=x', 400),
    ],
  ],
  'any-limit-not-integer': [[exchangeOf('GET /pets?limit=x', 400)], [listed, exchangeOf('GET /pets', 200)]],
  'any-status-filter-unknown': [
    [exchangeOf('GET /pets?status=x', 400)],
    [exchangeOf('GET /pets?status=sold', 200), listed],
  ],
  'any-unknown-query-parameters': [
    [exchangeOf('GET /pets?page=2', 200)],
    [exchangeOf('GET /pets?limit=1&status=sold', 200)],
  ],
  'any-short-pages': [[exchangeOf('GET /pets?status=sold', 200)], [listed, created]],
  'any-visibility': [[listed, read], [created]],
  'any-extra-body-fields': [
    [exchangeOf('POST /pets {"name":"Rex","age":3}', 201)],
    [created, exchangeOf('POST /pets {"id":3}', 201)],
  ],
  'any-client-sent-id': [[exchangeOf('POST /pets {"id":3}', 201)], [created]],
  'any-integer-written-as-decimal': [[exchangeOf('POST /pets {"categoryId":1.0}', 201)], [created]],
  'any-other-media-type': [
    [exchangeOf(`POST /pets ${rex}`, 415, { 'content-type': 'text/json' })],
    [created, exchangeOf(`POST /pets ${rex}`, 201, { 'content-type': 'Application/JSON; charset=utf-8' })],
  ],
  'any-chunked-bodies': [[exchangeOf(`POST /pets ${rex}`, 201, { 'transfer-encoding': 'chunked' })], [created]],
  'any-location-header': [[created], [listed]],
  'any-pet-id-not-int64': [[exchangeOf('GET /pets/abc', 404)], [read, exchangeOf('GET /pets/-7', 404), listed]],
  'any-other-operations': [[exchangeOf('DELETE /pets/7', 405)], [listed, created, read]],
  'any-www-authenticate': [[exchangeOf('GET /pets', 401)], [listed]],
  'any-error-codes': [
    [exchangeOf('GET /pets', 401), exchangeOf('GET /pets/7', 410)],
    [listed, exchangeOf('GET /pets', 429)],
  ],
  'any-retry-after-form': [[exchangeOf('GET /pets', 429)], [listed]],
  'any-refused-requests': [[exchangeOf('GET /pets/7', 404)], [listed, exchangeOf('GET /pets', 401)]],
  'any-after-removal': [[read], [listed]],
  'any-catalogue': [[listed], [created]],
  'any-json': [[listed, created], []],
  'client-goes-on': [[exchangeOf('GET /pets', 429)], [listed]],
  'client-shown-only': [[listed, created], []],
};

for (const [requirement, [concerned, others]] of Object.entries(rows)) {
  test(`${requirement} concerns an exchange that may show it, and no other`, () => {
    const id = requirement as ClientRequirementId;
    for (const exchange of concerned) assert.ok(concerns(id, exchange), exchange.request.target);
    for (const exchange of others) assert.not.ok(concerns(id, exchange), exchange.request.target);
  });
}

test('without an answer, a question about the form of answers is not shown', () => {
  const { response: _response, ...unanswered } = listed;
  for (const id of ['any-json', 'any-id-form', 'any-error-codes', 'any-extra-response-fields'] as const) {
    assert.not.ok(concerns(id, unanswered), id);
  }
});

test.run();
