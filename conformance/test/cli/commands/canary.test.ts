/** No command and no reporter shows a secret, in whichever form the target echoes it. */

import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { basename, join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { reporters } from '../../../reporters/index.ts';
import { disclosuresIn, encodings } from '../../encodings.ts';
import { listening } from '../../http/servers.ts';
import { run, temporaryFolder } from '../command.ts';

const folder = temporaryFolder();

/** Five secrets that have no part in common. */
const secrets = {
  key: 'Kq+7w/Vb3=nRt_2xZ',
  rateLimitKey: 'Lm/9p+Hc5=jDs_4yG',
  header: 'Ub/6e+Xf8=oWa_1iN',
  cookie: 'Rz+0h/Ty4=cPk_7uM',
  brokerToken: 'Gv/3s+Ql6=bJd_9eF',
} as const;
/** A further one, which only a proxy would get. */
const proxyPassword = 'Ew-5n.Ci2~zHx_8oB';

const environment = {
  PETSTORE_API_KEY: secrets.key,
  PETSTORE_RATE_LIMIT_KEY: secrets.rateLimitKey,
  PACT_BROKER_TOKEN: secrets.brokerToken,
};
const secretHeaders = [`X-Gateway-Auth: Token ${secrets.header}`, `Cookie: a=b; sid=${secrets.cookie}`];
const headers = secretHeaders.flatMap((header) => ['--header', header]);

/** What a careless or hostile target knows, written in every encoding: one of them in each name, all of them in a message. */
const echoes = Object.values(secrets).flatMap((secret) => Object.values(encodings).map((encode) => encode(secret)));
let answered = 0;

/** An answer that breaks requirements with the secrets in every value that a message could repeat. */
function answer({ method }: IncomingMessage, outgoing: ServerResponse): void {
  answered += 1;
  const echo = echoes[(answered * 7) % echoes.length]!;
  const pet = { id: echo, name: echo, categoryId: `${echo} `, status: echo, [echo]: [{ [echo]: { deep: echo } }] };
  const error = { code: 7, message: echoes.join(' | '), status: echo, all: echoes };
  const [status, body] = answered % 5 === 0 ? [400, error] : method === 'POST' ? [201, pet] : [200, [pet, pet]];
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
const baseUrl = `http://127.0.0.1:${await listening(server)}/v1`;

function assertNothingIn(where: string, text: string): void {
  for (const [name, secret] of Object.entries({ ...secrets, proxyPassword })) {
    const [found] = disclosuresIn(text, secret);
    const at = found === undefined ? -1 : text.toLowerCase().indexOf(found);
    assert.is(found, undefined, `${name} in ${where}: …${text.slice(Math.max(0, at - 60), at + 60)}…`);
  }
}

const report = join(folder, 'run', 'json');
const pact = 'pacts/adoption-site-pet-store.json';

function save(name: string, value: object): string {
  writeFileSync(join(folder, name), JSON.stringify(value));
  return join(folder, name);
}

const authorization = `Bearer ${secrets.key}`;
const asking = { method: 'GET', path: '/pets', query: `token=${secrets.header}` };
const request = { ...asking, headers: { Authorization: authorization } };
/** A pact that holds the key wherever a consumer may write. */
const held = save('held.json', {
  consumer: { name: `site ${secrets.key}` },
  provider: { name: 'p' },
  interactions: [
    { description: `with ${secrets.key}`, providerState: `of ${secrets.key}`, request, response: { status: 200 } },
    // It has no state, so it is sent, and its answer breaks it.
    { description: 'a list', request, response: { status: 404 } },
  ],
  metadata: { pactSpecification: { version: '2.0.0' } },
});
const har = save('observed.har', {
  log: {
    entries: echoes.map((echo, at) => ({
      startedDateTime: new Date(Date.UTC(2026, 10, 22, 12, 0, at)).toISOString(),
      time: 5,
      request: {
        method: 'GET',
        url: `${baseUrl}/pets?api_key=${encodeURIComponent(secrets.header)}&code=${encodeURIComponent(secrets.cookie)}`,
        headers: [
          { name: 'Authorization', value: authorization },
          { name: 'X-Auth-Token', value: secrets.rateLimitKey },
          { name: 'X-Session', value: secrets.brokerToken },
          { name: 'Cookie', value: `sid=${secrets.cookie}; pw=${secrets.header}` },
        ],
      },
      response: {
        status: 200,
        headers: [{ name: 'X-Echo', value: 'x' }],
        content: { text: JSON.stringify([{ id: echo, name: echo, [echo]: 1, password: secrets.header }]) },
      },
    })),
  },
});
const secretAddress = `http://user:${secrets.header}@127.0.0.1:9/p.json?token=${secrets.cookie}`;
const script = `console.log(process.env.PACT_BROKER_TOKEN, '${secrets.key}'); process.exit(1)`;
const budget = '--max-requests 90 --verbose --seed 1 --max-wait 1 --settle 0'.split(' ');
const output = join(folder, 'output');
const verify = ['pact', 'verify', baseUrl];

/** Words → the exit code, and the folder for reports of all formats. In this order, since some read the first report. */
const calls: readonly (readonly [words: readonly string[], code: number, into?: string | undefined, more?: object])[] =
  [
    [['run', baseUrl, ...headers, ...budget], 1, 'run'],
    [['run', baseUrl, '--last-failed', report, '--max-requests', '30', ...headers], 1],
    [['report', report], 0, 'report'],
    [['compare', report, report], 0],
    [['observe', har, '--base-url', baseUrl], 1, 'observe'],
    [[...verify, '--pact', pact, '--pact', held, ...headers, '--max-wait', '1'], 1, 'verify'],
    [['pact', 'lint', held], 1],
    [[...verify, '--pact', secretAddress], 2],
    [[...verify, '--provider', 'p', ...headers], 1, 'broker', { PACT_BROKER_BASE_URL: baseUrl }],
    [['client', '--differs-in', 'list-order', '--output', output, '--', process.execPath, '-e', script], 3],
    // Mistakes: a key as a command, as an address, in a header without a name; a malformed proxy.
    [['run', secrets.key], 2],
    [[secrets.key], 2],
    [['run', baseUrl, '--header', `X-Api-Key ${secrets.key}`], 2],
    [['run', 'https://127.0.0.1:9/v1'], 3, undefined, { HTTPS_PROXY: `http://user:${proxyPassword}@[host:1` }],
  ];

for (const [words, code, into, more] of calls) {
  test(`${words[0]?.slice(0, 7)} ${words.slice(1).join(' ').slice(0, 40)} ends with ${code} and shows no secret`, async () => {
    const written = into === undefined ? [] : Object.keys(reporters).map((name) => join(folder, into, name));
    const all = [...words, ...written.flatMap((file) => ['--reporter', `${basename(file)}=${file}`])];
    const result = await run(all, { ...environment, ...more });
    assert.is(result.code, code, result.stderr);
    assertNothingIn('the output', result.stdout + result.stderr);
    for (const file of written) assertNothingIn(file, readFileSync(file, 'utf8'));
  });
}

test('the run has exchanges, the output of the client shows no secret, and the target was asked', () => {
  assert.ok(JSON.parse(readFileSync(report, 'utf8')).exchanges.length > 5);
  for (const file of readdirSync(output)) assertNothingIn(file, readFileSync(join(output, file), 'utf8'));
  assert.ok(answered > 100, `${answered}`);
});

test.run();
