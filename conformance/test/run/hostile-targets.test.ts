/** Targets that break off, never end, lie or attack: the run always ends soon, with 1 or 3 and a clear sentence. */

import { createServer, type Server } from 'node:http';
import { type AddressInfo, createServer as createSocketServer, type Socket } from 'node:net';
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { fetchTransport, type Transport } from '../../http/transport.ts';
import { trialSettings } from '../../proof/trial.ts';
import { reporters } from '../../reporters/index.ts';
import { runConformance } from '../../run/run.ts';
import { conformanceSuite } from '../../sections/index.ts';
import { createClock } from '../../services/in-process.ts';
import { reasonInWords } from '../../verdict/reasons.ts';
import type { Report } from '../../verdict/report.ts';
import { jumpingTime } from './bench.ts';

const key = 'Hostile-Key-4711';
/** For targets that answer at once: however busy the machine is, none of their answers is late. */
const patienceMs = 60_000;
/** For targets that never end their answers: it is over within the test. */
const impatienceMs = 150;

async function judge(
  server: {
    listen: Server['listen'];
    address: Server['address'];
    close: Server['close'];
  },
  timeoutMs = patienceMs,
): Promise<Report> {
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', () => resolve());
  });
  const transport = fetchTransport(timeoutMs);
  const { port } = server.address() as AddressInfo;
  const report = await runConformance({
    suite: conformanceSuite,
    settings: trialSettings(40, { baseUrl: `http://127.0.0.1:${port}/v1`, hasRateLimitKey: false, today: Date.now() }),
    keys: { api: key },
    transport,
    clock: jumpingTime().clock(),
    runTag: 'abc123',
  });
  transport.close();
  server.close();
  return report;
}

/** A server of bytes: says something when it is first asked. */
function bytes(answer: (socket: Socket) => void) {
  const sockets = new Set<Socket>();
  const server = createSocketServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.once('data', () => answer(socket));
  });
  const close = server.close.bind(server);
  return Object.assign(server, {
    close: () => {
      for (const socket of sockets) socket.destroy();
      return close();
    },
  }) as unknown as Parameters<typeof judge>[0];
}

function always(status: number, headers: Readonly<Record<string, string>>, body: string | Uint8Array) {
  const server = createServer((_request, response) => {
    response.writeHead(status, headers);
    response.end(body);
  });
  return server;
}

const json = { 'content-type': 'application/json' };
const head = 'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n';

