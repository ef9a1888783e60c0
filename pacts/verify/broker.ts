/**
 * Stands between Pact's verifier and a Pact Broker, whose resources are linked (HAL). The verifier chooses pacts by selectors
 * and publishes the results; only this relay knows the secret of the broker, and leaves out what cannot be verified.
 */

import type { ConsumerVersionSelector } from '@pact-foundation/pact-core';
import type { Redact } from '../../conformance/http/redact.ts';
import { hideInUrls } from '../../conformance/http/secret-names.ts';
import { type Transport, TransportError } from '../../conformance/http/transport.ts';
import { RunStopped } from '../../conformance/run/pace.ts';
import { reason } from '../../conformance/verdict/reasons.ts';
import { defined } from '../../spec/defined.ts';
import {
  type Fields,
  fieldsOf,
  isFields,
  objectsOf,
  type Pact,
  parseExactly,
  readPact,
  toText,
  UnreadablePact,
} from '../pact.ts';
import type { Attempts } from './attempts.ts';
import type { Relay } from './gateway.ts';

export interface Broker {
  readonly url: string;
  readonly token?: string;
  readonly user?: { readonly name: string; readonly password: string };
  readonly transport: Transport;
  /** The name of the service in the broker. */
  readonly provider: string;
  /** Addresses of single pacts in the broker; if there are any, only they are verified. */
  readonly pactUrls: readonly string[];
  /** The versions of consumers; if empty, the broker chooses. */
  readonly selectors: readonly ConsumerVersionSelector[];
  /** Whether pacts that were never verified may fail. */
  readonly isPendingEnabled: boolean;
  readonly providerVersion?: string;
  readonly providerBranch?: string;
  readonly publishes: boolean;
  readonly onNotice: (text: string) => void;
}

function authorizationOf({ token, user }: Broker): Readonly<Record<string, string>> {
  if (token !== undefined) return { authorization: `Bearer ${token}` };
  if (user === undefined) return {};
  return { authorization: `Basic ${Buffer.from(`${user.name}:${user.password}`).toString('base64')}` };
}

function refusedBy({ token, user }: Broker): string {
  const given = token === undefined ? 'PACT_BROKER_USERNAME and PACT_BROKER_PASSWORD' : 'PACT_BROKER_TOKEN';
  const isGiven = token !== undefined || user !== undefined;
  return `it answered 401: ${isGiven ? `check ${given}` : `set PACT_BROKER_TOKEN, or ${given}`}`;
}

/** A resource with its links led back to the relay: requests carry a secret, so the host of a link is ignored. */
function relink(fields: Fields, here: string): string {
  return JSON.stringify(fields).replaceAll(/("href":")(https?:\/\/[^"/]*)?(?=\/)/g, `$1${here}`);
}

/** After any 5xx the verifier would ask again and again. */
const refused = { status: 404, text: '{}' };

export function createRelay(broker: Broker, redact: Redact) {
  const unreadable: string[] = [];
  let pacts = 0;
  let [fetching, publishing]: (string | undefined)[] = [];

  async function ask(method: string, path: string, body: string): Promise<readonly [status: number, fields: Fields]> {
    const type = defined({ 'content-type': body === '' ? undefined : 'application/json' });
    const headers = { accept: 'application/hal+json, application/json', ...type, ...authorizationOf(broker) };
    const url = path === '' || path === '/' ? broker.url : new URL(path, broker.url).href;
    const answer = await broker.transport(
      defined({ method, url, headers, body: body === '' ? undefined : redact(body) }),
    );
    if (answer.status === 401) throw new TransportError('broken', refusedBy(broker));
    if (answer.isCut) throw new TransportError('broken', 'its answer is larger than any pact');
    const text = new TextDecoder().decode(answer.body);
    try {
      const fields = parseExactly(text === '' ? '{}' : text);
      if (isFields(fields)) return [answer.status, fields];
    } catch {
      // Reported below.
    }
    throw new TransportError(
      'broken',
      answer.status < 300 ? 'its answer is not a JSON object' : `it answered ${answer.status}`,
    );
  }

  return {
    /** Messages about pacts that are not readable. */
    unreadable: unreadable as readonly string[],
    /** Throws RunStopped if the broker failed, with a message without secrets. */
    check(): void {
      const none = fetching ?? 'it has no pacts for this provider and these selectors';
      const problem = publishing ? `did not take the results: ${publishing}` : `gave no pacts: ${none}`;
      if (publishing === undefined && pacts > 0) return;
      throw new RunStopped(reason('broker-failed', { problem: problem.replace(/\.$/, '') }));
    },
    relay: (give: (pact: Pact) => string | undefined, attempts: Pick<Attempts, 'stopped'>): Relay => {
      /** The text of a pact for the verifier; an unreadable one does not stop the others. */
      function pass(linked: string, path: string) {
        pacts += 1;
        try {
          const origin = hideInUrls(new URL(path, broker.url).href);
          const text = give({ ...readPact(linked, origin), provider: broker.provider });
          return text === undefined ? refused : { status: 200, text };
        } catch (error) {
          if (!(error instanceof UnreadablePact)) throw error;
          unreadable.push(error.message);
          return refused;
        }
      }
      return async (method, path, body, here) => {
        const publishes = method === 'PUT' || body.includes('"testResults"');
        // A run that ended early has no result.
        if (publishes && attempts.stopped() !== undefined) return refused;
        try {
          const [status, fields] = await ask(method, path, body);
          if (status >= 300) throw new TransportError('broken', `it answered ${status}`);
          const text = relink(fields, here);
          if (method === 'GET' && 'consumer' in fields) return pass(text, path);
          const listed = method === 'POST' ? objectsOf(fieldsOf(fields['_embedded'])['pacts']) : [];
          for (const pact of listed) {
            const notices = objectsOf(fieldsOf(pact['verificationProperties'])['notices']);
            const before = notices.filter(({ when }) => when === 'before_verification');
            for (const { text: notice } of before) broker.onNotice(toText(notice ?? ''));
          }
          return { status, text };
        } catch (error) {
          if (!(error instanceof TransportError)) throw error;
          if (publishes) publishing = error.message;
          else fetching = error.message;
          return refused;
        }
      };
    },
  };
}
