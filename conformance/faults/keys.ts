/** Faults of §5: keys that are not required, not compared, or read from the wrong place. */

import type { StoreResponse } from '../../reference-server/index.ts';
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
const authorizationOf = ({ request }: Call): string | undefined => requestHeader(request, 'authorization');
const isMissing: Accepts = (call) => authorizationOf(call) === undefined;
const tokenOf = (call: Call): string => /^Bearer (.*)$/.exec(authorizationOf(call) ?? '')?.[1] ?? '';

/** Serves requests without the key that match; parameters that may carry a key are not read as a query. */
const accepting = (accepts: Accepts, only?: OperationName): Wrap =>
  changeRequest((request, call) => {
    const isMeant = only === undefined ? call.operation !== 'other' : call.operation === only;
    if (call.isAuthorized || !isMeant || !accepts(call)) return request;
    const query = new URLSearchParams(call.query);
    for (const name of ['api_key', 'access_token', 'key', 'token']) query.delete(name);
    const [path = ''] = request.target.split('?');
    return withKey(withTarget(request, query.size === 0 ? path : `${path}?${query}`), call.keys.api);
  });

/** Compares a text with the key. */
type Compare = (text: string, key: string) => boolean;
type Compares = Readonly<Record<string, Compare>>;
const acceptingToken = (matches: Compare): Wrap =>
  accepting((call) => tokenOf(call) !== '' && matches(tokenOf(call), call.keys.api));
const acceptingValue = (matches: Compare): Wrap =>
  accepting((call) => matches(authorizationOf(call) ?? '', call.keys.api));

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
  'in-double-quotes-accepted': (token, key) => token === `"${key}"`,
  'decoded-from-escapes': (token, key) => token.replace(/%[0-7][0-9a-f]/gi, decodeURIComponent) === key,
  'first-of-several': (token, key) => token.split(/[,; ]/)[0] === key,
  'put-into-a-query': (token) => /'\s*or\s/i.test(token),
};
const otherCase: Compares = {
  'compared-without-case': (token, key) => token.toLowerCase() === key.toLowerCase(),
  'in-lower-case-accepted': (token, key) => token === key.toLowerCase(),
};

const basicOf = (value: string): string => Buffer.from(/^Basic (.*)$/.exec(value)?.[1] ?? '', 'base64').toString();
/** Values of the Authorization header that hold the key in another form than §5 states. */
const values: Compares = {
  'without-scheme': (value, key) => value === key,
  'with-any-scheme': (value, key) => value.endsWith(` ${key}`) && !value.startsWith('bearer'),
  'with-scheme-token': (value, key) => value === `Token ${key}`,
};
const rareValues: Compares = {
  'with-schemes-of-others': (value, key) => value.replace(/^(Token|ApiKey|Digest|Key) /, '') === key,
  'right-behind-bearer': (value, key) => value === `Bearer${key}`,
  'as-basic-user': (value, key) => basicOf(value).startsWith(key),
  'as-basic-password': (value, key) => basicOf(value).endsWith(`:${key}`),
};

const asHeader = (name: string): Wrap => accepting(({ request, keys }) => requestHeader(request, name) === keys.api);
const asParameter = (name: string): Wrap => accepting(({ query, keys }) => query.get(name) === keys.api);
const inCookie: Accepts = ({ request, keys }) => (requestHeader(request, 'cookie') ?? '').includes(keys.api);
const inBody: Accepts = (call) =>
  /"(?:api_key|apiKey|access_token)":\s*"([^"]+)"/.exec(sentBody(call))?.[1] === call.keys.api;

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
  (matches: Accepts): Wrap =>
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

/** Refuses every ninth request with the API key, for no reason. */
const refusingNowAndThen: Wrap = (handle, keys) => {
  let count = 0;
  return changeRequest((request, { isAuthorized }) => {
    if (isAuthorized) count += 1;
    return isAuthorized && count % 9 === 0 ? withKey(request, 'no-key') : request;
  })(handle, keys);
};

export const keyFaults: readonly Fault[] = [
  ...ordinary({
    'scheme-without-key-accepted': ['auth-missing-key', acceptingValue((value) => value === 'Bearer')],
    'empty-header-accepted': ['auth-missing-key', accepting((call) => authorizationOf(call) === '')],
    ...each('auth-missing-key', 'no-key-needed-on-*', petOperations, (only) => accepting(isMissing, only)),
    ...each('auth-missing-key', 'cache-of-*-serves-anybody', ['listPets', 'getPet'] as const, cacheForAnybody),
    ...each('auth-invalid-key', 'any-key-accepted-on-*', petOperations, (only) =>
      accepting((call) => tokenOf(call) !== '', only),
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
          ({ operation, isAuthorized, request: { target } }) =>
            operation === 'getPet' && !isAuthorized && !/^\/v1\/pets\/-?\d+$/.test(target),
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
    ...each('auth-bearer-header', 'key-as-*-in-query', ['token', 'auth'], asParameter),
    'key-in-cookie': ['auth-bearer-header', accepting(inCookie)],
    'key-in-body': ['auth-bearer-header', accepting(inBody)],
    'listing-of-one-public': ['auth-missing-key', accepting(({ query }) => query.get('limit') === '1', 'listPets')],
    'listing-by-status-public': ['auth-missing-key', accepting(({ query }) => query.has('status'), 'listPets')],
    'valid-key-refused-now-and-then': ['auth-valid-key', refusingNowAndThen],
  }),
];
