/** Caches in front of the service, which answer reads and listings with old copies. */

import type { StoreResponse } from '../../reference-server/index.ts';
import { largeBudget } from '../verdict/settings.ts';
import { busy, manyAnimals, startsAnew } from './other-clients.ts';
import type { Variant } from './service.ts';
import {
  cappedAt,
  isListing,
  keepingNewest,
  lagging,
  limitBeforeFilter,
  refreshedEvery,
} from './visibility-changes.ts';
import { changeAnswer, layers, requestHeader, type Wrap, withHeader } from './wraps.ts';

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

const observes = { visibility: 'later' } as const;

/** Caches of every age, with and without grace, for each key and shared. */
export const plainCaches: readonly Variant[] = [
  ...[1_000, 2_000, 10_000, 60_000].flatMap((ttlMs): readonly Variant[] => {
    const id = `cache-of-${ttlMs / 1_000}-s`;
    return [
      { id, wrap: cache({ ttlMs }), observes },
      { id: `${id}-with-grace`, wrap: cache({ ttlMs, hasGrace: true }), observes },
      { id: `${id}-shared`, wrap: cache({ ttlMs, isShared: true }), observes },
      {
        id: `${id}-shared-with-grace`,
        wrap: cache({ ttlMs, isShared: true, hasGrace: true }),
        observes,
        latencyMs: 40,
      },
      { id: `${id}-with-age`, wrap: cache({ ttlMs, hasGrace: true, showsAge: true }), observes, latencyMs: 100 },
      { id: `${id}-keeps-missing`, wrap: cache({ ttlMs, keepsMissing: true }), observes, animals: manyAnimals(30) },
    ];
  }),
  ...[5_000, 20_000].map((ttlMs) => ({
    id: `cache-of-${ttlMs / 1_000}-s-with-its-headers`,
    wrap: cache({ ttlMs, keepsHeaders: true }),
    observes,
  })),
];

/** What no run may fail. */
export const cacheVariants: readonly Variant[] = [
  ...plainCaches,
  ...[1_000, 2_000, 10_000, 60_000].map((ttlMs) => ({
    id: `listing-refreshed-every-${ttlMs / 1_000}-s`,
    wrap: refreshedEvery(ttlMs),
    observes,
  })),
  ...[5_000, 20_000].map((ttlMs) => ({
    id: `cache-of-${ttlMs / 1_000}-s-with-its-headers-late`,
    wrap: layers(cache({ ttlMs, keepsHeaders: true }), lagging(9_000, isListing)),
    latencyMs: 200,
    observes,
  })),
  { id: 'cache-of-five-minutes-with-age', wrap: cache({ ttlMs: 300_000, showsAge: true }), observes },
  { id: 'busy-cache-of-10-s-with-grace', wrap: layers(cache({ ttlMs: 10_000, hasGrace: true }), busy), observes },
  ...[90, 200].map((after) => ({
    id: `cache-of-10-s-before-a-start-anew-after-${after}-requests`,
    wrap: layers(cache({ ttlMs: 10_000 }), startsAnew(after)),
    observes,
  })),
  {
    id: 'cache-of-10-s-before-pages-of-20',
    wrap: layers(cache({ ttlMs: 10_000, hasGrace: true }), cappedAt(20)),
    observes: { ...observes, 'page-cap': 'fewer' },
  },
  {
    id: 'cache-of-10-s-before-limit-before-filter',
    wrap: layers(cache({ ttlMs: 10_000 }), limitBeforeFilter),
    observes: { 'short-pages': 'limit-before-filter' },
    gaps: { 'list-order': 'newest-first' },
    animals: manyAnimals(95),
  },
  // Its old pages still show animals that have been evicted.
  {
    id: 'cache-of-30-s-with-grace-before-the-newest-5',
    wrap: layers(cache({ ttlMs: 30_000, hasGrace: true }), keepingNewest(5)),
    settings: largeBudget,
    observes: { ...observes, 'page-cap': 'newest-only' },
  },
  {
    id: 'cache-of-60-s-that-keeps-missing-before-the-newest-1',
    wrap: layers(cache({ ttlMs: 60_000, hasGrace: true, keepsMissing: true }), keepingNewest(1)),
    settings: largeBudget,
    observes: { ...observes, 'page-cap': 'newest-only' },
  },
  {
    id: 'cache-of-60-s-newest-first',
    wrap: cache({ ttlMs: 60_000, hasGrace: true }),
    observes,
    gaps: { 'list-order': 'newest-first' },
    animals: manyAnimals(30),
  },
];
