/** Lint gives no remark on good pacts, and the expected remark on each other one. */

import { readFileSync } from 'node:fs';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { readPacts } from '../../conformance/cli/read-pacts.ts';
import { description } from '../../spec/description.ts';
import { animalRules } from '../lint/animal-rules.ts';
import { differences } from '../lint/compare.ts';
import { errorRules } from '../lint/error-rules.ts';
import { headerRules } from '../lint/header-rules.ts';
import { lintPact, obstacleRemarks, type RemarkCode, rules, showRemark } from '../lint/lint-pact.ts';
import { pageRules } from '../lint/page-rules.ts';
import { requestRules } from '../lint/request-rules.ts';
import { stateRules } from '../lint/state-rules.ts';
import { readPact } from '../pact.ts';
import { version2, version3 } from './handmade.ts';
import { pactFrom } from './in-process.ts';
import { animalExcesses } from './lint/animals.ts';
import { carelessClients } from './lint/clients.ts';
import { contradictions } from './lint/contradictions.ts';
import { errorExcesses } from './lint/errors.ts';
import { good } from './lint/good.ts';
import { headerExcesses } from './lint/headers.ts';
import { alike, animal, creation, exists, pactOf, page, read, regex } from './lint/interaction.ts';
import { pageExcesses } from './lint/pages.ts';
import { requestExcesses } from './lint/requests.ts';
import { stateExcesses } from './lint/states.ts';

const excesses = Object.entries({
  ...contradictions,
  ...requestExcesses,
  ...errorExcesses,
  ...headerExcesses,
  ...pageExcesses,
  ...animalExcesses,
  ...stateExcesses,
});

for (const [name, one] of Object.entries(good)) {
  test(`no remark on ${name}`, async () => {
    assert.equal(await lintPact(pactFrom(pactOf(one))), []);
  });
}

for (const [name, [one, code, kind, gap, message]] of excesses) {
  test(`${kind}${gap === undefined ? '' : ` (${gap})`}: ${name}`, async () => {
    const remarks = await lintPact(pactFrom(pactOf(one)));
    const found = remarks.some(
      (remark) => remark.code === code && remark.kind === kind && remark.gap === gap && message.test(remark.message),
    );
    assert.ok(found, remarks.map(showRemark).join('\n'));
    // Remarks on the client have tests of their own.
    const others = remarks.filter(
      (remark) => remark.kind !== 'client' && (remark.code !== code || !message.test(remark.message)),
    );
    assert.equal(others, []);
  });
}

for (const [name, [one, ...broken]] of Object.entries(carelessClients)) {
  test(`breaks client requirements: ${name}`, async () => {
    const remarks = (await lintPact(pactFrom(pactOf(one)))).filter(({ kind }) => kind === 'client');
    assert.equal(
      remarks.map(({ code, section }) => [code, section]),
      broken.map(([code, section]) => [code, section]),
    );
    for (const [at, [, , message]] of broken.entries()) assert.match(remarks[at]?.message ?? '', message);
  });
}

test('no line contains a key that the client sends in the wrong place', async () => {
  const headers = { Authorization: ['Bearer of-the-client'] };
  const request = { query: { token: ['of-the-client'], note: ['of-the-client'] }, headers };
  const remarks = await lintPact(pactFrom(pactOf({ request, response: page([animal]) })));
  assert.ok(remarks.some(({ code }) => code === 'client-key-in-header'));
  const ofClients = remarks.filter(({ kind, message }) => kind === 'client' || message.includes('token'));
  assert.not.ok(ofClients.map(showRemark).join().includes('of-the-client'));
});

test('the largest int64 is valid, and the next number is not', async () => {
  const text = JSON.stringify(
    pactOf({ request: creation({ name: 'Rex', categoryId: 0 }), response: read({ id: 1 }, alike, 201) }),
  );
  const lint = (digits: string) =>
    lintPact(readPact(text.replace('"categoryId":0', `"categoryId":${digits}`), 'a.json'));
  assert.equal(await lint('9223372036854775807'), []);
  assert.equal(
    (await lint('9223372036854775808')).map(({ code }) => code),
    ['body-invalid-accepted', 'client-values-in-range'],
  );
});

const others = Object.values({ ...differences, ...obstacleRemarks }).map(({ code }) => code);
const tables = [requestRules, errorRules, pageRules, animalRules, headerRules, stateRules];
const codes: readonly RemarkCode[] = [...(tables.flatMap(Object.keys) as (keyof typeof rules)[]), ...others];

test('a status that neither request nor state sets gives one remark, however many animals have it', async () => {
  const pets = [
    { ...animal, status: 'sold' },
    { ...animal, status: 'sold' },
  ];
  const remarks = await lintPact(pactFrom(pactOf({ states: [exists], response: page(pets) })));
  assert.equal(
    remarks.map(({ code }) => code),
    ['animal-status-unsaid'],
  );
});

