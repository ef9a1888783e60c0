/** No command and no reporter shows a secret, in whichever form the target echoes it. */

import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { reporters } from '../../../reporters/index.ts';
import { disclosuresIn, encodings } from '../../encodings.ts';
import { type Result, run, start, temporaryFolder } from '../command.ts';

const folder = temporaryFolder();

/** Six secrets that have no part in common. */
const secrets = {
  key: 'Kq+7w/Vb3=nRt_2xZ',
  rateLimitKey: 'Lm/9p+Hc5=jDs_4yG',
  header: 'Ub/6e+Xf8=oWa_1iN',
  cookie: 'Rz+0h/Ty4=cPk_7uM',
  brokerToken: 'Gv/3s+Ql6=bJd_9eF',
  proxyPassword: 'Ew-5n.Ci2~zHx_8oB',
} as const;

const environment = {
  PETSTORE_API_KEY: secrets.key,
  PETSTORE_RATE_LIMIT_KEY: secrets.rateLimitKey,
  PACT_BROKER_TOKEN: secrets.brokerToken,
  // The address of the target is plain HTTP, so this proxy is not used.
  HTTPS_PROXY: `http://canary:${secrets.proxyPassword}@127.0.0.1:9`,
};
const headers = [
  '--header',
  `X-Gateway-Auth: Token ${secrets.header}`,
  '--header',
  `Cookie: a=b; sid=${secrets.cookie}`,
];

/** What a careless or hostile target knows, written in every encoding: one of them in each name, all of them in a message. */
const echoes = Object.values(secrets).flatMap((secret) => Object.values(encodings).map((encode) => encode(secret)));
let answered = 0;

function nextEcho(): string {
  answered += 1;
  return echoes[(answered * 7) % echoes.length]!;
}

/** An answer that breaks requirements with the secrets in every value that a message could repeat. */
function answer({ method }: IncomingMessage, outgoing: ServerResponse): void {
  const echo = nextEcho();
  const pet = { id: echo, name: echo, categoryId: `${echo} `, status: echo, [echo]: [{ [echo]: { deep: echo } }] };
  const [status, body] =
    answered % 5 === 0
      ? [400, { code: 7, message: echoes.join(' | '), status: echo, all: echoes }]
      : method === 'POST'
        ? [201, pet]
        : [200, [pet, pet]];
  // Node refuses line breaks and control characters in headers, which a secret cannot hold.
  const inHeader = encodeURI(echo).replaceAll('%25', '%');
  outgoing.writeHead(status, {
    'content-type': `application/json; x="${inHeader}"`,
    'x-ratelimit-limit': inHeader,
    'x-ratelimit-remaining': '10',
    'set-cookie': `sid=${secrets.cookie}`,
    location: `https://host/cb?token=${encodeURIComponent(secrets.key)}`,
    'x-echo': inHeader,
    [`x-${Buffer.from(secrets.key).toString('hex')}`]: 'name',
  });
  outgoing.end(JSON.stringify(body));
}

const server = createServer((incoming, outgoing) => {
  incoming.resume().on('end', () => answer(incoming, outgoing));
});
await new Promise<void>((resolve) => {
  server.listen(0, '127.0.0.1', resolve);
});
const { port } = server.address() as AddressInfo;
const baseUrl = `http://127.0.0.1:${port}/v1`;

function assertNothingIn(where: string, text: string): void {
  for (const [name, secret] of Object.entries(secrets)) {
    const [found] = disclosuresIn(text, secret);
    const at = found === undefined ? -1 : text.toLowerCase().indexOf(found);
    assert.is(found, undefined, `${name} in ${where}: …${text.slice(Math.max(0, at - 60), at + 60)}…`);
  }
}

/** Runs a command with every reporter; returns its result after a look at all that it wrote. */
async function runHidden(
  name: string,
  words: readonly string[],
  more: Readonly<Record<string, string>> = {},
): Promise<Result> {
  const result = await run(words, { ...environment, ...more });
  assertNothingIn(`the output of ${name}`, result.stdout + result.stderr);
  return result;
}

