/** Faults of §7: bodies that are no Error, Errors that name another status, and server errors. */

import { isUtf8 } from 'node:buffer';
import { isPetStatus } from '../../../reference-server/index.ts';
import { isInt64, type JsonObject, type JsonValue } from '../../http/json.ts';
import { errorStatuses } from '../2-resources/error-faults.ts';
import {
  answerError,
  breaking,
  breakingEach,
  breakOff,
  type Call,
  changeAnswer,
  changeErrors,
  errorAnswer,
  type Fault,
  type FaultDraft,
  mapField,
  ordinary,
  ordinaryExcept,
  rare,
  sentBody,
} from '../fault.ts';
import { drawnErrorFaults } from './drawn-faults.ts';

const setTo = (field: string, value: JsonValue) => mapField(field, () => value);

const shapes: Readonly<Record<string, (error: JsonObject) => JsonValue>> = {
  'in-an-array': (error) => [error],
  text: () => 'error',
  null: () => null,
};

const shapeFaults: readonly FaultDraft[] = Object.entries(shapes).flatMap(([id, change]) =>
  breakingEach('error-shape', `error-${id}-with-*`, errorStatuses, (status) => changeErrors(change, status)),
);

const statusFaults: readonly FaultDraft[] = [
  ...breakingEach('error-status-equals', 'error-status-200-with-*', errorStatuses, (status) =>
    changeErrors(setTo('status', 200n), status),
  ),
  ...breakingEach('error-status-equals', 'error-status-zero-with-*', errorStatuses, (status) =>
    changeErrors(setTo('status', 0n), status),
  ),
];

const serverErrors: readonly FaultDraft[] = [
  ...breaking('error-status-equals', {
    'error-status-always-400': changeErrors(setTo('status', 400n)),
    'error-status-of-an-own-list': changeErrors(
      mapField('status', (status) => (typeof status === 'bigint' ? status * 100n + 1n : status)),
    ),
  }),
  ...breaking('errors-listed', { 'every-answer-500': answerError(500, () => true) }),
  ...breaking(['errors-listed', 'list-answer'], {
    'listings-of-sold-answer-503': answerError(
      503,
      ({ operation, query, isAuthorized }) =>
        operation === 'listPets' && isAuthorized && query.get('status') === 'sold',
    ),
  }),
];

const otherFaults: readonly FaultDraft[] = (['code', 'message'] as const).flatMap((field) =>
  breaking('error-not-empty', {
    [`error-${field}-empty`]: changeErrors(setTo(field, '')),
    [`error-${field}-of-spaces-with-404`]: changeErrors(setTo(field, '  '), 404),
  }),
);

function hasLimit(matches: (limit: string) => boolean): (call: Call) => boolean {
  return ({ operation, query }) => operation === 'listPets' && matches(query.get('limit') ?? '1');
}

function hasPetId(matches: (petId: string) => boolean): (call: Call) => boolean {
  return ({ operation, request }) =>
    operation === 'getPet' && matches(/^\/v1\/pets\/([^?]*)/.exec(request.target)?.[1] ?? '1');
}

/** Requests with a valid key, allowed or not, that make a careless service fail. */
const deadly: Readonly<Record<string, (call: Call) => boolean>> = {
  'parameter-given-twice': ({ query }) => new Set(query.keys()).size < query.size,
  'limit-of-other-characters': hasLimit((limit) => !/^-?\d+$/.test(limit)),
  'limit-below-0': hasLimit((limit) => /^-\d/.test(limit)),
  'limit-beyond-int64': hasLimit((limit) => /^\d{19,}$/.test(limit) && !isInt64(BigInt(limit))),
  'filter-of-another-word': ({ query }) => query.getAll('status').some((status) => !isPetStatus(status)),
  'pet-id-of-other-characters': hasPetId((petId) => !/^-?\d+$/.test(petId)),
  'pet-id-beyond-int64': hasPetId((petId) => /^-?\d{19,}$/.test(petId) && !isInt64(BigInt(petId))),
  ...Object.fromEntries(
    ['0', '101', '-1', 'abc', '', '1.5', '9223372036854775808'].map((limit) => [
      `limit-${limit === '' ? 'empty' : limit}`,
      ({ query }: Call) => query.get('limit') === limit,
    ]),
  ),
  ...Object.fromEntries(
    ['unknown', 'AVAILABLE', ''].map((status) => [
      `filter-${status === '' ? 'none' : status}`,
      ({ query }: Call) => query.get('status') === status,
    ]),
  ),
  ...Object.fromEntries(
    ['abc', '1.5', '9223372036854775808', 'null', '__proto__', '9'.repeat(400)].map((segment) => [
      `pet-id-${segment.length > 40 ? 'of-many-digits' : segment}`,
      ({ request }: Call) => request.target === `/v1/pets/${segment}`,
    ]),
  ),
  'name-with-half-a-character': (call) => sentBody(call).includes('\\ud83e"'),
  'body-with-bytes-beyond-utf8': ({ request }) => !isUtf8(request.body),
  'body-nested-deeply': (call) => sentBody(call).includes('['.repeat(100)),
};

/** A service may refuse or break off a longer body, bytes. */
const largestBody = 4_096;

const deadlyFaults = breakingEach('errors-listed', '*-breaks-the-server', deadly, (matches) =>
  answerError(500, (call) => call.isAuthorized && matches(call)),
);

const brokenConnections: readonly FaultDraft[] = breaking('errors-listed', {
  'creation-with-a-long-name-breaks-off': breakOff(
    ({ operation, request }) =>
      operation === 'createPet' && request.body.length > 300 && request.body.length <= largestBody,
  ),
  'creation-spoils-every-listing': (handle) => {
    let isSpoilt = false;
    return changeAnswer((answer, call) => {
      isSpoilt ||= answer.status === 201 && sentBody(call).includes('9223372036854775807');
      return isSpoilt && call.operation === 'listPets' && answer.status === 200 ? errorAnswer(500, answer) : undefined;
    })(handle);
  },
});

export const errorFaults: readonly Fault[] = [
  ...ordinaryExcept(
    errorStatuses.map((status) => `error-in-an-array-with-${status}`),
    ...shapeFaults,
  ),
  ...ordinary(...statusFaults),
  ...ordinaryExcept(['listings-of-sold-answer-503'], ...serverErrors),
  ...ordinaryExcept(
    [
      // One value of several that break alike.
      ...['limit--1', 'limit-abc', 'limit-empty', 'limit-1.5', 'limit-9223372036854775808'],
      ...['filter-unknown', 'filter-AVAILABLE', 'filter-none'],
      ...['pet-id-abc', 'pet-id-1.5', 'pet-id-9223372036854775808', 'pet-id-of-many-digits'],
      ...['pet-id-null', 'pet-id-__proto__', 'name-with-half-a-character'],
      ...['body-nested-deeply', 'body-with-bytes-beyond-utf8'],
    ].map((id) => `${id}-breaks-the-server`),
    ...deadlyFaults,
  ),
  ...rare(...otherFaults, ...brokenConnections),
  ...drawnErrorFaults,
];
