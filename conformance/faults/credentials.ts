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
import { type Fault, ordinary, ordinaryEach, rare, rareEach } from './fault.ts';

function accepting(accepts: (request: StoreRequest, call: Call) => boolean): Wrap {
  return changeRequest((request, call) => {
    if (call.isAuthorized || call.operation === 'other' || !accepts(request, call)) return request;
    const query = new URLSearchParams(call.query);
    for (const name of ['api_key', 'access_token', 'key', 'token']) query.delete(name);
    const [path = ''] = request.target.split('?');
    return withKey(withTarget(request, query.size === 0 ? path : `${path}?${query}`), call.keys.api);
  });
}

const isMissing = (request: StoreRequest): boolean => requestHeader(request, 'authorization') === undefined;

function bearerOf(request: StoreRequest): string | undefined {
  return /^Bearer (.*)$/.exec(requestHeader(request, 'authorization') ?? '')?.[1];
}

function acceptingToken(matches: (token: string, apiKey: string) => boolean): Wrap {
  return accepting((request, { keys }) => {
    const token = bearerOf(request);
    return token !== undefined && token !== '' && matches(token, keys.api);
  });
}

/** Accepts a wrong key that comes so often, as a cache of checked keys may. */
function acceptingAtLast(times: number): Wrap {
  return (handle, keys) => {
    const counts = new Map<string, number>();
    return acceptingToken((token) => {
      counts.set(token, (counts.get(token) ?? 0) + 1);
      return counts.get(token)! >= times;
    })(handle, keys);
  };
}

function acceptingValue(matches: (value: string, apiKey: string) => boolean): Wrap {
  return accepting((request, { keys }) => matches(requestHeader(request, 'authorization') ?? '', keys.api));
}

function basicOf(request: StoreRequest): string {
  const encoded = /^Basic (.*)$/.exec(requestHeader(request, 'authorization') ?? '')?.[1] ?? '';
  return Buffer.from(encoded, 'base64').toString();
}

type Tokens = Readonly<Record<string, (token: string, apiKey: string) => boolean>>;

const commonTokens: Tokens = {
  'key-never-compared': () => true,
  'key-compared-by-prefix': (token, apiKey) => apiKey.startsWith(token),
  'key-compared-by-start': (token, apiKey) => token.startsWith(apiKey),
  'key-compared-by-first-eight': (token, apiKey) => token.slice(0, 8) === apiKey.slice(0, 8),
  'key-compared-by-length': (token, apiKey) => token.length === apiKey.length,
  'key-contained': (token, apiKey) => token.includes(apiKey) || apiKey.includes(token),
  'key-null-accepted': (token) => token === 'null' || token === 'undefined',
};

