/** Faults of §4.2: invalid bodies that are accepted, answered otherwise or stored, and valid ones that are refused. */

import { isUtf8 } from 'node:buffer';
import { isPetStatus } from '../../reference-server/index.ts';
import { petStatuses } from '../../spec/operations.ts';
import type { RequirementId } from '../../spec/requirements.ts';
import { isInt64, isJsonObject, type JsonObject, type JsonValue, readJson, writeJson } from '../http/json.ts';
import {
  answerError,
  type Call,
  changeAnswer,
  changeRequest,
  refuseBodies,
  sentBody,
  sentJson,
  sentPet,
  type Wrap,
  withBody,
} from '../services/wraps.ts';
import { crossed, each, type Fault, ordinary, rare } from './fault.ts';

type Value = JsonValue | undefined;
/** A kind of invalid body, by its JSON (undefined for other text) and its text. */
type IsKind = (json: Value, text: string) => boolean;
type Kinds = Readonly<Record<string, IsKind>>;
type IsValue = (value: Value) => boolean;

const types: Readonly<Record<string, IsValue>> = {
  null: (value) => value === null,
  text: (value) => typeof value === 'string',
  number: (value) => typeof value === 'bigint',
  fraction: (value) => typeof value === 'number',
  boolean: (value) => typeof value === 'boolean',
  array: (value) => Array.isArray(value),
  object: (value) => isJsonObject(value),
};

/** Bodies with a field whose value is of this kind. */
const field =
  (name: string, is: IsValue): IsKind =>
  (json) =>
    isJsonObject(json) && is(json[name]);
const wrongTypes = (name: string, ...wrong: readonly string[]): Kinds =>
  Object.fromEntries(wrong.map((type) => [`${name}-${type}`, field(name, types[type]!)]));
const category = (is: (id: bigint) => boolean): IsKind =>
  field('categoryId', (value) => typeof value === 'bigint' && is(value));
const statusText = (is: (text: string) => boolean): IsKind =>
  field('status', (status) => typeof status === 'string' && is(status));

const incomplete: Kinds = {
  'without-name': field('name', (value) => value === undefined),
  'without-categoryId': field('categoryId', (value) => value === undefined),
  empty: (_json, text) => text === '',
};
const invalid: Kinds = {
  ...wrongTypes('name', 'null', 'number', 'boolean', 'array', 'object'),
  ...wrongTypes('categoryId', 'text', 'null', 'fraction', 'boolean', 'array'),
  ...wrongTypes('status', 'null', 'number', 'boolean', 'array'),
  'categoryId-beyond-int64': category((id) => !isInt64(id) && id < 2n ** 70n),
  'categoryId-1e300': category((id) => id > 2n ** 70n),
  'status-unknown': statusText((status) => !isPetStatus(status)),
  'status-upper-case': statusText((status) => /^[A-Z]+$/.test(status)),
  'status-empty': statusText((status) => status === ''),
};
const malformed: Kinds = {
  array: (json) => Array.isArray(json),
  string: (json) => typeof json === 'string',
  null: (json) => json === null,
  number: (json) => typeof json === 'bigint',
  broken: (json, text) => json === undefined && text.startsWith('{"'),
  form: (json, text) => json === undefined && text.startsWith('name='),
};

const kinds = {
  'create-required-fields': incomplete,
  'create-invalid-values': invalid,
  'create-malformed-body': malformed,
} as const satisfies { readonly [Id in RequirementId]?: Kinds };
const byRequirement = Object.entries(kinds) as [keyof typeof kinds, Kinds][];
const allKinds: Kinds = { ...incomplete, ...invalid, ...malformed };

function isSent(call: Call, is: IsKind): boolean {
  return call.operation === 'createPet' && call.isAuthorized && is(sentJson(call), sentBody(call));
}

/** A valid animal made of an invalid body, as code without validation would make it. */
function madeValid(call: Call): JsonObject {
  const json = sentJson(call);
  const source = Array.isArray(json) ? json[0] : json;
  const { name, categoryId, status } = isJsonObject(source) ? source : {};
  return {
    name: typeof name === 'string' ? name : `from ${sentBody(call).slice(0, 40)}`,
    categoryId: isInt64(categoryId) ? categoryId : 1n,
    ...(isPetStatus(status) ? { status } : {}),
  };
}

