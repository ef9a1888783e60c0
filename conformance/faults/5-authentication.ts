/** Faults of §5: keys that are not asked for, not compared, or taken from the wrong place. */

import type { StoreRequest } from '../../reference-server/index.ts';
import type { RequirementId } from '../../spec/requirements.ts';
import {
  apiKey,
  type Call,
  changeAnswer,
  errorAnswer,
  type Fault,
  headerOf,
  type Place,
  places,
  readCall,
  withKey,
  withTarget,
} from './fault.ts';

/** A server that takes more for its key than it should. */
function accepting(
  id: string,
  requirement: RequirementId,
  accepts: (request: StoreRequest, call: Call) => boolean,
): Fault {
  return {
    id,
    breaks: [requirement],
    wrap: (handle) => (request, now) => {
      const call = readCall(request, now);
      if (call.isAuthorized || call.operation === 'other' || !accepts(request, call)) return handle(request, now);
      const query = new URLSearchParams(call.query);
      for (const name of ['api_key', 'access_token', 'key', 'token']) query.delete(name);
      const [path = ''] = request.target.split('?');
      return handle(withKey(withTarget(request, query.size === 0 ? path : `${path}?${query}`)), now);
    },
  };
}

function bearerOf(request: StoreRequest): string | undefined {
  return /^Bearer (.*)$/.exec(headerOf(request, 'authorization') ?? '')?.[1];
}

function hasToken(matches: (token: string) => boolean): (request: StoreRequest) => boolean {
  return (request) => {
    const token = bearerOf(request);
    return token !== undefined && token !== '' && matches(token);
  };
}

function basicOf(request: StoreRequest): string {
  const encoded = /^Basic (.*)$/.exec(headerOf(request, 'authorization') ?? '')?.[1] ?? '';
  return Buffer.from(encoded, 'base64').toString();
}

const wrongKeys: readonly Fault[] = [
  accepting(
    'key-never-compared',
    'auth-invalid-key',
    hasToken(() => true),
  ),
  accepting(
    'key-compared-by-prefix',
    'auth-invalid-key',
    hasToken((token) => apiKey.startsWith(token)),
  ),
  accepting(
    'key-compared-by-suffix',
    'auth-invalid-key',
    hasToken((token) => apiKey.endsWith(token)),
  ),
  accepting(
    'key-compared-by-start',
    'auth-invalid-key',
    hasToken((token) => token.startsWith(apiKey)),
  ),
  accepting(
    'key-compared-by-first-eight',
    'auth-invalid-key',
    hasToken((token) => token.slice(0, 8) === apiKey.slice(0, 8)),
  ),
  accepting(
    'key-compared-but-for-its-end',
    'auth-invalid-key',
    hasToken((token) => token.slice(0, -1) === apiKey.slice(0, -1)),
  ),
  accepting(
    'key-compared-without-case',
    'auth-invalid-key',
    hasToken((token) => token.toLowerCase() === apiKey.toLowerCase()),
  ),
  accepting(
    'key-compared-by-length',
    'auth-invalid-key',
    hasToken((token) => token.length === apiKey.length),
  ),
  accepting(
    'key-contained',
    'auth-invalid-key',
    hasToken((token) => token.includes(apiKey) || apiKey.includes(token)),
  ),
  accepting(
    'key-null-accepted',
    'auth-invalid-key',
    hasToken((token) => token === 'null' || token === 'undefined'),
  ),
  accepting('key-in-x-api-key', 'auth-bearer-header', (request) => headerOf(request, 'x-api-key') === apiKey),
  accepting('key-without-scheme', 'auth-bearer-header', (request) => headerOf(request, 'authorization') === apiKey),
  accepting('key-with-any-scheme', 'auth-bearer-header', (request) => {
    const value = headerOf(request, 'authorization') ?? '';
    return value.endsWith(` ${apiKey}`) && !value.startsWith('bearer');
  }),
  accepting('key-as-basic-user', 'auth-bearer-header', (request) => basicOf(request).startsWith(apiKey)),
  accepting('key-as-basic-password', 'auth-bearer-header', (request) => basicOf(request).endsWith(`:${apiKey}`)),
  accepting('key-in-query', 'auth-bearer-header', (_request, { query }) => query.get('api_key') === apiKey),
  accepting(
    'key-in-query-of-listings',
    'auth-bearer-header',
    (_request, { operation, query }) => operation === 'listPets' && query.get('key') === apiKey,
  ),
  accepting('token-in-query', 'auth-bearer-header', (_request, { query }) => query.get('access_token') === apiKey),
  ...['api-key', 'x-auth-token', 'x-authorization'].map((name) =>
    accepting(`key-in-${name}`, 'auth-bearer-header', (request) => headerOf(request, name) === apiKey),
  ),
  ...['key', 'token'].map((name) =>
    accepting(`key-as-${name}-in-query`, 'auth-bearer-header', (_request, { query }) => query.get(name) === apiKey),
  ),
  accepting('key-in-session-cookie', 'auth-bearer-header', (request) =>
    (headerOf(request, 'cookie') ?? '').split('; ').includes(`session=${apiKey}`),
  ),
  accepting('key-in-cookie', 'auth-bearer-header', (request) => (headerOf(request, 'cookie') ?? '').includes(apiKey)),
  accepting(
    'scheme-without-key-accepted',
    'auth-missing-key',
    (request) => headerOf(request, 'authorization') === 'Bearer',
  ),
  accepting('empty-header-accepted', 'auth-missing-key', (request) => headerOf(request, 'authorization') === ''),
];

