/** Reading of recorded responses: Retry-After, numbers in headers, JSON of any depth. */

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { Exchange, RecordedResponse } from '../../http/exchange.ts';
import {
  animalsOf,
  bodyOf,
  createdId,
  idsShownIn,
  integersIn,
  isGatewayError,
  isJson,
  pageOf,
  pointerTo,
  readBody,
  readInteger,
  readRetryAfter,
  statusOf,
  timeUntil,
} from '../../http/read-response.ts';

const date = 'Sat, 21 Nov 2026 12:00:20 GMT';
const now = Date.parse(date);

function respond(headers: Readonly<Record<string, string>>, body = ''): RecordedResponse {
  return { status: 200, headers, body };
}

function waitFor(text: string, headers: Readonly<Record<string, string>> = { date }): number | undefined {
  return readRetryAfter(respond({ ...headers, 'retry-after': text }), now);
}

const until = 'Sat, 21 Nov 2026 12:01:00 GMT';

test('Retry-After is read in seconds and as a date, once where a proxy repeats it, relative to Date or else to our clock', () => {
  for (const [text, ms, headers] of [
    ['40', 40_000],
    [' 0 ', 0],
    [until, 40_000],
    ['Saturday, 21-Nov-26 12:01:00 GMT', 40_000],
    ['Sat Nov 21 12:01:00 2026', 40_000],
    ['Tue Dec  1 12:00:20 2026', 10 * 86_400_000],
    ['Sat, 21 Nov 2026 11:00:00 GMT', 0],
    ['40, 40', 40_000],
    [`${until}, ${until}`, 40_000, { date: `${date}, ${date}` }],
    [until, 10_000, { date: 'Sat, 21 Nov 2026 12:00:50 GMT' }],
    [until, 40_000, {}],
    [until, 40_000, { date: 'no date' }],
  ] as const)
    assert.is(waitFor(text, headers), ms, text);
});

test('Retry-After that is neither seconds nor an HTTP date is unusable', () => {
  const texts = ['', 'soon', '-5', '1.5', '30s', '1795262460', '40, 50', '40, 40, 40', ', '];
  const dates =
    '2026-11-21T12:01:00Z|21 Nov 2026 12:01:00 GMT|Sat, 21 Nov 2026 13:01:00 +0100|Sat, 21 Nov 2026 12:01:00';
  const around = [`on ${until}`, `${until}+1`, 'Sat Nov 21 12:01:00 20266'];
  for (const text of [...texts, ...dates.split('|'), ...around, 'Sat, 42 Nov 2026 12:01:00 GMT']) {
    assert.is(waitFor(text), undefined, text);
  }
  assert.is(readRetryAfter(respond({ date }), now), undefined);
});

test('the leading integer of a header counts, whatever follows it', () => {
  const read = (value: string): unknown => readInteger(respond({ value }), 'value');
  for (const text of ['60', ' 60 ', '60, 60', '60;w=60', '60 a minute', '060']) assert.is(read(text), 60, text);
  for (const text of ['', '60.0', '-1', '+1', '1e3', '0x3c', '60/60', 'w=60', '9'.repeat(16)]) {
    assert.is(read(text), 'malformed', text);
  }
  // The time of a reset may have a fraction.
  const reset = (text: string): unknown => readInteger(respond({ 'x-ratelimit-reset': text }), 'x-ratelimit-reset');
  for (const text of ['60', '60.5', '60.123, 70', '60.5;w=60']) assert.is(reset(text), 60, text);
  for (const text of ['in 60', '60.', '60.5s', '-60']) assert.is(reset(text), 'malformed', text);
  assert.is(readInteger(respond({}), 'value'), 'missing');
});

test('several layers of a service may write one header: its integers are read where it holds nothing else', () => {
  const read = (value: string): readonly number[] => integersIn(respond({ value }), 'value');
  assert.equal(read('60'), [60]);
  assert.equal(read('60, 100,7'), [60, 100, 7]);
  for (const text of ['60, 100;w=60', '60, a100', '60, ', 'a', '1'.repeat(16)]) assert.equal(read(text), [], text);
  assert.equal(integersIn(respond({}), 'value'), []);
});

test('the statuses of gateways are told from those of a service', () => {
  for (const status of [408, 502, 503, 504, 520, 530]) assert.is(isGatewayError({ response: { status } }), true);
  for (const status of [200, 429, 500, 501, 505, 519, 531, 599])
    assert.is(isGatewayError({ response: { status } }), false);
  assert.is(isGatewayError({}), false);
});

