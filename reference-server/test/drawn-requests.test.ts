/** Random requests to stores with random answers to gaps. The self-test judges what such stores answer to ordinary ones. */

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { fc } from '../../conformance/test/properties.ts';
import type { StoreResponse } from '../index.ts';
import { createTwin, gapChoices } from '../twin/gaps.ts';
import { askHandle, key, noon, readFields, readHeader, readRate } from './client.ts';

function judge(response: StoreResponse): void {
  const { status, headers, body } = response;
  assert.ok([200, 201, 400, 401, 404, 405, 410, 411, 413, 415, 422, 429].includes(status), String(status));
  const [limit, remaining, reset] = readRate(response);
  assert.ok(remaining >= 0 && remaining <= limit && Number.isInteger(reset));
  for (const value of Object.values(headers)) assert.match(value, /^[ -~]*$/);
  assert.is(readHeader(response, 'Allow') !== undefined, status === 405);
  assert.is(readHeader(response, 'Retry-After') !== undefined, status === 429);
  if (status < 400) return void JSON.parse(body);
  if (readHeader(response, 'Content-Type') === 'application/json')
    assert.is(readFields(response)['status'], BigInt(status));
}

const text = fc.string({ unit: 'binary', maxLength: 120 });
/** Draws one of these nine times in ten, else anything. */
const often = (...usual: readonly string[]): fc.Arbitrary<string> =>
  fc.oneof({ weight: 9, arbitrary: fc.constantFrom(...usual) }, { weight: 1, arbitrary: fc.oneof(text, fc.json()) });

const [name, id] = [often('"Rex"', '"Rex"', '"\\ud800"', '""'), often('7', '7', '1.0', '1e300', '-0')];
const newPet = fc
  .tuple(name, id, often('"sold"', '"sold"', 'null'))
  .map(([name, id, status]) => `{"name":${name},"__proto__":${name},"categoryId":${id},"status":${status},"id":${id}}`);
const body = fc.oneof({ weight: 4, arbitrary: newPet }, { weight: 1, arbitrary: often('', '['.repeat(5_000)) });
const path = often('/v1/pets', '/v1/pets', '/v1/pets/1', '/v1/pets/');
const query = often('', '', '?limit=5', '?status=sold', '?limit=%ff');
const target = fc.tuple(path, query).map((parts) => parts.join(''));
const headers = fc
  .tuple(often(`Bearer ${key}`), often('application/json'), fc.constantFrom('Authorization', 'Content-Type', ''), text)
  .map(([sent, type, name, more]): [string, string][] => [
    ['Authorization', sent] as [string, string],
    ['Content-Type', type] as [string, string],
    ...(more.length > 100 ? [[name, more] as [string, string]] : []),
  ]);
const request = fc.record({
  method: often('GET', 'POST', 'POST', 'HEAD', 'get'),
  target,
  headers,
  address: fc.constant('192.0.2.1'),
  body: fc.oneof(
    body.map((one) => new TextEncoder().encode(one)),
    fc.uint8Array({ maxLength: 200 }),
  ),
});
const now = fc.oneof(fc.constant(noon), fc.integer({ min: 0, max: 4_102_444_800_000 }));
const requests = fc.array(fc.tuple(request, now), { minLength: 1, maxLength: 12 });
const choices = Object.entries(gapChoices).map(([gap, answers]) => [gap, fc.constantFrom(...answers)] as const);
const gaps = fc.option(fc.record(Object.fromEntries(choices)), { nil: {} });

test('a store with any choices answers any request as documented, and a refused request stores nothing', () => {
  const statuses = new Map<number, number>();
  const reader = 'key-of-the-reader';
  const keys = [{ key, plan: 'free', perMinute: 5 } as const, { key: reader, plan: 'business' } as const];
  const property = fc.property(requests, gaps, (sent, drawn) => {
    const { handle } = createTwin({ keys, gaps: drawn, random: () => 0.3 });
    let created = 0;
    for (const [each, at] of sent) {
      const response = handle(each, at);
      judge(response);
      statuses.set(response.status, (statuses.get(response.status) ?? 0) + 1);
      if (response.status === 201) created += 1;
    }
    const listed = askHandle(handle, { target: '/v1/pets?limit=100', authorization: `Bearer ${reader}` });
    assert.is((JSON.parse(listed.body) as unknown[]).length, created);
  });
  fc.assert(property, { numRuns: 2_000, seed: 20301205 });
  // A property proves nothing about an answer that it never reaches.
  for (const each of [200, 201, 400, 401, 404, 405, 415, 429]) assert.ok((statuses.get(each) ?? 0) > 10, `${each}`);
});

test.run();
