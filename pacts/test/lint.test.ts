/** Lint gives no remark on good pacts, and the remarks of remarks.txt on each other one. */

import { readFileSync, writeFileSync } from 'node:fs';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { readPacts } from '../../conformance/cli/read-pacts.ts';
import { description } from '../../spec/description.ts';
import { lintPact, type Remark, remarkCodes, showReason, showRemark } from '../lint/lint-pact.ts';
import { type Pact, readPact } from '../pact.ts';
import { startVerifier } from '../verify/verifier.ts';
import { version2, version3 } from './handmade.ts';
import { pactFrom } from './in-process.ts';
import { bad } from './lint/bad.ts';
import { carelessClients } from './lint/clients.ts';
import { good } from './lint/good.ts';
import { alike, animal, type Case, creation, pactOf, page, read } from './lint/interaction.ts';

const verifier = startVerifier();
const lint = (pact: Pact): Promise<readonly Remark[]> => lintPact(pact, verifier);

/** One pact of many cases, each an interaction by its name. */
function pactOfAll(cases: Readonly<Record<string, Case>>): Pact {
  const all = Object.entries(cases).map(([name, one]) => {
    const { interactions, ...pact } = pactOf(one) as { interactions: readonly object[] };
    return { pact, interaction: { ...interactions[0], description: name } };
  });
  return pactFrom({ ...all[0]!.pact, interactions: all.map(({ interaction }) => interaction) });
}

test('no remark on pacts that claim only what the interface states', async () => {
  assert.equal((await lint(pactOfAll(good))).map(showRemark), []);
});

test('each pact that claims more has its remarks', async () => {
  const remarks = (await lint(pactOfAll(bad))).filter(({ kind }) => kind !== 'client');
  const lines = Object.keys(bad).flatMap((name) => [
    name,
    ...remarks.filter(({ interaction }) => interaction === name).map((remark) => `    ${showReason(remark)}`),
  ]);
  const file = new URL('lint/remarks.txt', import.meta.url);
  const text = `${lines.join('\n')}\n`;
  if (process.env['UPDATE_GOLDEN'] !== undefined) writeFileSync(file, text);
  assert.equal(text.split('\n'), readFileSync(file, 'utf8').split('\n'));
});

test('each breaks the client requirements of its name', async () => {
  const cases = Object.fromEntries(Object.entries(carelessClients).map(([name, [one]]) => [name, one]));
  const remarks = (await lint(pactOfAll(cases))).filter(({ kind }) => kind === 'client');
  for (const [name, [, ...broken]] of Object.entries(carelessClients)) {
    const own = remarks.filter(({ interaction }) => interaction === name);
    assert.equal(
      own.map(({ code, section }) => [code, section]),
      broken.map(([code, section]) => [code, section]),
      name,
    );
    for (const [at, [, , message]] of broken.entries()) assert.match(own[at]?.message ?? '', message);
  }
});

test('no line contains a key that the client sends in the wrong place', async () => {
  const headers = { Authorization: ['Bearer of-the-client'] };
  const request = { query: { token: ['of-the-client'], note: ['of-the-client'] }, headers };
  const remarks = await lint(pactFrom(pactOf({ request, response: page([animal]) })));
  assert.ok(remarks.some(({ code }) => code === 'client-key-in-header'));
  assert.not.match(remarks.map(showRemark).join(), 'of-the-client');
});

test('the largest int64 is valid, and the next number is not', async () => {
  const text = JSON.stringify(
    pactOf({ request: creation({ name: 'Rex', categoryId: 0 }), response: read({ id: 1 }, alike, 201) }),
  );
  const codesFor = async (digits: string): Promise<readonly string[]> =>
    (await lint(readPact(text.replace('"categoryId":0', `"categoryId":${digits}`), 'a.json'))).map(({ code }) => code);
  assert.equal(await codesFor('9223372036854775807'), []);
  assert.equal(await codesFor('9223372036854775808'), ['claim-contradicted', 'client-values-in-range']);
});

test('a request whose answer is open may be refused by any 4xx, but by no other unlisted status', async () => {
  const kindsFor = async (status: number) => {
    const remarks = await lint(pactFrom(pactOf({ request: { query: { limit: ['101'] } }, response: { status } })));
    return remarks.filter(({ kind }) => kind !== 'client').map(({ kind, gap }) => `${kind} ${gap ?? ''}`);
  };
  assert.equal(await kindsFor(422), ['open limit-out-of-range']);
  assert.equal(await kindsFor(204), ['contradiction ']);
  assert.equal(await kindsFor(500), ['contradiction ']);
});

test('the documentation names every code', () => {
  const text = readFileSync(new URL('../README.md', import.meta.url), 'utf8');
  const ofClients = Object.values(carelessClients).flatMap(([, ...broken]) => broken.map(([code]) => code));
  for (const code of [...remarkCodes, ...ofClients]) assert.ok(text.includes(`\`${code}\``), code);
});

test('the recorded pact and the pacts of versions 2 and 3 get no remark', async () => {
  const {
    pacts: [recorded],
  } = await readPacts([new URL('../adoption-site-pet-store.json', import.meta.url).pathname]);
  for (const pact of [recorded!, pactFrom(version2), pactFrom(version3)])
    assert.equal((await lint(pact)).map(showRemark), []);
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
  assert.equal((await lint(pactFrom(bare))).map(showRemark), []);
});

test('linting does not change the shared description', async () => {
  const before = JSON.stringify(description);
  await lint(pactFrom(version3));
  assert.is(JSON.stringify(description), before);
});

test('the messages of a pact and interactions of plugins are named, and the others are linted', async () => {
  const document = {
    ...version3,
    messages: [{ description: 'an event', contents: { id: 1 } }],
    interactions: [
      { ...version3.interactions[0], pluginConfiguration: { protobuf: {} } },
      { ...version3.interactions[0], response: { status: 500 } },
    ],
    metadata: { ...version3.metadata, plugins: [{ name: 'protobuf', version: '0.3.0', configuration: {} }] },
  };
  const remarks = await lint(pactFrom(document));
  assert.equal(
    remarks.map(({ code, interaction }) => [code, interaction]),
    [
      ['plugin', 'the animals that are sold'],
      ['claim-contradicted', 'the animals that are sold'],
      ['message', 'an event'],
    ],
  );
  assert.match(remarks[0]!.message, /^it needs the plugin "protobuf"/);
  assert.is(remarks[2]!.gap, 'events');
});

test.after(() => verifier.close());
test.run();
