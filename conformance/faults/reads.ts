/** Faults of §4.3: animals that are not found, and ids that find an animal although none has them. */

import { isPetStatus, type StoreResponse } from '../../reference-server/index.ts';
import { petStatuses } from '../../spec/operations.ts';
import { isInt64, isJsonObject, type JsonObject, type JsonValue, readJson, writeJson } from '../http/json.ts';
import { isRead, lagging } from '../services/visibility-changes.ts';
import {
  type Call,
  changeAnimals,
  changeAnswer,
  changeJson,
  changeRequest,
  changeServed,
  errorAnswer,
  mapField,
  nameOf,
  sentJson,
  type Wrap,
  withBody,
  withTarget,
} from '../services/wraps.ts';
import { type Fault, ordinary, ordinaryEach, rare, rareEach } from './fault.ts';
import { nowAndThen } from './versioning.ts';

/** Changes the answers to reads of an animal that no one has, by an id of plain digits. */
function onMissing(change: (answer: StoreResponse, call: Call) => StoreResponse): Wrap {
  return changeAnswer(change, ({ operation, request, isAuthorized }, { status }) => {
    return operation === 'getPet' && /\/-?\d{1,19}$/.test(request.target) && isAuthorized && status === 404;
  });
}

const missingAnswers = (change: Partial<StoreResponse>): Wrap => onMissing((answer) => ({ ...answer, ...change }));
const readAnswers = (change: Partial<StoreResponse>): Wrap =>
  changeServed('getPet', (answer) => ({ ...answer, ...change }));

function readAs(change: (id: bigint) => bigint): Wrap {
  return changeRequest((request, { operation }) => {
    const segment = request.target.slice('/v1/pets/'.length);
    if (operation !== 'getPet' || !/^-?\d+$/.test(segment)) return request;
    return withTarget(request, `/v1/pets/${change(BigInt(segment))}`);
  });
}

/** Reads another path segment than the requested one; with a valid key only. */
function readSegmentAs(change: (segment: string) => string): Wrap {
  return changeRequest((request, { operation, isAuthorized }) => {
    const segment = request.target.slice('/v1/pets/'.length);
    return operation === 'getPet' && isAuthorized ? withTarget(request, `/v1/pets/${change(segment)}`) : request;
  });
}

const carelessIds: Readonly<Record<string, (segment: string) => string>> = {
  'of-other-characters-as-1': (segment) => (/^-?\d+$/.test(segment) ? segment : '1'),
  'beyond-int64-as-1': (segment) => (/^-?\d+$/.test(segment) && !isInt64(BigInt(segment)) ? '1' : segment),
  'without-what-follows-the-digits': (segment) => /^-?\d+/.exec(segment)?.[0] ?? segment,
  'without-what-is-no-digit': (segment) => segment.replace(/[^\d-]/g, '') || segment,
  'without-a-fraction': (segment) => segment.replace(/\..*$/, ''),
  'wrapped-at-64-bits': (segment) => (/^\d+$/.test(segment) ? String(BigInt.asIntN(64, BigInt(segment))) : segment),
};

/** Marks behind an id that few services cut off or read up to. */
const markedIds: Readonly<Record<string, (segment: string) => string>> = {
  'without-stars-behind': (segment) => segment.replace(/\*+$/, ''),
  'without-an-at-and-more': (segment) => segment.split('@')[0]!,
  'without-what-follows-an-ampersand': (segment) => segment.split('&')[0]!,
  'without-an-escaped-fragment': (segment) => segment.split('%23')[0]!,
};

const animal = '{"id":1,"name":"Rex","categoryId":1,"status":"available"}';

/** Shows each of the first two animals with the name of the other. */
const exchangesNames: Wrap = (handle, keys) => {
  const names = new Map<JsonValue | undefined, JsonValue>();
  return changeJson((json, { operation }, { status }) => {
    if (!isJsonObject(json) || status >= 300) return undefined;
    const { id, name = null } = json;
    if (operation === 'createPet') names.set(id, name);
    const other = id === 1n || id === 2n ? names.get(3n - id) : undefined;
    return operation === 'getPet' && other !== undefined ? { ...json, name: other } : undefined;
  })(handle, keys);
};

function losing(matches: (pet: JsonObject) => boolean): Wrap {
  return changeServed('getPet', (answer) => {
    const reading = readJson(answer.body);
    const isLost = 'value' in reading && isJsonObject(reading.value) && matches(reading.value);
    return isLost ? errorAnswer(404, answer) : undefined;
  });
}

const found = (id: string): Wrap =>
  changeAnswer((answer, { request, isAuthorized }) =>
    isAuthorized && request.target === `/v1/pets/${id}` ? { ...answer, status: 200, body: animal } : undefined,
  );

