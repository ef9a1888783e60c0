/** Faults of §1, §4 and §7: another status, body or media type than the interface lists. Operators times answers. */

import type { StoreResponse } from '../../reference-server/index.ts';
import { isPetStatus } from '../../reference-server/index.ts';
import type { OperationName } from '../../spec/operations.ts';
import { isInt64 } from '../http/json.ts';
import {
  answerError,
  breakOff,
  type Call,
  changeAnswer,
  errorAnswer,
  requestHeader,
  sentBody,
  type Wrap,
  withHeader,
} from '../services/wraps.ts';
import { type Breaks, crossed, each, type Fault, ordinary, rare } from './fault.ts';

/** What takes the place of an answer. */
type Other = (answer: StoreResponse, call: Call) => StoreResponse;
type Others = Readonly<Record<string, Other>>;
const error =
  (other: number): Other =>
  (answer) =>
    errorAnswer(other, answer);
const body =
  (change: string | ((body: string) => string), other?: number): Other =>
  (answer) => ({
    ...answer,
    status: other ?? answer.status,
    body: typeof change === 'string' ? change : change(answer.body),
  });
const mediaType =
  (type: string | undefined): Other =>
  (answer) =>
    withHeader(answer, 'Content-Type', type);
const statuses = (...others: readonly number[]): Others =>
  Object.fromEntries(others.map((other) => [other, (answer) => ({ ...answer, status: other })]));
const errors = (...others: readonly number[]): Others =>
  Object.fromEntries(others.map((other) => [other, error(other)]));

/** The answers that are replaced. */
type Place = (other: Other) => Wrap;
const where =
  (matches: (call: Call, answer: StoreResponse) => boolean): Place =>
  (other) =>
    changeAnswer(other, matches);
const everywhere = where(() => true);
const withStatus = (only: string): Place => where((_call, answer) => String(answer.status) === only);
const served = (only: OperationName): Place =>
  where(({ operation }, answer) => operation === only && answer.status < 300);
const creation = served('createPet');
const read = served('getPet');
const authorizedRead = where(({ operation, isAuthorized }) => operation === 'getPet' && isAuthorized);
const unknownAnimal = where(
  ({ operation, request, isAuthorized }, answer) =>
    operation === 'getPet' && /\/-?\d{1,19}$/.test(request.target) && isAuthorized && answer.status === 404,
);
const listing = (matches: (query: URLSearchParams, answer: StoreResponse) => boolean): Place =>
  where(
    ({ operation, query, isAuthorized }, answer) => operation === 'listPets' && isAuthorized && matches(query, answer),
  );
const emptyPage = listing((_query, answer) => answer.body === '[]');
const limited = (limit: string): Place => listing((query) => query.get('limit') === limit);
const refusedFor = (parameter: string): Place =>
  listing((query, answer) => answer.status === 400 && query.has(parameter));
const missingKey = where(
  ({ request }, answer) => answer.status === 401 && requestHeader(request, 'authorization') === undefined,
);
const wrongKey = where(
  ({ request }, answer) => answer.status === 401 && /^Bearer (.*)$/.test(requestHeader(request, 'authorization') ?? ''),
);
/** Every so-many-th read of an animal that exists. */
const nowAndThen = (other: number, every: number): Wrap =>
  changeAnswer(
    (answer, _call, count) => (count % every === 0 ? errorAnswer(other, answer) : undefined),
    ({ operation }, answer) => operation === 'getPet' && answer.status < 300,
  );

const listed = ['200', '201', '400', '401', '404'];
const mediaTypes: Others = {
  'text-plain': mediaType('text/plain'),
  none: mediaType(undefined),
  'problem-json': mediaType('application/problem+json'),
};
const furtherMediaTypes: Others = {
  'text-html': mediaType('text/html; charset=utf-8'),
  'json-api': mediaType('application/vnd.api+json; charset=utf-8'),
  'text-json': mediaType('text/json'),
  'octet-stream': mediaType('application/octet-stream'),
};
const bodies: Others = { empty: body(''), html: body('<html><body>Error</body></html>') };
const brokenBodies: Others = {
  'cut-off': body((text) => text.slice(0, -1)),
  'with-a-trailing-comma': body((text) => text.replace(/}$/, ',}').replace(/]$/, ',]')),
  'in-single-quotes': body((text) => text.replaceAll('"', "'").replace(/^\[\]$/, "['']")),
  'with-a-byte-order-mark': body((text) => `\ufeff${text}`),
  'with-nan': body((text) => text.replace(/}$/, ',"extra":NaN}').replace(/]$/, ',NaN]').replace('[,', '[')),
};

