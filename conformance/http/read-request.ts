/** Reads a recorded request as the interface describes it: which parameters and values it has, and whether they are valid. */

import { defined } from '../../spec/defined.ts';
import { isAllowedLimit, type PetStatus, pageLimit, petStatuses } from '../../spec/operations.ts';
import type { RequirementId } from '../../spec/requirements.ts';
import type { Exchange, RecordedRequest } from './exchange.ts';
import {
  hasFieldTwice,
  isInt64,
  isJsonMediaType,
  isJsonObject,
  type JsonObject,
  type JsonReading,
  readJson,
  showJson,
} from './json.ts';
import { memoize } from './memoize.ts';

type Requested = Pick<Exchange, 'request'>;

export function isPetStatus(value: unknown): value is PetStatus {
  return petStatuses.includes(value as PetStatus);
}

/**
 * The parameters of a listing (§4.1). `invalid`: a value that the interface does not allow. `isOpen`: the interface does not
 * say how to answer, for example an unknown parameter.
 */
export interface Listing {
  readonly limit: number | 'default' | 'invalid';
  readonly status: PetStatus | 'any' | 'invalid';
  readonly isOpen: boolean;
}

export function queryOf({ request }: Requested): URLSearchParams {
  return new URLSearchParams(request.target.split('?')[1] ?? '');
}

/** An integer in a spelling that some parsers read, and others refuse. */
const unusualLimit = /^(?!-?(?:0|[1-9]\d*)$)\s*[+-]?0*\d+(?:\.0*)?\s*$/;

function readLimit(limit: string | null): Listing['limit'] {
  if (limit === null) return 'default';
  return isAllowedLimit(limit) ? Number(limit) : 'invalid';
}

function readStatus(status: string | null): Listing['status'] {
  if (status === null) return 'any';
  return isPetStatus(status) ? status : 'invalid';
}

export const readListing = memoize((exchange: Requested): Listing => {
  const query = queryOf(exchange);
  const names = [...query.keys()];
  const limit = query.get('limit');
  return {
    limit: readLimit(limit),
    status: readStatus(query.get('status')),
    isOpen:
      new Set(names).size < names.length ||
      names.some((name) => name !== 'limit' && name !== 'status') ||
      unusualLimit.test(limit ?? ''),
  };
});

/** Whether §4.1 allows the parameters, so that 200 is the only correct status. */
export function isAllowed({ isOpen, limit, status }: Listing): boolean {
  return !isOpen && limit !== 'invalid' && status !== 'invalid';
}

/** The maximum number of animals in the page. */
export function pageSize({ limit, isOpen }: Listing): number {
  if (limit === 'invalid' || isOpen) return pageLimit.most;
  return limit === 'default' ? pageLimit.usual : limit;
}

export interface SentPet {
  readonly name: string;
  readonly categoryId: bigint;
  readonly status?: PetStatus;
}

/**
 * A body of createPet (§4.2). `valid`: it must get 201, or 400 if its name exceeds limits that are not shown; a plain name
 * exceeds none. `invalid`: it must get 400, by `requirement`. `open`: the interface does not say.
 */
export type NewPetReading =
  | { readonly kind: 'valid'; readonly pet: SentPet; readonly isPlainName: boolean }
  | { readonly kind: 'open'; readonly pet?: SentPet }
  | InvalidPet;

export interface InvalidPet {
  readonly kind: 'invalid';
  readonly requirement: RequirementId;
  readonly fault: string;
  /** The field that is wrong, with the value that was sent. */
  readonly input?: { readonly name: keyof SentPet; readonly value: string };
}

/** A category in a spelling that not every JSON parser reads as an integer. */
const unusualCategory = /"categoryId"\s*:\s*(-?\d+[.eE]|-0(?!\d))/;
const plainName = /^[A-Za-z0-9][A-Za-z0-9 -]{0,28}[A-Za-z0-9]$/;

function invalidPet(requirement: RequirementId, fault: string, input?: InvalidPet['input']): NewPetReading {
  return defined({ kind: 'invalid', requirement, fault, input });
}

export const readRequestJson: (request: RecordedRequest) => JsonReading = memoize(({ body = '' }) => readJson(body));

