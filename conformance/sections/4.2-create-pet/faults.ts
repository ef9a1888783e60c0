/** Faults of §4.2: valid bodies refused, invalid ones accepted, refused ones stored. */

import { isPetStatus } from '../../../reference-server/index.ts';
import { petStatuses } from '../../../spec/operations.ts';
import type { RequirementId } from '../../../spec/requirements.ts';
import { isInt64, isJsonObject, type JsonObject, type JsonValue, writeJson } from '../../http/json.ts';
import {
  apiKey,
  type Call,
  changeAnswer,
  changeCreation,
  errorAnswer,
  type Fault,
  readCall,
  requestHeader,
  sentBody,
  sentJson,
  type Wrap,
  withBody,
  withKey,
} from '../fault.ts';
import { writingFaults } from './json-text-faults.ts';

function field(name: string, is: (value: JsonValue | undefined) => boolean): (json: JsonValue | undefined) => boolean {
  return (json) => isJsonObject(json) && is(json[name]);
}

interface InvalidKind {
  readonly id: string;
  readonly requirement: RequirementId;
  readonly matches: (json: JsonValue | undefined, text: string) => boolean;
}

/** Every kind of invalid body that a careless service may accept, on its own. */
const kinds: readonly InvalidKind[] = [
  { id: 'without-name', requirement: 'create-required-fields', matches: field('name', (name) => name === undefined) },
  {
    id: 'without-categoryId',
    requirement: 'create-required-fields',
    matches: field('categoryId', (id) => id === undefined),
  },
  { id: 'empty', requirement: 'create-required-fields', matches: (_json, text) => text === '' },
  { id: 'name-null', requirement: 'create-invalid-values', matches: field('name', (name) => name === null) },
  {
    id: 'name-number',
    requirement: 'create-invalid-values',
    matches: field('name', (name) => typeof name === 'bigint'),
  },
  {
    id: 'name-boolean',
    requirement: 'create-invalid-values',
    matches: field('name', (name) => typeof name === 'boolean'),
  },
  { id: 'name-array', requirement: 'create-invalid-values', matches: field('name', (name) => Array.isArray(name)) },
  { id: 'name-object', requirement: 'create-invalid-values', matches: field('name', isJsonObject) },
  {
    id: 'categoryId-text',
    requirement: 'create-invalid-values',
    matches: field('categoryId', (id) => typeof id === 'string'),
  },
  { id: 'categoryId-null', requirement: 'create-invalid-values', matches: field('categoryId', (id) => id === null) },
  { id: 'categoryId-fraction', requirement: 'create-invalid-values', matches: field('categoryId', (id) => id === 1.5) },
  {
    id: 'categoryId-boolean',
    requirement: 'create-invalid-values',
    matches: field('categoryId', (id) => typeof id === 'boolean'),
  },
  {
    id: 'categoryId-array',
    requirement: 'create-invalid-values',
    matches: field('categoryId', (id) => Array.isArray(id)),
  },
  {
    id: 'categoryId-beyond-int64',
    requirement: 'create-invalid-values',
    matches: field('categoryId', (id) => typeof id === 'bigint' && !isInt64(id) && id < 2n ** 70n),
  },
  {
    id: 'categoryId-1e300',
    requirement: 'create-invalid-values',
    matches: field('categoryId', (id) => typeof id === 'bigint' && id > 2n ** 70n),
  },
  {
    id: 'status-unknown',
    requirement: 'create-invalid-values',
    matches: field('status', (status) => status === 'unknown'),
  },
  { id: 'status-null', requirement: 'create-invalid-values', matches: field('status', (status) => status === null) },
  {
    id: 'status-upper-case',
    requirement: 'create-invalid-values',
    matches: field('status', (status) => status === 'AVAILABLE'),
  },
  { id: 'status-empty', requirement: 'create-invalid-values', matches: field('status', (status) => status === '') },
  {
    id: 'status-number',
    requirement: 'create-invalid-values',
    matches: field('status', (status) => typeof status === 'bigint'),
  },
  { id: 'status-boolean', requirement: 'create-invalid-values', matches: field('status', (status) => status === true) },
  {
    id: 'status-array',
    requirement: 'create-invalid-values',
    matches: field('status', (status) => Array.isArray(status)),
  },
  { id: 'array', requirement: 'create-malformed-body', matches: (json) => Array.isArray(json) },
  { id: 'string', requirement: 'create-malformed-body', matches: (json) => typeof json === 'string' },
  { id: 'null', requirement: 'create-malformed-body', matches: (json) => json === null },
  { id: 'number', requirement: 'create-malformed-body', matches: (json) => typeof json === 'bigint' },
  {
    id: 'broken',
    requirement: 'create-malformed-body',
    matches: (json, text) => json === undefined && text.startsWith('{"'),
  },
  {
    id: 'form',
    requirement: 'create-malformed-body',
    matches: (json, text) => json === undefined && text.startsWith('name='),
  },
];

