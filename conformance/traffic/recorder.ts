/** Records captured traffic as evidence, one exchange after the other, in bounded memory. */

import { defined } from '../../spec/defined.ts';
import type { Exchange } from '../http/exchange.ts';
import { isGatewayError } from '../http/read-response.ts';
import { createRecorder } from '../http/record.ts';
import { hideSecretFields } from '../http/redact-json.ts';
import { longestRetryPauseMs } from '../http/tolerances.ts';
import { type AttributionOptions, senderOf } from './attribution.ts';
import type { CapturedExchange } from './captured-exchange.ts';
import { exchangeOf, type Place } from './evidence.ts';
import { createSecrets } from './secrets.ts';
import type { AttributedExchange } from './window.ts';

/** A new recorder begins after this many exchanges, so that the bodies of earlier ones can be released. */
const perRecorder = 256;
/** A retry comes before this many other exchanges have ended. */
const mostRecent = 32;

function isSameRequest(one: Exchange, other: Exchange): boolean {
  const [first, second] = [one.request, other.request];
  return first.method === second.method && first.target === second.target && first.body === second.body;
}

/** The exchange that a client repeats with this one, because it had no response or a gateway's. */
function repeatedBy(exchange: Exchange, recent: readonly Exchange[]): Exchange | undefined {
  const before = recent.findLast((other) => other.answered < exchange.sent && isSameRequest(other, exchange));
  if (before === undefined || exchange.startedAt - before.endedAt > longestRetryPauseMs) return undefined;
  return before.response === undefined || isGatewayError(before) ? before : undefined;
}

export function createTrafficRecorder(options: AttributionOptions) {
  const { apiKey, secrets = [] } = options;
  const { note, redact } = createSecrets(apiKey === undefined ? secrets : [apiKey, ...secrets]);
  const createPart = (): ReturnType<typeof createRecorder> => createRecorder({ redact, hide: hideSecretFields });
  const recent: Exchange[] = [];
  let recorder = createPart();
  let recorded = 0;

  return {
    /** Collects the keys of a request, which exchanges recorded from now on do not show. */
    noteSecrets: ({ headers, target }: Pick<CapturedExchange, 'headers' | 'target'>): void => note(headers, target),
    record(captured: CapturedExchange, place: Place): AttributedExchange {
      note(captured.headers, captured.target);
      recorded += 1;
      if (recorded % perRecorder === 0) recorder = createPart();
      const { credential, client } = senderOf(captured, options);
      const plain = exchangeOf(captured, { credential }, place, { recorder, redact });
      const repeated = repeatedBy(plain, recent);
      const exchange = repeated === undefined ? plain : Object.freeze({ ...plain, repeats: repeated.number });
      recent.push(exchange);
      if (recent.length > mostRecent) recent.shift();
      return defined({ exchange, client });
    },
  };
}
