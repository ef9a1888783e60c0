/** Variants that differ in when they show an animal, how many they show at once, and to whom. */

import { seededRandom } from '../../../spec/random.ts';
import { busy, manyAnimals } from '../../sections/4.1-list-pets/other-clients.ts';
import { changePage } from '../../sections/4.1-list-pets/page-changes.ts';
import {
  cappedAt,
  isListing,
  isListingOrRead,
  isRead,
  keepingNewest,
  lagging,
  limitBeforeFilter,
  perKey,
} from '../../sections/4.1-list-pets/visibility-changes.ts';
import type { Wrap } from '../../sections/fault.ts';
import { largeBudget } from '../../verdict/settings.ts';
import type { Variant } from '../variant.ts';

/** Pages of 60 to 100 % of what they could hold. */
const varyingLength: Wrap = (handle) => {
  const random = seededRandom(11);
  return changePage((page) => page.slice(0, Math.ceil(page.length * (0.6 + 0.4 * random()))))(handle);
};

/** Every third read meets a replica that is late. */
const oneReplicaLags =
  (ms: number): Wrap =>
  (handle) => {
    let reads = 0;
    return lagging(ms, (call) => {
      if (isRead(call)) reads += 1;
      return isRead(call) && reads % 3 === 0;
    })(handle);
  };

/** Pages with a filter are shorter than others. */
const filteredAt = (most: number): Wrap =>
  changePage((page, { query }) => (query.has('status') ? page.slice(0, most) : undefined));

/** Every status has a length of its own. */
const cappedByStatus: Wrap = changePage((page, { query }) => {
  const lengths: Readonly<Record<string, number>> = { available: 5, pending: 9, sold: 13 };
  return page.slice(0, lengths[query.get('status') ?? ''] ?? 40);
});

