/** Faults of §4.2: invalid bodies that are accepted, answered otherwise or stored, and valid ones that are refused. */

import { isUtf8 } from 'node:buffer';
import { isPetStatus } from '../../reference-server/index.ts';
import { petStatuses } from '../../spec/operations.ts';
import type { RequirementId } from '../../spec/requirements.ts';
import { isInt64, isJsonObject, type JsonObject, type JsonValue, readJson, writeJson } from '../http/json.ts';
import { answerError, type Call, changes, type Matches, type Wrap, withBody } from '../services/wraps.ts';
import { crossed, eachRow, type FaultRows, type FaultTable } from './fault.ts';

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

const anyStatus = petStatuses.join('|');

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
    'status-unknown': statusText(new RegExp(`^(?!(${anyStatus})$)`)),
    'status-upper-case': statusText(/^[A-Z]+$/),
    'status-empty': statusText(/^$/),
  },
  'create-malformed-body': {
    array: types.array,
    string: types.text,
    null: types.null,
    number: types.number,
    boolean: types.boolean,
    broken: (json, text) => json === undefined && text.startsWith('{"'),
    form: (json, text) => json === undefined && text.startsWith('name='),
  },
} as const satisfies { readonly [Id in RequirementId]?: Kinds };
type BodyRequirement = keyof typeof kinds;
const allKinds: Kinds = Object.assign({}, ...Object.values(kinds));

/** Matches the 400 to a body of one of these kinds. */
const refusedKind =
  (...meant: readonly IsKind[]): Matches =>
  ({ operation, isAuthorized, json, text }, { status }) =>
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

/** Creates what another body asks for; undefined leaves a body as it is. */
export const rewriting = (rewrite: (call: Call) => string | undefined): Wrap =>
  changes.request((request, call) => {
    const text = call.operation === 'createPet' ? rewrite(call) : undefined;
    return text === undefined ? request : withBody(request, text);
  });
const acceptingKind = (is: IsKind): Wrap =>
  rewriting((call) => (is(call.json, call.text) ? writeJson(madeValid(call)) : undefined));
/** Stores an animal, like a row that is written before it is validated: it keeps the mark of the body. */
const storingRefused = (is: IsKind): Wrap =>
  changes.answer(
    (_refusal, call, send) => void send(withBody(call.request, writeJson(madeValid(call)))),
    refusedKind(is),
  );

/** Patterns of ids: one careless line of code answers all kinds that match one alike. */
type Groups = Readonly<Record<BodyRequirement, Readonly<Record<string, RegExp>>>>;
/** Answers these kinds with another status than 400. */
const answeringKind =
  (status: number) =>
  (ids: RegExp): Wrap =>
    answerError(status, refusedKind(...Object.entries(allKinds).flatMap(([id, is]) => (ids.test(id) ? [is] : []))));

/** The kinds that a library for validation answers with 422. */
const by422: Groups = {
  'create-required-fields': { invalid: /./, incomplete: /^(without-|empty$)/ },
  'create-invalid-values': { 'with-a-wrong-value': /^(name|categoryId|status)-/, 'with-a-wrong-status': /^status-/ },
  'create-malformed-body': { malformed: /^(array|string|null|number|broken|form)$/ },
};
/**
 * Each group makes one expression throw: body['name'] of a missing key, a parser that throws and nobody catches, name.trim(),
 * BigInt(categoryId), the type of a column, status.toLowerCase(), status in a set of strings, body.name of null.
 */
const by500: Groups = {
  'create-required-fields': { incomplete: /^without-/, 'that-is-no-JSON': /^(empty|broken|form)$/ },
  'create-invalid-values': {
    'with-a-name-null': /^name-null$/,
    'with-a-name-of-another-type': /^name-/,
    'with-a-categoryId-null': /^categoryId-null$/,
    'with-a-categoryId-text': /^categoryId-text$/,
    'with-a-fractional-categoryId': /^categoryId-fraction$/,
    'with-a-categoryId-beyond-int64': /^categoryId-(beyond-int64|1e300)$/,
    'with-a-categoryId-of-another-type': /^categoryId-(text|null|boolean|array)$/,
    'with-an-unknown-status': /^status-(unknown|upper-case|empty)$/,
    'with-a-status-null': /^status-null$/,
    'with-a-status-of-another-type': /^status-(null|number|boolean|array)$/,
    'with-a-status-in-an-array': /^status-array$/,
  },
  'create-malformed-body': { 'of-null': /^null$/, 'that-is-no-object': /^(array|string|null|number)$/ },
};

