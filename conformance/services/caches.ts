/** Caches in front of the service, which answer reads and listings with old copies. */

import type { StoreResponse } from '../../reference-server/index.ts';
import type { Service } from './service.ts';
import { refreshedEvery } from './visibility-changes.ts';
import { changeAnswer, requestHeader, type Wrap, withHeader } from './wraps.ts';

export interface CacheOptions {
  readonly ttlMs: number;
  /** Set where a stale copy is still answered, while a new one is fetched behind it (stale-while-revalidate). */
  readonly hasGrace?: true;
  /** Set where all keys share the copies; the cache still has the service check each key. */
  readonly isShared?: true;
  /** Set where answers say how old they are, and for how long they are fresh. */
  readonly showsAge?: true;
  /** Set where a 404 is kept as well. */
  readonly keepsMissing?: true;
  /** Set where a copy has the headers of the first answer, those of §8 included; else the gateway sets them anew. */
  readonly keepsHeaders?: true;
}

interface Copy {
  readonly answer: StoreResponse;
  readonly storedAt: number;
}

/** A cache that answers GET requests of the interface. */
export function cache({ ttlMs, ...options }: CacheOptions): Wrap {
  return (handle, keys) => {
    const copies = new Map<string, Copy>();
    return changeAnswer((fresh, { operation, request, now }) => {
      const isKept = fresh.status === 200 || (fresh.status === 404 && options.keepsMissing);
      if ((operation !== 'listPets' && operation !== 'getPet') || !(isKept || fresh.status === 404)) return undefined;
      const key = `${request.target} ${options.isShared ? '' : requestHeader(request, 'authorization')}`;
      const copy = copies.get(key);
      const isFresh = copy !== undefined && now - copy.storedAt < ttlMs;
      const answered = { answer: withHeader(fresh, 'Date', new Date(now).toUTCString()), storedAt: now };
      if (!isFresh && isKept) copies.set(key, answered);
      const served = copy !== undefined && (isFresh || options.hasGrace) ? copy : answered;
      const { status, body, headers } = served.answer;
      const answer = options.keepsHeaders ? served.answer : { ...fresh, status, body };
      const typed = withHeader(answer, 'Content-Type', headers['Content-Type']);
      if (!options.showsAge) return typed;
      const aged = withHeader(typed, 'Age', String(Math.floor((now - served.storedAt) / 1_000)));
      return withHeader(aged, 'Cache-Control', `max-age=${ttlMs / 1_000}`);
    })(handle, keys);
  };
}

/** Caches of one to thirty seconds: without headers, with Age, and each of the ways in which products differ. */
const caches: Readonly<Record<string, CacheOptions>> = {
  '1-s': { ttlMs: 1_000 },
  '2-s': { ttlMs: 2_000 },
  '10-s': { ttlMs: 10_000 },
  '30-s': { ttlMs: 30_000 },
  '2-s-with-age': { ttlMs: 2_000, showsAge: true, hasGrace: true },
  '30-s-with-age': { ttlMs: 30_000, showsAge: true },
  '10-s-with-grace': { ttlMs: 10_000, hasGrace: true },
  '10-s-shared': { ttlMs: 10_000, isShared: true },
  '10-s-keeps-missing': { ttlMs: 10_000, keepsMissing: true },
  '5-s-with-its-headers': { ttlMs: 5_000, keepsHeaders: true },
};

const observes = { visibility: 'later' } as const;

export const plainCaches: readonly Service[] = Object.entries(caches).map(([id, options]) => ({
  id: `cache-of-${id}`,
  wrap: cache(options),
  observes,
}));

export const cacheServices: readonly Service[] = [
  ...plainCaches,
  { id: 'listing-refreshed-every-10-s', wrap: refreshedEvery(10_000), observes },
];
