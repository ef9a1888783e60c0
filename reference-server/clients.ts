/** Who asks: the key that a request carries (§5), or the address that it comes from; each is counted apart. */

import type { Behaviour } from './behaviour.ts';
import { type ApiKey, createKeyring, readLimits } from './keys.ts';
import { createMeters } from './meters.ts';
import { createMeter, memoryOfMeter, type Verdict } from './rate-limit.ts';
import { readHeader, type StoreRequest } from './request.ts';

export interface Clients {
  /** Counts a request by its key; undefined where it has none that is valid. */
  readonly countKey: (request: StoreRequest, now: number) => Verdict | undefined;
  /** Counts a request without a valid key. None is refused for their number, since all of them get 401 (§5). */
  readonly countAddress: (address: string, now: number) => Verdict;
}

/** Client addresses that are surely remembered; whoever has more of them is not told apart by them anyway. */
const mostAddresses = 100_000;

/** Throws a RangeError for keys that cannot work. */
export function createClients(keys: readonly ApiKey[], windowMs: number, behaviour: Behaviour): Clients {
  const rules = behaviour['rate-limit-window'];
  const limits = keys.map(readLimits);
  const findKey = createKeyring(keys);
  const memoryMs = memoryOfMeter(windowMs);
  const byKey = createMeters(
    (at: number) => createMeter(limits[at]!, windowMs, behaviour.ban, rules),
    memoryMs,
    keys.length,
  );
  const createForAddress = behaviour['rate-limit-without-key'](windowMs, rules);
  const byAddress = createMeters<string>(createForAddress, memoryMs, mostAddresses);
  return {
    countKey(request, now) {
      const token = behaviour['bearer-case'].exec(readHeader(request, 'authorization'))?.[1];
      const key = token === undefined ? undefined : findKey(token);
      return key === undefined ? undefined : byKey.count(key, now);
    },
    countAddress: byAddress.count,
  };
}
