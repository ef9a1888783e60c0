/** pact verify and pact lint as a user runs them: real servers, a broker, exit codes, and no key in any output. */

import { readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { jumpingTime, readReport, run, start, temporaryFolder } from '../../conformance/test/cli/command.ts';
import { startOtherServer } from '../../conformance/test/other-server.ts';
import { startBroker } from './broker.ts';
import { version2 } from './handmade.ts';

const folder = temporaryFolder();
const recordedFile = new URL('../adoption-site-pet-store.json', import.meta.url).pathname;
const recorded = JSON.parse(readFileSync(recordedFile, 'utf8')) as { interactions: { description: string }[] };

function written(name: string, content: string): string {
  const file = join(folder, name);
  writeFileSync(file, content);
  return file;
}

test('without a base address the embedded server is verified, and every reporter lists the interactions', async () => {
  const formats = ['json', 'junit', 'html', 'markdown', 'github'];
  const reporters = formats.flatMap((name) => ['--reporter', `${name}=${join(folder, name)}`]);
  const { code, stdout } = await run([
    'pact',
    'verify',
    '--pact',
    recordedFile,
    '--reporter',
    'terminal',
    ...reporters,
  ]);
  assert.is(code, 0, stdout);
  assert.match(stdout, /8 of 8 interactions hold/);
  assert.match(stdout, /The run leaves \d+ animals behind/);
  const report = readReport(join(folder, 'json'));
  const ajv = new Ajv2020({ strict: false });
  addFormats.default(ajv);
  const schema = JSON.parse(readFileSync(new URL('../../conformance/report.schema.json', import.meta.url), 'utf8'));
  assert.ok(ajv.validate(schema, report), ajv.errorsText());
  // Two animals of states, one that the filter must leave out, and one creation of the consumer.
  assert.is(report.creates, 4);
  for (const name of ['junit', 'html', 'markdown']) {
    assert.match(readFileSync(join(folder, name), 'utf8'), /the animal 404, which is unknown/);
  }
});

test('a server in another style is verified with its key, which no output has', async () => {
  const { baseUrl, key, server } = await startOtherServer();
  const file = join(folder, 'other.json');
  const args = [
    'pact',
    'verify',
    baseUrl,
    '--pact',
    recordedFile,
    '--reporter',
    'terminal',
    '--reporter',
    `json=${file}`,
  ];
  const { code, stdout, stderr } = await run([...args, '--evidence', 'all'], { PETSTORE_API_KEY: key });
  server.close();
  assert.is(code, 0, stdout);
  assert.match(stdout, /7 of 8 interactions hold/);
  assert.match(stdout, /it needs a key that may be exhausted: --rate-limit-key-env/);
  for (const text of [stdout, stderr, readFileSync(file, 'utf8')]) assert.not.ok(text.includes(key));
});

test('an interaction about a missing key is sent without an Authorization header, whatever its states and headers are', async () => {
  const { baseUrl, key, server } = await startOtherServer();
  const sent: (string | undefined)[] = [];
  server.on('request', ({ url, headers }) => {
    if (url?.includes('limit=7')) sent.push(headers.authorization);
  });
  const request = { method: 'GET', path: '/pets', query: { limit: ['7'] } };
  const withHeader = { ...request, headers: { Authorization: ['Bearer of-the-pact'] } };
  const absent = { comments: { absentHeaders: 'Authorization' } };
  const invalid = { providerStates: [{ name: 'the API key is invalid' }] };
  const keyless = [
    { ...absent, request },
    { ...absent, ...invalid, request: withHeader },
    { providerStates: [{ name: 'the API key is missing' }], request: withHeader },
    { ...invalid, request: withHeader },
  ].map((one, at) => ({ ...one, type: 'Synchronous/HTTP', description: `${at}`, response: { status: 401 } }));
  const file = written('keyless.json', JSON.stringify({ ...recorded, interactions: keyless }));
  const { code, stdout } = await run(['pact', 'verify', baseUrl, '--pact', file], { PETSTORE_API_KEY: key });
  server.close();
  assert.is(code, 0, stdout);
  assert.equal(sent.slice(0, 3), [undefined, undefined, undefined]);
  assert.match(sent[3] ?? '', /^Bearer (?!of-the-pact)\S+$/);
});

test('a target that breaks an interaction ends with 1, and every reporter names it', async () => {
  const { baseUrl, key, server } = await startOtherServer({
    breaks: (answer) => {
      if (answer.status === 404) answer.body = '{}';
    },
  });
  const args = ['pact', 'verify', baseUrl, '--pact', recordedFile, '--reporter', 'terminal'];
  const files = ['junit', 'github', 'markdown', 'html'].map((name) => [name, join(folder, `broken-${name}`)] as const);
  const reporters = files.flatMap(([name, file]) => ['--reporter', `${name}=${file}`]);
  const { code, stdout } = await run([...args, ...reporters], { PETSTORE_API_KEY: key });
  server.close();
  assert.is(code, 1);
  assert.match(stdout, /✗ FAIL {2}adoption-site: the animal 404, which is unknown/);
  assert.match(stdout, /✗ FAIL {2}§2 error-code/);
  for (const [, file] of files) assert.match(readFileSync(file, 'utf8'), /the animal 404(,|%2C) which is unknown/);
  assert.match(readFileSync(join(folder, 'broken-junit'), 'utf8'), /<failure type="interaction"/);
  assert.match(readFileSync(join(folder, 'broken-github'), 'utf8'), /^::error title=adoption-site%3A the animal 404/m);
});

test('a pact is read from an address, even a large one, and an unreadable one is one sentence', async () => {
  const server = createServer(({ url }, response) => {
    if (url === '/pact') response.end(`${' '.repeat(3 * 1024 * 1024)}${JSON.stringify(version2)}`);
    else if (url === '/moved') response.writeHead(302, { location: '/pact' }).end();
    else response.writeHead(404).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const at = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const good = await run(['pact', 'verify', '--pact', `${at}/pact`]);
  const moved = await run(['pact', 'verify', '--pact', `${at}/moved`]);
  server.close();
  assert.is(good.code, 0, good.stdout);
  assert.match(good.stdout, /5 of 5 interactions hold/);
  assert.is(moved.code, 2);
  assert.match(moved.stderr, /expected 200, received 302\.\n$/);
});

test('an unreachable target ends with 3, and the report has every interaction', async () => {
  const file = join(folder, 'unreachable.json');
  const args = ['pact', 'verify', 'http://127.0.0.1:9/v1', '--pact', recordedFile, '--reporter', `json=${file}`];
  const { code } = await run(args, { PETSTORE_API_KEY: 'some-key' }, { time: jumpingTime() });
  assert.is(code, 3);
  const report = readReport(file);
  assert.match(report.reason ?? '', /could not be reached/);
  assert.is(report.interactions?.length, 8);
});

test('SIGINT writes the report with the interactions verified so far', async () => {
  const { baseUrl, key, server } = await startOtherServer({ delayMs: 40 });
  const file = join(folder, 'interrupted.json');
  const args = ['pact', 'verify', baseUrl, '--pact', recordedFile, '--reporter', `json=${file}`];
  const { child, result } = start(args, { PETSTORE_API_KEY: key });
  let asked = 0;
  server.on('request', () => {
    asked += 1;
    if (asked === 4) child.kill('SIGINT');
  });
  const { code } = await result;
  server.closeAllConnections();
  server.close();
  assert.is(code, 3);
  assert.match(JSON.stringify(readReport(file).interactions), /interrupted/);
});

test('control characters in a pact do not reach the terminal', async () => {
  const hostile = { ...version2, consumer: { name: 'evil\x1b[2J::error::x' } };
  const file = written('hostile.json', JSON.stringify(hostile));
  for (const args of [
    ['pact', 'verify', '--pact', file],
    ['pact', 'lint', file],
  ]) {
    const { stdout } = await run(args);
    assert.not.ok(stdout.includes('\x1b'));
  }
});

/** Arguments → the sentence that comes with exit code 2. */
const misused: readonly (readonly [readonly string[], RegExp])[] = [
  [['pact'], /pact takes verify or lint/],
  [['pact', 'verify'], /needs pacts/],
  [
    ['pact', 'verify', '--pact', join(folder, 'absent.json')],
    /absent\.json cannot be read \(ENOENT\): there is no such file/,
  ],
  [['pact', 'lint'], /takes PACT…; nothing was given/],
  [['pact', 'lint', written('empty.json', '')], /empty\.json is empty/],
  [['pact', 'lint', written('wrong.json', '{"consumer":')], /wrong\.json is not readable JSON/],
  [['pact', 'lint', written('list.json', '[]')], /list\.json is not a pact/],
  [
    [
      'pact',
      'lint',
      written('none.json', '{"consumer":{"name":"a"},"metadata":{"pactSpecification":{"version":"3.0.0"}}}'),
    ],
    /has no interactions/,
  ],
  [
    [
      'pact',
      'lint',
      written(
        'nine.json',
        '{"consumer":{"name":"a"},"interactions":[{}],"metadata":{"pactSpecification":{"version":"9.0"}}}',
      ),
    ],
    /expected version 1 to 4 .* found "9\.0"/,
  ],
  [['pact', 'verify', '--pact', recordedFile, '--publish'], /--publish is for a broker/],
  [['pact', 'verify', '--broker-url', 'http://127.0.0.1:9', '--publish'], /--publish needs --provider-version/],
  [['pact', 'verify', '--broker-url', 'http://127.0.0.1:9', '--selector', 'best'], /--selector takes mainBranch/],
  [['pact', 'verify', '--broker-url', 'http://127.0.0.1:9', '--pending'], /--pending needs --provider-branch/],
];

for (const [args, sentence] of misused) {
  test(`exit code 2 and one sentence: ${sentence.source}`, async () => {
    const { code, stdout, stderr } = await run(args);
    assert.is(code, 2, stdout);
    assert.match(stderr, sentence);
    assert.is(stderr.trim().split('\n').length, 1);
  });
}

test('lint ends with 0 without remarks, and with 1 and one line for each remark', async () => {
  const good = await run(['pact', 'lint', recordedFile]);
  assert.is(good.code, 0, good.stdout);
  const [first] = recorded.interactions;
  const more = { ...recorded, interactions: [{ ...first, providerStates: [{ name: 'the moon is full' }] }] };
  const bad = await run(['pact', 'lint', recordedFile, written('more.json', JSON.stringify(more))]);
  assert.is(bad.code, 1);
  assert.match(bad.stdout, /more\.json: ".*" claims what no provider state reaches: .*"the moon is full"/);
});

test('lint reports as JSON, for GitHub and as JUnit, and an unreadable file does not stop the others', async () => {
  const unreadable = written('unreadable.json', '{"interactions":');
  const claiming = written('claiming.json', JSON.stringify({ ...version2, messages: [{ description: 'an event' }] }));
  const files = { json: join(folder, 'lint.json'), junit: join(folder, 'lint.xml') };
  const reporters = ['github', `json=${files.json}`, `junit=${files.junit}`].flatMap((name) => ['--reporter', name]);
  const { code, stdout } = await run(['pact', 'lint', claiming, unreadable, recordedFile, ...reporters]);
  assert.is(code, 2, stdout);
  assert.match(stdout, /^::error file=.*unreadable\.json,title=pact lint::.* is not readable JSON/m);
  assert.match(stdout, /^::error file=.*claiming\.json,title=pact lint message::"an event" contradicts the interface/m);
  const linted = JSON.parse(readFileSync(files.json, 'utf8'));
  assert.equal(
    linted.pacts.map(({ remarks }: { remarks: { code: string }[] }) => remarks.map(({ code: found }) => found)),
    [['message'], []],
  );
  assert.is(linted.unreadable.length, 1);
  assert.match(readFileSync(files.junit, 'utf8'), /<testsuite name="shelter-kiosk .*failures="1"/);
  const html = await run(['pact', 'lint', claiming, '--reporter', 'html']);
  assert.equal([html.code, html.stderr], [2, 'pact lint has the reporters terminal, json, github, junit, not html.\n']);
  assert.is((await run(['pact', 'lint', recordedFile], { PETSTORE_REPORTER: 'html' })).code, 0);
});

test('an unreadable pact is not verifiable, and the others are verified', async () => {
  const unreadable = written('half.json', '{');
  const { code, stdout } = await run(['pact', 'verify', '--pact', unreadable, '--pact', recordedFile]);
  assert.is(code, 3, stdout);
  assert.match(stdout, /could not be verified\n.*unreadable pact: its interactions\n.*half\.json is not readable JSON/);
  assert.match(stdout, /8 of 9 interactions hold/);
});

test('secrets in the address of a pact are used, and appear in no output', async () => {
  const server = createServer((incoming, outgoing) => {
    const isKnown = incoming.headers.authorization === `Basic ${Buffer.from('me:pass-word').toString('base64')}`;
    outgoing.writeHead(isKnown && incoming.url === '/pact?token=sesame' ? 200 : 403).end(JSON.stringify(recorded));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const at = (user: string) => `http://${user}@127.0.0.1:${port}/pact?token=sesame`;
  const good = await run(['pact', 'verify', '--pact', at('me:pass-word')]);
  const bad = await run(['pact', 'verify', '--pact', at('me:wrong-word')]);
  server.close();
  assert.equal([good.code, bad.code], [0, 2], good.stdout + bad.stderr);
  assert.match(bad.stderr, /expected 200, received 403/);
  for (const secret of ['pass-word', 'wrong-word', 'sesame']) {
    assert.not.ok(
      [good, bad].some(({ stdout, stderr }) => (stdout + stderr).includes(secret)),
      secret,
    );
  }
});

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
  const args = ['pact', 'verify', '--pact', `${broker.url}/pacts/1`, ...version, '--provider-tag', 'prod'];
  const { code, stdout, stderr } = await run([...args, '--build-url', 'https://ci.example/7'], env);
  const allowed = await broker.canIDeploy('adoption-site', '7.0.0', '1.2.3');
  const unverified = await broker.canIDeploy('another-site', '1.0.0', '1.2.3');
  broker.close();
  assert.is(code, 0, stdout + stderr);
  assert.match(stdout, /8 of 8 interactions hold/);
  assert.equal([allowed.deployable, unverified.deployable], [true, null]);
  assert.equal(broker.tags.get('prod'), ['1.2.3']);
  assert.is(broker.results[0]?.buildUrl, 'https://ci.example/7');
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
      assert.match(readReport(file).reason ?? '', kill ? /interrupted/ : /deadline of 1 s has passed/);
      // The deadline itself, two seconds, and room for a busy machine.
      assert.ok(performance.now() - askedAt < 10_000);
    }
    silent.closeAllConnections();
    silent.close();
  });
}

test('work in progress is verified as well, and never fails the run', async () => {
  const broker = await startBroker(token);
  await broker.publish(recorded, { version: '7.0.0', branch: 'main' });
  await broker.publish(unkept, { version: '1.0.0', branch: 'feature' });
  const args = ['pact', 'verify', '--broker-url', broker.url, ...version, '--selector', 'mainBranch', '--pending'];
  const { code, stdout } = await run([...args, '--wip-since', '2026-11-01'], { PACT_BROKER_TOKEN: token });
  broker.close();
  assert.is(code, 0, stdout);
  assert.match(stdout, /~ pending {2}dreamer/);
  assert.match(stdout, /8 of 9 interactions hold/);
});

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
