/** Arbitraries for requests: fast-check draws from the tables of values, crosses them, and adds what no table has. */

import fc from 'fast-check';
import { petStatuses } from '../../../spec/operations.ts';
import { writeJson } from '../../http/json.ts';
import { rareWritings, type Writing, writeEscaped, writeFreely, writings } from '../4.2-create-pet/writings.ts';
import {
  boundaries,
  commonParts,
  edges,
  malformed,
  pieces,
  type Row,
  rareParts,
  strangeTexts,
  wrongIds as wrongIdRows,
  wrongQueries,
  wrongValues,
} from '../values.ts';

const textsOf = (rows: readonly Row[]): readonly string[] => rows.map(({ text }) => text);

/** The boundaries of number types, numbers of every width, and any int64. */
const categoryIds: fc.Arbitrary<bigint> = fc.oneof(
  fc.constantFrom(...boundaries),
  fc
    .tuple(fc.integer({ min: 1, max: 62 }), fc.integer({ min: -2, max: 2 }), fc.constantFrom(1n, -1n))
    .map(([bits, more, sign]) => sign * (2n ** BigInt(bits) + BigInt(more))),
  fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
);

/** Any code point. The library's own unit for this builds a table of 200 MB. */
const codePoints = fc
  .integer({ min: 0, max: 0x10ffff })
  .filter((code) => code < 0xd800 || code > 0xdfff)
  .map((code) => String.fromCodePoint(code));

const texts = fc.oneof(
  fc.constantFrom(...commonParts, ...rareParts, ...pieces, ...edges.flat()),
  fc.string({ unit: 'grapheme', maxLength: 40 }),
  fc.array(codePoints, { maxLength: 40 }).map((characters) => characters.join('')),
);

/** What stands before and after the tag in a name. */
const affixes = fc.oneof(
  fc.tuple(texts, texts),
  fc.integer({ min: 20, max: 3_000 }).map((length) => ['', 'n'.repeat(length)] as const),
);

const statuses = fc.option(fc.constantFrom(...petStatuses), { nil: undefined });

/** An animal with a tagged name; an undefined `categoryId` stands for the plain category. */
interface DrawnPet {
  readonly affixes: readonly [string, string];
  readonly categoryId: bigint | undefined;
  readonly status: (typeof petStatuses)[number] | undefined;
  readonly write: Writing;
}

export const drawnPets: fc.Arbitrary<DrawnPet> = fc.record({
  affixes,
  categoryId: fc.option(categoryIds, { nil: undefined }),
  status: statuses,
  write: fc.oneof(
    { weight: 3, arbitrary: fc.constant(writeJson) },
    fc.constantFrom(...writings, ...rareWritings, writeFreely, writeEscaped),
  ),
});

/** A status with one character dropped or added. */
const damagedStatuses = fc
  .tuple(fc.constantFrom(...petStatuses), fc.nat(8), fc.constantFrom('', ...' .\t1x"_-\u00a0\ufeff'))
  .map(([status, at, more]) => status.slice(0, at) + more + status.slice(more === '' ? at + 1 : at))
  .filter((status) => !petStatuses.includes(status as never));

const quoted = (values: readonly string[]): readonly string[] => values.map((text) => writeJson(text));

/** One wrong field as JSON text, or one that is missing. */
const mistakes = fc.oneof(
  fc.tuple(fc.constant('name' as const), fc.constantFrom(undefined, ...textsOf(wrongValues.name))),
  fc.tuple(
    fc.constant('categoryId' as const),
    fc.constantFrom(undefined, ...textsOf(wrongValues.categoryId), ...quoted(strangeTexts)),
  ),
  fc.tuple(
    fc.constant('status' as const),
    fc.oneof(fc.constantFrom(...textsOf(wrongValues.status), ...quoted(strangeTexts)), damagedStatuses.map(writeJson)),
  ),
);

/** The template of a body with one mistake between other fields of any order. */
const crossedBodies = fc.tuple(mistakes, statuses, fc.boolean()).map(([[field, value], status, isReversed]) => {
  const category = field === 'name' ? '%M' : '%C';
  const fields = { name: '%N', categoryId: category, status: status && `"${status}"`, [field]: value };
  const written = Object.entries(fields).flatMap(([key, text]) => (text === undefined ? [] : [`"${key}":${text}`]));
  return `{${(isReversed ? written.reverse() : written).join()}}`;
});

export const invalidBodies: fc.Arbitrary<string> = fc.oneof(
  { weight: 6, arbitrary: crossedBodies },
  fc.constantFrom(...textsOf(malformed)),
);

/** Queries with an allowed limit and status in any order, and with limits beyond the range. */
const crossedQueries = fc
  .tuple(fc.option(fc.integer({ min: -20, max: 130 }), { nil: undefined }), statuses, fc.boolean())
  .map(([limit, status, isReversed]) => {
    const fields = [limit === undefined ? [] : [`limit=${limit}`], status === undefined ? [] : [`status=${status}`]];
    return (isReversed ? fields.reverse() : fields).flat().join('&');
  });

export const listQueries: fc.Arbitrary<string> = fc.oneof(
  { weight: 8, arbitrary: crossedQueries },
  fc.constantFrom(...textsOf(wrongQueries)),
);

/** An int64 that almost certainly no animal has. */
export const unknownIds = fc.bigInt({ min: 2n ** 60n, max: 2n ** 62n });

/** The segment for an animal: mostly its id. */
export const idSegments: fc.Arbitrary<string> = fc.oneof(fc.constant('%I'), fc.constantFrom(...textsOf(wrongIdRows)));
