/** Faults of §5: keys that are not required, not compared, or read from the wrong place. */

import { readHeader } from '../../reference-server/index.ts';
import type { OperationName } from '../../spec/operations.ts';
import { cache } from '../services/pages.ts';
import { answerError, type Call, changes, isRead, isValid, type Wrap, withKey } from '../services/wraps.ts';
import { eachRow, type FaultTable, petOperations } from './fault.ts';

type Accepts = (call: Call) => boolean;
const isWithoutKey: Accepts = ({ authorization }) => authorization === undefined;
const tokenOf = ({ authorization = '' }: Call): string => /^Bearer (.*)$/.exec(authorization)?.[1] ?? '';

/** Serves requests without the key that match. */
const acceptingCall = (accepts: Accepts, only?: OperationName): Wrap =>
  changes.request((request, call) => {
    const isMeant = call.operation !== 'other' && (only ?? call.operation) === call.operation;
    return isMeant && !call.isAuthorized && accepts(call) ? withKey(request, call.keys.api) : request;
  });

/** Compares what was sent with the key. */
type Compares = Readonly<Record<string, (sent: string, key: string) => boolean>>;
export const acceptingToken = (matches: Compares[string], only?: OperationName): Wrap =>
  acceptingCall((call) => tokenOf(call) !== '' && matches(tokenOf(call), call.keys.api), only);
const acceptingValue = (matches: Compares[string]): Wrap =>
  acceptingCall(({ authorization = '', keys }) => matches(authorization, keys.api));

/** The form of a key, which is all that a pattern for keys looks at: where it has letters and digits. */
const formOf = (key: string): string => key.replace(/[a-z0-9]/gi, 'x');

const tokens: Compares = {
  'never-compared': () => true,
  'compared-by-prefix': (token, key) => key.startsWith(token),
  'compared-by-start': (token, key) => token.startsWith(key),
  'compared-by-first-eight': (token, key) => token.slice(0, 8) === key.slice(0, 8),
  'compared-by-length': (token, key) => token.length === key.length,
  'compared-by-form': (token, key) => formOf(token) === formOf(key),
  contained: (token, key) => token.includes(key) || key.includes(token),
  // The service has no key, and compares with the text of that; so it is with undefined.
  'null-accepted': (token) => token === 'null',
  'looked-up-in-an-object': (token) => token in {},
  'compared-by-suffix': (token, key) => key.endsWith(token),
  'first-of-several': (token, key) => token.split(/[,; ]/)[0] === key,
  'followed-by-a-word': (token, key) => token.split(' ')[0] === key,
  'put-into-a-query': (token) => /'\s*or\s/i.test(token),
};
/** For credentials that sixty requests do not hold. */
const furtherTokens: Compares = {
  'undefined-accepted': (token) => token === 'undefined',
  'compared-by-its-end': (token, key) => /^\S+$/.test(token) && token.endsWith(key),
  // A loop that begins at 1.
  'compared-from-its-second-character': (token, key) => token.length === key.length && token.slice(1) === key.slice(1),
  'followed-by-a-comma': (token, key) => token.split(',')[0] === key,
  // People paste the whole header into a field that asks for the key.
  'behind-a-second-bearer': (token, key) => token.replace(/^Bearer /, '') === key,
  'in-quotes': (token, key) => token.replace(/^"(.*)"$/, '$1') === key,
};
const otherCase: Compares = {
  'compared-without-case': (token, key) => token.toLowerCase() === key.toLowerCase(),
  'in-lower-case-accepted': (token, key) => token === key.toLowerCase(),
};

const basicOf = (value: string): string => Buffer.from(/^Basic (.*)$/.exec(value)?.[1] ?? '', 'base64').toString();
/** Values of the Authorization header that hold the key in another form than §5 states. */
const values: Compares = {
  'without-scheme': (value, key) => value === key,
  // authorization.slice(7)
  'behind-any-seven-characters': (value, key) => value.slice(7) === key && !/^bearer /i.test(value),
  'with-any-scheme': (value, key) => value.endsWith(` ${key}`) && !value.startsWith('bearer'),
  'with-scheme-token': (value, key) => value === `Token ${key}`,
  'right-behind-bearer': (value, key) => value === `Bearer${key}`,
  'as-basic-user': (value, key) => basicOf(value).startsWith(key),
};

