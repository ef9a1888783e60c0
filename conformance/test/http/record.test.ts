/** Recorded messages are as they came, of bounded size, and hold all that checks read; what is shown of them is masked. */

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { pageLimit } from '../../../spec/operations.ts';
import { createMask } from '../../http/mask.ts';
import { pageOf, readBody } from '../../http/read-response.ts';
import { longestBody, recordRequest, recordResponse } from '../../http/record.ts';
import { exchangeOf } from '../run/hand-made.ts';

const { most } = pageLimit;
const key = 'Recorded-Key-4711';
const mask = createMask(() => [key]);

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
  // One entry more than a page may hold shows that it is too long.
  const last = { id: BigInt(most + 1), name: 'Rex', categoryId: 1n };
  assert.equal([page?.length, page?.at(-1)], [most + 1, last]);
  assert.equal([response.body, response.bodyLength], [text.slice(0, longestBody), text.length]);
});

test('the largest page is read completely, however long its text is', () => {
  const name = 'n'.repeat(9_000);
  const { page } = record(`[${animals(most, name)}]`);
  assert.equal([page?.length, page?.at(-1)], [most, { id: BigInt(most), name, categoryId: 1n }]);
});

test('of another long body the value is read, and the start is shown', () => {
  const name = 'n'.repeat(longestBody);
  const { response } = record(`{"name":"${name}"}`);
  assert.equal(readBody(response), { value: { name } });
  assert.equal([response.body.length, response.bodyLength], [longestBody, longestBody + '{"name":""}'.length]);
});

test('a message is recorded as it was sent or came, with names of headers in lower case', () => {
  const request = { method: 'POST', target: `/pets?q=${key}`, headers: { 'X-Echo': key }, body: `{"a":"${key}"}` };
  assert.equal(recordRequest(request), { ...request, headers: { 'x-echo': key } });
  const { response } = record(`[{"id":1,"name":"${key}","categoryId":1}]`);
  assert.equal(response, { status: 200, headers: {}, body: `[{"id":1,"name":"${key}","categoryId":1}]` });
});

test('an exchange is shown without a secret in any part', () => {
  const plain = { method: 'POST', target: '/pets', headers: { 'content-type': 'application/json' }, body: '{"a":1}' };
  const shownOf = (request: typeof plain, rest: object = {}) => mask.exchange({ ...exchangeOf(1), request, ...rest });
  assert.equal(shownOf(plain).request, plain);
  for (const changes of [
    { method: key },
    { target: `/pets?q=${key}` },
    { headers: { 'x-echo': key } },
    { headers: { [key]: 'text/html' } },
    { headers: { 'x-gateway-token': key } },
    { body: `{"a":"${key}"}` },
  ]) {
    const shown = shownOf({ ...plain, ...changes } as typeof plain);
    assert.not.match(JSON.stringify(shown), key);
  }
  const failure = { code: 'broken', message: `no route for ${key}` };
  assert.is(shownOf(plain, { failure }).failure?.message, 'no route for [key]');
});

test('the end of a body that was cut shows no beginning of a key, however JSON has escaped it', () => {
  const escaped = [...key].map((one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`).join('');
  for (const written of [key, escaped, encodeURIComponent(key)]) {
    const text = `{"a":"${'n'.repeat(200)}","b":"${written}","c":"${written.repeat(9)}"}`;
    for (let length = text.length - 1; length > 210; length -= 1) {
      const response = recordResponse({ status: 200, headers: {}, body: Buffer.from(text) }, length);
      const { response: shown } = mask.exchange({ ...exchangeOf(1), response });
      assert.not.match(shown!.body, 'Recorded');
      assert.not.match(shown!.body, written.slice(0, 8));
    }
  }
});

test.run();
