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

test.run();