/** Services that differ in when they show an animal and how many they show. */
export const visibilityVariants: readonly Variant[] = [
  ...[20, 80, 200, 1_000, 3_000, 10_000, 60_000].flatMap((ms): readonly Variant[] => [
    { id: `pages-lag-${ms}-ms`, wrap: lagging(ms, isListing), observes: { visibility: 'later' } },
    { id: `reads-lag-${ms}-ms`, wrap: lagging(ms, isRead), observes: { visibility: 'later' } },
    { id: `replica-lags-${ms}-ms`, wrap: lagging(ms, isListingOrRead), observes: { visibility: 'later' } },
  ]),
  { id: 'replica-lags-slow', wrap: lagging(1_000, isListingOrRead), latencyMs: 250, observes: { visibility: 'later' } },
  {
    id: 'busy-replica-lags',
    wrap: (handle) => lagging(200, isListingOrRead)(busy(handle)),
    observes: { visibility: 'later' },
  },
  ...[2_000, 20_000].map(
    (ms): Variant => ({
      id: `one-of-three-replicas-lags-${ms}-ms`,
      wrap: oneReplicaLags(ms),
      observes: { visibility: 'later' },
    }),
  ),
  { id: 'pages-of-20', wrap: cappedAt(20), observes: { 'page-cap': 'fewer' } },
  { id: 'pages-of-50', wrap: cappedAt(50), animals: manyAnimals(60), observes: { 'page-cap': 'fewer' } },
  { id: 'pages-of-86', wrap: cappedAt(86), animals: manyAnimals(90), observes: { 'page-cap': 'fewer' } },
  {
    id: 'pages-of-50-newest-first',
    wrap: cappedAt(50),
    animals: manyAnimals(60),
    gaps: { 'list-order': 'newest-first' },
    observes: { 'page-cap': 'fewer', 'list-order': 'newest-first' },
  },
  {
    id: 'pages-of-50-shuffled',
    wrap: cappedAt(50),
    animals: manyAnimals(30),
    gaps: { 'list-order': 'shuffled' },
    observes: { 'page-cap': 'fewer', 'list-order': 'shuffled' },
  },
  {
    id: 'newest-30',
    gaps: { 'list-order': 'newest-first' },
    wrap: keepingNewest(30),
    observes: { 'page-cap': 'newest-only' },
  },
  {
    id: 'newest-30-lagging',
    gaps: { 'list-order': 'newest-first' },
    wrap: (handle) => lagging(1_000, isListingOrRead)(keepingNewest(30)(handle)),
    observes: { 'page-cap': 'newest-only', visibility: 'later' },
  },
  {
    id: 'newest-5',
    gaps: { 'list-order': 'newest-first' },
    wrap: keepingNewest(5),
    observes: { 'page-cap': 'newest-only' },
  },
  {
    id: 'newest-5-lagging',
    gaps: { 'list-order': 'newest-first' },
    wrap: (handle) => lagging(3_000, isListingOrRead)(keepingNewest(5)(handle)),
    observes: { 'page-cap': 'newest-only', visibility: 'later' },
  },
  {
    id: 'newest-30-beside-others',
    gaps: { 'list-order': 'newest-first' },
    wrap: keepingNewest(30),
    animals: manyAnimals(20),
    observes: { 'page-cap': 'newest-only' },
  },
  { id: 'limit-before-filter', wrap: limitBeforeFilter, observes: { 'short-pages': 'limit-before-filter' } },
  {
    id: 'limit-before-filter-shuffled',
    wrap: limitBeforeFilter,
    animals: manyAnimals(30),
    gaps: { 'list-order': 'shuffled' },
    observes: { 'list-order': 'shuffled', 'short-pages': 'limit-before-filter' },
  },
  {
    id: 'limit-before-filter-in-pages-of-50',
    wrap: (handle) => limitBeforeFilter(cappedAt(50)(handle)),
    animals: manyAnimals(60),
    observes: { 'page-cap': 'fewer', 'short-pages': 'limit-before-filter' },
  },
  {
    id: 'busy-limit-before-filter',
    wrap: (handle) => limitBeforeFilter(busy(handle)),
    observes: { 'short-pages': 'limit-before-filter' },
  },
  {
    id: 'busy-pages-of-50',
    wrap: (handle) => cappedAt(50)(busy(handle)),
    animals: manyAnimals(20),
    observes: { 'page-cap': 'fewer' },
  },
  {
    id: 'busy-newest-30',
    gaps: { 'list-order': 'newest-first' },
    wrap: (handle) => keepingNewest(30)(busy(handle)),
    observes: { 'page-cap': 'newest-only' },
  },
  // Only a long run creates enough animals to ask for some that were evicted.
  {
    id: 'newest-80-among-those-of-others',
    gaps: { 'list-order': 'newest-first' },
    wrap: (handle) => busy(keepingNewest(80)(handle)),
    animals: manyAnimals(20),
    settings: largeBudget,
    observes: { 'page-cap': 'newest-only' },
  },
  { id: 'pages-of-varying-length', wrap: varyingLength },
  { id: 'pages-of-varying-length-newest-first', wrap: varyingLength, gaps: { 'list-order': 'newest-first' } },
  {
    id: 'pages-of-varying-length-shuffled',
    wrap: varyingLength,
    animals: manyAnimals(30),
    gaps: { 'list-order': 'shuffled' },
  },
  {
    id: 'busy-pages-of-varying-length',
    wrap: (handle) => varyingLength(busy(handle)),
    animals: manyAnimals(12),
  },
  { id: 'filtered-pages-of-10', wrap: filteredAt(10), observes: { 'short-pages': 'limit-before-filter' } },
  {
    id: 'filtered-pages-of-3-newest-first',
    wrap: filteredAt(3),
    gaps: { 'list-order': 'newest-first' },
    observes: { 'short-pages': 'limit-before-filter' },
  },
  {
    id: 'pages-capped-by-status',
    wrap: cappedByStatus,
    animals: manyAnimals(15),
    observes: { 'page-cap': 'fewer', 'short-pages': 'limit-before-filter' },
  },
  { id: 'animals-per-key', wrap: perKey, observes: { 'key-scope': 'per-key' } },
];
