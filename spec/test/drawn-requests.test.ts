/** Requests that a tool draws from openapi.yaml alone are answered as it says: what it allows is never refused. */

import { readFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { parse } from 'yaml';
import { createPetStore, type StoreResponse } from '../../reference-server/index.ts';

const text = readFileSync(new URL('../openapi.yaml', import.meta.url), 'utf8');
const ajv = new Ajv2020({ strict: false, validateFormats: false });
ajv.addSchema(parse(text, { merge: true }) as object, 'openapi');

interface Schema {
  readonly $ref?: string;
  readonly type?: string;
  readonly enum?: readonly string[];
  readonly minimum?: bigint;
  readonly maximum?: bigint;
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
}

interface Parameter {
  readonly name: string;
  readonly in: 'query' | 'path';
  readonly schema: Schema;
}

interface Operation {
  readonly operationId: string;
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly content: { readonly 'application/json': { readonly schema: Schema } } };
  readonly responses: Readonly<Record<string, object>>;
}

/** Bounds of int64 are read with every digit. */
const description = parse(text, { intAsBigInt: true, merge: true }) as {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
};

function schemaOf(schema: Schema): Schema {
  const name = schema.$ref?.split('/').at(-1);
  return name === undefined ? schema : description.components.schemas[name]!;
}

/** Values that a schema allows, as JSON writes them. */
function drawJson(given: Schema): fc.Arbitrary<string> {
  const { type, enum: values, minimum, maximum, required = [], properties = {} } = schemaOf(given);
  if (values !== undefined) return fc.constantFrom(...values).map((value) => JSON.stringify(value));
  if (type === 'integer') return fc.bigInt({ min: minimum!, max: maximum! }).map(String);
  if (type === 'string') return fc.string({ unit: 'binary', maxLength: 60 }).map((value) => JSON.stringify(value));
  const fields = Object.entries(properties).map(([name, schema]) => [name, drawJson(schema)] as const);
  return fc
    .record(Object.fromEntries(fields), { requiredKeys: [...required] })
    .map((drawn) => `{${Object.entries(drawn).map(([name, value]) => `${JSON.stringify(name)}:${value}`)}}`);
}

interface Drawn {
  readonly method: string;
  readonly target: string;
  readonly body: string;
}

/** A value where it stands in an address: as text, not as JSON. */
function inAddress(json: string): string {
  return encodeURIComponent(json.startsWith('"') ? (JSON.parse(json) as string) : json);
}

function drawRequest(path: string, method: string, { parameters = [], requestBody }: Operation): fc.Arbitrary<Drawn> {
  const drawn = fc.tuple(...parameters.map(({ schema }) => fc.option(drawJson(schema), { nil: undefined })));
  const inPath = parameters.findIndex((one) => one.in === 'path');
  const body = requestBody === undefined ? fc.constant('') : drawJson(requestBody.content['application/json'].schema);
  return fc.tuple(drawn, body).map(([values, sent]) => {
    const query = parameters.flatMap(({ name, in: place }, at) =>
      place === 'query' && values[at] !== undefined ? [`${name}=${inAddress(values[at])}`] : [],
    );
    const id = inAddress((inPath === -1 ? undefined : values[inPath]) ?? '1');
    const target = `/v1${path.replace(/\{\w+\}/, id)}${query.length === 0 ? '' : `?${query.join('&')}`}`;
    return { method: method.toUpperCase(), target, body: sent };
  });
}

const key = 'key-of-a-tool';
const day = Date.UTC(2026, 10, 21);

function send(requests: readonly Drawn[]): readonly StoreResponse[] {
  const { handle } = createPetStore({ keys: [{ key, plan: 'business' }] });
  const headers = [
    ['authorization', `Bearer ${key}`],
    ['content-type', 'application/json'],
  ] as const;
  return requests.map(({ body, ...rest }) =>
    handle({ ...rest, headers, body: Buffer.from(body), address: '127.0.0.1' }, day),
  );
}

const operations = Object.entries(description.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
);

/** Where the schema of an answer stands. */
function pointerTo(path: string, method: string, status: number): string {
  const place = path.replaceAll('/', '~1').replaceAll('{', '%7B').replaceAll('}', '%7D');
  return `openapi#/paths/${place}/${method}/responses/${status}/content/application~1json/schema`;
}

for (const { path, method, operation } of operations) {
  test(`${operation.operationId}: what is drawn from its description is served, and answered by its schema`, () => {
    const seen = new Set<number>();
    const check = (requests: readonly Drawn[]): void => {
      for (const { status, body } of send(requests)) {
        assert.ok(Object.hasOwn(operation.responses, status), `${status} ${body}`);
        assert.ok(status < 300 || status === 404, `${status} ${body}`);
        const validate = ajv.getSchema(pointerTo(path, method, status));
        assert.ok(validate?.(JSON.parse(body)), `${status} ${body}`);
        seen.add(status);
      }
    };
    const drawn = fc.array(drawRequest(path, method, operation), { minLength: 1, maxLength: 5 });
    fc.assert(fc.property(drawn, check), { numRuns: 200, seed: 14 });
    assert.equal([...seen], [{ listPets: 200, createPet: 201, getPet: 404 }[operation.operationId]]);
  });
}

test('a body that the description does not allow is answered with its 400', () => {
  const wrong = [
    '{}',
    '{"name":1,"categoryId":1}',
    '{"name":"Rex"}',
    '{"name":"Rex","categoryId":9223372036854775808}',
  ];
  const status = '{"name":"Rex","categoryId":1,"status":"lost"}';
  for (const body of [...wrong, status, '[]', '"Rex"', '']) {
    const [answer] = send([{ method: 'POST', target: '/v1/pets', body }]);
    assert.is(answer?.status, 400, body);
    assert.ok(ajv.getSchema(pointerTo('/pets', 'post', 400))?.(JSON.parse(answer?.body ?? '')), body);
  }
});

test.run();
