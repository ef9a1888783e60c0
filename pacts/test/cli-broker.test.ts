/** pact verify with a broker: what is fetched, what is published, and no token in any output. */

import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { jumpingTime, readReport, run, start, temporaryFolder } from '../../conformance/test/cli/command.ts';
import { startOtherServer } from '../../conformance/test/other-server.ts';
import { reasonInWords } from '../../conformance/verdict/reasons.ts';
import { startBroker } from './broker.ts';
import { version2 } from './handmade.ts';

const folder = temporaryFolder();
const recordedFile = new URL('../adoption-site-pet-store.json', import.meta.url).pathname;
const recorded = JSON.parse(readFileSync(recordedFile, 'utf8')) as { interactions: { description: string }[] };

const token = 'token-of-the-broker';
const version = ['--provider-version', '1.2.3', '--provider-branch', 'main', '--publish'];
const ofMain = ['--selector', 'mainBranch'];

test('pacts are fetched from a broker by selector, and results are published with version and branch', async () => {
  const broker = await startBroker(token);
  await broker.publish(recorded, { version: '7.0.0', branch: 'main' });
  await broker.publish({ ...recorded, consumer: { name: 'another-site' } }, { version: '1.0.0', branch: 'feature' });
  const args = ['pact', 'verify', '--broker-url', broker.url, ...version, '--selector', 'mainBranch'];
  const { code, stdout } = await run(args, { PACT_BROKER_TOKEN: token });
  broker.close();
  assert.is(code, 0, stdout);
  assert.match(stdout, /8 of 8 interactions hold/);
  assert.not.match(stdout, /another-site/);
  assert.is(broker.canDeploy('adoption-site', '1.2.3'), true);
  assert.is(broker.canDeploy('another-site', '1.2.3'), false);
  assert.equal(broker.branches.get('main'), ['1.2.3']);
});

/** A pact that every server fails: its animal has a number for a name. */
const unkept = {
  ...version2,
  consumer: { name: 'dreamer' },
  interactions: [{ ...version2.interactions[1], response: { status: 200, body: { name: 5 } } }],
};

test('a failed pact is published as failed and ends with 1; a pending one ends with 0', async () => {
  const broker = await startBroker(token);
  await broker.publish(unkept, { version: '1.0.0', branch: 'main' });
  const args = ['pact', 'verify', '--broker-url', broker.url, ...version, '--selector', 'consumer=dreamer,mainBranch'];
  const failing = await run(args, { PACT_BROKER_TOKEN: token });
  const pending = await run([...args, '--pending'], { PACT_BROKER_TOKEN: token });
  broker.close();
  assert.is(failing.code, 1, failing.stdout);
  assert.is(pending.code, 0, pending.stdout);
  assert.match(pending.stdout, /~ pending {2}dreamer: one animal/);
  assert.equal(
    broker.results.map(({ success }) => success),
    [false, false],
  );
});

