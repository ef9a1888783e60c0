/** Caches in front of the service, which answer reads and listings with old copies. */

import type { StoreResponse } from '../../reference-server/index.ts';
import type { Service } from './service.ts';
import { changeAnswer, requestHeader, type Wrap, withHeader } from './wraps.ts';

interface CacheOptions {
  readonly ttlMs: number;
  /** Set where a stale copy is still answered, while a new one is fetched behind it (stale-while-revalidate). */
  readonly hasGrace?: true;
  /** Set where answers say how old they are, and for how long they are fresh. */
  readonly showsAge?: true;
  /** Set where a copy has the headers of the first answer, those of §8 included; else the gateway sets them anew. */
  readonly keepsHeaders?: true;
}

/** A cache that answers GET requests of the interface, of which it keeps those that were served. */
function cache({ ttlMs, hasGrace, showsAge, keepsHeaders }: CacheOptions): Wrap {
  return (handle, keys) => {
    const copies = new Map<string, { readonly answer: StoreResponse; readonly storedAt: number }>();
    return changeAnswer((fresh, { operation, request, now }) => {
      if (!['listPets', 'getPet'].includes(operation) || ![200, 404].includes(fresh.status)) return undefined;
      const key = `${request.target} ${requestHeader(request, 'authorization')}`;
      const copy = copies.get(key);
      const isFresh = copy !== undefined && now - copy.storedAt < ttlMs;
      const answered = { answer: withHeader(fresh, 'Date', new Date(now).toUTCString()), storedAt: now };
      if (!isFresh && fresh.status === 200) copies.set(key, answered);
      const { answer: served, storedAt } = copy !== undefined && (isFresh || hasGrace) ? copy : answered;
      const answer = keepsHeaders ? served : { ...fresh, status: served.status, body: served.body };
      const typed = withHeader(answer, 'Content-Type', served.headers['Content-Type']);
      if (!showsAge) return typed;
      const aged = withHeader(typed, 'Age', String(Math.floor((now - storedAt) / 1_000)));
      return withHeader(aged, 'Cache-Control', `max-age=${ttlMs / 1_000}`);
    })(handle, keys);
  };
}

/** Caches of two to thirty seconds: without headers, with Age, and each of the ways in which products differ. */
export const cacheServices: readonly Service[] = Object.entries({
  '2-s': { ttlMs: 2_000 },
  '10-s': { ttlMs: 10_000 },
  '30-s': { ttlMs: 30_000 },
  '2-s-with-age': { ttlMs: 2_000, showsAge: true, hasGrace: true },
  '30-s-with-age': { ttlMs: 30_000, showsAge: true },
  '10-s-with-grace': { ttlMs: 10_000, hasGrace: true },
  '5-s-with-its-headers': { ttlMs: 5_000, keepsHeaders: true },
} satisfies Readonly<Record<string, CacheOptions>>).map(([id, options]) => ({
  id: `cache-of-${id}`,
  wrap: cache(options),
  observes: { visibility: 'later' },
}));
