/** Turns captured traffic into exchanges: without secrets, with the headers that judges read, operation and sender. */

import { hash } from 'node:crypto';
import { defined } from '../../spec/defined.ts';
import { type Operation, operationOf } from '../../spec/operations.ts';
import { noKey, validKey } from '../http/credentials.ts';
import type { Credential, Exchange } from '../http/exchange.ts';
import { isGatewayError, keepReading } from '../http/read-response.ts';
import { createRecorder, type Recorder } from '../http/record.ts';
import { canBeRedacted, redactor } from '../http/redact.ts';
import { hideSecretFields } from '../http/redact-json.ts';
import { hideInQuery, secretsInHeaders, secretsInQuery } from '../http/secret-names.ts';
import { longestRetryPauseMs } from '../http/tolerances.ts';
import { TransportError } from '../http/transport.ts';
import type { CapturedExchange } from './captured-exchange.ts';

/** An exchange with its sender. */
export interface SentExchange {
  readonly exchange: Exchange;
  /** Equal for all requests with one key; undefined if no key is known to be accepted. */
  readonly client?: string;
}

export interface TrafficSecrets {
  /** A key that is known to be valid; of other keys the responses show it. */
  readonly apiKey?: string;
  /** Further secrets that no evidence shows. */
  readonly secrets?: readonly string[];
}

const accepted: Credential = validKey('').shown;
const unseen: Credential = {
  id: 'unseen',
  kind: 'unseen',
  title: 'a credential that is not shown',
  curl: accepted.curl,
};
/** The key may be invalid, or valid and wrongly refused. A wrong key is likely to be refused again. */
const refused: Credential = {
  ...unseen,
  title: 'a credential that was refused',
  curl: { words: '-H "Authorization: Bearer not-a-valid-key"' },
};
const lenient: Credential = {
  id: 'lower-case-bearer',
  kind: 'lenient',
  title: 'the API key with the scheme Bearer in another case',
  curl: { words: '-H "Authorization: bearer $PETSTORE_API_KEY"' },
};
const otherScheme: Credential = {
  id: 'other-scheme',
  kind: 'misplaced',
  title: 'a credential of another scheme than Bearer',
  curl: { words: '-u "$PETSTORE_API_KEY:"' },
};

/** A value with any other word in front may have been edited by whoever cleaned the archive. */
const otherSchemes = /^(basic|digest|token|apikey|hawk)\s+\S/i;

/** The credential and the client of a request. Traffic does not say which keys are valid; responses do. */
export function senderOf(
  { headers, response, isCleaned }: CapturedExchange,
  apiKey?: string,
): { readonly credential: Credential; readonly client?: string } {
  const isRefused = response?.status === 401;
  const hidden = isRefused ? refused : unseen;
  const header = headers['authorization']?.trim();
  if (header === undefined && !isCleaned) return { credential: noKey.shown };
  if (header === undefined) return { credential: hidden, ...(isRefused ? {} : { client: 'not shown' }) };
  const [, scheme, key = ''] = /^(Bearer)\s+(\S+)$/i.exec(header) ?? [];
  if (key === '') return { credential: otherSchemes.test(header) ? otherScheme : hidden };
  // A digest tells keys apart without disclosing them.
  const client = hash('sha256', key);
  if (scheme !== 'Bearer') return { credential: lenient, client };
  return isRefused && key !== apiKey ? { credential: hidden } : { credential: accepted, client };
}

/** Statuses that HTTP itself defines for conditional requests, ranges and other media types. */
const statusesOfHttp: ReadonlySet<number | undefined> = new Set([206, 304, 406, 412, 416]);
const conditionalHeader = /^(if-(none-)?match|if-(un)?modified-since|range)$/;

/** The operation of a request; `other` if HTTP allows another answer than the interface. */
export function operationAskedFor({ method, target, headers, response }: CapturedExchange): Operation {
  const wantsOtherType = !/json|\*\/\*|^$/.test(headers['accept'] ?? '');
  const isConditional = Object.keys(headers).some((name) => conditionalHeader.test(name));
  const isAnsweredByHttp = statusesOfHttp.has(response?.status) && (isConditional || wantsOtherType);
  return isAnsweredByHttp ? 'other' : operationOf(method, target.split('?')[0] ?? '');
}

/** Judges read no other header of a request. */
const recordedHeader = /^(accept|access-control-request-method|content-type|transfer-encoding)$/;

function requestOf({ method, target, headers, body }: CapturedExchange, recorder: Recorder): Exchange['request'] {
  const [path = '', query] = target.split(/\?(.*)/s);
  const recorded = Object.fromEntries(Object.entries(headers).filter(([name]) => recordedHeader.test(name)));
  const shown = query === undefined ? path : `${path}?${hideInQuery(query)}`;
  return recorder.recordRequest(defined({ method, target: shown, headers: recorded, body }));
}

