/** Opens the target of a command: the embedded reference server, or a base address with keys from the environment. */

import { randomBytes } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { createPetStore, listen, type PetStore } from '../../reference-server/index.ts';
import { defined } from '../../spec/defined.ts';
import type { Plan } from '../../spec/facts.ts';
import { readProxies } from '../http/proxies.ts';
import { canBeRedacted } from '../http/redact.ts';
import { fetchTransport, type Transport } from '../http/transport.ts';
import { createClock, inProcess } from '../proof/in-process.ts';
import type { Clock } from '../run/pace.ts';
import { serverKeys } from '../sections/fault.ts';
import type { Values } from './options.ts';
import { apiKeyVariable, environmentSecrets, rateLimitKeyVariable } from './own-secrets.ts';
import { UsageError } from './usage-error.ts';

export interface Target {
  readonly baseUrl: string;
  readonly keys: { readonly api: string; readonly rateLimit?: string };
  readonly plan?: Plan;
  readonly clock: Clock;
  /** Whether it is the embedded reference server, whose clock jumps over waits. */
  readonly isEmbedded: boolean;
  readonly transport: Transport;
  readonly close: () => Promise<void>;
}

/** A clock that jumps instead of waiting. The embedded server uses it too. */
function createJumpingClock(): Clock {
  let ahead = 0;
  return {
    now: () => Date.now() + ahead,
    sleep: (ms) => {
      ahead += ms;
      return Promise.resolve();
    },
  };
}

/** The reference server, with two keys that only this run knows. */
function createReference(): Pick<Target, 'keys'> & PetStore {
  const api = `embedded-${randomBytes(12).toString('hex')}`;
  const rateLimit = `embedded-${randomBytes(12).toString('hex')}`;
  const store = createPetStore({ keys: serverKeys(api, rateLimit) });
  return { ...store, keys: { api, rateLimit } };
}

/** The reference server without a socket, on a clock that starts at `startsAt`, Unix milliseconds. */
export function openReference(startsAt: number): Pick<Target, 'baseUrl' | 'keys' | 'clock' | 'transport'> {
  const { handle, keys } = createReference();
  const clock = createClock(startsAt);
  return { baseUrl: 'http://reference/v1', keys, clock, transport: inProcess(handle, clock) };
}

export async function startEmbedded(timeoutMs: number): Promise<Target> {
  const store = createReference();
  const clock = createJumpingClock();
  const server = await listen(store.handle, { port: 0, now: clock.now });
  const transport = fetchTransport(timeoutMs, {});
  return {
    baseUrl: `${server.url}/v1`,
    keys: store.keys,
    plan: 'business',
    clock,
    isEmbedded: true,
    transport,
    close: () => {
      transport.close();
      return server.close();
    },
  };
}

/** Why a key cannot be used, undefined where it can. No sentence repeats a key. */
export function complaintOfKey(key: string): string | undefined {
  if (!/^[\x21-\x7e]+$/.test(key)) return 'must be visible ASCII without spaces: check how it is set';
  return canBeRedacted(key) ? undefined : 'is a common word of answers, so no report could hide it: use another key';
}

function readKey(variable: string): string | undefined {
  const key = process.env[variable];
  if (key === undefined) return undefined;
  if (key === '') {
    throw new UsageError(
      `The variable ${variable} is empty: does the secret exist in this environment? Set it to the key, or unset it.`,
    );
  }
  const complaint = complaintOfKey(key);
  if (complaint === undefined) return key;
  throw new UsageError(`The key in ${variable} ${complaint}.`);
}

function readKeys(): Target['keys'] {
  const api = readKey(apiKeyVariable);
  if (api === undefined) {
    throw new UsageError(`The variable ${apiKeyVariable} is not set: set it to the API key of the target.`);
  }
  const rateLimit = readKey(rateLimitKeyVariable);
  if (rateLimit === api) {
    throw new UsageError(
      `${rateLimitKeyVariable} must hold another key than ${apiKeyVariable}, since the run exhausts it.`,
    );
  }
  return defined({ api, rateLimit, others: environmentSecrets(process.env) });
}

export type TargetValues = Pick<Values<'run'>, 'baseUrl' | 'timeoutMs'> & {
  readonly concurrency?: number;
};

/** A transport that uses the proxies of the environment; a UsageError, without the address, if one cannot be used. */
export function openTransport(
  ...[timeoutMs, most, mostOpen]: [timeoutMs: number, most?: number, mostOpen?: number]
): ReturnType<typeof fetchTransport> {
  const proxies = readProxies(process.env);
  if (typeof proxies !== 'string') return fetchTransport(timeoutMs, proxies, most, mostOpen);
  throw new UsageError(`${proxies} holds no address of an HTTP proxy: expected one like http://host:8080.`);
}

/** A target at an address. It sends nothing yet. */
export function openAddress(
  baseUrl: string,
  keys: Target['keys'],
  { timeoutMs, concurrency }: Pick<TargetValues, 'timeoutMs' | 'concurrency'>,
  clock: Clock,
): Target {
  const transport = openTransport(timeoutMs, undefined, concurrency);
  return {
    baseUrl,
    keys,
    clock,
    isEmbedded: false,
    transport,
    close: () => {
      transport.close();
      return Promise.resolve();
    },
  };
}

/**
 * Opens the target that the options name; `clock` is for one at an address. It sends nothing yet. Handlers of signals could
 * not run while the modules were loaded. They run here, so that a signal that came meanwhile keeps the first request back.
 */
export async function openTarget(values: TargetValues, clock: Clock): Promise<Target> {
  await nextTurn();
  await nextTurn();
  if (values.baseUrl === undefined) return startEmbedded(values.timeoutMs);
  return openAddress(values.baseUrl, readKeys(), values, clock);
}