/** Categories beyond int64 that one reader of numbers or another takes for one within. */
const categoriesBeyond: readonly InvalidKind[] = [
  { id: 'unsigned', takes: (id: bigint) => id >= 2n ** 63n && id < 2n ** 64n },
  { id: 'the-largest-as-a-double', takes: (id: bigint) => id >= 2n ** 63n && Number(id) === 2 ** 63 },
  { id: 'the-smallest-as-a-double', takes: (id: bigint) => id < -(2n ** 63n) && Number(id) === -(2 ** 63) },
  { id: 'wrapped-at-64-bits', takes: (id: bigint) => id >= 2n ** 64n && BigInt.asUintN(64, id) < 2n ** 16n },
].map(({ id, takes }) => ({
  id: `categoryId-${id}`,
  requirement: 'create-invalid-values',
  matches: field('categoryId', (value) => typeof value === 'bigint' && takes(value)),
}));

/** Rarer kinds, of which only the acceptance is tried. */
const rareKinds: readonly InvalidKind[] = [
  ...categoriesBeyond,
  {
    id: 'with-fields-in-other-case',
    requirement: 'create-required-fields',
    matches: (json) => isJsonObject(json) && Object.keys(json).some((name) => /^(Name|CategoryId)$/.test(name)),
  },
  {
    id: 'with-more-behind-it',
    requirement: 'create-malformed-body',
    matches: (json, text) => json === undefined && /^\{[^{}]*\}\s*\S/.test(text),
  },
  { id: 'name-false', requirement: 'create-invalid-values', matches: field('name', (name) => name === false) },
  {
    id: 'without-name-but-with-status',
    requirement: 'create-required-fields',
    matches: (json) => isJsonObject(json) && json['name'] === undefined && isPetStatus(json['status']),
  },
  {
    id: 'without-categoryId-but-with-status',
    requirement: 'create-required-fields',
    matches: (json) => isJsonObject(json) && json['categoryId'] === undefined && isPetStatus(json['status']),
  },
  {
    id: 'status-with-a-line-end',
    requirement: 'create-invalid-values',
    matches: field('status', (status) => typeof status === 'string' && /^(available|pending|sold)\n$/.test(status)),
  },
  {
    id: 'with-a-raw-line-end',
    requirement: 'create-malformed-body',
    matches: (json, text) => json === undefined && text.includes('\n'),
  },
  {
    id: 'with-a-comment',
    requirement: 'create-malformed-body',
    matches: (json, text) => json === undefined && text.includes('/*'),
  },
];

function isKind(kind: InvalidKind, call: Call): boolean {
  return call.operation === 'createPet' && call.isAuthorized && kind.matches(sentJson(call), sentBody(call));
}

/** A valid animal made of what an invalid body holds, as code that does not look would make it. */
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

/** Stores an animal for requests that match, whatever is answered. */
function store(matches: (call: Call, status: number) => boolean, shows: 'the 201' | 'the refusal'): Wrap {
  return (handle) => {
    const wrapped = changeAnswer((answer, call) => {
      if (!matches(call, answer.status)) return undefined;
      const stored = handle(withBody(call.request, writeJson(madeValid(call))), call.now);
      return shows === 'the 201' ? stored : undefined;
    });
    return wrapped(handle);
  };
}

const accepted: readonly Fault[] = [...kinds, ...rareKinds].map((kind) => ({
  id: `body-${kind.id}-accepted`,
  breaks: [kind.requirement],
  wrap: store((call, status) => status === 400 && isKind(kind, call), 'the 201'),
}));

const answeredOtherwise: readonly Fault[] = kinds.flatMap((kind) =>
  ([422, 500] as const).map(
    (status): Fault => ({
      id: `body-${kind.id}-answers-${status}`,
      breaks: [kind.requirement, 'errors-listed'],
      wrap: changeAnswer((answer, call) =>
        answer.status === 400 && isKind(kind, call) ? errorAnswer(status, answer) : undefined,
      ),
    }),
  ),
);