/** What a lenient service makes of a value before it checks it. */
export type Repair = (value: JsonValue) => JsonValue;
export const repairText =
  (repair: (text: string) => JsonValue): Repair =>
  (value) =>
    typeof value === 'string' ? repair(value) : value;
/** For example `^available|pending|sold$`, which finds more than whole words. */
const withoutAGroup = new RegExp(`^${anyStatus}$`);
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
    'by-a-pattern-without-a-group': repairText((text) => (withoutAGroup.test(text) ? 'sold' : text)),
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

export const repairing =
  (name: string) =>
  (repair: Repair): Wrap =>
    rewriting(({ pet }) => {
      const value = pet[name];
      const changed = value === undefined ? undefined : repair(value);
      return changed === undefined || changed === value ? undefined : writeJson({ ...pet, [name]: changed });
    });

/** Texts that are no JSON, as lenient readers take them. */
const lenientReaders: Readonly<Record<string, (text: string) => string>> = {
  'trailing-comma': (text) => text.replace(/,(\s*\})/g, '$1'),
  'a-tab-in-a-string': (text) => text.replaceAll('\t', '\\t'),
  // As Python reads it, where the fields of an animal are checked.
  'not-a-number': (text) => text.replace(/(?<!"categoryId"):\s*(NaN|Infinity)/g, ':0'),
};

const refusingStatus = (wanted: string | undefined, status: number): Wrap =>
  answerError(status, ({ pet }, answer) => answer.status === 201 && pet['status'] === wanted);
const storedKinds = ['without-name', 'without-categoryId', 'status-unknown', 'categoryId-text', 'name-number', 'array'];

/** A kind of body is accepted, or gets 422 or 500 in place of 400. One careless line may treat several kinds alike. */
const ofKinds = (requirement: BodyRequirement): FaultRows => ({
  ...eachRow('body-*-accepted', kinds[requirement] as Kinds, acceptingKind),
  ...eachRow('body-*-answers-422', by422[requirement], answeringKind(422)),
  ...eachRow('body-*-answers-500', by500[requirement], answeringKind(500)),
  ...eachRow('body-*-answers-422', kinds[requirement] as Kinds, (is) => answerError(422, refusedKind(is))),
});
const repairedValues = Object.entries(repairs).map(([name, ofField]) =>
  eachRow(`value-${name}-*-accepted`, ofField, repairing(name)),
);

export const bodyFaults: FaultTable = {
  'create-required-fields': ofKinds('create-required-fields'),
  'create-invalid-values': Object.assign({}, ofKinds('create-invalid-values'), ...repairedValues),
  'create-malformed-body': {
    ...ofKinds('create-malformed-body'),
    // Whatever else is wrong with it.
    'creation-needs-an-id-else-422': answerError(422, ({ operation, isAuthorized, pet }) => {
      return operation === 'createPet' && isAuthorized && pet['id'] === undefined;
    }),
    ...eachRow('json-with-*-accepted', lenientReaders, (repair) =>
      rewriting(({ text }) => ('value' in readJson(text) ? undefined : repair(text))),
    ),
  },
  'create-refused-stores-nothing': eachRow('body-*-refused-yet-stored', storedKinds, (id) =>
    storingRefused(allKinds[id]!),
  ),
  'create-answer': {
    'creation-needs-a-status': refusingStatus(undefined, 400),
    'creation-needs-a-status-else-422': refusingStatus(undefined, 422),
    ...crossed('creation-refuses-*-with-*', petStatuses, [400, 409], refusingStatus),
  },
  // Reading a body as text replaces what does not decode.
  'create-body-utf8': {
    'body-with-bytes-beyond-utf8-accepted': rewriting(({ text }) => text),
    'body-with-bytes-beyond-utf8-read-as-latin-1': rewriting(({ request: { body } }) =>
      isUtf8(body) ? undefined : Buffer.from(body).toString('latin1'),
    ),
  },
};
