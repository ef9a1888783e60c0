/** The ring of requests reads back what came, however its memory is used again. */

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { fc } from '../../../conformance/test/properties.ts';
import type { StoreRequest, StoreResponse } from '../../index.ts';
import { createRequestRing } from '../../twin/kept.ts';

const bytes = (text: string): Uint8Array => new Uint8Array(Buffer.from(text));

const whole: StoreRequest = {
  method: 'POST',
  target: '/v1/pets?name=é',
  headers: [
    ['Content-Type', 'application/json'],
    ['X-Empty', ''],
    ['X-Twice', 'a: b'],
    ['X-Twice', 'c'],
  ],
  body: bytes('{"name":"Zoë"}'),
  address: '',
};
const created: StoreResponse = { status: 201, headers: { Location: '/v1/pets/1', Link: 'a: b' }, body: '{"id":1}' };

test('a request is read back as it came: head, repeated headers, body, time and answer', () => {
  const ring = createRequestRing(3);
  ring.add(whole, created, 1_700_000_000_000.5);
  const { sent, ...rest } = ring.read(1);
  assert.equal(rest, { number: 1, now: 1_700_000_000_000.5, answer: created });
  assert.equal({ ...sent, body: new Uint8Array(sent.body) }, whole);
});

test('a connection that broke has no answer, and a request without headers and body has none', () => {
  const ring = createRequestRing(3);
  const bare: StoreRequest = { method: '', target: '', headers: [], body: bytes(''), address: '' };
  ring.add(bare, undefined, 1);
  ring.add(bare, { status: 400, headers: {}, body: '' }, 2);
  assert.is(ring.read(1).answer, undefined);
  assert.equal(ring.read(2).answer, { status: 400, headers: {}, body: '' });
  assert.equal([ring.read(2).sent.headers, ring.read(2).sent.body.length, ring.count()], [[], 0, 2]);
});

/** Adds requests with bodies of these lengths, and reads after each what is kept. */
function checkRing(most: number, lengths: readonly number[]): void {
  const ring = createRequestRing(most);
  for (const [at, length] of lengths.entries()) {
    const newest = at + 1;
    const body = new Uint8Array(length).fill(newest);
    ring.add({ ...whole, target: `/é${newest}`, body }, { ...created, body: `answer ${newest}` }, at);
    for (let number = Math.max(1, newest - most + 1); number <= newest; number += 1) {
      const { sent, answer } = ring.read(number);
      assert.equal([sent.target, answer?.body], [`/é${number}`, `answer ${number}`]);
      assert.is(Buffer.from(sent.body).compare(Buffer.alloc(lengths[number - 1]!, number)), 0, `the body of ${number}`);
    }
  }
}

test('answers to one target are told apart, the same body included', () => {
  const ring = createRequestRing(4);
  for (const body of ['[]', '[1]', '[1]', '[]']) ring.add(whole, { ...created, body }, 1);
  assert.equal(
    [1, 2, 3, 4].map((number) => ring.read(number).answer?.body),
    ['[]', '[1]', '[1]', '[]'],
  );
});

const block = 2 ** 20;

test('the memory of requests that are not kept any more is used again', () => {
  const ring = createRequestRing(2);
  const used = new Set<ArrayBufferLike>();
  for (let number = 1; number <= 6; number += 1) {
    ring.add({ ...whole, body: new Uint8Array(block - 1_000) }, created, number);
    used.add(ring.read(number).sent.body.buffer);
  }
  assert.is(used.size, 2);
});

const sequences = [
  ['a large request comes while the first block is still read', 3, [10, 10, 10, block - 1_000]],
  ['a request is larger than a block', 2, [10, 10, block + 10, 10, 10, block + 10, 10]],
  ['a head would not fit into what a body has left', 2, [block - 1_000, 10, 10, 10, 10, 10, 10, 10, 10]],
  ['every request takes a block of its own', 2, [block - 1_000, block - 1_000, block + 10, block - 1_000, 10]],
] as const;

for (const [what, most, lengths] of sequences) {
  test(`the latest requests are whole where ${what}`, () => checkRing(most, lengths));
}

test('the latest requests are whole after any number of others, of any size', () => {
  // A few bodies fill a block, so that blocks are used again.
  const sizes = fc.array(fc.integer({ min: 0, max: 400_000 }), { minLength: 1, maxLength: 30 });
  fc.assert(fc.property(fc.integer({ min: 1, max: 7 }), sizes, checkRing), { seed: 1, numRuns: 20 });
});

test.run();
