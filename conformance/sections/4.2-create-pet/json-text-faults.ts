/** Faults of §4.2: valid JSON that is refused or misread, and texts that are accepted although they are no JSON. */

import { isJsonObject, type JsonValue, readJson, writeJson } from '../../http/json.ts';
import {
  type Call,
  changeAnswer,
  changeRequest,
  errorAnswer,
  type Fault,
  type FaultDraft,
  ordinary,
  rare,
  requestHeader,
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
  'no-length': (_text, { request }) => requestHeader(request, 'transfer-encoding') !== undefined,
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

const repairs: readonly (readonly [string, string, (value: JsonValue) => JsonValue])[] = [
  ['status-in-any-case', 'status', (value) => (typeof value === 'string' ? value.toLowerCase() : value)],
  ['status-with-spaces', 'status', (value) => (typeof value === 'string' ? value.trim() : value)],
  [
    'status-by-its-beginning',
    'status',
    (value) => states.find((one) => `${value}`.length > 1 && one.startsWith(`${value}`)) ?? value,
  ],
  ['status-by-its-number', 'status', (value) => (typeof value === 'bigint' ? (states[Number(value)] ?? value) : value)],
  ['status-falsy', 'status', (value) => (!value ? 'available' : value)],
  ['status-in-a-list', 'status', (value) => (Array.isArray(value) && value.length === 1 ? value[0]! : value)],
  ['name-zero', 'name', (value) => (value === 0n ? '0' : value)],
  [
    'categoryId-truncated',
    'categoryId',
    (value) => (typeof value === 'number' && Math.abs(value) < 1e9 ? BigInt(Math.trunc(value)) : value),
  ],
  ['categoryId-that-wraps', 'categoryId', (value) => (typeof value === 'bigint' ? BigInt.asIntN(64, value) : value)],
  [
    'categoryId-in-digits',
    'categoryId',
    (value) => (typeof value === 'string' && /^-?\d+$/.test(value) ? BigInt(value) : value),
  ],
  ['categoryId-in-a-list', 'categoryId', (value) => (Array.isArray(value) && value.length === 1 ? value[0]! : value)],
  ['categoryId-true', 'categoryId', (value) => (value === true ? 1n : value)],
];

const repaired: readonly FaultDraft[] = repairs.map(([id, field, repair]) => ({
  id: `value-${id}-accepted`,
  breaks: ['create-invalid-values'],
  wrap: repairing(field, repair),
}));

const others: readonly FaultDraft[] = [
  {
    id: 'body-completed-from-the-query',
    breaks: ['create-required-fields'],
    wrap: changeRequest((request, call) => {
      const sent = sentJson(call);
      const [name, categoryId] = [call.query.get('name'), call.query.get('categoryId')];
      if (call.operation !== 'createPet' || !isJsonObject(sent) || name === null || categoryId === null) return request;
      return withBody(request, writeJson({ name, categoryId: BigInt(categoryId), ...sent }));
    }),
  },
  {
    id: 'body-in-a-string-accepted',
    breaks: ['create-malformed-body'],
    wrap: misreading((text) => {
      const sent = readJson(text);
      return 'value' in sent && typeof sent.value === 'string' ? sent.value : text;
    }),
  },
  {
    id: 'body-with-many-digits-breaks-the-server',
    breaks: ['create-invalid-values', 'errors-listed'],
    wrap: changeAnswer((answer, call) =>
      call.operation === 'createPet' && /\d{25}/.test(sentBody(call)) && answer.status === 400
        ? errorAnswer(500, answer)
        : undefined,
    ),
  },
];

export const writingFaults: readonly Fault[] = [
  ...ordinary(...validRefused, ...repaired),
  ...rare(...lenientlyRead, ...others),
];
