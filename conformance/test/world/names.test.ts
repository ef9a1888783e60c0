/** The names of a run: made so that services take them, and found again in texts. */

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { isPlainName, makeName, nameIn, namePattern, ownNameIn, shapeOf } from '../../world/names.ts';

const many = (template?: string): readonly string[] =>
  Array.from({ length: 1_500 }, (_nothing, at) => makeName('0afb9c', at + 1, template));

test('names carry the tag of the run, are all different, and eleven letters long', () => {
  const names = many();
  assert.equal(names.slice(0, 2), ['CFakpljmaab', 'CFakpljmaac']);
  assert.is(new Set(names).size, names.length);
  for (const name of names) {
    assert.match(name, /^[A-Za-z]{11}$/);
    assert.is(isPlainName(name, {}), true, name);
  }
});

test('a template is followed to the letter, and names by it are found again', () => {
  const settings = { nameTemplate: '(Pet) {n}.' };
  const [name = '', ...others] = many(settings.nameTemplate);
  for (const one of [name, ...others]) assert.match(one, /^\(Pet\) [a-z]{9}\.$/);
  assert.is(nameIn(`{"name":"  ${name} x"}`, settings), name);
  assert.is(nameIn('{"name":"(Pet) Rex."}', settings), undefined);
  assert.is(nameIn(name, {}), undefined);
  assert.equal(many('Rex').slice(0, 2), ['Rex', 'Rex']);
  assert.is(isPlainName('Rex', { nameTemplate: 'Rex' }), true);
  assert.is(ownNameIn('Rex', { nameTemplate: 'Rex' }), undefined);
});

test('the name of a run is found in surrounding text, and nothing else is taken for one', () => {
  assert.is(nameIn('{"name":"  xCFabcdefghixBo"}', {}), 'CFabcdefghi');
  assert.is(nameIn('{"categoryId":1,"status":"available"}', {}), undefined);
  assert.is(isPlainName('CFabcdefghi ', {}), false);
  assert.is('CFabcdefghi CFaaaaaazzz'.replace(new RegExp(namePattern({}), 'g'), '?'), '? ?');
});

test('texts that differ in letters and digits alone have one shape, and another writing has another', () => {
  assert.is(shapeOf('cFabcdefg01'), shapeOf('cFzzzzzzzzz'));
  assert.is(shapeOf('"cFÄé 01"'), '"xXXx xx"');
  for (const other of ['cfab', 'cFabc']) assert.is.not(shapeOf('cFab'), shapeOf(other));
  assert.is.not(shapeOf('{"a": 1}'), shapeOf('{"a":1}'));
  assert.is.not(shapeOf('"\\u006E"'), shapeOf('"\\u006e"'));
});

test.run();
