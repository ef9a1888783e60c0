/** The requests of a pact as they reach a target: which are sent, with what, and which secrets stay behind. */

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { readPacts } from '../../conformance/cli/read-pacts.ts';
import { apiKey, limitKey } from '../../conformance/services/wraps.ts';
import type { Handle } from '../../reference-server/index.ts';
import { readPact } from '../pact.ts';
import { startVerifier } from '../verify/verifier.ts';
import { othersThanPass, pactFrom, pactOfOne, referenceServer, verifyInProcess } from './in-process.ts';

const verifier = startVerifier();
const { pacts: recorded } = await readPacts([new URL('../adoption-site-pet-store.json', import.meta.url).pathname]);

test('a redirect is not followed', async () => {
  const asked: string[] = [];
  const handle: Handle = ({ target }) => {
    asked.push(target);
    return { status: 307, headers: { Location: 'moved', 'Content-Type': 'application/json' }, body: '[]' };
  };
  const report = await verifyInProcess([pactOfOne({ method: 'GET', path: '/pets' })], verifier, { handle });
  assert.equal(othersThanPass(report), { it: 'not-verifiable' });
  assert.not.ok(asked.some((target) => target.includes('moved')));
});

test('a path that leads elsewhere is not requested and does not pass', async () => {
  for (const path of ['/../../x', '/../_states', '/pets/../../../admin']) {
    const report = await verifyInProcess([pactOfOne({ method: 'GET', path }, { status: 404 })], verifier);
    assert.is(report.interactions?.[0]?.verdict, 'not-verifiable', path);
  }
});

test('a number beyond 2^53 is sent with the digits of the pact', async () => {
  const categoryId = '9007199254740993';
  const text = JSON.stringify({
    consumer: { name: 'large' },
    provider: { name: 'pet-store' },
    interactions: [
      {
        description: 'it',
        request: { method: 'POST', path: '/pets', body: { name: 'Rex', categoryId: 0 } },
        response: { status: 201 },
      },
    ],
    metadata: { pactSpecification: { version: '3.0.0' } },
  });
  const pact = readPact(text.replace('"categoryId":0', `"categoryId":${categoryId}`), 'large.json');
  const sent: string[] = [];
  const inner = referenceServer();
  const handle: Handle = (request, now) => {
    sent.push(new TextDecoder().decode(request.body));
    return inner(request, now);
  };
  const report = await verifyInProcess([pact], verifier, { handle });
  assert.equal(othersThanPass(report), {});
  assert.ok(
    sent.some((body) => body.includes(categoryId)),
    sent.join(),
  );
});

test('a key that the target returns reaches no report', async () => {
  const inner = referenceServer();
  const handle: Handle = (request, now) => {
    const answer = inner(request, now);
    const [, key = ''] = request.headers.find(([name]) => name.toLowerCase() === 'authorization') ?? [];
    return { ...answer, body: `${key} ${answer.body}` };
  };
  const report = await verifyInProcess(recorded, verifier, { handle });
  assert.is(report.exitCode, 1);
  for (const key of [apiKey, limitKey]) assert.not.ok(JSON.stringify(report).includes(key));
});

test('a key in a pact reaches no report', async () => {
  const interaction = {
    description: `with ${apiKey}`,
    providerStates: [{ name: `a state of ${apiKey}` }],
    request: { method: 'GET', path: '/pets' },
    response: { status: 200 },
  };
  const metadata = { pactSpecification: { version: '3.0.0' } };
  const failing = { ...interaction, providerStates: [], response: { status: 404 } };
  const query = { note: [apiKey] };
  const telling = { ...failing, description: 'it', request: { method: 'GET', path: '/pets', query } };
  const interactions = [interaction, failing, telling];
  const pact = pactFrom({ consumer: { name: `site ${apiKey}` }, interactions, metadata });
  const report = await verifyInProcess([pact], verifier);
  assert.equal(
    report.interactions?.map(({ consumer, description, states }) => [consumer, description, states]),
    [
      ['site [key]', 'with [key]', ['a state of [key]']],
      ['site [key]', 'with [key]', []],
      ['site [key]', 'it', []],
    ],
  );
  assert.equal(
    report.exchanges.map(({ check }) => check),
    ['site [key]'],
  );
  assert.not.ok(JSON.stringify(report).includes(apiKey));
});

test.after(() => verifier.close());
test.run();
