/** Faults of §4.3: animals that are not found, and ids that find an animal although none has them. */

import { isPetStatus, type StoreResponse } from '../../../reference-server/index.ts';
import { isInt64, isJsonObject, type JsonObject, type JsonValue, readJson, writeJson } from '../../http/json.ts';
import { isRead, lagging } from '../4.1-list-pets/visibility-changes.ts';
import { nowAndThen } from '../9-versioning/faults.ts';
import {
  breaking,
  breakingEach,
  type Call,
  changeAnimals,
  changeAnswer,
  changeJson,
  changeRequest,
  changeServed,
  errorAnswer,
  type Fault,
  type FaultDraft,
  mapField,
  nameOf,
  ordinaryExcept,
  sentJson,
  type Wrap,
  withBody,
  withTarget,
} from '../fault.ts';

/** Changes the answers to reads of an animal that no one has, by an id of plain digits. */
function onMissing(change: (answer: StoreResponse, call: Call) => StoreResponse): Wrap {
  return changeAnswer((answer, call) => {
    const isPlain = call.operation === 'getPet' && /\/-?\d{1,19}$/.test(call.request.target);
    return isPlain && call.isAuthorized && answer.status === 404 ? change(answer, call) : undefined;
  });
}

/** Reads another id than the requested one. */
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

/** How careless parsers read a path segment. */
const carelessIds: Readonly<Record<string, (segment: string) => string>> = {
  'of-other-characters-as-1': (segment) => (/^-?\d+$/.test(segment) ? segment : '1'),
  'beyond-int64-as-1': (segment) => (/^-?\d+$/.test(segment) && !isInt64(BigInt(segment)) ? '1' : segment),
  'without-what-follows-the-digits': (segment) => /^-?\d+/.exec(segment)?.[0] ?? segment,
  'without-what-is-no-digit': (segment) => segment.replace(/[^\d-]/g, '') || segment,
  'without-an-extension': (segment) => segment.replace(/\.[a-z]+$/, ''),
  'without-a-fraction': (segment) => segment.replace(/\..*$/, ''),
  'wrapped-at-64-bits': (segment) => (/^\d+$/.test(segment) ? String(BigInt.asIntN(64, BigInt(segment))) : segment),
  'wrapped-at-63-bits': (segment) => (/^\d+$/.test(segment) ? String(BigInt.asUintN(63, BigInt(segment))) : segment),
};

const animal = '{"id":1,"name":"Rex","categoryId":1,"status":"available"}';

/** Shows each of the first two animals with the name of the other. */
const exchangesNames: Wrap = (handle) => {
  const names = new Map<JsonValue | undefined, JsonValue>();
  return changeJson((json, { operation }, { status }) => {
    if (!isJsonObject(json) || status >= 300) return undefined;
    const { id, name = null } = json;
    if (operation === 'createPet') names.set(id, name);
    const other = id === 1n || id === 2n ? names.get(3n - id) : undefined;
    return operation === 'getPet' && other !== undefined ? { ...json, name: other } : undefined;
  })(handle);
};

/** Finds no animal that matches. */
function losing(matches: (pet: JsonObject) => boolean): Wrap {
  return changeServed('getPet', (answer) => {
    const reading = readJson(answer.body);
    const isLost = 'value' in reading && isJsonObject(reading.value) && matches(reading.value);
    return isLost ? errorAnswer(404, answer) : undefined;
  });
}

