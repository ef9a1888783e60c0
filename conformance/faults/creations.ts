/** Faults of §4.2: valid bodies refused, invalid ones accepted, refused ones stored. */

import { isPetStatus, type StoreResponse } from '../../reference-server/index.ts';
import { petStatuses } from '../../spec/operations.ts';
import type { RequirementId } from '../../spec/requirements.ts';
import { isInt64, isJsonObject, type JsonObject, type JsonValue, writeJson } from '../http/json.ts';
import {
  answerError,
  type Call,
  changeAnswer,
  changeCreation,
  errorAnswer,
  layers,
  nameOf,
  quotaOf,
  requestHeader,
  sentBody,
  sentJson,
  sentPet,
  type Wrap,
  withBody,
  withKey,
} from '../services/wraps.ts';
import { drawnCreationFaults } from './drawn-creations.ts';
import { exhausting, type Fault, ordinary, ordinaryEach, rare, rareEach } from './fault.ts';
import { writingFaults } from './json-texts.ts';

function field(name: string, is: (value: JsonValue | undefined) => boolean): (json: JsonValue | undefined) => boolean {
  return (json) => isJsonObject(json) && is(json[name]);
}

/** Whether a careless service accepts a body, given as JSON (undefined for other text) and as text. */
type MatchesBody = (json: JsonValue | undefined, text: string) => boolean;

interface InvalidKind {
  readonly id: string;
  readonly requirement: RequirementId;
  readonly matches: MatchesBody;
}

function kindsOf(requirement: RequirementId, kinds: Readonly<Record<string, MatchesBody>>): readonly InvalidKind[] {
  return Object.entries(kinds).map(([id, matches]) => ({ id, requirement, matches }));
}

const kinds: readonly InvalidKind[] = [
  ...kindsOf('create-required-fields', {
    'without-name': field('name', (name) => name === undefined),
    'without-categoryId': field('categoryId', (id) => id === undefined),
    empty: (_json, text) => text === '',
  }),
  ...kindsOf('create-invalid-values', {
    'name-null': field('name', (name) => name === null),
    'name-number': field('name', (name) => typeof name === 'bigint'),
    'name-boolean': field('name', (name) => typeof name === 'boolean'),
    'name-array': field('name', (name) => Array.isArray(name)),
    'name-object': field('name', isJsonObject),
    'categoryId-text': field('categoryId', (id) => typeof id === 'string'),
    'categoryId-null': field('categoryId', (id) => id === null),
    'categoryId-fraction': field('categoryId', (id) => typeof id === 'number'),
    'categoryId-boolean': field('categoryId', (id) => typeof id === 'boolean'),
    'categoryId-array': field('categoryId', (id) => Array.isArray(id)),
    'categoryId-beyond-int64': field('categoryId', (id) => typeof id === 'bigint' && !isInt64(id) && id < 2n ** 70n),
    'categoryId-1e300': field('categoryId', (id) => typeof id === 'bigint' && id > 2n ** 70n),
    'status-unknown': field('status', (status) => typeof status === 'string' && !isPetStatus(status)),
    'status-null': field('status', (status) => status === null),
    'status-upper-case': field('status', (status) => /^[A-Z]+$/.test(String(status))),
    'status-empty': field('status', (status) => status === ''),
    'status-number': field('status', (status) => typeof status === 'bigint'),
    'status-boolean': field('status', (status) => typeof status === 'boolean'),
    'status-array': field('status', (status) => Array.isArray(status)),
  }),
  ...kindsOf('create-malformed-body', {
    array: (json) => Array.isArray(json),
    string: (json) => typeof json === 'string',
    null: (json) => json === null,
    number: (json) => typeof json === 'bigint',
    broken: (json, text) => json === undefined && text.startsWith('{"'),
    form: (json, text) => json === undefined && text.startsWith('name='),
  }),
];

/** A category beyond int64 that a careless reader of numbers accepts. */
function categoryBeyond(takes: (id: bigint) => boolean): MatchesBody {
  return field('categoryId', (value) => typeof value === 'bigint' && takes(value));
}

const hasStatus = field('status', isPetStatus);

