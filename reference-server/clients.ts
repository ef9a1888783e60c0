/** Who asks: the key that a request carries (§5), or the address that it comes from; each is counted apart. */

import type { Behaviour } from './behaviour.ts';
import { type ApiKey, createKeyring, readLimits } from './keys.ts';
import { createMeter, type Meter, type Verdict } from './rate-limit.ts';
import { readHeader, type StoreRequest } from './request.ts';

export interface Clients {
  /** The meter of the key that a request carries; undefined where it has none that is valid. */
  readonly findMeter: (request: StoreRequest) => Meter | undefined;
  /** Counts a request without a valid key. None is refused for their number, since all of them get 401 (§5). */
  readonly countAddress: (address: string, now: number) => Verdict;
}

/** Client addresses that are counted at a time; the oldest is forgotten. */
const maxAddresses = 10_000;

function createAddressMeter(createAddress: () => Meter): (address: string, now: number) => Verdict {
  const meters = new Map<string, Meter>();
  return (address, now) => {
    const meter = meters.get(address) ?? createAddress();
    if (!meters.has(address) && meters.size >= maxAddresses) meters.delete(meters.keys().next().value!);
    meters.set(address, meter);
    return meter(now);
  };
}

/** Throws a RangeError for keys that cannot work. */
export function createClients(keys: readonly ApiKey[], windowMs: number, behaviour: Behaviour): Clients {
  const rules = behaviour['rate-limit-window'];
  const meters = keys.map((key) => createMeter(readLimits(key), windowMs, behaviour.ban, rules));
  const findKey = createKeyring(keys);
  return {
    findMeter(request) {
      const token = behaviour['bearer-case'].exec(readHeader(request, 'authorization'))?.[1];
      return meters[(token === undefined ? undefined : findKey(token)) ?? -1];
    },
    countAddress: createAddressMeter(behaviour['rate-limit-without-key'](windowMs, rules)),
  };
}
