/** Starts a twin of the service for tests: answers to gaps, faults, latency, a clock, orders, a journal, a log. */

import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Exchange } from '../../conformance/http/exchange.ts';
import { type Handle, listen, reference } from '../index.ts';
import { createTwin, type TwinOptions } from './gaps.ts';
import { createJournal } from './journal.ts';
import { createOrders, type NextAnswer } from './orders.ts';
import { allowOrigin, keysFor, type ServerFault } from './wraps.ts';

/** The behaviour and the contents of a server; every member that is missing is as in the reference server. */
export interface ServerOptions extends TwinOptions {
  /** Wrong behaviour, on purpose. The faults of the kit are in petstore-conformance/faults. */
  readonly faults?: readonly ServerFault[];
  /** How long each answer is held back, in milliseconds, as by a slow network. */
  readonly latencyMs?: number;
  /** Returns the time in Unix milliseconds; the clock of the machine by default. */
  readonly clock?: () => number;
  /** A free one by default. */
  readonly port?: number;
  /** 127.0.0.1 by default. */
  readonly host?: string;
  /** The origin whose pages may read the answers (CORS); `*` allows any. By default any where only this machine can reach the host. */
  readonly corsOrigin?: string;
  /** Whether `GET /health`, outside the base path, is answered; true if undefined. */
  readonly answersHealth?: boolean;
  /** Receives one line for each request, without keys and control characters; no log by default. */
  readonly log?: (line: string) => void;
}

/** A server for tests, which listens. */
export interface Server {
  /** The base address, which ends in the version segment. */
  readonly url: string;
  /** The first of its keys. */
  readonly key: string;
  /** The latest ten thousand requests, in the order in which they arrived. */
  readonly requests: readonly Exchange[];
  /** Answers the next request in another way, after those that earlier calls ordered. */
  readonly answerNext: (answer: NextAnswer) => void;
  /** Goes back to the state at the start: animals, limits, ordered answers and requests. */
  readonly reset: () => void;
  /** Accepts no further connections, finishes open requests, and after a while ends what is not finished. */
  readonly close: () => Promise<void>;
}

/** Whether only this machine can reach a host. */
export function isLoopback(host: string): boolean {
  return /^(localhost|127(\.\d{1,3}){3}|::1)$/i.test(host);
}

const healthy = { status: 200, headers: { 'Content-Type': 'application/json' }, body: '{"status":"ok"}' };

/** Starts a server; throws a RangeError for options that it cannot work with, rejects where the port is not available. */
export async function startServer(options: ServerOptions = {}): Promise<Server> {
  const { faults = [], gaps = {}, host = '127.0.0.1', port = 0, clock = Date.now, latencyMs = 0, log } = options;
  const { keys = [{ key: `dev-${randomBytes(18).toString('base64url')}`, plan: 'business' }] } = options;
  const isOpen = gaps.cors === 'any-origin' || (gaps.cors === undefined && isLoopback(host));
  const origin = options.corsOrigin ?? (isOpen ? '*' : undefined);
  // Faults answer in the place of the store, and a page has to read these answers, too.
  const wraps = [...faults.map(({ wrap }) => wrap), ...(origin === undefined ? [] : [allowOrigin(origin)])];
  const basePath = faults.find((fault) => fault.basePath !== undefined)?.basePath ?? '/v1';
  const texts = keys.map(({ key }) => key);
  const journal = createJournal(texts, basePath);
  const { createWindow = reference.createWindow } = options.behaviour ?? {};
  const orders = createOrders((request, now) => handle(request, now), keysFor(keys), createWindow);

  function createHandle(): Handle {
    const behaviour = { ...options.behaviour, createWindow: orders.createWindow };
    const { handle: store } = createTwin({ ...options, keys, behaviour });
    return wraps.reduce((inner, wrap) => wrap(inner, keysFor(keys)), store);
  }
  let handle = createHandle();

  const { url, close } = await listen(
    (request, now) => {
      const isHealth = request.target === '/health' && request.method === 'GET';
      if (isHealth && options.answersHealth !== false) return healthy;
      const { answer, delayMs } = orders.handle(request, now);
      const { method, target } = journal.add(request, answer, now).request;
      const line = `${method || '(unreadable)'} ${target}`.slice(0, 200).replace(/[^ -~]/g, '?');
      log?.(`${new Date(now).toISOString()} ${answer?.status ?? 'reset'} ${line}`);
      return delayMs + latencyMs === 0 ? answer : sleep(delayMs + latencyMs, answer);
    },
    { port, host, now: clock },
  );
  return {
    url: `${url}${basePath}`,
    key: texts[0] ?? '',
    requests: journal.received,
    answerNext: orders.add,
    close,
    reset() {
      orders.clear();
      journal.clear();
      handle = createHandle();
    },
  };
}
