/** Whatever bytes pass, they pass unchanged, no exchange ends another, and nothing throws. */

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { seededRandom } from '../../../spec/random.ts';
import { createTunnel, type TunnelExchange } from '../../traffic/tunnel.ts';

interface Passed {
  readonly tunnel: ReturnType<typeof createTunnel>;
  readonly toTarget: () => string;
  readonly toClient: () => string;
  readonly exchanges: TunnelExchange[];
  readonly isEnded: () => boolean;
}

function open(): Passed {
  let [sent, received, events, requests, isEnded] = ['', '', 0, 0, false];
  const exchanges: TunnelExchange[] = [];
  const nextEvent = (): number => {
    events += 1;
    return events;
  };
  const tunnel = createTunnel({
    host: 'target',
    toTarget: (bytes) => {
      sent += bytes.toString('latin1');
    },
    toClient: (bytes) => {
      received += bytes.toString('latin1');
    },
    end: () => {
      isEnded = true;
    },
    now: () => 0,
    nextPlace: () => {
      requests += 1;
      return { number: requests, sent: nextEvent() };
    },
    nextEvent,
    onExchange: (exchange) => exchanges.push(exchange),
  });
  return { tunnel, toTarget: () => sent, toClient: () => received, exchanges, isEnded: () => isEnded };
}

const requests = [
  'GET /v1/pets?limit=1 HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer k\r\n\r\n',
  'POST /v1/pets HTTP/1.1\r\nHost: x\r\nContent-Length: 7\r\n\r\n{"a":1}',
  'POST /v1/pets HTTP/1.1\r\nHost: x\r\nTrailer: T\r\nTransfer-Encoding: chunked\r\n\r\n3\r\n{"a\r\n4;x=y\r\n":1}\r\n0\r\nT: 1\r\n\r\n',
  'HEAD /v1/pets HTTP/1.0\r\n\r\n',
  '\r\nGET http://x/v1/pets/7 HTTP/1.1\nHost: x\nX-Folded: a\n b\n\n',
];
const responses = [
  'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n[]',
  'HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 201 Created\r\nTransfer-Encoding: chunked\r\nTrailer: T\r\n\r\n2\r\n{}\r\n0\r\nT: 1\r\n\r\n',
  'HTTP/1.1 099 \x01\x02\r\nTrailer: T\r\nContent-Length: 2\r\n\r\n{}',
  'HTTP/1.1 204 No Content\r\n\r\n',
  'HTTP/1.0 200 OK\r\nConnection: close\r\n\r\n[1]',
];
const strange = [
  '\r\n',
  '\0',
  ':',
  ' ',
  'Trailer: a\r\n',
  'Content-Length: 1\r\n',
  'HTTP/1.1 000 \r\n',
  'ffffffffffff\r\n',
  '\x7f',
  '\n\n',
  '101',
  'Transfer-Encoding: gzip\r\n',
];

/** A sequence of messages with some bytes dropped, doubled, changed or inserted. */
function mutated(messages: readonly string[], random: () => number): string {
  const pick = <Value>(values: readonly Value[]): Value => values[Math.floor(random() * values.length)]!;
  let text = Array.from({ length: 1 + Math.floor(random() * 3) }, () => pick(messages)).join('');
  const changes = Math.floor(random() * 4);
  for (let change = 0; change < changes; change += 1) {
    const at = Math.floor(random() * text.length);
    const kind = Math.floor(random() * 4);
    const inserted = kind === 0 ? '' : kind === 1 ? pick(strange) : String.fromCharCode(Math.floor(random() * 256));
    text = text.slice(0, at) + inserted + text.slice(at + (kind === 3 ? 0 : 1 + Math.floor(random() * 3)));
  }
  return text;
}

/** The pieces in which a text arrives. */
function piecesOf(text: string, random: () => number): readonly Buffer[] {
  const pieces: Buffer[] = [];
  for (let at = 0; at < text.length; ) {
    const length = 1 + Math.floor(random() * random() * 200);
    pieces.push(Buffer.from(text.slice(at, at + length), 'latin1'));
    at += length;
  }
  return pieces;
}

const withoutHosts = (text: string): string => text.replace(/^host[ \t]*:[^\n]*(\n|$)/gim, '');

test('10,000 sequences of odd bytes from both sides pass unchanged but for Host, and none throws', () => {
  const random = seededRandom(20261122);
  let captured = 0;
  for (let sequence = 0; sequence < 10_000; sequence += 1) {
    const [sent, received] = [mutated(requests, random), mutated(responses, random)];
    const { tunnel, toTarget, toClient, exchanges, isEnded } = open();
    const [fromClient, fromTarget] = [[...piecesOf(sent, random)], [...piecesOf(received, random)]];
    while (fromClient.length + fromTarget.length > 0) {
      const isClient = fromTarget.length === 0 || (fromClient.length > 0 && random() < 0.6);
      if (isClient) tunnel.fromClient(fromClient.shift()!);
      else tunnel.fromTarget(fromTarget.shift()!);
    }
    if (random() < 0.5) tunnel.targetEnded();
    else tunnel.targetFailed('ECONNRESET');
    captured += exchanges.length;
    const where = `sequence ${sequence}: ${JSON.stringify([sent, received])}`;
    assert.ok(!isEnded(), where);
    // A head that is not complete is held back, since its Host is not known yet.
    assert.ok(withoutHosts(sent).startsWith(withoutHosts(toTarget()).replace(/[^\n]*$/, '')), where);
    assert.ok(received.startsWith(toClient()), where);
    for (const { captured: one, place, answered } of exchanges) {
      assert.ok((one.response === undefined) !== (one.failure === undefined), where);
      assert.ok(answered > place.sent, where);
    }
  }
  assert.ok(captured > 5_000, `${captured}`);
});

