/** Recorded responses are redacted, of bounded size, and hold all that checks read. */

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { pageOf, readBody } from '../../http/read-response.ts';
import { createRecorder, longestBody } from '../../http/record.ts';
import { redactor } from '../../http/redact.ts';

const key = 'Recorded-Key-4711';
const { recordRequest, recordResponse } = createRecorder(redactor([key]));

/** The recorded answer to a listing that has this body, and the page that is read of it. */
function record(text: string) {
  const response = recordResponse({ status: 200, headers: {}, body: Buffer.from(text) });
  return { response, page: pageOf({ operation: 'listPets', response } as Parameters<typeof pageOf>[0]) };
}

function animals(count: number, name: string): string {
  return Array.from({ length: count }, (_nothing, at) => `{"id":${at + 1},"name":"${name}","categoryId":1}`).join(',');
}

test('only the first entries of a page that is too long are read, and its body is cut', () => {
  const text = `[${animals(20_000, 'Rex')}]`;
  const { response, page } = record(text);
  assert.equal([page?.length, page?.[100]], [101, { id: 101n, name: 'Rex', categoryId: 1n }]);
  assert.equal([response.body, response.bodyLength], [text.slice(0, longestBody), text.length]);
});

test('a page of a hundred is read completely, however long its text is', () => {
  const name = 'n'.repeat(9_000);
  const { page } = record(`[${animals(100, name)}]`);
  assert.equal([page?.length, page?.[99]], [100, { id: 100n, name, categoryId: 1n }]);
});

test('of another long body the value is read, and the start is shown', () => {
  const name = 'n'.repeat(longestBody);
  const { response } = record(`{"name":"${name}"}`);
  assert.equal(readBody(response), { value: { name } });
  assert.equal([response.body.length, response.bodyLength], [longestBody, longestBody + '{"name":""}'.length]);
});

test('a request is recorded without a secret in any part', () => {
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