const reads: readonly FaultDraft[] = [
  ...breaking(['get-answer', 'list-complete', 'list-limit-default', 'get-until-removal'], {
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
  ...breaking('get-answer', {
    'id-other-on-getPet': changeAnimals(
      mapField('id', (id) => (typeof id === 'bigint' ? id + 1n : id)),
      'getPet',
    ),
    'read-exchanges-names': exchangesNames,
    'read-answers-array': changeServed('getPet', (answer) => ({ ...answer, body: `[${answer.body}]` })),
    'read-answers-null': changeServed('getPet', (answer) => ({ ...answer, body: 'null' })),
    'read-twice-not-found': (handle) => {
      let last = '';
      return changeAnswer((answer, { operation, request }) => {
        const isAgain = operation === 'getPet' && answer.status === 200 && last === request.target;
        last = request.target;
        return isAgain ? errorAnswer(404, answer) : undefined;
      })(handle);
    },
    'read-loses-the-first-late': (handle) => {
      let requests = 0;
      return changeAnswer((answer, { request }) => {
        requests += 1;
        return requests > 150 && request.target === '/v1/pets/1' && answer.status === 200
          ? errorAnswer(404, answer)
          : undefined;
      })(handle);
    },
    'read-forbidden-now-and-then': nowAndThen(403, 5),
    'read-loses-long-names': losing((pet) => nameOf(pet).length > 100),
    'read-loses-negative-categories-of-two-bytes': losing(
      ({ categoryId }) => typeof categoryId === 'bigint' && categoryId < 0n && categoryId > -(2n ** 16n),
    ),
  }),
  ...breakingEach(
    ['get-answer', 'get-until-removal'],
    'read-answers-*',
    [201, 204, 301, 403, 404, 410, 500],
    (status) => changeServed('getPet', (answer) => ({ ...answer, status })),
  ),
  ...breaking(['get-not-found', 'error-shape', 'service-json', 'errors-listed'], {
    'unknown-answers-an-animal': onMissing((answer) => ({ ...answer, status: 200, body: animal })),
    'unknown-answers-that-id': onMissing((answer, { request }) => ({
      ...answer,
      status: 200,
      body: animal.replace('1', request.target.slice('/v1/pets/'.length)),
    })),
    'unknown-answers-null': onMissing((answer) => ({ ...answer, status: 200, body: 'null' })),
    'unknown-answers-empty-object': onMissing((answer) => ({ ...answer, status: 200, body: '{}' })),
    'unknown-answers-no-content': onMissing((answer) => ({ ...answer, status: 204, body: '' })),
    'unknown-answers-400': onMissing((answer) => errorAnswer(400, answer)),
    'unknown-answers-403': onMissing((answer) => errorAnswer(403, answer)),
    'unknown-answers-410': onMissing((answer) => errorAnswer(410, answer)),
    'unknown-answers-500': onMissing((answer) => errorAnswer(500, answer)),
    'unknown-answers-without-body': onMissing((answer) => ({ ...answer, body: '' })),
    'unknown-answers-text': onMissing((answer) => ({ ...answer, body: 'not found' })),
    'unknown-answers-array': onMissing((answer) => ({ ...answer, body: '[]' })),
  }),
  ...breaking('get-not-found', {
    'read-cuts-id-to-32-bits': readAs((id) => (id > 0n ? BigInt.asUintN(32, id) : id)),
    'read-ignores-the-sign': readAs((id) => (id < 0n ? -id : id)),
  }),
  { id: 'read-one-off', breaks: ['get-answer', 'get-not-found', 'get-until-removal'], wrap: readAs((id) => id + 1n) },
  ...breaking(['get-answer', 'get-not-found'], {
    'read-finds-the-first-animal-always': readAs(() => 1n),
  }),
  ...breakingEach(
    'get-id-not-int64',
    'pet-id-*-answers-an-animal',
    ['abc', '1.5', '9223372036854775808', 'null'],
    (id) =>
      changeAnswer((answer, { request, isAuthorized }) =>
        isAuthorized && request.target === `/v1/pets/${id}` ? { ...answer, status: 200, body: animal } : undefined,
      ),
  ),
  ...breaking(['get-answer', 'get-until-removal'], {
    'read-not-found-at-first': (handle) => {
      const asked = new Set<string>();
      return changeAnswer((answer, { operation, request }) => {
        if (operation !== 'getPet' || answer.status !== 200 || asked.has(request.target)) return undefined;
        asked.add(request.target);
        return errorAnswer(404, answer);
      })(handle);
    },
    'read-lags-ten-minutes': lagging(600_000, isRead),
  }),
  ...breaking('get-id-not-int64', {
    'read-takes-the-digits-in-front': readSegmentAs((segment) => /^\d+/.exec(segment)?.[0] ?? segment),
  }),
  ...breakingEach('get-id-not-int64', 'pet-id-*', carelessIds, readSegmentAs),
];

export const readFaults: readonly Fault[] = ordinaryExcept(
  [
    ...[201, 204, 301, 403].map((status) => `read-answers-${status}`),
    'read-ignores-the-sign',
    'read-exchanges-names',
    'read-not-found-at-first',
    'read-twice-not-found',
    'read-loses-the-first-late',
    'read-forbidden-now-and-then',
    'read-loses-long-names',
    'read-loses-negative-categories-of-two-bytes',
    ...['abc', '1.5', '9223372036854775808', 'null'].map((petId) => `pet-id-${petId}-answers-an-animal`),
    'pet-id-wrapped-at-63-bits',
  ],
  ...reads,
);
