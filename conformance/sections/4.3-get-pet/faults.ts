/** Faults of §4.3: animals that are not found, and ids that find an animal although none has them. */

import { isPetStatus } from '../../../reference-server/index.ts';
import { isInt64, isJsonObject, type JsonValue, readJson, writeJson } from '../../http/json.ts';
import { isRead, lagging } from '../4.1-list-pets/visibility-changes.ts';
import {
  breaking,
  changeAnimals,
  changeAnswer,
  changeJson,
  changeRequest,
  errorAnswer,
  type Fault,
  type FaultDraft,
  mapField,
  ordinaryExcept,
  sentJson,
  type Wrap,
  withBody,
  withTarget,
} from '../fault.ts';

function onFound(id: string, status: number): FaultDraft {
  return {
    id,
    breaks: ['get-answer', 'get-until-removal'],
    wrap: changeAnswer((answer, { operation }) =>
      operation === 'getPet' && answer.status === 200 ? { ...answer, status } : undefined,
    ),
  };
}

function onMissing(id: string, change: Parameters<typeof changeAnswer>[0]): FaultDraft {
  return {
    id,
    breaks: ['get-not-found', 'error-shape', 'service-json', 'errors-listed'],
    wrap: changeAnswer((answer, call) =>
      call.operation === 'getPet' &&
      call.isAuthorized &&
      answer.status === 404 &&
      /\/-?\d{1,19}$/.test(call.request.target)
        ? change(answer, call)
        : undefined,
    ),
  };
}

/** Reads another id than the requested one. */
function readAs(change: (id: bigint) => bigint): FaultDraft['wrap'] {
  return changeRequest((request, { operation }) => {
    const segment = request.target.slice('/v1/pets/'.length);
    if (operation !== 'getPet' || !/^-?\d+$/.test(segment)) return request;
    return withTarget(request, `/v1/pets/${change(BigInt(segment))}`);
  });
}

/** Reads another path segment than the requested one; with a valid key only. */
function readSegmentAs(change: (segment: string) => string): FaultDraft['wrap'] {
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
    const other = names.get(id === 1n ? 2n : 1n);
    return operation === 'getPet' && (id === 1n || id === 2n) && other !== undefined
      ? { ...json, name: other }
      : undefined;
  })(handle);
};

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
    'read-answers-array': changeJson((json, { operation }, { status }) =>
      operation === 'getPet' && status === 200 ? [json] : undefined,
    ),
    'read-answers-null': changeJson((_json, { operation }, { status }) =>
      operation === 'getPet' && status === 200 ? null : undefined,
    ),
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
    'read-loses-long-names': changeAnswer((answer, { operation }) => {
      const reading = readJson(answer.body);
      const pet = 'value' in reading && isJsonObject(reading.value) ? reading.value : {};
      const isLong = operation === 'getPet' && isInt64(pet['id']) && String(pet['name']).length > 100;
      return isLong ? errorAnswer(404, answer) : undefined;
    }),
  }),
  ...[201, 204, 301, 403, 404, 410, 500].map((status) => onFound(`read-answers-${status}`, status)),
  onMissing('unknown-answers-an-animal', (answer) => ({ ...answer, status: 200, body: animal })),
  onMissing('unknown-answers-that-id', (answer, { request }) => ({
    ...answer,
    status: 200,
    body: animal.replace('1', request.target.slice('/v1/pets/'.length)),
  })),
  onMissing('unknown-answers-null', (answer) => ({ ...answer, status: 200, body: 'null' })),
  onMissing('unknown-answers-empty-object', (answer) => ({ ...answer, status: 200, body: '{}' })),
  onMissing('unknown-answers-no-content', (answer) => ({ ...answer, status: 204, body: '' })),
  onMissing('unknown-answers-400', (answer) => errorAnswer(400, answer)),
  onMissing('unknown-answers-403', (answer) => errorAnswer(403, answer)),
  onMissing('unknown-answers-410', (answer) => errorAnswer(410, answer)),
  onMissing('unknown-answers-500', (answer) => errorAnswer(500, answer)),
  onMissing('unknown-answers-without-body', (answer) => ({ ...answer, body: '' })),
  onMissing('unknown-answers-text', (answer) => ({ ...answer, body: 'not found' })),
  onMissing('unknown-answers-array', (answer) => ({ ...answer, body: '[]' })),
  ...breaking('get-not-found', {
    'read-cuts-id-to-32-bits': readAs((id) => (id > 0n ? BigInt.asUintN(32, id) : id)),
    'read-ignores-the-sign': readAs((id) => (id < 0n ? -id : id)),
  }),
  { id: 'read-one-off', breaks: ['get-answer', 'get-not-found', 'get-until-removal'], wrap: readAs((id) => id + 1n) },
  ...breaking(['get-answer', 'get-not-found'], {
    'read-finds-the-first-animal-always': readAs(() => 1n),
  }),
  ...(['abc', '1.5', '9223372036854775808', 'null'] as const).flatMap((segment): readonly FaultDraft[] =>
    breaking('get-id-not-int64', {
      [`pet-id-${segment}-answers-an-animal`]: changeAnswer((answer, { request, isAuthorized }) =>
        isAuthorized && request.target === `/v1/pets/${segment}` ? { ...answer, status: 200, body: animal } : undefined,
      ),
    }),
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
    'read-takes-the-digits-in-front': changeRequest((request, { operation, isAuthorized }) => {
      const digits = /^\/v1\/pets\/(\d+)/.exec(request.target)?.[0];
      return operation === 'getPet' && isAuthorized && digits !== undefined ? withTarget(request, digits) : request;
    }),
  }),
  ...Object.entries(carelessIds).map(
    ([id, read]): FaultDraft => ({ id: `pet-id-${id}`, breaks: ['get-id-not-int64'], wrap: readSegmentAs(read) }),
  ),
];

export const readFaults: readonly Fault[] = ordinaryExcept(
  [
    ...[201, 204, 301, 403].map((status) => `read-answers-${status}`),
    'read-ignores-the-sign',
    'read-exchanges-names',
    'read-not-found-at-first',
    'read-twice-not-found',
    'read-loses-the-first-late',
    'read-loses-long-names',
    ...['abc', '1.5', '9223372036854775808', 'null'].map((petId) => `pet-id-${petId}-answers-an-animal`),
    'pet-id-wrapped-at-63-bits',
  ],
  ...reads,
);
