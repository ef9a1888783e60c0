/** Faults of §4.2: invalid bodies that are accepted, answered otherwise or stored, and valid ones that are refused. */

import { isUtf8 } from 'node:buffer';
import { isPetStatus } from '../../reference-server/index.ts';
import { petStatuses } from '../../spec/operations.ts';
import type { RequirementId } from '../../spec/requirements.ts';
import { isInt64, isJsonObject, type JsonObject, type JsonValue, readJson, writeJson } from '../http/json.ts';
import { answerError, type Call, changes, type Wrap, withBody } from '../services/wraps.ts';
import { crossed, each, type Fault, ordinary, rare } from './fault.ts';

type Value = JsonValue | undefined;
/** A kind of invalid body, by its JSON (undefined for other text) and its text. */
type IsKind = (json: Value, text: string) => boolean;
type Kinds = Readonly<Record<string, IsKind>>;

const types = {
  null: (value: Value) => value === null,
  text: (value: Value) => typeof value === 'string',
  number: (value: Value) => typeof value === 'bigint',
  fraction: (value: Value) => typeof value === 'number',
  boolean: (value: Value) => typeof value === 'boolean',
  array: (value: Value) => Array.isArray(value),
  object: (value: Value) => isJsonObject(value),
};

/** Bodies with a field whose value is of this kind. */
const field =
  (name: string, is: (value: Value) => boolean): IsKind =>
  (json) =>
    isJsonObject(json) && is(json[name]);
const wrongTypes = (name: string, ...wrong: readonly (keyof typeof types)[]): Kinds =>
  Object.fromEntries(wrong.map((type) => [`${name}-${type}`, field(name, types[type])]));
const category = (is: (id: bigint) => boolean): IsKind =>
  field('categoryId', (value) => typeof value === 'bigint' && is(value));
const statusText = (pattern: RegExp): IsKind =>
  field('status', (status) => typeof status === 'string' && pattern.test(status));

const kinds = {
  'create-required-fields': {
    'without-name': field('name', (value) => value === undefined),
    'without-categoryId': field('categoryId', (value) => value === undefined),
    empty: (_json, text) => text === '',
  },
  'create-invalid-values': {
    ...wrongTypes('name', 'null', 'number', 'boolean', 'array', 'object'),
    ...wrongTypes('categoryId', 'text', 'null', 'fraction', 'boolean', 'array'),
    ...wrongTypes('status', 'null', 'number', 'boolean', 'array'),
    'categoryId-beyond-int64': category((id) => !isInt64(id) && id < 2n ** 70n),
    'categoryId-1e300': category((id) => id > 2n ** 70n),
    'status-unknown': statusText(/^(?!(available|pending|sold)$)/),
    'status-upper-case': statusText(/^[A-Z]+$/),
    'status-empty': statusText(/^$/),
  },
  'create-malformed-body': {
    array: types.array,
    string: types.text,
    null: types.null,
    number: types.number,
    broken: (json, text) => json === undefined && text.startsWith('{"'),
    form: (json, text) => json === undefined && text.startsWith('name='),
  },
} as const satisfies { readonly [Id in RequirementId]?: Kinds };
const byRequirement = Object.entries(kinds) as [keyof typeof kinds, Kinds][];
const allKinds: Kinds = Object.assign({}, ...Object.values(kinds));

/** The answers of 400 to bodies of some kinds. */
const refused =
  (...meant: readonly IsKind[]) =>
  ({ operation, isAuthorized, json, text }: Call, { status }: { readonly status: number }): boolean =>
    operation === 'createPet' && isAuthorized && status === 400 && meant.some((is) => is(json, text));

/** A valid animal made of an invalid body, as code without validation would make it. */
function madeValid({ json, text }: Call): JsonObject {
  const source = Array.isArray(json) ? json[0] : json;
  const { name, categoryId, status } = isJsonObject(source) ? source : {};
  return {
    name: typeof name === 'string' ? name : `from ${text.slice(0, 40)}`,
    categoryId: isInt64(categoryId) ? categoryId : 1n,
    ...(isPetStatus(status) ? { status } : {}),
  };
}

/** Stores an animal for invalid bodies of a kind; answers with its 201, or with the 400 as before. */
const storing =
  (shows: '201' | '400') =>
  (is: IsKind): Wrap =>
  (handle, keys) =>
    changes.answer((_answer, call) => {
      const stored = handle(withBody(call.request, writeJson(madeValid(call))), call.now);
      return shows === '201' ? stored : undefined;
    }, refused(is))(handle, keys);

/** Kinds of bodies with these ids are answered with another status than 400. */
const answering = (faultsOf: typeof ordinary, status: number, groups: Readonly<Record<string, RegExp>>) =>
  Object.entries(groups).flatMap(([name, ids]) => {
    const meant = Object.entries(allKinds).filter(([id]) => ids.test(id));
    const [first] = byRequirement.find(([, table]) => meant.some(([id]) => Object.hasOwn(table, id)))!;
    const wrap = answerError(status, refused(...meant.map(([, is]) => is)));
    return faultsOf({ [first]: { [`body-${name}-answers-${status}`]: wrap } });
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
  changes.request((request, call) => {
    const text = call.operation === 'createPet' ? rewrite(call) : undefined;
    return text === undefined ? request : withBody(request, text);
  });
const repairing =
  (name: string) =>
  (repair: Repair): Wrap =>
    rewriting(({ pet }) => {
      const value = pet[name];
      const changed = value === undefined ? undefined : repair(value);
      return changed === undefined || changed === value ? undefined : writeJson({ ...pet, [name]: changed });
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

const refusingStatus = (wanted: string | undefined, status: number): Wrap =>
  answerError(status, ({ pet }, answer) => answer.status === 201 && pet['status'] === wanted);
const storedKinds = ['without-name', 'without-categoryId', 'status-unknown', 'categoryId-text', 'name-number', 'array'];

export const bodyFaults: readonly Fault[] = [
  ...byRequirement.flatMap(([requirement, table]) =>
    ordinary({ [requirement]: each('body-*-accepted', table, storing('201')) }),
  ),
  ...answering(ordinary, 422, by422),
  ...answering(ordinary, 500, by500),
  ...ordinary({
    // The stored animal keeps the mark of the body, like a row that is written before it is validated.
    'create-refused-stores-nothing': each('body-*-refused-yet-stored', storedKinds, (id) =>
      storing('400')(allKinds[id]!),
    ),
    'create-invalid-values': Object.assign(
      {},
      ...Object.entries(repairs).map(([name, ofField]) => each(`value-${name}-*-accepted`, ofField, repairing(name))),
    ),
    'create-answer': {
      'creation-needs-a-status': refusingStatus(undefined, 400),
      'creation-needs-a-status-else-422': refusingStatus(undefined, 422),
    },
  }),
  ...answering(rare, 422, single),
  ...answering(rare, 500, single),
  ...rare({
    'create-malformed-body': each('json-with-*-accepted', lenient, (repair) =>
      rewriting(({ text }) => ('value' in readJson(text) ? undefined : repair(text))),
    ),
    'create-answer': crossed('creation-refuses-*-with-*', petStatuses, [400, 409], refusingStatus),
    // Reading a body as text replaces what does not decode.
    'create-body-utf8': {
      'body-with-bytes-beyond-utf8-accepted': rewriting(({ text }) => text),
      'body-with-bytes-beyond-utf8-read-as-latin-1': rewriting(({ request: { body } }) =>
        isUtf8(body) ? undefined : Buffer.from(body).toString('latin1'),
      ),
    },
  }),
];