test('a request whose answer is open may be refused by any 4xx, but by no other unlisted status', async () => {
  const codesFor = async (status: number) => {
    const remarks = await lintPact(pactFrom(pactOf({ request: { query: { limit: ['101'] } }, response: { status } })));
    return remarks.filter(({ kind }) => kind !== 'client').map(({ code }) => code);
  };
  assert.equal(await codesFor(422), ['query-limit-out-of-range']);
  assert.equal(await codesFor(204), ['openapi-mismatch', 'query-limit-out-of-range']);
  assert.equal(await codesFor(500), ['openapi-mismatch', 'query-limit-out-of-range']);
});

test('every rule has its own code and a pact that triggers it', () => {
  assert.equal([...new Set(codes)], codes);
  assert.equal(Object.keys(rules), tables.flatMap(Object.keys));
  const shown = new Set(excesses.map(([, [, code]]) => code));
  assert.equal(
    codes.filter((code) => !shown.has(code)),
    ['message', 'plugin'],
  );
});

test('the documentation names every code', () => {
  const text = readFileSync(new URL('../README.md', import.meta.url), 'utf8');
  const ofClients = Object.values(carelessClients).flatMap(([, ...broken]) => broken.map(([code]) => code));
  for (const code of [...codes, ...ofClients]) assert.ok(text.includes(`\`${code}\``), code);
});

test('a remark is one line that ends with its code', async () => {
  const remarks = await lintPact(pactFrom(pactOf(requestExcesses['a limit out of range']![0])));
  assert.equal(remarks.map(showRemark), [
    '"it" claims what the interface leaves open (gap limit-out-of-range): request.query.limit is "101" [query-limit-out-of-range]',
  ]);
});

test('the recorded pact and the pacts of versions 2 and 3 get no remark', async () => {
  const {
    pacts: [recorded],
  } = await readPacts([new URL('../adoption-site-pet-store.json', import.meta.url).pathname]);
  for (const pact of [recorded!, pactFrom(version2), pactFrom(version3)]) assert.equal(await lintPact(pact), []);
});

test('pacts with missing or unusual fields of other tools are read', async () => {
  const interaction = {
    description: null,
    providerState: null,
    request: { path: '/petstore/v1/pets', query: { limit: [5] }, headers: { Authorization: ['Bearer x'] } },
    response: { body: [], matchingRules: { "$['body']": { match: 'type' } } },
  };
  const bare = {
    consumer: { name: 'bare' },
    interactions: [interaction],
    metadata: { pactSpecification: { version: 2 } },
  };
  assert.equal(await lintPact(pactFrom(bare)), []);
});

test('linting does not change the shared description', async () => {
  const before = JSON.stringify(description);
  await lintPact(pactFrom(version3));
  assert.is(JSON.stringify(description), before);
});

test('a message contradicts the interface', async () => {
  const document = JSON.parse(readFileSync(new URL('../adoption-site-pet-store.json', import.meta.url), 'utf8'));
  const message = { type: 'Asynchronous/Messages', description: 'an event' };
  const [remark] = await lintPact(pactFrom({ ...document, interactions: [message] }));
  assert.is(remark?.gap, 'events');
  assert.is(remark?.code, 'message');
  assert.is(remark?.kind, 'contradiction');
  assert.is(remark?.interaction, 'an event');
});

test('the messages of a version 3 pact and interactions of plugins are named, and the others are linted', async () => {
  const document = {
    ...version3,
    messages: [{ description: 'an event', contents: { id: 1 } }],
    interactions: [
      { ...version3.interactions[0], pluginConfiguration: { protobuf: {} } },
      { ...version3.interactions[0], response: { status: 500 } },
    ],
    metadata: { ...version3.metadata, plugins: [{ name: 'protobuf', version: '0.3.0', configuration: {} }] },
  };
  const remarks = await lintPact(pactFrom(document));
  assert.equal(
    remarks.map(({ code, interaction }) => [code, interaction]),
    [
      ['plugin', 'the animals that are sold'],
      ['openapi-mismatch', 'the animals that are sold'],
      ['message', 'an event'],
    ],
  );
  assert.match(remarks[0]!.message, /^it needs the plugin "protobuf"/);
});

test('a pattern with catastrophic backtracking is given up', async () => {
  // Seconds match at once; for a date the search would take years.
  const pattern = String.raw`^(\d+|((.+)+)+!)$`;
  const one = {
    states: [{ name: 'the rate limit is exceeded' }],
    response: {
      status: 429,
      headers: { 'Retry-After': ['1'] },
      matchingRules: { header: { 'Retry-After': regex(pattern) } },
    },
  };
  const beganAt = performance.now();
  await lintPact(pactFrom(pactOf(one)));
  assert.ok(performance.now() - beganAt < 10_000);
});

test.run();
