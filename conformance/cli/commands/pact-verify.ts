/** `pact verify [BASE_URL]`: verifies the pacts of consumers, and judges every exchange as a run does. */

import type { ConsumerVersionSelector } from '@pact-foundation/pact-core';
import type { Broker } from '../../../pacts/verify/broker.ts';
import { startVerifier } from '../../../pacts/verify/verifier.ts';
import { verifyPacts } from '../../../pacts/verify/verify-pacts.ts';
import { defined } from '../../../spec/defined.ts';
import { fetchTransport, type Transport } from '../../http/transport.ts';
import type { Values } from '../../options/options.ts';
import { address, isAddress } from '../../options/readers.ts';
import { UsageError } from '../../run/usage-error.ts';
import type { Command } from '../configuration.ts';
import { judgeTarget } from '../judge-target.ts';
import { largestPact, readPacts } from '../read-pacts.ts';

type VerifyValues = Values<'pact verify'>;

/** The pacts of the main branch, and those deployed or released. */
const usualSelectors: ConsumerVersionSelector[] = [{ mainBranch: true }, { deployedOrReleased: true }];

const brokerVariable = 'PACT_BROKER_BASE_URL';

/** The value of the Authorization header for the broker; undefined without credentials. */
function brokerAuthorization(environment: NodeJS.ProcessEnv): string | undefined {
  const { PACT_BROKER_TOKEN: token, PACT_BROKER_USERNAME: name, PACT_BROKER_PASSWORD: password } = environment;
  if (token !== undefined) return `Bearer ${token}`;
  if (name === undefined || password === undefined) return undefined;
  return `Basic ${Buffer.from(`${name}:${password}`).toString('base64')}`;
}

/** Refuses to publish results where no pact comes from a broker; `hint` says what to do. */
function refuseToPublish({ providerVersion }: VerifyValues, hint: string): void {
  if (providerVersion !== undefined) throw new UsageError(`--provider-version is for ${hint}.`);
}

/** The broker of the environment, where pacts come from it: those that the user names, or the usual ones. */
function brokerOf(values: VerifyValues, transport: Transport): Broker | undefined {
  const { pacts, providerVersion, providerBranch, provider } = values;
  const given = process.env[brokerVariable];
  if (given === undefined) {
    refuseToPublish(values, `a broker: set ${brokerVariable}`);
    return undefined;
  }
  const url = address.read(given, brokerVariable);
  const pactUrls = pacts.filter((place) => isAddress(place) && URL.parse(place)?.origin === new URL(url).origin);
  if (pacts.length > 0 && pactUrls.length === 0) {
    const otherPacts = 'pacts of the broker, and each --pact names a file or a folder';
    refuseToPublish(values, `${otherPacts}: leave one of the two out`);
    return undefined;
  }
  return defined({
    url,
    pactUrls,
    transport,
    authorization: brokerAuthorization(process.env),
    options: defined({
      provider,
      consumerVersionSelectors: usualSelectors,
      enablePending: providerBranch !== undefined,
      providerVersion,
      providerVersionBranch: providerBranch,
      publishVerificationResult: providerVersion === undefined ? undefined : true,
    }),
  });
}

export const pactVerify: Command<'pact verify'> = async ({ values, signOfGate }, host) => {
  const { pacts, provider, timeoutMs } = values;
  const transport = fetchTransport(timeoutMs, process.env, { most: largestPact });
  try {
    const broker = brokerOf(values, transport);
    if (broker === undefined && pacts.length === 0) {
      throw new UsageError('pact verify needs pacts: --pact FILE or a folder, or a broker in PACT_BROKER_BASE_URL.');
    }
    const places = pacts.filter((place) => !broker?.pactUrls.includes(place));
    const named = await readPacts(places, provider);
    const verifier = startVerifier();
    // Interactions are verified one after the other.
    return await judgeTarget({ ...values, concurrency: 1 }, host, signOfGate, (run) =>
      verifyPacts({ run, named, verifier, ...defined({ broker }) }),
    ).finally(verifier.close);
  } finally {
    transport.close();
  }
};
