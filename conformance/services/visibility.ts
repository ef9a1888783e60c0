/** Services that differ in when they show an animal, how many they show at once, and to whom. */

import { busy, manyAnimals } from './other-clients.ts';
import { changePage } from './page-changes.ts';
import type { Service } from './service.ts';
import {
  cappedAt,
  cappedAtBytes,
  isListing,
  isListingOrRead,
  isRead,
  lagging,
  limitBeforeFilter,
  perKey,
} from './visibility-changes.ts';
import { layers, type Wrap } from './wraps.ts';

/** Every third read meets a replica that is late. */
const oneReplicaLags =
  (ms: number): Wrap =>
  (handle, keys) => {
    let reads = 0;
    return lagging(ms, (call) => {
      if (isRead(call)) reads += 1;
      return isRead(call) && reads % 3 === 0;
    })(handle, keys);
  };

const filteredAt = (most: number): Wrap =>
  changePage((page, { query }) => (query.has('status') ? page.slice(0, most) : undefined));

const newestFirst = { gaps: { 'list-order': 'newest-first' } } as const;
const late = { observes: { visibility: 'later' } } as const;
const capped = { observes: { 'page-cap': 'fewer' } } as const;
const limitFirst = { observes: { 'short-pages': 'limit-before-filter' } } as const;

export const visibilityServices: readonly Service[] = [
  ...[200, 3_000].map((ms) => ({ id: `pages-lag-${ms}-ms`, wrap: lagging(ms, isListing), ...late })),
  ...[200, 1_000, 3_000].map((ms) => ({ id: `reads-lag-${ms}-ms`, wrap: lagging(ms, isRead), ...late })),
  ...[80, 1_000, 10_000].map((ms) => ({ id: `replica-lags-${ms}-ms`, wrap: lagging(ms, isListingOrRead), ...late })),
  { id: 'busy-replica-lags', wrap: layers(lagging(200, isListingOrRead), busy), ...late },
  { id: 'one-of-three-replicas-lags-2000-ms', wrap: oneReplicaLags(2_000), ...late },
  { id: 'pages-of-20', wrap: cappedAt(20), ...capped },
  { id: 'pages-of-50', wrap: cappedAt(50), animals: manyAnimals(60), ...capped },
  {
    ...newestFirst,
    id: 'pages-of-50-newest-first',
    wrap: cappedAt(50),
    animals: manyAnimals(60),
    // Three hundred requests create fewer animals than a page holds.
    observes: { 'page-cap': 'as-asked', 'list-order': 'newest-first' },
  },
  { ...newestFirst, id: 'pages-of-65536-bytes-newest-first', wrap: cappedAtBytes(65_536) },
  { id: 'limit-before-filter', wrap: limitBeforeFilter, ...limitFirst },
  {
    id: 'limit-before-filter-shuffled',
    wrap: limitBeforeFilter,
    animals: manyAnimals(30),
    gaps: { 'list-order': 'shuffled' },
    observes: { 'list-order': 'shuffled', 'short-pages': 'limit-before-filter' },
  },
  { id: 'busy-limit-before-filter', wrap: layers(limitBeforeFilter, busy), ...limitFirst },
  { id: 'filtered-pages-of-10', wrap: filteredAt(10), ...limitFirst },
  { id: 'filtered-pages-of-3-newest-first', wrap: filteredAt(3), ...newestFirst, ...limitFirst },
  { id: 'animals-per-key', wrap: perKey, observes: { 'key-scope': 'per-key' } },
];