/** A long text is cut in its middle, since mistakes in JSON are often at its end. */
const longestEnd = 50;

function showText(text: string): string {
  if (text.trim() === '') return 'a body of white space';
  return text.length <= 2 * longestEnd ? text : `${text.slice(0, longestEnd)}…${text.slice(-longestEnd)}`;
}

export const readNewPet = memoize(({ request }: Requested): NewPetReading => {
  const { body = '' } = request;
  if (!isJsonMediaType(request.headers['content-type'])) return { kind: 'open' };
  if (body === '') return invalidPet('create-required-fields', 'an empty body');
  // A parser may ignore a byte order mark (RFC 8259, 8.1).
  if (body.startsWith('\ufeff')) return { kind: 'open' };
  if (!body.isWellFormed()) return invalidPet('create-body-utf8', 'bytes that are not UTF-8');
  const reading = readRequestJson(request);
  if ('problem' in reading) {
    return invalidPet(
      'create-malformed-body',
      reading.isJson ? reading.problem : `${showText(body)}, which is no JSON`,
    );
  }
  const { value } = reading;
  if (!isJsonObject(value)) {
    return invalidPet('create-malformed-body', `the body ${showJson(value)}, which is no object`);
  }
  // Which of two fields of one name counts is open (RFC 8259, 4).
  if (hasFieldTwice(body)) return { kind: 'open' };
  const fields = readFields(value);
  // Whether 1.0 is an integer is open (gap integer-written-as-decimal).
  return fields.kind === 'valid' && unusualCategory.test(body) ? { kind: 'open', pet: fields.pet } : fields;
});

function readFields(fields: JsonObject): NewPetReading {
  const { name, categoryId, status, ...more } = fields;
  const wrong = (field: keyof SentPet, kind: string): NewPetReading => {
    const value = showJson(fields[field]);
    return invalidPet('create-invalid-values', `the ${field} ${value}, which is no ${kind}`, { name: field, value });
  };
  const missing = ['name', 'categoryId'].find((field) => !Object.hasOwn(fields, field));
  if (missing !== undefined) return invalidPet('create-required-fields', `a body without ${missing}`);
  if (typeof name !== 'string') return wrong('name', 'string');
  if (!isInt64(categoryId)) return wrong('categoryId', 'int64');
  if (status !== undefined && !isPetStatus(status)) return wrong('status', 'PetStatus');
  // A lone surrogate is not Unicode text, so no service can store it exactly.
  if (!name.isWellFormed()) return { kind: 'open' };
  const pet: SentPet = defined({ name, categoryId, status });
  return Object.keys(more).length > 0
    ? { kind: 'open', pet }
    : { kind: 'valid', pet, isPlainName: plainName.test(name) };
}

/** The animal that a creation sends; undefined if its body is invalid, or does not say clearly which one. */
export function sentPetOf(creation: Requested): SentPet | undefined {
  const reading = readNewPet(creation);
  return reading.kind === 'invalid' ? undefined : reading.pet;
}

/** A text without its percent escapes (RFC 3986); undefined if one is malformed or the bytes are not UTF-8. */
export function decodeEscapes(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

/**
 * The id in the path of a getPet request, or `not-int64`. `unusual`: some parsers read an integer from it, its escapes are
 * malformed, or routers and proxies take it for another part of the path: a format (`1.json`), path parameters (`1;v=1`,
 * RFC 3986, 3.3) and an escaped slash. How to answer is open.
 */
export function readPetId(exchange: Requested): bigint | 'not-int64' | 'unusual' {
  const segment = exchange.request.target.split('?')[0]!.slice('/pets/'.length);
  if (/^(0|-?[1-9]\d*)$/.test(segment)) return isInt64(BigInt(segment)) ? BigInt(segment) : 'not-int64';
  if (/^-?\d+(\.[a-z]+$|;)|%(2f|5c)/i.test(segment)) return 'unusual';
  const text = decodeEscapes(segment)?.trim();
  if (text === '') return 'not-int64';
  return text === undefined || Number.isSafeInteger(Number(text.replaceAll('_', ''))) ? 'unusual' : 'not-int64';
}
