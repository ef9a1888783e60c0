/** `pact verify` and `pact lint`. The library behind them is loaded only here: it is large. */

import type { Broker } from '../../pacts/verify/verify-pacts.ts';
import { drawDefaults, readBaseUrl, readSettings, withBaseUrl } from '../command-line/arguments.ts';
import {
  type OptionKind,
  type OwnOptions,
  readConfiguration,
  surroundings,
  UsageError,
} from '../command-line/configuration.ts';
import { fetchTransport } from '../engine/transport.ts';
import { escapeForTerminal } from '../reporters/escape.ts';
import { judgeTarget } from './run.ts';

const ownKinds = {
  pact: 'list',
  'broker-url': 'text',
  'broker-token-env': 'text',
  provider: 'text',
  'provider-version': 'text',
  'provider-branch': 'text',
  selector: 'list',
  pending: 'switch',
  'wip-since': 'text',
  publish: 'switch',
} as const satisfies Record<string, OptionKind>;

type Own = OwnOptions<keyof typeof ownKinds>;
type Selector = Broker['selectors'][number];

const flagsOfSelector = ['mainBranch', 'matchingBranch', 'deployedOrReleased', 'deployed', 'released', 'latest'];
const valuesOfSelector = ['branch', 'environment', 'tag', 'fallbackTag', 'consumer'];

/** Reads `mainBranch`, or several parts as in `consumer=adoption-site,branch=main`. */
function readSelector(text: string): Selector {
  const parts = text.split(',').map((part): readonly [string, string | true] => {
    const [name = '', ...rest] = part.split('=');
    const value = rest.join('=');
    if (rest.length === 0 && flagsOfSelector.includes(name)) return [name, true];
    if (value !== '' && valuesOfSelector.includes(name)) return [name, value];
    const known = [...flagsOfSelector, ...valuesOfSelector.map((one) => `${one}=…`)].join(', ');
    throw new UsageError(`--selector takes ${known}, joined by commas, not "${text}".`);
  });
  return Object.fromEntries(parts) as Selector;
}

/** The broker that is named, and who asks it; its secrets come from the environment. */
function readBroker(own: Own): Broker | undefined {
  const last = (name: keyof Own): string | undefined => own[name]?.at(-1);
  const named = last('broker-url') ?? (own.pact === undefined ? process.env['PACT_BROKER_BASE_URL'] : undefined);
  const [version, branch, wipSince] = [last('provider-version'), last('provider-branch'), last('wip-since')];
  const publishes = own.publish !== undefined;
  const isPendingEnabled = own.pending !== undefined;
  if (named === undefined) {
    const given = Object.keys(own).find((name) => name !== 'pact');
    if (given !== undefined) throw new UsageError(`--${given} is for a broker: name it with --broker-url.`);
    return undefined;
  }
  if (publishes && version === undefined) throw new UsageError('--publish needs --provider-version.');
  if (isPendingEnabled && branch === undefined) throw new UsageError('--pending needs --provider-branch.');
  if (wipSince !== undefined && !/^\d{4}-\d{2}-\d{2}$/.test(wipSince)) {
    throw new UsageError(`--wip-since takes a date like 2026-12-05, not "${wipSince}".`);
  }
  if (wipSince !== undefined && !isPendingEnabled) throw new UsageError('--wip-since needs --pending.');
  const token = process.env[last('broker-token-env') ?? 'PACT_BROKER_TOKEN'];
  const { PACT_BROKER_USERNAME: name, PACT_BROKER_PASSWORD: password } = process.env;
  return {
    url: readBaseUrl(named),
    provider: last('provider') ?? 'pet-store',
    ...(token === undefined ? {} : { token }),
    ...(token === undefined && name !== undefined && password !== undefined ? { user: { name, password } } : {}),
    selectors: (own.selector ?? []).map(readSelector),
    isPendingEnabled,
    ...(wipSince === undefined ? {} : { wipSince }),
    ...(version === undefined ? {} : { providerVersion: version }),
    ...(branch === undefined ? {} : { providerBranch: branch }),
    publishes,
  };
}

async function verify(argv: readonly string[], interruption: AbortSignal): Promise<number> {
  const { own, ...given } = readConfiguration(argv, surroundings(), ownKinds);
  const args = readSettings(withBaseUrl(given), drawDefaults());
  const broker = readBroker(own);
  if (broker === undefined && own.pact === undefined) {
    throw new UsageError('pact verify needs pacts: --pact FILE, a folder or an address, or --broker-url URL.');
  }
  if (args.only !== undefined) throw new UsageError('--only is of run: a verification judges what its exchanges show.');
  const { readPacts } = await import('../../pacts/read-pact.ts');
  const transport = fetchTransport(args.timeoutMs, process.env);
  const reading = Promise.all((own.pact ?? []).map((place) => readPacts(place, transport)));
  const pacts = (await reading.finally(transport.close)).flat();
  const { verifyPacts } = await import('../../pacts/verify/verify-pacts.ts');
  return judgeTarget(args, interruption, (run) =>
    verifyPacts({ run, pacts, signal: run.signal, ...(broker === undefined ? {} : { broker }) }),
  );
}

/** Says what pacts claim beyond the interface, sending nothing: 0 where nothing, 1 otherwise. */
async function lint(files: readonly string[]): Promise<number> {
  const option = files.find((file) => file.startsWith('-'));
  if (option !== undefined) throw new UsageError(`pact lint takes files and folders only, not "${option}".`);
  if (files.length === 0) throw new UsageError('pact lint needs a pact: a file or a folder.');
  const { readPacts } = await import('../../pacts/read-pact.ts');
  const pacts = (await Promise.all(files.map((file) => readPacts(file)))).flat();
  const { lintPact, showRemark } = await import('../../pacts/lint/lint-pact.ts');
  let found = 0;
  for (const pact of pacts) {
    const remarks = await lintPact(pact);
    found += remarks.length;
    const lines = remarks.length === 0 ? ['claims what the interface says, and no more'] : remarks.map(showRemark);
    for (const line of lines) process.stdout.write(`${escapeForTerminal(`${pact.origin}: ${line}`)}\n`);
  }
  return found === 0 ? 0 : 1;
}

export function pact([command = '', ...rest]: readonly string[], interruption: AbortSignal): Promise<number> {
  if (command === 'verify') return verify(rest, interruption);
  if (command === 'lint') return lint(rest);
  return Promise.reject(new UsageError(`pact takes verify or lint, not "${command}".`));
}
