/** Reads a recorded request as the interface describes it: which parameters and values it has, and whether they are valid. */

import { defined } from '../../spec/defined.ts';
import { type PetStatus, petStatuses } from '../../spec/operations.ts';
import type { RequirementId } from '../../spec/requirements.ts';
import { looksLikeUtf16 } from './body-bytes.ts';
import type { Exchange, RecordedRequest } from './exchange.ts';
import { hasFieldTwice, isInt64, isJsonObject, type JsonReading, type JsonValue, readJson, showJson } from './json.ts';
import { memoize } from './memoize.ts';
import { decodeEscapes } from './percent-escapes.ts';

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

export function queryOf({ request }: Pick<Exchange, 'request'>): URLSearchParams {
  return new URLSearchParams(request.target.split('?')[1] ?? '');
}

const readListingOf = memoize((request: RecordedRequest): Listing => {
  const query = queryOf({ request });
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
});

export function readListing({ request }: Pick<Exchange, 'request'>): Listing {
  return readListingOf(request);
}

/** Whether §4.1 allows the parameters, so that 200 is the only correct status. */
export function isAllowed(listing: Listing): boolean {
  return !listing.isOpen && listing.limit !== 'invalid' && listing.status !== 'invalid';
}

/** The maximum number of animals in the page. */
export function pageSize(listing: Listing): number {
  if (listing.limit === 'invalid' || listing.isOpen) return 100;
  return listing.limit === 'default' ? 20 : listing.limit;
}

export interface SentPet {
  readonly name: string;
  readonly categoryId: bigint;
  readonly status?: PetStatus;
}

/**
 * A body of createPet (§4.2). `valid`: 201, or 400 for a name beyond limits that are not shown, which is excluded if
 * `isPlainName`. `invalid`: only 400, by `requirement`. `open`: the interface does not say.
 */
export type NewPetReading =
  | {
      readonly kind: 'valid';
      readonly pet: SentPet;
      readonly isPlainName: boolean;
    }
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

function invalid(requirement: RequirementId, fault: string, input?: InvalidPet['input']): NewPetReading {
  return defined({ kind: 'invalid', requirement, fault, input });
}

export const readRequestJson: (request: RecordedRequest) => JsonReading = memoize(({ body = '' }) => readJson(body));

const readNewPetOf = memoize(readBody);

export function readNewPet({ request }: Pick<Exchange, 'request'>): NewPetReading {
  return readNewPetOf(request);
}

/** A long text is cut in its middle, since mistakes in JSON are often at its end. */
const longestEnd = 50;

function showText(text: string): string {
  if (text.trim() === '') return 'a body of white space';
  return text.length <= 2 * longestEnd ? text : `${text.slice(0, longestEnd)}…${text.slice(-longestEnd)}`;
}

function readBody(request: RecordedRequest): NewPetReading {
  const { body = '' } = request;
  const contentType = request.headers['content-type'] ?? '';
  if (!/^application\/json\s*(;|$)/i.test(contentType)) return { kind: 'open' };
  if (body === '') return invalid('create-required-fields', 'an empty body');
  // A parser may ignore a byte order mark (RFC 8259, 8.1).
  if (body.startsWith('\ufeff')) return { kind: 'open' };
  // Parsers may detect UTF-16, as JSON allowed until RFC 8259.
  if (looksLikeUtf16(body)) return { kind: 'open' };
  if (!body.isWellFormed()) return invalid('create-body-utf8', 'bytes that are not UTF-8');
  const reading = readRequestJson(request);
  if ('problem' in reading) {
    return invalid('create-malformed-body', reading.isJson ? reading.problem : `${showText(body)}, which is no JSON`);
  }
  if (!isJsonObject(reading.value))
    return invalid('create-malformed-body', `the body ${showJson(reading.value)}, which is no object`);
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
  if (typeof name !== 'string')
    return invalid('create-invalid-values', `the name ${showJson(name)}, which is no string`, {
      name: 'name',
      value: showJson(name),
    });
  if (!isInt64(categoryId))
    return invalid('create-invalid-values', `the categoryId ${showJson(categoryId)}, which is no int64`, {
      name: 'categoryId',
      value: showJson(categoryId),
    });
  if (status !== undefined && !isPetStatus(status)) {
    return invalid('create-invalid-values', `the status ${showJson(status)}, which is no PetStatus`, {
      name: 'status',
      value: showJson(status),
    });
  }
  const pet: SentPet = {
    name,
    categoryId,
    ...(status === undefined ? {} : { status }),
  };
  // A lone surrogate is not Unicode text, so no service can store it exactly.
  if (!name.isWellFormed()) return { kind: 'open' };
  const hasMore = Object.keys(fields).some((field) => !['name', 'categoryId', 'status'].includes(field));
  if (hasMore) return { kind: 'open', pet };
  return { kind: 'valid', pet, isPlainName: plainName.test(name) };
}

/** The integer that some parsers read from an unusual spelling. */
function integerSpelt(text: string): bigint | undefined {
  const [, sign = '', digits = ''] = /^([+-]?)(\d[\d_]*|0x[\da-f]+|0o[0-7]+|0b[01]+)(?:\.0*)?$/i.exec(text) ?? [];
  if (digits !== '') return BigInt(digits.replaceAll('_', '')) * (sign === '-' ? -1n : 1n);
  const number = /^[+-]?\d+(\.\d*)?e[+-]?\d+$/i.test(text) ? Number(text) : Number.NaN;
  return Number.isInteger(number) ? BigInt(number) : undefined;
}

/**
 * The id in the path of a getPet request, or `not-int64`. `unusual`: some parsers read an int64 from it (`+1`, `01`, `1.0`,
 * `1e0`, `0x1`, surrounding spaces, other digits), or its escapes are malformed; how to answer is open. It is
 * open as well for what routers and proxies take for another part of the path: a format (`1.json`), path parameters
 * (`1;v=1`, RFC 3986, 3.3) and an escaped slash.
 */
export function readPetId(exchange: Pick<Exchange, 'request'>): bigint | 'not-int64' | 'unusual' {
  const segment = exchange.request.target.split('?')[0]!.slice('/pets/'.length);
  if (/^(0|-?[1-9]\d*)$/.test(segment)) return isInt64(BigInt(segment)) ? BigInt(segment) : 'not-int64';
  if (/^-?\d+(\.[a-z]+$|;)|%(2f|5c)/i.test(segment)) return 'unusual';
  const text = decodeEscapes(segment)?.trim();
  const isInOtherDigits = text !== undefined && /^[+-]?\p{Nd}+$/u.test(text) && !/^[+-]?\d+$/.test(text);
  if (text === undefined || isInOtherDigits) return 'unusual';
  const integer = integerSpelt(text);
  return integer !== undefined && isInt64(integer) ? 'unusual' : 'not-int64';
}
