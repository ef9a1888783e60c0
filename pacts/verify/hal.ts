/** A client for Pact Brokers, whose resources are linked (HAL). Every problem is one sentence. */

import { type Transport, TransportError } from '../../conformance/http/transport.ts';
import { untilStopped } from '../../conformance/run/pace.ts';
import { defined } from '../../spec/defined.ts';
import { type Fields, fieldsOf, isFields } from '../pact.ts';

/** The address of a broker, and how to access it. */
export interface BrokerAccess {
  readonly url: string;
  readonly token?: string;
  readonly user?: { readonly name: string; readonly password: string };
  readonly transport: Transport;
}

export interface Resource {
  readonly fields: Fields;
  readonly text: string;
}

/** A broker gives no answer or an unexpected one; the message is for a person. */
export class BrokerError extends Error {}

/** Requests a resource by its link; rejects with a BrokerError, or with RunStopped when the run is stopped. */
export type AskBroker = (method: 'GET' | 'POST' | 'PUT', link: string, body?: Fields) => Promise<Resource>;

function authorizationOf({ token, user }: BrokerAccess): Readonly<Record<string, string>> {
  if (token !== undefined) return { authorization: `Bearer ${token}` };
  if (user === undefined) return {};
  return { authorization: `Basic ${Buffer.from(`${user.name}:${user.password}`).toString('base64')}` };
}

/** The address of a link, always at the broker itself: requests carry a secret, so the host of a link is ignored. */
function addressOf(link: string, url: string): string {
  if (!URL.canParse(link, url)) throw new BrokerError(`it names the address ${JSON.stringify(link.slice(0, 100))}`);
  const { pathname, search } = new URL(link, url);
  return new URL(pathname + search, url).href;
}

function refused({ token, user }: BrokerAccess): string {
  if (token !== undefined)
    return 'it answered 401: check the token in PACT_BROKER_TOKEN, or name its variable with --broker-token-env';
  if (user !== undefined) return 'it answered 401: check PACT_BROKER_USERNAME and PACT_BROKER_PASSWORD';
  return 'it answered 401: set PACT_BROKER_TOKEN, or PACT_BROKER_USERNAME and PACT_BROKER_PASSWORD';
}

function read(text: string): Resource {
  try {
    const fields: unknown = text === '' ? {} : JSON.parse(text);
    if (isFields(fields)) return { fields, text };
  } catch {
    // Reported below.
  }
  throw new BrokerError('its answer is not a JSON object');
}

export function createHal(access: BrokerAccess, signal: AbortSignal): AskBroker {
  const authorization = authorizationOf(access);

  return async (method, link, body) => {
    const type = defined({ 'content-type': body === undefined ? undefined : 'application/json' });
    const headers = { accept: 'application/hal+json, application/json', ...type, ...authorization };
    const text = body === undefined ? undefined : JSON.stringify(body);
    const request = defined({ method, url: addressOf(link, access.url), headers, body: text });
    try {
      const answer = await untilStopped(access.transport(request), signal);
      if (answer.status === 401) throw new BrokerError(refused(access));
      if (answer.status < 200 || answer.status > 299) throw new BrokerError(`it answered ${answer.status}`);
      if (answer.isCut) throw new BrokerError('its answer is larger than any pact');
      return read(new TextDecoder().decode(answer.body));
    } catch (error) {
      throw error instanceof TransportError ? new BrokerError(error.message) : error;
    }
  };
}

/** The address of a relation, with its placeholders filled in; throws a BrokerError. */
export function linkOf(
  { fields }: Pick<Resource, 'fields'>,
  relation: string,
  values: Readonly<Record<string, string>> = {},
): string {
  const { href } = fieldsOf(fieldsOf(fields['_links'])[relation]);
  if (typeof href !== 'string') throw new BrokerError(`it names no ${relation}`);
  return href.replace(/\{(\w+)\}/g, (whole, name: string) => encodeURIComponent(values[name] ?? whole));
}
