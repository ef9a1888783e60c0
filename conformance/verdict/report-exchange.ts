/** How the report shows an exchange: whole, or as a row of the timeline. */

import { defined } from '../../spec/defined.ts';
import type { Credential, Exchange, RecordedResponse } from '../http/exchange.ts';
import { readInteger } from '../http/read-response.ts';
import type { ReportedExchange, TimelineRow } from './report.ts';

export function reportExchange(exchange: Exchange): ReportedExchange {
  const { number, check, operation, credential, request, response, failure } = exchange;
  return defined({
    number,
    check,
    operation,
    credential: credential.title,
    credentialId: credential.id,
    request,
    response,
    failure,
    startedAt: new Date(exchange.startedAt).toISOString(),
    durationMs: exchange.endedAt - exchange.startedAt,
  });
}

/** The value of an X-RateLimit header, if it is a whole number. */
function rateLimitNumber(
  response: RecordedResponse | undefined,
  name: 'limit' | 'remaining' | 'reset',
): number | undefined {
  const value = response && readInteger(response, `x-ratelimit-${name}`);
  return typeof value === 'number' ? value : undefined;
}

/** The part of an exchange that a timeline needs. */
type TimedExchange = Pick<Exchange, 'number' | 'check' | 'operation' | 'startedAt' | 'endedAt' | 'response'> & {
  readonly credential: Pick<Credential, 'kind'>;
};

export function timelineRow(exchange: TimedExchange): TimelineRow {
  const { number, check, operation, credential, response, startedAt, endedAt } = exchange;
  return defined({
    number,
    check,
    operation,
    status: response?.status,
    startedAt: new Date(startedAt).toISOString(),
    durationMs: endedAt - startedAt,
    credential: credential.kind,
    limit: rateLimitNumber(response, 'limit'),
    remaining: rateLimitNumber(response, 'remaining'),
    reset: rateLimitNumber(response, 'reset'),
  });
}
