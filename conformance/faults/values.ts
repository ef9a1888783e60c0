/** Faults of §2: an operator changes a value of an animal or an Error; a place says where: on storing, or in which answers. */

import type { OperationName } from '../../spec/operations.ts';
import type { JsonObject, JsonValue } from '../http/json.ts';
import { changes, dropField, mapField, type Wrap } from '../services/wraps.ts';
import { crossed, eachRow, type FaultRows, type FaultTable, petOperations } from './fault.ts';

type ChangeObject = (object: JsonObject) => JsonValue;
/** Where a service may change an animal or an Error: when it is stored, or in some answers. */
type FaultPlace = (change: ChangeObject) => Wrap;
type Places = Readonly<Record<string, FaultPlace>>;

const answerOf =
  (only: OperationName): FaultPlace =>
  (change) =>
    changes.animals(change, only);
const operationPlaces: Places = Object.fromEntries(petOperations.map((name) => [`-on-${name}`, answerOf(name)]));
const answerPlaces: Places = { '': changes.animals, ...operationPlaces };
const textPlaces: Places = { stored: changes.sentPet, listed: answerOf('listPets'), read: answerOf('getPet') };
/** The statuses that come with an Error (§7). */
const errorPlaces: Places = Object.fromEntries(
  [400, 401, 404].map((status) => [`-with-${status}`, (change) => changes.errors(change, status)]),
);

type Texts = Readonly<Record<string, (text: string) => string>>;

/** Mistakes with text. */
const textMistakes: Texts = {
  trimmed: (text) => text.trim(),
  'trimmed-at-the-end': (text) => text.trimEnd(),
  'trimmed-at-the-start': (text) => text.trimStart(),
  'composed-nfc': (text) => text.normalize('NFC'),
  'decomposed-nfd': (text) => text.normalize('NFD'),
  'folded-nfkc': (text) => text.normalize('NFKC'),
  'in-lower-case': (text) => text.toLowerCase(),
  'in-upper-case': (text) => text.toUpperCase(),
  'with-a-capital-first': (text) => text.replace(/^[a-z]/, (letter) => letter.toUpperCase()),
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
  'with-plain-spaces': (text) => text.replaceAll('\u00a0', ' '),
  'with-one-kind-of-line-end': (text) => text.replace(/\r\n?/g, '\n'),
  ...Object.fromEntries(
    [50, 100, 255, 256, 1024, 4096].map((most) => [`cut-to-${most}`, (text: string) => text.slice(0, most)]),
  ),
};

const onText = (change: Texts[string]) => mapField('name', (name) => (typeof name === 'string' ? change(name) : name));

const largestSafe = 2n ** 53n - 1n;
/** Mistakes that code makes with 64-bit integers. */
const integers: Readonly<Record<string, (value: bigint) => bigint>> = {
  // A value beyond the range of a double would become Infinity, so it stays as it is.
  'rounded-to-double': (value) => (Number.isFinite(Number(value)) ? BigInt(Number(value)) : value),
  'cut-to-32-bits': (value) => BigInt.asIntN(32, value),
  'cut-to-53-bits': (value) => {
    if (value > largestSafe) return largestSafe;
    return value < -largestSafe ? -largestSafe : value;
  },
};
const onCategory = (change: (value: bigint) => bigint) =>
  mapField('categoryId', (value) => (typeof value === 'bigint' ? change(value) : value));

/** An operator, for the field of this name. */
type Damage = (field: string) => ChangeObject;
const setTo =
  (change: (value: JsonValue) => JsonValue): Damage =>
  (field) =>
    mapField(field, change);
const always = (value: JsonValue): Damage => setTo(() => value);
const asText = setTo((value) => (typeof value === 'string' ? value : String(value)));
const inAnArray = setTo((value) => [value]);
const misnamed: Damage =
  (field) =>
  ({ [field]: value, ...rest }) =>
    value === undefined ? rest : { ...rest, [`the_${field}`]: value };
/** Mistakes with any field. */
const usual = { missing: dropField, null: always(null), misnamed };
const noInt64 = { text: asText, fraction: always(1.5), 'beyond-int64': always(2n ** 63n) };

const damaged = (field: string, damages: Readonly<Record<string, Damage>>): FaultRows =>
  crossed(`${field}-**`, damages, answerPlaces, (damage, place) => place(damage(field)));
const damagedError = (field: string, damages: Readonly<Record<string, Damage>>): FaultRows =>
  crossed(`error-${field}-**`, damages, errorPlaces, (damage, place) => place(damage(field)));
const wholeErrors = (table: Readonly<Record<string, ChangeObject>>): FaultRows =>
  crossed('error-**', table, errorPlaces, (change, place) => place(change));
const statusAs = (change: (status: bigint) => bigint): ChangeObject =>
  mapField('status', (status) => (typeof status === 'bigint' ? change(status) : status));

export const valueFaults: FaultTable = {
  'pet-name-kept': crossed('name-*-*', textPlaces, textMistakes, (place, change) => place(onText(change))),
  'pet-category-id-kept': {
    ...eachRow('category-stored-*', integers, (change) => changes.sentPet(onCategory(change))),
    ...crossed('category-**', integers, operationPlaces, (change, place) => place(onCategory(change))),
    // categoryId || 1
    'category-0-as-the-default': changes.sentPet(onCategory((value) => value || 1n)),
    // A format that writes numbers of 32 bits in another way than larger ones reads their highest bit as a sign.
    'category-of-32-bits-read-as-signed': {
      wrap: changes.sentPet(
        onCategory((value) => (value === BigInt.asUintN(32, value) ? BigInt.asIntN(32, value) : value)),
      ),
      within: 300,
    },
  },
  'pet-status-kept': {
    'status-of-the-client-ignored': changes.sentPet(mapField('status', () => 'available')),
    // The read has a copy of the status that is not updated.
    'pending-read-as-available': changes.animals(
      mapField('status', (status) => (status === 'pending' ? 'available' : status)),
      'getPet',
    ),
  },
  'pet-id': damaged('id', { ...usual, ...noInt64 }),
  'pet-name': damaged('name', { ...usual, number: always(7n), 'in-an-array': inAnArray }),
  'pet-category-id': damaged('categoryId', { ...usual, ...noInt64 }),
  'pet-status': damaged('status', {
    null: always(null),
    number: always(7n),
    unknown: always('unavailable'),
    'in-an-array': inAnArray,
    'upper-case': setTo((value) => String(value).toUpperCase()),
  }),
  'error-code': {
    ...damagedError('code', { ...usual, 'as-number': always(17n), 'in-an-array': inAnArray }),
    ...wholeErrors({ wrapped: (error) => ({ error }) }),
  },
  'error-message': damagedError('message', { ...usual, 'in-an-array': inAnArray }),
  'error-status': damagedError('status', {
    ...usual,
    'as-text': asText,
    'in-an-array': inAnArray,
    fraction: always(400.5),
  }),
  'error-shape': wholeErrors({ text: () => 'error', null: () => null, 'in-an-array': (error) => [error] }),
  'error-status-equals': {
    ...wholeErrors({ 'status-200': statusAs(() => 200n), 'status-zero': statusAs(() => 0n) }),
    'error-status-always-400': changes.errors(statusAs(() => 400n)),
    'error-status-of-an-own-list': changes.errors(statusAs((status) => status * 100n + 1n)),
  },
  'error-not-empty': eachRow('error-*-empty', ['code', 'message'], (field) => changes.errors(always('')(field))),
};
