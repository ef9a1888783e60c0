/** Sends single requests and records each with its response, or with the reason why there is none. */

import { defined } from '../../spec/defined.ts';
import { splitObject } from '../http/credentials.ts';
import type { Exchange } from '../http/exchange.ts';
import type { Recorder } from '../http/record.ts';
import type { Redact } from '../http/redact.ts';
import { type Transport, TransportError } from '../http/transport.ts';
import type { Settings } from '../world/settings.ts';
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

export function createSender(options: SenderOptions): Sender {
  const { settings, transport, clock, budget, recorder, redact, signal, onExchange } = options;
  let [number, event] = [0, 0];

  async function attempt({ credential, request }: Prepared): Promise<Pick<Exchange, 'response' | 'failure'>> {
    const { method, target, headers, body } = request;
    const { query, fields } = credential;
    const parts = body === undefined || fields === undefined ? undefined : splitObject(body);
    const sent = {
      method,
      url: settings.baseUrl + target + (query === undefined ? '' : `${target.includes('?') ? '&' : '?'}${query}`),
      headers: { ...headers, ...credential.headers },
      body: parts === undefined ? body : parts.join(fields),
    };
    try {
      const answer = transport(defined(sent));
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
    number += 1;
    event += 1;
    const { credential, planned, request, creation } = prepared;
    const before = { number, check, operation: planned.operation, repeats, credential: credential.shown, sent: event };
    const startedAt = clock.now();
    const outcome = await attempt(prepared);
    event += 1;
    const exchange: Exchange = Object.freeze(
      defined({
        ...before,
        request: recorder.recordRequest(request),
        ...outcome,
        startedAt,
        endedAt: clock.now(),
        answered: event,
      }),
    );
    // After a 5xx, or without an answer, an animal may have been created all the same.
    const status = outcome.response?.status ?? 0;
    if (creation === 'must-not-create' && status >= 300 && status < 500) budget.giveBackCreation();
    onExchange(exchange);
    return exchange;
  };
}
