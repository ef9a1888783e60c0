/** Faults of §5: keys that are not required, not compared, or read from the wrong place. */

import type { StoreRequest } from '../../../reference-server/index.ts';
import type { OperationName } from '../../../spec/operations.ts';
import type { RequirementId } from '../../../spec/requirements.ts';
import {
  apiKey,
  breaking,
  type Call,
  changeAnswer,
  errorAnswer,
  type Fault,
  type FaultDraft,
  petOperations as operations,
  ordinary,
  rare,
  readCall,
  requestHeader,
  sentBody,
  withKey,
  withTarget,
} from '../fault.ts';
import { publicCornerFaults } from './public-corner-faults.ts';

/** A server that accepts more than its key. */
function accepting(
  id: string,
  requirement: RequirementId,
  accepts: (request: StoreRequest, call: Call) => boolean,
): FaultDraft {
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
  return /^Bearer (.*)$/.exec(requestHeader(request, 'authorization') ?? '')?.[1];
}

function hasToken(matches: (token: string) => boolean): (request: StoreRequest) => boolean {
  return (request) => {
    const token = bearerOf(request);
    return token !== undefined && token !== '' && matches(token);
  };
}

function basicOf(request: StoreRequest): string {
  const encoded = /^Basic (.*)$/.exec(requestHeader(request, 'authorization') ?? '')?.[1] ?? '';
  return Buffer.from(encoded, 'base64').toString();
}

/** Bearer tokens that are accepted as the key. */
type Tokens = Readonly<Record<string, (token: string) => boolean>>;

const commonTokens: Tokens = {
  'key-never-compared': () => true,
  'key-compared-by-prefix': (token) => apiKey.startsWith(token),
  'key-compared-by-start': (token) => token.startsWith(apiKey),
  'key-compared-by-first-eight': (token) => token.slice(0, 8) === apiKey.slice(0, 8),
  'key-compared-by-length': (token) => token.length === apiKey.length,
  'key-contained': (token) => token.includes(apiKey) || apiKey.includes(token),
  'key-null-accepted': (token) => token === 'null' || token === 'undefined',
};

const rareTokens: Tokens = {
  'key-compared-by-suffix': (token) => apiKey.endsWith(token),
  'key-compared-but-for-its-end': (token) => token.slice(0, -1) === apiKey.slice(0, -1),
  'key-compared-but-for-its-middle': (token) =>
    token.slice(0, 4) === apiKey.slice(0, 4) && token.slice(-4) === apiKey.slice(-4),
  'key-compared-as-a-set': (token) => sorted(token) === sorted(apiKey),
  'key-scattered-in-token': (token) => new RegExp([...apiKey].join('.*')).test(token),
  'key-without-its-dashes-accepted': (token) => token === apiKey.replaceAll('-', ''),
  'key-with-a-slip-accepted': (token) => token.length === apiKey.length && countOfOther(token) <= 1,
  'key-with-two-slips-accepted': (token) => token.length === apiKey.length && countOfOther(token) <= 2,
  'key-with-a-repeated-character-accepted': (token) => collapsed(token) === collapsed(apiKey) && token !== apiKey,
  'key-in-double-quotes-accepted': (token) => token === `"${apiKey}"`,
  'key-in-any-marks-accepted': (token) => token.replace(/^\W+|\W+$/g, '') === apiKey,
  'key-before-marks-accepted': (token) => token.replace(/[^\w-]+$/, '') === apiKey,
  'key-decoded-from-escapes': (token) => decoded(token) === apiKey,
  'key-first-of-several': (token) => token.split(/[,; ]/)[0] === apiKey,
  'key-last-of-several': (token) => token.split(' ').at(-1) === apiKey,
  'key-before-a-comma-accepted': (token) => token.split(',')[0] === apiKey,
  'key-in-one-of-several-credentials': (token) => `Bearer ${token}`.split(/,\s*/).includes(`Bearer ${apiKey}`),
  'key-twice-accepted': (token) => token === `${apiKey} ${apiKey}`,
  'bearer-twice-accepted': (token) => token.replace(/^Bearer /, '') === apiKey,
  'key-in-base64-reversed-or-hashed-accepted': (token) =>
    [Buffer.from(apiKey).toString('base64'), [...apiKey].reverse().join('')].includes(token) ||
    /^[0-9a-f]{32,}$/.test(token),
  'key-put-into-a-query': (token) => /'\s*or\s/i.test(token),
  'key-taken-for-a-pattern': (token) => /[%*?]/.test(token),
};

function sorted(text: string): string {
  return [...text].sort().join('');
}

function collapsed(text: string): string {
  return text.replace(/(.)\1/g, '$1');
}

function decoded(token: string): string {
  return token.replace(/%[0-7][0-9a-f]/gi, decodeURIComponent);
}

/** The number of places at which a token and the key differ. */
function countOfOther(token: string): number {
  return [...token].filter((character, at) => character !== apiKey[at]).length;
}

