/** Legal ways to write answers, and to treat what the interface leaves open. */

import { allowOrigin } from '../../reference-server/twin/wraps.ts';
import type { OperationName } from '../../spec/operations.ts';
import { isJsonObject, type JsonValue } from '../http/json.ts';
import { servicesOf } from './service.ts';
import { answerError, changes, dropField, mapField, type Wrap, withHeader } from './wraps.ts';

const headersInLowerCase: Wrap = changes.answer(({ headers, ...answer }) => {
  const lower = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value] as const);
  return { ...answer, headers: Object.fromEntries(lower) };
});
const changeText = (change: (body: string) => string): Wrap =>
  changes.answer((answer) => ({ ...answer, body: change(answer.body) }));

function indented(body: string): string {
  const strings = /("(?:[^"\\]|\\.)*")(:)?|,/g;
  return body.replace(strings, (token, string?: string, colon?: string) => {
    if (string === undefined) return ',\n  ';
    return colon === undefined ? token : `${string} : `;
  });
}

function escaped(body: string): string {
  const inAscii = body.replace(/[^\x00-\x7e]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
  return inAscii.replaceAll('/', '\\/');
}

function reversed(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(reversed);
  return isJsonObject(value) ? Object.fromEntries(Object.entries(value).reverse()) : value;
}

const jsonInUtf8 = 'application/json; charset=utf-8';
const german = mapField('message', () => 'Ungültige Anfrage.');

/** Snowflake ids: far from zero and from each other. */
const snowflakeIds = { nextId: (count: number) => 2n ** 60n + 5n + (BigInt(count) << 40n) } as const;

const otherwise = 'refused-otherwise';

/** The scope of the API key excludes an operation: scopes are not shown. */
const forbidding = (excluded: OperationName): Wrap =>
  answerError(403, ({ operation, key }) => operation === excluded && key === 'api');

export const formServices = servicesOf({
  'allows-one-origin': ['a service with a site', allowOrigin('https://shop.example'), { cors: 'some-origins' }],
  'lower-case-headers': ['HTTP/2', headersInLowerCase],
  'charset-named': ['Express', changes.answer((one) => withHeader(one, 'Content-Type', jsonInUtf8))],
  'errors-in-german': ['a service for one country', changes.json((json) => (isJsonObject(json) ? german(json) : json))],
  'pretty-json': ['Rails, Spring in development', changeText(indented)],
  'escaped-json': ['PHP, Python', changeText(escaped)],
  'reversed-fields': ['serializers that sort fields', changes.json(reversed)],
  // Only reads show the status that an animal without one was given.
  'echoes-creation': [
    'a 201 that repeats the request',
    changes.created((pet, { pet: sent }) => (Object.hasOwn(sent, 'status') ? undefined : dropField('status')(pet))),
    { 'status-omitted': 'available' },
  ],
  'ids-far-apart': ['snowflake ids', { behaviour: snowflakeIds }, { 'id-form': 'rising' }],
  'ids-from-1000': [
    'MySQL: AUTO_INCREMENT = 1000',
    { behaviour: { nextId: (count) => 999n + BigInt(count) } },
    { 'id-form': 'sequential-from-elsewhere' },
  ],
  // The router knows no other path, before keys are checked; numbers of any length pass it.
  'router-page': [
    'Django, Flask: int:petId',
    changes.answer(
      (answer) => ({ ...withHeader(answer, 'Content-Type', 'text/html'), status: 404, body: '<h1>Not Found</h1>' }),
      ({ request }) => !/^\/v1\/pets(\/-?\d+)?(\?|$)/.test(request.target),
    ),
    { 'pet-id-not-int64': ['refused-otherwise', 'not-found-404'] },
  ],
  'trailing-slash-redirected': [
    'Django, Starlette',
    changes.answer(
      (_answer, { request: { target } }) => {
        return { status: 308, headers: { Location: target.replace('/pets/', '/pets') }, body: '' };
      },
      ({ request }) => /^\/v1\/pets\/(\?|$)/.test(request.target),
    ),
  ],
  'own-bodies-of-other-errors': [
    'Spring, ASP.NET: problems of RFC 9457',
    changes.answer(
      (answer) => ({
        ...withHeader(answer, 'Content-Type', 'application/problem+json'),
        body: '{"title":"","type":"about:blank"}',
      }),
      ({ operation }, { status }) =>
        status >= 400 && ![401, 429].includes(status) && !/^(createPet 400|getPet 404)$/.test(`${operation} ${status}`),
    ),
    { 'limit-out-of-range': otherwise, 'limit-not-integer': otherwise, 'status-filter-unknown': otherwise },
  ],
  'unknown-paths-not-implemented': [
    'http.server of Python',
    answerError(501, ({ operation, isAuthorized }) => operation === 'other' && isAuthorized),
    { 'other-operations': 'refused-501' },
  ],
  'no-parameters-twice': [
    'gateways that validate by openapi.yaml',
    answerError(400, ({ operation, query, isAuthorized }) => {
      return operation === 'listPets' && isAuthorized && new Set(query.keys()).size < query.size;
    }),
  ],
  'key-forbidden-to-list': ['a scoped key: 403', { wrap: forbidding('listPets'), exitCode: 3 }],
  'key-forbidden-to-get': [
    'a scoped key: 403',
    { wrap: forbidding('getPet'), exitCode: 3 },
    { 'pet-id-not-int64': 'refused-otherwise' },
  ],
});
