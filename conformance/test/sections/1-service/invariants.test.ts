/** §1: which media types and bodies are allowed. */

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { createPet, getPet, listPets } from '../../../sections/requests.ts';
import { codesIn, failuresIn, type HandMadeAnswer } from '../evidence.ts';

const problem = 'application/problem+json';

/** The code, the media type, and the rest of the answer. */
const rows: readonly (readonly [code: string, type: string, rest?: Partial<HandMadeAnswer>])[] = [
  // In any case and with any parameters; the last one as a proxy sends it that repeats a header.
  ...['Application/JSON', 'application/json; charset=utf-8', 'application/json ;v=1'].map(
    (type) => ['holds', type] as const,
  ),
  ['holds', 'application/json, application/json', { body: ' [ ] \n' }],
  ...[problem, 'text/json', 'application/jsonl', '', 'json', 'text/html, application/json'].map(
    (type) => ['not-application-json', type] as const,
  ),
  ['not-application-json', problem, { request: getPet(1n), status: 404 }],
  ['not-application-json', problem, { request: createPet({}), status: 400 }],
  // What the interface does not list.
  ...[400, 404, 405, 422, 500].map((status) => ['', 'text/html', { status, body: '<p>' }] as const),
  ['', 'text/html', { request: { operation: 'other', target: '/' }, body: '' }],
];

test('documented answers have the media type application/json', () => {
  for (const [code, type, rest] of rows) {
    const answer = { request: listPets(), headers: { 'content-type': type }, ...rest };
    assert.is(codesIn('service-json', answer).join(), code, `${type} ${rest?.status}`);
  }
});

test('a body is well-formed JSON, and the message names the usual mistakes', () => {
  for (const [body, received] of [
    ['', /^an empty body$/],
    ['\ufeff[]', /^a byte order mark in front of the JSON$/],
    ['[{"id":1', /^JSON that is cut off: /],
    [' <p>', /^HTML or XML instead of JSON$/],
    ['[1,]', /^text that is no JSON$/],
    ["['']", /JSON/],
  ] as const) {
    const [found] = failuresIn([{ request: listPets(), body }], /^service-json$/);
    assert.match(found!.failure.received ?? '', received);
  }
});

test.run();
