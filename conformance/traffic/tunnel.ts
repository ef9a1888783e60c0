/** One connection of a client to the target: passes its bytes on, and captures the exchanges among them. Opens no socket. */

import { defined } from '../../spec/defined.ts';
import { type BodyCapture, captureBody } from './body-capture.ts';
import { type CapturedExchange, joinHeaders } from './captured-exchange.ts';
import type { Place } from './evidence.ts';
import { announcedFraming, createMessageParser, type Framing, type Head } from './message-parser.ts';

/** An exchange as it passed, without its position among others. */
export interface TunnelExchange {
  readonly captured: Omit<CapturedExchange, 'target'>;
  /** The path and query of the request, or its absolute address, as the client sent it. */
  readonly address: string;
  readonly place: Sent;
  readonly answered: number;
}

/** The number of a request, from 1, and that of the event. */
type Sent = Omit<Place, 'answered'>;

export interface TunnelOptions {
  /** The value of Host for the target. */
  readonly host: string;
  readonly toTarget: (bytes: Buffer) => void;
  readonly toClient: (bytes: Buffer) => void;
  readonly end: () => void;
  readonly now: () => number;
  readonly nextPlace: () => Sent;
  readonly nextEvent: () => number;
  readonly onExchange: (exchange: TunnelExchange) => void;
}

type Outcome = Pick<CapturedExchange, 'response' | 'failure'>;

interface Pending {
  readonly method: string;
  readonly address: string;
  readonly headers: CapturedExchange['headers'];
  readonly body: BodyCapture;
  readonly place: Sent;
  readonly startedAt: number;
  isSent: boolean;
  /** Set when the response is complete, or when there will be none. */
  outcome?: Outcome & { readonly endedAt: number; readonly answered: number };
}

const noBody: Framing = { kind: 'length', length: 0 };

function withHost(bytes: Buffer, host: string): Buffer {
  const lines = bytes.toString('latin1').split(/(?<=\n)/);
  const start = lines.findIndex((line) => line.trim() !== '');
  const others = lines.filter((line, at) => at <= start || !/^host[ \t]*:/i.test(line));
  return Buffer.from(
    [...others.slice(0, start + 1), `Host: ${host}\r\n`, ...others.slice(start + 1)].join(''),
    'latin1',
  );
}

function failureOf(code: string): Outcome {
  const isUnreachable = /^(ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH)$/.test(code);
  return { failure: { code: isUnreachable ? 'unreachable' : 'broken', message: code } };
}

export function createTunnel(options: TunnelOptions) {
  const { host, toTarget, toClient, end, now, nextPlace, nextEvent, onExchange } = options;
  const pending: Pending[] = [];
  let sending: Pending | undefined;
  let response:
    | { readonly status: number; readonly headers: CapturedExchange['headers']; readonly body: BodyCapture }
    | undefined;
  function report({ method, address, headers, body, place, startedAt, outcome }: Pending): void {
    const sent = body.bytes();
    // The response to a request whose body was too long to be captured proves nothing.
    if (outcome === undefined || sent === undefined) return;
    const { endedAt, answered, ...result } = outcome;
    const captured = {
      method,
      headers,
      body: sent.length === 0 ? undefined : sent.toString(),
      ...result,
      startedAt,
      endedAt,
    };
    onExchange({ captured: defined(captured), address, place, answered });
  }

  /** Reports an exchange when its request and its response have passed completely. */
  function finish(one: Pending): void {
    if (!one.isSent || one.outcome === undefined) return;
    pending.splice(pending.indexOf(one), 1);
    report(one);
  }

  function resolve(one: Pending | undefined, outcome: Outcome): void {
    if (one === undefined) return;
    one.outcome = { ...outcome, endedAt: now(), answered: nextEvent() };
    finish(one);
  }

  const awaiting = (): Pending | undefined => pending.find(({ outcome }) => outcome === undefined);

  /** Nothing more is captured. Requests without a response are reported as failed. */
  function failAll(outcome: Outcome): void {
    requests.stop();
    responses.stop();
    for (const one of [...pending]) {
      one.isSent = true;
      if (one.outcome === undefined) resolve(one, outcome);
      else finish(one);
    }
  }

  const requests = createMessageParser({
    onHead(head, bytes) {
      const [, method = '', address = ''] = /^(\S+) (\S+) HTTP\/1\.[01]$/.exec(head.startLine) ?? [];
      const framing = announcedFraming(head, noBody);
      if (method === '' || framing === undefined || framing.kind === 'until-close') return 'malformed';
      toTarget(withHost(bytes, host));
      const headers = joinHeaders(head.headers);
      sending = { method, address, headers, body: captureBody(), place: nextPlace(), startedAt: now(), isSent: false };
      pending.push(sending);
      return framing;
    },
    onBody: (bytes) => sending?.body.take(bytes),
    onEnd() {
      if (sending === undefined) return;
      sending.isSent = true;
      finish(sending);
      sending = undefined;
    },
    onMalformed(why) {
      // The target decides how to answer it; the response is passed on as it comes.
      if (sending !== undefined) pending.splice(pending.indexOf(sending), 1);
      sending = undefined;
      if (why === 'a header section that is too long') {
        toClient(
          Buffer.from('HTTP/1.1 431 Request Header Fields Too Large\r\nConnection: close\r\nContent-Length: 0\r\n\r\n'),
        );
        end();
      }
    },
    onBytes: toTarget,
  });

  function framingOf(head: Head, status: number, { method }: Pending): Framing | undefined {
    if (status === 101 || (method === 'CONNECT' && status >= 200 && status < 300)) return { kind: 'opaque' };
    if (method === 'HEAD' || status < 200 || status === 204 || status === 304) return noBody;
    return announcedFraming(head, { kind: 'until-close' });
  }

  const responses = createMessageParser({
    onHead(head, bytes) {
      const request = awaiting();
      const status = Number(/^HTTP\/1\.[01] (\d{3})(?: |$)/.exec(head.startLine)?.[1] ?? Number.NaN);
      const framing = request === undefined || Number.isNaN(status) ? undefined : framingOf(head, status, request);
      if (framing === undefined) return 'malformed';
      toClient(bytes);
      const isInterim = status >= 100 && status < 200 && status !== 101;
      response = isInterim ? undefined : { status, headers: joinHeaders(head.headers), body: captureBody() };
      if (framing.kind === 'opaque') {
        const { headers } = response!;
        resolve(request, { response: { status, headers, body: Buffer.alloc(0) } });
        failAll(failureOf('EUPGRADED'));
      }
      return framing;
    },
    onBody: (bytes) => response?.body.take(bytes),
    onEnd() {
      if (response === undefined) return;
      const { status, headers, body } = response;
      response = undefined;
      const isStatus = status >= 100;
      const answer = { status, headers, body: body.decoded(headers['content-encoding']) };
      resolve(
        awaiting(),
        isStatus
          ? { response: answer }
          : { failure: { code: 'broken', message: `a response with the status ${status}` } },
      );
    },
    onMalformed: (why) => failAll({ failure: { code: 'broken', message: `a response with ${why}` } }),
    onBytes: toClient,
  });

  return {
    fromClient: requests.feed,
    fromTarget: responses.feed,
    targetEnded(): void {
      responses.close();
      failAll(failureOf('ECONNRESET'));
    },
    targetFailed: (code: string): void => failAll(failureOf(code)),
  };
}
