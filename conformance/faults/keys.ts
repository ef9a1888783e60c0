/** Faults of §5: keys that are not required, not compared, or read from the wrong place. */

import type { StoreRequest, StoreResponse } from '../../reference-server/index.ts';
import type { OperationName } from '../../spec/operations.ts';
import {
  answerError,
  type Call,
  changeAnswer,
  changeRequest,
  petOperations,
  readCall,
  requestHeader,
  sentBody,
  type Wrap,
  withKey,
  withTarget,
} from '../services/wraps.ts';
import { each, type Fault, ordinary, rare } from './fault.ts';

type Accepts = (call: Call) => boolean;
const authorizationOf = ({ request }: Pick<Call, 'request'>): string | undefined =>
  requestHeader(request, 'authorization');
const isMissing = (call: Pick<Call, 'request'>): boolean => authorizationOf(call) === undefined;
const tokenOf = (call: Call): string => /^Bearer (.*)$/.exec(authorizationOf(call) ?? '')?.[1] ?? '';

/** Serves requests without the key that match; parameters that may carry a key are not read as a query. */
function accepting(accepts: Accepts): Wrap {
  return changeRequest((request, call) => {
    if (call.isAuthorized || call.operation === 'other' || !accepts(call)) return request;
    const query = new URLSearchParams(call.query);
    for (const name of ['api_key', 'access_token', 'key', 'token']) query.delete(name);
    const [path = ''] = request.target.split('?');
    return withKey(withTarget(request, query.size === 0 ? path : `${path}?${query}`), call.keys.api);
  });
}

/** Compares a text with the key. */
type Compare = (text: string, key: string) => boolean;
const acceptingToken = (matches: Compare): Wrap =>
  accepting((call) => tokenOf(call) !== '' && matches(tokenOf(call), call.keys.api));
const acceptingValue = (matches: Compare): Wrap =>
  accepting((call) => matches(authorizationOf(call) ?? '', call.keys.api));

type Compares = Readonly<Record<string, Compare>>;

const tokens: Compares = {
  'never-compared': () => true,
  'compared-by-prefix': (token, key) => key.startsWith(token),
  'compared-by-start': (token, key) => token.startsWith(key),
  'compared-by-first-eight': (token, key) => token.slice(0, 8) === key.slice(0, 8),
  'compared-by-length': (token, key) => token.length === key.length,
  contained: (token, key) => token.includes(key) || key.includes(token),
  'null-accepted': (token) => token === 'null' || token === 'undefined',
};

const rareTokens: Compares = {
  'compared-by-suffix': (token, key) => key.endsWith(token),
  'compared-but-for-its-first-character': (token, key) =>
    token.length === key.length && token.slice(1) === key.slice(1),
  'compared-but-for-its-end': (token, key) => token.slice(0, -1) === key.slice(0, -1),
  'compared-as-a-set': (token, key) => [...token].sort().join('') === [...key].sort().join(''),
  'with-a-slip-accepted': (token, key) => token.length === key.length && countOfOther(token, key) <= 1,
  'in-double-quotes-accepted': (token, key) => token === `"${key}"`,
  'in-any-marks-accepted': (token, key) => token.replace(/^\W+|\W+$/g, '') === key,
  'before-marks-accepted': (token, key) => token.replace(/[^\w-]+$/, '') === key,
  'decoded-from-escapes': (token, key) => token.replace(/%[0-7][0-9a-f]/gi, decodeURIComponent) === key,
  'first-of-several': (token, key) => token.split(/[,; ]/)[0] === key,
  'last-of-several': (token, key) => token.split(' ').at(-1) === key,
  'twice-accepted': (token, key) => token === `${key} ${key}`,
  'doubled-accepted': (token, key) => token === key + key,
  'put-into-a-query': (token) => /'\s*or\s/i.test(token),
  'taken-for-a-pattern': (token) => /[%*?]/.test(token),
  'with-dots-behind-accepted': (token, key) => token.replace(/\.+$/, '') === key,
  'with-an-at-and-more-behind-accepted': (token, key) => token.split('@')[0] === key,
};

function countOfOther(token: string, key: string): number {
  return [...token].filter((character, at) => character !== key[at]).length;
}

const otherCase: Compares = {
  'compared-without-case': (token, key) => token.toLowerCase() === key.toLowerCase(),
  'in-lower-case-accepted': (token, key) => token === key.toLowerCase(),
};

