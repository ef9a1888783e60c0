/** Arbitraries for requests: animals, queries, ids and invalid bodies. */

import fc from 'fast-check';
import { petStatuses } from '../../../spec/operations.ts';
import { type JsonObject, type JsonValue, writeJson } from '../../http/json.ts';
import { almostJson, type Writing, writeEscaped, writeFreely, writings } from '../4.2-create-pet/json-texts.ts';

const int64 = fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n });

/** The ends of int64, the limits of smaller number types, and values between. */
export const categoryIds = fc.oneof(
  fc.constantFrom(
    0n,
    -1n,
    2n ** 31n,
    2n ** 32n,
    2n ** 53n,
    2n ** 53n + 1n,
    -(2n ** 53n) - 1n,
    2n ** 63n - 1n,
    -(2n ** 63n),
  ),
  int64,
);

/** Any code point. The library's own unit for this builds a table of 200 MB. */
const codePoints = fc
  .integer({ min: 0, max: 0x10ffff })
  .filter((code) => code < 0xd800 || code > 0xdfff)
  .map((code) => String.fromCodePoint(code));

/** The end of a name after its tag: any Unicode text, and characters that code often mishandles. */
const nameTails = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 40 }),
  fc.array(codePoints, { maxLength: 40 }).map((characters) => characters.join('')),
  fc.constantFrom(
    ' ',
    '\t',
    '"',
    "'",
    '\\',
    '<i>',
    '&amp;',
    '%41',
    '+',
    '\u0000',
    '\u00e9',
    'e\u0301',
    '\ufb01',
    '\u202e',
    '\ufeff',
    '00',
  ),
  fc.integer({ min: 50, max: 3_000 }).map((length) => 'n'.repeat(length)),
);

const statuses = fc.option(fc.constantFrom(...petStatuses), { nil: undefined });

/** An animal with a tagged name; an undefined `categoryId` stands for the plain category. */
export interface DrawnPet {
  readonly tail: string;
  readonly categoryId: bigint | undefined;
  readonly status: (typeof petStatuses)[number] | undefined;
  readonly write: Writing;
}

export function drawnPets(maySend: (tail: string) => boolean): fc.Arbitrary<DrawnPet> {
  return fc.record({
    tail: nameTails.filter(maySend),
    categoryId: fc.option(categoryIds, { nil: undefined }),
    status: statuses,
    write: fc.oneof(
      { weight: 3, arbitrary: fc.constant(writeJson) },
      fc.constantFrom(...writings, writeFreely, writeEscaped),
    ),
  });
}

/** Any JSON value that is not allowed. */
function otherThan(isAllowed: (value: unknown) => boolean): fc.Arbitrary<JsonValue> {
  return fc.jsonValue({ maxDepth: 2 }).filter((value) => !isAllowed(value)) as fc.Arbitrary<JsonValue>;
}

const wrongFields: fc.Arbitrary<JsonObject> = fc.oneof(
  fc.record({ name: otherThan((value) => typeof value === 'string') }),
  fc.record({ categoryId: otherThan((value) => typeof value === 'number' && Number.isInteger(value)) }),
  fc.record({ status: otherThan((value) => petStatuses.includes(value as never)) }),
  fc.record({ categoryId: fc.constantFrom(2n ** 63n, -(2n ** 63n) - 1n, 10n ** 30n) }),
);

/** A plain animal with one fault, or a body that is no animal. */
export function invalidBodies(plain: JsonObject): fc.Arbitrary<string> {
  const valid = writeJson(plain);
  return fc.oneof(
    wrongFields.map((wrong) => writeJson({ ...plain, ...wrong })),
    fc.constantFrom('name', 'categoryId').map((field) => {
      const { [field]: _dropped, ...rest } = plain;
      return writeJson(rest);
    }),
    fc.integer({ min: 1, max: valid.length - 1 }).map((length) => valid.slice(0, length)),
    fc.constantFrom(...almostJson(plain)),
    fc
      .jsonValue({ maxDepth: 2 })
      .filter((value) => typeof value !== 'object' || value === null)
      .map((value) => JSON.stringify(value)),
  );
}

export const listQueries: fc.Arbitrary<string> = fc
  .record({
    limit: fc.option(fc.oneof(fc.integer({ min: 1, max: 100 }), fc.integer({ min: -5, max: 300 })), { nil: undefined }),
    status: fc.option(
      fc.oneof({ weight: 5, arbitrary: fc.constantFrom<string>(...petStatuses) }, fc.constantFrom('gone', 'Sold')),
      {
        nil: undefined,
      },
    ),
  })
  .map(({ limit, status }) =>
    [limit === undefined ? '' : `limit=${limit}`, status === undefined ? '' : `status=${status}`]
      .filter(Boolean)
      .join('&'),
  );

/** An int64 that almost certainly no animal has. */
export const unknownIds = fc.bigInt({ min: 2n ** 60n, max: 2n ** 62n });
