/** Faults of §4.2: valid JSON that is refused or misread, and texts that are accepted although they are no JSON. */

import { isUtf8 } from 'node:buffer';
import { isJsonObject, type JsonObject, type JsonValue, readJson, writeJson } from '../../http/json.ts';
import {
  breaking,
  type Call,
  changeAnswer,
  changeRequest,
  errorAnswer,
  type Fault,
  type FaultDraft,
  ordinaryExcept,
  rare,
  sentBody,
  sentJson,
  type Wrap,
  withBody,
} from '../fault.ts';

/** Refuses bodies of animals before they are stored. */
function refusing(matches: (text: string, call: Call) => boolean, status = 400): Wrap {
  return (handle) => {
    const emptied = changeRequest((request, call) =>
      call.operation === 'createPet' && matches(sentBody(call), call) ? withBody(request, '{}') : request,
    )(handle);
    return changeAnswer((answer, call) =>
      call.operation === 'createPet' && answer.status === 400 && matches(sentBody(call), call)
        ? errorAnswer(status, answer)
        : undefined,
    )(emptied);
  };
}

const withoutStrings = (text: string): string => text.replace(/"(?:[^"\\]|\\.)*"/g, '""');

const refused: Readonly<Record<string, (text: string, call: Call) => boolean>> = {
  'white-space': (text) => /[ \t\r\n]/.test(withoutStrings(text)),
  'a-tab': (text) => withoutStrings(text).includes('\t'),
  'a-carriage-return': (text) => withoutStrings(text).includes('\r'),
  'white-space-around-it': (text) => text !== text.trim(),
  'another-order': (text) => /^\s*\{\s*"(categoryId|status)"/.test(text),
  'an-escaped-field-name': (text) => /"[^"]*\\u[^"]*"\s*:/.test(text),
  'an-escape-in-upper-case': (text) => /\\u00[0-9]?[A-F]/.test(text),
};

const validRefused: readonly FaultDraft[] = Object.entries(refused).flatMap(([id, matches]) =>
  ([400, 422] as const).map(
    (status): FaultDraft => ({
      id: `json-with-${id}-refused-with-${status}`,
      breaks: ['create-answer'],
      wrap: refusing(matches, status),
    }),
  ),
);

/** Misreads the text of a body. */
function misreading(change: (text: string) => string): Wrap {
  return changeRequest((request, call) =>
    call.operation === 'createPet' ? withBody(request, change(sentBody(call))) : request,
  );
}

/** The returned animal shows them. */
export const textsMisread: readonly FaultDraft[] = [
  ['pairs-of-surrogates-lost', (text: string) => text.replace(/\\ud[89ab]..\\ud[c-f]../gi, '??')],
  ['escapes-in-lower-case-unread', (text: string) => text.replace(/\\u(?=00[0-9a-f]{2})(?!....[A-F])/g, '\\\\u')],
  ['escaped-slashes-doubled', (text: string) => text.replaceAll('\\/', '\\\\/')],
].map(([id, change]) => ({
  id: `json-${String(id)}`,
  breaks: ['pet-name-kept'],
  wrap: misreading(change as (text: string) => string),
}));

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
  'not-a-number': (text) => text.replace(/:\s*(NaN|Infinity)/g, ':0'),
};

const lenientlyRead: readonly FaultDraft[] = Object.entries(lenient).map(([id, repair]) => ({
  id: `json-with-${id}-accepted`,
  breaks: ['create-malformed-body'],
  wrap: misreading((text) => ('value' in readJson(text) ? text : repair(text))),
}));

/** Repairs an invalid value of an animal. */
function repairing(field: string, repair: (value: JsonValue) => JsonValue): Wrap {
  return changeRequest((request, call) => {
    const sent = sentJson(call);
    const value = isJsonObject(sent) ? sent[field] : undefined;
    if (call.operation !== 'createPet' || !isJsonObject(sent) || value === undefined) return request;
    const repaired = repair(value);
    return repaired === value ? request : withBody(request, writeJson({ ...sent, [field]: repaired }));
  });
}

const states = ['available', 'pending', 'sold'];

type Repair = (value: JsonValue) => JsonValue;

