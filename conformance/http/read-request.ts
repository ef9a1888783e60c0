/** Reads a recorded request as the interface does: what it asks for, and which answers that allows. */

import { type PetStatus, petStatuses } from '../../spec/operations.ts';
import type { RequirementId } from '../../spec/requirements.ts';
import type { Exchange, RecordedRequest } from './exchange.ts';
import { hasFieldTwice, isInt64, isJsonObject, type JsonValue, type Reading, readJson } from './json.ts';
import { memoize } from './memoize.ts';

export function isPetStatus(value: unknown): value is PetStatus {
  return petStatuses.includes(value as PetStatus);
}

/** A listing (§4.1). `invalid`: outside what the interface allows. `open`: it says something that the interface does not list. */
export interface Listing {
  readonly limit: number | 'default' | 'invalid';
  readonly status: PetStatus | 'any' | 'invalid';
  readonly isOpen: boolean;
}

/** The parameters of a request. */
export function queryOf({ request }: Pick<Exchange, 'request'>): URLSearchParams {
  return new URLSearchParams(request.target.split('?')[1] ?? '');
}

export function readListing(exchange: Exchange): Listing {
  const query = queryOf(exchange);
  const limits = query.getAll('limit');
  const statuses = query.getAll('status');
  const limit = limits[0];
  const status = statuses[0];
  const isUnusual = limit !== undefined && /^\s*[+-]?0*\d+(\.0*)?\s*$/.test(limit) && !/^-?(0|[1-9]\d*)$/.test(limit);
  return {
    limit:
      limit === undefined
        ? 'default'
        : /^[1-9]\d{0,2}$/.test(limit) && Number(limit) <= 100
          ? Number(limit)
          : 'invalid',
    status: status === undefined ? 'any' : isPetStatus(status) ? status : 'invalid',
    isOpen:
      limits.length > 1 ||
      statuses.length > 1 ||
      isUnusual ||
      [...query.keys()].some((name) => name !== 'limit' && name !== 'status'),
  };
}

/** Whether a listing is one that §4.1 allows, so that only 200 answers it. */
export function isAllowed(listing: Listing): boolean {
  return !listing.isOpen && listing.limit !== 'invalid' && listing.status !== 'invalid';
}

/** The most animals that an allowed listing may hold. */
export function pageSize(listing: Listing): number {
  if (listing.limit === 'invalid' || listing.isOpen) return 100;
  return listing.limit === 'default' ? 20 : listing.limit;
}

/** What a client sent as an animal. */
export interface SentPet {
  readonly name: string;
  readonly categoryId: bigint;
  readonly status?: PetStatus;
}

/**
 * A body of createPet (§4.2). `valid`: 201, or 400 where the interface leaves limits open; `isPlainName` says that it
 * does not. `invalid`: 400 only, by `requirement`. `open`: the interface says neither.
 */
export type NewPetReading =
  | {
      readonly kind: 'valid';
      readonly pet: SentPet;
      readonly isPlainName: boolean;
    }
  | { readonly kind: 'open'; readonly pet?: SentPet }
  | {
      readonly kind: 'invalid';
      readonly requirement: RequirementId;
      readonly fault: string;
    };

/** An integer in another spelling than all readers of JSON take for one. */
const unusualCategory = /"categoryId"\s*:\s*(-?\d+[.eE]|-0(?!\d))/;
const plainName = /^[A-Za-z0-9][A-Za-z0-9 -]{0,28}[A-Za-z0-9]$/;

function invalid(requirement: RequirementId, fault: string): NewPetReading {
  return { kind: 'invalid', requirement, fault };
}

/** The JSON of a request. */
export const readSent: (request: RecordedRequest) => Reading = memoize(({ body = '' }) => readJson(body));

const readNewPetOf = memoize(readBody);

/** What a request to createPet asks for. */
export function readNewPet({ request }: Pick<Exchange, 'request'>): NewPetReading {
  return readNewPetOf(request);
}