const animal = '{"id":1,"name":"Rex","categoryId":1,"status":"available"}';
const inWords: Other = (answer) => ({ ...withHeader(answer, 'Content-Type', 'text/plain'), body: 'Bad Request' });
const asError: Other = (answer) => ({ ...errorAnswer(500, answer), status: answer.status });
const inArray = body((text) => `[${text}]`);
const loginPage: Other = (answer) => ({
  ...withHeader(answer, 'Content-Type', 'text/html'),
  ...{ status: 200, body: '<html><form>Please log in</form></html>' },
});
const withThatId: Other = (answer, { request }) => ({
  ...{ ...answer, status: 200 },
  body: animal.replace('1', request.target.slice('/v1/pets/'.length)),
});

const limitOf = ({ operation, query }: Call): string => (operation === 'listPets' && query.get('limit')) || '1';
const petIdOf = ({ operation, request }: Call): string =>
  (operation === 'getPet' && /^\/v1\/pets\/([^?]*)/.exec(request.target)?.[1]) || '1';
const isBeyond = (text: string): boolean => /^-?\d{19,}$/.test(text) && !isInt64(BigInt(text));

/** Requests, allowed or not, on which a careless service fails. */
const deadly: Readonly<Record<string, (call: Call) => boolean>> = {
  'parameter-given-twice': ({ query }) => new Set(query.keys()).size < query.size,
  'limit-of-other-characters': ({ operation, query }) =>
    operation === 'listPets' && !/^-?\d+$/.test(query.get('limit') ?? '1'),
  'limit-below-0': (call) => /^-\d/.test(limitOf(call)),
  'limit-beyond-int64': (call) => !limitOf(call).startsWith('-') && isBeyond(limitOf(call)),
  'limit-0': (call) => limitOf(call) === '0',
  'limit-101': (call) => limitOf(call) === '101',
  'filter-of-another-word': ({ query }) => query.getAll('status').some((word) => !isPetStatus(word)),
  'pet-id-of-other-characters': (call) => !/^-?\d+$/.test(petIdOf(call)),
  'pet-id-beyond-int64': (call) => isBeyond(petIdOf(call)),
};

/** Parts of a body that few requests have, and that break a service. */
const rarelyDeadly: Readonly<Record<string, RegExp>> = {
  'name-with-half-a-character': /\\ud83e"/,
  'body-nested-deeply': /\[{100}/,
  'body-with-an-unknown-null': /"(?!name|categoryId|status|id")\w+":\s*null/,
  'body-with-__proto__': /"__proto__"\s*:/,
  'body-with-a-number-beyond-a-double': /:1e400\b/,
};
const breaking = (matches: (call: Call) => boolean): Wrap =>
  answerError(500, (call) => call.isAuthorized && matches(call));

const unlisted: Breaks = ['get-not-found', 'error-shape', 'service-json', 'errors-listed'];
const ofListings: Breaks = ['list-answer', 'service-json'];
const ofReads: Breaks = ['get-answer', 'get-until-removal'];

