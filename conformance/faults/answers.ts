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
import { type Breaks, crossed, each, type Fault, ordinary, type Rows, rare } from './fault.ts';

/** What takes the place of an answer. */
type Other = (answer: StoreResponse, call: Call) => StoreResponse;
const status =
  (other: number): Other =>
  (answer) => ({ ...answer, status: other });
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

const table = (of: (other: number) => Other, ...statuses: readonly number[]): Readonly<Record<string, Other>> =>
  Object.fromEntries(statuses.map((other) => [other, of(other)]));

/** The answers that are replaced. */
type Place = (other: Other) => Wrap;
const where =
  (matches: (call: Call, answer: StoreResponse) => boolean): Place =>
  (other) =>
    changeAnswer(other, matches);
const everywhere = where(() => true);
const served = (only: OperationName): Place =>
  where(({ operation }, answer) => operation === only && answer.status < 300);
const unknownAnimal = where(
  ({ operation, request, isAuthorized }, answer) =>
    operation === 'getPet' && /\/-?\d{1,19}$/.test(request.target) && isAuthorized && answer.status === 404,
);
const emptyPage = where(({ operation }, answer) => operation === 'listPets' && answer.body === '[]');
const emptyFilteredPage = where(
  ({ operation, query }, answer) => operation === 'listPets' && query.has('status') && answer.body === '[]',
);
const refusedListing = (parameter: string): Place =>
  where(({ operation, query }, answer) => operation === 'listPets' && answer.status === 400 && query.has(parameter));
const listingOf = (limit: string, status?: number): Place =>
  where(({ operation, query, isAuthorized }, answer) => {
    const isMeant = status === undefined ? isAuthorized : answer.status === status;
    return operation === 'listPets' && query.get('limit') === limit && isMeant;
  });
const authorized = (only: OperationName): Place =>
  where(({ operation, isAuthorized }) => operation === only && isAuthorized);
/** Every so-many-th read of an animal that exists. */
const nowAndThen = (other: number, every: number): Wrap =>
  changeAnswer(
    (answer, _call, count) => (count % every === 0 ? errorAnswer(other, answer) : undefined),
    ({ operation }, answer) => operation === 'getPet' && answer.status < 300,
  );

const listed = ['200', '201', '400', '401', '404'];
const withStatus = (only: string): Place => where((_call, answer) => String(answer.status) === only);

const mediaTypes = {
  'text-plain': mediaType('text/plain'),
  none: mediaType(undefined),
  'problem-json': mediaType('application/problem+json'),
};
const furtherMediaTypes = {
  'text-html': mediaType('text/html; charset=utf-8'),
  'json-api': mediaType('application/vnd.api+json; charset=utf-8'),
  'text-json': mediaType('text/json'),
  'octet-stream': mediaType('application/octet-stream'),
};

const bodies = { empty: body(''), html: body('<html><body>Error</body></html>') };
const brokenBodies = {
  'cut-off': body((text) => text.slice(0, -1)),
  'with-a-trailing-comma': body((text) => text.replace(/}$/, ',}').replace(/]$/, ',]')),
  'in-single-quotes': body((text) => text.replaceAll('"', "'").replace(/^\[\]$/, "['']")),
  'with-a-byte-order-mark': body((text) => `\ufeff${text}`),
  'with-nan': body((text) => text.replace(/}$/, ',"extra":NaN}').replace(/]$/, ',NaN]').replace('[,', '[')),
};

const animal = '{"id":1,"name":"Rex","categoryId":1,"status":"available"}';
const inWords: Other = (answer) => ({ ...withHeader(answer, 'Content-Type', 'text/plain'), body: 'Bad Request' });
const asError: Other = (answer) => ({ ...errorAnswer(404, answer), status: answer.status });
const inArray = body((text) => `[${text}]`);

const refusals = table(error, 400, 403, 404, 302, 200, 500);
const withoutKey = where(
  ({ request }, answer) => answer.status === 401 && requestHeader(request, 'authorization') === undefined,
);
const withWrongKey = where(
  ({ request }, answer) => answer.status === 401 && /^Bearer (.*)$/.test(requestHeader(request, 'authorization') ?? ''),
);

