/** Turns captured traffic into exchanges: without secrets, with the headers that checks read, and with its operation. */

import { defined } from '../../spec/defined.ts';
import { type Operation, operationOf } from '../../spec/operations.ts';
import type { Exchange, RecordedResponse } from '../http/exchange.ts';
import { keepReading } from '../http/read-response.ts';
import type { Recorder } from '../http/record.ts';
import type { Redact } from '../http/redact.ts';
import { hideInQuery } from '../http/secret-names.ts';
import { TransportError } from '../http/transport.ts';
import type { Sender } from './attribution.ts';
import type { CapturedExchange } from './captured-exchange.ts';

/** Statuses that HTTP itself defines for conditional requests, ranges and other media types. */
const statusesOfHttp: ReadonlySet<number | undefined> = new Set([206, 304, 406, 412, 416]);
const conditionalHeader = /^(if-(none-)?match|if-(un)?modified-since|range)$/;

/** Whether a status outside §4 answers something that HTTP lets a client ask for. */
function isAnsweredByHttp({ headers, response }: CapturedExchange): boolean {
  const wantsOtherType = !/json|\*\/\*|^$/.test(headers['accept'] ?? '');
  const isConditional = Object.keys(headers).some((name) => conditionalHeader.test(name));
  return statusesOfHttp.has(response?.status) && (isConditional || wantsOtherType);
}

/** The operation of a request; `other` if HTTP allows another answer than the interface. */
export function operationAskedFor(captured: CapturedExchange): Operation {
  const { method, target } = captured;
  const [path = ''] = target.split('?');
  return isAnsweredByHttp(captured) ? 'other' : operationOf(method, path);
}

/** Checks read no other header of a request. */
const recordedHeader = /^(accept|access-control-request-method|content-type|transfer-encoding)$/;

function hideInTarget(target: string): string {
  const at = target.indexOf('?');
  return at === -1 ? target : `${target.slice(0, at)}?${hideInQuery(target.slice(at + 1))}`;
}

function responseOf(captured: CapturedExchange, recorder: Recorder): RecordedResponse | undefined {
  const { response } = captured;
  if (response === undefined) return undefined;
  const recorded = recorder.recordResponse({ ...response, body: response.body ?? new Uint8Array() });
  // Checks conclude nothing from a body that was not captured, nor from one of an operation that is not shown.
  if (response.body === undefined || operationAskedFor(captured) === 'other') {
    keepReading(recorded, { problem: 'a body of which nothing is known', isJson: true });
  }
  return recorded;
}

function outcomeOf(
  captured: CapturedExchange,
  recorder: Recorder,
  redact: Redact,
): Pick<Exchange, 'response' | 'failure'> {
  try {
    const response = responseOf(captured, recorder);
    if (response !== undefined) return { response };
    const { code, message } = captured.failure ?? { code: 'not-recorded', message: 'no response was recorded' };
    return { failure: { code, message: redact(message) } };
  } catch (error) {
    if (!(error instanceof TransportError)) throw error;
    return { failure: { code: error.code, message: error.message } };
  }
}

export type Place = Pick<Exchange, 'number' | 'sent' | 'answered'>;

export function exchangeOf(
  captured: CapturedExchange,
  { credential }: Sender,
  place: Place,
  { recorder, redact }: { readonly recorder: Recorder; readonly redact: Redact },
): Exchange {
  const { method, target, headers, body, startedAt, endedAt } = captured;
  const recorded = Object.fromEntries(Object.entries(headers).filter(([name]) => recordedHeader.test(name)));
  const request = { method, target: hideInTarget(target), headers: recorded };
  return Object.freeze({
    ...place,
    check: 'traffic',
    operation: operationAskedFor(captured),
    credential,
    request: recorder.recordRequest(defined({ ...request, body })),
    ...outcomeOf(captured, recorder, redact),
    startedAt,
    endedAt,
  });
}