/** Repairs a string; other values stay. */
const repairText =
  (repair: (text: string) => JsonValue): Repair =>
  (value) =>
    typeof value === 'string' ? repair(value) : value;

/** Repairs one value to another. */
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

/** Coercions of languages and libraries, by field. */
const repairs = {
  status: {
    'in-any-case': repairText((text) => text.toLowerCase()),
    'with-spaces': repairText((text) => text.trim()),
    'by-its-beginning': (value) => states.find((one) => `${value}`.length > 1 && one.startsWith(`${value}`)) ?? value,
    'by-its-number': (value) => (typeof value === 'bigint' ? (states[Number(value)] ?? value) : value),
    falsy: (value) => (!value || value === 0n ? 'available' : value),
    'of-any-other-type': (value) => (typeof value === 'string' ? value : 'available'),
    'in-a-list': firstOfOne,
    true: repairOne((value) => value === true, 'available'),
    false: repairOne((value) => value === false, 'available'),
    'an-empty-list': repairOne(isEmptyList, 'available'),
    'an-empty-object': repairOne(isEmptyObject, 'available'),
    'that-contains-one': repairText((text) => states.find((one) => text.includes(one)) ?? text),
    'with-a-typing-error': repairText((text) => states.find((one) => isTypingError(text, one)) ?? text),
    'in-upper-case-pending': repairOne((value) => value === 'PENDING', 'pending'),
    'with-a-capital-sold': repairOne((value) => value === 'Sold', 'sold'),
  },
  name: {
    falsy: (value) => (!value ? 'unnamed' : value),
    'as-text': (value) => (value === null ? value : String(isJsonObject(value) ? '[object Object]' : value)),
    zero: repairOne((value) => value === 0n, '0'),
    true: repairOne((value) => value === true, 'true'),
    false: repairOne((value) => value === false, 'false'),
    'an-empty-list': repairOne(isEmptyList, ''),
    'an-empty-object': repairOne(isEmptyObject, '[object Object]'),
    'a-fraction': (value) => (typeof value === 'number' ? String(value) : value),
  },
  categoryId: {
    'as-a-number': asNumber,
    truncated: (value) => (typeof value === 'number' && Math.abs(value) < 1e9 ? BigInt(Math.trunc(value)) : value),
    'that-wraps': (value) => (typeof value === 'bigint' ? BigInt.asIntN(64, value) : value),
    'in-digits': repairText((text) => (/^-?\d+$/.test(text) ? BigInt(text) : text)),
    'in-a-list': firstOfOne,
    true: repairOne((value) => value === true, 1n),
    false: repairOne((value) => value === false, 0n),
    'an-empty-text': repairText((text) => (text === '' ? 0n : text)),
    'a-word': repairText((text) => (/^[a-z]+$/i.test(text) ? 0n : text)),
    'by-its-first-digits': repairText((text) => (/^\d+[a-z]/.test(text) ? BigInt(Number.parseInt(text, 10)) : text)),
    'with-a-point': repairText((text) => (/^\d+\.0$/.test(text) ? BigInt(text.slice(0, -2)) : text)),
    'in-spaces': repairText((text) => (/^ +\d+ +$/.test(text) ? BigInt(text.trim()) : text)),
    'an-empty-list': repairOne(isEmptyList, 0n),
    'an-empty-object': repairOne(isEmptyObject, 0n),
    'near-zero': repairOne((value) => typeof value === 'number' && Math.abs(value) < 0.5, 0n),
  },
} as const satisfies Readonly<Record<string, Readonly<Record<string, Repair>>>>;

/** Repairs of one value, of which the coercions of a language repair several alike. */
const singleValues: Readonly<Record<keyof typeof repairs, readonly string[]>> = {
  status: ['true', 'false', 'an-empty-list', 'an-empty-object', 'in-upper-case-pending', 'with-a-capital-sold'],
  name: ['zero', 'true', 'false', 'an-empty-list', 'an-empty-object'],
  categoryId: [
    ...['true', 'false', 'an-empty-text', 'an-empty-list', 'an-empty-object'],
    ...['near-zero', 'in-spaces', 'with-a-point'],
  ],
};

