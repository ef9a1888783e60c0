/** The sections of the interface, as data that requirements, gaps and reports refer to. */

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { gaps } from '../../spec/gaps.ts';
import { requirements } from '../../spec/requirements.ts';
import { sectionHeading, sections } from '../../spec/sections.ts';

test('sections are in the order of the interface, each once', () => {
  const ids = sections.map(({ id }) => id);
  assert.equal(ids, [...new Set(ids)]);
  assert.equal(
    ids,
    ids.toSorted((one, other) => Number(one) - Number(other)),
  );
});

test('requirements are in the order of their sections', () => {
  const order = requirements.map(({ section }) => sections.findIndex(({ id }) => id === section));
  assert.equal(
    order,
    order.toSorted((one, other) => one - other),
  );
});

test('every section but the one that only holds others is stated or left open', () => {
  const covered = new Set<string>([...requirements, ...gaps].map(({ section }) => section));
  assert.equal(
    sections.filter(({ id }) => !covered.has(id)).map(({ id }) => id),
    ['4'],
  );
});

test('a heading has the number and the title', () => {
  assert.is(sectionHeading('4.1'), '§4.1 List all animals');
  assert.is(sectionHeading('4.3'), '§4.3 Get an animal (deprecated)');
});

test.run();
