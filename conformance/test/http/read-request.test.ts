/** Bodies of createPet are read as the interface and RFC 8259 have it: valid, invalid, or open. */

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { inUtf16, rawBytes } from '../../http/body-bytes.ts';
import { readNewPet } from '../../http/read-request.ts';

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

test.run();
