/**
 * `pact verify [BASE_URL]`: verifies the pacts of consumers, and judges every exchange as a run does. Pact's library is
 * large, so it is loaded last.
 */

import { missingPeer } from '../../../pacts/peers.ts';
import type { Broker } from '../../../pacts/verify/broker.ts';
import type { NamedPacts } from '../../../pacts/verify/verify-pacts.ts';
import { defined } from '../../../spec/defined.ts';
import type { Transport } from '../../http/transport.ts';
import type { Values } from '../../options/options.ts';
import { readBaseUrl } from '../../options/readers.ts';
import { escapeForTerminal, shorten } from '../../reporters/escape.ts';
import { openTransport } from '../../run/target.ts';
import { UsageError } from '../../run/usage-error.ts';
import type { Invocation } from '../configuration.ts';
import type { Host } from '../host.ts';
import { judgeTarget } from '../judge-target.ts';
import { writeOutputs } from '../outputs.ts';
import { ownRedactor } from '../own-secrets.ts';
import { isAddress, largestPact, readPacts, showLeftOut } from '../read-pacts.ts';

type VerifyValues = Values<'pact verify'>;

/** The address of the broker, of the option or the environment, and its pacts; undefined if no pact comes from it. */
function brokerFor({ brokerUrl, pacts }: VerifyValues): Pick<Broker, 'url' | 'pactUrls'> | undefined {
  const variable = 'PACT_BROKER_BASE_URL';
  const usual = process.env[variable];
  const url = brokerUrl ?? (usual === undefined ? undefined : readBaseUrl(usual, variable));
  if (url === undefined) return undefined;
  const pactUrls = pacts.filter((place) => isAddress(place) && URL.parse(place)?.origin === new URL(url).origin);
  const isUsed = brokerUrl !== undefined || pacts.length === 0 || pactUrls.length > 0;
  return isUsed ? { url, pactUrls } : undefined;
}

const longestNotice = 1_000;

function showNotice(text: string): void {
  const notice = shorten(ownRedactor(process.env)(text), longestNotice);
  process.stderr.write(`${escapeForTerminal(`Pact Broker: ${notice}`)}\n`);
}

/** The broker to use, if any. Its secrets come from the environment. */
function brokerOf(values: VerifyValues, transport: Transport): Broker | undefined {
  const { isPendingEnabled, providerVersion, providerBranch, publishes, selectors, provider, isQuiet } = values;
  const named = brokerFor(values);
  if (named === undefined) {
    const given = {
      publish: publishes,
      pending: isPendingEnabled,
      selector: selectors.length > 0,
      'provider-version': providerVersion !== undefined,
      'provider-branch': providerBranch !== undefined,
    };
    const [flag] = Object.entries(given).find(([, isGiven]) => isGiven) ?? [];
    if (flag === undefined) return undefined;
    throw new UsageError(`--${flag} is for a broker: name it with --broker-url.`);
  }
  if (publishes && providerVersion === undefined) throw new UsageError('--publish needs --provider-version.');
  if (isPendingEnabled && providerBranch === undefined) throw new UsageError('--pending needs --provider-branch.');
  const { PACT_BROKER_TOKEN: token, PACT_BROKER_USERNAME: name, PACT_BROKER_PASSWORD: password } = process.env;
  const hasUser = token === undefined && name !== undefined && password !== undefined;
  return {
    ...named,
    transport,
    provider,
    // The reader of selectors lets only fields through that the library's type has.
    selectors: selectors as Broker['selectors'],
    isPendingEnabled,
    publishes,
    onNotice: isQuiet ? () => {} : showNotice,
    ...defined({ token, user: hasUser ? { name, password } : undefined, providerVersion, providerBranch }),
  };
}

/** Reads the pacts outside the broker; rejects with a UsageError if nothing is left to verify. */
async function readNamed(
  { pacts: places, provider }: VerifyValues,
  broker: Broker | undefined,
  transport: Transport,
): Promise<NamedPacts> {
  const others = places.filter((place) => !broker?.pactUrls.includes(place));
  const read = await readPacts(others, transport, provider);
  showLeftOut(read);
  if (broker !== undefined || read.pacts.length > 0) return read;
  throw new UsageError(read.unreadable.map(({ message }) => message).join('\n'));
}

async function verify(values: VerifyValues, transport: Transport, host: Host): Promise<number> {
  const broker = brokerOf(values, transport);
  if (broker === undefined && values.pacts.length === 0) {
    throw new UsageError('pact verify needs pacts: --pact FILE, a folder or an address, or --broker-url URL.');
  }
  const missing = missingPeer('@pact-foundation/pact-core');
  if (missing !== undefined) throw new UsageError(missing);
  const { verifyPacts } = await import('../../../pacts/verify/verify-pacts.ts');
  const { excessesIn } = await import('../../../pacts/lint/lint-pact.ts');
  const named = () => readNamed(values, broker, transport);
  // Interactions are verified one after the other.
  const report = await judgeTarget({ ...values, concurrency: 1 }, host, (run) =>
    verifyPacts({ run, readPacts: named, signal: run.signal, lint: excessesIn, ...defined({ broker }) }),
  );
  await writeOutputs(report, values);
  return report.exitCode;
}

export async function pactVerify({ values }: Invocation<'pact verify'>, host: Host): Promise<number> {
  const transport = openTransport(values.timeoutMs, largestPact);
  return verify(values, transport, host).finally(transport.close);
}
