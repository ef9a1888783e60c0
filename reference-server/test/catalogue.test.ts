/** The catalogue finds animals by id and writes their fields in a fixed order. */

import fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createCatalogue } from '../catalogue.ts';

const test = suite('catalogue');

const id = fc.oneof(fc.bigInt({ min: -3n, max: 8n }), fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }));
/** Ids as the server assigns them: the first ones may be in order, and none repeats. */
const ids = fc
  .tuple(fc.nat({ max: 5 }), fc.uniqueArray(id))
  .map(([length, others]) => new Set([...Array.from({ length }, (_nothing, at) => BigInt(at + 1)), ...others]));

test('an animal is found by its own id, in order or not, and by no other', () => {
  fc.assert(
    fc.property(ids, id, (given, other) => {
      const catalogue = createCatalogue('oldest-first', Math.random, {});
      const added = [...given].map((one) => [one, catalogue.add({ name: `${one}`, categoryId: 1n }, one)] as const);
      for (const [one, json] of added) assert.is(catalogue.get(one), json);
      assert.is(catalogue.get(other) !== undefined, given.has(other));
      assert.is(catalogue.size(), given.size);
    }),
  );
});

test('an animal shows its fields in order, then the extra fields of all animals, then its own extra fields', () => {
  const plain = createCatalogue('oldest-first', Math.random, {});
  assert.is(plain.add({ name: 'Rex', categoryId: 1n }, 1n), '{"id":1,"name":"Rex","categoryId":1}');
  const more = { kind: 9007199254740993n, own: [1n] };
  const pet = { name: 'Rex', categoryId: 2n ** 63n - 1n, status: 'sold', more } as const;
  const rest = '"categoryId":9223372036854775807,"status":"sold"';
  assert.is(plain.add(pet, -1n), `{"id":-1,"name":"Rex",${rest},"kind":9007199254740993,"own":[1]}`);
  const extra = createCatalogue('oldest-first', Math.random, { kind: 'extra', owner: null });
  assert.is(extra.add(pet, 2n), `{"id":2,"name":"Rex",${rest},"kind":9007199254740993,"owner":null,"own":[1]}`);
  assert.is(
    extra.add({ name: 'Rex', categoryId: 1n }, 3n),
    '{"id":3,"name":"Rex","categoryId":1,"kind":"extra","owner":null}',
  );
});

test.run();
