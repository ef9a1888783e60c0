/** Turns captured traffic into exchanges with the headers that judges read, with their operation and sender. */

import { hash } from 'node:crypto';
import { defined } from '../../spec/defined.ts';
import { type Operation, operationOf } from '../../spec/operations.ts';
import { noKey, validKey } from '../http/credentials.ts';
import type { Credential, Exchange } from '../http/exchange.ts';
import { createMask, type Mask } from '../http/mask.ts';
import { keepReading } from '../http/read-response.ts';
import { recordRequest, recordResponse } from '../http/record.ts';
import { secretsInHeaders, secretsInQuery } from '../http/secret-names.ts';
import type { CapturedExchange } from './captured-exchange.ts';

/** An exchange with its sender. */
export interface SentExchange {
  readonly exchange: Exchange;
  /** Equal for all requests with one key; undefined if no key is known to be accepted. */
  readonly client?: string;
  /** Set if a key was accepted that is not shown: no other exchange is known to be of the same client. */
  readonly isAlone?: true;
  /** What a credential of the request consists of, which its answer may echo: no report shows it. */
  readonly secrets: readonly string[];
}

const { shown: valid } = validKey('');
const lenientCredential: Credential = { ...valid, id: 'lower-case-bearer', kind: 'lenient' };
const otherScheme: Credential = {
  id: 'other-scheme',
  kind: 'misplaced',
  title: 'a credential of another scheme than Bearer',
  curl: noKey.shown.curl,
};
const unseen: Credential = {
  id: 'unseen',
  kind: 'unseen',
  title: 'a credential that is not shown',
  curl: valid.curl,
};
/** It may be invalid, or valid and wrongly refused. A wrong key is likely to be refused again. */
const refusedCredential: Credential = {
  ...unseen,
  id: 'refused',
  title: 'a credential that was refused',
  curl: { words: '-H "Authorization: Bearer not-a-valid-key"' },
};

/** A value with any other word in front may have been edited by whoever cleaned the archive. */
const otherSchemes = /^(basic|digest|token|apikey|hawk)\s+\S/i;

/** The characters of a bearer token (RFC 6750, 2.1). A placeholder often has others, such as those of `<key>` or `***`. */
const bearerToken = /^[\w.~+/-]+=*$/;
/** Words that tools and people leave in the place of a key: it may stand for the keys of several clients. */
const placeholderWord =
  /redact|mask|hidden|remov|scrub|saniti[sz]|censor|obfuscat|anonym|placeholder|\.\.\.|^(.)\1+$|x{4}|^((your|my|the|an?|some)[-_.]?)?((api|access|bearer)[-_.]?)?(key|token|secret)$/i;

function isPlaceholder(key: string): boolean {
  return !bearerToken.test(key) || placeholderWord.test(key);
}

/** Who sent a request, and with what. */
type Sender = Pick<SentExchange, 'client' | 'isAlone'> & { readonly credential: Credential };

/** The sender of a request. Traffic does not say which keys are valid; responses do. */
function senderOf({ headers, response, isCleaned }: CapturedExchange, validKeys: readonly string[]): Sender {
  const isRefused = response?.status === 401;
  const hidden: Sender = isRefused ? { credential: refusedCredential } : { credential: unseen, isAlone: true };
  const { authorization: header } = headers;
  if (header === undefined && !isCleaned) return { credential: noKey.shown };
  // An archive without any key is likely to be that of one page in one browser.
  if (header === undefined) return isRefused ? hidden : { credential: unseen, client: 'not shown' };
  const [, scheme, key = ''] = /^(Bearer)\s+(\S+)$/i.exec(header) ?? [];
  if (key === '') return otherSchemes.test(header) ? { credential: otherScheme } : hidden;
  const isKnown = validKeys.includes(key);
  if (!isKnown && isPlaceholder(key)) return hidden;
  // A digest tells keys apart without disclosing them.
  const client = hash('sha256', key);
  if (scheme !== 'Bearer') return { credential: lenientCredential, client };
  return isRefused && !isKnown ? hidden : { credential: valid, client };
}

