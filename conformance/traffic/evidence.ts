/** Turns what was seen into exchanges: without keys, cut to what is judged, and with the operation that was asked for. */

import { type Operation, operationOf } from '../../spec/operations.ts';
import type { Exchange, RecordedResponse } from '../http/exchange.ts';
import { keepReading } from '../http/read-response.ts';
import type { Recorder } from '../http/record.ts';
import { isSecretName, type Redact, redactJson } from '../http/redact.ts';
import { TransportError } from '../http/transport.ts';
import type { Sender } from './attribution.ts';
import type { CapturedExchange, Headers } from './captured-exchange.ts';

/** Answers to what HTTP lets a client ask beside: parts, only what has changed, another media type. */
const answersOfHttp: ReadonlySet<number | undefined> = new Set([206, 304, 406, 412, 416]);
const asksByHttp = /^(if-(none-)?match|if-(un)?modified-since|range)$/;

function isAskedByHttp({ headers, response }: CapturedExchange): boolean {
  const wantsOther = !/json|\*\/\*|^$/.test(headers['accept'] ?? '');
  const hasCondition = Object.keys(headers).some((name) => asksByHttp.test(name));
  return answersOfHttp.has(response?.status) && (hasCondition || wantsOther);
}

/** The operation that a request asks for; `other` also where HTTP lets the answer be another than the interface's. */
export function operationAskedFor(seen: CapturedExchange): Operation {
  const { method, target } = seen;
  const [path = ''] = target.split('?');
  return isAskedByHttp(seen) ? 'other' : operationOf(method, path);
}

/** What a browser or a proxy says of itself and of the connection bears on no requirement. */
const requestHeadersKept = /^(accept|content-type)$/;
const secretOfResponse = /^(set-cookie|authorization)$/;

function headersWhere(headers: Headers, isKept: (name: string) => boolean): Headers {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => isKept(name)));
}

/** An id in the path stays what it is, be it the digits of a key. */
function cleanTarget(target: string, redact: Redact): string {
  const [path = '', ...query] = target.split('?');
  const shown = /^\/pets\/-?\d+$/.test(path) ? path : redact(path);
  const parts = query
    .join('?')
    .split('&')
    .map((part) => {
      const [name = ''] = part.split('=');
      return isSecretName(name) ? `${name}=[secret]` : redact(part);
    });
  return query.length === 0 ? shown : `${shown}?${parts.join('&')}`;
}

function responseOf(seen: CapturedExchange, recorder: Recorder): RecordedResponse | undefined {
  const { response } = seen;
  if (response === undefined) return undefined;
  const { body = new Uint8Array(), ...rest } = response;
  const headers = headersWhere(rest.headers, (name) => !secretOfResponse.test(name));
  const recorded = recorder.recordResponse({ ...rest, headers, body });
  // Of a body that was not recorded nothing is concluded, not even that it was empty; nor of one that is no animal.
  if (response.body === undefined || operationAskedFor(seen) === 'other') {
    keepReading(recorded, { problem: 'a body of which nothing is known', isJson: true });
  }
  return recorded;
}

function outcomeOf(seen: CapturedExchange, recorder: Recorder, redact: Redact): Pick<Exchange, 'response' | 'failure'> {
  try {
    const response = responseOf(seen, recorder);
    if (response !== undefined) return { response };
    const { code, message } = seen.failure ?? { code: 'not-recorded', message: 'no response was recorded' };
    return { failure: { code, message: redact(message) } };
  } catch (error) {
    if (!(error instanceof TransportError)) throw error;
    return { failure: { code: error.code, message: error.message } };
  }
}

/** The place of an exchange in the traffic. */
export type Place = Pick<Exchange, 'number' | 'sent' | 'answered'>;

/** An exchange of the evidence. */
export function exchangeOf(
  seen: CapturedExchange,
  { credential }: Sender,
  place: Place,
  { recorder, redact }: { readonly recorder: Recorder; readonly redact: Redact },
): Exchange {
  const { method, target, headers, body, startedAt, endedAt } = seen;
  const request = {
    method,
    target: cleanTarget(target, redact),
    headers: headersWhere(headers, (name) => requestHeadersKept.test(name)),
    ...(body === undefined ? {} : { body: redactJson(body, redact) }),
  };
  return Object.freeze({
    ...place,
    check: 'traffic',
    operation: operationAskedFor(seen),
    credential,
    request: recorder.recordRequest(request),
    ...outcomeOf(seen, recorder, redact),
    startedAt,
    endedAt,
  });
}
