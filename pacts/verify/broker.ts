/**
 * Stands between Pact's verifier and a Pact Broker, whose resources are linked (HAL). The verifier chooses pacts by selectors
 * and publishes the results; only this relay knows the secret of the broker, and leaves out what cannot be verified.
 */

import type { VerifierOptions } from '@pact-foundation/pact-core';
import type { Redact } from '../../conformance/http/redact.ts';
import { hideInUrls } from '../../conformance/http/secret-names.ts';
import { type Transport, TransportError } from '../../conformance/http/transport.ts';
import { defined } from '../../spec/defined.ts';
import { type Pact, readPact, UnreadablePact } from '../pact.ts';

export interface Broker {
  readonly url: string;
  /** The value of the Authorization header, if any. */
  readonly authorization?: string;
  readonly transport: Transport;
  /** Addresses of single pacts in the broker; if there are any, only they are verified. */
  readonly pactUrls: readonly string[];
  /** Which pacts the verifier asks the broker for, and what it publishes. */
  readonly options: Partial<VerifierOptions> & { readonly provider: string };
}

type RelayedAnswer = Readonly<{ status: number; text: string }>;

/** After any 5xx the verifier would ask again and again. */
const refusedByBroker: RelayedAnswer = { status: 404, text: '{}' };

/** Leads links back to the relay: requests carry a secret, so the host of a link is ignored. */
function relink(text: string, here: string): string {
  return text.replaceAll(/("href"\s*:\s*")(https?:\/\/[^"/]*)?(?=\/)/g, `$1${here}`);
}

/** `give` returns the part of a pact that the verifier gets. Nothing is published once `isEnded`: the run ended early. */
export function createRelay(
  { url: base, authorization, transport, options: { provider } }: Broker,
  redact: Redact,
  give: (pact: Pact) => string | undefined,
  isEnded: () => boolean,
) {
  let problem: string | undefined;

  async function ask(method: string, path: string, body: string): Promise<string> {
    const headers = defined({
      accept: 'application/hal+json, application/json',
      'content-type': body === '' ? undefined : 'application/json',
      authorization,
    });
    const url = path === '' || path === '/' ? base : new URL(path, base).href;
    const answer = await transport({ method, url, headers, ...(body === '' ? {} : { body: redact(body) }) });
    if (answer.status < 300) return new TextDecoder().decode(answer.body);
    const hint = ': check PACT_BROKER_TOKEN, or PACT_BROKER_USERNAME and PACT_BROKER_PASSWORD';
    throw new TransportError('broken', `it answered ${answer.status}${answer.status === 401 ? hint : ''}`);
  }

  /** What the verifier gets for an answer of the broker: of a pact the part that can be verified, anything else as it is. */
  function pass(text: string, path: string): RelayedAnswer {
    if (!/"consumer"\s*:/.test(text)) return { status: 200, text };
    const pact = readPact(text, hideInUrls(new URL(path, base).href));
    const given = give({ ...pact, provider });
    return given === undefined ? refusedByBroker : { status: 200, text: given };
  }

  return {
    /** Why the broker failed, in words. */
    problem: () => problem,
    /** Answers the verifier in the place of the broker; `here` is the address at which the verifier knows it. */
    async answer(method: string, path: string, body: string, here: string): Promise<RelayedAnswer> {
      const publishes = method === 'PUT' || body.includes('"testResults"');
      if (publishes && isEnded()) return refusedByBroker;
      try {
        const text = relink(await ask(method, path, body), here);
        return method === 'GET' ? pass(text, path) : { status: 200, text };
      } catch (error) {
        if (!(error instanceof TransportError || error instanceof UnreadablePact)) throw error;
        problem ??= `${publishes ? 'did not take the results' : 'gave no pacts'}: ${error.message.replace(/\.$/, '')}`;
        return refusedByBroker;
      }
    },
  };
}

export type BrokerRelay = ReturnType<typeof createRelay>;
