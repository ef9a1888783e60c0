/** Opens the target of a run: the embedded reference server, or a base address with its keys. */

import { randomBytes } from 'node:crypto';
import { createPetStore } from '../../reference-server/index.ts';
import type { Plan } from '../../spec/facts.ts';
import type { Keys } from '../http/credentials.ts';
import { fetchTransport, type Transport } from '../http/transport.ts';
import { createClock, inProcess } from '../services/in-process.ts';
import { serverKeys } from '../services/wraps.ts';
import type { Clock } from './pace.ts';
import { UsageError } from './usage-error.ts';

export interface Target {
  readonly baseUrl: string;
  readonly keys: Keys;
  readonly plan?: Plan;
  /** That of the embedded reference server jumps over waits. */
  readonly clock: Clock;
  readonly transport: Transport;
  readonly close: () => void;
}

/** The reference server without a socket, with two keys that only this run knows, on a clock that jumps over waits. */
export function openEmbedded(startsAt: number): Target {
  const [api, rateLimit] = [randomBytes(12), randomBytes(12)].map((bytes) => `embedded-${bytes.toString('hex')}`);
  const { handle } = createPetStore({ keys: serverKeys(api!, rateLimit!) });
  const clock = createClock(startsAt);
  return {
    baseUrl: 'http://embedded/v1',
    keys: { api: api!, rateLimit: rateLimit! },
    plan: 'business',
    clock,
    transport: inProcess(handle, clock),
    close: () => undefined,
  };
}

function complaintOf(key: string | undefined): string | undefined {
  if (key === '') return 'is empty: does the secret exist in this environment? Set it to the key, or leave it out';
  return key === undefined || /^[\x21-\x7e]+$/.test(key)
    ? undefined
    : 'must be visible ASCII without spaces: check how it is set';
}

/** How the user gives a key, for a sentence. */
export type KeyNames = Readonly<Record<'api' | 'rateLimit', string>>;

/** Throws a UsageError for keys that cannot be used. No sentence repeats a key. */
export function checkKeys(given: Partial<Keys>, names: KeyNames): Keys {
  const { api, rateLimit } = given;
  if (api === undefined) throw new UsageError(`${names.api} is not set: set it to the API key of the target.`);
  for (const which of ['api', 'rateLimit'] as const) {
    const complaint = complaintOf(given[which]);
    if (complaint !== undefined) throw new UsageError(`${names[which]} ${complaint}.`);
  }
  if (api !== rateLimit) return { ...given, api };
  throw new UsageError(`${names.rateLimit} must be another key than ${names.api}, since the run exhausts it.`);
}

/** A target at an address. It sends nothing yet. */
export function openAddress(
  baseUrl: string,
  keys: Keys,
  { timeoutMs, concurrency }: { readonly timeoutMs: number; readonly concurrency: number },
  clock: Clock,
): Target {
  const transport = fetchTransport(timeoutMs, process.env, undefined, concurrency);
  return { baseUrl, keys, clock, transport, close: transport.close };
}
