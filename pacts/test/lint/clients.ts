/** Pacts whose requests break client requirements, with the expected remarks. */

import type { Remark } from '../../lint/lint-pact.ts';
import {
  alike,
  animal,
  type Case,
  content,
  creation,
  error,
  errorRules,
  exists,
  json,
  page,
  read,
} from './interaction.ts';

type Broken = readonly [code: Remark['code'], section: Remark['section'], message: RegExp];

const listed = page([animal]);
/** A status that lint leaves open here; a 4xx would make the request a test of a refusal. */
const served = { status: 200 };

/** Name → a pact, and all remarks on its client. */
export const carelessClients: Readonly<Record<string, readonly [Case, ...Broken[]]>> = {
  'the key in the query': [
    { request: { query: { api_key: ['of-the-client'] }, headers: {} }, response: served },
    ['client-key-in-header', '5', /^expected the key in Authorization: Bearer alone, received it in the address$/],
  ],
  'the key in the header X-Auth-Token': [
    { request: { headers: { 'X-Auth-Token': ['of-the-client'] } }, response: served },
    ['client-key-in-header', '5', /received it in the header x-auth-token$/],
  ],
  'the key in the parameter auth-token': [
    { request: { query: { 'auth-token': ['of-the-client'] }, headers: {} }, response: served },
    ['client-key-in-header', '5', /received it in the address$/],
  ],
  'the key in another header': [
    { request: { headers: { 'X-API-Key': ['of-the-client'] } }, response: served },
    ['client-key-in-header', '5', /received it in the header x-api-key$/],
  ],
  'the key in the query as well': [
    {
      request: {
        query: { note: ['the-key-of-the-client'] },
        headers: { authorization: 'Bearer the-key-of-the-client' },
      },
      response: listed,
    },
    ['client-key-in-header', '5', /received it in the address$/],
  ],
  'the key in the body as well': [
    {
      request: creation(
        { name: 'the-key-of-the-client', categoryId: 1 },
        { ...json, Authorization: ['Bearer the-key-of-the-client'] },
      ),
      response: read({ id: 1 }, alike, 201),
    },
    ['client-key-in-header', '5', /received it in the body$/],
  ],
  'the key in another scheme': [
    { request: { headers: { Authorization: ['Basic b2Y6Y2xpZW50'] } }, response: served },
    ['client-key-in-header', '5', /received it in another scheme of the Authorization header$/],
  ],
  'a limit out of range': [
    { request: { query: { limit: ['101'] } }, response: listed },
    ['client-limit-in-range', '4.1', /^expected one limit from 1 to 100, received "101"$/],
  ],
  'two limits, whatever the key': [
    { request: { query: 'limit=1&limit=2', headers: {} }, response: served },
    ['client-limit-in-range', '4.1', /received "1" and "2"$/],
  ],
  'a filter by no status': [
    { request: { query: { status: ['lost'] } }, response: listed },
    ['client-status-known', '4.1', /received "lost"$/],
  ],
  'a parameter of a creation': [
    {
      request: { ...creation({ name: 'Rex', categoryId: 1 }), query: { dry: ['1'] } },
      response: read({ id: 1 }, alike, 201),
    },
    ['client-shown-only', '4', /^expected createPet with no parameter, received dry as well$/],
  ],
  'an operation that is not shown': [
    { request: { method: 'DELETE', path: '/v1/pets/1' }, response: { status: 204 } },
    ['client-shown-only', '4', /below the base address, received DELETE \/pets\/1$/],
  ],
  'an id that is no int64': [
    { request: { path: '/pets/abc', headers: {} }, response: served },
    ['client-id-int64', '4.3', /^expected an int64 in plain digits, received "abc"$/],
  ],
  'an id in an escape': [
    { states: [exists], request: { path: '/pets/%31' }, response: read({ id: 1 }) },
    ['client-id-int64', '4.3', /received "%31"$/],
  ],
  'another media type': [
    { request: creation({ name: 'Rex', categoryId: 1 }, { 'Content-Type': ['text/plain'] }), response: served },
    ['client-sends-json', '4.2', /^expected application\/json, received text\/plain$/],
  ],
  'an animal without a category': [
    { request: creation({ name: 'Rex' }), response: read({ id: 1 }, alike, 201) },
    ['client-required-fields', '2', /^expected categoryId, received a body without it$/],
  ],
  'a creation of nothing': [
    { request: { method: 'POST' }, response: read({ id: 1 }, alike, 201) },
    ['client-required-fields', '2', /received an empty body$/],
  ],
  'values outside their range': [
    { request: creation({ name: 5, categoryId: 1.5, status: 'lost' }), response: read({ id: 1 }, alike, 201) },
    ['client-values-in-range', '2', /^expected name to be a string, received 5$/],
    ['client-values-in-range', '2', /^expected categoryId to be an int64, received 1\.5$/],
    ['client-values-in-range', '2', /^expected status to be available, pending or sold, received "lost"$/],
  ],
  'a body that is refused on purpose': [
    {
      request: { ...creation({ name: 5 }, { 'Content-Type': ['text/plain'] }), body: content({ name: 5 }) },
      response: read(error(400), errorRules, 400),
    },
  ],
  'a key in the wrong place, refused on purpose': [
    { request: { headers: { 'X-API-Key': ['of-the-client'] } }, response: { status: 401 } },
  ],
  'a limit out of range, refused on purpose': [
    { request: { query: { limit: ['101'] } }, response: read(error(400), errorRules, 400) },
  ],
};
