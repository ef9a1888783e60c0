/**
 * Faults that three hundred requests need not show: each is a mistake that one class of values of ranks 6 to 9 is sent for, or
 * that a drawn value reveals.
 */

import { readHeader } from '../../reference-server/index.ts';
import { pageLimit, petStatuses } from '../../spec/operations.ts';
import {
  hasFieldTwice,
  isInt64,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  readJson,
  writeJson,
} from '../http/json.ts';
import { changeQuery, onCreation } from '../services/pages.ts';
import {
  answerError,
  type Call,
  changes,
  isListing,
  isRead,
  mapField,
  type Wrap,
  withBody,
} from '../services/wraps.ts';
import { type Repair, repairing, repairText, rewriting } from './bodies.ts';
import { eachRow, type FaultTable } from './fault.ts';
import { acceptingToken } from './keys.ts';
import { readSegmentAs } from './structure.ts';

/** Reads the fields of a body under other names. */
const renamingFields = (rename: (name: string) => string): Wrap =>
  rewriting(({ pet }) => {
    const isRenamed = Object.keys(pet).some((name) => rename(name) !== name);
    const renamed = Object.entries(pet).map(([name, value]) => [rename(name), value] as const);
    return isRenamed ? writeJson(Object.fromEntries(renamed)) : undefined;
  });

const prototypeName = '__proto__';

/** Looks fields up along the chain of prototypes, which a careless parser lets a body set. */
const withFieldsOfPrototype: Wrap = rewriting(({ pet }) => {
  const prototype = Object.hasOwn(pet, prototypeName) ? pet[prototypeName] : undefined;
  return isJsonObject(prototype) ? writeJson({ ...prototype, ...pet }) : undefined;
});

/** Takes the category as other interfaces for pet stores send it. */
const withCategoryObject: Wrap = rewriting(({ pet: { category, ...pet } }) => {
  const id = isJsonObject(category) ? category['id'] : undefined;
  return id === undefined || Object.hasOwn(pet, 'categoryId') ? undefined : writeJson({ ...pet, categoryId: id });
});

/** Merges a body into the stored animal of its id, as a method does that creates and updates, and checks the result. */
const mergedIntoStored: Wrap = (handle, keys) => {
  const stored = new Map<JsonValue | undefined, JsonObject>();
  const noted = onCreation((pet) => void stored.set(pet['id'], pet))(handle, keys);
  return rewriting(({ pet }) => {
    const known = stored.get(pet['id']);
    return known === undefined ? undefined : writeJson({ ...known, ...pet });
  })(noted, keys);
};

/** What lenient readers make of a categoryId. */
const categoryReaders: Readonly<Record<string, Repair>> = {
  // Only the upper bound is checked.
  'below-int64': (value) => (typeof value === 'bigint' && value < -(2n ** 63n) ? BigInt.asIntN(64, value) : value),
  // value % 1 > 0, which is false for -0.5.
  'of-a-negative-fraction': (value) => (typeof value === 'number' && value < 0 ? BigInt(Math.trunc(value)) : value),
  // A fraction is known by its point, and 1e-7 has none.
  'of-a-fraction-without-a-point': (value) => (typeof value === 'number' && value === 1e-7 ? 0n : value),
  'in-text-with-an-exponent': repairText((text) => (/^\de\d$/.test(text) ? BigInt(Number(text)) : text)),
  'in-text-in-hexadecimal-digits': repairText((text) => (/^0x[\da-f]+$/i.test(text) ? BigInt(text) : text)),
  'in-text-with-a-fraction': repairText((text) => (/^\d+\.0$/.test(text) ? BigInt(Number(text)) : text)),
  'in-an-object': (value) => (isJsonObject(value) && isInt64(value['id']) ? value['id'] : value),
};

/** What lenient readers make of a status. */
const statusReaders: Readonly<Record<string, Repair>> = {
  'available-in-any-case': repairText((text) => (text.toLowerCase() === 'available' ? 'available' : text)),
  'in-text-null': repairText((text) => (text === 'null' ? 'available' : text)),
  // A lookup in an object finds what every object has.
  'of-every-object': repairText((text) => (text in {} ? 'available' : text)),
  // The $ of a pattern matches before the line end as well.
  'before-a-line-end': repairText((text) => text.replace(/\n$/, '')),
  'by-its-number-in-text': repairText((text) => (text === '0' ? 'available' : text)),
  'up-to-a-null-character': repairText((text) => text.split('\0')[0]!),
  // A list of Python takes -1 as an index.
  'by-its-number-from-the-end': (value) => (value === -1n ? 'sold' : value),
};

