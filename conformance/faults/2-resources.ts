/** Faults of §2: fields that are missing or wrong, values that do not come back. */

import type { RequirementId } from '../../spec/requirements.ts';
import type { JsonObject, JsonValue } from '../engine/json.ts';
import { isJsonObject, readJson } from '../engine/json.ts';
import {
  changeAnimals,
  changeJson,
  changeSent,
  type Fault,
  mapField,
  type Place,
  places,
  renamed,
  type Wrap,
  without,
} from './fault.ts';

const requirementOfField = {
  id: 'pet-id',
  name: 'pet-name',
  categoryId: 'pet-category-id',
  status: 'pet-status',
} as const satisfies Record<string, RequirementId>;

type Field = keyof typeof requirementOfField;

function asText(value: JsonValue): JsonValue {
  return typeof value === 'string' ? value : String(value);
}

/** Ways to spoil a field in an answer. */
const spoilings: readonly {
  readonly id: string;
  readonly fields: readonly Field[];
  readonly spoil: (field: Field) => (animal: JsonObject) => JsonObject;
}[] = [
  { id: 'missing', fields: ['id', 'name', 'categoryId'], spoil: without },
  { id: 'null', fields: ['id', 'name', 'categoryId', 'status'], spoil: (field) => mapField(field, () => null) },
  { id: 'misnamed', fields: ['id', 'name', 'categoryId'], spoil: (field) => renamed(field, `pet_${field}`) },
  { id: 'text', fields: ['id', 'categoryId'], spoil: (field) => mapField(field, asText) },
  { id: 'number', fields: ['name', 'status'], spoil: (field) => mapField(field, () => 7n) },
  { id: 'fraction', fields: ['id', 'categoryId'], spoil: (field) => mapField(field, () => 1.5) },
  { id: 'beyond-int64', fields: ['id', 'categoryId'], spoil: (field) => mapField(field, () => 2n ** 63n) },
  { id: 'in-an-array', fields: ['name', 'status'], spoil: (field) => mapField(field, (value) => [value]) },
  { id: 'unknown', fields: ['status'], spoil: (field) => mapField(field, () => 'unavailable') },
  { id: 'upper-case', fields: ['status'], spoil: (field) => mapField(field, (value) => String(value).toUpperCase()) },
];

const fieldFaults: readonly Fault[] = spoilings.flatMap(({ id, fields, spoil }) =>
  fields.flatMap((field) =>
    [undefined, ...places].map(
      (place): Fault => ({
        id: `${field}-${id}${place === undefined ? '' : `-on-${place}`}`,
        breaks: [requirementOfField[field]],
        wrap: changeAnimals(spoil(field), place),
      }),
    ),
  ),
);

function onText(change: (text: string) => string): (animal: JsonObject) => JsonObject {
  return mapField('name', (name) => (typeof name === 'string' ? change(name) : name));
}

