/** §1: which media types and bodies are allowed. */

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { createPet, getPet, listPets } from '../../../sections/requests.ts';
import { codesIn, failuresIn, type HandMadeAnswer } from '../evidence.ts';

const codes = (answer: Partial<HandMadeAnswer>): string =>
  codesIn('service-json', { request: listPets(), ...answer }).join();
const typed = (type: string, rest: Partial<HandMadeAnswer> = {}): string =>
  codes({ headers: { 'content-type': type }, ...rest });

test('the media type is application/json, in any case and with any parameters, also of documented errors', () => {
  // The last one as a proxy sends it that repeats a header.
  const allowed = ['Application/JSON', 'application/json; charset=utf-8', 'application/json ;v=1'];
  for (const type of [...allowed, 'application/json, application/json']) assert.is(typed(type), 'holds', type);
  const others = [
    'application/problem+json',
    'text/json',
    'application/jsonl',
    '',
    'json',
    'text/html, application/json',
  ];
  for (const type of others) assert.is(typed(type), 'not-application-json', type);
  const problem = 'application/problem+json';
  assert.is(typed(problem, { request: getPet(1n), status: 404 }), 'not-application-json');
  assert.is(typed(problem, { request: createPet({}), status: 400 }), 'not-application-json');
  for (const status of [400, 404, 405, 422, 500]) assert.is(typed('text/html', { status, body: '<p>' }), '');
  assert.is(typed('text/html', { request: { operation: 'other', target: '/' }, body: '' }), '');
});

test('a body is well-formed JSON, and the message names the usual mistakes', () => {
  assert.is(codes({ body: ' [ ] \n' }), 'holds');
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
