/** Faults of §2: values of animals and Errors that change on their way. Operators on values, times the places of a service. */

import type { RequirementId } from '../../spec/requirements.ts';
import type { JsonObject, JsonValue } from '../http/json.ts';
import { changes, dropField, mapField, renameField, type Wrap } from '../services/wraps.ts';
import { crossed, each, type Fault, type FaultTable, ordinary, rare, type Wraps } from './fault.ts';

type Change = (object: JsonObject) => JsonValue;
/** Where a service may change an animal or an Error: when it is stored, or in some answers. */
type Places = Readonly<Record<string, (change: Change) => Wrap>>;

const operations: Places = {
  createPet: (change) => changes.animals(change, 'createPet'),
  getPet: (change) => changes.animals(change, 'getPet'),
  listPets: (change) => changes.animals(change, 'listPets'),
};
const answers: Places = {
  '': changes.animals,
  ...Object.fromEntries(Object.entries(operations).map(([name, place]) => [`-on-${name}`, place])),
};
const textPlaces: Places = { stored: changes.sentPet, listed: operations['listPets']!, read: operations['getPet']! };
/** The statuses that come with an Error (§7). */
const errors: Places = Object.fromEntries(
  [400, 401, 404].map((status) => [`-with-${status}`, (change) => changes.errors(change, status)]),
);

type Texts = Readonly<Record<string, (text: string) => JsonValue>>;

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
  ...Object.fromEntries(
    [50, 100, 255, 256, 1024, 4096].map((most) => [`cut-to-${most}`, (text: string) => text.slice(0, most)]),
  ),
};

/** Rarer mistakes with text, of which some make it another type. */
const rareTexts: Texts = {
  'with-plain-spaces': (text) => text.replaceAll('\u00a0', ' '),
  'with-one-kind-of-line-end': (text) => text.replace(/\r\n?/g, '\n'),
  'with-entities-read': (text) => text.replaceAll('&amp;', '&'),
  'as-numbers-where-digits': (text) => (/^[1-9]\d*$/.test(text) ? BigInt(text) : text),
  'as-words-of-json': (text) => (/^(null|true|false)$/i.test(text) ? null : text),
  'empty-where-blank': (text) => (/^\s+$/.test(text) ? '' : text),
  'without-leading-zeros': (text) => text.replace(/^0+(?=.)/, ''),
};

const onText = (change: Texts[string]) => mapField('name', (name) => (typeof name === 'string' ? change(name) : name));

const mostOfDouble = 2n ** 53n - 1n;
/** Mistakes that code makes with 64-bit integers. */
const integers: Readonly<Record<string, (value: bigint) => bigint>> = {
  // Beyond the range of a double it would be infinite, and is left as it is.
  'rounded-to-double': (value) => (Number.isFinite(Number(value)) ? BigInt(Number(value)) : value),
  'cut-to-32-bits': (value) => BigInt.asIntN(32, value),
  'cut-to-53-bits': (value) => (value > mostOfDouble ? mostOfDouble : value < -mostOfDouble ? -mostOfDouble : value),
};
const onCategory = (change: (value: bigint) => bigint) =>
  mapField('categoryId', (value) => (typeof value === 'bigint' ? change(value) : value));

type Damage = (field: string) => Change;
/** Ways to damage a field, each with the fields that it damages. */
type Damages<Field extends string> = Readonly<Record<string, readonly [fields: readonly Field[], damage: Damage]>>;

const setTo =
  (change: (value: JsonValue) => JsonValue): Damage =>
  (field) =>
    mapField(field, change);
const always = (value: JsonValue): Damage => setTo(() => value);
const inAnArray = setTo((value) => [value]);
const asText = setTo((value) => (typeof value === 'string' ? value : String(value)));

/** The faults of each requirement, which is that of a field. */
function damaging<Field extends string>(
  requirements: Readonly<Record<Field, RequirementId>>,
  id: (field: Field, damage: string) => `${string}*`,
  places: Places,
) {
  return (damages: Damages<Field>): FaultTable => {
    const table: Partial<Record<RequirementId, Wraps>> = {};
    for (const [name, [fields, damage]] of Object.entries(damages)) {
      for (const field of fields) {
        const rows = each(id(field, name), places, (place) => place(damage(field)));
        table[requirements[field]] = { ...table[requirements[field]], ...rows };
      }
    }
    return table;
  };
}
const ofAnimals = damaging(
  { id: 'pet-id', name: 'pet-name', categoryId: 'pet-category-id', status: 'pet-status' },
  (field, name) => `${field}-${name}*`,
  answers,
);
const ofErrors = damaging(
  { code: 'error-code', message: 'error-message', status: 'error-status' },
  (field, name) => `error-${field}-${name}*`,
  errors,
);
const wholeErrors = (table: Readonly<Record<string, Change>>): Wraps =>
  crossed('error-**', table, errors, (change, place) => place(change));

const asStatus = (value: bigint) => mapField('status', () => value);
const [code, message, status] = ['code', 'message', 'status'] as const;

export const valueFaults: readonly Fault[] = [
  ...ordinary({
    'pet-name-kept': crossed('name-*-*', textPlaces, texts, (place, change) => place(onText(change))),
    'pet-category-id-kept': {
      ...each('category-stored-*', integers, (change) => changes.sentPet(onCategory(change))),
      ...crossed('category-*-on-*', integers, operations, (change, place) => place(onCategory(change))),
    },
    'pet-status-kept': { 'status-of-the-client-ignored': changes.sentPet(mapField('status', () => 'available')) },
    ...ofAnimals({
      missing: [['id', 'name', 'categoryId'], dropField],
      null: [['id', 'name', 'categoryId', 'status'], always(null)],
      misnamed: [['id', 'name', 'categoryId'], (field) => renameField(field, `pet_${field}`)],
      text: [['id', 'categoryId'], asText],
      number: [['status'], always(7n)],
      unknown: [['status'], always('unavailable')],
      'upper-case': [['status'], setTo((value) => String(value).toUpperCase())],
    }),
    ...ofErrors({
      missing: [[code, message, status], dropField],
      null: [[code, message, status], always(null)],
      misnamed: [[code, message, status], (field) => renameField(field, `${field}Text`)],
      'as-text': [[status], asText],
      'as-number': [[code], always(17n)],
    }),
    'error-shape': wholeErrors({ text: () => 'error', null: () => null, 'in-an-array': (error) => [error] }),
    'error-status-equals': {
      ...wholeErrors({ 'status-200': asStatus(200n), 'status-zero': asStatus(0n) }),
      'error-status-always-400': changes.errors(asStatus(400n)),
      'error-status-of-an-own-list': changes.errors(
        mapField('status', (value) => (typeof value === 'bigint' ? value * 100n + 1n : value)),
      ),
    },
  }),
  ...ordinary({ 'error-code': wholeErrors({ wrapped: (error) => ({ error }) }) }),
  ...rare({
    'pet-name-kept': each('name-shown-*', rareTexts, (change) => changes.animals(onText(change))),
    ...ofAnimals({
      number: [['name'], always(7n)],
      fraction: [['id', 'categoryId'], always(1.5)],
      'beyond-int64': [['id', 'categoryId'], always(2n ** 63n)],
      'in-an-array': [['name', 'status'], inAnArray],
    }),
    ...ofErrors({
      'in-an-array': [[code, message, status], inAnArray],
      fraction: [[status], always(400.5)],
    }),
    'error-not-empty': each('error-*-empty', [code, message], (field) => changes.errors(always('')(field))),
  }),
];
