/** Verifies the pacts of a Pact Broker, and publishes there what came of them. */

import type { ConsumerVersionSelector } from '@pact-foundation/pact-core';
import { type Fields, isFields, type Pact, readPact, UnreadablePact } from '../pact.ts';
import { type AskBroker, type BrokerAccess, BrokerError, createHal, linkOf, type Resource } from './hal.ts';
import { type Redact, type ReportedInteraction, RunStopped, redactor } from './kit.ts';
import { resultOf } from './publication.ts';
import { type Verification, verifyPact } from './verify-pact.ts';

/** A Pact Broker, and what is asked of it. */
export interface Broker extends BrokerAccess {
  /** The name that the service has there. */
  readonly provider: string;
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

/** A pact of a broker. */
interface BrokerPact {
  readonly pact: Pact;
  /** Whether it may fail. */
  readonly isPending: boolean;
  readonly resource: Resource;
}

function queryOf({ selectors, isPendingEnabled, wipSince, providerBranch }: Broker) {
  return {
    ...(selectors.length === 0 ? {} : { consumerVersionSelectors: selectors }),
    includePendingStatus: isPendingEnabled,
    ...(wipSince === undefined ? {} : { includeWipPactsSince: wipSince }),
    ...(providerBranch === undefined ? {} : { providerVersionBranch: providerBranch }),
  };
}

/** The pacts that a resource lists, each as a resource. */
function listedIn({ fields }: Resource): readonly Resource['fields'][] {
  const embedded = fields['_embedded'];
  const pacts = isFields(embedded) ? embedded['pacts'] : undefined;
  return Array.isArray(pacts) ? pacts.filter(isFields) : [];
}

async function fetchPacts(broker: Broker, ask: AskBroker): Promise<readonly BrokerPact[]> {
  const index = await ask('GET', broker.url);
  const { provider } = broker;
  const list = await ask('POST', linkOf(index, 'pb:provider-pacts-for-verification', { provider }), queryOf(broker));
  const pacts: BrokerPact[] = [];
  for (const fields of listedIn(list)) {
    const link = linkOf({ fields }, 'self');
    const resource = await ask('GET', link);
    const { verificationProperties } = fields;
    const isPending = isFields(verificationProperties) && verificationProperties['pending'] === true;
    pacts.push({ pact: { ...readPact(resource.text, link), provider }, isPending, resource });
  }
  if (pacts.length === 0) throw new BrokerError('it has none for this provider by these selectors');
  return pacts;
}

/** Says in the broker that the version of the provider is one of a branch. */
async function nameBranch({ providerBranch, providerVersion }: Broker, pact: Resource, ask: AskBroker): Promise<void> {
  if (providerBranch === undefined) return;
  const provider = await ask('GET', linkOf(pact, 'pb:provider'));
  const values = { branch: providerBranch, version: providerVersion ?? '' };
  await ask('PUT', linkOf(provider, 'pb:branch-version', values), {});
}

/** What a run has in common for all pacts of a broker. */
export interface BrokerRun {
  readonly by: Verification;
  /** Whether what the user did not give or want counts. */
  readonly requiresAll: boolean;
  /** Takes the keys of the run out of a text. */
  readonly redact: Redact;
  /** Names the consumer that the next exchanges belong to. */
  readonly enter: (consumer: string) => void;
}

async function verifyOne({ pact, isPending }: BrokerPact, { by, enter }: BrokerRun) {
  enter(pact.consumer);
  const reported = await verifyPact(pact, by);
  return reported.map((one) => (isPending && one.verdict === 'fail' ? { ...one, verdict: 'pending' as const } : one));
}

/** Runs something that asks the broker; what hinders that ends the run, without a secret in its words. */
async function orStop<Result>(broker: Broker, what: string, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof BrokerError) && !(error instanceof UnreadablePact)) throw error;
    const redact = redactor([broker.token, broker.user?.password].filter((secret) => secret !== undefined));
    throw new RunStopped(`The broker ${what}: ${redact(error.message).replace(/\.$/, '')}.`);
  }
}

/** Publishes what came of one pact, and on which branch the version of the provider is. */
async function publish(broker: Broker, resource: Resource, result: Fields, ask: AskBroker): Promise<void> {
  await nameBranch(broker, resource, ask);
  await ask('POST', linkOf(resource, 'pb:publish-verification-results'), result);
}

/** Verifies the pacts that a broker has, one after the other; rejects with RunStopped where it gives or takes none. */
export async function* verifyFromBroker(
  broker: Broker,
  run: BrokerRun,
): AsyncGenerator<readonly ReportedInteraction[], void> {
  const { gateway, signal } = run.by;
  const ask = createHal(broker);
  const pacts = await orStop(broker, 'gave no pacts', () => fetchPacts(broker, ask));
  for (const one of pacts) {
    const reported = await verifyOne(one, run);
    yield reported;
    // A run that ended early has nothing to say of a pact.
    if (!broker.publishes || signal.aborted || gateway.stopped() !== undefined) continue;
    const { pact, resource } = one;
    const result = resultOf(pact, reported, { ...run, version: broker.providerVersion ?? '' });
    await orStop(broker, 'did not take the results', () => publish(broker, resource, result, ask));
  }
}
