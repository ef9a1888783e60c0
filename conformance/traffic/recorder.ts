/** Makes evidence of traffic, exchange by exchange, in bounded memory: keys are met, known and hidden from then on. */

import type { Exchange } from '../http/exchange.ts';
import { isGatewayError } from '../http/read-response.ts';
import { createRecorder } from '../http/record.ts';
import { longestRetryPauseMs } from '../http/tolerances.ts';
import { type AttributionOptions, senderOf } from './attribution.ts';
import type { CapturedExchange } from './captured-exchange.ts';
import { exchangeOf, type Place } from './evidence.ts';
import { createSecrets } from './secrets.ts';
import type { AttributedExchange } from './window.ts';

export interface TrafficRecorder {
  /** Takes note of the keys of a request, so that what is kept from now on is without them. */
  readonly noteSecrets: (seen: Pick<CapturedExchange, 'headers' | 'target'>) => void;
  readonly record: (seen: CapturedExchange, place: Place) => AttributedExchange;
}

/** So many exchanges share what is kept of their bodies. */
const perRecorder = 256;
/** A client that asks again does so before so many other requests have passed. */
const mostRecent = 32;

function isSameRequest(one: Exchange, other: Exchange): boolean {
  const [first, second] = [one.request, other.request];
  return first.method === second.method && first.target === second.target && first.body === second.body;
}

/** The exchange that a client asks again with this one, since it had no answer or a gateway's. */
function repeatedBy(exchange: Exchange, recent: readonly Exchange[]): Exchange | undefined {
  const before = recent.findLast((other) => other.answered < exchange.sent && isSameRequest(other, exchange));
  if (before === undefined || exchange.startedAt - before.endedAt > longestRetryPauseMs) return undefined;
  return before.response === undefined || isGatewayError(before) ? before : undefined;
}

export function createTrafficRecorder(options: AttributionOptions): TrafficRecorder {
  const secrets = createSecrets(options.apiKey === undefined ? [] : [options.apiKey]);
  const recent: Exchange[] = [];
  let recorder = createRecorder(secrets.redact);
  let recorded = 0;

  const meet: TrafficRecorder['noteSecrets'] = ({ headers, target }) => secrets.note(headers, target);

  return {
    noteSecrets: meet,
    record(seen, place) {
      meet(seen);
      recorded += 1;
      if (recorded % perRecorder === 0) recorder = createRecorder(secrets.redact);
      const sender = senderOf(seen, options);
      const plain = exchangeOf(seen, sender, place, { recorder, redact: secrets.redact });
      const repeated = repeatedBy(plain, recent);
      const exchange = repeated === undefined ? plain : Object.freeze({ ...plain, repeats: repeated.number });
      recent.push(exchange);
      if (recent.length > mostRecent) recent.shift();
      return { exchange, ...(sender.client === undefined ? {} : { client: sender.client }) };
    },
  };
}
