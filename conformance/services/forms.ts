/** Legal ways to write answers, and to treat what the interface leaves open. */

import { readHeader } from '../../reference-server/index.ts';
import { isJsonObject, type JsonValue } from '../http/json.ts';
import { type Service, servicesOf } from './service.ts';
import {
  answerError,
  breakOff,
  type Call,
  changes,
  dropField,
  refuseCreation,
  type Wrap,
  withHeader,
  withKey,
} from './wraps.ts';

const changeHeaders = (change: (name: string, value: string) => readonly [string, string]): Wrap =>
  changes.answer(({ headers, ...answer }) => ({
    ...answer,
    headers: Object.fromEntries(Object.entries(headers).map(([name, value]) => change(name, value))),
  }));
const changeText = (change: (body: string) => string): Wrap =>
  changes.answer((answer) => ({ ...answer, body: change(answer.body) }));

function indented(body: string): string {
  const strings = /("(?:[^"\\]|\\.)*")(:)?|,/g;
  return body.replace(strings, (token, string?: string, colon?: string) =>
    string === undefined ? ',\n  ' : colon === undefined ? token : `${string} : `,
  );
}

function escaped(body: string): string {
  const inAscii = body.replace(/[^\x00-\x7e]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
  return inAscii.replaceAll('/', '\\/');
}

function reversed(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(reversed);
  return isJsonObject(value) ? Object.fromEntries(Object.entries(value).reverse()) : value;
}

/** Snowflake ids: far from zero and from each other. */
const snowflakeIds = { nextId: (count: number) => 2n ** 60n + 5n + (BigInt(count) << 40n) } as const;

/** Answers of a router of its own: a page that is no Error. */
const routerPage = (isRouted: (call: Call, status: number) => boolean): Wrap =>
  changes.answer(
    (answer) => ({ ...withHeader(answer, 'Content-Type', 'text/html'), status: 404, body: '<h1>Not Found</h1>' }),
    (call, { status }) => isRouted(call, status),
  );
const ofRouters = { 'pet-id-not-int64': ['refused-otherwise', 'not-found-404'] } as const;
const otherwise = 'refused-otherwise';

/** The scope of the API key excludes an operation, which is answered 401: scopes are not shown. */
const withoutScopeFor = (excluded: 'createPet' | 'getPet'): Wrap =>
  changes.request((request, { operation, key }) =>
    operation === excluded && key === 'api' ? withKey(request, 'a-key-of-nobody') : request,
  );

export const formServices: readonly Service[] = servicesOf({
  'allows-one-origin': [
    changes.answer((answer, { request }) => {
      const isNamed = readHeader(request, 'origin') !== '';
      return isNamed ? withHeader(answer, 'Access-Control-Allow-Origin', 'https://shop.example') : undefined;
    }),
    { cors: 'some-origins' },
  ],
  'lower-case-headers': [changeHeaders((name, value) => [name.toLowerCase(), value])],
  'charset-named': [
    changeHeaders((name, value) => [name, name === 'Content-Type' ? 'application/json; charset=utf-8' : value]),
  ],
  // A proxy repeats each header: libraries join the two with a comma.
  'repeated-headers': [changeHeaders((name, value) => [name, `${value}, ${value}`])],
  'pretty-json': [changeText(indented)],
  'escaped-json': [changeText(escaped)],
  'reversed-fields': [changes.json(reversed)],
  // The 201 repeats the request; only reads show the status that an animal without one was given.
  'echoes-creation': [
    changes.created((pet, { pet: sent }) => (Object.hasOwn(sent, 'status') ? undefined : dropField('status')(pet))),
    { 'status-omitted': 'available' },
  ],
  'ids-far-apart': [{ behaviour: snowflakeIds }, { 'id-form': 'rising' }],
  // A router answers unknown paths. Numbers of any length pass it.
  'router-page': [
    routerPage(({ request }, status) => status !== 401 && !/^\/v1\/pets(\/-?\d+)?(\?|$)/.test(request.target)),
    ofRouters,
  ],
  // A router matches only numeric petIds, before keys are checked.
  'typed-routes': [
    routerPage(({ operation, request }) => operation === 'getPet' && !/^\/v1\/pets\/-?\d+(\?|$)/.test(request.target)),
    ofRouters,
  ],
  // Django and Rails redirect the address with a slash behind it.
  'trailing-slash-redirected': [
    changes.answer(
      (_answer, { request: { target } }) => {
        return { status: 308, headers: { Location: target.replace('/pets/', '/pets') }, body: '' };
      },
      ({ request }) => /^\/v1\/pets\/(\?|$)/.test(request.target),
    ),
  ],
  'small-bodies': [refuseCreation(413, ({ request }) => request.body.length > 4_096)],
  'large-bodies-break-off': [breakOff(({ request }) => request.body.length > 4_096)],
  // The problems of RFC 9457, for errors that the interface does not list.
  'own-bodies-of-other-errors': [
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
    answerError(501, ({ operation, isAuthorized }) => operation === 'other' && isAuthorized),
    { 'other-operations': 'refused-501' },
  ],
  'no-parameters-twice': [
    answerError(400, ({ operation, query, isAuthorized }) => {
      return operation === 'listPets' && isAuthorized && new Set(query.keys()).size < query.size;
    }),
  ],
  'key-that-may-not-create': [{ wrap: withoutScopeFor('createPet'), exitCode: 3 }],
  'key-that-may-not-list': [
    { wrap: answerError(403, ({ operation }, { status }) => operation === 'listPets' && status === 200), exitCode: 3 },
  ],
  'key-that-may-not-get': [withoutScopeFor('getPet')],
});