export const answerFaults: readonly Fault[] = [
  ...ordinary({
    ...each('service-json', 'media-type-*', { ...mediaTypes, ...furtherMediaTypes }, everywhere),
    ...crossed('service-json', 'media-type-*-with-*', mediaTypes, listed, (other, only) => withStatus(only)(other)),
    ...each(
      'create-answer',
      'creation-answers-*',
      {
        ...statuses(200, 202, 204, 301, 500),
        array: inArray,
        null: body('null'),
        true: body('true'),
        wrapped: body((text) => `{"data":${text}}`),
        'an-error': asError,
      },
      creation,
    ),
    'creation-answers-id-only': [['create-answer', 'pet-id'], creation(body('1'))],
    'creation-answers-empty': [['service-json', 'create-answer'], creation(body(''))],
    ...each('get-answer', 'read-answers-*', { array: inArray, null: body('null'), 'an-error': asError }, read),
    ...each(ofReads, 'read-answers-*', statuses(404, 410, 500), read),
    'read-answers-gone-as-from-2030': ['get-until-removal', authorizedRead(error(410))],
    'read-answers-not-found-for-all': ['get-until-removal', authorizedRead(error(404))],
    ...each('list-answer', 'listing-answers-*', statuses(206, 404, 500), served('listPets')),
    ...each(
      ofListings,
      'empty-page-*',
      {
        null: body('null'),
        object: body('{}'),
        missing: error(404),
        'no-content': body('', 204),
        broken: body('['),
      },
      emptyPage,
    ),
    'empty-page-of-a-status-missing': [
      'list-answer',
      listing((query, answer) => query.has('status') && answer.body === '[]')(error(404)),
    ],
    ...each('list-answer', 'limit-*-refused', ['1', '100'], (limit) => limited(limit)(error(400))),
    'limit-0-answers-no-pets': ['list-answer', limited('0')(body('{"error":"limit"}', 200))],
    'limit-101-answers-no-pets': ['list-answer', limited('101')(body('null', 200))],
    ...each(
      unlisted,
      'unknown-answers-*',
      {
        ...errors(400, 403, 410, 500),
        'an-animal': body(animal, 200),
        'that-id': withThatId,
        null: body('null', 200),
        'empty-object': body('{}', 200),
        'no-content': body('', 204),
        'without-body': body(''),
        text: body('not found'),
        array: body('[]'),
      },
      unknownAnimal,
    ),
    ...each('auth-missing-key', 'missing-key-answers-*', errors(400, 403, 404, 302, 200, 500), missingKey),
    ...each('auth-invalid-key', 'wrong-key-answers-*', errors(400, 403, 404, 302, 200, 500), wrongKey),
    'every-answer-500': ['errors-listed', everywhere(error(500))],
    'every-answer-a-login-page': [['service-json', 'list-answer'], everywhere(loginPage)],
    ...each('errors-listed', '*-breaks-the-server', deadly, breaking),
  }),
  ...rare({
    ...each('service-json', 'body-*', { ...bodies, ...brokenBodies }, everywhere),
    ...crossed('service-json', 'body-*-with-*', bodies, listed, (other, only) => withStatus(only)(other)),
    // Any creation may be refused, but a refused one must not be stored.
    ...each('create-refused-stores-nothing', 'creation-answers-*', statuses(403, 404, 409, 413, 422), creation),
    ...each(ofReads, 'read-answers-*', statuses(201, 204, 301, 403), read),
    ...each(
      ['get-until-removal', 'get-answer'],
      'read-answers-*-now-and-then',
      { gone: 410, 'not-found': 404 },
      (other) => nowAndThen(other, 3),
    ),
    'read-forbidden-now-and-then': ['get-answer', nowAndThen(403, 5)],
    ...each('list-answer', 'listing-answers-*', statuses(202, 203, 301, 304, 503), served('listPets')),
    'limit-refused-in-words': ['list-limit-refused', refusedFor('limit')(inWords)],
    'filter-refused-in-words': ['list-status-refused', refusedFor('status')(inWords)],
    ...each('errors-listed', '*-breaks-the-server', rarelyDeadly, (pattern) =>
      breaking((call) => pattern.test(sentBody(call))),
    ),
    // A service may refuse or break off a body beyond 4 KiB.
    'creation-with-a-long-name-breaks-off': [
      'errors-listed',
      breakOff(
        ({
          operation,
          request: {
            body: { length },
          },
        }) => operation === 'createPet' && length > 300 && length <= 4_096,
      ),
    ],
  }),
];