function readBody(request: RecordedRequest): NewPetReading {
  const { body = '' } = request;
  const contentType = request.headers['content-type'] ?? '';
  if (!/^application\/json\s*(;|$)/i.test(contentType)) return { kind: 'open' };
  if (body === '') return invalid('create-required-fields', 'an empty body');
  // A reader of JSON may skip the mark (RFC 8259, 8.1).
  if (body.startsWith('\ufeff')) return { kind: 'open' };
  const reading = readSent(request);
  if ('problem' in reading) return invalid('create-malformed-body', reading.problem);
  if (!isJsonObject(reading.value)) return invalid('create-malformed-body', 'a body that is no object');
  // Which of two fields of one name counts is open (RFC 8259, 4).
  if (hasFieldTwice(body)) return { kind: 'open' };
  const fields = readFields(reading.value);
  // Whether 1.0 is an integer is open (gap integer-written-as-decimal).
  return fields.kind === 'valid' && unusualCategory.test(body) ? { kind: 'open', pet: fields.pet } : fields;
}

function readFields(fields: Readonly<Record<string, JsonValue>>): NewPetReading {
  const { name, categoryId, status } = fields;
  for (const field of ['name', 'categoryId']) {
    if (!Object.hasOwn(fields, field)) return invalid('create-required-fields', `a body without ${field}`);
  }
  if (typeof name !== 'string') return invalid('create-invalid-values', 'a name that is no string');
  if (!isInt64(categoryId)) return invalid('create-invalid-values', 'a categoryId that is no int64');
  if (status !== undefined && !isPetStatus(status)) {
    return invalid('create-invalid-values', 'a status that is none of the three');
  }
  const pet: SentPet = {
    name,
    categoryId,
    ...(status === undefined ? {} : { status }),
  };
  // A lone surrogate is no Unicode text: there is no exact way to keep it.
  if (!name.isWellFormed()) return { kind: 'open' };
  const hasMore = Object.keys(fields).some((field) => !['name', 'categoryId', 'status'].includes(field));
  if (hasMore) return { kind: 'open', pet };
  return { kind: 'valid', pet, isPlainName: plainName.test(name) };
}

/** The text of a path segment; undefined where an escape in it is malformed. */
function decode(segment: string): string | undefined {
  try {
    return decodeURIComponent(segment);
  } catch {
    return undefined;
  }
}

/** Whether a path has an escape that is none: no sentence says what becomes of it. */
export function isMalformed({ request }: Pick<Exchange, 'request'>): boolean {
  return decode(request.target.split('?')[0]!) === undefined;
}

/** The integer that a text is another spelling of, as one parser or another has it. */
function integerSpelt(text: string): bigint | undefined {
  const [, sign = '', digits = ''] = /^([+-]?)(\d[\d_]*|0x[\da-f]+|0o[0-7]+|0b[01]+)(?:\.0*)?$/i.exec(text) ?? [];
  if (digits !== '') return BigInt(digits.replaceAll('_', '')) * (sign === '-' ? -1n : 1n);
  const number = /^[+-]?\d+(\.\d*)?e[+-]?\d+$/i.test(text) ? Number(text) : Number.NaN;
  return Number.isInteger(number) ? BigInt(number) : undefined;
}

/**
 * The id that a getPet asks for, or `not-int64`; `unusual` is what some parsers take for an int64 in another spelling
 * (`+1`, `01`, `1.0`, `1e0`, `0x1`, with spaces around it, in other digits), and what is no segment: that is open.
 */
export function readPetId(exchange: Pick<Exchange, 'request'>): bigint | 'not-int64' | 'unusual' {
  const segment = exchange.request.target.split('?')[0]!.slice('/pets/'.length);
  if (/^(0|-?[1-9]\d*)$/.test(segment)) return isInt64(BigInt(segment)) ? BigInt(segment) : 'not-int64';
  const text = decode(segment)?.trim();
  const isInOtherDigits = text !== undefined && /^[+-]?\p{Nd}+$/u.test(text) && !/^[+-]?\d+$/.test(text);
  if (text === undefined || isInOtherDigits) return 'unusual';
  const integer = integerSpelt(text);
  return integer !== undefined && isInt64(integer) ? 'unusual' : 'not-int64';
}
