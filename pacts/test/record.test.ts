/** Consumers record: their requests must match, and the pact claims only what the interface states. */

import { execFile } from 'node:child_process';
import { copyFileSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { temporaryFolder as folder } from '../../conformance/test/cli/command.ts';
import {
  errorMatcher,
  type Interaction,
  type MockService,
  type PetStorePact,
  petMatcher,
  petStorePact,
  petsMatcher,
} from '../index.ts';
import { lintPact, showReason } from '../lint/lint-pact.ts';
import { readPact } from '../pact.ts';
import { PactV4 } from '../pact-js.ts';
import { startVerifier } from '../verify/verifier.ts';

const committed = new URL('../adoption-site-pet-store.json', import.meta.url);

test('the worked consumer passes and records its pact, in the place of the one before', async () => {
  const env = { ...process.env, PACT_FOLDER: folder() };
  const recorded = join(env.PACT_FOLDER, 'adoption-site-pet-store.json');
  copyFileSync(committed, recorded);
  const example = new URL('../example/with-uvu.ts', import.meta.url).pathname;
  const { stdout } = await promisify(execFile)(process.execPath, [example], { env });
  assert.match(stdout, /Passed:\s+3/);
  assert.is(readFileSync(recorded, 'utf8'), readFileSync(committed, 'utf8'));
});

const withKey = { headers: { authorization: 'Bearer k' } };
const get =
  (path: string, options: RequestInit = withKey) =>
  ({ baseUrl }: MockService) =>
    fetch(baseUrl + path, options);
const post = (pet: unknown) => {
  const headers = { ...withKey.headers, 'content-type': 'application/json' };
  return get('/pets', { method: 'POST', headers, body: JSON.stringify(pet) });
};

const turtle = { name: 'Żółw', categoryId: 9, status: 'sold' } as const;
const refused = { code: 'some_code', message: 'some message', status: 400 };

/** An interaction with other values than the worked consumer's, the client, and what the mock server answers. */
type Use = (service: MockService) => Promise<Response>;
const answers: readonly (readonly [(pact: PetStorePact) => Interaction, Use, number, unknown])[] = [
  [(pact) => pact.listPets(), get('/pets'), 200, [{ id: 7, name: 'Rex', categoryId: 1 }]],
  [(pact) => pact.getPet(12), get('/pets/12'), 200, { id: 12, name: 'Rex', categoryId: 1 }],
  [(pact) => pact.createPet(turtle), post(turtle), 201, { id: 7, ...turtle }],
  ...['text', 5, null, [], { name: 1 }].map(
    (body) => [(pact: PetStorePact) => pact.createPetRefused(body), post(body), 400, refused] as const,
  ),
];

test('the mock server answers as the interface says, with the values that were asked for and sent', async () => {
  const pact = petStorePact({ consumer: 'reader', folder: folder() });
  for (const [ask, use, status, body] of answers) {
    const response = await ask(pact).test(use);
    assert.equal([response.status, await response.json()], [status, body]);
    assert.match(response.headers.get('x-ratelimit-remaining') ?? '', /^\d+$/);
  }
  assert.is(process.env['PACT_DO_NOT_TRACK'], 'true');
});

/** Description, state, path, status filter and expected answer of interactions that a consumer writes itself. */
const ownInteractions = [
  ['a page', 'animals exist', '/pets', '', 200, petsMatcher()],
  ['a page by status', 'animals exist', '/pets', 'sold', 200, petsMatcher({ status: 'sold' })],
  ['an animal', 'an animal exists', '/pets/7', '', 200, petMatcher({ id: 7 })],
  ['no animal', 'no animal has this id', '/pets/404', '', 404, errorMatcher(404)],
] as const;

test('the matchers fit into interactions of a consumer of its own, and claim only what the interface states', async () => {
  const dir = folder();
  const pact = new PactV4({ consumer: 'own', provider: 'pet-store', dir, logLevel: 'error' });
  for (const [description, state, path, filter, status, body] of ownInteractions) {
    const query: Record<string, string> = filter === '' ? {} : { status: filter };
    await pact
      .addInteraction()
      .given(state, query)
      .uponReceiving(description)
      .withRequest('GET', path, (builder) => builder.query(query).headers({ Authorization: 'Bearer k' }))
      .willRespondWith(status, (builder) => builder.jsonBody(body))
      .executeTest(({ url }) => get(`${path}${filter === '' ? '' : `?status=${filter}`}`)({ baseUrl: url }));
  }
  const verifier = startVerifier();
  const recorded = readPact(readFileSync(join(dir, 'own-pet-store.json'), 'utf8'), 'own.json');
  const remarks = await lintPact(recorded, verifier).finally(verifier.close);
  assert.equal([recorded.interactions.length, remarks.map(showReason)], [ownInteractions.length, []]);
});

test.run();