function reportersInto(name: string): readonly string[] {
  const into = join(folder, name);
  mkdirSync(into);
  return Object.keys(reporters).flatMap((reporter) => ['--reporter', `${reporter}=${join(into, reporter)}`]);
}

function assertNothingInFiles(name: string): void {
  const files = readdirSync(join(folder, name));
  assert.is(files.length, Object.keys(reporters).length);
  for (const file of files) assertNothingIn(`${name} ${file}`, readFileSync(join(folder, name, file), 'utf8'));
}

const report = join(folder, 'run', 'json');

test('run, with every reporter and all exchanges', async () => {
  const budget = ['--max-requests', '90', '--verbose', '--seed', '1', '--max-wait', '1', '--settle', '0'];
  const { code, stderr } = await runHidden('run', ['run', baseUrl, ...headers, ...budget, ...reportersInto('run')]);
  assert.is(code, 1, stderr);
  assertNothingInFiles('run');
  const { exchanges } = JSON.parse(readFileSync(report, 'utf8'));
  assert.ok(exchanges.length > 5, `${exchanges.length}`);
});

test('run through a proxy with a password', async () => {
  const proxy = `http://canary:${secrets.proxyPassword}@127.0.0.1:${port}`;
  const words = ['run', 'http://canary.invalid/v1', ...headers, '--max-requests', '30', ...reportersInto('proxied')];
  assert.is((await runHidden('run through a proxy', words, { HTTP_PROXY: proxy, http_proxy: proxy })).code, 1);
  assertNothingInFiles('proxied');
});

test('commands that read the report of a run', async () => {
  const { requirements } = JSON.parse(readFileSync(report, 'utf8'));
  const { id } = requirements.find(({ failures }: { failures: readonly unknown[] }) => failures.length > 0);
  await runHidden('last failed', ['run', baseUrl, '--last-failed', report, '--only', id, ...headers]);
  const again = await runHidden('report', ['report', report, ...reportersInto('report')]);
  assert.is(again.code, 0, again.stderr);
  assertNothingInFiles('report');
  await runHidden('compare', ['compare', report, report]);
});

test('a dry run, explain and --print-config', async () => {
  await runHidden('dry run', ['run', baseUrl, '--dry-run', ...headers]);
  await runHidden('explain', ['explain', 'auth-missing-key']);
  await runHidden('--print-config', ['run', baseUrl, ...headers, '--print-config']);
});

test('pact verify and pact lint', async () => {
  const pact = 'pacts/adoption-site-pet-store.json';
  await runHidden('pact verify', [
    'pact',
    'verify',
    baseUrl,
    '--pact',
    pact,
    ...headers,
    '--max-wait',
    '1',
    ...reportersInto('verify'),
  ]);
  assertNothingInFiles('verify');
  const held = join(folder, 'held.json');
  const request = {
    method: 'GET',
    path: '/pets',
    headers: { Authorization: `Bearer ${secrets.key}` },
    query: `token=${secrets.header}`,
  };
  const interactions = [{ description: 'a list', request, response: { status: 200 } }];
  writeFileSync(
    held,
    JSON.stringify({
      consumer: { name: 'c' },
      provider: { name: 'p' },
      interactions,
      metadata: { pactSpecification: { version: '2.0.0' } },
    }),
  );
  await runHidden('pact lint', ['pact', 'lint', held]);
  const address = `http://user:${secrets.header}@127.0.0.1:9/p.json?token=${secrets.cookie}`;
  assert.is((await runHidden('pact verify of an address', ['pact', 'verify', baseUrl, '--pact', address])).code, 2);
});

test('a broker that echoes its token', async () => {
  const words = [
    'pact',
    'verify',
    baseUrl,
    '--broker-url',
    baseUrl,
    '--provider',
    'p',
    ...headers,
    ...reportersInto('broker'),
  ];
  await runHidden('pact verify with a broker', words);
  assertNothingInFiles('broker');
});