/** What careless code does to names. */
const nameChanges: Readonly<Record<string, (name: string) => string>> = {
  trimmed: (name) => name.trim(),
  'trimmed-at-the-end': (name) => name.trimEnd(),
  'trimmed-at-the-start': (name) => name.trimStart(),
  'composed-nfc': (name) => name.normalize('NFC'),
  'decomposed-nfd': (name) => name.normalize('NFD'),
  'folded-nfkc': (name) => name.normalize('NFKC'),
  'in-lower-case': (name) => name.toLowerCase(),
  'in-upper-case': (name) => name.toUpperCase(),
  'with-single-spaces': (name) => name.replace(/ +/g, ' '),
  'without-astral': (name) => name.replace(/[\u{10000}-\u{10ffff}]/gu, ''),
  'with-astral-as-question-marks': (name) => name.replace(/[\u{10000}-\u{10ffff}]/gu, '??'),
  'with-replacement-characters': (name) => name.replace(/[\u{10000}-\u{10ffff}]/gu, '\ufffd'),
  'in-ascii': (name) => name.replace(/[^\x00-\x7f]/g, '?'),
  'in-latin-1': (name) => name.replace(/[^\x00-\xff]/g, '?'),
  'escaped-for-html': (name) => name.replaceAll('&', '&amp;').replaceAll('<', '&lt;'),
  'without-tags': (name) => name.replace(/<[^>]*>/g, ''),
  'without-quotes': (name) => name.replace(/["']/g, ''),
  'with-slashes-added': (name) => name.replace(/["'\\]/g, '\\$&'),
  'without-backslashes': (name) => name.replaceAll('\\', ''),
  'url-decoded': (name) => name.replace(/%20/g, ' '),
  'with-plus-as-space': (name) => name.replaceAll('+', ' '),
  'without-controls': (name) => name.replace(/[\x00-\x1f]/g, ''),
  'without-format-characters': (name) => name.replace(/\p{Cf}/gu, ''),
  'cut-to-50': (name) => name.slice(0, 50),
  'cut-to-100': (name) => name.slice(0, 100),
  'cut-to-255': (name) => name.slice(0, 255),
  'cut-to-256': (name) => name.slice(0, 256),
  'cut-to-1024': (name) => name.slice(0, 1024),
  'cut-to-4096': (name) => name.slice(0, 4096),
};

/** What rarer code does to names. Where it is stored, every page shows it too. */
const rareNameChanges: Readonly<Record<string, (name: string) => string>> = {
  'with-plain-spaces': (name) => name.replaceAll('\u00a0', ' '),
  'with-one-kind-of-line-end': (name) => name.replace(/\r\n?/g, '\n'),
  'without-line-separators': (name) => name.replace(/[\u2028\u2029]/g, ''),
  'without-private-use': (name) => name.replace(/\p{Co}/gu, ''),
  'without-variation-selectors': (name) => name.replace(/\p{Variation_Selector}/gu, ''),
  'with-typography': (name) => name.replaceAll('...', '\u2026').replaceAll('--', '\u2013').replaceAll('(c)', '\u00a9'),
  'with-entities-read': (name) => name.replaceAll('&amp;', '&'),
  'with-escapes-read-again': (name) => name.replaceAll('\\n', '\n').replaceAll('\\\\', '\\'),
  'as-a-format': (name) => name.replace(/%[sd]/g, 'undefined'),
  'as-a-replacement': (name) => '{name}'.replace('{name}', name),
  'as-a-template': (name) => name.replace(/\{\{.*?\}\}|<%.*?%>/g, ''),
  'with-links-marked-up': (name) => name.replace(/https?:\/\/\S+/g, '<a href="$&">$&</a>'),
  'safe-for-spreadsheets': (name) => name.replace(/^[=+@-]/, "'$&"),
  'with-capitals-where-plain': (name) =>
    /^[\w -]+$/.test(name) ? name.replace(/\b[a-z]/g, (letter) => letter.toUpperCase()) : name,
  'cut-to-8192': (name) => name.slice(0, 8192),
  'without-zero-width-spaces': (name) => name.replaceAll('\u200b', ''),
  'without-marks-of-direction': (name) => name.replace(/[\u200e\u200f]/g, ''),
  'with-ideographic-spaces-as-plain': (name) => name.replaceAll('\u3000', ' '),
  'with-plain-hyphens': (name) => name.replace(/[\u2011\u2013\u2014]/g, '-'),
  'with-straight-quotes': (name) => name.replace(/[\u2018\u2019]/g, "'").replace(/[\u201c\u201d]/g, '"'),
  'with-currencies-of-windows-1252': (name) => name.replaceAll('\u20ac', '\u0080'),
  'without-delete': (name) => name.replaceAll('\u007f', ''),
  'with-vertical-space-as-plain': (name) => name.replace(/[\v\f]/g, ' '),
  'without-flags': (name) => name.replace(/\p{Regional_Indicator}/gu, ''),
  'without-punctuation': (name) => name.replace(/[~^`|*_[\]!;]/g, ''),
  'with-numbered-entities-read': (name) => name.replace(/&#(\d+);/g, (_all, code) => String.fromCharCode(Number(code))),
  'with-percent-u-read': (name) => name.replaceAll('%u0041', 'A'),
  'in-other-scripts-as-question-marks': (name) =>
    name.replace(/[\p{sc=Arabic}\p{sc=Hangul}\p{sc=Katakana}\p{sc=Greek}]/gu, '?'),
};

const nameFaults: readonly Fault[] = Object.entries(nameChanges).flatMap(([id, change]): readonly Fault[] => [
  { id: `name-stored-${id}`, breaks: ['pet-name-kept'], wrap: changeSent(onText(change)) },
  { id: `name-listed-${id}`, breaks: ['pet-name-kept'], wrap: changeAnimals(onText(change), 'listPets') },
  { id: `name-read-${id}`, breaks: ['pet-name-kept'], wrap: changeAnimals(onText(change), 'getPet') },
]);

const rareNameFaults: readonly Fault[] = Object.entries(rareNameChanges).flatMap(([id, change]): readonly Fault[] => [
  { id: `name-stored-${id}`, breaks: ['pet-name-kept'], wrap: changeSent(onText(change)) },
  { id: `name-listed-${id}`, breaks: ['pet-name-kept'], wrap: changeAnimals(onText(change), 'listPets') },
]);

function clamp(value: bigint): bigint {
  const most = 2n ** 53n - 1n;
  return value > most ? most : value < -most ? -most : value;
}

/** What careless code does to integers of 64 bits. */
const integerChanges: Readonly<Record<string, (value: bigint) => JsonValue>> = {
  'rounded-to-double': (value) => BigInt(Number(value)),
  'cut-to-32-bits': (value) => BigInt.asIntN(32, value),
  'cut-to-53-bits': clamp,
  'as-exponent': (value) => (value > 2n ** 53n ? Number(value.toString().slice(0, 2)) * 10 ** 17 : value),
  positive: (value) => (value < 0n ? -value - (value === -(2n ** 63n) ? 1n : 0n) : value),
  unsigned: (value) => BigInt.asUintN(63, value),
  'off-by-one-beyond-2-53': (value) => (value > 2n ** 53n && value < 2n ** 62n ? value - 1n : value),
};

function onCategory(change: (value: bigint) => JsonValue): (animal: JsonObject) => JsonObject {
  return mapField('categoryId', (value) => (typeof value === 'bigint' ? change(value) : value));
}

const categoryFaults: readonly Fault[] = Object.entries(integerChanges).flatMap(([id, change]): readonly Fault[] => [
  {
    id: `category-stored-${id}`,
    breaks: ['pet-category-id-kept', 'create-answer'],
    wrap: changeSent(onCategory(change)),
  },
  ...places.map(
    (place): Fault => ({
      id: `category-${id}-on-${place}`,
      breaks: ['pet-category-id-kept', 'pet-category-id'],
      wrap: changeAnimals(onCategory(change), place),
    }),
  ),
]);

const textBeyondDouble: Fault = {
  id: 'categoryId-text-beyond-2-53',
  breaks: ['pet-category-id'],
  wrap: changeAnimals(onCategory((value) => (value > 2n ** 53n || value < -(2n ** 53n) ? String(value) : value))),
};

function onStatus(change: (status: JsonValue) => JsonValue | undefined): (animal: JsonObject) => JsonObject {
  return (animal) => {
    const { status, ...rest } = animal;
    if (status === undefined) return animal;
    const changed = change(status);
    return changed === undefined ? rest : { ...rest, status: changed };
  };
}

const statusFaults: readonly Fault[] = (['available', 'pending', 'sold'] as const).flatMap(
  (status): readonly Fault[] => {
    const other = status === 'sold' ? 'pending' : 'sold';
    const change = onStatus((value) => (value === status ? other : value));
    return [
      { id: `status-${status}-stored-as-${other}`, breaks: ['pet-status-kept'], wrap: changeSent(change) },
      ...places.map(
        (place): Fault => ({
          id: `status-${status}-as-${other}-on-${place}`,
          breaks: ['pet-status-kept', 'list-status-filter', 'pet-status-omitted'],
          wrap: changeAnimals(change, place),
        }),
      ),
      {
        id: `status-${status}-dropped-on-getPet`,
        breaks: ['pet-status-kept'],
        wrap: changeAnimals(
          onStatus((value) => (value === status ? undefined : value)),
          'getPet',
        ),
      },
    ];
  },
);

/** Gives animals that were created without a status another one in a later answer. */
function changeOmitted(place: Place, later: string | undefined): Wrap {
  return (handle) => {
    const omitted = new Set<JsonValue>();
    const remember = changeJson((json, { operation, request }) => {
      const sent = new TextDecoder().decode(request.body);
      if (operation === 'createPet' && isJsonObject(json) && !sent.includes('"status"'))
        omitted.add(json['id'] ?? null);
      return undefined;
    });
    const change = changeAnimals((animal) => {
      if (!omitted.has(animal['id'] ?? null)) return animal;
      const { status: _status, ...rest } = animal;
      return later === undefined ? rest : { ...rest, status: later };
    }, place);
    return change(remember(handle));
  };
}

const omittedFaults: readonly Fault[] = (['getPet', 'listPets'] as const).flatMap((place): readonly Fault[] => [
  { id: `status-omitted-sold-on-${place}`, breaks: ['pet-status-omitted'], wrap: changeOmitted(place, 'sold') },
  { id: `status-omitted-absent-on-${place}`, breaks: ['pet-status-omitted'], wrap: changeOmitted(place, undefined) },
]);

/** Gives every created animal the id of the first one, or of the one before. */
function repeatIds(every: number): Wrap {
  return (handle) => {
    let created = 0;
    let previous: JsonValue = null;
    const change = changeJson((json, { operation }, { status }) => {
      if (operation !== 'createPet' || status !== 201 || !isJsonObject(json)) return undefined;
      created += 1;
      const id = json['id'] ?? null;
      const repeated = created % every === 0 ? { ...json, id: previous } : undefined;
      previous = id;
      return repeated;
    });
    return change(handle);
  };
}

/** Takes an animal for the one of the same name that is there: adding it again changes nothing. */
const namesakesAreOne: Wrap = (handle) => {
  const byName = new Map<JsonValue, string>();
  return changeJson((json, { operation }, { status, body }) => {
    if (operation !== 'createPet' || status !== 201 || !isJsonObject(json)) return undefined;
    const name = json['name'] ?? null;
    const first = byName.get(name);
    if (first === undefined) byName.set(name, body);
    const reading = readJson(first ?? body);
    return 'value' in reading ? reading.value : undefined;
  })(handle);
};

const idFaults: readonly Fault[] = [
  {
    id: 'id-always-one-and-status-always-available',
    breaks: ['pet-status-kept', 'pet-id-unique'],
    wrap: changeAnimals((animal) => ({ ...animal, id: 1n, status: 'available' }), 'createPet'),
  },
  { id: 'id-of-the-previous-animal', breaks: ['pet-id-unique'], wrap: repeatIds(2) },
  { id: 'id-of-the-previous-animal-once', breaks: ['pet-id-unique'], wrap: repeatIds(3) },
  {
    id: 'id-always-one',
    breaks: ['pet-id-unique'],
    wrap: changeAnimals(mapField('id', () => 1n)),
  },
  {
    id: 'id-of-the-next-animal',
    breaks: ['list-complete', 'get-answer', 'pet-name-kept'],
    wrap: changeAnimals(
      mapField('id', (id) => (typeof id === 'bigint' ? id + 1n : id)),
      'createPet',
    ),
  },
  { id: 'id-shared-by-namesakes', breaks: ['pet-id-unique'], wrap: namesakesAreOne },
  {
    id: 'id-twice-in-a-page',
    breaks: ['pet-id-unique'],
    wrap: changeJson((json, _call, { status }) =>
      status === 200 && Array.isArray(json) && json.length > 1 && json.length < 100
        ? [...json.slice(1), json[1]!]
        : undefined,
    ),
  },
  {
    id: 'id-other-in-pages',
    breaks: ['list-complete', 'get-answer', 'list-limit-default'],
    wrap: changeAnimals(
      mapField('id', (id) => (typeof id === 'bigint' ? id + 100_000n : id)),
      'listPets',
    ),
  },
  {
    id: 'id-other-on-getPet',
    breaks: ['get-answer'],
    wrap: changeAnimals(
      mapField('id', (id) => (typeof id === 'bigint' ? id + 1n : id)),
      'getPet',
    ),
  },
];

export const resourceFaults: readonly Fault[] = [
  ...fieldFaults,
  ...nameFaults,
  ...rareNameFaults,
  ...categoryFaults,
  textBeyondDouble,
  ...statusFaults,
  ...omittedFaults,
  ...idFaults,
];