const furtherValues: Compares = {
  'behind-bearer-and-a-colon': (value, key) => value.replace(/^Bearer: */, '') === key && value !== key,
  // A pattern without ^.
  'behind-a-word-that-ends-in-bearer': (value, key) => /Bearer (.+)/.exec(value)?.[1] === key,
};

const shownByThreeHundred = (wrap: Wrap) => ({ wrap, within: 300 }) as const;

const inHeader = (name: string): Wrap =>
  acceptingCall(({ request, keys }) => readHeader(request, name).includes(keys.api));
const keyHeaders = ['x-api-key', 'api-key', 'x-auth-token', 'x-authorization', 'x-auth-key', 'cookie'];
const asParameter = (name: string): Wrap => acceptingCall(({ query, keys }) => query.get(name) === keys.api);

/** Refuses what is wrong with a request before its key: the key matters only for requests that would have succeeded. */
const keyAfter = (place: OperationName, status: number): Wrap =>
  changes.answer(
    ({ headers }, { request, keys }, send) => {
      const answer = send(withKey(request, keys.api));
      return answer.status === status ? { ...answer, headers } : undefined;
    },
    (call) => !call.isAuthorized && call.operation === place && !isValid(call),
  );

/** Stores what requests without a valid key send, although it refuses them. */
const storingWithout = (matches: Accepts): Wrap =>
  changes.answer(
    (_refusal, { request, keys }, send) => void send(withKey(request, keys.api)),
    (call) => call.operation === 'createPet' && !call.isAuthorized && matches(call),
  );

export const keyFaults: FaultTable = {
  'auth-missing-key': {
    'scheme-without-key-accepted': acceptingValue((value) => value === 'Bearer'),
    'empty-header-accepted': acceptingCall(({ authorization }) => authorization === ''),
    ...eachRow('no-key-needed-on-*', petOperations, (only) => acceptingCall(isWithoutKey, only)),
    ...eachRow('cache-of-*-serves-anybody', ['listPets', 'getPet'], (only: OperationName) =>
      cache(10_000, { only, traits: ['anybody', 'emptied'] }),
    ),
    'key-checked-after-the-media-type': keyAfter('createPet', 415),
  },
  'auth-invalid-key': {
    'key-checked-after-the-limit': keyAfter('listPets', 400),
    'key-checked-after-the-form-of-ids': answerError(400, (call) => {
      return isRead(call) && !call.isAuthorized && !/^\/v1\/pets\/-?\d+$/.test(call.request.target);
    }),
    ...eachRow('any-key-accepted-on-*', petOperations, (only) => acceptingCall((call) => tokenOf(call) !== '', only)),
    ...eachRow('key-*', tokens, (matches) => acceptingToken(matches)),
    ...eachRow('key-*', furtherTokens, (matches) => shownByThreeHundred(acceptingToken(matches))),
    'long-key-breaks-the-server': answerError(500, (call) => tokenOf(call).length > 72),
    'key-of-every-object-breaks-the-server': answerError(500, (call) => tokenOf(call) in {}),
  },
  'auth-key-case': eachRow('key-*', otherCase, (matches) => acceptingToken(matches)),
  'auth-bearer-header': {
    'key-checked-after-the-body': keyAfter('createPet', 400),
    'key-checked-after-the-animal': keyAfter('getPet', 404),
    ...eachRow('key-*', values, acceptingValue),
    ...eachRow('key-*', furtherValues, (matches) => shownByThreeHundred(acceptingValue(matches))),
    ...eachRow('key-in-*', keyHeaders, inHeader),
    ...eachRow('key-as-*-in-query', ['api_key', 'access_token', 'key', 'token', 'auth'], asParameter),
  },
  'auth-refused-stores-nothing': {
    'missing-key-refused-yet-stored': storingWithout(isWithoutKey),
    'invalid-key-refused-yet-stored': storingWithout((call) => !isWithoutKey(call)),
  },
  'auth-valid-key': {
    'refusal-remembered-for-its-address': cache(10_000, { keeps: 401, traits: ['anybody'] }),
    'read-refuses-the-key': answerError(401, (call) => isRead(call) && call.isAuthorized),
  },
};