export const readFaults: readonly Fault[] = [
  ...ordinary(['get-answer', 'list-complete', 'list-limit-default', 'get-until-removal'], {
    'creation-not-stored': (handle) => {
      let created = 0n;
      return (request, now) => {
        const isCreation = request.method === 'POST' && request.target === '/v1/pets';
        // An empty body has the server check everything but the animal, so that it stores none.
        const answer = isCreation ? handle(withBody(request, ''), now) : handle(request, now);
        const pet = isCreation && answer.status === 400 ? sentJson({ request }) : undefined;
        if (!isJsonObject(pet) || typeof pet['name'] !== 'string' || !isInt64(pet['categoryId'])) return answer;
        if (pet['status'] !== undefined && !isPetStatus(pet['status'])) return answer;
        created += 1n;
        return { ...answer, status: 201, body: writeJson({ ...pet, id: created }) };
      };
    },
  }),
  ...ordinary('get-answer', {
    'id-other-on-getPet': changeAnimals(
      mapField('id', (id) => (typeof id === 'bigint' ? id + 1n : id)),
      'getPet',
    ),
    'read-answers-array': changeServed('getPet', (answer) => ({ ...answer, body: `[${answer.body}]` })),
    'read-answers-null': readAnswers({ body: 'null' }),
    'read-answers-an-error': changeServed('getPet', (answer) => ({ ...errorAnswer(404, answer), status: 200 })),
  }),
  ...rareEach('get-answer', 'read-empties-*', petStatuses, (status) =>
    changeServed('getPet', (answer) =>
      answer.body.includes(`"status":"${status}"`) ? { ...answer, body: '{}' } : undefined,
    ),
  ),
  ...rare('get-answer', {
    'read-exchanges-names': exchangesNames,
    'read-twice-not-found': (handle, keys) => {
      let last = '';
      return changeAnswer((answer, { operation, request }) => {
        const isAgain = operation === 'getPet' && answer.status === 200 && last === request.target;
        last = request.target;
        return isAgain ? errorAnswer(404, answer) : undefined;
      })(handle, keys);
    },
    'read-loses-the-first-late': changeAnswer((answer, { request }, count) =>
      count > 150 && request.target === '/v1/pets/1' && answer.status === 200 ? errorAnswer(404, answer) : undefined,
    ),
    'read-forbidden-now-and-then': nowAndThen(403, 5),
    'read-loses-long-names': losing((pet) => nameOf(pet).length > 100),
    'read-loses-negative-categories-of-two-bytes': losing(
      ({ categoryId }) => typeof categoryId === 'bigint' && categoryId < 0n && categoryId > -(2n ** 16n),
    ),
  }),
  ...ordinaryEach(['get-answer', 'get-until-removal'], 'read-answers-*', [404, 410, 500], (status) =>
    readAnswers({ status }),
  ),
  ...rareEach(['get-answer', 'get-until-removal'], 'read-answers-*', [201, 204, 301, 403], (status) =>
    readAnswers({ status }),
  ),
  ...ordinary(['get-not-found', 'error-shape', 'service-json', 'errors-listed'], {
    'unknown-answers-an-animal': missingAnswers({ status: 200, body: animal }),
    'unknown-answers-that-id': onMissing((answer, { request }) => ({
      ...answer,
      status: 200,
      body: animal.replace('1', request.target.slice('/v1/pets/'.length)),
    })),
    'unknown-answers-null': missingAnswers({ status: 200, body: 'null' }),
    'unknown-answers-empty-object': missingAnswers({ status: 200, body: '{}' }),
    'unknown-answers-no-content': missingAnswers({ status: 204, body: '' }),
    'unknown-answers-400': onMissing((answer) => errorAnswer(400, answer)),
    'unknown-answers-403': onMissing((answer) => errorAnswer(403, answer)),
    'unknown-answers-410': onMissing((answer) => errorAnswer(410, answer)),
    'unknown-answers-500': onMissing((answer) => errorAnswer(500, answer)),
    'unknown-answers-without-body': missingAnswers({ body: '' }),
    'unknown-answers-text': missingAnswers({ body: 'not found' }),
    'unknown-answers-array': missingAnswers({ body: '[]' }),
  }),
  ...ordinary('get-not-found', {
    'read-cuts-id-to-32-bits': readAs((id) => BigInt.asIntN(32, id)),
  }),
  ...rare('get-not-found', { 'read-ignores-the-sign': readAs((id) => (id < 0n ? -id : id)) }),
  ...ordinary(['get-answer', 'get-not-found', 'get-until-removal'], { 'read-one-off': readAs((id) => id + 1n) }),
  ...ordinary(['get-answer', 'get-not-found'], { 'read-finds-the-first-animal-always': readAs(() => 1n) }),
  ...rareEach(
    'get-id-not-int64',
    'pet-id-*-answers-an-animal',
    ['abc', '1.5', '9223372036854775808', 'null', 'latest'],
    found,
  ),
  ...rare(['get-answer', 'get-until-removal'], {
    'read-not-found-at-first': (handle, keys) => {
      const asked = new Set<string>();
      return changeAnswer((answer, { operation, request }) => {
        if (operation !== 'getPet' || answer.status !== 200 || asked.has(request.target)) return undefined;
        asked.add(request.target);
        return errorAnswer(404, answer);
      })(handle, keys);
    },
  }),
  ...ordinary(['get-answer', 'get-until-removal'], { 'read-lags-ten-minutes': lagging(600_000, isRead) }),
  ...ordinary('get-id-not-int64', {
    'read-takes-the-digits-in-front': readSegmentAs((segment) => /^\d+/.exec(segment)?.[0] ?? segment),
  }),
  ...ordinaryEach('get-id-not-int64', 'pet-id-*', carelessIds, readSegmentAs),
  ...rareEach('get-id-not-int64', 'pet-id-*', markedIds, readSegmentAs),
  ...rare('get-id-not-int64', {
    'pet-id-wrapped-at-63-bits': readSegmentAs((segment) =>
      /^\d+$/.test(segment) ? String(BigInt.asUintN(63, BigInt(segment))) : segment,
    ),
  }),
];
