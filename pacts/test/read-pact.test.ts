/** Pacts are read as every version and library writes them; what is none is refused in one sentence. */

import { mkdirSync, mkdtempSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { UsageError } from '../../conformance/cli/usage-error.ts';
import { type Transport, TransportError } from '../../conformance/http/transport.ts';
import { readPact, UnreadablePact, withoutBase } from '../pact.ts';
import { readPacts } from '../read-pact.ts';
import { version2 } from './handmade.ts';

const version4 = { pactSpecification: { version: '4.0' } };
const consumer = { name: 'reader' };

function read(document: object) {
  return readPact(JSON.stringify({ consumer, interactions: [{}], metadata: version4, ...document }), 'a.json');
}

async function rejects(work: Promise<unknown>, message: RegExp): Promise<void> {
  const error = await work.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  assert.instance(error, UsageError);
  assert.match((error as Error).message, message);
}

for (const metadata of [
  { pactSpecification: { version: '3.0.0' } },
  { 'pact-specification': { version: '2.0' } },
  { pactSpecificationVersion: '1.1.0' },
  { pactSpecification: { version: 4 } },
]) {
  test(`the version is read from ${JSON.stringify(metadata)}`, () => {
    assert.is(read({ metadata }).interactions.length, 1);
  });
}

/** What stands in a document → the sentence that refuses it. */
const unreadable: readonly (readonly [object, RegExp])[] = [
  [{ metadata: {} }, /^a\.json: expected version 1 to 4 .* found none\.$/],
  [{ metadata: { pactSpecification: { version: '5' } } }, /found "5"\.$/],
  [{ metadata: { pactSpecification: { version: '1x' } } }, /found "1x"\.$/],
  [{ consumer: { name: 5 } }, /^a\.json is no pact: expected a consumer with a name/],
  [{ interactions: {} }, /expected a consumer with a name, and interactions\.$/],
  [{ messages: 'none' }, /expected a consumer with a name, and interactions\.$/],
  [{ interactions: [], messages: [] }, /^a\.json holds no interaction\.$/],
  [{ interactions: [{}, 5] }, /interaction 2 is no JSON object\.$/],
  [{ messages: [[]] }, /interaction 2 is no JSON object\.$/],
];

for (const [document, sentence] of unreadable) {
  test(`${JSON.stringify(document)} is no pact`, () => {
    assert.throws(
      () => read(document),
      (error: Error) => error instanceof UnreadablePact && sentence.test(error.message),
    );
  });
}

test('a text that is nested too deeply is refused, and no error of ours', () => {
  const deep = `{"consumer":${'['.repeat(200_000)}${']'.repeat(200_000)}}`;
  assert.throws(() => readPact(deep, 'deep.json'), /^deep\.json is no JSON that can be read/);
});

test('states are read as all versions write them', () => {
  const states = (interaction: object) => read({ interactions: [interaction] }).interactions[0]?.states;
  assert.equal(states({ providerState: 'a' }), [{ name: 'a', params: {} }]);
  assert.equal(states({ provider_state: 'a' }), [{ name: 'a', params: {} }]);
  assert.equal(states({ providerStates: 'a' }), [{ name: 'a', params: {} }]);
  assert.equal(states({ providerStates: [{ name: 'a', params: { count: 2 } }, { name: 'b' }] }), [
    { name: 'a', params: { count: 2 } },
    { name: 'b', params: {} },
  ]);
  assert.equal(states({ providerState: '' }), []);
  assert.equal(states({}), []);
});

test('an interaction is one of HTTP unless it, or the list it stands in, says otherwise', () => {
  const { interactions } = read({
    interactions: [{}, { type: 'Synchronous/HTTP' }, { type: 'Asynchronous/Messages' }],
    messages: [{}, { type: 'Synchronous/HTTP' }],
  });
  assert.equal(
    interactions.map(({ isHttp }) => isHttp),
    [true, true, false, false, false],
  );
});

test('an interaction keeps its text to the digit, and a pact is for this service where it names none', () => {
  const text = '{"description":"it","numbers":[1.0,9007199254740993,1e999,-0]}';
  const { interactions, provider, metadata } = readPact(
    `{"consumer":{"name":"a"},"provider":{"name":""},"interactions":[{}, ${text}],"metadata":${JSON.stringify(version4)}}`,
    'a.json',
  );
  assert.equal(
    interactions.map((one) => one.text),
    ['{}', text],
  );
  assert.is(provider, 'pet-store');
  assert.equal(metadata, version4);
  assert.is(read({ provider: { name: 'another' } }).provider, 'another');
});

test('a path is read below the version segment, wherever that stands', () => {
  assert.is(withoutBase('/v1/pets'), '/pets');
  assert.is(withoutBase('/api/store/v1/pets/1'), '/pets/1');
  assert.is(withoutBase('/pets/v1'), '/pets/v1');
  assert.is(withoutBase('/v1/pets/v1/x'), '/pets/v1/x');
  assert.is(withoutBase('/pets?next=/v1/'), '/pets?next=/v1/');
});

test('a folder is read in the order of its names, JSON files only', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'petstore-conformance-'));
  await rejects(readPacts(folder), /holds no pact: expected files that end in \.json\.$/);
  for (const name of ['b', 'a']) {
    writeFileSync(join(folder, `${name}.json`), JSON.stringify({ ...version2, consumer: { name } }));
  }
  writeFileSync(join(folder, 'readme.md'), 'no pact');
  const pacts = await readPacts(folder);
  assert.equal(
    pacts.map((pact) => pact.consumer),
    ['a', 'b'],
  );
  mkdirSync(join(folder, 'c.json'));
  await rejects(readPacts(folder), /c\.json cannot be read \(EISDIR\): it is a folder/);
});

test('a file that is larger than any pact is not read', async () => {
  const file = join(mkdtempSync(join(tmpdir(), 'petstore-conformance-')), 'large.json');
  writeFileSync(file, '');
  truncateSync(file, 16 * 1024 * 1024 + 1);
  await rejects(readPacts(file), /large\.json is larger than 16777216 bytes\.$/);
});

test('an address is read where there is a transport, and what hinders it is one sentence', async () => {
  const asked: string[] = [];
  const answers =
    (status: number, text: string): Transport =>
    ({ url, method }) => {
      asked.push(`${method} ${url}`);
      return Promise.resolve({ status, headers: {}, body: new TextEncoder().encode(text) });
    };
  const url = 'http://127.0.0.1/pact';
  const [pact] = await readPacts(url, answers(200, JSON.stringify(version2)));
  assert.is(pact?.origin, url);
  assert.equal(asked, [`GET ${url}`]);
  await rejects(readPacts(url, answers(404, '')), /cannot be read: expected 200, received 404\.$/);
  await rejects(readPacts(url, answers(500, '{}')), /cannot be read: expected 200, received 500\.$/);
  await rejects(readPacts(url, answers(200, ' \n')), /is empty/);
  const large: Transport = () => Promise.resolve({ status: 200, headers: {}, body: new Uint8Array(), isCut: true });
  await rejects(readPacts(url, large), /cannot be read: it has more than 16777216 bytes\.$/);
  const broken = () => Promise.reject(new TransportError('timeout', 'no complete response within 5 ms'));
  await rejects(readPacts(url, broken), /cannot be read: no complete response within 5 ms\.$/);
});

test.run();
