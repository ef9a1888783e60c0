/** An exchange as a row of the timeline: what a chart of the run needs, without bodies. */

import type { Credential, Exchange, RecordedResponse } from '../http/exchange.ts';
import { readInteger } from '../http/read-response.ts';
import type { TimelineRow } from './report.ts';

/** What the headers say of the rate limit, as far as they are whole numbers. */
function standingOf(response: RecordedResponse): Pick<TimelineRow, 'limit' | 'remaining' | 'reset'> {
  const [limit, remaining, reset] = ['limit', 'remaining', 'reset'].map((name) => {
    const value = readInteger(response, `x-ratelimit-${name}`);
    return typeof value === 'number' ? value : undefined;
  });
  return {
    ...(limit === undefined ? {} : { limit }),
    ...(remaining === undefined ? {} : { remaining }),
    ...(reset === undefined ? {} : { reset }),
  };
}

/** What a row is made of. */
type Timed = Pick<Exchange, 'number' | 'check' | 'operation' | 'startedAt' | 'endedAt'> & {
  readonly response?: Exchange['response'];
  readonly credential: Pick<Credential, 'kind'>;
};

export function timelineRow(exchange: Timed): TimelineRow {
  const { number, check, operation, credential, response, startedAt, endedAt } = exchange;
  return {
    number,
    check,
    operation,
    ...(response === undefined ? {} : { status: response.status }),
    startedAt: new Date(startedAt).toISOString(),
    durationMs: endedAt - startedAt,
    credential: credential.kind,
    ...(response === undefined ? {} : standingOf(response)),
  };
}
