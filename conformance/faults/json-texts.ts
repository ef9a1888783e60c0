/** Faults of §4.2: valid JSON that is refused or misread, and texts that are accepted although they are no JSON. */

import { isUtf8 } from 'node:buffer';
import { petStatuses } from '../../spec/operations.ts';
import { isJsonObject, type JsonObject, type JsonValue, readJson, writeJson } from '../http/json.ts';
import {
  answerError,
  changeRequest,
  refuseBodies,
  sentBody,
  sentJson,
  sentPet,
  unknownFieldsOf,
  type Wrap,
  withBody,
} from '../services/wraps.ts';
import { type Fault, ordinaryEach, rare, rareEach } from './fault.ts';

const withoutStrings = (text: string): string => text.replace(/"(?:[^"\\]|\\.)*"/g, '""');

const refused: Readonly<Record<string, (text: string) => boolean>> = {
  'white-space': (text) => /[ \t\r\n]/.test(withoutStrings(text)),
  'a-tab': (text) => withoutStrings(text).includes('\t'),
  'a-carriage-return': (text) => withoutStrings(text).includes('\r'),
  'white-space-around-it': (text) => text !== text.trim(),
  'another-order': (text) => /^\s*\{\s*"(categoryId|status)"/.test(text),
  'an-escaped-field-name': (text) => /"[^"]*\\u[^"]*"\s*:/.test(text),
  'a-value-in-escapes': (text) => /:\s*"(?:\\u00[67][0-9a-f])+"/.test(text),
  'an-escape-in-upper-case': (text) => /\\u00[0-9]?[A-F]/.test(text),
};

function misreading(change: (text: string) => string): Wrap {
  return changeRequest((request, call) =>
    call.operation === 'createPet' ? withBody(request, change(sentBody(call))) : request,
  );
}

/** The returned animal shows them. */
export const textFaults: readonly Fault[] = rare('pet-name-kept', {
  'json-pairs-of-surrogates-lost': misreading((text) => text.replace(/\\ud[89ab]..\\ud[c-f]../gi, '??')),
  'json-escapes-in-lower-case-unread': misreading((text) =>
    text.replace(/\\u(?=00[0-9a-f]{2})(?!....[A-F])/g, '\\\\u'),
  ),
  'json-escaped-slashes-doubled': misreading((text) => text.replaceAll('\\/', '\\\\/')),
});

/** Repairs texts that are no JSON, as a lenient reader does. */
const lenient: Readonly<Record<string, (text: string) => string>> = {
  'trailing-comma': (text) => text.replace(/,(\s*\})/g, '$1'),
  'form-feed': (text) => text.replace(/^[\f\v\u00a0]+/, ''),
  'single-quotes': (text) => (text.includes('"') ? text : text.replaceAll("'", '"')),
  'unquoted-names': (text) => text.replace(/([{,]\s*)(\w+)(\s*:)/g, '$1"$2"$3'),
  'leading-zeros': (text) => text.replace(/(:\s*)0+(\d)/g, '$1$2'),
  'a-line-of-comment': (text) => text.replace(/^\s*(\/\/|#).*\n/, ''),
  'several-documents': (text) => text.replace(/\}\s*\{.*$/s, '}'),
  'no-end': (text) => (/[^}\]"]$/.test(text) ? `${text}}` : text),
  'a-tab-in-a-string': (text) => text.replaceAll('\t', '\\t'),
  'not-a-number': (text) => text.replace(/:\s*(NaN|Infinity)/g, ':0'),
};

type Repair = (value: JsonValue) => JsonValue;

function repairing(field: string, repair: Repair): Wrap {
  return changeRequest((request, call) => {
    const sent = sentPet(call);
    const value = sent[field];
    const repaired = value === undefined ? undefined : repair(value);
    if (repaired === undefined || repaired === value) return request;
    return withBody(request, writeJson({ ...sent, [field]: repaired }));
  });
}

const states: readonly string[] = petStatuses;

const repairText =
  (repair: (text: string) => JsonValue): Repair =>
  (value) =>
    typeof value === 'string' ? repair(value) : value;

const repairOne =
  (is: (value: JsonValue) => boolean, to: JsonValue): Repair =>
  (value) =>
    is(value) ? to : value;

const isEmptyList = (value: JsonValue): boolean => Array.isArray(value) && value.length === 0;
const isEmptyObject = (value: JsonValue): boolean => isJsonObject(value) && Object.keys(value).length === 0;
const firstOfOne: Repair = (value) => (Array.isArray(value) && value.length === 1 ? value[0]! : value);

/** Number(value) of JavaScript. */
const asNumber: Repair = (value) => {
  if (isJsonObject(value)) return value;
  const number = Number(Array.isArray(value) ? value.join() : value);
  return Number.isSafeInteger(number) ? BigInt(number) : value;
};

type Repairs = Readonly<Record<'status' | 'name' | 'categoryId', Readonly<Record<string, Repair>>>>;

/** Coercions of languages and libraries, by field. */
const repairs: Repairs = {
  status: {
    'in-any-case': repairText((text) => text.toLowerCase()),
    'with-spaces': repairText((text) => text.trim()),
    'by-its-beginning': (value) => states.find((one) => `${value}`.length > 1 && one.startsWith(`${value}`)) ?? value,
    'by-its-number': (value) => (typeof value === 'bigint' ? (states[Number(value)] ?? value) : value),
    falsy: (value) => (!value || value === 0n ? 'available' : value),
    'of-any-other-type': (value) => (typeof value === 'string' ? value : 'available'),
    'in-a-list': firstOfOne,
    'that-contains-one': repairText((text) => states.find((one) => text.includes(one)) ?? text),
    'by-a-pattern-without-a-group': repairText((text) => (/^available|pending|sold$/.test(text) ? 'sold' : text)),
    'with-a-typing-error': repairText((text) => states.find((one) => isTypingError(text, one)) ?? text),
  },
  name: {
    falsy: (value) => (!value ? 'unnamed' : value),
    'as-text': (value) => (value === null ? value : String(isJsonObject(value) ? '[object Object]' : value)),
    'a-fraction': (value) => (typeof value === 'number' ? String(value) : value),
  },
  categoryId: {
    'as-a-number': asNumber,
    truncated: (value) => (typeof value === 'number' && Math.abs(value) < 1e9 ? BigInt(Math.trunc(value)) : value),
    'that-wraps': (value) => (typeof value === 'bigint' ? BigInt.asIntN(64, value) : value),
    'in-digits': repairText((text) => (/^-?\d+$/.test(text) ? BigInt(text) : text)),
    'in-a-list': firstOfOne,
    'a-word': repairText((text) => (/^[a-z]+$/i.test(text) ? 0n : text)),
    'by-its-first-digits': repairText((text) => (/^\d+[a-z]/.test(text) ? BigInt(Number.parseInt(text, 10)) : text)),
  },
};

/** Repairs of single values; the coercions of a language repair several values at once. */
const singleRepairs: Repairs = {
  status: {
    'in-compatible-letters': repairText((text) => text.normalize('NFKC')),
    true: repairOne((value) => value === true, 'available'),
    false: repairOne((value) => value === false, 'available'),
    'an-empty-list': repairOne(isEmptyList, 'available'),
    'an-empty-object': repairOne(isEmptyObject, 'available'),
    'in-upper-case-pending': repairOne((value) => value === 'PENDING', 'pending'),
    'with-a-capital-sold': repairOne((value) => value === 'Sold', 'sold'),
  },
  name: {
    zero: repairOne((value) => value === 0n, '0'),
    true: repairOne((value) => value === true, 'true'),
    false: repairOne((value) => value === false, 'false'),
    'an-empty-list': repairOne(isEmptyList, ''),
    'an-empty-object': repairOne(isEmptyObject, '[object Object]'),
  },
  categoryId: {
    true: repairOne((value) => value === true, 1n),
    false: repairOne((value) => value === false, 0n),
    'an-empty-text': repairText((text) => (text === '' ? 0n : text)),
    'with-a-point': repairText((text) => (/^\d+\.0$/.test(text) ? BigInt(text.slice(0, -2)) : text)),
    'in-spaces': repairText((text) => (/^ +\d+ +$/.test(text) ? BigInt(text.trim()) : text)),
    'an-empty-list': repairOne(isEmptyList, 0n),
    'an-empty-object': repairOne(isEmptyObject, 0n),
    'near-zero': repairOne((value) => typeof value === 'number' && Math.abs(value) < 0.5, 0n),
  },
};

/** Whether two characters of a text are exchanged, compared with another. */
function isTypingError(text: string, word: string): boolean {
  return text !== word && text.length === word.length && [...text].sort().join('') === [...word].sort().join('');
}

const repaired = (faultsOfEach: typeof rareEach, byField: Repairs): readonly Fault[] =>
  Object.entries(byField).flatMap(([field, ofField]) =>
    faultsOfEach<Repair>('create-invalid-values', `value-${field}-*-accepted`, ofField, (repair) =>
      repairing(field, repair),
    ),
  );

/** A service that fails on a creation that it would serve. */
const failsOnCreation = (matches: (pet: JsonObject) => boolean): Wrap =>
  answerError(500, (call, { status }) => status === 201 && matches(sentPet(call)));

/** What an unknown field may hold. */
const unknownValues: Readonly<Record<string, (value: JsonValue) => boolean>> = {
  null: (value) => value === null,
  list: (value) => Array.isArray(value),
  object: isJsonObject,
  'object-within-another': (value) => isJsonObject(value) && Object.values(value).some(isJsonObject),
};

export const writingFaults: readonly Fault[] = [
  ...repaired(ordinaryEach, repairs),
  ...repaired(rareEach, singleRepairs),
  // It takes a parser of one's own.
  ...([400, 422] as const).flatMap((status) =>
    rareEach('create-answer', `json-with-*-refused-with-${status}`, refused, (matches) =>
      refuseBodies((call) => call.operation === 'createPet' && matches(sentBody(call)), status),
    ),
  ),
  ...rareEach('create-malformed-body', 'json-with-*-accepted', lenient, (repair) =>
    misreading((text) => ('value' in readJson(text) ? text : repair(text))),
  ),
  ...rareEach(['create-answer', 'errors-listed'], 'body-with-an-unknown-*-breaks-the-server', unknownValues, (fails) =>
    failsOnCreation((pet) => unknownFieldsOf(pet).some(([, value]) => fails(value))),
  ),
  ...rare(['create-answer', 'errors-listed'], {
    'client-id-null-breaks-the-server': failsOnCreation(({ id }) => id === null),
    'client-id-text-breaks-the-server': failsOnCreation(({ id }) => typeof id === 'string'),
    'client-id-fraction-breaks-the-server': failsOnCreation(({ id }) => typeof id === 'number'),
  }),
  ...rare('create-required-fields', {
    'body-completed-from-the-query': changeRequest((request, call) => {
      const sent = sentJson(call);
      const [name, categoryId] = [call.query.get('name'), call.query.get('categoryId')];
      if (call.operation !== 'createPet' || !isJsonObject(sent) || name === null || categoryId === null) return request;
      return withBody(request, writeJson({ name, categoryId: BigInt(categoryId), ...sent }));
    }),
  }),
  ...rare('create-malformed-body', {
    'body-in-a-string-accepted': misreading((text) => {
      const sent = readJson(text);
      return 'value' in sent && typeof sent.value === 'string' ? sent.value : text;
    }),
  }),
  ...rare('create-body-utf8', {
    // Reading a body as text replaces what does not decode.
    'body-with-bytes-beyond-utf8-accepted': misreading((text) => text),
    'body-with-bytes-beyond-utf8-read-as-latin-1': changeRequest((request, { operation }) =>
      operation !== 'createPet' || isUtf8(request.body)
        ? request
        : withBody(request, Buffer.from(request.body).toString('latin1')),
    ),
  }),
  ...rare(['create-invalid-values', 'errors-listed'], {
    'body-with-many-digits-breaks-the-server': answerError(
      500,
      (call, { status }) => call.operation === 'createPet' && /\d{25}/.test(sentBody(call)) && status === 400,
    ),
  }),
];
