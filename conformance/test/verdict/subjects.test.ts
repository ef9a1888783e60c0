/** What a finding is about: the exchange that shows it, and the creation of the animal in it. */

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { getPet } from '../../sections/requests.ts';
import { fails } from '../../verdict/finding.ts';
import { readSubjects } from '../../verdict/subjects.ts';
import { animalOf, created, exchangesOf, type HandMadeAnswer, page, read } from '../sections/evidence.ts';

/** The number of the creation that a failure in some exchanges is about; the exchanges cited are the last ones. */
function creationOf(answers: readonly HandMadeAnswer[], pointer?: string, cited = 1): number | undefined {
  const exchanges = exchangesOf(answers);
  const facts = { expected: 'this', received: 'that', pointer };
  const subject = readSubjects(exchanges)(fails('pet-name', 'name-wrong', facts, ...exchanges.slice(-cited)));
  assert.is(subject.shown, exchanges.at(-1));
  assert.equal(subject.before, exchanges.slice(0, -1));
  return subject.creation?.number;
}

const animals = Array.from({ length: 12 }, (_, at) => animalOf(at + 1));
const creations = animals.map(({ id }) => created(id));

test('a pointer into a page leads to the creation of its entry', () => {
  assert.is(creationOf([...creations, page('', ...animals)], '/0/name'), 1);
  assert.is(creationOf([...creations, page('', ...animals)], '/11/name'), 12);
  assert.is(creationOf([...creations, page('', ...animals)]), undefined);
  assert.is(creationOf([...creations, page('', {})], '/0/id'), undefined);
});

test('a read is about the animal that it shows, or else about the one that it asks for', () => {
  assert.is(creationOf([...creations, read(2, animals[6]!)], '/name'), 7);
  assert.is(creationOf([...creations, read(2, animals[6]!)]), 2);
  assert.is(creationOf([...creations, read(2, 404)], '/code'), 2);
  assert.is(creationOf([...creations, read(99, 404)]), undefined);
  assert.is(creationOf([...creations, read('abc', 404)]), undefined);
});

test('a request of another operation is about no animal', () => {
  const deletion = { request: { ...getPet(2n), operation: 'other', method: 'DELETE' } } as const;
  assert.is(creationOf([...creations, deletion]), undefined);
});

test('a creation is about itself, and a page about the creation beside it', () => {
  assert.is(creationOf([created(1), created(2)], undefined, 2), 2);
  assert.is(creationOf([created(1), created(2), page('')], undefined, 2), 2);
  assert.is(creationOf([created(1), created(2), page('', animals[0]!)], '/0', 2), 2);
});

test.run();