const limitOf = ({ operation, query }: Call): string => (operation === 'listPets' && query.get('limit')) || '1';
const petIdOf = ({ operation, request }: Call): string =>
  (operation === 'getPet' && /^\/v1\/pets\/([^?]*)/.exec(request.target)?.[1]) || '1';

/** Requests, allowed or not, on which a careless service fails. */
const deadly: Readonly<Record<string, (call: Call) => boolean>> = {
  'parameter-given-twice': ({ query }) => new Set(query.keys()).size < query.size,
  'limit-of-other-characters': ({ operation, query }) =>
    operation === 'listPets' && !/^-?\d+$/.test(query.get('limit') ?? '1'),
  'limit-below-0': (call) => /^-\d/.test(limitOf(call)),
  'limit-beyond-int64': (call) => /^\d{19,}$/.test(limitOf(call)) && !isInt64(BigInt(limitOf(call))),
  'limit-0': (call) => limitOf(call) === '0',
  'limit-101': (call) => limitOf(call) === '101',
  'filter-of-another-word': ({ query }) => query.getAll('status').some((word) => !isPetStatus(word)),
  'pet-id-of-other-characters': (call) => !/^-?\d+$/.test(petIdOf(call)),
  'pet-id-beyond-int64': (call) => /^-?\d{19,}$/.test(petIdOf(call)) && !isInt64(BigInt(petIdOf(call))),
};

/** Single values that break a service, and parts of a request that few requests have: by the target, and by the body. */
const rarelyDeadlyTargets: Readonly<Record<string, RegExp>> = {
  'limit--1': /[?&]limit=-1(&|$)/,
  'limit-abc': /[?&]limit=abc(&|$)/,
  'limit-empty': /[?&]limit=(&|$)/,
  'limit-1.5': /[?&]limit=1\.5(&|$)/,
  'limit-beyond-int32': /[?&]limit=\d{10}(&|$)/,
  'limit-of-sixty-digits': /[?&]limit=\d{50,}/,
  'filter-AVAILABLE': /[?&]status=AVAILABLE/,
  'filter-none': /[?&]status=(&|$)/,
  'filter-named-like-a-member': /[?&]status=(constructor|__proto__|toString)/,
  'pet-id-null': /\/pets\/null$/,
  'pet-id-__proto__': /\/pets\/__proto__$/,
  'pet-id-of-many-digits': /\/pets\/9{100,}$/,
  'page-parameter': /[?&]page=/,
  'empty-pair': /&&|\?&|&$/,
};
const rarelyDeadlyBodies: Readonly<Record<string, RegExp>> = {
  'name-with-half-a-character': /\\ud83e"/,
  'body-nested-deeply': /\[{100}/,
  'body-with-an-unknown-null': /"(?!name|categoryId|status|id")\w+":\s*null/,
  'body-indented-with-tabs': /\n\t"/,
  'body-with-__proto__': /"__proto__"\s*:/,
  'body-with-a-number-beyond-a-double': /:1e400\b/,
};

const breaking = (matches: (call: Call) => boolean): Wrap =>
  answerError(500, (call) => call.isAuthorized && matches(call));

const unlisted: Breaks = ['get-not-found', 'error-shape', 'service-json', 'errors-listed'];
const ofListings: Breaks = ['list-answer', 'service-json'];
const ofReads: Breaks = ['get-answer', 'get-until-removal'];
const rows = (breaks: Breaks, id: `${string}*`, place: Place, others: Readonly<Record<string, Other>>): Rows =>
  each(breaks, id, others, place);

