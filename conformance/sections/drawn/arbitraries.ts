/** Arbitraries for requests: fast-check draws from the tables of values, crosses them, and adds what no table has. */

import fc from 'fast-check';
import { petStatuses } from '../../../spec/operations.ts';
import { type JsonObject, writeJson } from '../../http/json.ts';
import { wrongQueries } from '../4.1-list-pets/probes.ts';
import { malformed, unknownFields, wrongValues } from '../4.2-create-pet/bodies.ts';
import { drawnParts } from '../4.2-create-pet/names.ts';
import { boundaries } from '../4.2-create-pet/probes.ts';
import { rareWritings, type Writing, writeEscaped, writeFreely, writings } from '../4.2-create-pet/writings.ts';
import { oddCharacters, strangeTexts } from '../strange-texts.ts';

/** The boundaries of number types, numbers of every width, and any int64. */
const categoryIds: fc.Arbitrary<bigint> = fc.oneof(
  fc.constantFrom(0n, ...boundaries),
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
  fc.constantFrom(...drawnParts),
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

export function drawnPets(maySend: (affixes: readonly [string, string]) => boolean): fc.Arbitrary<DrawnPet> {
  return fc.record({
    affixes: affixes.filter(maySend),
    categoryId: fc.option(categoryIds, { nil: undefined }),
    status: statuses,
    write: fc.oneof(
      { weight: 3, arbitrary: fc.constant(writeJson) },
      fc.constantFrom(...writings, ...rareWritings, writeFreely, writeEscaped),
    ),
  });
}

/** A status with one character dropped, doubled, added or in another case. */
const damagedStatuses = fc
  .tuple(fc.constantFrom(...petStatuses), fc.nat(8), fc.constantFrom(...' .\t1x"_-\u00a0\ufeff'))
  .chain(([status, at, more]) => {
    const [before, letter, after] = [status.slice(0, at), status.charAt(at), status.slice(at + 1)];
    const damaged = [
      before + after,
      before + letter + letter + after,
      `${before}x${after}`,
      status + more,
      more + status,
    ];
    return fc.constantFrom(...damaged, before + letter.toUpperCase() + after);
  })
  .filter((status) => !petStatuses.includes(status as never))
  .map((status) => writeJson(status));

const rows = (values: Readonly<Record<string, readonly string[]>>): readonly string[] => Object.values(values).flat();
const strange = strangeTexts.map((text) => writeJson(text));

/** One wrong field as JSON text, or one that is missing. Each kind of value is as likely as any other. */
const mistakes: fc.Arbitrary<readonly ['name' | 'categoryId' | 'status', string | undefined]> = fc.oneof(
  fc.constantFrom(undefined, ...rows(wrongValues.name)).map((value) => ['name', value] as const),
  fc.constantFrom(undefined, ...rows(wrongValues.categoryId)).map((value) => ['categoryId', value] as const),
  fc.constantFrom(...strange).map((value) => ['categoryId', value] as const),
  fc
    .oneof(fc.constantFrom(...rows(wrongValues.status), ...strange), damagedStatuses)
    .map((value) => ['status', value] as const),
  fc
    .jsonValue({ maxDepth: 2 })
    .filter((value) => typeof value !== 'string' && typeof value !== 'number')
    .map((value) => ['name', JSON.stringify(value)] as const),
);

/** What a body with a mistake holds besides: careless services look at one field only where the others are plain. */
interface Companions {
  readonly isHard: boolean;
  readonly hasUnknownFields: boolean;
}

/** The templates of bodies with one mistake, in which everything else is as unusual as the target accepts. */
export function invalidBodies({ isHard, hasUnknownFields }: Companions): fc.Arbitrary<string> {
  const crossed = fc
    .tuple(
      mistakes,
      fc.option(fc.constantFrom(...petStatuses), { nil: undefined }),
      fc.constantFrom('"%T"', ...(isHard ? [`"%T große 漢字 🦄 ${'long name '.repeat(4)}"`] : [])),
      fc.constantFrom('', ...(hasUnknownFields ? unknownFields.slice(0, 3) : [])),
      fc.boolean(),
    )
    .map(([[field, value], status, name, more, isReversed]) => {
      const category = field === 'name' ? '%M' : '%C';
      const fields = { name, categoryId: category, status: status && `"${status}"`, [field]: value };
      const written = Object.entries(fields).flatMap(([key, text]) => (text === undefined ? [] : [`"${key}":${text}`]));
      return `{${[...(isReversed ? written.reverse() : written), ...(more === '' ? [] : [more])].join()}}`;
    });
  return fc.oneof(
    { weight: 6, arbitrary: crossed },
    fc.constantFrom(...rows(malformed)),
    fc.constantFrom(
      '{"name":%N,"categoryId":"x","status":"lost"}',
      '{"name":7,"categoryId":%C,"status":"lost"}',
      '{"name":null,"categoryId":null,"status":null}',
      '{"name":{},"categoryId":[],"status":0}',
      `{"name":[${writeJson(oddCharacters)}],"categoryId":%C}`,
      `{"name":%N,"categoryId":"${'4'.repeat(300)}","status":"pending"}`,
    ),
  );
}

const asQuery = (fields: JsonObject): string =>
  Object.entries(fields)
    .map(([name, value]) => `${name}=${value}`)
    .join('&');

const allowedQueries = fc
  .tuple(fc.option(fc.integer({ min: 1, max: 100 }), { nil: undefined }), statuses, fc.boolean())
  .map(([limit, status, isReversed]) => {
    const fields: [string, string][] = [
      ...(limit === undefined ? [] : [['limit', String(limit)] as [string, string]]),
      ...(status === undefined ? [] : [['status', status] as [string, string]]),
    ];
    return asQuery(Object.fromEntries(isReversed ? fields.reverse() : fields));
  });

const wrongLimits = fc
  .tuple(fc.oneof(fc.integer({ min: -200, max: 0 }), fc.integer({ min: 101, max: 1_000 })), statuses)
  .map(([limit, status]) => `limit=${limit}${status === undefined ? '' : `&status=${status}`}`);

export const listQueries: fc.Arbitrary<string> = fc.oneof(
  { weight: 8, arbitrary: allowedQueries },
  wrongLimits,
  fc.constantFrom(...rows(wrongQueries)),
);

/** An int64 that almost certainly no animal has. */
export const unknownIds = fc.bigInt({ min: 2n ** 60n, max: 2n ** 62n });
