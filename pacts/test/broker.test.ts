/** pact verify with a broker: what is fetched, what is published, and no token in any output. */

import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { type Outgoing, TransportError } from '../../conformance/http/transport.ts';
import { jumpingTime, readReport, run, temporaryFolder } from '../../conformance/test/cli/command.ts';
import { startOtherServer } from '../../conformance/test/other-server.ts';
import recorded from '../adoption-site-pet-store.json' with { type: 'json' };
import { type Pact, writePact } from '../pact.ts';
import { createRelay } from '../verify/broker.ts';
import { startBroker } from './broker.ts';
import version2 from './shelter-kiosk-version-2.json' with { type: 'json' };

const token = 'token-of-the-broker';
const env: Record<string, string> = { PACT_BROKER_TOKEN: token, COLUMNS: '1000' };
const version = ['--provider-version', '1.2.3', '--provider-branch', 'feature/a'];

/** A pact that every server fails: its animal has a number for a name. */
const unkept = {
  ...version2,
  consumer: { name: 'dreamer' },
  interactions: [{ ...version2.interactions[1], response: { status: 200, body: { name: 5 } } }],
};

/** A pact with a path that the verifier cannot parse, and with an interaction of the recorded one. */
const rules = { body: { '$.x[*': { matchers: [{ match: 'type' }] } } };
const unloadable = {
  consumer: unkept.consumer,
  interactions: [{ ...recorded.interactions[0], response: { status: 200, matchingRules: rules } }],
  metadata: { pactSpecification: { version: '4.0' } },
};

/** Starts the broker that the commands of a test ask. */
async function brokerOf(...pacts: Parameters<typeof startBroker>[1]) {
  const broker = await startBroker(token, pacts);
  env['PACT_BROKER_BASE_URL'] = broker.url;
  return broker;
}

const verify = (...words: readonly string[]) => run(['pact', 'verify', ...words], env);

test('pacts of the main branch and of environments are asked for, and results are published with version and branch', async () => {
  const broker = await brokerOf(recorded);
  const { code, stdout, stderr } = await verify(...version);
  assert.is(code, 0, stdout);
  assert.match(stdout, /8 of 8 interactions hold/);
  assert.not.match(stdout + stderr, /\x1b/);
  assert.equal(broker.asked.at(-1), {
    includePendingStatus: true,
    consumerVersionSelectors: [{ mainBranch: true }, { deployedOrReleased: true }],
    providerVersionBranch: 'feature/a',
  });
  const published = broker.results.map((one) => `${one.success} ${one.providerApplicationVersion}`);
  assert.equal(published, ['true 1.2.3']);
  assert.equal(broker.branches, ['/branches/feature%2Fa/versions/1.2.3']);
  // A webhook names one pact by its address.
  const one = await verify('--pact', `${broker.url}/pacts/0`, '--quiet', ...version);
  assert.equal([one.code, one.stderr, broker.results.length, broker.asked.length], [0, '', 2, 2]);
});

test('a failed pact is published as failed and ends with 1; a pending one ends with 0', async () => {
  const broker = await brokerOf(recorded, unkept);
  const failing = await verify(...version.slice(0, 2));
  const pending = await verify(...version);
  assert.equal([failing.code, pending.code], [1, 0], failing.stdout + pending.stdout);
  assert.match(pending.stdout, /~ pending {2}dreamer: one animal/);
  assert.is(broker.results.map(({ success }) => success).join(), 'true,false,true,false');
});

test('interactions of a pact that the verifier cannot load are not verifiable, and those of later pacts are', async () => {
  const broker = await brokerOf(unloadable, recorded);
  const file = join(temporaryFolder(), 'unloadable.json');
  const { code, stdout } = await verify(...version, '--reporter', `json=${file}`);
  const ofPacts = (readReport(file).interactions ?? []).map(({ consumer, verdict }) => `${consumer}: ${verdict}`);
  const held = recorded.interactions.map(() => 'adoption-site: pass');
  assert.equal([code, ...ofPacts], [3, 'dreamer: not-verifiable', ...held], stdout);
  assert.is(broker.results.map(({ success, testResults }) => `${success} ${testResults.length}`).join(), 'true 8');
});

test('an interaction without its option is not in the result, and a run that ends early publishes nothing', async () => {
  const broker = await brokerOf(recorded);
  const { baseUrl, key, server } = await startOtherServer();
  const environment = { ...env, PETSTORE_API_KEY: key };
  const words = ['pact', 'verify', baseUrl, ...version, '--max-wait', '2'];
  const { code, stdout } = await run(words, environment, { time: jumpingTime() });
  assert.is(code, 0, stdout);
  const tested = broker.results[0]?.testResults.map(({ interactionId }) => interactionId) ?? [];
  const untested = recorded.interactions.filter((_one, at) => !tested.includes(`id-${at}`));
  assert.match(untested.map(({ description }) => description).join(), /^a listing beyond the rate limit [^,]+$/);
  let count = 0;
  server.prependListener('request', ({ socket }) => {
    count += 1;
    if (count > 5) socket.destroy();
  });
  const early = await run(words, environment, { time: jumpingTime() });
  assert.match(early.stdout, /the target is out of service/);
  assert.is(broker.results.length, 1);
});

