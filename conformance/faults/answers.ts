/** Faults of §1, §4 and §7: an operator gives an answer another status, body or media type; a place selects the answers. */

import { isPetStatus, type StoreResponse } from '../../reference-server/index.ts';
import { listedStatuses, type OperationName, pageLimit } from '../../spec/operations.ts';
import { isInt64 } from '../http/json.ts';
import {
  answerError,
  type Call,
  changes,
  errorAnswer,
  isListing,
  isRead,
  type Matches,
  withHeader,
} from '../services/wraps.ts';
import { crossed, eachRow, type FaultTable } from './fault.ts';

/** Returns what a faulty service answers instead. */
type Operator = (answer: StoreResponse, call: Call) => StoreResponse;
type Operators = Readonly<Record<string, Operator>>;
const error =
  (status: number): Operator =>
  (answer) =>
    errorAnswer(status, answer);
const changeBody =
  (change: string | ((body: string) => string), status?: number) =>
  (answer: StoreResponse): StoreResponse => ({
    ...answer,
    status: status ?? answer.status,
    body: typeof change === 'string' ? change : change(answer.body),
  });
const mediaType =
  (type: string | undefined): Operator =>
  (answer) =>
    withHeader(answer, 'Content-Type', type);
const toStatuses = (...others: readonly number[]): Operators =>
  Object.fromEntries(others.map((status) => [status, (answer) => ({ ...answer, status })]));
const toErrors = (...others: readonly number[]): Operators =>
  Object.fromEntries(others.map((status) => [status, error(status)]));

const otherErrors = toErrors(400, 403, 404, 302, 200, 500);

/** Places: the answers that an operator changes. */
const at = (place: Matches) => (operator: Operator) => changes.answer(operator, place);
const onAnyAnswer = at(() => true);
const served = (only: OperationName) => at(({ operation }, { status }) => operation === only && status < 300);
const onCreated = served('createPet');
const onRead = served('getPet');
const onListing = served('listPets');
const anyRead = at((call) => isRead(call) && call.isAuthorized);
const unknownAnimalPlace = at(
  (call, { status }) => isRead(call) && /\/-?\d{1,19}$/.test(call.request.target) && status === 404,
);
const listingPlace = (matches: (query: URLSearchParams, answer: StoreResponse) => boolean) =>
  at((call, answer) => isListing(call) && call.isAuthorized && matches(call.query, answer));
const emptyPage = listingPlace((_query, answer) => answer.body === '[]');
const withLimit = (limit: string) => listingPlace((query) => query.get('limit') === limit);
const unauthorized = (authorization: RegExp) =>
  at((call, { status }) => status === 401 && authorization.test(call.authorization ?? 'missing'));
const withStatus = (operator: Operator, only: number) => at((_call, { status }) => status === only)(operator);

/** The statuses of answers within the limit. */
const usualStatuses = listedStatuses.filter((status) => status !== 429);
const mediaTypes: Operators = {
  'text-plain': mediaType('text/plain'),
  none: mediaType(undefined),
  'problem-json': mediaType('application/problem+json'),
};
const furtherMediaTypes: Operators = {
  'text-html': mediaType('text/html; charset=utf-8'),
  'json-api': mediaType('application/vnd.api+json; charset=utf-8'),
  'text-json': mediaType('text/json'),
  'octet-stream': mediaType('application/octet-stream'),
};
const bodyOperators: Operators = {
  empty: changeBody(''),
  html: changeBody('<html><body>Error</body></html>'),
  'cut-off': changeBody((text) => text.slice(0, -1)),
  'with-a-byte-order-mark': changeBody((text) => `\ufeff${text}`),
  'with-nan': changeBody((text) => text.replace(/}$/, ',"extra":NaN}').replace(/]$/, ',NaN]').replace('[,', '[')),
};

const animal = '{"id":1,"name":"Rex","categoryId":1,"status":"available"}';
const loginPage: Operator = (answer) =>
  changeBody('<html><form>Please log in</form></html>', 200)(withHeader(answer, 'Content-Type', 'text/html'));
const noAnimals: Operators = {
  array: changeBody((text) => `[${text}]`),
  null: changeBody('null'),
  'an-error': (answer) => ({ ...errorAnswer(500, answer), status: answer.status }),
};
const noErrors: Operators = {
  'an-animal': changeBody(animal, 200),
  'that-id': (answer, { request }) =>
    changeBody(animal.replace('1', request.target.slice('/v1/pets/'.length)), 200)(answer),
  null: changeBody('null', 200),
  'empty-object': changeBody('{}', 200),
  'no-content': changeBody('', 204),
};

const noPages: Operators = {
  null: changeBody('null'),
  object: changeBody('{}'),
  missing: error(404),
  'no-content': changeBody('', 204),
};

/** What a router or a framework answers on its own, without the headers of the service. */
const bare = (status: number): Operator => {
  const headers = { 'Content-Type': 'text/html; charset=utf-8' };
  return () => ({ status, headers, body: `<h1>${status}</h1>` });
};
const anyCreation = at(({ operation, isAuthorized }) => operation === 'createPet' && isAuthorized);

