/** §1: which media types and bodies are allowed. */

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { sentenceOf } from '../../../verdict/failure.ts';
import { createPet, getPet, listPets } from '../../../world/requests.ts';
import { failuresIn, type HandMadeAnswer, heldIn } from '../evidence.ts';

function codes(...answers: readonly HandMadeAnswer[]): readonly string[] {
  return failuresIn(answers, /^service-json$/).map(({ failure }) => failure.code);
}

function withType(type: string, rest: Partial<HandMadeAnswer> = {}): HandMadeAnswer {
  return { request: listPets(), headers: { 'content-type': type }, ...rest };
}

test('the media type is application/json, in any case and with any parameters', () => {
  for (const type of [
    'application/json',
    'Application/JSON',
    'application/json; charset=utf-8',
    'application/json ;v=1',
    // As a proxy sends it that repeats a header.
    'application/json, application/json',
  ]) {
    assert.equal(codes(withType(type)), [], type);
    assert.equal(heldIn([withType(type)], /^service-json$/), ['service-json']);
  }
  for (const type of [
    'application/problem+json',
    'text/json',
    'application/jsonl',
    '',
    'json',
    'text/html',
    'text/html, application/json',
  ]) {
    assert.equal(codes(withType(type)), ['not-application-json'], type);
  }
});

test('documented errors are application/json too; other answers may have any media type', () => {
  const problem = 'application/problem+json';
  assert.equal(codes(withType(problem, { request: getPet(1n), status: 404 })), ['not-application-json']);
  assert.equal(codes(withType(problem, { request: createPet({}), status: 400 })), ['not-application-json']);
  for (const status of [400, 404, 405, 422, 500])
    assert.equal(codes(withType('text/html', { status, body: '<p>' })), []);
  assert.equal(codes(withType('text/html', { request: { operation: 'other', target: '/' }, body: '' })), []);
});

test('a body is well-formed JSON', () => {
  for (const body of ['', '[', '[1,]', '[NaN]', '\ufeff[]', "['']", '<p>']) {
    assert.equal(codes({ request: listPets(), body }), ['not-json'], body);
  }
  assert.equal(codes({ request: listPets(), body: ' [ ] \n' }), []);
});

test('a byte order mark and a cut body are named as what they are', () => {
  const message = (body: string): string =>
    sentenceOf(failuresIn([{ request: listPets(), body }], /^service-json$/)[0]!.failure);
  assert.match(message('\ufeff[]'), 'received a byte order mark in front of the JSON');
  assert.match(message('[{"id":1'), 'received JSON that is cut off: ');
  assert.match(message(''), 'received an empty body');
});

test.run();
