/**
 * `pact verify [BASE_URL]`: verifies the pacts of consumers, and judges every exchange as a run does. Pact's library is
 * large, so it is loaded last.
 */

import type { Pact } from '../../../pacts/pact.ts';
import { missingPeer } from '../../../pacts/peers.ts';
import type { Broker } from '../../../pacts/verify/verify-pacts.ts';
import { defined } from '../../../spec/defined.ts';
import type { Transport } from '../../http/transport.ts';
import type { Invocation } from '../configuration.ts';
import { judgeTarget } from '../judge-target.ts';
import type { Values } from '../options.ts';
import { writeOutputs } from '../outputs.ts';
import { largestPact, readPacts } from '../read-pacts.ts';
import { readBaseUrl } from '../readers.ts';
import { openTransport } from '../target.ts';
import { UsageError } from '../usage-error.ts';

type VerifyValues = Values<'pact verify'>;

/** The address of the broker: from the option, or from the environment if no pact is given. */
function brokerUrlOf({ brokerUrl, pacts }: VerifyValues): string | undefined {
  const variable = 'PACT_BROKER_BASE_URL';
  const usual = process.env[variable];
  if (brokerUrl !== undefined || usual === undefined || pacts.length > 0) return brokerUrl;
  return readBaseUrl(usual, variable);
}

/** Refuses options that need a broker. */
function checkWithoutBroker(values: VerifyValues): void {
  const given = {
    publish: values.publishes,
    pending: values.isPendingEnabled,
    selector: values.selectors.length > 0,
    'wip-since': values.wipSince !== undefined,
    'provider-version': values.providerVersion !== undefined,
    'provider-branch': values.providerBranch !== undefined,
  };
  const [flag] = Object.entries(given).find(([, isGiven]) => isGiven) ?? [];
  if (flag !== undefined) throw new UsageError(`--${flag} is for a broker: name it with --broker-url.`);
}

/** The broker to use, if any. Its secrets come from the environment. */
function brokerOf(values: VerifyValues, transport: Transport): Broker | undefined {
  const url = brokerUrlOf(values);
  if (url === undefined) {
    checkWithoutBroker(values);
    return undefined;
  }
  const { provider, selectors, isPendingEnabled, wipSince, providerVersion, providerBranch, publishes } = values;
  if (publishes && providerVersion === undefined) throw new UsageError('--publish needs --provider-version.');
  if (isPendingEnabled && providerBranch === undefined) throw new UsageError('--pending needs --provider-branch.');
  if (wipSince !== undefined && !isPendingEnabled) throw new UsageError('--wip-since needs --pending.');
  const token = process.env[values.brokerTokenEnv];
  const { PACT_BROKER_USERNAME: name, PACT_BROKER_PASSWORD: password } = process.env;
  const hasUser = token === undefined && name !== undefined && password !== undefined;
  const user = hasUser ? { name, password } : undefined;
  return {
    url,
    transport,
    provider,
    // The reader of selectors lets only fields through that the library's type has.
    selectors: selectors as Broker['selectors'],
    isPendingEnabled,
    publishes,
    ...defined({ token, user, wipSince, providerVersion, providerBranch }),
  };
}

async function readAllPacts({ pacts }: VerifyValues, transport: Transport): Promise<readonly Pact[]> {
  return (await Promise.all(pacts.map((place) => readPacts(place, transport)))).flat();
}

async function verify(values: VerifyValues, transport: Transport, interruption: AbortSignal): Promise<number> {
  const broker = brokerOf(values, transport);
  if (broker === undefined && values.pacts.length === 0) {
    throw new UsageError('pact verify needs pacts: --pact FILE, a folder or an address, or --broker-url URL.');
  }
  const missing = missingPeer('@pact-foundation/pact-core');
  if (missing !== undefined) throw new UsageError(missing);
  const pacts = await readAllPacts(values, transport);
  const { verifyPacts } = await import('../../../pacts/verify/verify-pacts.ts');
  // Interactions are verified one after the other.
  const report = await judgeTarget({ ...values, concurrency: 1 }, interruption, (run) =>
    verifyPacts({ run, pacts, signal: run.signal, ...defined({ broker }) }),
  );
  await writeOutputs(report, values);
  return report.exitCode;
}

/** Resolves with the exit code that the report has. */
export async function pactVerify({ values }: Invocation<'pact verify'>, interruption: AbortSignal): Promise<number> {
  const transport = openTransport(values.timeoutMs, largestPact);
  return verify(values, transport, interruption).finally(transport.close);
}
