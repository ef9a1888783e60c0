/** The tables of values are what they say: invalid bodies are invalid, and writings are read back. */

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { readJson } from '../../../http/json.ts';
import { readListing, readNewPet, readPetId } from '../../../http/read-request.ts';
import { writeEscaped, writeFreely, writings } from '../../../sections/4.2-create-pet/writings.ts';
import { invalidBodies, type ValueRow, wrongIds, wrongQueries } from '../../../sections/values.ts';

const { missingFields, wrongFields, malformed, notUtf8 } = invalidBodies;

const animal = '{"name":"CFklmbcdaab","categoryId":5}';
const tokens = { N: '"CFklmbcdaab"', T: 'CFklmbcdaab', C: '5', M: '5', P: animal, J: JSON.stringify(animal), I: '17' };

function brokenBy({ text }: ValueRow): string {
  const body = text.replace(/%([NTCPJMI])/g, (_all, token: keyof typeof tokens) => tokens[token]);
  const request = { method: 'POST', target: '/pets', headers: { 'content-type': 'application/json' }, body };
  const reading = readNewPet({ request });
  return reading.kind === 'invalid' ? reading.requirement : reading.kind;
}

const requested = (target: string) => ({ request: { method: 'GET', target, headers: {} } });

/** For each table, what its rows break. */
const tables = [
  [missingFields, /^create-required-fields$/, brokenBy],
  [wrongFields, /^create-invalid-values$/, brokenBy],
  [malformed.filter(({ isHazardous }) => !isHazardous), /^create-malformed-body$/, brokenBy],
  [malformed, /^(create-malformed-body|create-invalid-values)$/, brokenBy],
  [notUtf8, /^create-body-utf8$/, brokenBy],
  [
    wrongQueries,
    /invalid|open/,
    ({ text }: ValueRow) => {
      const { limit, status, isOpen } = readListing(requested(`/pets?${text}`));
      return isOpen ? 'open' : `${limit} ${status}`;
    },
  ],
  [
    wrongIds,
    /^not-int64$/,
    ({ text }: ValueRow) => String(readPetId(requested(`/pets/${text.replaceAll('%I', '17')}`))),
  ],
] as const;

test('every row of a table breaks what its table says, and all rows differ', () => {
  for (const [rows, broken, read] of tables) {
    for (const row of rows) assert.match(read(row), broken, row.text);
    assert.is(new Set(rows.map(({ text }) => text)).size, rows.length);
  }
});

const pet = { name: 'CFklmbcdaab 🦄 é/"\\', categoryId: 2n ** 53n + 1n, status: 'sold' };
const all = [...writings, writeFreely, writeEscaped];

test('every writing of an animal is read back as that animal', () => {
  for (const write of all) assert.equal(readJson(write(pet)), { value: pet }, write(pet));
  assert.is(new Set(all.map((write) => write(pet))).size, all.length);
});

test.run();
