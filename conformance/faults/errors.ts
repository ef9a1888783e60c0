/** Faults of §7: bodies that are no Error, Errors that name another status, and server errors. */

import { isUtf8 } from 'node:buffer';
import { isPetStatus } from '../../reference-server/index.ts';
import { isInt64, type JsonValue } from '../http/json.ts';
import {
  answerError,
  breakOff,
  type Call,
  changeAnswer,
  changeErrors,
  errorAnswer,
  mapField,
  requestHeader,
  sentBody,
  type Wrap,
} from '../services/wraps.ts';
import { drawnErrorFaults } from './drawn-errors.ts';
import { errorStatuses } from './error-fields.ts';
import { type Fault, ordinary, ordinaryEach, rare, rareEach } from './fault.ts';

const setTo = (field: string, value: JsonValue) => mapField(field, () => value);

function hasLimit(matches: (limit: string) => boolean): (call: Call) => boolean {
  return ({ operation, query }) => operation === 'listPets' && matches(query.get('limit') ?? '1');
}

function hasPetId(matches: (petId: string) => boolean): (call: Call) => boolean {
  return ({ operation, request }) =>
    operation === 'getPet' && matches(/^\/v1\/pets\/([^?]*)/.exec(request.target)?.[1] ?? '1');
}

type Requests = Readonly<Record<string, (call: Call) => boolean>>;

/** Requests with a valid key, allowed or not, that make a careless service fail. */
const deadly: Requests = {
  'parameter-given-twice': ({ query }) => new Set(query.keys()).size < query.size,
  'limit-of-other-characters': hasLimit((limit) => !/^-?\d+$/.test(limit)),
  'limit-below-0': hasLimit((limit) => /^-\d/.test(limit)),
  'limit-beyond-int64': hasLimit((limit) => /^\d{19,}$/.test(limit) && !isInt64(BigInt(limit))),
  'limit-0': hasLimit((limit) => limit === '0'),
  'limit-101': hasLimit((limit) => limit === '101'),
  'filter-of-another-word': ({ query }) => query.getAll('status').some((status) => !isPetStatus(status)),
  'pet-id-of-other-characters': hasPetId((petId) => !/^-?\d+$/.test(petId)),
  'pet-id-beyond-int64': hasPetId((petId) => /^-?\d{19,}$/.test(petId) && !isInt64(BigInt(petId))),
};

/** One value of several that break alike. */
const rarelyDeadly: Requests = {
  ...Object.fromEntries(
    ['-1', 'abc', '', '1.5', '9223372036854775808'].map((limit) => [
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

const failsOn = (matches: (call: Call) => boolean): Wrap =>
  answerError(500, (call) => call.isAuthorized && matches(call));

/** A service may refuse or break off a longer body, bytes. */
const largestBody = 4_096;

export const errorFaults: readonly Fault[] = [
  ...ordinaryEach('error-shape', 'error-text-with-*', errorStatuses, (status) => changeErrors(() => 'error', status)),
  ...ordinaryEach('error-shape', 'error-null-with-*', errorStatuses, (status) => changeErrors(() => null, status)),
  ...rareEach('error-shape', 'error-in-an-array-with-*', errorStatuses, (status) =>
    changeErrors((error) => [error], status),
  ),
  ...ordinaryEach('error-status-equals', 'error-status-200-with-*', errorStatuses, (status) =>
    changeErrors(setTo('status', 200n), status),
  ),
  ...ordinaryEach('error-status-equals', 'error-status-zero-with-*', errorStatuses, (status) =>
    changeErrors(setTo('status', 0n), status),
  ),
  ...ordinary('error-status-equals', {
    'error-status-always-400': changeErrors(setTo('status', 400n)),
    'error-status-of-an-own-list': changeErrors(
      mapField('status', (status) => (typeof status === 'bigint' ? status * 100n + 1n : status)),
    ),
  }),
  ...rareEach('error-not-empty', 'error-*-empty', ['code', 'message'], (field) => changeErrors(setTo(field, ''))),
  ...rareEach('error-not-empty', 'error-*-of-spaces-with-404', ['code', 'message'], (field) =>
    changeErrors(setTo(field, '  '), 404),
  ),
  ...ordinary('errors-listed', { 'every-answer-500': answerError(500, () => true) }),
  ...rare(['errors-listed', 'list-answer'], {
    'listings-of-sold-answer-503': answerError(
      503,
      ({ operation, query, isAuthorized }) =>
        operation === 'listPets' && isAuthorized && query.get('status') === 'sold',
    ),
  }),
  ...ordinaryEach('errors-listed', '*-breaks-the-server', deadly, failsOn),
  ...rareEach('errors-listed', '*-breaks-the-server', rarelyDeadly, failsOn),
  ...rare('errors-listed', {
    'two-spaces-after-bearer-answer-500': answerError(500, ({ request }) =>
      /^Bearer {2}/.test(requestHeader(request, 'authorization') ?? ''),
    ),
    'creation-with-a-long-name-breaks-off': breakOff(
      ({ operation, request }) =>
        operation === 'createPet' && request.body.length > 300 && request.body.length <= largestBody,
    ),
    'creation-spoils-every-listing': (handle, keys) => {
      let isSpoilt = false;
      return changeAnswer((answer, call) => {
        isSpoilt ||= answer.status === 201 && sentBody(call).includes('9223372036854775807');
        const isBroken = isSpoilt && call.operation === 'listPets' && answer.status === 200;
        return isBroken ? errorAnswer(500, answer) : undefined;
      })(handle, keys);
    },
  }),
  ...drawnErrorFaults,
];