test('a broker that refuses the results or the token ends the run with 3', async () => {
  for (const [given, word, sentence] of [
    [token, '--provider-version=refused', /The broker did not take the results: it answered 422\./],
    ['a-wrong-token', '--quiet', /The broker gave no pacts: it answered 401: check PACT_BROKER_TOKEN/],
  ] as const) {
    await brokerOf(recorded);
    const { code, stdout, stderr } = await run(['pact', 'verify', word], { ...env, PACT_BROKER_TOKEN: given });
    assert.is(code, 3, stdout);
    assert.match(stdout + stderr, sentence);
    assert.not.ok((stdout + stderr).includes(given));
  }
});

test('a broker without a pact of the service ends the run with 3, and the address of the gateway is not shown', async () => {
  await brokerOf();
  const { code, stdout } = await verify('--quiet');
  assert.is(code, 3, stdout);
  const found = "The broker gave no pacts: No pacts found for provider 'pet-store' ";
  assert.match(stdout, `${found}matching the given consumer version selectors.\n`);
});

test('a broker is asked with a user and a password where there is no token', async () => {
  await brokerOf(recorded);
  const { PACT_BROKER_TOKEN: _token, ...others } = env;
  const variables = { ...others, PACT_BROKER_USERNAME: 'reader', PACT_BROKER_PASSWORD: token };
  const { code, stdout, stderr } = await run(['pact', 'verify', '--quiet'], variables);
  assert.equal([code, stderr], [0, ''], stdout);
});

/** A relay to a broker with one answer, and the requests that it got. */
function relayTo(answer: string | object | TransportError, give: (pact: Pact) => string | undefined = writePact) {
  const asked: Outgoing[] = [];
  const transport = async (request: Outgoing) => {
    asked.push(request);
    if (answer instanceof TransportError) throw answer;
    const body = new TextEncoder().encode(typeof answer === 'string' ? answer : '{}');
    return { status: 200, headers: {}, body, ...(typeof answer === 'string' ? {} : answer) };
  };
  const connection = { url: 'http://127.0.0.1/team/', authorization: 'Bearer secret', transport, pactUrls: [] };
  const broker = { ...connection, options: { provider: 'pet-store' } };
  const redact = (text: string): string => text.replaceAll('a-key', '[key]');
  const relay = createRelay(broker, redact, give, () => false);
  const ask = (method: string, path: string, body = '') => relay.answer(method, path, body, 'http://here/x');
  return { asked, relay, ask };
}

test('the broker is asked at its own address alone, with its secret, whatever hosts its links name', async () => {
  const links = '{"self":{"href":"http://internal:9292/pacts/7?x=1"},"doc":{"href":"/doc"},"n":1}';
  const { asked, ask } = relayTo(links);
  const text = '{"self":{"href":"http://here/x/pacts/7?x=1"},"doc":{"href":"http://here/x/doc"},"n":1}';
  assert.equal(await ask('GET', ''), { status: 200, text });
  await ask('POST', '/pacts/7/results', '{"testResults":"a-key"}');
  const sent = asked.map(({ method, url, body, headers }) =>
    [method, url, headers['authorization'], headers['content-type'], body].join(' '),
  );
  assert.equal(sent, [
    'GET http://127.0.0.1/team/ Bearer secret  ',
    'POST http://127.0.0.1/pacts/7/results Bearer secret application/json {"testResults":"[key]"}',
  ]);
});

test('a broker that gives no pacts, or an unreadable one, is said to, with the reason', async () => {
  for (const [answer, why, give] of [
    [{ status: 302 }, /^gave no pacts: it answered 302$/],
    [new TransportError('timeout', 'no complete response within 5 ms.'), /^gave no pacts: no complete .* 5 ms$/],
    ['{"consumer":{"name":"a"}}', /^gave no pacts: http:\/\/\S+\/pacts\/7\?token=(?!sesame)\S+ has no interactions$/],
    // Nothing of it can be verified.
    [JSON.stringify(version2), /^$/, () => undefined],
  ] as const) {
    const { relay, ask } = relayTo(answer, give);
    assert.is((await ask('GET', '/pacts/7?token=sesame')).status, 404);
    await ask('PUT', '/later');
    assert.match(relay.problem() ?? '', why);
  }
});

test.run();
