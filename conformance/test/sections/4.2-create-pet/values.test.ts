/** The tables of values are what they say: invalid bodies are invalid, writings are read back, and names hold every part. */

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { readJson } from '../../../http/json.ts';
import { readListing, readNewPet, readPetId } from '../../../http/read-request.ts';
import {
  affixedNames,
  firstNames,
  type NameOf,
  namesLikeValues,
  namesOfPieces,
} from '../../../sections/4.2-create-pet/names.ts';
import { writeEscaped, writeFreely, writings } from '../../../sections/4.2-create-pet/writings.ts';
import {
  commonParts,
  edges,
  invalidBodies,
  lookAlikes,
  pieces,
  rareParts,
  type ValueRow,
  wrongIds,
  wrongQueries,
} from '../../../sections/values.ts';
import { sessionOf } from '../evidence.ts';

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

test('each writing differs from the usual one in its white space, its order or its escapes', () => {
  const short = { name: 'Rex é/"\\n🦄', categoryId: 5n };
  assert.equal(
    writings.map((write) => write(short)),
    [
      ' { "name" : "Rex é/\\"\\\\n🦄" , "categoryId" : 5 } ',
      '\t{\t"name"\t:\t"Rex é/\\"\\\\n🦄"\t,\t"categoryId"\t:\t5\t}\t',
      '\r\n{\n"name"\r\n:\n"Rex é/\\"\\\\n🦄"\r\n,\n"categoryId"\r\n:\n5\r\n}\n',
      '\n {"name":"Rex é/\\"\\\\n🦄","categoryId":5}\r\n',
      '{"categoryId":5,"name":"Rex é/\\"\\\\n🦄"}',
      '{"\\u006Eame":"Rex é/\\"\\\\n🦄","\\u0063ategoryId":5}',
      '{"name":"\\u0052\\u0065\\u0078 é/\\"\\\\\\u006e🦄","categoryId":5}',
      '\n\t{\n\t"name"\n\t:\n\t"Rex é/\\"\\\\n🦄"\n\t,\n\t"categoryId"\n\t:\n\t5\n\t}\n\t',
      `{${' '.repeat(900)}"name":"Rex é/\\"\\\\n🦄","categoryId":5}${'\n'.repeat(300)}`,
    ],
  );
  assert.is(writeFreely(short), '\r\n{ "categoryId"\n\r :\t5\r\n, "\\u006ea\\u006De"\n\r :\t"Rex é/\\"\\\\n🦄"\r\n} ');
  assert.is(writeEscaped(short), '{"name":"Rex \\u00E9\\/\\"\\\\n\\uD83E\\udd84","categoryId":5}');
  // What is escaped already stays as it is.
  const control = writings[6]!({ name: '\u001fa' });
  assert.is(control, '{"name":"\\u001f\\u0061"}');
});

/** A session that draws the same each time. */
const session = sessionOf([], []).session;
const namesOf = (names: readonly NameOf[]): readonly string[] => names.map((nameOf) => nameOf('tag'));

test('the first name holds every common part, and the second one every rare part as well, in a long text', () => {
  const [common, long] = namesOf(firstNames);
  assert.is(common, `  tag ${commonParts.join(' ')} `);
  assert.ok([...commonParts, ...rareParts].every((part) => long!.includes(part)));
  assert.match(long!, /^ {2}🦄.* tag (long name ){440}end \n\t$/s);
});

test('later names hold the parts of the first one, a long text, and every edge before and behind a tag', () => {
  const [first, second, long, ...others] = namesOf(affixedNames(session));
  const halves = [commonParts.slice(0, 4), commonParts.slice(4)].map((half) => `  tag ${half.join(' ')} `);
  assert.equal([first, second, long], [...halves, `tag ${'long name '.repeat(23)}end`]);
  const parts = [...commonParts, ...rareParts];
  assert.is(others.length, edges.flat().length);
  for (const [at, name] of others.entries()) {
    const middle = parts[at] === undefined ? '' : ` ${parts[at]} `;
    const [front, end, ...more] = name.split(`tag${middle}`);
    assert.ok(edges.flat().includes(front!) && edges.flat().includes(end!), name);
    assert.equal(more, []);
  }
  const fronts = others.map((name) => name.slice(0, name.indexOf('tag')));
  assert.equal(fronts.toSorted(), edges.flat().toSorted());
  // Those that are trimmed most often come first.
  const [often = []] = edges;
  assert.equal(fronts.slice(0, often.length).toSorted(), often.toSorted());
});

test('names like values stand alone, the likeliest group first', () => {
  const names = namesOf(namesLikeValues(session));
  assert.equal(names.toSorted(), lookAlikes.flat().toSorted());
  const [likeliest = []] = lookAlikes;
  assert.equal(names.slice(0, likeliest.length).toSorted(), likeliest.toSorted());
});

test('names of pieces hold eight each, and together every piece once', () => {
  const names = namesOf(namesOfPieces(session));
  assert.is(names.length, Math.ceil(pieces.length / 8));
  for (const piece of pieces)
    assert.ok(
      names.some((name) => name.includes(` ${piece} `)),
      piece,
    );
  const length = names.reduce((sum, name) => sum + name.length, 0);
  const expected = pieces.reduce((sum, piece) => sum + piece.length + 1, names.length * '  tag '.length);
  assert.is(length, expected);
});

test.run();
