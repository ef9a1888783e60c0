/** Recorded responses are redacted, of bounded size, and hold all that checks read. */

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { pageOf, readBody } from '../../http/read-response.ts';
import { createRecorder, longestBody } from '../../http/record.ts';
import { redactor } from '../../http/redact.ts';
import type { Incoming } from '../../http/transport.ts';

const key = 'Recorded-Key-4711';

function recorder() {
  return createRecorder(redactor([key]));
}

function incoming(text: string): Incoming {
  return { status: 200, headers: { 'content-type': 'application/json' }, body: new TextEncoder().encode(text) };
}

function animals(count: number, name: string): string {
  return Array.from({ length: count }, (_nothing, at) => `{"id":${at + 1},"name":"${name}","categoryId":1}`).join(',');
}

test('only the first entries of a page that is too long are read, and its body is cut', () => {
  const { recordResponse } = recorder();
  const text = `[${animals(20_000, 'Rex')}`;
  const response = recordResponse(incoming(`${text}]`));
  const exchange = { operation: 'listPets', response } as Parameters<typeof pageOf>[0];
  assert.is(pageOf(exchange)?.length, 101);
  assert.equal(pageOf(exchange)?.[100], { id: 101n, name: 'Rex', categoryId: 1n });
  assert.is(response.body.length, longestBody);
  assert.is(response.bodyLength, text.length + 1);
  assert.ok(`${text}]`.startsWith(response.body));
});

test('a page of a hundred is read completely, however long its text is', () => {
  const response = recorder().recordResponse(incoming(`[${animals(100, 'n'.repeat(9_000))}]`));
  const exchange = { operation: 'listPets', response } as Parameters<typeof pageOf>[0];
  assert.is(pageOf(exchange)?.length, 100);
  const last = pageOf(exchange)![99] as { readonly name: string };
  assert.is(last.name.length, 9_000);
});

test('of another long body the value is read, and the start is shown', () => {
  const response = recorder().recordResponse(incoming(`{"name":"${'n'.repeat(longestBody)}"}`));
  assert.equal(readBody(response), { value: { name: 'n'.repeat(longestBody) } });
  assert.equal([response.body.length, response.bodyLength], [longestBody, longestBody + '{"name":""}'.length]);
});

test('a request is recorded without a secret in any part', () => {
  const { recordRequest } = recorder();
  const plain = { method: 'POST', target: '/pets', headers: { 'content-type': 'application/json' }, body: '{"a":1}' };
  assert.equal(recordRequest(plain), plain);
  for (const changes of [
    { method: key },
    { target: `/pets?q=${key}` },
    { headers: { 'x-echo': key } },
    { headers: { Accept: 'text/html' } },
    { headers: { Accept: key, accept: 'text/html' } },
    { headers: { 'X-Gateway-Token': key } },
    { body: `{"a":"${key}"}` },
  ]) {
    const recorded = recordRequest({ ...plain, ...changes });
    assert.not.match(JSON.stringify(recorded), key);
    const names = Object.keys(recorded.headers).join();
    assert.is(names, names.toLowerCase());
  }
});

test.run();