function outcomeOf(captured: CapturedExchange, recorder: Recorder): Pick<Exchange, 'response' | 'failure'> {
  const { response, failure = { code: 'not-recorded', message: 'no response was recorded' } } = captured;
  if (response === undefined) return { failure };
  try {
    const recorded = recorder.recordResponse({ ...response, body: response.body ?? new Uint8Array() });
    // Judges conclude nothing from a body that was not captured, nor from one of an operation that is not shown.
    if (response.body === undefined || operationAskedFor(captured) === 'other') {
      keepReading(recorded, { problem: 'a body of which nothing is known', isJson: true });
    }
    return { response: recorded };
  } catch (error) {
    if (!(error instanceof TransportError)) throw error;
    return { failure: { code: error.code, message: error.message } };
  }
}

/**
 * The position of each exchange by the times at which requests were sent and answered. At one instant all requests come before
 * all responses: they may have overlapped, so judges must not conclude anything from their order.
 */
export function placesOf(captured: readonly CapturedExchange[]): readonly Pick<Exchange, 'sent' | 'answered'>[] {
  const events = captured.flatMap(({ startedAt, endedAt }, at) => [
    { at, kind: 'sent' as const, time: startedAt },
    { at, kind: 'answered' as const, time: endedAt },
  ]);
  // The sort is stable, and requests sort after responses by name.
  events.sort((one, other) => one.time - other.time || other.kind.localeCompare(one.kind));
  const places = captured.map(() => ({ sent: 0, answered: 0 }));
  for (const [event, { at, kind }] of events.entries()) places[at]![kind] = event + 1;
  return places;
}

/** A retry comes before this many other exchanges have ended. */
const mostBetween = 32;

/** The exchange that a client repeats with this one, because it had no response or a gateway's. */
function repeatedBy({ request, sent, startedAt }: Exchange, earlier: readonly Exchange[]): number | undefined {
  const before = earlier
    .slice(-mostBetween)
    .findLast(
      (one) =>
        one.answered < sent &&
        (['method', 'target', 'body'] as const).every((part) => one.request[part] === request[part]),
    );
  if (before === undefined || startedAt - before.endedAt > longestRetryPauseMs) return undefined;
  return before.response === undefined || isGatewayError(before) ? before.number : undefined;
}

function secretsOf({ headers, target }: CapturedExchange): readonly string[] {
  return [...secretsInHeaders(headers), ...secretsInQuery(target)].filter(canBeRedacted);
}

/** More keys than a team uses, and no more than one pattern should hold. */
const mostSecrets = 64;

/** Recorders that know the usual keys of all traffic, and those of the exchange at hand. */
function recordersFor(captured: readonly CapturedExchange[], { apiKey = '', secrets = [] }: TrafficSecrets) {
  const counts = Map.groupBy(captured.flatMap(secretsOf), (secret) => secret);
  const usual = [...counts].sort(([, one], [, other]) => other.length - one.length).map(([secret]) => secret);
  const hidden = [apiKey, ...secrets, ...usual.slice(0, mostSecrets)];
  const rare = new Set(usual.slice(mostSecrets));
  const createFor = (own: readonly string[]): Recorder =>
    createRecorder({ redact: redactor([...hidden, ...own]), hide: hideSecretFields });
  const shared = createFor([]);
  return (one: CapturedExchange): Recorder => {
    const own = rare.size === 0 ? [] : secretsOf(one).filter((secret) => rare.has(secret));
    return own.length === 0 ? shared : createFor(own);
  };
}

/** The exchanges in the order of responses, numbered in the order of requests. */
export function recordTraffic(
  captured: readonly CapturedExchange[],
  secrets: TrafficSecrets = {},
): readonly SentExchange[] {
  const recorderFor = recordersFor(captured, secrets);
  const inOrder = captured.toSorted((one, other) => one.startedAt - other.startedAt);
  const places = placesOf(inOrder);
  const read = inOrder.map((one, at): SentExchange => {
    const { credential, client } = senderOf(one, secrets.apiKey);
    const recorder = recorderFor(one);
    const exchange: Exchange = {
      number: at + 1,
      ...places[at]!,
      check: 'traffic',
      operation: operationAskedFor(one),
      credential,
      request: requestOf(one, recorder),
      ...outcomeOf(one, recorder),
      startedAt: Math.floor(one.startedAt),
      endedAt: Math.floor(one.endedAt),
    };
    return defined({ exchange, client });
  });
  const answered = read.toSorted((one, other) => one.exchange.answered - other.exchange.answered);
  const earlier: Exchange[] = [];
  return answered.map(({ exchange, ...sender }) => {
    const repeated = Object.freeze(defined({ ...exchange, repeats: repeatedBy(exchange, earlier) }));
    earlier.push(repeated);
    return { ...sender, exchange: repeated };
  });
}
