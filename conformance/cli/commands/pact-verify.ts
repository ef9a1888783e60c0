/** `pact verify [BASE_URL]`: verifies the pacts of consumers, and judges every exchange as a run does. */

import type { ConsumerVersionSelector } from '@pact-foundation/pact-core';
import type { Broker } from '../../../pacts/verify/broker.ts';
import { startVerifier } from '../../../pacts/verify/verifier.ts';
import { verifyPacts } from '../../../pacts/verify/verify-pacts.ts';
import { defined } from '../../../spec/defined.ts';
import { fetchTransport, type Transport } from '../../http/transport.ts';
import type { Values } from '../../options/options.ts';
import { address } from '../../options/readers.ts';
import { UsageError } from '../../run/usage-error.ts';
import type { Command } from '../configuration.ts';
import { judgeTarget } from '../judge-target.ts';
import { isAddress, largestPact, readPacts } from '../read-pacts.ts';

type VerifyValues = Values<'pact verify'>;

/** The pacts of the main branch, and those deployed or released. */
const usualSelectors: ConsumerVersionSelector[] = [{ mainBranch: true }, { deployedOrReleased: true }];

/** The broker of the environment, where pacts come from it: those that the user names, or the usual ones. */
function brokerOf(values: VerifyValues, transport: Transport): Broker | undefined {
  const { pacts, providerVersion, providerBranch, provider } = values;
  const variable = 'PACT_BROKER_BASE_URL';
  const { [variable]: broker, PACT_BROKER_TOKEN: token, PACT_BROKER_USERNAME: name } = process.env;
  const url = broker === undefined ? undefined : address.read(broker, variable);
  const pactUrls = pacts.filter(
    (place) => isAddress(place) && URL.parse(place)?.origin === URL.parse(url ?? '')?.origin,
  );
  if (url === undefined || (pacts.length > 0 && pactUrls.length === 0)) {
    if (providerVersion === undefined) return undefined;
    throw new UsageError(`--provider-version is for a broker: set ${variable}.`);
  }
  const password = process.env['PACT_BROKER_PASSWORD'];
  const user = name === undefined || password === undefined ? undefined : Buffer.from(`${name}:${password}`);
  const authorization = token === undefined ? user && `Basic ${user.toString('base64')}` : `Bearer ${token}`;
  return defined({
    url,
    pactUrls,
    transport,
    authorization,
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