/** Tokens that differ from the key in letter case only. */
const inOtherCase: Tokens = {
  'key-compared-without-case': (token) => token.toLowerCase() === apiKey.toLowerCase(),
  'key-in-lower-case-accepted': (token) => token === apiKey.toLowerCase(),
};

const bearerFaults = (accepted: Tokens): readonly FaultDraft[] =>
  Object.entries(accepted).map(([id, matches]) => accepting(id, 'auth-invalid-key', hasToken(matches)));

/** Values of the Authorization header that hold the key in another form than §5 states. */
const commonValues: Tokens = {
  'key-without-scheme': (value) => value === apiKey,
  'key-with-any-scheme': (value) => value.endsWith(` ${apiKey}`) && !value.startsWith('bearer'),
  'key-with-scheme-token': (value) => value === `Token ${apiKey}`,
};

const rareValues: Tokens = {
  'key-with-schemes-of-others': (value) => value.replace(/^(Token|ApiKey|Digest|Key) /, '') === apiKey,
  'key-right-behind-bearer': (value) => value === `Bearer${apiKey}`,
  'key-after-bearer-and-a-mark': (value) => /^bearer[,:=]+\s*(.*)$/i.exec(value)?.[1] === apiKey,
  'key-after-bearer-and-a-colon': (value) => value === `Bearer: ${apiKey}`,
  'key-after-bearer-anywhere': (value) => /bearer (\S+)/i.exec(value)?.[1] === apiKey,
};

type Places = Readonly<Record<string, (request: StoreRequest, call: Call) => boolean>>;

function keyInHeaders(...names: readonly string[]): Places {
  return Object.fromEntries(
    names.map((name) => [`key-in-${name}`, (request: StoreRequest) => requestHeader(request, name) === apiKey]),
  );
}

function keyInQuery(...names: readonly string[]): Places {
  return Object.fromEntries(
    names.map((name) => [
      `key-as-${name}-in-query`,
      (_request: StoreRequest, { query }: Call) => query.get(name) === apiKey,
    ]),
  );
}

const commonPlaces: Places = {
  ...keyInHeaders('x-api-key', 'api-key'),
  ...keyInQuery('api_key', 'access_token', 'key'),
};

const rarePlaces: Places = {
  'key-as-basic-user': (request) => basicOf(request).startsWith(apiKey),
  'key-as-basic-password': (request) => basicOf(request).endsWith(`:${apiKey}`),
  'key-in-query-of-listings': (_request, { operation, query }) =>
    operation === 'listPets' && query.get('key') === apiKey,
  'key-in-session-cookie': (request) =>
    (requestHeader(request, 'cookie') ?? '').split('; ').includes(`session=${apiKey}`),
  'key-in-cookie': (request) => (requestHeader(request, 'cookie') ?? '').includes(apiKey),
  'key-in-body': (request) =>
    /"(?:api_key|apiKey|access_token)":\s*"([^"]+)"/.exec(sentBody({ request }))?.[1] === apiKey,
  ...keyInHeaders('x-auth-token', 'x-authorization', 'x-auth-key'),
  ...Object.fromEntries(
    ['x-authorization', 'proxy-authorization', 'x-forwarded-authorization'].map((name) => [
      `bearer-in-${name}`,
      (request: StoreRequest) => requestHeader(request, name) === `Bearer ${apiKey}`,
    ]),
  ),
  ...keyInQuery('token', 'auth'),
};

const placeFaults = (accepted: Places): readonly FaultDraft[] =>
  Object.entries(accepted).map(([id, accepts]) => accepting(id, 'auth-bearer-header', accepts));

const authorizationFaults = (accepted: Tokens): readonly FaultDraft[] =>
  placeFaults(
    Object.fromEntries(
      Object.entries(accepted).map(([id, matches]) => [
        id,
        (request: StoreRequest) => matches(requestHeader(request, 'authorization') ?? ''),
      ]),
    ),
  );

const missingKeys: readonly FaultDraft[] = [
  accepting(
    'scheme-without-key-accepted',
    'auth-missing-key',
    (request) => requestHeader(request, 'authorization') === 'Bearer',
  ),
  accepting('empty-header-accepted', 'auth-missing-key', (request) => requestHeader(request, 'authorization') === ''),
];