/** Rarer kinds, of which only the acceptance is tried. */
const rareKinds: readonly InvalidKind[] = [
  ...kindsOf('create-required-fields', {
    'with-fields-in-other-case': (json) =>
      isJsonObject(json) && Object.keys(json).some((name) => /^(Name|CategoryId)$/.test(name)),
    'without-name-but-with-status': (json) => field('name', (name) => name === undefined)(json) && hasStatus(json),
    'without-categoryId-but-with-status': (json) =>
      field('categoryId', (id) => id === undefined)(json) && hasStatus(json),
    'with-the-category-of-other-pet-stores': field('category', isJsonObject),
    'with-category_id': field('category_id', (id) => typeof id === 'bigint'),
    'with-the-fields-in-pet': field('pet', isJsonObject),
  }),
  ...kindsOf('create-invalid-values', {
    'categoryId-unsigned': categoryBeyond((id) => id >= 2n ** 63n && id < 2n ** 64n),
    'categoryId-the-largest-as-a-double': categoryBeyond((id) => id >= 2n ** 63n && Number(id) === 2 ** 63),
    'categoryId-the-smallest-as-a-double': categoryBeyond((id) => id < -(2n ** 63n) && Number(id) === -(2 ** 63)),
    'categoryId-wrapped-at-64-bits': categoryBeyond((id) => id >= 2n ** 64n && BigInt.asUintN(64, id) < 2n ** 16n),
    'categoryId-blank': field('categoryId', (id) => id === ' '),
    'name-false': field('name', (name) => name === false),
    'status-with-a-line-end': field('status', (status) => /^(available|pending|sold)\n$/.test(String(status))),
  }),
  ...kindsOf('create-malformed-body', {
    'with-more-behind-it': (json, text) => json === undefined && /^\{[^{}]*\}\s*\S/.test(text),
    'with-a-raw-line-end': (json, text) => json === undefined && text.includes('\n'),
    'with-a-comment': (json, text) => json === undefined && text.includes('/*'),
  }),
];

function isKind(kind: InvalidKind, call: Call): boolean {
  return call.operation === 'createPet' && call.isAuthorized && kind.matches(sentJson(call), sentBody(call));
}

/** A valid animal made of an invalid body, as code without validation would make it. */
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

/** Stores an animal for requests that match, whatever the answer. */
function store(matches: (call: Call, status: number) => boolean, shows: 'the 201' | 'the refusal'): Wrap {
  return (handle, keys) =>
    changeAnswer(
      (_answer, call) => {
        const stored = handle(withBody(call.request, writeJson(madeValid(call))), call.now);
        return shows === 'the 201' ? stored : undefined;
      },
      (call, { status }) => matches(call, status),
    )(handle, keys);
}

function accepted(faultsOf: typeof rare, accepting: readonly InvalidKind[]): readonly Fault[] {
  return accepting.flatMap((kind) => {
    const wrap = store((call, status) => status === 400 && isKind(kind, call), 'the 201');
    return faultsOf(kind.requirement, { [`body-${kind.id}-accepted`]: wrap });
  });
}

function answering(
  faultsOf: typeof rare,
  id: string,
  status: number,
  matching: readonly InvalidKind[],
): readonly Fault[] {
  const [first, ...others] = new Set(matching.map(({ requirement }) => requirement));
  const wrap = answerError(
    status,
    (call, answer) => answer.status === 400 && matching.some((kind) => isKind(kind, call)),
  );
  return faultsOf([first!, ...others, 'errors-listed'], { [`body-${id}-answers-${status}`]: wrap });
}

/** Kinds that one careless line answers with the same status: a library validates them, or an expression breaks on them. */
const alike: Readonly<Record<422 | 500, Readonly<Record<string, (kind: InvalidKind) => boolean>>>> = {
  422: {
    invalid: () => true,
    incomplete: ({ requirement }) => requirement === 'create-required-fields',
    'with-a-wrong-value': ({ requirement }) => requirement === 'create-invalid-values',
    'with-a-wrong-status': ({ id }) => id.startsWith('status-'),
    malformed: ({ requirement }) => requirement === 'create-malformed-body',
  },
  500: {
    // body['name'] of a missing key, or the constraint of a column.
    incomplete: ({ id }) => id.startsWith('without-'),
    // A parser that throws, and nobody catches.
    'that-is-no-JSON': ({ id }) => ['empty', 'broken', 'form'].includes(id),
    // body.name of null; body.get of anything but an object.
    'of-null': ({ id }) => id === 'null',
    'that-is-no-object': ({ id }) => ['array', 'string', 'null', 'number'].includes(id),
    // name.trim().
    'with-a-name-null': ({ id }) => id === 'name-null',
    'with-a-name-of-another-type': ({ id }) => id.startsWith('name-'),
    // BigInt(categoryId), int(categoryId), the type of a column.
    'with-a-categoryId-null': ({ id }) => id === 'categoryId-null',
    'with-a-categoryId-text': ({ id }) => id === 'categoryId-text',
    'with-a-fractional-categoryId': ({ id }) => id === 'categoryId-fraction',
    'with-a-categoryId-beyond-int64': ({ id }) => id === 'categoryId-beyond-int64' || id === 'categoryId-1e300',
    'with-a-categoryId-of-another-type': ({ id }) => /^categoryId-(text|null|boolean|array)$/.test(id),
    // PetStatus.valueOf(status), status.toLowerCase(), status in a set of strings.
    'with-an-unknown-status': ({ id }) => /^status-(unknown|upper-case|empty)$/.test(id),
    'with-a-status-null': ({ id }) => id === 'status-null',
    'with-a-status-of-another-type': ({ id }) => /^status-(null|number|boolean|array)$/.test(id),
    'with-a-status-in-an-array': ({ id }) => id === 'status-array',
  },
};

