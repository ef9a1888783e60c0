/** Services by what other clients do to animals and limits, by when and to whom they show animals, and by their clocks. */

import { isPetStatus, type NewPet, type PetStatus } from '../../reference-server/index.ts';
import { pageLimit, petStatuses } from '../../spec/operations.ts';
import { type JsonValue, writeJson } from '../http/json.ts';
import { hourMs } from '../http/tolerances.ts';
import { changePage, changeQuery, endPagesAt, featureOne, lagging, onCreation, showOnly, varyPages } from './pages.ts';
import { servicesOf } from './service.ts';
import {
  type Call,
  changes,
  harmless,
  isListing,
  isListingOrRead,
  isRead,
  readCall,
  type Wrap,
  withBody,
  withKey,
} from './wraps.ts';

/** Every third read meets a replica that is late. */
const oneOfThreeLags =
  (ms: number): Wrap =>
  (handle, keys) => {
    let reads = 0;
    return lagging(ms, (call) => {
      if (isRead(call)) reads += 1;
      return isRead(call) && reads % 3 === 0;
    })(handle, keys);
  };

/** Applies the limit first and the filter to what it leaves. */
const limitBeforeFilter: Wrap = (handle, keys) => (request, now) => {
  const status = readCall(request, now, keys).query.get('status');
  if (!isPetStatus(status)) return handle(request, now);
  const unfiltered = changeQuery((query) => query.delete('status'))(handle, keys);
  return changePage((page) => page.filter((pet) => pet['status'] === status))(unfiltered, keys)(request, now);
};

/** Each key has animals of its own. */
const perKey: Wrap = (handle, keys) => {
  const keyOf = ({ authorization }: Call) => authorization?.replace(/^Bearer +/i, '');
  const owners = new Map<JsonValue, string | undefined>();
  const noted = onCreation(({ id = null }, call) => owners.set(id, keyOf(call)))(handle, keys);
  return showOnly(({ id = null }, call) => owners.get(id) === keyOf(call))(noted, keys);
};

const statusChoices: readonly (PetStatus | undefined)[] = [...petStatuses, undefined];

/** A catalogue that others have filled. */
export function manyAnimals(count: number): readonly NewPet[] {
  return Array.from({ length: count }, (_nothing, at) => {
    return { name: `old-${at}`, categoryId: BigInt((at % 10) + 1), status: statusChoices[at % 4] };
  });
}

/** Another client that adds an animal after every third listing. */
const addingAnimals: Wrap = changes.answer((_page, { request, keys }, send, count) => {
  if (count % 3 > 0) return undefined;
  const headers = [['content-type', 'application/json']] as const;
  const pet = { name: `other-${count}`, categoryId: 1n, status: 'available' };
  const creation = withBody({ ...request, method: 'POST', target: '/v1/pets', headers }, writeJson(pet));
  return void send(withKey(creation, keys.rateLimit));
}, isListing);

/** How many requests other clients send beside one of ours, over and over: none keeps step with another. */
const ofOtherClients = [0, 1, 0, 3, 1, 0, 0, 2, 5, 0, 1, 1, 0] as const;

/** Other clients that use the same key: remaining falls by more than one now and then. */
const sharedKey: Wrap = changes.answer(
  (_answer, { request }, send, count) => {
    const others = ofOtherClients[count % ofOtherClients.length]!;
    for (let sent = 0; sent < others; sent += 1) send(harmless(request));
    return undefined;
  },
  ({ isAuthorized }) => isAuthorized,
);

/** Other clients remove their twelve animals, one with every tenth request, by an operation that is not shown. */
const othersVanish: Wrap = (handle, keys) => {
  let requests = 0;
  // Where ids are negative, none of these is an animal of others.
  const shown = showOnly(({ id }) => Number(id) < 1 || Number(id) > Math.min(12, requests / 10))(handle, keys);
  return (request, now) => {
    requests += 1;
    return shown(request, now);
  };
};

const shownLater = { visibility: 'later' } as const;
// Set explicitly: pages that are capped, and from which animals then vanish, would vary in length.
const asAsked = { 'page-cap': 'as-asked' } as const;
const ofOthers = (count: number) => ({ animals: manyAnimals(count) });

export const catalogueServices = servicesOf({
  'ten-animals': ['a store in use', ofOthers(10)],
  'thirty-animals': ['a store with more than a page', ofOthers(30)],
  'thousand-animals': ['a store with more than any page', ofOthers(1_000), { 'list-order': null }],
  busy: ['a staging environment in use', addingAnimals],
  'shared-key': ['a team with one API key', sharedKey],
  // A tenant sees no animals of others.
  'animals-per-key': ['a tenant for each key', { wrap: perKey, animals: [] }, { 'key-scope': 'per-key' }],
  'pages-lag-3000-ms': ['Elasticsearch beside the database, for lists', lagging(3_000, isListing), shownLater],
  'half-of-a-page-lags-5000-ms': [
    'Cassandra, whose nodes agree animal by animal',
    lagging(5_000, isListing, 2),
    shownLater,
  ],
  'half-of-a-page-lags-30000-ms': [
    'Cassandra behind Varnish, which keeps rows for 30 s',
    lagging(30_000, isListing, 2),
    shownLater,
  ],
  'reads-lag-3000-ms': ['Redis beside the database, for reads', lagging(3_000, isRead), shownLater],
  'replica-lags-10000-ms': ['a read replica of MySQL under load', lagging(10_000, isListingOrRead), shownLater],
  'one-of-three-replicas-lags-2000-ms': ['MongoDB that reads from the nearest node', oneOfThreeLags(2_000), shownLater],
  [`pages-of-${pageLimit.usual}` as const]: [
    'pages that are capped at their default',
    { gaps: { 'page-cap': `fewer ${pageLimit.usual}` } },
  ],
  'pages-of-three': ['a voice assistant that reads three entries at a time', { gaps: { 'page-cap': 'fewer 3' } }],
  'pages-of-two': ['a kiosk with two tiles', { gaps: { 'page-cap': 'fewer 2' } }],
  'pages-of-one': ['a home page that features one animal, the same for all', featureOne, { 'page-cap': 'fewer' }],
  'pages-of-1000-bytes': ['DynamoDB ends pages at a size, 1 MB there', endPagesAt(1_000)],
  'pages-of-300-bytes': ['a gateway that ends pages at the size of a message', endPagesAt(300)],
  'pages-of-varying-length': ['HBase and Bigtable, which end a page where its time is over', varyPages, shownLater],
  'limit-before-filter': ['DynamoDB filters last', limitBeforeFilter, { 'short-pages': 'limit-before-filter' }],
  'animals-of-others-vanish': ['a shared sandbox', { wrap: othersVanish, gaps: asAsked, ...ofOthers(12) }],
  slow: ['a function that starts cold', { latencyMs: 900 }],
  'clock-ahead': ['a container in the wrong time zone', { skewMs: hourMs }],
  'clock-behind': ['a virtual machine that was suspended', { skewMs: -2 * hourMs }],
});
