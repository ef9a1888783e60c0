/** Faults of §2: values of animals and Errors that change on their way. Operators on values, times the places of a service. */

import { type OperationName, petStatuses } from '../../spec/operations.ts';
import type { RequirementId } from '../../spec/requirements.ts';
import type { JsonObject, JsonValue } from '../http/json.ts';
import { changeAnimals, changeErrors, changeSentPet, dropField, mapField, renameField } from '../services/wraps.ts';
import { crossed, each, type Fault, ordinary, type Rows, rare } from './fault.ts';

type Texts = Readonly<Record<string, (text: string) => string>>;

/** Mistakes with text. */
const texts: Texts = {
  trimmed: (text) => text.trim(),
  'trimmed-at-the-end': (text) => text.trimEnd(),
  'trimmed-at-the-start': (text) => text.trimStart(),
  'composed-nfc': (text) => text.normalize('NFC'),
  'decomposed-nfd': (text) => text.normalize('NFD'),
  'folded-nfkc': (text) => text.normalize('NFKC'),
  'in-lower-case': (text) => text.toLowerCase(),
  'in-upper-case': (text) => text.toUpperCase(),
  'with-single-spaces': (text) => text.replace(/ +/g, ' '),
  'without-astral': (text) => text.replace(/[\u{10000}-\u{10ffff}]/gu, ''),
  'with-astral-as-question-marks': (text) => text.replace(/[\u{10000}-\u{10ffff}]/gu, '??'),
  'with-replacement-characters': (text) => text.replace(/[\u{10000}-\u{10ffff}]/gu, '\ufffd'),
  'in-ascii': (text) => text.replace(/[^\x00-\x7f]/g, '?'),
  'in-latin-1': (text) => text.replace(/[^\x00-\xff]/g, '?'),
  'escaped-for-html': (text) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;'),
  'without-tags': (text) => text.replace(/<[^>]*>/g, ''),
  'without-quotes': (text) => text.replace(/["']/g, ''),
  'with-slashes-added': (text) => text.replace(/["'\\]/g, '\\$&'),
  'without-backslashes': (text) => text.replaceAll('\\', ''),
  'url-decoded': (text) => text.replace(/%20/g, ' '),
  'with-plus-as-space': (text) => text.replaceAll('+', ' '),
  'without-controls': (text) => text.replace(/[\x00-\x1f]/g, ''),
  'without-format-characters': (text) => text.replace(/\p{Cf}/gu, ''),
  'cut-to-50': (text) => text.slice(0, 50),
  'cut-to-100': (text) => text.slice(0, 100),
  'cut-to-255': (text) => text.slice(0, 255),
  'cut-to-256': (text) => text.slice(0, 256),
  'cut-to-1024': (text) => text.slice(0, 1024),
  'cut-to-4096': (text) => text.slice(0, 4096),
};

/** Rarer mistakes with text. */
const rareTexts: Texts = {
  'with-plain-spaces': (text) => text.replaceAll('\u00a0', ' '),
  'with-one-kind-of-line-end': (text) => text.replace(/\r\n?/g, '\n'),
  'without-line-separators': (text) => text.replace(/[\u2028\u2029]/g, ''),
  'without-private-use': (text) => text.replace(/\p{Co}/gu, ''),
  'without-variation-selectors': (text) => text.replace(/\p{Variation_Selector}/gu, ''),
  'with-entities-read': (text) => text.replaceAll('&amp;', '&'),
  'with-escapes-read-again': (text) => text.replaceAll('\\n', '\n').replaceAll('\\\\', '\\'),
  'as-a-format': (text) => text.replace(/%[sd]/g, 'undefined'),
  'as-a-replacement': (text) => '{name}'.replace('{name}', text),
  'as-a-template': (text) => text.replace(/\{\{.*?\}\}|<%.*?%>/g, ''),
  'safe-for-spreadsheets': (text) => text.replace(/^[=+@-]/, "'$&"),
  'cut-to-8192': (text) => text.slice(0, 8192),
  'without-zero-width-spaces': (text) => text.replaceAll('\u200b', ''),
  'without-marks-of-direction': (text) => text.replace(/[\u200e\u200f]/g, ''),
  'with-plain-hyphens': (text) => text.replace(/[\u2011\u2013\u2014]/g, '-'),
  'with-straight-quotes': (text) => text.replace(/[\u2018\u2019]/g, "'").replace(/[\u201c\u201d]/g, '"'),
  'without-delete': (text) => text.replaceAll('\u007f', ''),
  'without-flags': (text) => text.replace(/\p{Regional_Indicator}/gu, ''),
  'without-hebrew': (text) => text.replace(/\p{sc=Hebrew}/gu, ''),
  'empty-for-words-that-mean-nothing': (text) => text.replace(/^(null|undefined|NaN|NULL|None)$/, ''),
};

/** Mistakes with texts that look like another type, or that begin or end with a special character. */
const lookAlikes: Readonly<Record<string, (text: string) => JsonValue>> = {
  'as-numbers-where-digits': (text) => (/^[1-9]\d*$/.test(text) ? BigInt(text) : text),
  'as-numbers-in-text': (text) =>
    /^[\s\d.eE+-]+$/.test(text) && !Number.isNaN(Number(text)) ? String(Number(text)) : text,
  'as-words-of-json': (text) => (/^(null|true|false)$/i.test(text) ? null : text),
  'as-truth-of-yaml': (text) => (/^(yes|no|on|off)$/.test(text) ? text === 'yes' || text === 'on' : text),
  'empty-where-zero': (text) => (text === '0' ? '' : text),
  'empty-where-blank': (text) => (/^\s+$/.test(text) ? '' : text),
  'without-leading-zeros': (text) => text.replace(/^0+(?=.)/, ''),
  'without-a-mark-in-front': (text) => text.replace(/^\ufeff/, ''),
  'without-a-last-line-end': (text) => text.replace(/[\r\n]+$/, ''),
  'without-quotes-around': (text) => text.replace(/^["']|["']$/g, ''),
};

/** Where a service may change an animal: when it is stored, or in the answers of one operation. */
type Place = (change: (animal: JsonObject) => JsonObject) => ReturnType<typeof changeSentPet>;
const shownBy =
  (only?: OperationName): Place =>
  (change) =>
    changeAnimals(change, only);
const operations = { createPet: shownBy('createPet'), getPet: shownBy('getPet'), listPets: shownBy('listPets') };

const onText = (change: (text: string) => JsonValue) =>
  mapField('name', (name) => (typeof name === 'string' ? change(name) : name));

function textRows(table: Texts, places: Readonly<Record<string, Place>>): Rows {
  return crossed('pet-name-kept', 'name-*-*', places, table, (place, change) => place(onText(change)));
}

const mostOfDouble = 2n ** 53n - 1n;
type Integers = Readonly<Record<string, (value: bigint) => JsonValue>>;

/** Mistakes that code makes with 64-bit integers. */
const integers: Integers = {
  // Beyond the range of a double it would be infinite, and is left as it is.
  'rounded-to-double': (value) => (Number.isFinite(Number(value)) ? BigInt(Number(value)) : value),
  'cut-to-32-bits': (value) => BigInt.asIntN(32, value),
  'cut-to-53-bits': (value) => (value > mostOfDouble ? mostOfDouble : value < -mostOfDouble ? -mostOfDouble : value),
};

const rareIntegers: Integers = {
  'as-exponent': (value) => (value > 2n ** 53n ? Number(value.toString().slice(0, 2)) * 10 ** 17 : value),
  positive: (value) => (value < 0n ? -value - (value === -(2n ** 63n) ? 1n : 0n) : value),
  unsigned: (value) => BigInt.asUintN(63, value),
  'off-by-one-beyond-2-53': (value) => (value > 2n ** 53n && value < 2n ** 62n ? value - 1n : value),
};

const onCategory = (change: (value: bigint) => JsonValue) =>
  mapField('categoryId', (value) => (typeof value === 'bigint' ? change(value) : value));

const integerRows = (table: Integers): Rows => ({
  ...each(['pet-category-id-kept', 'create-answer'], 'category-stored-*', table, (change) =>
    changeSentPet(onCategory(change)),
  ),
  ...crossed(['pet-category-id-kept', 'pet-category-id'], 'category-*-on-*', table, operations, (change, place) =>
    place(onCategory(change)),
  ),
});

type Damage = (field: string) => (object: JsonObject) => JsonObject;
/** Ways to damage a field, each with the fields that it damages. */
type Damages<Field extends string> = Readonly<Record<string, readonly [fields: readonly Field[], damage: Damage]>>;

const setTo =
  (change: (value: JsonValue) => JsonValue): Damage =>
  (field) =>
    mapField(field, change);
const setAlways = (value: JsonValue): Damage => setTo(() => value);
const inAnArray = setTo((value) => [value]);
const asText = setTo((value) => (typeof value === 'string' ? value : String(value)));

const requirementOf = {
  animal: { id: 'pet-id', name: 'pet-name', categoryId: 'pet-category-id', status: 'pet-status' },
  error: { code: 'error-code', message: 'error-message', status: 'error-status' },
} as const satisfies Readonly<Record<string, Readonly<Record<string, RequirementId>>>>;

function damaged<Field extends string, Places>(
  requirements: Readonly<Record<Field, RequirementId>>,
  id: `${string}*${string}*`,
  damages: Damages<Field>,
  places: Readonly<Record<string, Places>>,
  wrapOf: (change: (object: JsonObject) => JsonObject, place: Places) => ReturnType<typeof changeSentPet>,
): Rows {
  const rows = Object.entries(damages).flatMap(([name, [fields, damage]]) =>
    fields.map((field) => crossed(requirements[field], id, { [`${field}-${name}`]: damage(field) }, places, wrapOf)),
  );
  return Object.assign({}, ...rows);
}

const shown = Object.entries(operations).map(([name, place]) => [`-on-${name}`, place] as const);
const animalRows = (damages: Damages<keyof typeof requirementOf.animal>): Rows =>
  damaged(requirementOf.animal, '**', damages, { '': shownBy(), ...Object.fromEntries(shown) }, (change, place) =>
    place(change),
  );

/** The statuses that come with an Error (§7). */
const errorStatuses = { '400': 400, '401': 401, '404': 404 } as const;
const errorRows = (damages: Damages<keyof typeof requirementOf.error>): Rows =>
  damaged(requirementOf.error, 'error-*-with-*', damages, errorStatuses, changeErrors);

const asStatus = (value: bigint) => mapField('status', () => value);
const statusAs = (status: JsonValue, other: JsonValue) =>
  mapField('status', (value) => (value === status ? other : value));
const nextStatus = { available: 'sold', pending: 'sold', sold: 'pending' } as const;

export const valueFaults: readonly Fault[] = [
  ...ordinary({
    ...textRows(texts, { stored: changeSentPet, listed: shownBy('listPets'), read: shownBy('getPet') }),
    ...integerRows(integers),
    ...animalRows({
      missing: [['id', 'name', 'categoryId'], dropField],
      null: [['id', 'name', 'categoryId', 'status'], setAlways(null)],
      misnamed: [['id', 'name', 'categoryId'], (field) => renameField(field, `pet_${field}`)],
      text: [['id', 'categoryId'], asText],
      number: [['status'], setAlways(7n)],
      unknown: [['status'], setAlways('unavailable')],
      'upper-case': [['status'], setTo((value) => String(value).toUpperCase())],
    }),
    'status-of-the-client-ignored': ['pet-status-kept', changeSentPet(mapField('status', () => 'available'))],
    ...errorRows({
      missing: [['code', 'message', 'status'], dropField],
      null: [['code', 'message', 'status'], setAlways(null)],
      misnamed: [['code', 'message', 'status'], (field) => renameField(field, `${field}Text`)],
      'as-text': [['status'], asText],
      'as-number': [['code'], setAlways(17n)],
    }),
    ...each(['error-code', 'error-message', 'error-status'], 'error-wrapped-with-*', errorStatuses, (status) =>
      changeErrors((error) => ({ error }), status),
    ),
    ...each('error-shape', 'error-text-with-*', errorStatuses, (status) => changeErrors(() => 'error', status)),
    ...each('error-shape', 'error-null-with-*', errorStatuses, (status) => changeErrors(() => null, status)),
    ...crossed(
      'error-status-equals',
      'error-status-*-with-*',
      { 200: 200n, zero: 0n },
      errorStatuses,
      (value, status) => changeErrors(asStatus(value), status),
    ),
    'error-status-always-400': ['error-status-equals', changeErrors(asStatus(400n))],
    'error-status-of-an-own-list': [
      'error-status-equals',
      changeErrors(mapField('status', (status) => (typeof status === 'bigint' ? status * 100n + 1n : status))),
    ],
  }),
  ...rare({
    ...textRows(rareTexts, { stored: changeSentPet, listed: shownBy('listPets') }),
    ...each(['pet-name-kept', 'pet-name'], 'name-shown-*', lookAlikes, (change) => changeAnimals(onText(change))),
    ...integerRows(rareIntegers),
    ...animalRows({
      number: [['name'], setAlways(7n)],
      fraction: [['id', 'categoryId'], setAlways(1.5)],
      'beyond-int64': [['id', 'categoryId'], setAlways(2n ** 63n)],
      'in-an-array': [['name', 'status'], inAnArray],
    }),
    ...each('pet-status-kept', 'status-*-stored-as-another', petStatuses, (status) =>
      changeSentPet(statusAs(status, nextStatus[status])),
    ),
    ...crossed(
      ['pet-status-kept', 'list-status-filter'],
      'status-*-as-another-on-*',
      petStatuses,
      operations,
      (status, place) => place(statusAs(status, nextStatus[status])),
    ),
    ...errorRows({
      'in-an-array': [['code', 'message', 'status'], inAnArray],
      fraction: [['status'], setAlways(400.5)],
      'as-number': [['message'], setAlways(17n)],
    }),
    ...each('error-shape', 'error-in-an-array-with-*', errorStatuses, (status) =>
      changeErrors((error) => [error], status),
    ),
    ...each('error-not-empty', 'error-*-empty', ['code', 'message'], (field) => changeErrors(setAlways('')(field))),
    ...each('error-not-empty', 'error-*-of-spaces-with-404', ['code', 'message'], (field) =>
      changeErrors(setAlways('  ')(field), 404),
    ),
  }),
];
