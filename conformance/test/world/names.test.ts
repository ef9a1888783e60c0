/** The names of a run: made so that services take them, and found again in texts. */

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { createNamer, isPlainName, nameIn, namePattern, shapeOf } from '../../world/names.ts';

const many = (template?: string): readonly string[] => {
  const { newName } = createNamer('0afb9c', template);
  return Array.from({ length: 1_500 }, newName);
};

test('names carry the tag of the run, are all different, and of one length for a thousand', () => {
  const names = many();
  assert.equal(names.slice(0, 2), ['cf-0afb9c-01', 'cf-0afb9c-02']);
  assert.equal(names.slice(98, 101), ['cf-0afb9c-99', 'cf-0afb9c-a0', 'cf-0afb9c-a1']);
  assert.is(new Set(names).size, names.length);
  assert.equal([...new Set(names.slice(0, 1_000).map((name) => name.length))], [12]);
  for (const name of names) assert.is(isPlainName(name, {}), true, name);
});

test('plainer names have letters only and at most eleven of them, and none are plainer than these', () => {
  const namer = createNamer('0afb9c', undefined);
  const first = namer.newName();
  assert.is(namer.usePlainerNames(), true);
  const names = Array.from({ length: 700 }, namer.newName);
  assert.is(names[0], 'Cfakpljmac');
  assert.is(new Set([first, ...names]).size, 701);
  for (const name of names) assert.match(name, /^[A-Za-z]{10,11}$/);
  for (const name of names) assert.is(isPlainName(name, {}), true, name);
  assert.is(namer.usePlainerNames(), false);
});

test('a template is followed to the letter, and names by it are found again', () => {
  const settings = { nameTemplate: '(Pet) {n}.' };
  for (const name of many(settings.nameTemplate)) assert.match(name, /^\(Pet\) [a-z]{8,9}\.$/);
  const [name = ''] = many(settings.nameTemplate);
  assert.is(nameIn(`{"name":"  ${name} x"}`, settings), name);
  assert.is(nameIn('{"name":"(Pet) Rex."}', settings), undefined);
  assert.is(nameIn(name, {}), undefined);
  assert.is(createNamer('0afb9c', settings.nameTemplate).usePlainerNames(), false);
  assert.equal(many('Rex').slice(0, 2), ['Rex', 'Rex']);
  assert.is(isPlainName('Rex', { nameTemplate: 'Rex' }), true);
});

test('the name of a run is found in surrounding text, and nothing else is taken for one', () => {
  assert.is(nameIn('  cf-0afb9c-a0 🦄', {}), 'cf-0afb9c-a0');
  assert.is(nameIn('{"name":"cf-0afb9c-01Bo"}', {}), 'cf-0afb9c-01');
  assert.is(nameIn('xCfabcdefghBo', {}), 'Cfabcdefgh');
  assert.is(nameIn('{"categoryId":1,"status":"available"}', {}), undefined);
  assert.is(isPlainName('cf-0afb9c-01 ', {}), false);
  assert.is('cf-000000-00 cf-111111-11'.replace(new RegExp(namePattern({}), 'g'), '?'), '? ?');
});

test('names of one run have one shape, whatever their number, and another writing has another', () => {
  assert.is(shapeOf('cf-0afb9c-01'), shapeOf('cf-0afb9c-zz'));
  assert.is.not(shapeOf('cf-0afb9c-01'), shapeOf('cf-0afb9c-1036'));
  assert.is.not(shapeOf('Cfab'), shapeOf('cfab'));
  assert.is.not(shapeOf('{"a": 1}'), shapeOf('{"a":1}'));
  assert.is.not(shapeOf('"\\u006E"'), shapeOf('"\\u006e"'));
});

test.run();
