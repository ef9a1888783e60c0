/** A real shell and a real curl send by the curl line of an exchange what the run sent, byte for byte. */

import { execFile, spawnSync } from 'node:child_process';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { rawBytes } from '../../http/body-bytes.ts';
import { validKey } from '../../http/credentials.ts';
import { curlOf } from '../../http/curl.ts';
import type { Exchange, RecordedRequest } from '../../http/exchange.ts';
import { fetchTransport, type Outgoing } from '../../http/transport.ts';
import { trialSettings } from '../../proof/trial.ts';
import { escapeForTerminal } from '../../reporters/escape.ts';
import { createClock } from '../../services/in-process.ts';
import { handleOf } from '../../services/service.ts';
import { keysOfTrials } from '../../services/wraps.ts';
import { runOver } from '../run/bench.ts';
import { exchangeOf } from '../run/hand-made.ts';
import { listening, patienceMs } from './servers.ts';

/** Where curl is missing, this test fails and says so: nothing else shows what the lines send. */
const { error: whyNoCurl } = spawnSync('curl', ['--version']);

/** A request as a server received it, in text that a difference can be read from. */
type Received = readonly string[];

/** Headers of the program that sends, and of the connection; the length is that of the body. */
const ofSender = /^(host|connection|user-agent|accept-encoding|content-length)$/;

function receivedFrom({ method = '', url = '', rawHeaders }: IncomingMessage, body: Buffer): Received {
  const names = rawHeaders.filter((_text, at) => at % 2 === 0).map((name) => name.toLowerCase());
  const headers = names.map((name, at) => `${name}: ${rawHeaders[2 * at + 1]}`);
  const own = headers.filter((_header, at) => !ofSender.test(names[at]!));
  return [`${method} ${url}`, ...own.sort(), body.toString('latin1')];
}

type Answer = (incoming: IncomingMessage, body: Buffer, outgoing: ServerResponse) => void;

/** Starts a server that keeps what it receives. */
async function startRecorder(answer: Answer = (_incoming, _body, outgoing) => outgoing.end('{}')) {
  const received: Received[] = [];
  const server = createServer(async (incoming, outgoing) => {
    const body = await buffer(incoming);
    received.push(receivedFrom(incoming, body));
    answer(incoming, body, outgoing);
  });
  return { baseUrl: `http://127.0.0.1:${await listening(server)}/v1`, received };
}

/** Executes lines in a shell, one after the other. */
async function execute(shell: 'sh' | 'bash', lines: readonly string[]): Promise<void> {
  const script = lines.map((line) => `{ ${line}\n} >/dev/null 2>&1`).join('\n');
  const env = {
    PATH: process.env['PATH'],
    PETSTORE_API_KEY: keysOfTrials.api,
    PETSTORE_RATE_LIMIT_KEY: keysOfTrials.rateLimit,
  };
  const running = promisify(execFile)(shell, ['-s'], { env });
  running.child.stdin?.end(script);
  await running;
}

/** A request with the digits and the letters of its names replaced, so that the requests of one kind are equal. */
const kindOf = ({ request, credential }: Exchange): string =>
  [request.method, request.target, request.headers['content-type'], request.body, credential.id]
    .join('\n')
    .replace(/CF[a-p]{6}[a-z]{3}|-?\d+/g, '0');

test('curl and a shell are there', () => {
  assert.is(whyNoCurl, undefined, 'curl is not on the path, so nothing shows what the curl lines send');
});

test('the line of every kind of request of a run sends what the run sent', async () => {
  const clock = createClock();
  const handle = handleOf({ id: 'recorder' });
  const { baseUrl, received } = await startRecorder(({ method = '', url = '', headers }, body, outgoing) => {
    const pairs = Object.entries(headers).map(([name, value]) => [name, String(value)] as const);
    const answered = handle({ method, target: url, headers: pairs, body, address: '' }, clock.now());
    outgoing.writeHead(answered.status, answered.headers).end(answered.body);
  });
  const transport = fetchTransport(patienceMs);
  const exchanges: Exchange[] = [];
  const settings = trialSettings(1_000, { baseUrl });
  await runOver(transport, settings, { clock, onExchange: (exchange) => exchanges.push(exchange) });
  transport.close();
  assert.is(received.length, exchanges.length);
  const sent = exchanges.map((exchange, at) => ({ exchange, received: received[at]! }));
  const kinds = [...Map.groupBy(sent, ({ exchange }) => kindOf(exchange)).values()].map(([first]) => first!);
  const lines = kinds.map(({ exchange }) => curlOf(exchange, baseUrl));
  received.length = 0;
  await execute('sh', lines);
  assert.is(received.length, lines.length);
  for (const [at, { received: expected }] of kinds.entries()) assert.equal(received[at], expected, lines[at]!);
  for (const line of lines) assert.is(escapeForTerminal(line), line);
});

const controls = Array.from({ length: 33 }, (_one, code) => String.fromCharCode(code)).join('');
const bodies: readonly string[] = [
  '',
  ' ',
  '   {"name":  "a"}   ',
  `{"name":"Rex"${' '.repeat(1_200)}}`,
  `${'\n'.repeat(300)}{}${'\t'.repeat(300)}\r\n`,
  `${'\u00a0'.repeat(150)}\u2003\u3000\u2028\u2029\ufeff\u200b\u200d\u00ad\u202e`,
  controls,
  `${controls}\x7f\x85`.repeat(40),
  `'"\\ \\\\ \\n \\0101 \\c %s %d %% $HOME $(id) \`id\` !! ##[error] ::error:: @/etc/passwd`,
  `${"'".repeat(200)}${'\\'.repeat(200)}${'%'.repeat(200)}${'-'.repeat(200)}`,
  '-n'.repeat(500),
  '@/etc/passwd',
  rawBytes(0xe9, 0x80, 0xff).repeat(100),
  `é${rawBytes(0xf0, 0x9f)}🦄 e\u0301 👩‍👩‍👧 \ud83e \udc00 \udfff`,
  'long name '.repeat(512),
  Array.from({ length: 1_300 }, (_one, at) => String(at)).join(),
  `${'['.repeat(2_000)}${']'.repeat(2_000)}`,
  Array.from({ length: 60_000 }, (_one, at) => String(at)).join(),
];

test('the line of any body sends it, in sh and in bash, without a character that a format escapes or collapses', async () => {
  const { baseUrl, received } = await startRecorder();
  const transport = fetchTransport(patienceMs);
  const { headers: own, shown: credential } = validKey(keysOfTrials.api);
  for (const more of [{ 'content-type': 'application/json' }, {}, { 'transfer-encoding': 'chunked' }]) {
    const headers = { accept: 'application/json', ...more };
    const outgoing = bodies.map(
      (body): Outgoing => ({ method: 'POST', url: `${baseUrl}/pets`, headers: { ...headers, ...own }, body }),
    );
    for (const one of outgoing) await transport(one);
    const expected = received.splice(0);
    const requests = bodies.map((body): RecordedRequest => ({ method: 'POST', target: '/pets', headers, body }));
    const lines = requests.map((request) => curlOf(exchangeOf(1, { request, credential }), baseUrl));
    for (const line of lines) {
      assert.is(escapeForTerminal(line), line);
      assert.not.match(line, / {2}|[\n\t]|^\s|\s$/);
    }
    for (const shell of ['sh', 'bash'] as const) {
      await execute(shell, lines);
      assert.equal(received.splice(0), expected, shell);
    }
  }
  transport.close();
});

test.run();