const rareTokens: Tokens = {
  'key-compared-by-suffix': (token, apiKey) => apiKey.endsWith(token),
  'key-compared-but-for-its-first-character': (token, apiKey) =>
    token.length === apiKey.length && token.slice(1) === apiKey.slice(1),
  'key-compared-but-for-its-end': (token, apiKey) => token.slice(0, -1) === apiKey.slice(0, -1),
  'key-compared-but-for-its-middle': (token, apiKey) =>
    token.slice(0, 4) === apiKey.slice(0, 4) && token.slice(-4) === apiKey.slice(-4),
  'key-compared-as-a-set': (token, apiKey) => sorted(token) === sorted(apiKey),
  'key-scattered-in-token': (token, apiKey) => new RegExp([...apiKey].join('.*')).test(token),
  'key-without-its-dashes-accepted': (token, apiKey) => token === apiKey.replaceAll('-', ''),
  'key-with-a-slip-accepted': (token, apiKey) => token.length === apiKey.length && countOfOther(token, apiKey) <= 1,
  'key-with-two-slips-accepted': (token, apiKey) => token.length === apiKey.length && countOfOther(token, apiKey) <= 2,
  'key-with-a-repeated-character-accepted': (token, apiKey) =>
    collapsed(token) === collapsed(apiKey) && token !== apiKey,
  'key-in-double-quotes-accepted': (token, apiKey) => token === `"${apiKey}"`,
  'key-in-any-marks-accepted': (token, apiKey) => token.replace(/^\W+|\W+$/g, '') === apiKey,
  'key-before-marks-accepted': (token, apiKey) => token.replace(/[^\w-]+$/, '') === apiKey,
  'key-decoded-from-escapes': (token, apiKey) => decoded(token) === apiKey,
  'key-first-of-several': (token, apiKey) => token.split(/[,; ]/)[0] === apiKey,
  'key-last-of-several': (token, apiKey) => token.split(' ').at(-1) === apiKey,
  'key-before-a-comma-accepted': (token, apiKey) => token.split(',')[0] === apiKey,
  'key-in-one-of-several-credentials': (token, apiKey) => `Bearer ${token}`.split(/,\s*/).includes(`Bearer ${apiKey}`),
  'key-twice-accepted': (token, apiKey) => token === `${apiKey} ${apiKey}`,
  'bearer-twice-accepted': (token, apiKey) => token.replace(/^Bearer /, '') === apiKey,
  'key-in-base64-reversed-or-hashed-accepted': (token, apiKey) =>
    [Buffer.from(apiKey).toString('base64'), [...apiKey].reverse().join('')].includes(token) ||
    /^[0-9a-f]{32,}$/.test(token),
  'key-put-into-a-query': (token) => /'\s*or\s/i.test(token),
  'key-with-other-separators-accepted': (token, apiKey) => token === apiKey.replaceAll('-', '_'),
  'key-doubled-accepted': (token, apiKey) => token === apiKey + apiKey,
  'key-taken-for-a-pattern-of-sql': (token, apiKey) =>
    new RegExp(
      `^${token
        .replace(/[^\w%]/g, '\\$&')
        .replaceAll('_', '.')
        .replaceAll('%', '.*')}$`,
    ).test(apiKey),
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

function countOfOther(token: string, apiKey: string): number {
  return [...token].filter((character, at) => character !== apiKey[at]).length;
}

/** Tokens that differ from the key in letter case only. */
const inOtherCase: Tokens = {
  'key-compared-without-case': (token, apiKey) => token.toLowerCase() === apiKey.toLowerCase(),
  'key-in-lower-case-accepted': (token, apiKey) => token === apiKey.toLowerCase(),
};

/** Values of the Authorization header that hold the key in another form than §5 states. */
const commonValues: Tokens = {
  'key-without-scheme': (value, apiKey) => value === apiKey,
  'key-with-any-scheme': (value, apiKey) => value.endsWith(` ${apiKey}`) && !value.startsWith('bearer'),
  'key-with-scheme-token': (value, apiKey) => value === `Token ${apiKey}`,
};

const rareValues: Tokens = {
  'key-with-schemes-of-others': (value, apiKey) => value.replace(/^(Token|ApiKey|Digest|Key) /, '') === apiKey,
  'key-right-behind-bearer': (value, apiKey) => value === `Bearer${apiKey}`,
  'key-after-bearer-and-a-mark': (value, apiKey) => /^bearer[,:=]+\s*(.*)$/i.exec(value)?.[1] === apiKey,
  'key-after-bearer-and-a-colon': (value, apiKey) => value === `Bearer: ${apiKey}`,
  'key-after-bearer-anywhere': (value, apiKey) => /bearer (\S+)/i.exec(value)?.[1] === apiKey,
};

type Places = Readonly<Record<string, (request: StoreRequest, call: Call) => boolean>>;

function keyIn(names: readonly string[], isIn: (name: string) => Places[string], id = 'key-in-*'): Places {
  return Object.fromEntries(names.map((name) => [id.replace('*', name), isIn(name)]));
}
const asHeader =
  (name: string) =>
  (request: StoreRequest, { keys }: Call) =>
    requestHeader(request, name) === keys.api;
const asBearer =
  (name: string) =>
  (request: StoreRequest, { keys }: Call) =>
    requestHeader(request, name) === `Bearer ${keys.api}`;
const asParameter =
  (name: string) =>
  (_request: StoreRequest, { query, keys }: Call) =>
    query.get(name) === keys.api;

const commonPlaces: Places = {
  ...keyIn(['x-api-key', 'api-key'], asHeader),
  ...keyIn(['api_key', 'access_token', 'key'], asParameter, 'key-as-*-in-query'),
};

const rarePlaces: Places = {
  'key-as-basic-user': (request, { keys }) => basicOf(request).startsWith(keys.api),
  'key-as-basic-password': (request, { keys }) => basicOf(request).endsWith(`:${keys.api}`),
  'key-in-query-of-listings': (_request, { operation, query, keys }) =>
    operation === 'listPets' && query.get('key') === keys.api,
  'key-in-session-cookie': (request, { keys }) =>
    (requestHeader(request, 'cookie') ?? '').split('; ').includes(`session=${keys.api}`),
  'key-in-cookie': (request, { keys }) => (requestHeader(request, 'cookie') ?? '').includes(keys.api),
  'key-in-body': (request, { keys }) =>
    /"(?:api_key|apiKey|access_token)":\s*"([^"]+)"/.exec(sentBody({ request }))?.[1] === keys.api,
  ...keyIn(['x-auth-token', 'x-authorization', 'x-auth-key'], asHeader),
  ...keyIn(['x-authorization', 'proxy-authorization', 'x-forwarded-authorization'], asBearer, 'bearer-in-*'),
  ...keyIn(['token', 'auth'], asParameter, 'key-as-*-in-query'),
};