/** What the target does → the target, and how the run must end. */
const hostile: readonly (readonly [string, () => Parameters<typeof judge>[0], 1 | 3, RegExp?])[] = [
  ['never answers', () => bytes(() => undefined), 3, /no complete response within 150 ms/],
  [
    'resets in mid-body',
    () => bytes((socket) => socket.end(`${head}Content-Length: 1000\r\n\r\n[`)),
    3,
    /no answer that can be read/,
  ],
  [
    'sends a body without end',
    () =>
      bytes((socket) => {
        socket.write(`${head}\r\n`);
        const more = (): void => {
          while (!socket.destroyed && socket.write('[1,'.repeat(20_000)));
        };
        socket.on('drain', more);
        more();
      }),
    3,
    /more than/,
  ],
  [
    'sends a gzip bomb',
    () => always(200, { ...json, 'content-encoding': 'gzip' }, gzipSync(Buffer.alloc(100_000_000))),
    3,
    /more than/,
  ],
  [
    'sends more than its Content-Length',
    () => bytes((socket) => socket.end(`${head}Content-Length: 2\r\n\r\n[]]]]]`)),
    1,
  ],
  ['speaks no HTTP', () => bytes((socket) => socket.end('SSH-2.0-OpenSSH_9\r\n')), 3, /does not speak HTTP/],
  [
    'hangs up as a TLS server does',
    () => bytes((socket) => socket.destroy()),
    3,
    /\(does it begin with https:\/\/\?\)/,
  ],
  [
    'sends huge headers',
    () => bytes((socket) => socket.end(`${head}X-A: ${'a'.repeat(500_000)}\r\n\r\n[]`)),
    3,
    /HPE_HEADER_OVERFLOW/,
  ],
  ['nests 100,000 arrays', () => always(200, json, '['.repeat(100_000) + ']'.repeat(100_000)), 1],
  ['answers 500 to everything', () => always(500, {}, ''), 3, /Nothing here answers as the interface does/],
  ['answers 500 to everything, and tells its limit', () => always(500, { 'x-ratelimit-limit': '60' }, ''), 1],
  [
    'says that nothing is left until the year 2286',
    () =>
      always(
        200,
        { ...json, 'x-ratelimit-limit': '9', 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': '9999999999' },
        '[]',
      ),
    1,
  ],
  ['answers 429 for ever', () => always(429, { 'retry-after': '1' }, ''), 3, /429/],
  ['wants a wait of a day', () => always(429, { 'retry-after': '86400' }, ''), 3, /longer than --max-wait/],
  [
    'answers 429 for ever, and tells its limit',
    () => always(429, { 'retry-after': '1', 'x-ratelimit-limit': '60' }, ''),
    1,
    /429/,
  ],
];

for (const [what, make, exitCode, reason] of hostile) {
  test(`a target that ${what} ends the run with ${exitCode}`, async () => {
    const before = process.cpuUsage();
    const report = await judge(make(), reason?.source.includes(`${impatienceMs} ms`) ? impatienceMs : patienceMs);
    assert.is(report.exitCode, exitCode, reasonInWords(report.reason));
    if (reason !== undefined) assert.match(reasonInWords(report.reason) ?? '', reason);
    // Time of the processor, which other work on the machine does not lengthen.
    assert.ok(process.cpuUsage(before).user < 15_000_000);
  });
}

test('a port of another protocol is no outage: one request ends the run', async () => {
  const report = await judge(bytes((socket) => socket.end('220 mail.example.com ESMTP\r\n')));
  assert.equal([report.exitCode, report.requests, report.waits], [3, 1, []]);
});

test('a target that dies in mid-run ends the run, and the exchanges so far are judged', async () => {
  let asked = 0;
  const server = createServer((_request, response) => {
    asked += 1;
    if (asked > 12) {
      server.close();
      return server.closeAllConnections();
    }
    response.writeHead(500, { ...json, 'x-ratelimit-limit': '60' });
    return response.end('{}');
  });
  const report = await judge(server);
  assert.is(report.exitCode, 1);
  assert.match(
    reasonInWords(report.reason) ?? '',
    /^The target is out of service: for at least \d+ s it breaks the connection/,
  );
});

test('no terminal escape and no key comes through any output, whatever the target echoes', async () => {
  const server = createServer((request, response) => {
    const echo = `\x1b]0;owned\x07\x1b[2J \u202e ::error::x ]]> ${request.headers.authorization} ${request.url}`;
    response.writeHead(200, { ...json, 'x-echo': String(request.headers.authorization) });
    response.end(JSON.stringify([{ id: 1, name: echo, categoryId: echo }]) + echo);
  });
  const report = await judge(server);
  assert.is(report.exitCode, 1);
  const encoded = Buffer.from(key).toString('base64').replace(/=+$/, '');
  assert.ok(report.exchanges.length > 0);
  for (const [name, reporter] of Object.entries(reporters)) {
    const text = reporter(report);
    assert.not.match(text, /[\x00-\x09\x0b-\x1f\x7f\u202e]/, name);
    for (const secret of [key, key.slice(0, -1), encoded, encodeURIComponent(key)])
      assert.not.ok(text.includes(secret), name);
  }
});

test('whatever bytes come as an answer, the judge judges and never breaks', async () => {
  const answers = fc.record({
    status: fc.oneof(fc.constantFrom(200, 201, 204, 301, 400, 401, 404, 429, 500), fc.integer({ min: 100, max: 999 })),
    contentType: fc.constantFrom('application/json', 'text/html', 'application/json; charset=utf-8'),
    rate: fc.oneof(fc.constantFrom('', '0', '-1', '99', 'x', '1e9', '99999999999999999999'), fc.string()),
    body: fc.oneof(
      fc.uint8Array({ maxLength: 60 }),
      fc.json().map((text) => new TextEncoder().encode(text)),
      fc
        .jsonValue()
        .map((value) => new TextEncoder().encode(JSON.stringify([{ id: value, name: value, categoryId: value }]))),
    ),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(answers, { minLength: 1, maxLength: 12 }), async (sequence) => {
      let at = 0;
      const transport: Transport = () => {
        const { status, contentType, rate, body } = sequence[at % sequence.length]!;
        at += 1;
        const headers = {
          'content-type': contentType,
          'x-ratelimit-remaining': rate,
          'x-ratelimit-reset': rate,
          'retry-after': rate,
        };
        return Promise.resolve({ status, headers, body });
      };
      const report = await runConformance({
        suite: conformanceSuite,
        settings: trialSettings(60),
        keys: { api: key, rateLimit: 'Other-Key-4712' },
        transport,
        clock: createClock(),
        runTag: 'abc123',
      });
      for (const reporter of Object.values(reporters)) reporter(report);
      assert.ok(report.exitCode === 1 || report.exitCode === 3, reasonInWords(report.reason));
    }),
    { numRuns: 20 },
  );
});

test.run();
