/** Pacts that openapi.yaml contradicts. */

import { alike, animal, creation, type Excesses, exists, page, read, unknown } from './interaction.ts';

export const contradictions: Excesses = {
  'a path that is not shown': [
    { request: { path: '/orders' }, response: page([]) },
    'openapi-mismatch',
    'contradiction',
    undefined,
    /request\.path: .*GET \/orders/,
  ],
  'an operation that is not shown': [
    { request: { method: 'DELETE', path: '/pets/1' }, response: { status: 204 } },
    'openapi-mismatch',
    'contradiction',
    undefined,
    /DELETE \/pets\/1/,
  ],
  'a status that is not listed': [
    { request: creation({ name: 'Mia', categoryId: 1 }), response: read(animal, alike, 200) },
    'openapi-mismatch',
    'contradiction',
    undefined,
    /response\.status: .*200/,
  ],
  'a wrong type': [
    { states: [exists], request: { path: '/pets/1' }, response: read({ ...animal, id: '1' }) },
    'openapi-mismatch',
    'contradiction',
    undefined,
    /response\.body\.id: .*must be integer/,
  ],
  'a status of no animal': [
    { states: [exists], request: { path: '/pets/1' }, response: read({ ...animal, status: 'lost' }) },
    'openapi-mismatch',
    'contradiction',
    undefined,
    /response\.body\.status: .*allowed values/,
  ],
  'a field that is not listed': [
    { states: [exists], request: { path: '/pets/1' }, response: read({ ...animal, colour: 'red' }) },
    'response-field-unlisted',
    'contradiction',
    'extra-response-fields',
    /colour/,
  ],
  'an Error of another shape': [
    { states: [unknown], request: { path: '/pets/1' }, response: read({ error: 'none' }, alike, 404) },
    'response-field-unlisted',
    'contradiction',
    'extra-response-fields',
    /error/,
  ],
  'a page for no key': [
    { request: { headers: {} }, response: page([], alike) },
    'openapi-mismatch',
    'contradiction',
    undefined,
    /Authorization/,
  ],
  'another media type': [
    { response: { status: 200, headers: { 'Content-Type': ['text/html'] } } },
    'openapi-mismatch',
    'contradiction',
    undefined,
    /content-type/i,
  ],
};
