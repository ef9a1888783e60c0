/**
 * What may be special about the exchanges of a finding. Each row is one property of a request, of an answer or of their order.
 * where.ts compares the exchanges that break a requirement with those in which it holds, property by property.
 */

import { pageLimit } from '../../spec/operations.ts';
import { type Exchange, happenedBefore, mustBeRefused } from '../http/exchange.ts';
import { isInt64, isJsonMediaType, isJsonObject, type JsonObject, type JsonValue } from '../http/json.ts';
import { memoize } from '../http/memoize.ts';
import { isPetStatus, queryOf, readListing, readNewPet, readPetId, readRequestJson } from '../http/read-request.ts';
import { animalsOf, createdId, pageOf, statusOf } from '../http/read-response.ts';

/** The exchanges that one finding is about. */
export interface EvidenceSubject {
  /** The last exchange, which shows it. */
  readonly shown: Exchange;
  /** The creation of the animal that it is about, if it is about one of the run: the same exchange, or an earlier one. */
  readonly creation?: Exchange | undefined;
  /** What the run had sent before the last exchange, in order. */
  readonly before: readonly Exchange[];
}

/** A property of a subject: a value in words, or undefined where the subject has none. */
export interface Dimension {
  /** Set for a property of the order of requests. The order is drawn, so one exchange may have the property by chance. */
  readonly isOfOrder?: true;
  /** Set if it is a property of the animal that the exchange is about, and not of the exchange. */
  readonly isOfAnimal?: true;
  /** The part of a request that it reads, by the name that `wrongPartOf` gives it; absent if it reads several or none. */
  readonly part?: string;
  readonly read: (subject: EvidenceSubject) => string | undefined;
  /** Completes "it shows …" for some values, such as "on 401" or "with categoryId null". */
  readonly say: (values: string) => string;
}

const typeOf = (value: JsonValue): string => {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'an array';
  if (typeof value === 'object') return 'an object';
  if (typeof value === 'string') return value.trim() === '' ? 'an empty text' : 'a text';
  return typeof value === 'boolean' ? String(value) : 'a number';
};

/** The largest integers that common number types hold exactly. */
const int32Most = 2n ** 31n;
const doubleMost = 2n ** 53n;

function magnitudeOf(value: bigint): bigint {
  return value < 0n ? -value : value;
}

function categoryClass(value: JsonValue): string {
  if (typeof value === 'string' && /^\s*-?\d+\s*$/.test(value)) return 'a text of digits';
  if (typeof value !== 'bigint') return typeof value === 'number' ? 'a fraction' : typeOf(value);
  if (!isInt64(value)) return 'beyond int64';
  if (BigInt(Number(value)) !== value) return 'that a double rounds (beyond 2^53)';
  if (magnitudeOf(value) > doubleMost) return 'beyond 2^53 that a double holds';
  if (magnitudeOf(value) >= int32Most) return 'beyond 2^31';
  return value < 0n ? 'negative' : 'a small integer';
}

function statusClass(value: JsonValue): string {
  if (isPetStatus(value)) return value;
  if (typeof value !== 'string' || value.trim() === '') return typeOf(value);
  return isPetStatus(value.toLowerCase().trim()) ? 'one of the three in another spelling' : 'an unknown text';
}

function nameClass(value: JsonValue): string {
  return typeof value === 'string' && value !== '' ? 'a text' : typeOf(value);
}

/** The body that created the animal, or that the last exchange sends, if it is an object. */
function sentBody({ shown, creation }: EvidenceSubject): JsonObject | undefined {
  const { request, operation } = creation ?? shown;
  if (operation !== 'createPet') return undefined;
  const reading = readRequestJson(request);
  return 'value' in reading && isJsonObject(reading.value) ? reading.value : undefined;
}

function sentField(subject: EvidenceSubject, field: string): JsonValue | undefined {
  return sentBody(subject)?.[field];
}

function fieldClass(
  subject: EvidenceSubject,
  field: string,
  classOf: (value: JsonValue) => string,
): string | undefined {
  const value = sentField(subject, field);
  if (value !== undefined) return classOf(value);
  return bodyClass(subject.creation ?? subject.shown) === 'an object' ? 'left out' : undefined;
}

