/** pact verify with a broker: what is fetched, what is published, and no token in any output. */

import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { type Outgoing, TransportError } from '../../conformance/http/transport.ts';
import { jumpingTime, readReport, run, start, temporaryFolder } from '../../conformance/test/cli/command.ts';
import { startOtherServer } from '../../conformance/test/other-server.ts';
import { reasonInWords } from '../../conformance/verdict/reasons.ts';
import { writePact } from '../pact.ts';
import { type Broker, createRelay } from '../verify/broker.ts';
import { brokerOf, startBroker } from './broker.ts';
import { version2 } from './handmade.ts';

const recordedFile = new URL('../adoption-site-pet-store.json', import.meta.url).pathname;
const recorded = JSON.parse(readFileSync(recordedFile, 'utf8')) as { interactions: { description: string }[] };

const token = 'token-of-the-broker';
const env = { PACT_BROKER_TOKEN: token };
const version = ['--provider-version', '1.2.3', '--provider-branch', 'feature/a', '--publish'];

async function withBroker(use: (broker: Awaited<ReturnType<typeof startBroker>>, args: string[]) => Promise<void>) {
  const broker = await startBroker(token);
  await broker.publish(recorded, { version: '7.0.0', branch: 'main' });
  process.env['PACT_BROKER_BASE_URL'] = broker.url;
  await use(broker, ['pact', 'verify']).finally(broker.close);
  delete process.env['PACT_BROKER_BASE_URL'];
}

test('pacts are fetched by the usual selectors, notices are shown, and results are published with version and branch', () =>
  withBroker(async (broker, args) => {
    await broker.publish({ ...recorded, consumer: { name: 'another-site' } }, { version: '1.0.0', branch: 'feature' });
    const { code, stdout, stderr } = await run([...args, ...version], env);
    assert.is(code, 0, stdout);
    assert.match(stdout, /8 of 8 interactions hold/);
    assert.equal(
      [broker.canDeploy('adoption-site', '1.2.3'), broker.canDeploy('another-site', '1.2.3')],
      [true, undefined],
    );
    assert.equal(broker.branches.get('feature%2Fa'), ['1.2.3']);
    assert.is(stderr.match(/Pact Broker: The token \[key\] is about to expire/g)?.length, 1);
    assert.not.match(stdout + stderr, /\x1b|another-site/);
    const quiet = await run([...args, '--selector', 'branch=feature', '--quiet'], env);
    assert.equal([quiet.code, quiet.stderr, broker.results.length], [0, '', 1]);
  }));

/** A pact that every server fails: its animal has a number for a name. */
const unkept = {
  ...version2,
  consumer: { name: 'dreamer' },
  interactions: [{ ...version2.interactions[1], response: { status: 200, body: { name: 5 } } }],
};

test('a failed pact is published as failed and ends with 1; a pending one ends with 0', () =>
  withBroker(async (broker, args) => {
    await broker.publish(unkept, { version: '1.0.0', branch: 'main' });
    const ofDreamer = [...args, ...version, '--selector', 'consumer=dreamer,mainBranch'];
    const failing = await run(ofDreamer, env);
    const pending = await run([...ofDreamer, '--pending'], env);
    assert.equal([failing.code, pending.code], [1, 0], failing.stdout + pending.stdout);
    assert.match(pending.stdout, /~ pending {2}dreamer: one animal/);
    assert.equal(
      broker.results.map(({ success }) => success),
      [false, false],
    );
  }));

test('an interaction without its option is unknown to the broker, and published as failed with --require-all', () =>
  withBroker(async (broker, args) => {
    const { baseUrl, key, server } = await startOtherServer();
    const all = { ...env, PETSTORE_API_KEY: key };
    const verify = ['pact', 'verify', baseUrl, ...args.slice(2), ...version];
    const [limited] = recorded.interactions.filter(({ description }) => description.includes('beyond the rate limit'));
    const without = await run(verify, all);
    assert.is(without.code, 0, without.stdout);
    assert.is(broker.canDeploy('adoption-site', '1.2.3'), true);
    assert.equal(broker.unknown('adoption-site'), [limited?.description]);
    const strict = await run([...verify, '--require-all'], all);
    assert.is(strict.code, 3, strict.stdout);
    assert.is(broker.canDeploy('adoption-site', '1.2.3'), false);
    server.close();
  }));

test('a run that ends early publishes nothing', () =>
  withBroker(async (broker, args) => {
    const { baseUrl, key, server } = await startOtherServer();
    let count = 0;
    server.prependListener('request', ({ socket }) => {
      count += 1;
      if (count > 5) socket.destroy();
    });
    const verify = ['pact', 'verify', baseUrl, ...args.slice(2), ...version, '--max-wait', '2'];
    const { code, stdout } = await run(verify, { ...env, PETSTORE_API_KEY: key }, { time: jumpingTime() });
    server.close();
    assert.is.not(code, 0);
    assert.match(stdout, /The target is out of service/);
    assert.equal(broker.results, []);
  }));

test('a webhook job verifies the pact of its address with the token, and publishes for it alone', () =>
  withBroker(async (broker) => {
    const words = ['pact', 'verify', '--pact', `${broker.url}/pacts/0`, ...version];
    const { code, stdout } = await run(words, env);
    assert.is(code, 0, stdout);
    assert.match(stdout, /8 of 8 interactions hold/);
    assert.is(broker.canDeploy('adoption-site', '1.2.3'), true);
  }));

/** Arguments, token → the sentence of a run that ends with 3. */
const failures: readonly (readonly [words: readonly string[], token: string, sentence: RegExp])[] = [
  [['--provider-version', 'refused', '--publish'], token, /The broker did not take the results: it answered 422\./],
  [[], 'a-wrong-token', /The broker gave no pacts: it answered 401: check PACT_BROKER_TOKEN/],
  [['--selector', 'branch=none'], token, /The broker gave no pacts: it has no pacts for this provider and/],
];