const storedThough: readonly Fault[] = kinds
  .filter(({ id }) =>
    ['without-name', 'without-categoryId', 'status-unknown', 'categoryId-text', 'name-number', 'array'].includes(id),
  )
  .map(
    (kind): Fault => ({
      id: `body-${kind.id}-refused-yet-stored`,
      breaks: ['create-refused-stores-nothing'],
      wrap: (handle) => (request, now) => {
        const matches = (call: Call, status: number): boolean => status === 400 && isKind(kind, call);
        // What is stored keeps what marks the body, as a row that is written before it is checked would.
        return store(matches, 'the refusal')(handle)(request, now);
      },
    }),
  );

function creation(id: string, breaks: Fault['breaks'], change: Parameters<typeof changeCreation>[0]): Fault {
  return {
    id,
    breaks,
    wrap: changeCreation(change),
  };
}

function refusedIf(id: string, matches: (pet: JsonObject) => boolean, status = 400): Fault {
  return creation(id, ['create-answer'], (answer, call) => {
    const json = sentJson(call);
    return isJsonObject(json) && matches(json) ? errorAnswer(status, answer) : undefined;
  });
}

const answers: readonly Fault[] = [
  ...[200, 202, 204, 301, 500].map((status) =>
    creation(`creation-answers-${status}`, ['create-answer'], (answer) => ({ ...answer, status })),
  ),
  // Any creation may be refused; then nothing is stored.
  ...[403, 404, 409, 413, 422].map((status) =>
    creation(`creation-answers-${status}`, ['create-refused-stores-nothing'], (answer) => ({ ...answer, status })),
  ),
  creation('creation-answers-array', ['create-answer'], (answer) => ({ ...answer, body: `[${answer.body}]` })),
  creation('creation-answers-id-only', ['create-answer', 'pet-id'], (answer) => ({ ...answer, body: '1' })),
  creation('creation-answers-null', ['create-answer'], (answer) => ({ ...answer, body: 'null' })),
  creation('creation-answers-true', ['create-answer'], (answer) => ({ ...answer, body: 'true' })),
  refusedIf('creation-needs-a-status', (pet) => pet['status'] === undefined),
  refusedIf('creation-needs-a-status-else-422', (pet) => pet['status'] === undefined, 422),
  ...petStatuses.flatMap((status) => [
    refusedIf(`creation-refuses-${status}`, (pet) => pet['status'] === status),
    refusedIf(`creation-refuses-${status}-with-409`, (pet) => pet['status'] === status, 409),
  ]),
  refusedIf(
    'creation-refuses-hyphens-without-status',
    (pet) => pet['status'] === undefined && String(pet['name']).includes('-'),
  ),
  {
    id: 'creation-of-a-namesake-answers-500',
    breaks: ['create-answer'],
    wrap: (handle) => {
      const names = new Set<JsonValue | undefined>();
      const refuse = changeAnswer((answer, call) => {
        const json = sentJson(call);
        if (call.operation !== 'createPet' || answer.status !== 201 || !isJsonObject(json)) return undefined;
        if (names.has(json['name'])) return errorAnswer(500, answer);
        names.add(json['name']);
        return undefined;
      });
      return refuse(handle);
    },
  },
  ...(['skips-the-validation', 'breaks-the-server'] as const).map((id): Fault => {
    const hasEncoding = (call: Call): boolean =>
      call.operation === 'createPet' &&
      call.isAuthorized &&
      /charset/.test(requestHeader(call.request, 'content-type') ?? '');
    return {
      id: `body-with-its-encoding-told-${id}`,
      breaks: ['create-malformed-body', 'create-invalid-values', 'create-required-fields'],
      wrap:
        id === 'breaks-the-server'
          ? changeAnswer((answer, call) => (hasEncoding(call) ? errorAnswer(500, answer) : undefined))
          : store((call, status) => status === 400 && hasEncoding(call), 'the 201'),
    };
  }),
  {
    id: 'excess-stored-though-refused',
    breaks: ['create-refused-stores-nothing'],
    needsExhaustion: true,
    wrap: (handle) => (request, now) => {
      const answer = handle(request, now);
      const isExcess = answer.status === 429 && readCall(request, now).operation === 'createPet';
      if (isExcess) handle(withKey(request, apiKey), now);
      return answer;
    },
  },
];

export const creationFaults: readonly Fault[] = [
  ...accepted,
  ...answeredOtherwise,
  ...storedThough,
  ...answers,
  ...writingFaults,
];
