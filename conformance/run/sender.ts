/** Sends single requests and records each with its response, or with the reason why there is none. */

import { defined } from '../../spec/defined.ts';
import { type SentCredential, splitObject } from '../http/credentials.ts';
import type { Exchange } from '../http/exchange.ts';
import type { Recorder } from '../http/record.ts';
import type { Redact } from '../http/redact.ts';
import { type Transport, TransportError } from '../http/transport.ts';
import type { Settings } from '../verdict/settings.ts';
import type { Budget } from './budget.ts';
import { type Clock, RunStopped, untilStopped } from './pace.ts';
import type { Prepared } from './planned-request.ts';

export interface SenderOptions {
  readonly settings: Settings;
  readonly transport: Transport;
  readonly clock: Clock;
  readonly budget: Budget;
  readonly recorder: Recorder;
  readonly redact: Redact;
  /** Ends the wait for an answer. */
  readonly signal?: AbortSignal;
  readonly onExchange: (exchange: Exchange) => void;
}

/** Sends a request for a check and resolves with its exchange; `repeats` is the number of the exchange that it repeats. */
export type Sender = (prepared: Prepared, check: string, repeats?: number) => Promise<Exchange>;

/** The body with the fields in which a credential carries the key. */
function withFields(body: string, { fields }: SentCredential): string {
  const parts = fields === undefined ? undefined : splitObject(body);
  return parts === undefined ? body : parts.join(fields);
}

/** Counts from 1. */
function createCounter(): () => number {
  let count = 0;
  return () => {
    count += 1;
    return count;
  };
}

export function createSender(options: SenderOptions): Sender {
  const { settings, transport, clock, budget, recorder, redact, signal, onExchange } = options;
  const [nextNumber, nextEvent] = [createCounter(), createCounter()];

  async function attempt({ credential, request }: Prepared): Promise<Pick<Exchange, 'response' | 'failure'>> {
    const glue = request.target.includes('?') ? '&' : '?';
    const query = credential.query === undefined ? '' : `${glue}${credential.query}`;
    try {
      const answer = transport(
        defined({
          method: request.method,
          url: settings.baseUrl + request.target + query,
          headers: { ...request.headers, ...credential.headers },
          body: request.body === undefined ? undefined : withFields(request.body, credential),
        }),
      );
      const incoming = await (signal === undefined ? answer : untilStopped(answer, signal));
      return { response: recorder.recordResponse(incoming, credential.secret) };
    } catch (error) {
      if (error instanceof RunStopped) {
        return { failure: { code: 'timeout', message: 'there was no answer yet when the run was stopped' } };
      }
      if (!(error instanceof TransportError)) throw error;
      return { failure: { code: error.code, message: redact(error.message) } };
    }
  }

  return async (prepared, check, repeats) => {
    const [number, sent] = [nextNumber(), nextEvent()];
    const startedAt = clock.now();
    const outcome = await attempt(prepared);
    const { operation } = prepared.planned;
    const exchange: Exchange = Object.freeze(
      defined({
        number,
        check,
        operation,
        repeats,
        credential: prepared.credential.shown,
        request: recorder.recordRequest(prepared.request),
        ...outcome,
        startedAt,
        endedAt: clock.now(),
        sent,
        answered: nextEvent(),
      }),
    );
    // After a 5xx, or without an answer, an animal may have been created all the same.
    const status = outcome.response?.status ?? 0;
    if (prepared.creation === 'must-not-create' && status >= 300 && status < 500) budget.giveBackCreation();
    onExchange(exchange);
    return exchange;
  };
}
