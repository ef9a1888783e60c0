/** Faults of §7: bodies that are no Error, Errors that name another status, and server errors. */

import type { JsonObject, JsonValue } from '../../http/json.ts';
import { errorStatuses } from '../2-resources/error-faults.ts';
import {
  breakOff,
  type Call,
  changeAnswer,
  changeErrors,
  errorAnswer,
  type Fault,
  type FaultDraft,
  mapField,
  ordinary,
  rare,
  sentBody,
} from '../fault.ts';

const shapes: Readonly<Record<string, (error: JsonObject) => JsonValue>> = {
  'in-an-array': (error) => [error],
  text: () => 'error',
  null: () => null,
};

const shapeFaults: readonly FaultDraft[] = Object.entries(shapes).flatMap(([id, change]) =>
  errorStatuses.map(
    (status): FaultDraft => ({
      id: `error-${id}-with-${status}`,
      breaks: ['error-shape'],
      wrap: changeErrors(change, status),
    }),
  ),
);

const statusFaults: readonly FaultDraft[] = errorStatuses.flatMap((status): readonly FaultDraft[] => [
  {
    id: `error-status-200-with-${status}`,
    breaks: ['error-status-equals'],
    wrap: changeErrors(
      mapField('status', () => 200n),
      status,
    ),
  },
  {
    id: `error-status-zero-with-${status}`,
    breaks: ['error-status-equals'],
    wrap: changeErrors(
      mapField('status', () => 0n),
      status,
    ),
  },
]);

const serverErrors: readonly FaultDraft[] = [
  {
    id: 'error-status-always-400',
    breaks: ['error-status-equals'],
    wrap: changeErrors(mapField('status', () => 400n)),
  },
  {
    id: 'error-status-of-an-own-list',
    breaks: ['error-status-equals'],
    wrap: changeErrors(mapField('status', (status) => (typeof status === 'bigint' ? status * 100n + 1n : status))),
  },
  { id: 'every-answer-500', breaks: ['errors-listed'], wrap: changeAnswer((answer) => errorAnswer(500, answer)) },
  {
    id: 'listings-of-sold-answer-503',
    breaks: ['errors-listed', 'list-answer'],
    wrap: changeAnswer((answer, { operation, query, isAuthorized }) =>
      operation === 'listPets' && isAuthorized && query.get('status') === 'sold' ? errorAnswer(503, answer) : undefined,
    ),
  },
];

const otherFaults: readonly FaultDraft[] = [
  ...(['code', 'message'] as const).flatMap((field): readonly FaultDraft[] => [
    { id: `error-${field}-empty`, breaks: ['error-not-empty'], wrap: changeErrors(mapField(field, () => '')) },
    {
      id: `error-${field}-of-spaces-with-404`,
      breaks: ['error-not-empty'],
      wrap: changeErrors(
        mapField(field, () => '  '),
        404,
      ),
    },
  ]),
];

/** Requests with a valid key, allowed or not, that make a careless service fail. */
const deadly: Readonly<Record<string, (call: Call) => boolean>> = {
  'parameter-given-twice': ({ query }) => new Set(query.keys()).size < query.size,
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
  'body-nested-deeply': (call) => sentBody(call).includes('['.repeat(100)),
};

/** A service may refuse or break off a longer body, bytes. */
const largestBody = 4_096;

const deadlyFaults: readonly FaultDraft[] = Object.entries(deadly).map(
  ([id, matches]): FaultDraft => ({
    id: `${id}-breaks-the-server`,
    breaks: ['errors-listed'],
    wrap: changeAnswer((answer, call) => (call.isAuthorized && matches(call) ? errorAnswer(500, answer) : undefined)),
  }),
);

const breaking: readonly FaultDraft[] = [
  {
    id: 'creation-with-a-long-name-breaks-off',
    breaks: ['errors-listed'],
    wrap: breakOff(
      ({ operation, request }) =>
        operation === 'createPet' && request.body.length > 300 && request.body.length <= largestBody,
    ),
  },
  {
    id: 'creation-spoils-every-listing',
    breaks: ['errors-listed'],
    wrap: (handle) => {
      let isSpoilt = false;
      return changeAnswer((answer, call) => {
        isSpoilt ||= answer.status === 201 && sentBody(call).includes('9223372036854775807');
        return isSpoilt && call.operation === 'listPets' && answer.status === 200
          ? errorAnswer(500, answer)
          : undefined;
      })(handle);
    },
  },
];

export const errorFaults: readonly Fault[] = [
  ...ordinary(...shapeFaults, ...statusFaults, ...serverErrors, ...deadlyFaults),
  ...rare(...otherFaults, ...breaking),
];