/** Stores an animal for invalid bodies of a kind; answers with its 201, or with the 400 as before. */
const storing =
  (shows: '201' | '400') =>
  (is: IsKind): Wrap =>
  (handle, keys) =>
    changeAnswer(
      (_answer, call) => {
        const stored = handle(withBody(call.request, writeJson(madeValid(call))), call.now);
        return shows === '201' ? stored : undefined;
      },
      (call, { status }) => status === 400 && isSent(call, is),
    )(handle, keys);

/** Kinds of bodies with these ids are answered with another status than 400. */
const answering = (faultsOf: typeof ordinary, status: number, groups: Readonly<Record<string, RegExp>>) =>
  Object.entries(groups).flatMap(([name, ids]) => {
    const [first, ...others] = byRequirement.filter(([, table]) => Object.keys(table).some((id) => ids.test(id)));
    const meant = Object.entries(allKinds).filter(([id]) => ids.test(id));
    const wrap = answerError(
      status,
      (call, answer) => answer.status === 400 && meant.some(([, is]) => isSent(call, is)),
    );
    const breaks = [first![0], ...others.map(([id]) => id), 'errors-listed'] as const;
    return faultsOf(breaks, { [`body-${name}-answers-${status}`]: wrap });
  });

/** Kinds that one careless line answers alike: a library validates them. */
const by422 = {
  invalid: /./,
  incomplete: /^(without-|empty$)/,
  'with-a-wrong-value': /^(name|categoryId|status)-/,
  'with-a-wrong-status': /^status-/,
  malformed: /^(array|string|null|number|broken|form)$/,
};
/** Kinds on which an expression breaks. */
const by500 = {
  // body['name'] of a missing key, or the constraint of a column.
  incomplete: /^without-/,
  // A parser that throws, and nobody catches.
  'that-is-no-JSON': /^(empty|broken|form)$/,
  // body.name of null; body.get of anything but an object.
  'of-null': /^null$/,
  'that-is-no-object': /^(array|string|null|number)$/,
  // name.trim().
  'with-a-name-null': /^name-null$/,
  'with-a-name-of-another-type': /^name-/,
  // BigInt(categoryId), int(categoryId), the type of a column.
  'with-a-categoryId-null': /^categoryId-null$/,
  'with-a-categoryId-text': /^categoryId-text$/,
  'with-a-fractional-categoryId': /^categoryId-fraction$/,
  'with-a-categoryId-beyond-int64': /^categoryId-(beyond-int64|1e300)$/,
  'with-a-categoryId-of-another-type': /^categoryId-(text|null|boolean|array)$/,
  // PetStatus.valueOf(status), status.toLowerCase(), status in a set of strings.
  'with-an-unknown-status': /^status-(unknown|upper-case|empty)$/,
  'with-a-status-null': /^status-null$/,
  'with-a-status-of-another-type': /^status-(null|number|boolean|array)$/,
  'with-a-status-in-an-array': /^status-array$/,
};
/** A single kind that is answered otherwise than its neighbours. */
const single = Object.fromEntries(Object.keys(allKinds).map((id) => [id, new RegExp(`^${id}$`)]));

/** What a lenient service makes of a value before it checks it. */
type Repair = (value: JsonValue) => JsonValue;
const repairText =
  (repair: (text: string) => JsonValue): Repair =>
  (value) =>
    typeof value === 'string' ? repair(value) : value;
const states: readonly string[] = petStatuses;
const firstOfOne: Repair = (value) => (Array.isArray(value) && value.length === 1 ? value[0]! : value);
const sorted = (text: string): string => [...text].sort().join('');

/** Number(value) of JavaScript. */
const asNumber: Repair = (value) => {
  if (isJsonObject(value)) return value;
  const number = Number(Array.isArray(value) ? value.join() : value);
  return Number.isSafeInteger(number) ? BigInt(number) : value;
};