/** A server that requires no valid key for one operation. */
function openPlace(place: OperationName): readonly FaultDraft[] {
  const isMissing = (request: StoreRequest): boolean => requestHeader(request, 'authorization') === undefined;
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

/** A server that validates the request before the key: the key matters only for requests that would have succeeded. */
function keyAfter(id: string, place: OperationName, status: number): FaultDraft {
  return {
    id,
    breaks: ['auth-missing-key', 'auth-invalid-key', 'auth-bearer-header'],
    wrap: (handle) => (request, now) => {
      const call = readCall(request, now);
      if (call.isAuthorized || call.operation !== place) return handle(request, now);
      // The body is emptied so that nothing is stored; a valid body is refused for its key.
      const isStorable =
        place === 'createPet' && handle(withKey({ ...request, body: new Uint8Array() }), now).status === 400;
      const sent = new TextDecoder().decode(request.body);
      if (isStorable && /"name":"/.test(sent) && /"categoryId":-?\d+[,}]/.test(sent)) return handle(request, now);
      const answer = handle(withKey(request), now);
      return answer.status === status ? answer : handle(request, now);
    },
  };
}

/** A server that parses the petId before it checks the key. */
const formOfIdsFirst: FaultDraft = {
  id: 'key-checked-after-the-form-of-ids',
  breaks: ['auth-missing-key', 'auth-invalid-key', 'auth-bearer-header'],
  wrap: changeAnswer((answer, { operation, request, isAuthorized }) =>
    operation === 'getPet' && !isAuthorized && !/^\/v1\/pets\/-?\d+$/.test(request.target)
      ? errorAnswer(400, answer)
      : undefined,
  ),
};

/** A server that authenticates later requests by the client's address. */
const remembered: FaultDraft = {
  id: 'key-remembered-by-address',
  breaks: ['auth-missing-key'],
  wrap: (handle) => {
    const known = new Set<string>();
    return (request, now) => {
      if (readCall(request, now).isAuthorized) known.add(request.address);
      const isMissing = requestHeader(request, 'authorization') === undefined;
      return handle(isMissing && known.has(request.address) ? withKey(request) : request, now);
    };
  },
};

const refusalStatus: readonly FaultDraft[] = [400, 403, 404, 302, 200, 500].flatMap((status): readonly FaultDraft[] => [
  ...breaking('auth-missing-key', {
    [`missing-key-answers-${status}`]: changeAnswer((answer, { request }) =>
      answer.status === 401 && requestHeader(request, 'authorization') === undefined
        ? errorAnswer(status, answer)
        : undefined,
    ),
  }),
  ...breaking('auth-invalid-key', {
    [`wrong-key-answers-${status}`]: changeAnswer((answer, { request }) =>
      answer.status === 401 && bearerOf(request) !== undefined ? errorAnswer(status, answer) : undefined,
    ),
  }),
]);

/** Tokens that a careless service does not survive. */
const upsettingTokens: Tokens = {
  'not-ascii': (token) => /[^\x00-\x7f]/.test(token),
  'very-long': (token) => token.length > 1_024,
};

const upset: readonly FaultDraft[] = Object.entries(upsettingTokens).map(([id, upsets]) => ({
  id: `token-${id}-answers-500`,
  breaks: ['auth-invalid-key', 'errors-listed'],
  wrap: changeAnswer((answer, { request }) =>
    answer.status === 401 && upsets(bearerOf(request) ?? '') ? errorAnswer(500, answer) : undefined,
  ),
}));

/** Refusals of the API key that neither its scope nor its expiry explains. */
function refusing(id: string, refuses: (call: Call, count: number) => boolean): FaultDraft {
  return {
    id: `valid-key-refused-${id}`,
    breaks: ['auth-valid-key'],
    wrap: (handle) => {
      let count = 0;
      return (request, now) => {
        const call = readCall(request, now);
        if (call.isAuthorized) count += 1;
        return handle(call.isAuthorized && refuses(call, count) ? withKey(request, 'no-key') : request, now);
      };
    },
  };
}

const validRefused: readonly FaultDraft[] = [
  refusing('now-and-then', (_call, count) => count % 9 === 0),
  refusing('beside-two-parameters', ({ query }) => query.size >= 2),
  refusing('for-animals-that-are-sold', (call) => call.operation === 'createPet' && sentBody(call).includes('"sold"')),
];

const refusedYetStored: readonly FaultDraft[] = (['missing', 'invalid'] as const).map(
  (which): FaultDraft => ({
    id: `${which}-key-refused-yet-stored`,
    breaks: ['auth-refused-stores-nothing'],
    wrap: (handle) => (request, now) => {
      const { operation, isAuthorized } = readCall(request, now);
      const isMissing = requestHeader(request, 'authorization') === undefined;
      if (operation === 'createPet' && !isAuthorized && isMissing === (which === 'missing'))
        handle(withKey(request), now);
      return handle(request, now);
    },
  }),
);

export const authenticationFaults: readonly Fault[] = [
  ...ordinary(
    ...operations.flatMap(openPlace),
    ...missingKeys,
    ...bearerFaults(commonTokens),
    ...authorizationFaults(commonValues),
    ...placeFaults(commonPlaces),
    keyAfter('key-checked-after-the-body', 'createPet', 400),
    keyAfter('key-checked-after-the-media-type', 'createPet', 415),
    keyAfter('key-checked-after-the-animal', 'getPet', 404),
    keyAfter('key-checked-after-the-limit', 'listPets', 400),
    formOfIdsFirst,
    ...refusalStatus,
    ...refusedYetStored,
  ),
  ...rare(
    ...bearerFaults(rareTokens),
    ...Object.entries(inOtherCase).map(([id, matches]) => accepting(id, 'auth-key-case', hasToken(matches))),
    ...authorizationFaults(rareValues),
    ...placeFaults(rarePlaces),
    remembered,
    ...validRefused,
    ...upset,
  ),
  ...publicCornerFaults,
];
