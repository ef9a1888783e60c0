/** The form of ids, the status when it is omitted, and fields that are not listed. */

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import {
  accepted,
  animal,
  answer,
  creation,
  listing,
  observe,
  type PartialExchange,
  reading,
  without,
} from '../observer-evidence.ts';

const body = '{"name":"Rex","categoryId":1}';
const created = (status?: string): PartialExchange =>
  creation(body, answer(201, animal(7, status === undefined ? {} : { status })));

test('the status when it is omitted is that of the first read, else that of the 201', () => {
  const gap = 'status-omitted';
  // A 201 may merely echo what was sent.
  assert.is(observe(gap, [created()]), undefined);
  assert.is(observe(gap, [created('pending')]), 'pending #1');
  assert.is(observe(gap, [created(), reading(7, answer(200, animal(7, { status: 'sold' })))]), 'sold #1');
  const twice = ['available', 'sold'].map((status) => reading(7, answer(200, animal(7, { status }))));
  assert.is(observe(gap, [created('pending'), ...twice]), 'available #1');
  assert.is(observe(gap, [created('pending'), reading(7, answer(200, animal(7)))]), 'absent #1');
  assert.is(observe(gap, [created('sold'), listing('', answer(200, `[${animal(8)}]`))]), 'sold #1');
  const unauthorized = reading(7, answer(200, animal(7, { status: 'sold' })), { credential: without });
  assert.is(observe(gap, [created('pending'), unauthorized]), 'pending #1');
  assert.is(observe(gap, [created('lost')]), undefined);
});

test('a creation with a status, or with an invalid body, shows nothing', () => {
  const sent = creation('{"name":"Rex","categoryId":1,"status":"sold"}', answer(201, animal(7, { status: 'sold' })));
  assert.is(observe('status-omitted', [sent]), undefined);
  assert.is(observe('status-omitted', [creation('{}', answer(201, animal(7)))]), undefined);
});

/** Ids of animals that are created one after another, with their form. */
const ids: readonly (readonly [answer: string | undefined, ids: readonly (bigint | number)[]])[] = [
  ['sequential', [1, 2, 3, 4, 5, 6]],
  ['sequential', [1, 2, 3, 4, 5, 1005]],
  ['rising', [1, 2, 3, 4, 5, 1006]],
  ['rising', [-1, 2, 3, 4, 5, 6]],
  ['rising', [0, 1, 2, 3, 4, 5]],
  ['random', [1, 2, 3, 4, 6, 5]],
  ['random', [6, 5, 4, 3, 1, 2]],
  ['negative', [-1, -2, -3, -4, -5, -6]],
  [undefined, [5, 4, 3, 2, 1, 0]],
  ['large', [6, 5, 4, 3, 2, 1].map((each) => 2n ** 62n + BigInt(each))],
  [undefined, [5, 4, 3, 2, 1, 0].map((each) => 2n ** 62n + BigInt(each))],
  [undefined, [0, -1, -2, -3, -4, -5]],
  [undefined, [1, 2, 3, 4, 5]],
];

for (const [expected, drawn] of ids) {
  test(`ids ${drawn.join(', ')} are ${expected ?? 'of no form'}`, () => {
    const asked = drawn.map((id) => accepted(String(id)));
    assert.is(observe('id-form', asked), expected && `${expected} #1`);
  });
}

test('concurrent creations have no order', () => {
  const asked = [3, 1, 2, 4, 5, 6].map((id) => accepted(String(id)));
  const atOnce = asked.map((part, at) => ({ ...part, ...(at < 3 ? { sent: 1, answered: 6 } : {}) }));
  assert.is(observe('id-form', atOnce), undefined);
  assert.is(observe('id-form', [...atOnce, accepted('7'), accepted('8')]), 'sequential #1');
});

const error = (fields = {}): PartialExchange =>
  reading(9, answer(404, JSON.stringify({ code: 'x', message: 'No.', status: 404, ...fields })));
const page = (fields = {}): PartialExchange => listing('', answer(200, `[${animal(1)},${animal(2, fields)}]`));

test('fields that are not listed are observed by where they occur', () => {
  const gap = 'extra-response-fields';
  const more = { colour: 'brown' };
  assert.is(observe(gap, [page({ status: 'sold' }), error()]), 'none #1');
  assert.is(observe(gap, [error(), page(), page(more)]), 'in-animals #3');
  assert.is(observe(gap, [page(), error(), error(more)]), 'in-errors #3');
  assert.is(observe(gap, [error(more), page(more)]), 'extra #2');
});

test('animals without errors, or an unreadable page, show nothing', () => {
  const gap = 'extra-response-fields';
  assert.is(observe(gap, [page()]), undefined);
  assert.is(observe(gap, [error()]), undefined);
  assert.is(observe(gap, [page(), { ...error(), operation: 'other' }]), undefined);
  assert.is(observe(gap, [page(), reading(9, answer(404, '"No."'))]), undefined);
  assert.is(observe(gap, [{ ...page(), credential: without }, error()]), undefined);
  const deep = listing('', answer(200, `${'['.repeat(3_000)}${']'.repeat(3_000)}`));
  assert.is(observe(gap, [page(), error(), deep]), undefined);
  assert.is(observe(gap, [page(), error(), listing('', answer(200, 'no JSON'))]), 'none #1');
});

test('a field that the run itself sent does not count', () => {
  const sent = creation('{"name":"Rex","categoryId":1,"colour":"brown"}', answer(201, animal(7)));
  const gap = 'extra-response-fields';
  assert.is(observe(gap, [sent, page({ colour: 'brown' }), error()]), 'none #1');
  assert.is(observe(gap, [sent, page({ colour: 'brown', age: 3 }), error()]), 'in-animals #2');
  assert.is(observe(gap, [creation('[]', answer(400)), creation('x', answer(400)), page()]), 'none #3');
});

test.run();