/** Coercions of languages and libraries, by field. */
const repairs: Readonly<Record<string, Readonly<Record<string, Repair>>>> = {
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
    'with-a-typing-error': repairText((text) => states.find((one) => sorted(one) === sorted(text)) ?? text),
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

/** Creates what another body asks for; undefined leaves a body as it is. */
const rewriting = (rewrite: (call: Call) => string | undefined): Wrap =>
  changeRequest((request, call) => {
    const text = call.operation === 'createPet' ? rewrite(call) : undefined;
    return text === undefined ? request : withBody(request, text);
  });
const repairing =
  (name: string) =>
  (repair: Repair): Wrap =>
    rewriting((call) => {
      const sent = sentPet(call);
      const value = sent[name];
      const changed = value === undefined ? undefined : repair(value);
      return changed === undefined || changed === value ? undefined : writeJson({ ...sent, [name]: changed });
    });

/** Texts that are no JSON, as a lenient reader repairs them. */
const lenient: Readonly<Record<string, (text: string) => string>> = {
  'trailing-comma': (text) => text.replace(/,(\s*\})/g, '$1'),
  'single-quotes': (text) => (text.includes('"') ? text : text.replaceAll("'", '"')),
  'unquoted-names': (text) => text.replace(/([{,]\s*)(\w+)(\s*:)/g, '$1"$2"$3'),
  'leading-zeros': (text) => text.replace(/(:\s*)0+(\d)/g, '$1$2'),
  'a-line-of-comment': (text) => text.replace(/^\s*(\/\/|#).*\n/, ''),
  'no-end': (text) => (/[^}\]"]$/.test(text) ? `${text}}` : text),
  'a-tab-in-a-string': (text) => text.replaceAll('\t', '\\t'),
  'not-a-number': (text) => text.replace(/:\s*(NaN|Infinity)/g, ':0'),
};

const withoutStrings = (text: string): string => text.replace(/"(?:[^"\\]|\\.)*"/g, '""');
/** Valid JSON that a parser of one's own refuses. */
const strict: Readonly<Record<string, (text: string) => boolean>> = {
  'white-space': (text) => /[ \t\r\n]/.test(withoutStrings(text)),
  'another-order': (text) => /^\s*\{\s*"(categoryId|status)"/.test(text),
  'an-escaped-field-name': (text) => /"[^"]*\\u[^"]*"\s*:/.test(text),
};

const refusedIf = (matches: (pet: JsonObject) => boolean, status: number): Wrap =>
  answerError(status, (call, answer) => answer.status === 201 && matches(sentPet(call)));
const lacksStatus = (pet: JsonObject): boolean => pet['status'] === undefined;
const byStatus = Object.fromEntries(
  petStatuses.map((status) => [status, (pet: JsonObject) => pet['status'] === status]),
);
const storedKinds = ['without-name', 'without-categoryId', 'status-unknown', 'categoryId-text', 'name-number', 'array'];

export const bodyFaults: readonly Fault[] = [
  ...byRequirement.flatMap(([requirement, table]) =>
    ordinary(requirement, each('body-*-accepted', table, storing('201'))),
  ),
  ...answering(ordinary, 422, by422),
  ...answering(ordinary, 500, by500),
  // The stored animal keeps the mark of the body, like a row that is written before it is validated.
  ...ordinary(
    'create-refused-stores-nothing',
    each('body-*-refused-yet-stored', storedKinds, (id) => storing('400')(allKinds[id]!)),
  ),
  ...Object.entries(repairs).flatMap(([name, ofField]) =>
    ordinary('create-invalid-values', each(`value-${name}-*-accepted`, ofField, repairing(name))),
  ),
  ...ordinary('create-answer', {
    'creation-needs-a-status': refusedIf(lacksStatus, 400),
    'creation-needs-a-status-else-422': refusedIf(lacksStatus, 422),
  }),
  ...answering(rare, 422, single),
  ...answering(rare, 500, single),
  ...rare(
    'create-malformed-body',
    each('json-with-*-accepted', lenient, (repair) =>
      rewriting((call) => ('value' in readJson(sentBody(call)) ? undefined : repair(sentBody(call)))),
    ),
  ),
  ...rare('create-answer', {
    ...crossed('json-with-*-refused-with-*', strict, [400, 422], (matches, status) =>
      refuseBodies((call) => call.operation === 'createPet' && matches(sentBody(call)), status),
    ),
    ...crossed('creation-refuses-*-with-*', byStatus, [400, 409], refusedIf),
  }),
  // Reading a body as text replaces what does not decode.
  ...rare('create-body-utf8', {
    'body-with-bytes-beyond-utf8-accepted': rewriting(sentBody),
    'body-with-bytes-beyond-utf8-read-as-latin-1': rewriting(({ request: { body } }) =>
      isUtf8(body) ? undefined : Buffer.from(body).toString('latin1'),
    ),
  }),
];
