/** A client under test, and one run of it under a service variant: how it ended, and which requests it sent. */

import { defined } from '../../spec/defined.ts';
import type { Exchange } from '../http/exchange.ts';
import { slowAnswerMs } from '../http/tolerances.ts';
import type { SentRequests } from '../sections/client-checks/check.ts';
import type { AnswerDifference, ComparedRequest } from './compared-answers.ts';
import { type ServedVariant, serveVariant } from './serve-variant.ts';
import { type ClientHabits, isSlow, type ServiceVariant } from './service-variant.ts';

export interface ClientEnvironment {
  readonly baseUrl: string;
  readonly key: string;
  readonly categoryId: bigint;
}

export interface ClientResult {
  readonly isPassed: boolean;
  /** How the client ended, for example "exit code 1"; for a person, without the key. */
  readonly ending: string;
  /** The file with the output of the client, if it printed into one. */
  readonly output?: string;
  /** Processes that the client left behind and that could not be ended, each with its number. */
  readonly survivors?: readonly string[];
}

/**
 * Runs a client once. `name` is the id of the service variant, `signal` ends the run. Resolves when the run is over, and
 * rejects if the client cannot be run at all.
 */
export type Client = (environment: ClientEnvironment, name: string, signal: AbortSignal) => Promise<ClientResult>;

export interface ClientRun extends ClientResult, SentRequests {
  readonly variant: ServiceVariant;
  readonly baseUrl: string;
  /** The exchanges whose answer differs from that of the reference server, and how. */
  readonly differences: ReadonlyMap<Exchange, AnswerDifference>;
  /** The requests as they arrived, to be replayed. */
  readonly compared: readonly ComparedRequest[];
  readonly durationMs: number;
}

/** Runs a client once under a service variant; rejects if the client cannot be run at all. */
export type RunClient = (variant: ServiceVariant, habits: ClientHabits, signal: AbortSignal) => Promise<ClientRun>;

/** Headers of a connection or a library; whoever sends a request again has other ones. */
const connectionHeaders: ReadonlySet<string> = new Set(
  'host connection keep-alive content-length accept-encoding accept-language sec-fetch-mode'.split(' '),
);

/** A browser asks by itself whether a page may send a request; the client under test has no part in that. */
export function isPreflight({ request }: Pick<Exchange, 'request'>): boolean {
  return request.method === 'OPTIONS' && 'access-control-request-method' in request.headers;
}

function heldBackBy(variant: ServiceVariant): number {
  return isSlow(variant) ? slowAnswerMs : 0;
}

/** Counts the time that an answer is held back, so that a request sent in the meantime counts as sent before the answer. */
function asAnswered(exchange: Exchange, variant: ServiceVariant): Exchange {
  const headers = Object.entries(exchange.request.headers).filter(([name]) => !connectionHeaders.has(name));
  return {
    ...exchange,
    check: variant.id,
    request: { ...exchange.request, headers: Object.fromEntries(headers) },
    endedAt: exchange.endedAt + heldBackBy(variant),
  };
}

export function describeRun(
  variant: ServiceVariant,
  served: ServedVariant,
  result: ClientResult,
  measured: { readonly durationMs: number; readonly latenessMs: number },
): ClientRun {
  const firstKept = (served.received[0]?.number ?? 1) - 1;
  const all = served.received.map((received, at) => ({
    exchange: asAnswered(received, variant),
    difference: served.compared[firstKept + at]?.difference,
  }));
  const judged = all.filter(({ exchange }) => !isPreflight(exchange));
  return {
    ...result,
    ...measured,
    variant,
    baseUrl: served.environment.baseUrl,
    exchanges: judged.map(({ exchange }) => exchange),
    differences: new Map(
      judged.flatMap(({ exchange, difference }) => (difference === undefined ? [] : [[exchange, difference]])),
    ),
    compared: served.compared,
    toOtherHost: served.receivedByOtherHost.filter((one) => !isPreflight(one)).map((one) => asAnswered(one, variant)),
    heldBackMs: heldBackBy(variant),
    isAnotherDay: variant.variations.some(({ startsAt }) => startsAt !== undefined),
    ...defined({ otherHost: served.otherHost }),
  };
}

const tickMs = 20;

/** Measures how late timers fire on this machine: on a busy one, requests arrive and clients wake up as late as that. */
export function measureLateness(now: () => number = () => performance.now()) {
  let expectedAt = now() + tickMs;
  let greatest = 0;
  const look = (): void => {
    greatest = Math.max(greatest, now() - expectedAt);
    expectedAt = now() + tickMs;
  };
  const timer = setInterval(look, tickMs);
  timer.unref();
  return {
    /** Ends the measurement, and returns the greatest lateness seen, milliseconds. */
    stop: (): number => {
      clearInterval(timer);
      greatest = Math.max(greatest, now() - expectedAt);
      expectedAt = Number.POSITIVE_INFINITY;
      return Math.round(Math.max(0, greatest));
    },
  };
}

export function runOverSockets(client: Client): RunClient {
  return async (variant, habits, signal) => {
    const served = await serveVariant(variant, habits);
    const lateness = measureLateness();
    const startedAt = performance.now();
    try {
      const result = await client(served.environment, variant.id, signal);
      const durationMs = Math.round(performance.now() - startedAt);
      return describeRun(variant, served, result, { durationMs, latenessMs: lateness.stop() });
    } finally {
      lateness.stop();
      await served.close();
    }
  };
}
