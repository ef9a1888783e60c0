/** openapi.yaml says what the interface says: its examples hold, and it claims nothing beyond. */

import { readFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { parse } from 'yaml';
import { noKey } from '../../conformance/http/credentials.ts';
import { trialSettings } from '../../conformance/proof/trial.ts';
import { judgeWorld } from '../../conformance/run/suite.ts';
import { checks } from '../../conformance/sections/index.ts';
import { trialApiKeys } from '../../conformance/services/wraps.ts';
import { exchangesOf, type HandMadeAnswer } from '../../conformance/test/sections/evidence.ts';
import { isFailing, sentenceOf } from '../../conformance/verdict/finding.ts';
import { readWorld } from '../../conformance/world/world.ts';
import { createPetStore } from '../../reference-server/index.ts';
import { planLimits, removalOfGetPet } from '../facts.ts';

const file = new URL('../openapi.yaml', import.meta.url).pathname;
const text = readFileSync(file, 'utf8');

interface Content {
  readonly schema: object;
  readonly examples: Readonly<Record<string, { readonly value: unknown }>>;
}

interface Operation {
  readonly description?: string;
  readonly requestBody?: { readonly content: { readonly 'application/json': Content } };
  readonly responses: Readonly<
    Record<
      string,
      {
        readonly headers: Readonly<Record<string, { readonly example: string | number }>>;
        readonly content?: { readonly 'application/json': Content };
      }
    >
  >;
}

interface Document {
  readonly info: Readonly<Record<string, unknown>>;
  readonly servers: readonly { readonly url: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
}

/** Every reference replaced by what it names. */
function resolve(value: unknown, root: unknown = value): unknown {
  if (Array.isArray(value)) return value.map((one) => resolve(one, root));
  if (typeof value !== 'object' || value === null) return value;
  const { $ref, ...fields } = value as Readonly<Record<string, unknown>>;
  if (typeof $ref !== 'string')
    return Object.fromEntries(Object.entries(fields).map(([name, one]) => [name, resolve(one, root)]));
  const names = $ref.slice('#/'.length).split('/');
  return resolve(
    names.reduce((at, name) => (at as Readonly<Record<string, unknown>>)[name], root),
    root,
  );
}

const document = resolve(parse(text)) as Document;
const { get: listPets, post: createPet } = document.paths['/pets']!;
const { get: getPet } = document.paths['/pets/{petId}']!;
const operations = { listPets: listPets!, createPet: createPet!, getPet: getPet! };

interface Example {
  readonly operation: keyof typeof operations;
  readonly status: number;
  readonly body: unknown;
  readonly content: Content;
  readonly headers: Readonly<Record<string, string>>;
}

/** In the order of their story: the animal is created first. */
const answered: readonly Example[] = Object.entries(operations)
  .flatMap(([name, { responses }]) =>
    Object.entries(responses).flatMap(([status, { content, headers }]) =>
      Object.values(content?.['application/json'].examples ?? {}).map(({ value }) => ({
        operation: name as keyof typeof operations,
        status: Number(status),
        body: value,
        content: content!['application/json'],
        headers: Object.fromEntries(
          Object.entries(headers).map(([header, { example }]) => [header.toLowerCase(), String(example)]),
        ),
      })),
    ),
  )
  .sort((one, other) => Number(other.status === 201) - Number(one.status === 201));

/** The request that an example is the answer to. */
function requestOf({ operation, status }: Example): HandMadeAnswer['request'] {
  if (operation === 'createPet') {
    const { name, ...others } = { name: 'Rex', categoryId: 1, status: 'available' };
    const body = JSON.stringify(status === 400 ? { categoryId: others.categoryId } : { name, ...others });
    return { operation, method: 'POST', target: '/pets', body, contentType: 'application/json' };
  }
  return { operation, target: operation === 'listPets' ? '/pets' : status === 404 ? '/pets/404' : '/pets/1' };
}

test('every documented answer with a body has an example, and every example keeps its schema', () => {
  assert.is(answered.length, 8);
  const ajv = new Ajv2020({ strict: false });
  addFormats.default(ajv);
  for (const { operation, status, body, content } of answered) {
    const validate = ajv.compile(content.schema);
    assert.ok(validate(body), `${operation} ${status}: ${ajv.errorsText(validate.errors)}`);
  }
  const { schema, examples } = createPet!.requestBody!.content['application/json'];
  for (const { value } of Object.values(examples)) assert.ok(ajv.validate(schema, value));
});

test('the kit passes the examples, at the time that they name', () => {
  const at = Number(answered[0]?.headers['x-ratelimit-reset']) * 1_000 - 30_000;
  const shown = answered.map((example) => ({
    request: requestOf(example),
    status: example.status,
    body: JSON.stringify(example.body),
    headers: example.headers,
    ...(example.status === 401 ? { credential: noKey } : {}),
  }));
  const exchanges = exchangesOf(shown).map((exchange) => ({ ...exchange, startedAt: at, endedAt: at }));
  assert.ok(at < removalOfGetPet);
  const settings = trialSettings(60, { plan: 'free', today: at });
  const findings = judgeWorld(readWorld(exchanges, settings), checks, new Map());
  const failing = findings
    .filter(isFailing)
    .map(({ requirement, failure }) => `${requirement}: ${sentenceOf(failure)}`);
  // The same example stands in every answer, so the number that remains is the same too.
  const others = failing.filter((line) => !line.startsWith('rate-remaining-falls'));
  assert.equal(others, []);
  const held = new Set(findings.filter((finding) => !isFailing(finding)).map(({ requirement }) => requirement));
  for (const id of ['pet-id', 'error-status-equals', 'rate-reset-header', 'auth-missing-key'] as const)
    assert.ok(held.has(id), id);
});

test('the reference server answers as the examples say, to the letter', () => {
  const { handle } = createPetStore({ keys: trialApiKeys });
  const ask = (example: Example) => {
    const { method = 'GET', target, body = '' } = requestOf(example);
    const headers: (readonly [string, string])[] = [['content-type', 'application/json']];
    if (example.status !== 401) headers.push(['authorization', `Bearer ${trialApiKeys[0]?.key}`]);
    const request = { method, target: `/v1${target}`, headers, body: new TextEncoder().encode(body), address: '' };
    return handle(request, Date.UTC(2026, 10, 21));
  };
  // Its page would hold the one animal that the story has created until then.
  for (const example of answered.filter(({ operation, status }) => !(operation === 'listPets' && status === 200))) {
    const { status, body } = ask(example);
    assert.is(status, example.status);
    assert.equal(JSON.parse(String(body)), example.body, `${example.operation} ${status}`);
  }
});

test('integers of 64 bits declare their range, since a format alone constrains no generator', () => {
  const ranges = text.match(/format: int64\n +minimum: -9223372036854775808\n +maximum: 9223372036854775807\n/g);
  assert.equal([text.match(/int64$/gm)?.length, ranges?.length], [4, 4]);
});

test('the address of the server can be used as it stands', () => {
  for (const { url } of document.servers) {
    assert.ok(URL.canParse(url), url);
    assert.match(new URL(url).pathname, /\/v1$/);
  }
});

test('the plans are those of §8', () => {
  for (const [plan, { perMinute, perDay }] of Object.entries(planLimits)) {
    const [minute, day] = [perMinute, perDay].map((limit) => limit?.toLocaleString('en') ?? 'custom');
    const row = `| ${plan[0]?.toUpperCase()}${plan.slice(1)} | ${minute} | ${day} |`;
    assert.ok(text.includes(row), row);
  }
});

test('it claims nothing that the interface does not: no license, no required Retry-After, no 400 of a listing', () => {
  assert.not('license' in document.info);
  assert.not.match(text, /Retry-After:\n +description: .*\n +required: true/);
  assert.not.match(text, /timestamp in (milli)?seconds/);
  assert.equal(Object.keys(listPets!.responses), ['200', '401', '429']);
  assert.equal(Object.keys(getPet!.responses), ['200', '401', '404', '429']);
  assert.is(listPets!.responses['429']!.content, undefined);
  for (const { description = '' } of Object.values(operations)) assert.match(description, /(is|are) not shown\.$/);
});

test.run();
