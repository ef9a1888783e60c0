/** Random requests to stores with random answers to gaps, judged by spec/openapi.yaml. */

import { readFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { parse } from 'yaml';
import type { StoreRequest, StoreResponse } from '../index.ts';
import { createTwin, drawGaps } from '../twin/gaps.ts';
import { askHandle, key, noon, readFields, readHeader, readRate } from './client.ts';

const document = parse(readFileSync(new URL('../../spec/openapi.yaml', import.meta.url), 'utf8'), { merge: true });
// operations.test.ts shows that every digit of an int64 comes back.
const ajv = new Ajv2020({ strict: false, validateFormats: false }).addSchema(document, 'openapi');

/** The documented schema of an answer; all other answers of this server are Errors too. */
function schemaOf({ method, target }: StoreRequest, { status }: StoreResponse): 'Pet' | 'Pets' | 'Error' {
  if (status === 201) return 'Pet';
  if (status !== 200) return 'Error';
  assert.is(method, 'GET');
  return /\/pets\/[^/?]/.test(target) ? 'Pet' : 'Pets';
}

function judge(request: StoreRequest, response: StoreResponse): void {
  const { status, body } = response;
  assert.ok([200, 201, 400, 401, 404, 405, 410, 411, 413, 415, 422, 429].includes(status), String(status));
  const [limit, remaining, reset] = readRate(response);
  assert.ok(remaining >= 0 && remaining <= limit && Number.isInteger(reset));
  for (const value of Object.values(response.headers)) assert.match(value, /^[ -~]*$/);
  assert.is(readHeader(response, 'Allow') !== undefined, status === 405);
  assert.is(readHeader(response, 'Retry-After') !== undefined, status === 429);
  if (status === 429 && readHeader(response, 'Content-Type') !== 'application/json') return;
  const validate = ajv.getSchema(`openapi#/components/schemas/${schemaOf(request, response)}`)!;
  assert.ok(validate(JSON.parse(body)), `${body} ${JSON.stringify(validate.errors)}`);
  if (status >= 400) assert.is(readFields(response)['status'], BigInt(status));
}

/** Draws the usual value nine times in ten. */
const often = <Value>(usual: Value, other: fc.Arbitrary<Value>): fc.Arbitrary<Value> =>
  fc.oneof({ weight: 9, arbitrary: fc.constant(usual) }, { weight: 1, arbitrary: other });
const encode = (text: string): Uint8Array => new TextEncoder().encode(text);

const text = fc.string({ unit: 'binary', maxLength: 120 });
const integer = fc.bigInt({ min: -(2n ** 64n), max: 2n ** 64n }).map(String);
const number = fc.oneof(integer, fc.double().map(String), fc.constantFrom('1.0', '1e0', '1e300', '-0'));
const name = fc.oneof(
  fc.constantFrom('"Rex"', '"\\ud800"', '""'),
  text.map((each) => JSON.stringify(each)),
  fc.json(),
);
const status = fc.oneof(fc.constantFrom('"available"', '"pending"', '"sold"'), often('"sold"', fc.json()));
const more = { id: number, ['__proto__']: fc.json(), tags: fc.json() };
const newPet = fc
  .record({ name, categoryId: often('7', number), status, ...more }, { requiredKeys: ['name', 'categoryId'] })
  .map((fields) => `{${Object.entries(fields).map(([field, value]) => `${JSON.stringify(field)}:${value}`)}}`);
const body = fc.oneof(
  { weight: 5, arbitrary: newPet.map(encode) },
  { weight: 1, arbitrary: fc.uint8Array({ maxLength: 200 }) },
  { weight: 1, arbitrary: fc.json().map(encode) },
  { weight: 1, arbitrary: fc.integer({ min: 0, max: 5000 }).map((depth) => encode('['.repeat(depth))) },
);
const value = fc.oneof(text, number, fc.constantFrom('sold', '%', '%ff', '5'));
const query = fc.oneof(
  fc.constant(''),
  fc.tuple(fc.constantFrom('limit', 'status', 'after', 'x'), value).map((pair) => `?${pair.join('=')}`),
  text.map((each) => `?${each}`),
);
const path = fc.oneof(
  fc.constantFrom('/v1/pets', '/v1/pets/1', '/v1/pets/'),
  fc.oneof(number, text).map((each) => `/v1/pets/${each}`),
  text,
);
const oneHeader = fc.tuple(fc.constantFrom('Authorization', 'content-type', 'Transfer-Encoding', ''), text);
const credential = often(
  `Bearer ${key}`,
  fc.oneof(
    text,
    text.map((each) => `Bearer ${each}`),
  ),
);
const headers = fc
  .tuple(credential, often('application/json', text), fc.array(oneHeader, { maxLength: 1 }))
  .map(([sent, type, others]): [string, string][] => [['Authorization', sent], ['Content-Type', type], ...others]);
const anyMethod = fc.oneof(fc.constantFrom('GET', 'POST', 'HEAD', 'PUT', 'DELETE', 'OPTIONS', 'get'), text);
const call = fc.oneof(
  fc.constant(['POST', '/v1/pets'] as const),
  query.map((search) => ['GET', `/v1/pets${search}`] as const),
  fc.integer({ min: 0, max: 4 }).map((id) => ['GET', `/v1/pets/${id}`] as const),
  fc.tuple(anyMethod, path, query).map(([method, place, search]) => [method, place + search] as const),
);
const request: fc.Arbitrary<StoreRequest> = fc
  .tuple(call, headers, body)
  .map(([[method, target], sent, bytes]) => ({ method, target, headers: sent, body: bytes, address: '192.0.2.1' }));
const now = often(noon, fc.integer({ min: 0, max: 4_102_444_800_000 }));
const requests = fc.array(fc.tuple(request, now), { minLength: 1, maxLength: 12 });

test('a store with any choices answers any request as documented, and a refused request stores nothing', () => {
  const statuses = new Map<number, number>();
  const reader = 'key-of-the-reader';
  const keys = [
    { key, plan: 'free', perMinute: 5 },
    { key: reader, plan: 'business' },
  ] as const;
  const property = fc.property(requests, fc.option(fc.nat(), { nil: undefined }), (sent, seed) => {
    const { handle } = createTwin({ keys, gaps: seed === undefined ? {} : drawGaps(seed), random: () => 0.3 });
    let created = 0;
    for (const [each, at] of sent) {
      const response = handle(each, at);
      judge(each, response);
      statuses.set(response.status, (statuses.get(response.status) ?? 0) + 1);
      if (response.status === 201) created += 1;
    }
    const listed = askHandle(handle, { target: '/v1/pets?limit=100', authorization: `Bearer ${reader}` });
    assert.is((JSON.parse(listed.body) as unknown[]).length, created);
  });
  fc.assert(property, { numRuns: 2_000 });
  // A property proves nothing about an answer that it never reaches.
  for (const each of [200, 201, 400, 401, 404, 405, 415, 429]) assert.ok((statuses.get(each) ?? 0) > 20, `${each}`);
});

test.run();