/** Values of the Authorization header that hold the key in another form than §5 states. */
const values: Compares = {
  'without-scheme': (value, key) => value === key,
  'with-any-scheme': (value, key) => value.endsWith(` ${key}`) && !value.startsWith('bearer'),
  'with-scheme-token': (value, key) => value === `Token ${key}`,
};

const rareValues: Compares = {
  'with-schemes-of-others': (value, key) => value.replace(/^(Token|ApiKey|Digest|Key) /, '') === key,
  'right-behind-bearer': (value, key) => value === `Bearer${key}`,
  'after-bearer-and-a-colon': (value, key) => value === `Bearer: ${key}`,
  'after-bearer-anywhere': (value, key) => /bearer (\S+)/i.exec(value)?.[1] === key,
  'as-basic-user': (value, key) => basicOf(value).startsWith(key),
  'as-basic-password': (value, key) => basicOf(value).endsWith(`:${key}`),
};

function basicOf(value: string): string {
  return Buffer.from(/^Basic (.*)$/.exec(value)?.[1] ?? '', 'base64').toString();
}

const asHeader = (name: string): Wrap => accepting(({ request, keys }) => requestHeader(request, name) === keys.api);
const asBearerIn = (name: string): Wrap =>
  accepting(({ request, keys }) => requestHeader(request, name) === `Bearer ${keys.api}`);
const asParameter = (name: string): Wrap => accepting(({ query, keys }) => query.get(name) === keys.api);
const inCookie: Accepts = ({ request, keys }) => (requestHeader(request, 'cookie') ?? '').includes(keys.api);
const inBody: Accepts = (call) =>
  /"(?:api_key|apiKey|access_token)":\s*"([^"]+)"/.exec(sentBody(call))?.[1] === call.keys.api;

const acceptingOn = (place: OperationName, accepts: Accepts): Wrap =>
  accepting((call) => call.operation === place && accepts(call));