const withoutSecondDocument = (text: string): string => text.replace(/^(\{[^}]*\})\{.*$/s, '$1');

/** Texts that are no JSON, as lenient readers take them. */
const textReaders: Readonly<Record<string, (text: string) => string>> = {
  'single-quotes': (text) => text.replaceAll("'", '"'),
  'leading-zeros': (text) => text.replace(/:0+(\d)/, ':$1'),
  'a-second-document': withoutSecondDocument,
  'a-comma-missing': (text) => text.replace(/" "/, '","'),
  'hexadecimal-digits': (text) => text.replace(/:(0x[\da-f]+)/i, (_number, digits: string) => `:${BigInt(digits)}`),
  'a-plus-sign': (text) => text.replace(/:\+(\d)/, ':$1'),
  // A text of C ends there.
  'a-null-character-behind-it': (text) => text.replace(/\0$/, ''),
  'a-line-end-in-a-string': (text) => text.replaceAll('\n', '\\n'),
};

/** Three bytes of a character of four: a reader that looks one byte ahead takes them for whole. */
const cutCharacter = Buffer.from([0xf0, 0x9f, 0x90]);

/** Takes the id of the client from a text, or from a field of another name. */
const takesIdOfClient = (idOf: (sent: Readonly<Record<string, JsonValue>>) => JsonValue | undefined): Wrap =>
  changes.created((pet, { pet: sent }) => {
    const id = idOf(sent);
    return isInt64(id) ? { ...pet, id } : undefined;
  });

/** Reads a parameter of a listing otherwise; `undefined` takes it for none. */
const readingAs =
  (name: 'limit' | 'status') =>
  (read: (text: string) => string | undefined): Wrap =>
    changeQuery((query) => {
      const text = query.get(name);
      if (text === null) return;
      const changed = read(text);
      if (changed === undefined) query.delete(name);
      else query.set(name, changed);
    });
const limitAs = readingAs('limit');
const filterAs = readingAs('status');

/** Answers a limit beyond the largest with all animals of the run. */
const allBeyondTheLargest: Wrap = (handle, keys) => {
  const pets: JsonValue[] = [];
  const noted = onCreation((pet) => void pets.push(pet))(handle, keys);
  const isBeyond = (call: Call): boolean => {
    return isListing(call) && call.isAuthorized && Number(call.query.get('limit') ?? 0) > pageLimit.most;
  };
  return changes.answer((answer) => ({ ...answer, status: 200, body: writeJson(pets) }), isBeyond)(noted, keys);
};

/** Mistakes with a petId that is no int64. */
const petIdReaders: Readonly<Record<string, (segment: string) => string>> = {
  'first-of-several': (segment) => segment.split(',')[0]!,
  'up-to-a-null-character': (segment) => segment.split('%00')[0]!,
  // A proxy decodes an address before it routes it.
  'up-to-an-escaped-question-mark': (segment) => segment.split('%3F')[0]!,
  // An address within an address.
  'up-to-an-escaped-number-sign': (segment) => segment.split('%23')[0]!,
  'put-into-a-query': (segment) => segment.replace(/%20or%20.*$/i, ''),
  // What follows a colon is taken for a verb.
  'up-to-a-colon': (segment) => segment.split(':')[0]!,
  'by-the-word-latest': (segment) => segment.replace(/^latest$/, '1'),
  'truncated-from-a-fraction': (segment) => segment.replace(/^(-?\d+)\.\d+$/, '$1'),
  // A lookup in an object finds what every object has.
  'of-every-object': (segment) => (segment in {} ? '1' : segment),
  'wrapped-at-128-bits': (segment) =>
    /^\d{30,}$/.test(segment) ? String(BigInt.asUintN(128, BigInt(segment))) : segment,
  // An unsigned number, of which the highest bit is taken for a sign.
  'without-its-highest-bit': (segment) =>
    /^\d+$/.test(segment) && BigInt(segment) < 2n ** 64n ? String(BigInt.asUintN(63, BigInt(segment))) : segment,
};

const storedName = (change: (name: string) => string): Wrap =>
  changes.sentPet(mapField('name', (name) => (typeof name === 'string' ? change(name) : name)));