const limitText = (call: Call): string => (isListing(call) && call.query.get('limit')) || '1';
const petIdOf = (call: Call): string => (isRead(call) && /^\/v1\/pets\/([^?]*)/.exec(call.request.target)?.[1]) || '1';
const isBeyond = (text: string): boolean => /^-?\d{19,}$/.test(text) && !isInt64(BigInt(text));

/** The smallest of the limits that are too large. */
const limitBeyond = String(pageLimit.most + 1);

/** Requests, legal or not, that a faulty service answers with 500. */
const fatal: Readonly<Record<string, (call: Call) => boolean>> = {
  'parameter-given-twice': ({ query }) => new Set(query.keys()).size < query.size,
  'limit-of-other-characters': (call) => isListing(call) && !/^-?\d+$/.test(call.query.get('limit') ?? '1'),
  'limit-below-0': (call) => /^-\d/.test(limitText(call)),
  'limit-beyond-int64': (call) => !limitText(call).startsWith('-') && isBeyond(limitText(call)),
  'limit-0': (call) => limitText(call) === '0',
  [`limit-${limitBeyond}`]: (call) => limitText(call) === limitBeyond,
  'filter-of-another-word': ({ query }) => query.getAll('status').some((word) => !isPetStatus(word)),
  'pet-id-of-other-characters': (call) => !/^-?\d+$/.test(petIdOf(call)),
  'pet-id-beyond-int64': (call) => isBeyond(petIdOf(call)),
  'name-with-half-a-character': ({ text }) => /\\ud83e"/.test(text),
  'body-nested-deeply': ({ text }) => /\[{100}/.test(text),
  'body-with-an-unknown-null': ({ text }) => /"(?!name|categoryId|status|id")\w+":\s*null/.test(text),
};

export const answerFaults: FaultTable = {
  'service-json': {
    ...eachRow('media-type-*', { ...mediaTypes, ...furtherMediaTypes }, onAnyAnswer),
    ...crossed('media-type-*-with-*', mediaTypes, usualStatuses, withStatus),
    ...crossed('body-*-with-*', bodyOperators, usualStatuses, withStatus),
    'every-answer-a-login-page': onAnyAnswer(loginPage),
    'creation-answers-empty': onCreated(changeBody('')),
    'empty-page-broken': emptyPage(changeBody('[')),
    ...eachRow(
      'unknown-answers-*',
      { text: changeBody('not found'), 'without-body': changeBody('') },
      unknownAnimalPlace,
    ),
  },
  'error-shape': { 'unknown-answers-array': unknownAnimalPlace(changeBody('[]')) },
  'create-answer': {
    ...eachRow('creation-answers-*', { ...toStatuses(200, 202, 204, 301, 500), ...noAnimals }, onCreated),
    'creation-answers-true': onCreated(changeBody('true')),
    'creation-answers-wrapped': onCreated(changeBody((text) => `{"data":${text}}`)),
    'creation-answers-id-only': onCreated(changeBody('1')),
    ...eachRow('creation-not-there-*', toErrors(404, 405), anyCreation),
    'creation-not-there-for-the-router': anyCreation(bare(404)),
  },
  // Any creation may be refused, but a refused one must not be stored.
  'create-refused-stores-nothing': eachRow('creation-answers-*', toStatuses(403, 404, 409, 413, 422), onCreated),
  'get-answer': eachRow('read-answers-*', { ...noAnimals, ...toStatuses(201, 204, 301, 403, 404, 500) }, onRead),
  'get-until-removal': {
    'read-answers-410': onRead(error(410)),
    'read-answers-gone-as-from-2030': anyRead(error(410)),
    'read-answers-not-found-for-all': anyRead(error(404)),
  },
  'list-answer': {
    ...eachRow('listing-answers-*', toStatuses(202, 203, 206, 301, 304, 404, 500, 503), onListing),
    ...eachRow('empty-page-*', noPages, emptyPage),
    'empty-page-of-a-status-missing': listingPlace((query, answer) => query.has('status') && answer.body === '[]')(
      error(404),
    ),
    ...eachRow('limit-*-refused', [pageLimit.least, pageLimit.most], (limit) => withLimit(String(limit))(error(400))),
    'limit-0-answers-no-pets': withLimit('0')(changeBody('{"error":"limit"}', 200)),
    [`limit-${limitBeyond}-answers-no-pets`]: withLimit(limitBeyond)(changeBody('null', 200)),
  },
  'list-status-refused': {
    'filter-refused-in-words': listingPlace((query, { status }) => query.has('status') && status === 400)(
      changeBody('"Bad Request"'),
    ),
  },
  'get-not-found': eachRow('unknown-answers-*', { ...toErrors(400, 403, 410, 500), ...noErrors }, unknownAnimalPlace),
  'auth-missing-key': eachRow('missing-key-answers-*', otherErrors, unauthorized(/^missing$/)),
  'auth-invalid-key': eachRow('wrong-key-answers-*', otherErrors, unauthorized(/^Bearer /)),
  // A listing that is refused before the limiter, by a framework.
  'rate-limit-header': {
    'limit-refused-by-a-page': listingPlace((query, { status }) => query.has('limit') && status === 400)(bare(400)),
  },
  'errors-listed': {
    'every-answer-500': onAnyAnswer(error(500)),
    ...eachRow('*-breaks-the-server', fatal, (matches) =>
      answerError(500, (call) => call.isAuthorized && matches(call)),
    ),
  },
};