test('an odd exchange ends itself alone: those before it on the connection are captured', () => {
  const { tunnel, exchanges } = open();
  for (const at of [1, 2]) tunnel.fromClient(Buffer.from(`GET /v1/pets?limit=${at} HTTP/1.1\r\n\r\n`));
  tunnel.fromTarget(Buffer.from('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n[]'));
  tunnel.fromTarget(Buffer.from('SSH-2.0-OpenSSH\r\n\r\n'));
  assert.equal(
    exchanges.map(({ captured }) => captured.response?.status ?? captured.failure?.message),
    [200, 'a response with a malformed header section'],
  );
});

test('a body is captured however it is cut into pieces', () => {
  for (const message of responses.slice(0, 2)) {
    for (let length = 1; length < 12; length += 1) {
      const { tunnel, exchanges, toClient } = open();
      tunnel.fromClient(Buffer.from(requests[0]!));
      for (let at = 0; at < message.length; at += length)
        tunnel.fromTarget(Buffer.from(message.slice(at, at + length)));
      assert.is(toClient(), message);
      assert.match(String(exchanges[0]?.captured.response?.body), /^(\[\]|\{\})$/);
    }
  }
});

/** What is captured of one answer to a request; the target ends the connection after it. */
function captureOf(answer: string, method = 'GET'): string {
  const { tunnel, exchanges } = open();
  tunnel.fromClient(Buffer.from(`${method} /v1/pets HTTP/1.1\r\nHost: x\r\n\r\n`));
  tunnel.fromTarget(Buffer.from(`HTTP/1.1 ${answer}`, 'latin1'));
  tunnel.targetEnded();
  const { response, failure } = exchanges[0]!.captured;
  return response === undefined ? `${failure?.code}: ${failure?.message}` : `${response.status} ${response.body}`;
}

const twelve = 'x'.repeat(12);
const framings: readonly (readonly [answer: string, captured: string, method?: string])[] = [
  [`200 OK\r\nContent-Length: 12\r\n\r\n${twelve}`, `200 ${twelve}`],
  ['200 OK\r\nContent-Length: 2\r\nContent-Length: 2\r\n\r\n[]', '200 []'],
  ['200 OK\r\nContent-Length: 2, 3\r\n\r\n[]', 'broken: a response with a malformed header section'],
  ['200 OK\r\nContent-Length: +2\r\n\r\n[]', 'broken: a response with a malformed header section'],
  ['200 OK\r\nContent-Length: 3\r\n\r\n[]', 'broken: ECONNRESET'],
  ['200 OK\r\n\r\n[1]', '200 [1]'],
  ['200 OK\r\nTransfer-Encoding: xchunked\r\n\r\n[1]', '200 [1]'],
  ['200 OK\r\nTransfer-Encoding: gzip, chunked\r\n\r\n2\r\n[]\r\n0\r\n\r\n', '200 []'],
  ['200 OK\r\nTransfer-Encoding: chunked\n\n2\n[]\n0\n\n', '200 []'],
  ['200 OK\r\nTransfer-Encoding: chunked\r\n\r\nz\r\n', 'broken: a response with a chunk without a length'],
  ['200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n[]?\r\n', 'broken: a response with a chunk without an end'],
  [
    `200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2;${'x'.repeat(5_000)}\r\n`,
    'broken: a response with a chunk with a line that is too long',
  ],
  ['200 OK\r\nContent-Length: 2\r\n\r\n', '200 ', 'HEAD'],
  ['204 No Content\r\nContent-Length: 2\r\n\r\n', '204 '],
  ['304 Not Modified\r\nContent-Length: 2\r\n\r\n', '304 '],
  ['101 Switching Protocols\r\nUpgrade: x\r\n\r\nanything', '101 '],
  ['200 OK\r\n\r\nanything', '200 ', 'CONNECT'],
  ['300 Multiple Choices\r\nContent-Length: 2\r\n\r\n{}', '300 {}', 'CONNECT'],
  ['099 \r\nContent-Length: 2\r\n\r\n[]', 'broken: a response with the status 99'],
  ['200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 2\r\n\r\n[]', '200 undefined'],
];

test('the end of an answer is found as RFC 9112 says, and an ambiguous one is not captured', () => {
  for (const [answer, captured, method] of framings) assert.is(captureOf(answer, method), captured, answer);
});

test('headers are read with and without white space, folded ones as one line', () => {
  const { tunnel, toTarget, exchanges } = open();
  tunnel.fromClient(
    Buffer.from('GET /v1/pets HTTP/1.1\r\nA:1\r\nhost : x\r\nB \t:\t 2 \r\nC: 3\r\n \t 4\r\nA: 5\r\n\r\n'),
  );
  tunnel.fromTarget(Buffer.from('HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n'));
  assert.equal(exchanges[0]?.captured.headers, { a: '1, 5', host: 'x', b: '2', c: '3 4' });
  assert.is(toTarget(), 'GET /v1/pets HTTP/1.1\r\nHost: target\r\nA:1\r\nB \t:\t 2 \r\nC: 3\r\n \t 4\r\nA: 5\r\n\r\n');
});

test('an unreachable target and a broken connection are different failures', () => {
  const failures = ['ECONNREFUSED', 'ENETUNREACH', 'ECONNRESET', 'ETIMEDOUT'].map((code) => {
    const { tunnel, exchanges } = open();
    tunnel.fromClient(Buffer.from(requests[0]!));
    tunnel.targetFailed(code);
    return Object.values(exchanges[0]?.captured.failure ?? {}).join(' ');
  });
  assert.equal(failures, [
    'unreachable ECONNREFUSED',
    'unreachable ENETUNREACH',
    'broken ECONNRESET',
    'broken ETIMEDOUT',
  ]);
});

test.run();