/** Statuses that HTTP itself defines for conditional requests, ranges and other media types: no operation lists them. */
const statusesOfHttp: ReadonlySet<number | undefined> = new Set([206, 304, 406, 412, 416]);

/** The operation of a request; `other` if HTTP allows another answer than the interface. */
function operationOfTraffic({ method, target, response }: CapturedExchange): Operation {
  return statusesOfHttp.has(response?.status) ? 'other' : operationOf(method, target.split('?')[0]!);
}

/** The only headers of a request that judges of a service read by name. */
const recordedHeader = /^(accept|access-control-request-method|content-type|transfer-encoding)$/;

/** Headers that no gateway refuses, whatever their value; any other may be the reason of a refusal. */
const usualHeader =
  /^(accept(-encoding|-language)?|authorization|cache-control|connection|content-(length|type)|dnt|host|origin|pragma|referer|sec-.*|te|user-agent)$/;

/** The longest Authorization header that every gateway passes on. */
const longestCredential = 512;

/** Whether a gateway may refuse a request for headers that no exchange holds. */
function hasUnusualHeaders({ headers, isCleaned }: CapturedExchange): boolean {
  const { authorization = '' } = headers;
  if (isCleaned === true) return true;
  return authorization.length > longestCredential || Object.keys(headers).some((name) => !usualHeader.test(name));
}

/**
 * The request and its response as evidence. Bodies of operations that are not shown may hold other secrets: no evidence holds
 * them, and nothing is concluded from them.
 */
function recordMessages(captured: CapturedExchange) {
  const { method, target, headers, body, response } = captured;
  const { failure = { code: 'not-recorded', message: 'no response was recorded' } } = captured;
  const operation = operationOfTraffic(captured);
  const kept = Object.fromEntries(Object.entries(headers).filter(([name]) => recordedHeader.test(name)));
  const sent = { method, target, headers: kept, body: operation === 'other' ? undefined : body };
  const request = recordRequest(defined(sent));
  if (response === undefined) return { operation, request, failure };
  const isKnown = operation !== 'other' && typeof response.body !== 'string';
  const recorded = recordResponse({ ...response, body: isKnown ? response.body : new Uint8Array() });
  if (!isKnown) keepReading(recorded, { problem: 'a body of which nothing is known', isJson: true });
  return { operation, request, response: recorded };
}

/**
 * The exchanges in the order of responses, numbered in the order of requests. Their times order them: exchanges within one
 * instant may have overlapped, so judges conclude nothing from their order. A key that is one of `validKeys` is valid; of other
 * keys the responses show it.
 */
export function recordTraffic(
  captured: readonly CapturedExchange[],
  validKeys: readonly string[],
): readonly SentExchange[] {
  const inOrder = captured.toSorted((one, other) => one.startedAt - other.startedAt);
  const recorded = inOrder.map((one, at): SentExchange => {
    const { credential, ...sender } = senderOf(one, validKeys);
    const exchange: Exchange = Object.freeze({
      number: at + 1,
      check: 'traffic',
      credential: hasUnusualHeaders(one) ? { ...credential, isUnusual: true as const } : credential,
      ...recordMessages(one),
      startedAt: Math.floor(one.startedAt),
      endedAt: Math.floor(one.endedAt),
      sent: one.startedAt,
      answered: one.endedAt,
    });
    const secrets = [...secretsInHeaders(one.headers), ...secretsInQuery(one.target)];
    return { exchange, ...sender, secrets };
  });
  return recorded.toSorted((one, other) => one.exchange.answered - other.exchange.answered);
}

/** The mask for what is shown of traffic: of an exchange it hides `keys`, and the credentials of its request. */
export function maskOf(traffic: readonly SentExchange[], keys: readonly string[]): Mask {
  const byNumber = new Map(traffic.map(({ exchange: { number }, secrets }) => [number, secrets]));
  return createMask((shownBy) => [...keys, ...shownBy.flatMap(({ number }) => byNumber.get(number) ?? [])]);
}