test('an exchange without a response has no status and no body, and shows nothing', () => {
  const exchange = { operation: 'listPets' } as Exchange;
  assert.equal([statusOf(exchange), bodyOf(exchange), pageOf(exchange)], [undefined, undefined, undefined]);
  assert.is(isJson(exchange), false);
  assert.equal(animalsOf(exchange), []);
});

test('the time until a moment is measured by Date and by our clock, and the shorter wait counts', () => {
  const until = (seconds: number, headers: Readonly<Record<string, string>> = { date }): number =>
    timeUntil(now + seconds * 1_000, respond(headers), now) / 1_000;
  const behind = { date: 'Sat, 21 Nov 2026 11:00:20 GMT' };
  const ahead = { date: 'Sat, 21 Nov 2026 13:00:20 GMT' };
  assert.equal([until(40), until(40, {}), until(-40)], [40, 40, -40]);
  assert.equal([until(0), until(0, ahead)], [0, 0]);
  assert.equal([until(40, behind), until(40, ahead), until(3_640, ahead)], [40, 40, 40]);
  assert.equal([until(-3_560, behind), until(-40, ahead), until(-4_000, behind)], [40, -40, -400]);
});

function answerOf(body: string, isNotUtf8?: true): Exchange {
  const response = { ...respond({}, body), ...(isNotUtf8 ? { isNotUtf8 } : {}) };
  return { operation: 'listPets', response } as unknown as Exchange;
}

test('a body nested too deeply to read is still JSON; one that is cut off or begins with a mark is not', () => {
  const deep = '['.repeat(100_000) + ']'.repeat(100_000);
  assert.is(bodyOf(answerOf(deep)), undefined);
  assert.is(isJson(answerOf(deep)), true);
  assert.is(isJson(answerOf(deep.slice(1))), false);
  assert.is(isJson(answerOf('\ufeff[]')), false);
  assert.equal(readBody(answerOf('[]', true).response!), { problem: 'bytes that are no UTF-8' });
  assert.is(isJson(answerOf('[]')), true);
});

test('animals are read from the answers that show some, and pages from listings alone', () => {
  const rows = [
    ['listPets', 200, '[{"id":1},7,{"id":"2"},{"id":9223372036854775808}]', 3, [1n], 4],
    // One required field makes an animal, and an Error is none.
    ['listPets', 200, '[{"name":"Rex"},{"categoryId":1},{"code":"c"},null]', 2, [], 4],
    ['listPets', 200, '{"id":1}', 0, [], undefined],
    ['listPets', 201, '[{"id":1}]', 1, [1n], undefined],
    ['listPets', 400, '[{"id":1}]', 0, [], undefined],
    ['createPet', 201, '{"id":1}', 1, [1n], undefined],
    ['createPet', 201, '[{"id":1}]', 0, [], undefined],
    ['getPet', 200, '{"id":1}', 1, [1n], undefined],
    ['getPet', 404, '{"id":1}', 0, [], undefined],
    ['getPet', 200, '[]', 0, [], undefined],
    ['other', 200, '{"id":1}', 1, [1n], undefined],
  ] as const;
  for (const [operation, status, body, animals, ids, entries] of rows) {
    const exchange = { operation, response: { status, headers: {}, body } } as unknown as Exchange;
    assert.is(animalsOf(exchange).length, animals, body);
    assert.equal(idsShownIn(exchange), ids, body);
    assert.is(pageOf(exchange)?.length, entries, body);
  }
});

test('the id of a created animal is an int64 of a 201 to createPet', () => {
  const idOf = (operation: string, status: number, body: string): bigint | undefined =>
    createdId({ operation, response: { status, headers: {}, body } } as unknown as Exchange);
  assert.is(idOf('createPet', 201, '{"id":7}'), 7n);
  for (const body of ['{"id":"7"}', '{"id":9223372036854775808}', '{}', '[]', 'null', 'no JSON'])
    assert.is(idOf('createPet', 201, body), undefined, body);
  assert.is(idOf('createPet', 200, '{"id":7}'), undefined);
  assert.is(idOf('getPet', 201, '{"id":7}'), undefined);
});

test('a pointer names a field of an animal, alone or in a page', () => {
  const [page, alone] = [answerOf('[{"id":1},{"id":2}]'), answerOf('{"id":1}')];
  assert.is(pointerTo(page, animalsOf(page)[1]!, 'name'), '/1/name');
  assert.is(pointerTo(alone, bodyOf(alone)!, 'name'), '/name');
});

test.run();
