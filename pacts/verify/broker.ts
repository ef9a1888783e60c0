/** Verifies the pacts of a Pact Broker, and publishes the results there. */

import type { ConsumerVersionSelector } from '@pact-foundation/pact-core';
import { type Redact, redactor } from '../../conformance/http/redact.ts';
import { RunStopped } from '../../conformance/run/pace.ts';
import type { ReportedInteraction } from '../../conformance/verdict/report.ts';
import { defined } from '../../spec/defined.ts';
import { type Fields, isFields, type Pact, readPact, UnreadablePact } from '../pact.ts';
import { type AskBroker, type BrokerAccess, BrokerError, createHal, linkOf, type Resource } from './hal.ts';
import { resultOf } from './publication.ts';
import { type Verification, verifyPact } from './verify-pact.ts';

/** A Pact Broker, and the pacts to verify from it. */
export interface Broker extends BrokerAccess {
  /** The name of the service in the broker. */
  readonly provider: string;
  /** The versions of consumers; if empty, the broker chooses. */
  readonly selectors: readonly ConsumerVersionSelector[];
  /** Whether pacts that were never verified may fail. */
  readonly isPendingEnabled: boolean;
  /** Work in progress since this day is verified as well. */
  readonly wipSince?: string;
  readonly providerVersion?: string;
  readonly providerBranch?: string;
  readonly publishes: boolean;
}

/** One pact of a broker. */
interface BrokerPact {
  readonly pact: Pact;
  /** Whether it may fail, since it was never verified. */
  readonly isPending: boolean;
  readonly resource: Resource;
}

function queryOf({ selectors, isPendingEnabled, wipSince, providerBranch }: Broker) {
  return defined({
    consumerVersionSelectors: selectors.length === 0 ? undefined : selectors,
    includePendingStatus: isPendingEnabled,
    includeWipPactsSince: wipSince,
    providerVersionBranch: providerBranch,
  });
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
  if (pacts.length === 0) throw new BrokerError('it has no pacts for this provider and these selectors');
  return pacts;
}

/** Records the branch of the provider's version in the broker. */
async function nameBranch({ providerBranch, providerVersion }: Broker, pact: Resource, ask: AskBroker): Promise<void> {
  if (providerBranch === undefined) return;
  const provider = await ask('GET', linkOf(pact, 'pb:provider'));
  const values = { branch: providerBranch, version: providerVersion ?? '' };
  await ask('PUT', linkOf(provider, 'pb:branch-version', values), {});
}

/** The parts of a run that all pacts of a broker share. */
export interface BrokerRun {
  readonly by: Verification;
  /** Whether interactions count that the user left out. */
  readonly requiresAll: boolean;
  /** Removes the keys of the run from a text. */
  readonly redact: Redact;
  /** Sets the consumer to which the next exchanges belong. */
  readonly enter: (consumer: string) => void;
}

async function verifyOne({ pact, isPending }: BrokerPact, { by, enter }: BrokerRun) {
  enter(pact.consumer);
  const reported = await verifyPact(pact, by);
  return reported.map((one) => (isPending && one.verdict === 'fail' ? { ...one, verdict: 'pending' as const } : one));
}

/** Runs a function that asks the broker. A problem ends the run, with a message without secrets. */
async function orStop<Result>(broker: Broker, what: string, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof BrokerError) && !(error instanceof UnreadablePact)) throw error;
    const redact = redactor([broker.token, broker.user?.password].filter((secret) => secret !== undefined));
    throw new RunStopped(`The broker ${what}: ${redact(error.message).replace(/\.$/, '')}.`);
  }
}

/** Publishes the result of one pact, and the branch of the provider's version. */
async function publish(broker: Broker, resource: Resource, result: Fields, ask: AskBroker): Promise<void> {
  await nameBranch(broker, resource, ask);
  await ask('POST', linkOf(resource, 'pb:publish-verification-results'), result);
}

/** Verifies the pacts of a broker one after the other; rejects with RunStopped if the broker fails. */
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
    // A run that ended early has no result for the pact.
    if (!broker.publishes || signal.aborted || gateway.stopped() !== undefined) continue;
    const { pact, resource } = one;
    const result = resultOf(pact, reported, { ...run, version: broker.providerVersion ?? '' });
    await orStop(broker, 'did not take the results', () => publish(broker, resource, result, ask));
  }
}