/** The stored animal keeps the mark of the body, like a row that is written before it is validated. */
const storedThough = [
  'without-name',
  'without-categoryId',
  'status-unknown',
  'categoryId-text',
  'name-number',
  'array',
];

function refusedIf(matches: (pet: JsonObject) => boolean, status = 400): Wrap {
  return answerError(status, (call, answer) => answer.status === 201 && matches(sentPet(call)));
}

const lacksStatus = (pet: JsonObject): boolean => pet['status'] === undefined;

const answersWith = (change: Partial<StoreResponse>): Wrap => changeCreation((answer) => ({ ...answer, ...change }));

const hasEncoding = (call: Call): boolean =>
  call.operation === 'createPet' &&
  call.isAuthorized &&
  /charset/.test(requestHeader(call.request, 'content-type') ?? '');

export const creationFaults: readonly Fault[] = [
  ...accepted(ordinary, kinds),
  ...accepted(rare, rareKinds),
  ...([422, 500] as const).flatMap((status) => [
    ...Object.entries(alike[status]).flatMap(([id, isAlike]) => answering(ordinary, id, status, kinds.filter(isAlike))),
    // A single kind that is answered otherwise than its neighbours.
    ...kinds.flatMap((kind) => answering(rare, kind.id, status, [kind])),
  ]),
  ...ordinaryEach('create-refused-stores-nothing', 'body-*-refused-yet-stored', storedThough, (id) =>
    store(
      (call, status) => status === 400 && kinds.some((kind) => kind.id === id && isKind(kind, call)),
      'the refusal',
    ),
  ),
  ...ordinaryEach('create-answer', 'creation-answers-*', [200, 202, 204, 301, 500], (status) =>
    answersWith({ status }),
  ),
  ...ordinary('create-answer', {
    'creation-answers-array': changeCreation((answer) => ({ ...answer, body: `[${answer.body}]` })),
    'creation-answers-null': answersWith({ body: 'null' }),
    'creation-answers-true': answersWith({ body: 'true' }),
    'creation-answers-wrapped': changeCreation((answer) => ({ ...answer, body: `{"data":${answer.body}}` })),
    'creation-answers-an-error': changeCreation((answer) => ({ ...errorAnswer(500, answer), status: 201 })),
    'creation-needs-a-status': refusedIf(lacksStatus),
    'creation-needs-a-status-else-422': refusedIf(lacksStatus, 422),
  }),
  ...ordinary(['create-answer', 'pet-id'], { 'creation-answers-id-only': answersWith({ body: '1' }) }),
  // Any creation may be refused, but a refused one must not be stored.
  ...rareEach('create-refused-stores-nothing', 'creation-answers-*', [403, 404, 409, 413, 422], (status) =>
    answersWith({ status }),
  ),
  ...rareEach('create-answer', 'creation-refuses-*', petStatuses, (status) =>
    refusedIf((pet) => pet['status'] === status),
  ),
  ...rareEach('create-answer', 'creation-refuses-*-with-409', petStatuses, (status) =>
    refusedIf((pet) => pet['status'] === status, 409),
  ),
  ...rare('create-answer', {
    'creation-refuses-hyphens-without-status': refusedIf((pet) => lacksStatus(pet) && nameOf(pet).includes('-')),
    'creation-of-a-namesake-answers-500': (handle, keys) => {
      const names = new Set<JsonValue | undefined>();
      return changeCreation((answer, call) => {
        const { name } = sentPet(call);
        if (names.has(name)) return errorAnswer(500, answer);
        names.add(name);
        return undefined;
      })(handle, keys);
    },
  }),
  ...rare(['create-invalid-values', 'errors-listed'], {
    'category-of-a-billion-digits-answers-500': answerError(
      500,
      (call) => call.operation === 'createPet' && call.isAuthorized && /\de\d{7,}/.test(sentBody(call)),
    ),
  }),
  ...rare(['create-malformed-body', 'create-invalid-values', 'create-required-fields'], {
    'body-with-a-charset-skips-the-validation': store((call, status) => status === 400 && hasEncoding(call), 'the 201'),
    'body-with-a-charset-breaks-the-server': answerError(500, hasEncoding),
  }),
  ...rare(['create-invalid-values', 'create-required-fields', 'create-malformed-body'], {
    'invalid-bodies-answered-like-a-quota-that-is-used-up': layers(
      quotaOf(12, 409),
      answerError(409, ({ operation }, { status }) => operation === 'createPet' && status === 400),
    ),
  }),
  ...exhausting(
    ...rare('create-refused-stores-nothing', {
      'excess-stored-though-refused': (handle, keys) =>
        changeAnswer(
          (_answer, { request, now }) => {
            handle(withKey(request, keys.api), now);
            return undefined;
          },
          ({ operation }, { status }) => status === 429 && operation === 'createPet',
        )(handle, keys),
    }),
  ),
  ...writingFaults,
  ...drawnCreationFaults,
];
