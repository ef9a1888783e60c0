/** Requests are read as the interface and RFC 8259 have it: valid, invalid, or open. */

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { inUtf16, rawBytes } from '../../http/body-bytes.ts';
import { isAllowed, pageSize, readListing, readNewPet, readPetId } from '../../http/read-request.ts';

function kindOf(body: string, contentType = 'application/json'): string {
  const request = { method: 'POST', target: '/pets', headers: { 'content-type': contentType }, body };
  const reading = readNewPet({ request });
  return reading.kind === 'invalid' ? reading.requirement : reading.kind;
}

test('an animal is valid however its JSON is written', () => {
  for (const body of [
    '{"name":"Rex","categoryId":1}',
    ' {\t"status" :\r\n"sold" , "\\u0063ategoryId":-9223372036854775808,"n\\u0061me":"\\ud83e\\uDD84"} ',
    '{"name":"","categoryId":0,"status":"pending"}',
  ]) {
    assert.is(kindOf(body), 'valid', body);
  }
});

test('what is wrong with a body is named, also where nothing is to be seen', () => {
  const faultOf = (body: string) => {
    const headers = { 'content-type': 'application/json' };
    const reading = readNewPet({ request: { method: 'POST', target: '/pets', headers, body } });
    return reading.kind === 'invalid' ? reading.fault : undefined;
  };
  assert.is(faultOf(' \n'), 'a body of white space, which is no JSON');
  assert.is(faultOf('{"name":}'), '{"name":}, which is no JSON');
});

test('a body that RFC 8259 or the interface leaves open is open', () => {
  for (const body of [
    '\ufeff{"name":"Rex","categoryId":1}',
    '{"name":"Rex","name":"Mia","categoryId":1}',
    '{"name":7,"categoryId":1,"n\\u0061me":"Mia"}',
    '{"name":"Rex","categoryId":-0}',
    '{"name":"Rex","categoryId":1.0}',
    '{"name":"Rex","categoryId":1e2}',
    '{"name":"\\ud83e","categoryId":1}',
    '{"name":"Rex","categoryId":1,"id":7}',
  ]) {
    assert.is(kindOf(body), 'open', body);
  }
  assert.is(kindOf('{"name":"Rex"}', 'text/plain'), 'open');
});

test('UTF-16 is open, and other bytes that are not UTF-8 are advised to be refused', () => {
  const json = '{"name":"Rex","categoryId":1}';
  for (const order of ['big-endian', 'little-endian'] as const) {
    assert.is(kindOf(inUtf16(json, order)), 'open');
    assert.is(kindOf(inUtf16(`\ufeff${json}`, order)), 'open');
  }
  assert.is(kindOf(`{"name":"caf${rawBytes(0xe9)}","categoryId":1}`), 'create-body-utf8');
  assert.is(kindOf('{"name":"\ud83d\udc80","categoryId":1}'), 'valid');
});

test('a missing field, a wrong value and a malformed body each break their own requirement', () => {
  assert.is(kindOf(''), 'create-required-fields');
  assert.is(kindOf('{"name":"Rex"}'), 'create-required-fields');
  for (const category of ['1e-1', '0.1', '9223372036854775808', '1000000000000000000000000000', 'true', '"1"']) {
    assert.is(kindOf(`{"name":"Rex","categoryId":${category}}`), 'create-invalid-values', category);
  }
  for (const body of ['\u00a0{"name":"Rex","categoryId":1}', '\f{}', '{"name":"Rex","categoryId":01}', '[]', 'null']) {
    assert.is(kindOf(body), 'create-malformed-body', body);
  }
});

const get = (target: string) => ({ request: { method: 'GET', target, headers: {} } });

/** The segment of the path → the id that is asked for. */
const petIds: Readonly<Record<string, ReturnType<typeof readPetId>>> = {
  '0': 0n,
  '7?x=1': 7n,
  '-12': -12n,
  '9223372036854775807': 9223372036854775807n,
  '-9223372036854775808': -9223372036854775808n,
  '9223372036854775808': 'not-int64',
  '-9223372036854775809': 'not-int64',
  '+1': 'unusual',
  '01': 'unusual',
  '-0': 'unusual',
  '1.0': 'unusual',
  '1.': 'unusual',
  '1.5': 'not-int64',
  '1_000': 'unusual',
  '1e0': 'unusual',
  '-1.5E+1': 'unusual',
  '15e-1': 'not-int64',
  '1e99': 'not-int64',
  '1e0x': 'not-int64',
  x1e0: 'not-int64',
  '0x1F': 'unusual',
  '-0b10': 'unusual',
  '0o17': 'unusual',
  '0xffffffffffffffff': 'not-int64',
  '-0x8000000000000000': 'unusual',
  '%20-7%20': 'unusual',
  '%D9%A1%D9%A2': 'unusual',
  '%2B%D9%A1': 'unusual',
  '%D9%A1x': 'not-int64',
  'x%D9%A1': 'not-int64',
  '%31%32': 'unusual',
  '%': 'unusual',
  '': 'not-int64',
  abc: 'not-int64',
  'null?7': 'not-int64',
};

for (const [segment, id] of Object.entries(petIds)) {
  test(`/pets/${segment} asks for ${id}`, () => assert.is(readPetId(get(`/pets/${segment}`)), id));
}

test('the parameters of a listing are allowed, invalid or open, and bound its page', () => {
  const rows = [
    ['/pets', 'default any', true, 20],
    ['/pets?limit=1&status=sold', '1 sold', true, 1],
    ['/pets?limit=100', '100 any', true, 100],
    ['/pets?limit=101', 'invalid any', false, 100],
    ['/pets?limit=0', 'invalid any', false, 100],
    ['/pets?limit=', 'invalid any', false, 100],
    ['/pets?limit=5&status=Sold', '5 invalid', false, 5],
    ['/pets?limit=5&limit=5', '5 any open', false, 100],
    ['/pets?status=sold&status=sold', 'default sold open', false, 100],
    ['/pets?limit=05', 'invalid any open', false, 100],
    ['/pets?limit=5.0', 'invalid any open', false, 100],
    ['/pets?limit=+5', 'invalid any open', false, 100],
    ['/pets?page=2', 'default any open', false, 100],
  ] as const;
  for (const [target, words, isRight, size] of rows) {
    const listing = readListing(get(target));
    assert.is(`${listing.limit} ${listing.status}${listing.isOpen ? ' open' : ''}`, words, target);
    assert.equal([isAllowed(listing), pageSize(listing)], [isRight, size], target);
  }
});

test.run();