/** A server that does not ask for a key on one operation. */
function openPlace(place: Place): readonly Fault[] {
  const isMissing = (request: StoreRequest): boolean => headerOf(request, 'authorization') === undefined;
  return [
    accepting(
      `no-key-needed-on-${place}`,
      'auth-missing-key',
      (request, call) => call.operation === place && isMissing(request),
    ),
    accepting(
      `any-key-accepted-on-${place}`,
      'auth-invalid-key',
      (request, call) => call.operation === place && hasToken(() => true)(request),
    ),
  ];
}

/** A server that looks at the request before it looks at the key: the key matters only where it would have succeeded. */
function keyAfter(id: string, place: Place, status: number): Fault {
  return {
    id,
    breaks: ['auth-missing-key', 'auth-invalid-key', 'auth-bearer-header'],
    wrap: (handle) => (request, now) => {
      const call = readCall(request, now);
      if (call.isAuthorized || call.operation !== place) return handle(request, now);
      // Without a body that could be stored: what is valid is refused for its key.
      const isStorable =
        place === 'createPet' && handle(withKey({ ...request, body: new Uint8Array() }), now).status === 400;
      const sent = new TextDecoder().decode(request.body);
      if (isStorable && /"name":"/.test(sent) && /"categoryId":-?\d+[,}]/.test(sent)) return handle(request, now);
      const answer = handle(withKey(request), now);
      return answer.status === status ? answer : handle(request, now);
    },
  };
}

/** A server that knows its clients again by their address. */
const remembered: Fault = {
  id: 'key-remembered-by-address',
  breaks: ['auth-missing-key'],
  wrap: (handle) => {
    const known = new Set<string>();
    return (request, now) => {
      if (readCall(request, now).isAuthorized) known.add(request.address);
      const isMissing = headerOf(request, 'authorization') === undefined;
      return handle(isMissing && known.has(request.address) ? withKey(request) : request, now);
    };
  },
};

const refusalStatus: readonly Fault[] = [400, 403, 404, 302, 200, 500].flatMap((status): readonly Fault[] => [
  {
    id: `missing-key-answers-${status}`,
    breaks: ['auth-missing-key'],
    wrap: changeAnswer((answer, { request }) =>
      answer.status === 401 && headerOf(request, 'authorization') === undefined
        ? errorAnswer(status, answer)
        : undefined,
    ),
  },
  {
    id: `wrong-key-answers-${status}`,
    breaks: ['auth-invalid-key'],
    wrap: changeAnswer((answer, { request }) =>
      answer.status === 401 && bearerOf(request) !== undefined ? errorAnswer(status, answer) : undefined,
    ),
  },
]);

const validRefused: readonly Fault[] = places
  .filter((place) => place !== 'listPets')
  .map(
    (place): Fault => ({
      id: `valid-key-refused-on-${place}`,
      breaks: ['auth-valid-key'],
      wrap: changeAnswer((answer, { operation, isAuthorized }) =>
        operation === place && isAuthorized ? errorAnswer(401, answer) : undefined,
      ),
    }),
  );

const refusedYetStored: readonly Fault[] = (['missing', 'invalid'] as const).map(
  (which): Fault => ({
    id: `${which}-key-refused-yet-stored`,
    breaks: ['auth-refused-stores-nothing'],
    wrap: (handle) => (request, now) => {
      const { operation, isAuthorized } = readCall(request, now);
      const isMissing = headerOf(request, 'authorization') === undefined;
      if (operation === 'createPet' && !isAuthorized && isMissing === (which === 'missing'))
        handle(withKey(request), now);
      return handle(request, now);
    },
  }),
);

export const authenticationFaults: readonly Fault[] = [
  ...wrongKeys,
  ...places.flatMap(openPlace),
  keyAfter('key-checked-after-the-body', 'createPet', 400),
  keyAfter('key-checked-after-the-media-type', 'createPet', 415),
  keyAfter('key-checked-after-the-animal', 'getPet', 404),
  keyAfter('key-checked-after-the-limit', 'listPets', 400),
  remembered,
  ...refusalStatus,
  ...validRefused,
  ...refusedYetStored,
];
