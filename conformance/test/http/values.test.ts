/** Small parts of http: bodies as bytes, validation by the schemas, and what is collected from a record. */

import { Ajv2020 } from 'ajv/dist/2020.js';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { description } from '../../../spec/test/description.ts';
import { encodeBody, rawBytes } from '../../http/body-bytes.ts';
import { hasLargeBody } from '../../http/documented.ts';
import type { Exchange } from '../../http/exchange.ts';
import type { JsonValue } from '../../http/json.ts';
import { memoizeIncrementally } from '../../http/memoize.ts';
import { schemaProblems } from '../../http/schemas.ts';
import { fc } from '../properties.ts';

test('a body is sent in UTF-8, but for bytes that stand for themselves', () => {
  assert.equal(encodeBody('{"é🦄💀"}'), Buffer.from('{"é🦄💀"}'));
  assert.equal(encodeBody(`a${rawBytes(0x80, 0xff)}é`), Buffer.from([0x61, 0x80, 0xff, 0xc3, 0xa9]));
});

test('a body is large by its bytes', () => {
  const isLarge = (body: string): boolean =>
    hasLargeBody({ request: { method: 'POST', target: '/pets', headers: {}, body } });
  assert.equal(['x'.repeat(512), 'x'.repeat(513), 'é'.repeat(257)].map(isLarge), [false, true, true]);
});

test('each wrong field is named once, with what it should hold', () => {
  const found = schemaProblems('Pet', { id: '1', categoryId: 1.5, status: 'lost' });
  assert.equal(
    found.map(({ field, expected }) => `${field} ${expected}`),
    ['id an integer', 'name a string', 'categoryId an integer', 'status one of available, pending, sold'],
  );
  assert.equal(schemaProblems('Error', ['a', 'b']), [{ field: '', expected: 'an object' }]);
});

/** The fields of a schema, and values of every kind that one may hold. */
const values = fc.constantFrom<JsonValue>('x', 'sold', '', 7n, -(2n ** 62n), 1.5, null, true, [], {});
const bodies = fc.dictionary(fc.constantFrom('id', 'name', 'categoryId', 'status', 'code', 'message', 'more'), values);

test('a body that breaks a schema is one that openapi.yaml refuses', () => {
  const ajv = new Ajv2020({ strict: false, validateFormats: false });
  ajv.addSchema({ $id: 'openapi', components: { schemas: description.components.schemas } });
  for (const name of ['Pet', 'Error'] as const) {
    const validate = ajv.compile({ $id: name, $ref: `openapi#/components/schemas/${name}` });
    const property = fc.property(fc.oneof(bodies, values), (body) => {
      const read = JSON.parse(JSON.stringify(body, (_name, one) => (typeof one === 'bigint' ? Number(one) : one)));
      assert.is(schemaProblems(name, body).length === 0, validate(read), JSON.stringify(read));
    });
    fc.assert(property, { numRuns: 300, seed: 20261122 });
  }
});

test('each exchange of a record is read once, also if it is added later', () => {
  const numbersOf = memoizeIncrementally(
    (): number[] => [],
    (numbers, { number }) => void numbers.push(number),
  );
  const exchanges = [1, 2, 3].map((number) => ({ number }) as Exchange);
  assert.equal([...numbersOf({ exchanges })], [1, 2, 3]);
  exchanges.push({ number: 4 } as Exchange);
  assert.equal(numbersOf({ exchanges }), [1, 2, 3, 4]);
  assert.equal(numbersOf({ exchanges: [...exchanges] }), [1, 2, 3, 4]);
});

test.run();