export const answerFaults: readonly Fault[] = [
  ...ordinary({
    ...rows('service-json', 'media-type-*', everywhere, { ...mediaTypes, ...furtherMediaTypes }),
    ...crossed('service-json', 'media-type-*-with-*', mediaTypes, listed, (other, only) => withStatus(only)(other)),
    ...rows('create-answer', 'creation-answers-*', served('createPet'), {
      ...table(status, 200, 202, 204, 301, 500),
      array: inArray,
      null: body('null'),
      true: body('true'),
      wrapped: body((text) => `{"data":${text}}`),
      'an-error': (answer) => ({ ...errorAnswer(500, answer), status: 201 }),
    }),
    ...rows(['create-answer', 'pet-id'], 'creation-answers-*', served('createPet'), { 'id-only': body('1') }),
    ...rows(['service-json', 'create-answer'], 'creation-answers-*', served('createPet'), { empty: body('') }),
    ...rows('get-answer', 'read-answers-*', served('getPet'), {
      array: inArray,
      null: body('null'),
      'an-error': asError,
    }),
    ...rows(ofReads, 'read-answers-*', served('getPet'), table(status, 404, 410, 500)),
    ...rows('get-until-removal', 'read-answers-*', authorized('getPet'), {
      'gone-as-from-2030': error(410),
      'not-found-for-all': error(404),
    }),
    ...rows('list-answer', 'listing-answers-*', served('listPets'), table(status, 206, 404, 500)),
    ...rows(ofListings, 'empty-page-*', emptyPage, {
      null: body('null'),
      object: body('{}'),
      missing: error(404),
      'no-content': body('', 204),
      broken: body('['),
    }),
    'empty-page-of-a-status-missing': ['list-answer', emptyFilteredPage(error(404))],
    ...each('list-answer', 'limit-*-refused', ['1', '100'], (limit) => listingOf(limit, 200)(error(400))),
    'limit-0-answers-no-pets': ['list-answer', listingOf('0')(body('{"error":"limit"}', 200))],
    'limit-101-answers-no-pets': ['list-answer', listingOf('101')(body('null', 200))],
    ...rows(unlisted, 'unknown-answers-*', unknownAnimal, {
      ...table(error, 400, 403, 410, 500),
      'an-animal': body(animal, 200),
      'that-id': (answer, { request }) => ({
        ...answer,
        status: 200,
        body: animal.replace('1', request.target.slice('/v1/pets/'.length)),
      }),
      null: body('null', 200),
      'empty-object': body('{}', 200),
      'no-content': body('', 204),
      'without-body': body(''),
      text: body('not found'),
      array: body('[]'),
    }),
    ...rows('auth-missing-key', 'missing-key-answers-*', withoutKey, refusals),
    ...rows('auth-invalid-key', 'wrong-key-answers-*', withWrongKey, refusals),
    'every-answer-500': ['errors-listed', everywhere(error(500))],
    'every-answer-a-login-page': [
      ['service-json', 'list-answer'],
      everywhere((answer) => ({
        ...withHeader(answer, 'Content-Type', 'text/html'),
        status: 200,
        body: '<html><form>Please log in</form></html>',
      })),
    ],
    ...each('errors-listed', '*-breaks-the-server', deadly, breaking),
  }),
  ...rare({
    ...rows('service-json', 'body-*', everywhere, { ...bodies, ...brokenBodies }),
    ...crossed('service-json', 'body-*-with-*', bodies, listed, (other, only) => withStatus(only)(other)),
    // Any creation may be refused, but a refused one must not be stored.
    ...rows(
      'create-refused-stores-nothing',
      'creation-answers-*',
      served('createPet'),
      table(status, 403, 404, 409, 413, 422),
    ),
    ...rows(ofReads, 'read-answers-*', served('getPet'), table(status, 201, 204, 301, 403)),
    ...each(
      ['get-until-removal', 'get-answer'],
      'read-answers-*-now-and-then',
      { gone: 410, 'not-found': 404 },
      (other) => nowAndThen(other, 3),
    ),
    'read-forbidden-now-and-then': ['get-answer', nowAndThen(403, 5)],
    ...rows('list-answer', 'listing-answers-*', served('listPets'), table(status, 202, 203, 301, 304, 503)),
    'limit-refused-in-words': ['list-limit-refused', refusedListing('limit')(inWords)],
    'filter-refused-in-words': ['list-status-refused', refusedListing('status')(inWords)],
    ...each('errors-listed', '*-breaks-the-server', rarelyDeadlyTargets, (pattern) =>
      breaking(({ request }) => pattern.test(request.target)),
    ),
    ...each('errors-listed', '*-breaks-the-server', rarelyDeadlyBodies, (pattern) =>
      breaking((call) => pattern.test(sentBody(call))),
    ),
    // A service may refuse or break off a body beyond 4 KiB.
    'creation-with-a-long-name-breaks-off': [
      'errors-listed',
      breakOff(
        ({ operation, request }) =>
          operation === 'createPet' && request.body.length > 300 && request.body.length <= 4_096,
      ),
    ],
  }),
];
