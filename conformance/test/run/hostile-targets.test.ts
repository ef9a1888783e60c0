/** Targets that break off, never end, lie or attack: the run always ends soon, with 1 or 3 and a clear sentence. */

import { createServer, type Socket } from 'node:net';
import { gzipSync } from 'node:zlib';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { createPetStore } from '../../../reference-server/index.ts';
import { fetchTransport, type Transport, TransportError } from '../../http/transport.ts';
import { trialSettings } from '../../proof/trial.ts';
import { reporters } from '../../reporters/index.ts';
import type { Clock } from '../../run/waits.ts';
import { createClock, inProcess } from '../../services/in-process.ts';
import { trialApiKeys } from '../../services/wraps.ts';
import { reasonInWords } from '../../verdict/reasons.ts';
import type { Report } from '../../verdict/report.ts';
import { listening, patienceMs } from '../http/servers.ts';
import { fc } from '../properties.ts';
import { jumpingTime, runOver } from './bench.ts';

const judge = (transport: Transport, clock: Clock = createClock(), baseUrl = 'http://in-process/v1'): Promise<Report> =>
  runOver(transport, trialSettings(40, { baseUrl, today: clock.now() }), { clock });

/** Judges a server that says something on each connection when it is first asked. */
async function judgeBytes(answer: (socket: Socket) => void, timeoutMs = patienceMs): Promise<Report> {
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.once('data', () => answer(socket));
  });
  const port = await listening(server);
  const transport = fetchTransport(timeoutMs);
  const report = await judge(transport, jumpingTime().clock(), `http://127.0.0.1:${port}/v1`);
  transport.close();
  return report;
}

const head = 'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n';
const bomb = gzipSync(Buffer.alloc(100_000_000));
const bombHead = `${head}Content-Encoding: gzip\r\nContent-Length: ${bomb.length}\r\n\r\n`;

/** What a server does with a connection, how the run must end, and how long an answer may take. */
const broken: readonly (readonly [string, Parameters<typeof judgeBytes>[0], reason: RegExp, timeoutMs?: number])[] = [
  // Only this run waits for its time limit, so the limit is short.
  ['never answers', () => undefined, /no complete response within 150 ms: raise --timeout /, 150],
  [
    'breaks off in mid-body',
    (socket) => socket.end(`${head}Content-Length: 1000\r\n\r\n[`),
    /no answer that can be read/,
  ],
  ['sends a gzip bomb', (socket) => socket.end(Buffer.concat([Buffer.from(bombHead), bomb])), /more than/],
  ['speaks no HTTP', (socket) => socket.end('SSH-2.0-OpenSSH_9\r\n'), /does not speak HTTP/],
  ['hangs up as a TLS server does', (socket) => socket.destroy(), /\(does it begin with https:\/\/\?\)/],
];

for (const [what, answer, reason, timeoutMs] of broken) {
  test(`a target that ${what} ends the run with 3`, async () => {
    const report = await judgeBytes(answer, timeoutMs);
    assert.is(report.exitCode, 3);
    assert.match(reasonInWords(report.reason) ?? '', reason);
    // A port of another protocol is no outage.
    if (what === 'speaks no HTTP') assert.equal([report.requests, report.waits], [1, []]);
  });
}

test('a target that hangs up on TLS is not asked whether it speaks that', async () => {
  const hangUp = () => Promise.reject(new TransportError('broken', 'socket hang up'));
  assert.is((await judge(hangUp, createClock(), 'https://host/v1')).reason?.code, 'unreadable');
});

test('a target that never answers one kind of request breaks the interface, and the run does not wait for ever', async () => {
  const clock = createClock();
  const serve = inProcess(createPetStore({ keys: trialApiKeys }).handle, clock);
  const report = await judge((request) => {
    if (!/\/pets\/(abc|-|\d{17})/.test(request.url)) return serve(request);
    clock.advance(10_000);
    return Promise.reject(new TransportError('timeout', 'no complete response within 10000 ms'));
  }, clock);
  assert.is(report.exitCode, 1);
  const { failures, recheck } = report.requirements.find(({ id }) => id === 'errors-listed')!;
  const [failure] = failures;
  assert.equal([failure?.code, recheck], ['no-answer', 'fails-again']);
  assert.match(
    failure?.received ?? '',
    /^none \(no complete response within 10000 ms\) 4 times in \d+ s, while other requests were served$/,
  );
  assert.ok(report.durationMs < 150_000, String(report.durationMs));
});

test('whatever bytes come as an answer, the judge judges and never breaks', async () => {
  const encode = (text: string): Uint8Array => new TextEncoder().encode(text);
  const answers = fc.record({
    status: fc.oneof(fc.constantFrom(200, 201, 204, 301, 400, 401, 404, 429, 500), fc.integer({ min: 100, max: 999 })),
    type: fc.constantFrom('application/json', 'text/html', 'application/json; charset=utf-8'),
    rate: fc.oneof(fc.constantFrom('', '0', '-1', '99', 'x', '1e9', '99999999999999999999'), fc.string()),
    body: fc.oneof(
      fc.uint8Array({ maxLength: 60 }),
      fc.json().map(encode),
      fc.jsonValue().map((value) => encode(JSON.stringify([{ id: value, name: value, categoryId: value }]))),
    ),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(answers, { minLength: 1, maxLength: 12 }), async (sequence) => {
      let at = 0;
      const report = await judge(() => {
        const { status, type, rate, body } = sequence[at % sequence.length]!;
        at += 1;
        const rates = { 'x-ratelimit-remaining': rate, 'x-ratelimit-reset': rate, 'retry-after': rate };
        return Promise.resolve({ status, headers: { 'content-type': type, ...rates }, body });
      });
      for (const reporter of Object.values(reporters)) reporter(report);
      assert.ok(report.exitCode === 1 || report.exitCode === 3, reasonInWords(report.reason));
    }),
    { numRuns: 20, seed: 20261122 },
  );
});

test.run();
