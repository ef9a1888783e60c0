/** A cached page equals the page that would be written now, and the cache is bounded. */

import fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { GapChoices } from '../../spec/gaps.ts';
import { createPetStore } from '../index.ts';
import { askHandle, key, readFields, readHeader, write } from './client.ts';
import { heldBytes } from './garbage.ts';

const test = suite('list-pets');

type Act = { readonly create: string } | { readonly list: string };

const acts = fc.array(
  fc.oneof(
    fc.record({ create: fc.constantFrom('available', 'pending', 'sold') }),
    fc.record({
      list: fc
        .tuple(
          fc.constantFrom('limit=1', 'limit=2', 'limit=3', 'limit=100', 'x='),
          fc.constantFrom('', '&status=sold', '&status=pending'),
          fc.constantFrom('', '&after=1', '&after=2'),
        )
        .map((parts) => parts.join('')),
    }),
  ),
  { maxLength: 60 },
);

function openWith(gaps: Partial<GapChoices>) {
  const keys = [{ key, plan: 'enterprise', perMinute: 1e9, perDay: 1e9 }] as const;
  const { handle } = createPetStore({ keys, gaps });
  return {
    create: (status: string) => askHandle(handle, { body: write({ status }) }),
    list: (query: string) => askHandle(handle, { target: `/v1/pets?${query}` }),
  };
}

for (const order of ['oldest-first', 'newest-first'] as const) {
  for (const pages of ['none', 'link-header'] as const) {
    test(`a cached answer equals a fresh one: ${order}, ${pages}`, () => {
      fc.assert(
        fc.property(acts, (drawn: readonly Act[]) => {
          const { create, list } = openWith({ 'list-order': order, 'later-pages': pages });
          for (const [at, act] of drawn.entries()) {
            if ('create' in act) create(act.create);
            else {
              const kept = list(act.list);
              // A meaningless parameter makes a query that is not in the cache.
              const anew = list(`${act.list}&unknown=${at}`);
              assert.is(kept.body, anew.body);
              assert.is(readHeader(kept, 'Link'), readHeader(anew, 'Link')?.replace(`&unknown=${at}`, ''));
            }
          }
        }),
      );
    });
  }
}

test('a shuffled page is never cached', () => {
  const { create, list } = openWith({ 'list-order': 'shuffled' });
  for (let at = 0; at < 20; at += 1) create('sold');
  const bodies = new Set(Array.from({ length: 20 }, () => list('limit=10').body));
  assert.ok(bodies.size > 1);
});

test('pages are right however many queries are asked', () => {
  const { create, list } = openWith({});
  for (let at = 0; at < 3; at += 1) create('sold');
  const first = list('limit=2').body;
  for (let at = 0; at < 1_000; at += 1) assert.is(list(`limit=2&x=${at}`).body, first);
  create('sold');
  assert.is(list('limit=2').body, first);
  assert.is(Object.keys(readFields(list('limit=4'))).length, 4);
});

/** Bytes that a store keeps after so many different queries for pages of so many bytes. */
function keptAfter(queries: number, pageBytes: number): number {
  const animals = Array.from({ length: 20 }, () => ({ name: 'x'.repeat(pageBytes / 20), categoryId: 1n }));
  const keys = [{ key, plan: 'enterprise', perMinute: 1e9, perDay: 1e9 }] as const;
  const { handle } = createPetStore({ keys, animals });
  const before = heldBytes();
  for (let at = 0; at < queries; at += 1) {
    // Writing the bytes makes one string of the parts of the page, as sending it does.
    Buffer.byteLength(askHandle(handle, { target: `/v1/pets?x=${at}` }).body);
  }
  const kept = heldBytes() - before;
  assert.is(askHandle(handle, {}).status, 200);
  return kept;
}

test('the cache of pages keeps a bounded number of pages, and no long ones', () => {
  const mebibyte = 2 ** 20;
  const many = keptAfter(4_000, 20_000);
  assert.ok(many < 20 * mebibyte, `${many} bytes for many queries`);
  const long = keptAfter(200, 400_000);
  assert.ok(long < 20 * mebibyte, `${long} bytes for long pages`);
});

test.run();