/** A parser of a stream: the first document is stored when the second one is found. */
const firstDocumentStored = changes.answer(
  (_refusal, { request, text }, send) => void send(withBody(request, withoutSecondDocument(text))),
  ({ operation, isAuthorized, text }) => {
    return operation === 'createPet' && isAuthorized && withoutSecondDocument(text) !== text;
  },
);

/** Mistakes with names. */
const nameMistakes: Readonly<Record<string, (name: string) => string>> = {
  'of-a-dash-emptied': (name) => (name === '-' ? '' : name),
  // A decoder of UTF-8 takes it for a mark of the byte order.
  'without-a-zero-width-space-at-its-start': (name) => name.replace(/^\ufeff/, ''),
  // A routine that takes escapes out finds nothing behind it.
  'without-a-backslash-at-its-end': (name) => name.replace(/\\$/, ''),
  // YAML 1.1.
  'off-taken-for-false': (name) => (name === 'off' ? 'false' : name),
  'without-a-dot-at-its-end': (name) => name.replace(/\.$/, ''),
  // Thymeleaf evaluates them.
  'without-expressions-of-a-template': (name) => name.replace(/\[\[.*?\]\]|[*~#]\{.*?\}/g, ''),
  // The buffers of this size have no room for the end of a text.
  'of-medium-length-without-its-end': (name) => (name.length > 300 && name.length < 3_000 ? name.slice(0, -1) : name),
};

/** The mantissa of a float holds 24 bits; a larger number of this service is in another column. */
const asFloat = (value: bigint): bigint =>
  value > 0n && value < 2n ** 30n ? BigInt(Math.fround(Number(value))) : value;

export const rareFaults: FaultTable = {
  'create-required-fields': {
    'field-names-trimmed': renamingFields((name) => name.trim()),
    'fields-of-a-prototype-accepted': withFieldsOfPrototype,
    'fields-of-the-stored-animal-accepted': mergedIntoStored,
    'category-of-another-interface-accepted': withCategoryObject,
    // Frameworks bind names without regard to dashes.
    'field-names-with-dashes-accepted': renamingFields((name) => name.replace('category-id', 'categoryId')),
  },
  'create-invalid-values': {
    ...eachRow('value-categoryId-*-accepted', categoryReaders, repairing('categoryId')),
    ...eachRow('value-status-*-accepted', statusReaders, repairing('status')),
  },
  'create-malformed-body': eachRow('json-with-*-accepted', textReaders, (repair) =>
    rewriting(({ text }) => ('value' in readJson(text) ? undefined : repair(text))),
  ),
  'create-refused-stores-nothing': { 'first-of-two-documents-refused-yet-stored': firstDocumentStored },
  'create-body-utf8': {
    'body-with-a-cut-character-accepted': rewriting(({ request: { body }, text }) =>
      Buffer.from(body).includes(cutCharacter) && text.includes('\ufffd') ? text : undefined,
    ),
  },
  'pet-id-unique': {
    'id-of-the-client-in-text': takesIdOfClient(({ id }) =>
      typeof id === 'string' && /^\d+$/.test(id) ? BigInt(id) : undefined,
    ),
    'id-of-the-client-under-another-name': takesIdOfClient((sent) => sent['_id']),
  },
  'list-limit-refused': {
    // NaN < 1 is false, and so is NaN > 100.
    'limit-not-a-number-ignored': limitAs((limit) => (limit === 'NaN' ? undefined : limit)),
    'limit-all-is-the-largest': limitAs((limit) => (limit === 'all' ? `${pageLimit.most}` : limit)),
    // Clients write it where they have no limit.
    'limit-null-ignored': limitAs((limit) => (limit === 'null' ? undefined : limit)),
    'limit-in-hexadecimal-digits-read': limitAs((limit) => (/^0x[\da-f]+$/i.test(limit) ? `${Number(limit)}` : limit)),
    'limit-with-an-exponent-read': limitAs((limit) => (/^\de\d$/.test(limit) ? `${Number(limit)}` : limit)),
  },
  'list-status-refused': {
    'filter-by-the-beginning-of-a-word': filterAs((filter) => {
      return petStatuses.find((status) => filter.length > 1 && status.startsWith(filter)) ?? filter;
    }),
    // A member of an enumeration is found by its name, which is not its value.
    'filter-by-the-name-of-a-member': filterAs((filter) => {
      return /^[A-Z][a-z]+$/.test(filter) ? filter.toLowerCase() : filter;
    }),
    'filter-star-is-any': filterAs((filter) => (filter === '*' ? undefined : filter)),
    'filter-trimmed': filterAs((filter) => filter.trim()),
    'filter-put-into-a-query': filterAs((filter) => (/'\s*or\s/i.test(filter) ? undefined : filter)),
  },
  'get-id-not-int64': eachRow('pet-id-*', petIdReaders, readSegmentAs),
  'list-limit': {
    // Pages beyond the largest are asked for a hundred animals at a time, and joined.
    'page-of-everything-beyond-the-largest': allBeyondTheLargest,
  },
  'get-answer': {
    // A column of two digits.
    'read-cuts-id-to-two-digits': readSegmentAs((segment) => (/^1\d\d$/.test(segment) ? segment.slice(0, 2) : segment)),
  },
  'errors-listed': {
    'body-with-an-id-of-null-breaks-the-server': answerError(500, ({ pet: { id } }) => id === null),
    'body-with-a-field-without-a-name-breaks-the-server': answerError(500, ({ pet }) => Object.hasOwn(pet, '')),
    // JsonObject of .NET throws when a field of it is read.
    'body-with-a-field-twice-breaks-the-server': answerError(500, ({ operation, json, text }) => {
      return operation === 'createPet' && isJsonObject(json) && hasFieldTwice(text);
    }),
    'body-without-a-media-type-breaks-the-server': answerError(500, ({ operation, isAuthorized, request }) => {
      return operation === 'createPet' && isAuthorized && readHeader(request, 'content-type') === '';
    }),
    // A larger body goes to a file, which the service may not write.
    'body-beyond-8-kib-breaks-the-server': answerError(500, ({ request: { body } }) => body.length > 8_192),
    // The digits of a number are written out in memory.
    'category-with-a-huge-exponent-breaks-the-server': answerError(500, ({ text }) => /\de\d{9}/.test(text)),
    'parameter-in-brackets-breaks-the-server': answerError(500, (call) => {
      return isListing(call) && call.isAuthorized && call.query.has('limit[]');
    }),
    'filter-in-an-object-breaks-the-server': answerError(500, ({ query }) => query.get('status') === prototypeName),
    // A database takes no such text.
    'filter-with-a-null-character-breaks-the-server': answerError(500, ({ query }) => {
      return query.get('status')?.includes('\0') === true;
    }),
    // A cast to 32 bits behind the check makes it negative, which a database refuses.
    'limit-cast-to-32-bits-breaks-the-server': answerError(500, (call) => {
      const limit = Number(isListing(call) && call.isAuthorized ? call.query.get('limit') : 0);
      return Number.isSafeInteger(limit) && limit > 0 && (limit | 0) < 0;
    }),
    // It is a number, and no integer can hold it.
    'infinity-breaks-the-server': answerError(500, (call) => {
      return isRead(call) && call.isAuthorized && call.request.target.endsWith('/Infinity');
    }),
    // Math.abs of it overflows in Java and in C.
    'smallest-id-breaks-the-server': answerError(500, (call) => {
      return isRead(call) && call.isAuthorized && call.request.target.endsWith(`/${-(2n ** 63n)}`);
    }),
  },
  'auth-invalid-key': {
    'key-second-of-several': acceptingToken((token, key) => token.endsWith(`, Bearer ${key}`)),
    'null-accepted-on-getPet': acceptingToken((token) => token === 'null', 'getPet'),
    // Only this operation takes the last word of the header.
    'key-behind-a-second-bearer-on-getPet': acceptingToken((token, key) => token === `Bearer ${key}`, 'getPet'),
    'star-accepted-on-listPets': acceptingToken((token) => token === '*', 'listPets'),
    // A key is looked up in an object, and has to be found as an object.
    'key-of-the-prototype-accepted': acceptingToken((token) => token === prototypeName),
  },
  'pet-name-kept': {
    ...eachRow('name-*', nameMistakes, storedName),
    // A name that is made plain for an address before it is stored.
    'name-of-signs-emptied': storedName((name) => (/^[^\s\p{L}\p{N}]+$/u.test(name) ? '' : name)),
  },
  'pet-category-id-kept': {
    'category-small-as-a-float': changes.sentPet(
      mapField('categoryId', (value) => (typeof value === 'bigint' ? asFloat(value) : value)),
    ),
  },
};
