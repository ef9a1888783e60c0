/** §4.2 Values that are invalid in a NewPet: those of ordinary mistakes, and rarer ones. */

import { petStatuses } from '../../../spec/operations.ts';
import type { JsonObject, JsonValue } from '../../http/json.ts';
import { words } from '../strange-texts.ts';

export function pick<Item>(items: readonly Item[], random: () => number): Item {
  return items[Math.floor(random() * items.length)]!;
}

/** Values for invalid bodies: all but the invalid one are values that the target accepts. */
export interface Parts {
  readonly name: () => string;
  readonly categoryId: bigint;
  /** A category that identifies the animal of a body without a name, if the target accepts any category. */
  readonly mark: () => bigint;
}

/** Values that are no string; each is accepted by another kind of careless check. */
export const wrongNames: readonly JsonValue[] = [null, true, false, 0n, 7n, 1.5, [], ['Rex'], {}, { first: 'Rex' }];

/** Values that are no PetStatus: each JSON type, each status in another case, and other near misses. */
export const wrongStatuses: readonly JsonValue[] = [
  true,
  false,
  1n,
  [],
  {},
  ...petStatuses.map((status) => status.toUpperCase()),
  ...petStatuses.map((status) => status.charAt(0).toUpperCase() + status.slice(1)),
  'avail',
  // Taken by what looks for a status anywhere in the text, and by a pattern with anchors around its first and last alone.
  'unsold',
  'availabel',
  'toString',
  // Taken by what trims it, by what reads its beginning, and by patterns whose $ ignores a last line feed.
  'sold\n',
];

/** Near misses of a PetStatus that fewer services accept. */
export const rareStatuses: readonly JsonValue[] = [
  'sold ',
  // Equal to sold where case or compatibility is ignored.
  '\u017fold',
  'sold\u0000',
  ...words('available,sold so s solds available|pending constructor __proto__ reserved adopted'),
  ' ',
  'null',
  { is: 'sold' },
  'true',
  '0',
  '1',
  1.5,
  -1n,
  ['available', 'sold'],
  { sold: true },
];

/** Values that are no int64: each JSON type, and strings and numbers near a category that the target accepts. */
export function wrongCategories(categoryId: bigint): readonly JsonValue[] {
  const beyond = [2n ** 64n + categoryId, -(2n ** 63n) - 1n];
  return [false, '', 'abc', `${categoryId}.0`, ` ${categoryId} `, '12abc', [], {}, 0.1, ...beyond];
}

/** Values that are no int64 and that fewer services accept. */
export function rareCategories(categoryId: bigint): readonly JsonValue[] {
  const texts = [
    ' ',
    '0',
    '-1',
    'null',
    'true',
    'NaN',
    'Infinity',
    `0x${categoryId.toString(16)}`,
    `+${categoryId}`,
    '1e3',
  ];
  const beyond = [
    2n ** 64n - 1n,
    10n ** 30n,
    2n ** 63n + 1n,
    -(2n ** 64n),
    -(10n ** 30n),
    -(10n ** 40n),
    10n ** 25n + 1n,
  ];
  return [...texts, ...beyond, -0.5, 1e-7, [categoryId, categoryId], { value: categoryId }, { id: categoryId }, ['1']];
}

export const wrongBodies: readonly JsonValue[] = ['', false, 0n, []];

/** Changes a status so that it is none: drops, doubles, replaces or adds one character, or changes its case. */
export function damageStatus(random: () => number): string {
  const status = pick(petStatuses, random);
  const at = Math.floor(random() * status.length);
  const before = status.slice(0, at);
  const [letter = '', after] = [status[at], status.slice(at + 1)];
  const damaged = [
    before + after,
    before + letter + letter + after,
    `${before}x${after}`,
    before + letter.toUpperCase() + after,
    `${status}${[' ', '.', '\t', '1', 'x', '\u00a0', '"', ';'][at % 8]}`,
    `${[' ', '_', '\ufeff', '-'][at % 4]}${status}`,
  ];
  return pick(damaged, random);
}

/** Fields that no NewPet lists, of every JSON type, and none. */
export const unknownFields: readonly JsonObject[] = [
  {},
  { colour: 'brown' },
  { keeper: null },
  { isTame: true },
  { ageInYears: 3n },
  { weightInKg: 1.5 },
  { toys: ['a', null, 1n, {}] },
  { shelter: { name: 'Ann', categoryId: 1n, status: 'sold', id: 1n, keeper: { name: 'Bo', tags: [[]] } } },
];