/** Whether two characters of a text are exchanged, compared with another. */
function isTypingError(text: string, word: string): boolean {
  return text !== word && text.length === word.length && [...text].sort().join('') === [...word].sort().join('');
}

const repaired: readonly FaultDraft[] = Object.entries(repairs).flatMap(([field, ofField]) =>
  Object.entries(ofField).map(
    ([id, repair]): FaultDraft => ({
      id: `value-${field}-${id}-accepted`,
      breaks: ['create-invalid-values'],
      wrap: repairing(field, repair),
    }),
  ),
);

/** Fields that no NewPet lists, of which a careless service fails. */
const crowded: readonly FaultDraft[] = Object.entries({
  null: (value: JsonValue) => value === null,
  list: (value: JsonValue) => Array.isArray(value),
  object: isJsonObject,
}).map(
  ([id, fails]): FaultDraft => ({
    id: `body-with-an-unknown-${id}-breaks-the-server`,
    breaks: ['create-answer', 'errors-listed'],
    wrap: changeAnswer((answer, call) => {
      const { name: _name, categoryId: _id, status: _status, id: _own, ...unknown } = sentObject(call);
      return answer.status === 201 && Object.values(unknown).some(fails) ? errorAnswer(500, answer) : undefined;
    }),
  }),
);

/** Ids of the client that a careless service fails on, or makes the animal's. */
const ownIds: readonly FaultDraft[] = [
  ...Object.entries({
    null: (id: JsonValue | undefined) => id === null,
    text: (id: JsonValue | undefined) => typeof id === 'string',
    fraction: (id: JsonValue | undefined) => typeof id === 'number',
  }).map(
    ([id, fails]): FaultDraft => ({
      id: `client-id-${id}-breaks-the-server`,
      breaks: ['create-answer', 'errors-listed'],
      wrap: changeAnswer((answer, call) =>
        answer.status === 201 && fails(sentObject(call)['id']) ? errorAnswer(500, answer) : undefined,
      ),
    }),
  ),
];

/** The object in the body of a creation; empty for any other request. */
function sentObject(call: Call): JsonObject {
  const sent = call.operation === 'createPet' ? sentJson(call) : undefined;
  return isJsonObject(sent) ? sent : {};
}

const others: readonly FaultDraft[] = [
  ...breaking('create-required-fields', {
    'body-completed-from-the-query': changeRequest((request, call) => {
      const sent = sentJson(call);
      const [name, categoryId] = [call.query.get('name'), call.query.get('categoryId')];
      if (call.operation !== 'createPet' || !isJsonObject(sent) || name === null || categoryId === null) return request;
      return withBody(request, writeJson({ name, categoryId: BigInt(categoryId), ...sent }));
    }),
  }),
  ...breaking('create-malformed-body', {
    'body-in-a-string-accepted': misreading((text) => {
      const sent = readJson(text);
      return 'value' in sent && typeof sent.value === 'string' ? sent.value : text;
    }),
  }),
  ...breaking('create-body-utf8', {
    // Reading a body as text replaces what does not decode.
    'body-with-bytes-beyond-utf8-accepted': misreading((text) => text),
  }),
  ...breaking('errors-listed', {
    'body-with-bytes-beyond-utf8-breaks-the-server': changeAnswer((answer, call) =>
      call.operation === 'createPet' && answer.status === 400 && !isUtf8(call.request.body)
        ? errorAnswer(500, answer)
        : undefined,
    ),
  }),
  ...breaking(['create-invalid-values', 'errors-listed'], {
    'body-with-many-digits-breaks-the-server': changeAnswer((answer, call) =>
      call.operation === 'createPet' && /\d{25}/.test(sentBody(call)) && answer.status === 400
        ? errorAnswer(500, answer)
        : undefined,
    ),
  }),
];

export const writingFaults: readonly Fault[] = [
  ...ordinaryExcept(
    Object.entries(singleValues).flatMap(([field, ids]) => ids.map((id) => `value-${field}-${id}-accepted`)),
    ...repaired,
  ),
  // Each takes a parser of one's own.
  ...rare(...validRefused),
  ...rare(...lenientlyRead, ...crowded, ...ownIds, ...others),
];
