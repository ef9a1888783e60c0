/** Every reader reads each writing of an animal alike. */

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { readJson } from '../../../http/json.ts';
import { rareWritings, writeEscaped, writeFreely, writings } from '../../../sections/4.2-create-pet/writings.ts';

const pet = { name: 'cf-abc123-01 🦄 é/"\\', categoryId: 2n ** 53n + 1n, status: 'sold' };
const all = [...writings, ...rareWritings, writeFreely, writeEscaped];

test('every writing of an animal is read back as that animal', () => {
  for (const write of all) assert.equal(readJson(write(pet)), { value: pet }, write(pet));
  assert.is(new Set(all.map((write) => write(pet))).size, all.length);
});

test('writings include all four kinds of white space, another order, and escapes of both cases', () => {
  for (const space of [' ', '\t', '\n', '\r']) assert.ok(writeFreely(pet).includes(space), JSON.stringify(space));
  assert.match(writeFreely(pet), /^\s+\{\s+"status"\s+:\s+"sold"\s+,\s+"categoryId"/);
  assert.match(writeFreely(pet), /"\\u006ea\\u006De"/);
  assert.match(writeEscaped(pet), /\\u[0-9A-F]{4}\\u[0-9a-f]{4}/);
  assert.match(writeEscaped(pet), /\\uD83E\\udd84/);
  assert.match(writeEscaped(pet), /\\\//);
  assert.not.match(writeEscaped(pet), /[^\x00-\x7e]/);
});

test('one writing escapes every letter of the values, behind fields that are written as usual', () => {
  const ofStatus = /"status":"(?:\\u[0-9a-f]{4}){4}"/;
  assert.is(writings.filter((write) => ofStatus.test(write(pet))).length, 1);
});

test.run();
