/** Turns captured traffic into exchanges: without secrets, with the headers that judges read, and with its operation. */

import { defined } from '../../spec/defined.ts';
import { type Operation, operationOf } from '../../spec/operations.ts';
import type { Exchange } from '../http/exchange.ts';
import { isGatewayError, keepReading } from '../http/read-response.ts';
import { createRecorder, type Recorder } from '../http/record.ts';
import { canBeRedacted, redactor } from '../http/redact.ts';
import { hideSecretFields } from '../http/redact-json.ts';
import { hideInQuery, secretsInHeaders, secretsInQuery } from '../http/secret-names.ts';
import { longestRetryPauseMs } from '../http/tolerances.ts';
import { TransportError } from '../http/transport.ts';
import { type AttributionOptions, senderOf } from './attribution.ts';
import type { CapturedExchange, Place } from './captured-exchange.ts';

export interface AttributedExchange {
  readonly exchange: Exchange;
  /** Equal for all requests with one key; undefined without a key. */
  readonly client?: string;
}

/** More keys than a team uses. Beyond that the key that was not seen for the longest time is forgotten. */
const mostSecrets = 64;

/** Collects keys in addition to those that are known from the start, which are never forgotten. */
export function createSecrets(known: readonly string[]) {
  const kept = new Set<string>();
  let redact = redactor(known);
  return {
    note({ headers, target }: Pick<CapturedExchange, 'headers' | 'target'>): void {
      const found = [...secretsInHeaders(headers), ...secretsInQuery(target)].filter(canBeRedacted);
      const isKnown = found.every((secret) => kept.has(secret));
      for (const secret of found) {
        kept.delete(secret);
        kept.add(secret);
      }
      if (isKnown) return;
      for (const secret of [...kept].slice(0, -mostSecrets)) kept.delete(secret);
      redact = redactor([...known, ...kept]);
    },
    redact: (text: string): string => redact(text),
  };
}

/** Statuses that HTTP itself defines for conditional requests, ranges and other media types. */
const statusesOfHttp: ReadonlySet<number | undefined> = new Set([206, 304, 406, 412, 416]);
const conditionalHeader = /^(if-(none-)?match|if-(un)?modified-since|range)$/;

/** The operation of a request; `other` if HTTP lets its client ask for another answer than the interface shows. */
export function operationAskedFor({ method, target, headers, response }: CapturedExchange): Operation {
  const wantsOtherType = !/json|\*\/\*|^$/.test(headers['accept'] ?? '');
  const isConditional = Object.keys(headers).some((name) => conditionalHeader.test(name));
  const isOfHttp = statusesOfHttp.has(response?.status) && (isConditional || wantsOtherType);
  return isOfHttp ? 'other' : operationOf(method, target.split('?')[0] ?? '');
}

/** Judges read no other header of a request. */
const recordedHeader = /^(accept|access-control-request-method|content-type|transfer-encoding)$/;

function outcomeOf(captured: CapturedExchange, recorder: Recorder): Pick<Exchange, 'response' | 'failure'> {
  const { response, failure = { code: 'not-recorded', message: 'no response was recorded' } } = captured;
  if (response === undefined) return { failure };
  try {
    const recorded = recorder.recordResponse({ ...response, body: response.body ?? new Uint8Array() });
    // Judges conclude nothing from a body that was not captured, nor from one of an operation that is not shown.
    if (response.body === undefined || operationAskedFor(captured) === 'other')
      keepReading(recorded, { problem: 'a body of which nothing is known', isJson: true });
    return { response: recorded };
  } catch (error) {
    if (!(error instanceof TransportError)) throw error;
    return { failure: { code: error.code, message: error.message } };
  }
}

/** A new recorder begins after this many exchanges, so that the bodies of earlier ones can be released. */
const perRecorder = 256;
/** A retry comes before this many other exchanges have ended. */
const mostRecent = 32;

/** The exchange that a client repeats with this one, because it had no response or a gateway's. */
function repeatedBy(exchange: Exchange, recent: readonly Exchange[]): Exchange | undefined {
  const { method, target, body } = exchange.request;
  const before = recent.findLast(
    ({ answered, request: other }) =>
      answered < exchange.sent && other.method === method && other.target === target && other.body === body,
  );
  if (before === undefined || exchange.startedAt - before.endedAt > longestRetryPauseMs) return undefined;
  return before.response === undefined || isGatewayError(before) ? before : undefined;
}

export function createTrafficRecorder(options: AttributionOptions) {
  const { apiKey, secrets = [] } = options;
  const { note, redact } = createSecrets(apiKey === undefined ? secrets : [apiKey, ...secrets]);
  const createPart = (): Recorder => createRecorder({ redact, hide: hideSecretFields });
  const recent: Exchange[] = [];
  let recorder = createPart();
  let recorded = 0;

  return {
    /** Collects the keys of a request, which exchanges recorded from now on do not show. */
    noteSecrets: note,
    record(captured: CapturedExchange, place: Place): AttributedExchange {
      note(captured);
      recorded += 1;
      if (recorded % perRecorder === 0) recorder = createPart();
      const { method, target, body, startedAt, endedAt } = captured;
      const [path = '', ...query] = target.split('?');
      const hidden = query.length === 0 ? path : `${path}?${hideInQuery(query.join('?'))}`;
      const headers = Object.entries(captured.headers).filter(([name]) => recordedHeader.test(name));
      const { credential, client } = senderOf(captured, options);
      const { response, failure } = outcomeOf(captured, recorder);
      const exchange: Exchange = defined({
        ...place,
        check: 'traffic',
        operation: operationAskedFor(captured),
        credential,
        request: recorder.recordRequest(
          defined({ method, target: hidden, headers: Object.fromEntries(headers), body }),
        ),
        response,
        failure: failure && { ...failure, message: redact(failure.message) },
        startedAt,
        endedAt,
      });
      const repeats = repeatedBy(exchange, recent)?.number;
      const attributed = Object.freeze(defined({ ...exchange, repeats }));
      recent.push(attributed);
      if (recent.length > mostRecent) recent.shift();
      return defined({ exchange: attributed, client });
    },
  };
}