/** Refuses what is wrong with a request before its key: the key matters only for requests that would have succeeded. */
function keyAfter(place: OperationName, status: number): Wrap {
  return (handle, keys) => (request, now) => {
    const call = readCall(request, now, keys);
    if (call.isAuthorized || call.operation !== place) return handle(request, now);
    // The body is emptied so that nothing is stored; a valid body is refused for its key.
    const isStorable =
      place === 'createPet' && handle(withKey({ ...request, body: new Uint8Array() }, keys.api), now).status === 400;
    const sent = sentBody(call);
    if (isStorable && /"name":"/.test(sent) && /"categoryId":-?\d+[,}]/.test(sent)) return handle(request, now);
    const answer = handle(withKey(request, keys.api), now);
    return answer.status === status ? answer : handle(request, now);
  };
}

/** Stores what requests without a valid key send, although it refuses them. */
const storingWithout =
  (matches: (call: Call) => boolean): Wrap =>
  (handle, keys) =>
  (request, now) => {
    const call = readCall(request, now, keys);
    if (call.operation === 'createPet' && !call.isAuthorized && matches(call)) handle(withKey(request, keys.api), now);
    return handle(request, now);
  };

/** A cache in front of the service that stores what it serves to the key and answers everybody with it. */
function cacheForAnybody(only: OperationName): Wrap {
  return (handle, keys) => {
    const copies = new Map<string, { readonly answer: StoreResponse; readonly at: number }>();
    return changeAnswer((answer, call) => {
      if (call.operation !== only) return undefined;
      const { target } = call.request;
      if (answer.status === 200) copies.set(target, { answer, at: call.now });
      const copy = copies.get(target);
      return answer.status === 401 && copy !== undefined && call.now - copy.at < 2_000 ? copy.answer : undefined;
    })(handle, keys);
  };
}

/** Authenticates later requests by the client's address. */
const rememberedByAddress: Wrap = (handle, keys) => {
  const known = new Set<string>();
  return changeRequest((request, call) => {
    if (call.isAuthorized) known.add(request.address);
    return isMissing(call) && known.has(request.address) ? withKey(request, keys.api) : request;
  })(handle, keys);
};

/** Accepts a wrong key that comes for the third time, as a cache of checked keys may. */
const acceptingTheThirdTime: Wrap = (handle, keys) => {
  const counts = new Map<string, number>();
  return acceptingToken((token) => {
    counts.set(token, (counts.get(token) ?? 0) + 1);
    return counts.get(token)! >= 3;
  })(handle, keys);
};

/** Refuses the API key for a reason that neither its scope nor its expiry explains. */
const refusing =
  (refuses: (call: Call, count: number) => boolean): Wrap =>
  (handle, keys) => {
    let count = 0;
    return changeRequest((request, call) => {
      if (call.isAuthorized) count += 1;
      return call.isAuthorized && refuses(call, count) ? withKey(request, 'no-key') : request;
    })(handle, keys);
  };

const publicListing = (isPublic: (query: URLSearchParams) => boolean): Wrap =>
  acceptingOn('listPets', ({ query }) => isPublic(query));
const isOddId = ({ target }: StoreRequest): boolean => !/^\/v1\/pets\/-?\d+$/.test(target);

export const keyFaults: readonly Fault[] = [
  ...ordinary({
    'scheme-without-key-accepted': ['auth-missing-key', acceptingValue((value) => value === 'Bearer')],
    'empty-header-accepted': ['auth-missing-key', accepting((call) => authorizationOf(call) === '')],
    ...each('auth-missing-key', 'no-key-needed-on-*', petOperations, (place) => acceptingOn(place, isMissing)),
    ...each('auth-missing-key', 'cache-of-*-serves-anybody', ['listPets', 'getPet'] as const, cacheForAnybody),
    ...each('auth-invalid-key', 'any-key-accepted-on-*', petOperations, (place) =>
      acceptingOn(place, (call) => tokenOf(call) !== ''),
    ),
    ...each('auth-invalid-key', 'key-*', tokens, acceptingToken),
    ...each('auth-bearer-header', 'key-*', values, acceptingValue),
    ...each('auth-bearer-header', 'key-in-*', ['x-api-key', 'api-key'], asHeader),
    ...each('auth-bearer-header', 'key-as-*-in-query', ['api_key', 'access_token', 'key'], asParameter),
    ...each(
      ['auth-missing-key', 'auth-invalid-key', 'auth-bearer-header'],
      'key-checked-after-the-*',
      {
        body: keyAfter('createPet', 400),
        'media-type': keyAfter('createPet', 415),
        animal: keyAfter('getPet', 404),
        limit: keyAfter('listPets', 400),
        'form-of-ids': answerError(
          400,
          (call) => call.operation === 'getPet' && !call.isAuthorized && isOddId(call.request),
        ),
      },
      (wrap) => wrap,
    ),
    'missing-key-refused-yet-stored': ['auth-refused-stores-nothing', storingWithout(isMissing)],
    'invalid-key-refused-yet-stored': ['auth-refused-stores-nothing', storingWithout((call) => !isMissing(call))],
  }),
  ...rare({
    ...each('auth-invalid-key', 'key-*', rareTokens, acceptingToken),
    ...each('auth-key-case', 'key-*', otherCase, acceptingToken),
    ...each('auth-bearer-header', 'key-*', rareValues, acceptingValue),
    ...each('auth-bearer-header', 'key-in-*', ['x-auth-token', 'x-authorization', 'x-auth-key'], asHeader),
    ...each(
      'auth-bearer-header',
      'bearer-in-*',
      ['x-authorization', 'proxy-authorization', 'x-forwarded-authorization'],
      asBearerIn,
    ),
    ...each('auth-bearer-header', 'key-as-*-in-query', ['token', 'auth'], asParameter),
    'key-in-cookie': ['auth-bearer-header', accepting(inCookie)],
    'key-in-body': ['auth-bearer-header', accepting(inBody)],
    ...each('auth-bearer-header', 'key-in-x-api-key-accepted-by-*', petOperations, (place) =>
      acceptingOn(place, ({ request, keys }) => requestHeader(request, 'x-api-key') === keys.api),
    ),
    ...each('auth-bearer-header', 'key-without-scheme-accepted-by-*', petOperations, (place) =>
      acceptingOn(place, (call) => authorizationOf(call) === call.keys.api),
    ),
    'key-remembered-by-address': ['auth-missing-key', rememberedByAddress],
    'listing-of-one-public': ['auth-missing-key', publicListing((query) => query.get('limit') === '1')],
    'listing-by-status-public': ['auth-missing-key', publicListing((query) => query.has('status'))],
    'plain-listing-public': ['auth-missing-key', publicListing((query) => query.size === 0)],
    'wrong-key-accepted-the-third-time': ['auth-invalid-key', acceptingTheThirdTime],
    'token-very-long-answers-500': [
      ['auth-invalid-key', 'errors-listed'],
      answerError(500, (call, { status }) => status === 401 && tokenOf(call).length > 1_024),
    ],
    'valid-key-refused-now-and-then': ['auth-valid-key', refusing((_call, count) => count % 9 === 0)],
    'valid-key-refused-beside-two-parameters': ['auth-valid-key', refusing(({ query }) => query.size >= 2)],
  }),
];