test('an interaction that is not verifiable is unknown to the broker, and fails its pact unless the user left it out', async () => {
  const broker = await startBroker(token);
  await broker.publish(recorded, { version: '7.0.0', branch: 'main' });
  const { baseUrl, key, server } = await startOtherServer();
  const env = { PACT_BROKER_TOKEN: token, PETSTORE_API_KEY: key };
  const args = ['pact', 'verify', baseUrl, '--broker-url', broker.url, ...ofMain, ...version];
  const [limited] = recorded.interactions.filter(({ description }) => description.includes('beyond the rate limit'));
  const without = await run(args, env);
  assert.is(without.code, 0, without.stdout);
  assert.is(broker.canDeploy('adoption-site', '1.2.3'), true);
  assert.equal(broker.unknown('adoption-site'), [limited?.description]);
  const strict = await run([...args, '--require-all'], env);
  assert.is(strict.code, 3, strict.stdout);
  assert.is(broker.canDeploy('adoption-site', '1.2.3'), false);
  server.close();
  broker.close();
  const result = broker.results.at(-1)!;
  assert.match(
    JSON.stringify(result.testResults),
    /"notVerifiable":\{"interactionId":"id-\d","description":"a listing beyond/,
  );
  assert.is(result.testResults.filter(({ success }) => success).length, 7);
});

test('a run that ends early publishes nothing', async () => {
  const broker = await startBroker(token);
  await broker.publish(recorded, { version: '7.0.0', branch: 'main' });
  const { baseUrl, key, server } = await startOtherServer();
  let count = 0;
  server.prependListener('request', ({ socket }) => {
    count += 1;
    if (count > 5) socket.destroy();
  });
  const args = ['pact', 'verify', baseUrl, '--broker-url', broker.url, ...ofMain, ...version, '--max-wait', '2'];
  const env = { PACT_BROKER_TOKEN: token, PETSTORE_API_KEY: key };
  const { code, stdout } = await run(args, env, { time: jumpingTime() });
  server.close();
  broker.close();
  assert.is.not(code, 0);
  assert.match(stdout, /The target is out of service/);
  assert.equal(broker.results, []);
});

test('a broker that refuses the results ends with 3, and the report has all interactions', async () => {
  const broker = await startBroker(token);
  await broker.publish(recorded, { version: '7.0.0', branch: 'main' });
  const args = ['pact', 'verify', '--broker-url', broker.url, ...ofMain, '--provider-version', 'refused', '--publish'];
  const { code, stdout } = await run(args, { PACT_BROKER_TOKEN: token });
  broker.close();
  assert.is(code, 3, stdout);
  assert.match(stdout, /The broker did not take the results: it answered 422\./);
  assert.match(stdout, /8 of 8 interactions hold/);
});

test('a webhook job verifies the pact of its address with the token, and publishes for it alone', async () => {
  const broker = await startBroker(token);
  await broker.publish({ ...recorded, consumer: { name: 'another-site' } }, { version: '1.0.0', branch: 'main' });
  await broker.publish(recorded, { version: '7.0.0', branch: 'feature' });
  const env = { PACT_BROKER_TOKEN: token, PACT_BROKER_BASE_URL: broker.url };
  const args = ['pact', 'verify', '--pact', `${broker.url}/pacts/1`, ...version];
  const { code, stdout, stderr } = await run(args, env);
  const allowed = await broker.canIDeploy('adoption-site', '7.0.0', '1.2.3');
  const unverified = await broker.canIDeploy('another-site', '1.0.0', '1.2.3');
  broker.close();
  assert.is(code, 0, stdout + stderr);
  assert.match(stdout, /8 of 8 interactions hold/);
  assert.equal([allowed.deployable, unverified.deployable], [true, null]);
});

test('notices of the broker are printed', async () => {
  const broker = await startBroker(token);
  await broker.publish(recorded, { version: '7.0.0', branch: 'main' });
  const args = ['pact', 'verify', '--broker-url', broker.url, ...version, ...ofMain];
  const { stderr } = await run(args, { PACT_BROKER_TOKEN: token });
  const quiet = await run([...args, '--quiet'], { PACT_BROKER_TOKEN: token });
  broker.close();
  assert.match(stderr, /Pact Broker: The pact at .*\/pacts\/0 is being verified/);
  assert.match(stderr, /Pact Broker: The result was published with success\./);
  assert.match(stderr, /Pact Broker: The token \[key\] is about to expire/);
  assert.not.match(stderr, /\x1b/);
  assert.not.match(quiet.stderr, /Pact Broker/);
});

for (const [what, options, kill] of [
  ['the deadline', ['--deadline', '1'], false],
  ['SIGINT', [], true],
] as const) {
  test(`${what} ends a verification while pacts are fetched, within two seconds and with its report`, async () => {
    let askedAt = 0;
    let child: ReturnType<typeof start>['child'] | undefined;
    const silent = createServer(() => {
      askedAt = performance.now();
      if (kill) child?.kill('SIGINT');
    });
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
    const url = `http://127.0.0.1:${(silent.address() as AddressInfo).port}`;
    for (const source of [
      ['--broker-url', url],
      ['--pact', `${url}/pact`],
    ]) {
      const file = join(folder, 'stopped.json');
      const started = start(['pact', 'verify', ...source, ...options, '--reporter', `json=${file}`]);
      child = started.child;
      const { code, stderr } = await started.result;
      assert.is(code, 3, stderr);
      assert.match(reasonInWords(readReport(file).reason) ?? '', kill ? /interrupted/ : /deadline of 1 s has passed/);
      // The deadline itself, two seconds, and room for a busy machine.
      assert.ok(performance.now() - askedAt < 10_000);
    }
    silent.closeAllConnections();
    silent.close();
  });
}

test('a broker that refuses the token or is unreachable ends with 3, and the token is not printed', async () => {
  const broker = await startBroker(token);
  const env = { PACT_BROKER_TOKEN: 'another-token-that-is-wrong' };
  const refused = await run(['pact', 'verify', '--broker-url', broker.url, '--selector', 'mainBranch'], env);
  broker.close();
  const gone = await run(['pact', 'verify', '--broker-url', broker.url, '--selector', 'mainBranch'], env);
  for (const { code, stdout, stderr } of [refused, gone]) {
    assert.is(code, 3, stdout);
    assert.match(stdout, /The broker gave no pacts/);
    assert.not.ok((stdout + stderr).includes(env.PACT_BROKER_TOKEN));
  }
});

test('a broker that has no pact ends with 3: nothing was verified', async () => {
  const broker = await startBroker(token);
  const args = ['pact', 'verify', '--broker-url', broker.url, '--selector', 'mainBranch'];
  const { code, stdout } = await run(args, { PACT_BROKER_TOKEN: token });
  broker.close();
  assert.is(code, 3);
  assert.match(stdout, /no interaction to verify|gave no pacts/);
});

test.run();
