/** Verifies the pacts of a Pact Broker, whose interactions are not known beforehand. */

import type { ConsumerVersionSelector } from '@pact-foundation/pact-core';
import { judgeInteraction } from './interactions.ts';
import { type ReportedInteraction, RunStopped, redactor } from './kit.ts';
import type { NativeOptions } from './verifier.ts';
import { optionsFor, type Verification } from './verify-pact.ts';

/** A Pact Broker, and what is asked of it. */
export interface Broker {
  readonly url: string;
  /** The name that the service has there. */
  readonly provider: string;
  readonly token?: string;
  readonly user?: { readonly name: string; readonly password: string };
  /** Which versions of consumers; those that the broker takes by itself when empty. */
  readonly selectors: readonly ConsumerVersionSelector[];
  /** Whether pacts that were never verified may fail. */
  readonly isPendingEnabled: boolean;
  /** The day from which on work in progress is verified too. */
  readonly wipSince?: string;
  readonly providerVersion?: string;
  readonly providerBranch?: string;
  readonly publishes: boolean;
}

function brokerOptions(broker: Broker): Partial<NativeOptions> {
  const { user, token, wipSince, providerVersion, providerBranch } = broker;
  return {
    pactBrokerUrl: broker.url,
    provider: broker.provider,
    ...(token === undefined ? {} : { pactBrokerToken: token }),
    ...(user === undefined ? {} : { pactBrokerUsername: user.name, pactBrokerPassword: user.password }),
    consumerVersionSelectors: [...broker.selectors],
    ...(broker.isPendingEnabled ? { enablePending: true } : {}),
    ...(wipSince === undefined ? {} : { includeWipPactsSince: wipSince }),
    ...(providerVersion === undefined ? {} : { providerVersion }),
    ...(providerBranch === undefined ? {} : { providerVersionBranch: providerBranch }),
    ...(broker.publishes ? { publishVerificationResult: true } : {}),
  };
}

/** Verifies the pacts that a broker has; rejects with RunStopped where it gives none. */
export async function verifyFromBroker(broker: Broker, by: Verification): Promise<readonly ReportedInteraction[]> {
  const { gateway, verifier, signal } = by;
  const outcome = await verifier.verify({ ...optionsFor(gateway), ...brokerOptions(broker) }, signal);
  const attempts = gateway.take();
  if (outcome === undefined) throw new RunStopped(String(signal.reason));
  const redact = redactor([broker.token, broker.user?.password].filter((secret) => secret !== undefined));
  if (outcome.errors.length > 0 && outcome.results.length === 0) {
    throw new RunStopped(`The broker gave no pacts: ${redact(outcome.errors[0] ?? '')}`);
  }
  return outcome.results.map((result, at) => judgeInteraction(result, attempts[at]));
}
