/** Verifies the pacts of a Pact Broker, and publishes the results there. */

import type { ConsumerVersionSelector } from '@pact-foundation/pact-core';
import { type Redact, redactor } from '../../conformance/http/redact.ts';
import { hideInUrls } from '../../conformance/http/secret-names.ts';
import { RunStopped } from '../../conformance/run/pace.ts';
import { reason } from '../../conformance/verdict/reasons.ts';
import type { ReportedInteraction } from '../../conformance/verdict/report.ts';
import { defined } from '../../spec/defined.ts';
import { type Fields, fieldsOf, objectsOf, type Pact, readPact, toText, UnreadablePact } from '../pact.ts';
import { type AskBroker, type BrokerAccess, BrokerError, createHal, linkOf, type Resource } from './hal.ts';
import { pactNotVerified } from './interactions.ts';
import { isSuccess, resultOf } from './publication.ts';
import { verifyPact } from './verify-pact.ts';
import type { Verification } from './verify-requests.ts';

export interface Broker extends BrokerAccess {
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

interface Notice {
  readonly when: string;
  readonly text: string;
}

interface BrokerPact {
  readonly pact: Pact | UnreadablePact;
  /** Whether it may fail, since it was never verified. */
  readonly isPending: boolean;
  readonly notices: readonly Notice[];
  readonly resource: Resource;
}

function queryOf({ selectors, isPendingEnabled, providerBranch }: Broker) {
  return defined({
    consumerVersionSelectors: selectors.length === 0 ? undefined : selectors,
    includePendingStatus: isPendingEnabled,
    providerVersionBranch: providerBranch,
  });
}

function noticesIn(properties: Fields): readonly Notice[] {
  return objectsOf(properties['notices']).map(({ when, text }) => ({
    when: toText(when ?? ''),
    text: toText(text ?? ''),
  }));
}

/** Reads a pact; an unreadable one does not stop the others. */
function tryReading(text: string, origin: string, provider: string): BrokerPact['pact'] {
  try {
    return { ...readPact(text, origin), provider };
  } catch (error) {
    if (error instanceof UnreadablePact) return error;
    throw error;
  }
}

async function fetchPact(
  link: string,
  { provider }: Broker,
  ask: AskBroker,
  properties: Fields = {},
): Promise<BrokerPact> {
  const resource = await ask('GET', link);
  const pact = tryReading(resource.text, hideInUrls(link), provider);
  return { pact, isPending: properties['pending'] === true, notices: noticesIn(properties), resource };
}

async function fetchPacts(broker: Broker, ask: AskBroker): Promise<readonly BrokerPact[]> {
  const pacts: BrokerPact[] = [];
  for (const url of broker.pactUrls) pacts.push(await fetchPact(url, broker, ask));
  if (pacts.length > 0) return pacts;
  const index = await ask('GET', broker.url);
  const { provider } = broker;
  const list = await ask('POST', linkOf(index, 'pb:provider-pacts-for-verification', { provider }), queryOf(broker));
  for (const fields of objectsOf(fieldsOf(list.fields['_embedded'])['pacts'])) {
    pacts.push(await fetchPact(linkOf({ fields }, 'self'), broker, ask, fieldsOf(fields['verificationProperties'])));
  }
  if (pacts.length === 0) throw new BrokerError('it has no pacts for this provider and these selectors');
  return pacts;
}

/** Records the branch of the provider's version in the broker. */
async function nameVersion(broker: Broker, pact: Resource, ask: AskBroker): Promise<void> {
  const { providerBranch: branch, providerVersion: version = '' } = broker;
  if (branch === undefined) return;
  const provider = await ask('GET', linkOf(pact, 'pb:provider'));
  await ask('PUT', linkOf(provider, 'pb:branch-version', { branch, version }), {});
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
  if (pact instanceof UnreadablePact) return [pactNotVerified(pact.message)];
  enter(pact.consumer);
  const reported = await verifyPact(pact, by);
  return reported.map((one) => (isPending && one.verdict === 'fail' ? { ...one, verdict: 'pending' as const } : one));
}

/** Runs a function that asks the broker. A problem ends the run, with a message without secrets. */
async function orStop<Result>(broker: Broker, what: string, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof BrokerError)) throw error;
    const redact = redactor([broker.token, broker.user?.password].filter((secret) => secret !== undefined));
    throw new RunStopped(reason('broker-failed', { problem: `${what}: ${redact(error.message).replace(/\.$/, '')}` }));
  }
}

/** Verifies the pacts of a broker one after the other; rejects with RunStopped if the broker fails. */
export async function* verifyFromBroker(
  broker: Broker,
  run: BrokerRun,
): AsyncGenerator<readonly ReportedInteraction[], void> {
  const { gateway, signal } = run.by;
  const ask = createHal(broker, signal);
  const pacts = await orStop(broker, 'gave no pacts', () => fetchPacts(broker, ask));
  let isVersionNamed = false;
  for (const one of pacts) {
    const show = (when: string): void => {
      for (const notice of one.notices) if (notice.when === when) broker.onNotice(notice.text);
    };
    show('before_verification');
    const reported = await verifyOne(one, run);
    yield reported;
    // A run that ended early has no result for the pact.
    if (signal.aborted || gateway.stopped() !== undefined) continue;
    const { pact, resource } = one;
    const publishes = broker.publishes && !(pact instanceof UnreadablePact);
    if (publishes) {
      const result = resultOf(pact, reported, { ...run, ...broker, version: broker.providerVersion ?? '' });
      await orStop(broker, 'did not take the results', async () => {
        if (!isVersionNamed) await nameVersion(broker, resource, ask);
        isVersionNamed = true;
        await ask('POST', linkOf(resource, 'pb:publish-verification-results'), result);
      });
    }
    show(`after_verification:success_${isSuccess(reported, run.requiresAll)}_published_${publishes}`);
  }
}