const newPetFields: ReadonlySet<string> = new Set(['name', 'categoryId', 'status']);

/** The fields of the body beyond those of a NewPet (§2). */
function unknownFieldsSent(subject: EvidenceSubject): string | undefined {
  const unknown = Object.keys(sentBody(subject) ?? {}).filter((field) => !newPetFields.has(field));
  return unknown.length === 0 ? undefined : unknown.join(' and ');
}

const deepNesting = /[[{]{100}/;

/** Names the mistake in a text that is no JSON. Lenient readers accept one mistake or another, so each has its own name. */
function brokenClass(text: string): string {
  if (/\/\*|\/\//.test(text)) return 'JSON with a comment';
  if (/,\s*[}\]]/.test(text)) return 'JSON with a comma too many';
  if (/\b(NaN|Infinity|undefined)\b/.test(text)) return 'JSON with NaN, Infinity or undefined';
  return /^\s*[[{].*[}\]]\s*\S+$/s.test(text) && !/[}\]]\s*$/.test(text) ? 'JSON with more behind it' : 'no JSON';
}

/** The kind of a body of createPet: its JSON type, or why it is no JSON. */
function bodyClass({ request, operation }: Exchange): string | undefined {
  if (operation !== 'createPet') return undefined;
  const { body = '' } = request;
  if (body === '') return 'empty';
  if (deepNesting.test(body)) return 'nested deeply';
  if (!body.isWellFormed()) return 'not UTF-8';
  const reading = readRequestJson(request);
  return 'value' in reading ? typeOf(reading.value) : brokenClass(body);
}

/** Whether the name that was sent has a property. */
function nameHas(words: string, has: (name: string) => boolean): Dimension {
  return {
    read: (subject) => {
      const name = sentField(subject, 'name');
      return typeof name === 'string' && has(name) ? words : undefined;
    },
    say: (values) => `with a name that has ${values}`,
    isOfAnimal: true,
  };
}

const matches =
  (pattern: RegExp) =>
  (name: string): boolean =>
    pattern.test(name);

/** Rows for the lengths at which columns and buffers usually end, the longest first. */
function namesLongerThan<const Length extends number>(...lengths: readonly Length[]) {
  const rows = lengths.map((length) => {
    return [`longer-than-${length}`, nameHas(`more than ${length} characters`, (name) => name.length > length)];
  });
  return Object.fromEntries(rows) as Readonly<Record<`longer-than-${Length}`, Dimension>>;
}

function limitClass({ shown }: EvidenceSubject): string | undefined {
  if (shown.operation !== 'listPets') return undefined;
  const { limit } = readListing(shown);
  if (limit === 'default') return 'none';
  if (limit !== 'invalid') return `from ${pageLimit.least} to ${pageLimit.most}`;
  const text = queryOf(shown).get('limit') ?? '';
  if (text === '') return 'empty';
  if (!/^-?\d+$/.test(text)) return 'no integer';
  const value = BigInt(text);
  if (value > pageLimit.most) return `above ${pageLimit.most}`;
  if (value === 0n) return '0';
  return value < 0n ? 'negative' : 'an integer with leading zeros';
}

function filterClass({ shown }: EvidenceSubject): string | undefined {
  if (shown.operation !== 'listPets') return undefined;
  const { status } = readListing(shown);
  if (status === 'any') return 'none';
  if (status !== 'invalid') return status;
  return queryOf(shown).get('status') === '' ? 'empty' : 'unknown';
}

/** What stands in the path in place of an int64. */
function otherIdClass({ request }: Exchange): string {
  const segment = request.target.slice('/pets/'.length);
  if (/^-?\d+$/.test(segment)) return 'beyond int64';
  return /^-?\d/.test(segment) ? 'digits with more behind them' : 'another text';
}

function petIdClass({ shown }: EvidenceSubject): string | undefined {
  if (shown.operation !== 'getPet') return undefined;
  const id = readPetId(shown);
  if (typeof id !== 'bigint') return otherIdClass(shown);
  if (id <= 0n) return 'zero or negative';
  return id > doubleMost ? 'beyond 2^53' : 'a positive integer';
}