/** A server that validates the request before the key: the key matters only for requests that would have succeeded. */
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

/** A server that authenticates later requests by the client's address. */
const remembered: Wrap = (handle, keys) => {
  const known = new Set<string>();
  return changeRequest((request, { isAuthorized }) => {
    if (isAuthorized) known.add(request.address);
    return isMissing(request) && known.has(request.address) ? withKey(request, keys.api) : request;
  })(handle, keys);
};

/** Marks behind the key that a careless service cuts off, or reads up to. */
const cutMarks: Tokens = {
  'dots-behind': (token, apiKey) => token.replace(/\.+$/, '') === apiKey,
  'slashes-behind': (token, apiKey) => token.replace(/\/+$/, '') === apiKey,
  'an-at-and-more-behind': (token, apiKey) => token.split('@')[0] === apiKey,
  'a-question-behind': (token, apiKey) => token.split('?')[0] === apiKey,
};

/** Tokens that a careless service does not survive. */
const upsettingTokens: Tokens = {
  'not-ascii': (token) => /[^\x00-\x7f]/.test(token),
  'very-long': (token) => token.length > 1_024,
};

/** Refusals of the API key that neither its scope nor its expiry explains. */
function refusing(refuses: (call: Call, count: number) => boolean): Wrap {
  return (handle, keys) => {
    let count = 0;
    return changeRequest((request, call) => {
      if (call.isAuthorized) count += 1;
      return call.isAuthorized && refuses(call, count) ? withKey(request, 'no-key') : request;
    })(handle, keys);
  };
}

function storingWithout(matches: (request: StoreRequest) => boolean): Wrap {
  return (handle, keys) => (request, now) => {
    const { operation, isAuthorized } = readCall(request, now, keys);
    if (operation === 'createPet' && !isAuthorized && matches(request)) handle(withKey(request, keys.api), now);
    return handle(request, now);
  };
}

/** Requests that a service trusts by a header that every client can send. */
const trusted: Places = {
  'what-a-proxy-calls-local': (request) => requestHeader(request, 'x-forwarded-for') === '127.0.0.1',
  'health-checks': (request) => /^(?:kube-probe|GoogleHC|ELB-Health)/.test(requestHeader(request, 'user-agent') ?? ''),
  'pages-of-its-own': (request) => (requestHeader(request, 'referer') ?? '').startsWith('http://in-process/'),
};

function servedToAnybody(isPublic: (query: URLSearchParams) => boolean): Wrap {
  return accepting((_request, { operation, query }) => operation === 'listPets' && isPublic(query));
}

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

const refusalStatuses = [400, 403, 404, 302, 200, 500] as const;

