/** Variants that differ in when they show an animal, how many they show at once, and to whom. */

import { seededRandom } from '../../spec/random.ts';
import { largeBudget } from '../verdict/settings.ts';
import { busy, manyAnimals } from './other-clients.ts';
import { changePage } from './page-changes.ts';
import type { Variant } from './service.ts';
import {
  cappedAt,
  cappedAtBytes,
  expiring,
  isListing,
  isListingOrRead,
  isRead,
  keepingNewest,
  lagging,
  limitBeforeFilter,
  perKey,
} from './visibility-changes.ts';
import { layers, type Wrap } from './wraps.ts';

/** Pages of 60 to 100 % of what they could hold. */
const varyingLength: Wrap = (handle, keys) => {
  const random = seededRandom(11);
  return changePage((page) => page.slice(0, Math.ceil(page.length * (0.6 + 0.4 * random()))))(handle, keys);
};

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

const cappedByStatus: Wrap = changePage((page, { query }) => {
  const lengths: Readonly<Record<string, number>> = { available: 1, pending: 9, sold: 13 };
  return page.slice(0, lengths[query.get('status') ?? ''] ?? 40);
});

const newestFirst = { gaps: { 'list-order': 'newest-first' } } as const;
const shuffled = { gaps: { 'list-order': 'shuffled' } } as const;
const late = { observes: { visibility: 'later' } } as const;
const capped = { observes: { 'page-cap': 'fewer' } } as const;
const newestOnly = { ...newestFirst, observes: { 'page-cap': 'newest-only' } } as const;
const limitFirst = { observes: { 'short-pages': 'limit-before-filter' } } as const;

export const visibilityVariants: readonly Variant[] = [
  ...[20, 80, 200, 1_000, 3_000, 10_000, 60_000].flatMap((ms): readonly Variant[] => [
    { id: `pages-lag-${ms}-ms`, wrap: lagging(ms, isListing), ...late },
    { id: `reads-lag-${ms}-ms`, wrap: lagging(ms, isRead), ...late },
    { id: `replica-lags-${ms}-ms`, wrap: lagging(ms, isListingOrRead), ...late },
  ]),
  { id: 'replica-lags-slow', wrap: lagging(1_000, isListingOrRead), latencyMs: 250, ...late },
  { id: 'busy-replica-lags', wrap: layers(lagging(200, isListingOrRead), busy), ...late },
  { id: 'one-of-three-replicas-lags-2000-ms', wrap: oneReplicaLags(2_000), ...late },
  { id: 'one-of-three-replicas-lags-20000-ms', wrap: oneReplicaLags(20_000), ...late },
  { id: 'pages-of-20', wrap: cappedAt(20), ...capped },
  { id: 'pages-of-50', wrap: cappedAt(50), animals: manyAnimals(60), ...capped },
  { id: 'pages-of-86', wrap: cappedAt(86), animals: manyAnimals(90), ...capped },
  {
    ...newestFirst,
    id: 'pages-of-50-newest-first',
    wrap: cappedAt(50),
    animals: manyAnimals(60),
    observes: { 'page-cap': 'fewer', 'list-order': 'newest-first' },
  },
  {
    ...shuffled,
    id: 'pages-of-50-shuffled',
    wrap: cappedAt(50),
    animals: manyAnimals(30),
    observes: { 'page-cap': 'fewer', 'list-order': 'shuffled' },
  },
  { id: 'pages-of-65536-bytes', wrap: cappedAtBytes(65_536), settings: largeBudget },
  { ...newestFirst, id: 'pages-of-65536-bytes-newest-first', wrap: cappedAtBytes(65_536) },
  { id: 'newest-30', wrap: keepingNewest(30), ...newestOnly },
  {
    ...newestFirst,
    id: 'newest-30-lagging',
    wrap: layers(lagging(1_000, isListingOrRead), keepingNewest(30)),
    // Looking again for late animals leaves no request to read one that was evicted, among the usual three hundred.
    settings: largeBudget,
    observes: { 'page-cap': 'newest-only', visibility: 'later' },
  },
  { id: 'newest-5', wrap: keepingNewest(5), ...newestOnly },
  {
    ...newestFirst,
    id: 'newest-5-lagging',
    wrap: layers(lagging(3_000, isListingOrRead), keepingNewest(5)),
    latencyMs: 100,
    settings: largeBudget,
    observes: { 'page-cap': 'newest-only', visibility: 'later' },
  },
  { id: 'newest-30-beside-others', wrap: keepingNewest(30), animals: manyAnimals(20), ...newestOnly },
  { ...newestOnly, id: 'animals-expire-after-5-s', wrap: expiring(5_000), latencyMs: 100 },
  {
    ...newestFirst,
    id: 'animals-expire-after-20-s',
    observes: { 'page-cap': null },
    wrap: expiring(20_000),
    latencyMs: 600,
    animals: manyAnimals(50),
  },
  { id: 'limit-before-filter', wrap: limitBeforeFilter, ...limitFirst },
  {
    ...shuffled,
    id: 'limit-before-filter-shuffled',
    wrap: limitBeforeFilter,
    animals: manyAnimals(30),
    observes: { 'list-order': 'shuffled', 'short-pages': 'limit-before-filter' },
  },
  {
    id: 'limit-before-filter-in-pages-of-50',
    wrap: layers(limitBeforeFilter, cappedAt(50)),
    animals: manyAnimals(60),
    observes: { 'page-cap': 'fewer', 'short-pages': 'limit-before-filter' },
  },
  { id: 'busy-limit-before-filter', wrap: layers(limitBeforeFilter, busy), ...limitFirst },
  { id: 'busy-pages-of-50', wrap: layers(cappedAt(50), busy), animals: manyAnimals(20), ...capped },
  { id: 'busy-newest-30', wrap: layers(keepingNewest(30), busy), ...newestOnly },
  // Only a long run creates enough animals to ask for some that were evicted.
  { id: 'newest-80-slow', wrap: keepingNewest(80), latencyMs: 250, settings: largeBudget, ...newestOnly },
  {
    ...newestOnly,
    id: 'newest-80-among-those-of-others',
    wrap: layers(busy, keepingNewest(80)),
    animals: manyAnimals(20),
    settings: largeBudget,
  },
  { id: 'pages-of-varying-length', wrap: varyingLength },
  { id: 'pages-of-varying-length-newest-first', wrap: varyingLength, ...newestFirst },
  { id: 'pages-of-varying-length-shuffled', wrap: varyingLength, animals: manyAnimals(30), ...shuffled },
  { id: 'busy-pages-of-varying-length', wrap: layers(varyingLength, busy), animals: manyAnimals(12) },
  { id: 'filtered-pages-of-10', wrap: filteredAt(10), ...limitFirst },
  { id: 'filtered-pages-of-3-newest-first', wrap: filteredAt(3), ...newestFirst, ...limitFirst },
  {
    id: 'pages-capped-by-status',
    wrap: cappedByStatus,
    animals: manyAnimals(15),
    observes: { 'page-cap': 'fewer', 'short-pages': 'limit-before-filter' },
  },
  { id: 'animals-per-key', wrap: perKey, observes: { 'key-scope': 'per-key' } },
];