const keysInWords = {
  valid: 'the API key',
  'rate-limit': 'the rate-limit key',
  missing: 'no key',
  invalid: 'a wrong key',
  misplaced: 'the key in another form or place',
  'other-case': 'the key in another case',
  lenient: 'the API key, written unusually',
  unseen: 'an unseen key',
} as const;

/** Whether the animal was asked for, and not found, before it was created. */
function wasAskedTooEarly({ shown, creation, before }: EvidenceSubject): boolean {
  return before.some(
    (earlier) =>
      earlier.request.target === shown.request.target &&
      statusOf(earlier) === 404 &&
      creation !== undefined &&
      happenedBefore(earlier, creation),
  );
}

const animalsCreatedIn = memoize((before: readonly Exchange[]) =>
  before.filter((earlier) => createdId(earlier) !== undefined).flatMap(animalsOf),
);

/** Whether a listing asks for what the run has not created yet. */
function findsNone({ shown, before }: EvidenceSubject): boolean {
  if (shown.operation !== 'listPets') return false;
  const { status } = readListing(shown);
  return !animalsCreatedIn(before).some((animal) => status === 'any' || animal['status'] === status);
}

/** The answer right before this request. */
function answerBefore({ before }: EvidenceSubject): string | undefined {
  const last = before.at(-1);
  return last && statusOf(last)?.toString();
}

/** The request right before this one, with its answer: a body that the service left unread may begin the next request. */
function requestBefore(subject: EvidenceSubject): string | undefined {
  const status = answerBefore(subject);
  return status && `${subject.before.at(-1)!.operation} with ${status}`;
}

function isOfSameKey({ shown }: EvidenceSubject, { credential }: Exchange): boolean {
  return credential.id === shown.credential.id;
}

/** The part of a request that is wrong; undefined where none is. */
export function faultOf(exchange: Exchange): string | undefined {
  return mustBeRefused(exchange.credential) ? 'key' : wrongPartOf(exchange);
}

/** The part of a request that is wrong, its key aside. */
export function wrongPartOf(exchange: Exchange): string | undefined {
  if (exchange.operation === 'createPet') {
    if (!isJsonMediaType(exchange.request.headers['content-type'])) return 'media type';
    const reading = readNewPet(exchange);
    if (reading.kind !== 'invalid') return undefined;
    return bodyClass(exchange) === 'an object' ? (reading.input?.name ?? 'set of fields') : 'body';
  }
  if (exchange.operation === 'getPet') return typeof readPetId(exchange) === 'bigint' ? undefined : 'petId';
  if (exchange.operation !== 'listPets') return undefined;
  const { limit, status, isOpen } = readListing(exchange);
  if (limit === 'invalid') return 'limit';
  if (status === 'invalid') return 'status filter';
  return isOpen ? 'query' : undefined;
}