test('observe, of archives and on the way', async () => {
  const entries = echoes.map((echo, at) => ({
    startedDateTime: new Date(Date.UTC(2026, 10, 22, 12, 0, at)).toISOString(),
    time: 5,
    request: {
      method: 'GET',
      url: `${baseUrl}/pets?api_key=${encodeURIComponent(secrets.header)}&code=${encodeURIComponent(secrets.cookie)}`,
      headers: [
        { name: 'Authorization', value: `Bearer ${secrets.key}` },
        { name: 'X-Auth-Token', value: secrets.rateLimitKey },
        { name: 'X-Session', value: secrets.brokerToken },
        { name: 'Cookie', value: `sid=${secrets.cookie}; pw=${secrets.proxyPassword}` },
      ],
    },
    response: {
      status: 200,
      headers: [{ name: 'X-Echo', value: 'x' }],
      content: { text: JSON.stringify([{ id: echo, name: echo, [echo]: 1, password: secrets.header }]) },
    },
  }));
  const har = join(folder, 'observed.har');
  writeFileSync(har, JSON.stringify({ log: { entries } }));
  assert.is((await runHidden('observe', ['observe', har, '--base-url', baseUrl, ...reportersInto('observe')])).code, 1);
  assertNothingInFiles('observe');

  const { child, result } = start(['observe', baseUrl, ...reportersInto('watch')], environment);
  const address = await new Promise<string>((resolve) => {
    let shown = '';
    child.stderr?.on('data', (chunk) => {
      shown += chunk;
      const found = /^Passing (\S+) on to/m.exec(shown)?.[1];
      if (found !== undefined) resolve(found);
    });
  });
  const sent = {
    authorization: `Bearer ${secrets.key}`,
    'x-auth-token': secrets.rateLimitKey,
    'x-api-key': secrets.header,
  };
  const cookie = `sid=${secrets.cookie}; token=${secrets.brokerToken}; pw=${secrets.proxyPassword}`;
  for (let at = 0; at < 60; at += 1)
    await (await fetch(`${address}/pets?limit=${at}`, { headers: { ...sent, cookie } })).text();
  child.kill('SIGINT');
  const { stdout, stderr } = await result;
  assertNothingIn('the output of the relay', stdout + stderr);
  assertNothingInFiles('watch');
});

test('client: the output of the command, and its words', async () => {
  const output = join(folder, 'client-output');
  const script = `console.log(process.env.PACT_BROKER_TOKEN, '${secrets.key}'); process.exit(1)`;
  const words = [
    'client',
    '--runs',
    '1',
    '--output',
    output,
    ...reportersInto('client'),
    '--',
    process.execPath,
    '-e',
    script,
  ];
  await runHidden('client', words);
  assertNothingInFiles('client');
  for (const file of readdirSync(output)) assertNothingIn(file, readFileSync(join(output, file), 'utf8'));
});

test('mistakes on the command line: a key as a command, as an address', async () => {
  const mistakes = [
    ['run', baseUrl, '--api-key', secrets.key],
    ['run', baseUrl, `--api-key=${secrets.key}`],
    ['run', secrets.key],
    [secrets.key],
    ['run', `http://user:${secrets.key}@127.0.0.1:9/v1`],
    ['run', `${baseUrl}?token=${secrets.key}`],
    ['run', baseUrl, '--header', `X-Api-Key ${secrets.key}`],
  ];
  for (const words of mistakes) await runHidden(words.join(' ').slice(0, 20), words);
});

test('a malformed proxy is one sentence without its address', async () => {
  for (const variable of ['HTTP_PROXY', 'https_proxy']) {
    for (const words of [
      ['run', 'https://127.0.0.1:9/v1'],
      ['pact', 'verify', 'http://127.0.0.1:9/v1', '--pact', 'pacts/adoption-site-pet-store.json'],
    ]) {
      const { code, stderr } = await runHidden('a malformed proxy', words, {
        [variable]: `http://user:${secrets.proxyPassword}@[host:1`,
      });
      assert.is(code, 2);
      assert.is(stderr, `${variable} holds no address of an HTTP proxy: expected one like http://host:8080.\n`);
    }
  }
});

test('the target was asked', () => {
  server.close();
  server.closeAllConnections();
  assert.ok(answered > 150, `${answered}`);
});

test.run();