for (const [words, given, sentence] of failures) {
  test(`a broker ends the run with 3: ${sentence.source}`, () =>
    withBroker(async (_broker, args) => {
      const { code, stdout, stderr } = await run([...args, ...words], { PACT_BROKER_TOKEN: given, COLUMNS: '1000' });
      assert.is(code, 3, stdout);
      assert.match(stdout, sentence);
      assert.not.ok((stdout + stderr).includes(given));
    }));
}

for (const [what, options, isKilled] of [
  ['the deadline', ['--deadline', '1'], false],
  ['SIGINT', [], true],
] as const) {
  test(`${what} ends a verification while pacts are fetched, with its report`, async () => {
    let child: ReturnType<typeof start>['child'] | undefined;
    const silent = createServer(() => void (isKilled && child?.kill('SIGINT')));
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
    const url = `http://127.0.0.1:${(silent.address() as AddressInfo).port}`;
    for (const source of [[], ['--pact', `${url}/pact`]]) {
      const file = join(temporaryFolder(), 'stopped.json');
      const words = ['pact', 'verify', ...source, ...options, '--reporter', `json=${file}`];
      const started = start(words, { PACT_BROKER_BASE_URL: url });
      child = started.child;
      const { code, stderr } = await started.result;
      assert.is(code, 3, stderr);
      const why = reasonInWords(readReport(file).reason) ?? '';
      assert.match(why, isKilled ? /interrupted/ : /deadline of 1 s has passed/);
    }
    silent.closeAllConnections();
    silent.close();
  });
}

/** A relay to a broker with one answer, and the requests that it got. */
function relayTo(answer: string, more: Partial<Broker> = {}) {
  const asked: Outgoing[] = [];
  const broker = brokerOf((request) => {
    asked.push(request);
    return answer;
  }, more);
  const relay = createRelay(broker, (text) => text.replaceAll('a-key', '[key]'));
  const ask = relay.relay((pact) => writePact(pact, pact.interactions), { stopped: () => undefined });
  return { asked, relay, ask: (method: string, path: string, body = '') => ask(method, path, body, 'http://here/x') };
}

test('the broker is asked at its own address alone, with its secret, whatever hosts its links name', async () => {
  const links = { _links: { self: { href: 'http://internal:9292/pacts/7?x=1' }, doc: { href: '/doc' } }, n: 1 };
  const { asked, ask } = relayTo(JSON.stringify(links), { token: 'secret' });
  assert.equal(await ask('GET', ''), {
    status: 200,
    text: '{"_links":{"self":{"href":"http://here/x/pacts/7?x=1"},"doc":{"href":"http://here/x/doc"}},"n":1}',
  });
  await ask('POST', '/pacts/7/results', '{"testResults":"a-key"}');
  assert.equal(
    asked.map(({ method, url, body }) => [method, url, body]),
    [
      ['GET', 'http://127.0.0.1/team/', undefined],
      ['POST', 'http://127.0.0.1/pacts/7/results', '{"testResults":"[key]"}'],
    ],
  );
  assert.equal(new Set(asked.map(({ headers }) => headers['authorization'])), new Set(['Bearer secret']));
  const named = relayTo('{}', { user: { name: 'me', password: 'öse' } });
  await named.ask('GET', '/');
  assert.is(named.asked[0]?.headers['authorization'], `Basic ${Buffer.from('me:öse').toString('base64')}`);
});

test('an unreadable pact is named and not verified, and numbers keep their digits', async () => {
  const { relay, ask } = relayTo('{"consumer":{"name":"a"}}');
  assert.is((await ask('GET', '/pacts/7?token=sesame')).status, 404);
  assert.equal(relay.unreadable.length, 1);
  assert.match(relay.unreadable[0]!, /^http:\/\/127\.0\.0\.1\/pacts\/7\?token=\S+ is not a pact|has no interactions/);
  const metadata = '"metadata":{"pactSpecification":{"version":"4.0"}}';
  const exact = relayTo(`{"consumer":{"name":"a"},${metadata},"interactions":[{"n":9007199254740993}]}`);
  assert.match((await exact.ask('GET', '/pacts/7')).text, '"n":9007199254740993');
});

/** Answer of the broker, its secret → why it gave no pacts. */
const problems: readonly (readonly [answer: object | TransportError, more: Partial<Broker>, why: RegExp])[] = [
  [{ status: 302 }, {}, /: it answered 302$/],
  [{ isCut: true }, {}, /: its answer is larger than any pact$/],
  [{ body: new TextEncoder().encode('[]') }, {}, /: its answer is not a JSON object$/],
  [{ status: 401 }, {}, /: it answered 401: set PACT_BROKER_TOKEN, or /],
  [{ status: 401 }, { user: { name: 'me', password: 'x' } }, /check PACT_BROKER_USERNAME and PACT_BROKER_PASSWORD$/],
  [new TransportError('timeout', 'no complete response within 5 ms'), {}, /: no complete response within 5 ms$/],
];

for (const [answer, more, why] of problems) {
  test(`a broker gives no pacts${why.source}`, async () => {
    const body = new TextEncoder().encode('{}');
    const transport = () =>
      answer instanceof TransportError
        ? Promise.reject(answer)
        : Promise.resolve({ status: 200, headers: {}, body, ...answer });
    const { relay, ask } = relayTo('', { ...more, transport });
    await ask('GET', '/');
    assert.throws(relay.check, (error: Error) => why.test(error.message.replace(/\.$/, '')));
  });
}

test.run();