/** The rows, in the order in which they are preferred where several separate as well. */
export const dimensions = {
  status: { read: ({ shown }) => statusOf(shown)?.toString(), say: (values) => `on ${values}` },
  operation: { read: ({ shown }) => shown.operation, say: (values) => `on ${values}` },
  asked: {
    read: (subject) => (wasAskedTooEarly(subject) ? 'asked for before it existed' : undefined),
    say: (values) => `for an animal that was ${values}`,
  },
  fault: { read: ({ shown }) => faultOf(shown), say: (values) => `with a wrong ${values}` },
  'beside-the-key': {
    read: ({ shown }) => (mustBeRefused(shown.credential) ? wrongPartOf(shown) : undefined),
    say: (values) => `where the ${values} is wrong, too`,
  },
  body: { read: ({ shown }) => bodyClass(shown), say: (values) => `with a body that is ${values}` },
  categoryId: {
    read: (subject) => fieldClass(subject, 'categoryId', categoryClass),
    say: (values) => `with categoryId ${values}`,
    isOfAnimal: true,
    part: 'categoryId',
  },
  'status-sent': {
    read: (subject) => fieldClass(subject, 'status', statusClass),
    say: (values) => `with status ${values}`,
    isOfAnimal: true,
    part: 'status',
  },
  name: {
    read: (subject) => fieldClass(subject, 'name', nameClass),
    say: (values) => `with name ${values}`,
    isOfAnimal: true,
    part: 'name',
  },
  'unknown-fields': {
    read: unknownFieldsSent,
    say: (values) => `with the unknown field ${values} in the body`,
    isOfAnimal: true,
  },
  ...namesLongerThan(1_000, 255, 100, 50),
  'white-space': nameHas('white space at an end', (name) => name !== name.trim()),
  blanks: nameHas('two blanks in a row', matches(/ {2}/)),
  markup: nameHas('a character of HTML', matches(/[<>&]/)),
  quotes: nameHas('a quote or a backslash', matches(/["'\\]/)),
  percent: nameHas('a percent sign or a plus', matches(/[%+]/)),
  nul: nameHas('U+0000', matches(/\0/)),
  surrogate: nameHas('a lone surrogate', (name) => !name.isWellFormed()),
  astral: nameHas('a character beyond U+FFFF', matches(/[\u{10000}-\u{10ffff}]/u)),
  normalized: nameHas('characters that NFC changes', (name) => name !== name.normalize('NFC')),
  decomposed: nameHas('characters that NFD changes', (name) => name !== name.normalize('NFD')),
  compatible: nameHas('characters that NFKC changes', (name) => name !== name.normalize('NFKC')),
  'other-blanks': nameHas('a blank other than a space', matches(/(?! )\p{Zs}/u)),
  invisible: nameHas('an invisible character', matches(/\p{Cf}/u)),
  control: nameHas('a control character', matches(/[\u0001-\u001f\u007f-\u009f]/)),
  ascii: nameHas('characters beyond ASCII', matches(/[^\0-\x7f]/)),
  'look-alike': nameHas('the look of another type', matches(/^\s*(-?[\d.]+|null|true|false|NaN)\s*$/i)),
  'small-letters': nameHas('lower-case letters', matches(/\p{Ll}/u)),
  'media-type': {
    read: ({ shown }) => shown.request.headers['content-type'],
    say: (values) => `sent as ${values}`,
  },
  coding: { read: ({ shown }) => shown.request.headers['transfer-encoding'], say: (values) => `sent ${values}` },
  limit: { read: limitClass, say: (values) => `with limit ${values}`, part: 'limit' },
  filter: { read: filterClass, say: (values) => `with status filter ${values}`, part: 'status filter' },
  petId: { read: petIdClass, say: (values) => `with a petId that is ${values}` },
  key: { read: ({ shown }) => keysInWords[shown.credential.kind], say: (values) => `with ${values}` },
  authorization: { read: ({ shown }) => shown.credential.form, say: (values) => `with ${values}` },
  credential: { read: ({ shown }) => shown.credential.title, say: (values) => `with ${values}` },
  page: {
    read: ({ shown }) => {
      const entries = pageOf(shown);
      return entries && (entries.length === 0 ? 'an empty page' : 'a page with animals');
    },
    say: (values) => `on ${values}`,
  },
  matches: {
    read: (subject) => (findsNone(subject) ? 'matches' : undefined),
    say: (values) => `where no animal of the run ${values}`,
  },
  refused: {
    read: (subject) =>
      subject.before.some((earlier) => isOfSameKey(subject, earlier) && statusOf(earlier) === 429)
        ? 'after a 429'
        : undefined,
    say: (values) => values,
    isOfOrder: true,
  },
  previous: { read: answerBefore, say: (values) => `right after a ${values}`, isOfOrder: true },
  'previous-request': { read: requestBefore, say: (values) => `right after ${values}`, isOfOrder: true },
  overlap: {
    read: ({ shown, before }) =>
      before.some(({ answered }) => answered > shown.sent) ? 'at once with others' : undefined,
    say: (values) => `with requests ${values}`,
    isOfOrder: true,
  },
} as const satisfies Readonly<Record<string, Dimension>>;

export type DimensionId = keyof typeof dimensions;

export const dimensionIds = Object.keys(dimensions) as readonly DimensionId[];

/** The properties of animals. */
export const ofAnimals = dimensionIds.filter((id) => {
  const dimension: Dimension = dimensions[id];
  return dimension.isOfAnimal === true;
});