export const authenticationFaults: readonly Fault[] = [
  ...ordinary('auth-missing-key', {
    'scheme-without-key-accepted': acceptingValue((value) => value === 'Bearer'),
    'empty-header-accepted': accepting((request) => requestHeader(request, 'authorization') === ''),
  }),
  ...ordinaryEach('auth-missing-key', 'no-key-needed-on-*', petOperations, (place) =>
    accepting((request, { operation }) => operation === place && isMissing(request)),
  ),
  ...ordinaryEach('auth-missing-key', 'cache-of-*-serves-anybody', ['listPets', 'getPet'] as const, cacheForAnybody),
  ...ordinaryEach('auth-missing-key', 'missing-key-answers-*', refusalStatuses, (status) =>
    answerError(status, ({ request }, answer) => answer.status === 401 && isMissing(request)),
  ),
  ...ordinaryEach('auth-invalid-key', 'any-key-accepted-on-*', petOperations, (place) =>
    accepting((request, { operation }) => operation === place && (bearerOf(request) ?? '') !== ''),
  ),
  ...ordinaryEach('auth-invalid-key', 'wrong-key-answers-*', refusalStatuses, (status) =>
    answerError(status, ({ request }, answer) => answer.status === 401 && bearerOf(request) !== undefined),
  ),
  ...ordinaryEach('auth-invalid-key', '*', commonTokens, acceptingToken),
  ...ordinaryEach('auth-bearer-header', '*', commonValues, acceptingValue),
  ...ordinaryEach('auth-bearer-header', '*', commonPlaces, accepting),
  ...ordinary(['auth-missing-key', 'auth-invalid-key', 'auth-bearer-header'], {
    'key-checked-after-the-body': keyAfter('createPet', 400),
    'key-checked-after-the-media-type': keyAfter('createPet', 415),
    'key-checked-after-the-animal': keyAfter('getPet', 404),
    'key-checked-after-the-limit': keyAfter('listPets', 400),
    // A server that parses the petId before it checks the key.
    'key-checked-after-the-form-of-ids': answerError(
      400,
      ({ operation, request, isAuthorized }) =>
        operation === 'getPet' && !isAuthorized && !/^\/v1\/pets\/-?\d+$/.test(request.target),
    ),
  }),
  ...ordinary('auth-refused-stores-nothing', {
    'missing-key-refused-yet-stored': storingWithout(isMissing),
    'invalid-key-refused-yet-stored': storingWithout((request) => !isMissing(request)),
  }),
  ...rareEach('auth-invalid-key', '*', rareTokens, acceptingToken),
  ...rareEach('auth-invalid-key', 'key-with-*-accepted', cutMarks, acceptingToken),
  ...rareEach('auth-key-case', '*', inOtherCase, acceptingToken),
  ...rareEach('auth-bearer-header', '*', rareValues, acceptingValue),
  ...rareEach('auth-bearer-header', '*', rarePlaces, accepting),
  ...rareEach(['auth-invalid-key', 'errors-listed'], 'token-*-answers-500', upsettingTokens, (upsets) =>
    answerError(500, ({ request, keys }, { status }) => status === 401 && upsets(bearerOf(request) ?? '', keys.api)),
  ),
  ...rare('auth-missing-key', {
    'key-remembered-by-address': remembered,
    'listing-of-one-public': servedToAnybody((query) => query.get('limit') === '1'),
    'listing-by-status-public': servedToAnybody((query) => query.has('status')),
    'plain-listing-public': servedToAnybody((query) => query.size === 0),
  }),
  ...rareEach('auth-missing-key', 'public-to-*', trusted, accepting),
  ...rareEach('auth-bearer-header', 'key-in-x-api-key-accepted-by-*', petOperations, (place) =>
    accepting((request, call) => call.operation === place && asHeader('x-api-key')(request, call)),
  ),
  ...rareEach('auth-bearer-header', 'key-without-scheme-accepted-by-*', petOperations, (place) =>
    accepting(
      (request, { operation, keys }) => operation === place && requestHeader(request, 'authorization') === keys.api,
    ),
  ),
  ...rare('auth-invalid-key', { 'wrong-key-accepted-the-third-time': acceptingAtLast(3) }),
  ...rare('auth-valid-key', {
    'valid-key-refused-now-and-then': refusing((_call, count) => count % 9 === 0),
    'valid-key-refused-beside-two-parameters': refusing(({ query }) => query.size >= 2),
    'valid-key-refused-for-animals-that-are-sold': refusing(
      (call) => call.operation === 'createPet' && sentBody(call).includes('"sold"'),
    ),
  }),
];
