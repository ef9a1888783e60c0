/** Opens the target of a run: the embedded reference server, or a base address with its keys. */

import { randomBytes } from 'node:crypto';
import { createPetStore, type Handle, listen } from '../../reference-server/index.ts';
import type { Plan } from '../../spec/facts.ts';
import type { Keys } from '../http/credentials.ts';
import { readProxies } from '../http/proxies.ts';
import { canBeRedacted } from '../http/redact.ts';
import { fetchTransport, type Transport } from '../http/transport.ts';
import { createClock, inProcess } from '../services/in-process.ts';
import { serverKeys } from '../services/wraps.ts';
import type { Clock } from './pace.ts';
import { UsageError } from './usage-error.ts';

export interface Target {
  readonly baseUrl: string;
  readonly keys: Keys;
  readonly plan?: Plan;
  readonly clock: Clock;
  /** Whether it is the embedded reference server, whose clock jumps over waits. */
  readonly isEmbedded: boolean;
  readonly transport: Transport;
  readonly close: () => Promise<void>;
}

/** A clock that jumps instead of waiting. The embedded server uses it too. */
export function createJumpingClock(): Clock {
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
function createReference(): Pick<Target, 'keys'> & { readonly handle: Handle } {
  const [api, rateLimit] = [randomBytes(12), randomBytes(12)].map((bytes) => `embedded-${bytes.toString('hex')}`);
  const store = createPetStore({ keys: serverKeys(api!, rateLimit!) });
  return { ...store, keys: { api: api!, rateLimit: rateLimit! } };
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

function complaintOf(key: string): string | undefined {
  if (key === '') return 'is empty: does the secret exist in this environment? Set it to the key, or leave it out';
  if (!/^[\x21-\x7e]+$/.test(key)) return 'must be visible ASCII without spaces: check how it is set';
  return canBeRedacted(key) ? undefined : 'is a common word of answers, so no report could hide it: use another key';
}

/** How the user gives a key, for a sentence. */
export type KeyNames = Readonly<Record<'api' | 'rateLimit', string>>;

/** Throws a UsageError for keys that cannot be used. No sentence repeats a key. */
export function checkKeys(given: Partial<Keys>, names: KeyNames): Keys {
  const { api, rateLimit } = given;
  if (api === undefined) throw new UsageError(`${names.api} is not set: set it to the API key of the target.`);
  for (const [name, key] of [
    [names.api, api],
    [names.rateLimit, rateLimit],
  ] as const) {
    const complaint = key === undefined ? undefined : complaintOf(key);
    if (complaint !== undefined) throw new UsageError(`${name} ${complaint}.`);
  }
  if (api !== rateLimit) return { ...given, api };
  throw new UsageError(`${names.rateLimit} must be another key than ${names.api}, since the run exhausts it.`);
}

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
  keys: Keys,
  { timeoutMs, concurrency }: { readonly timeoutMs: number; readonly concurrency: number },
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
