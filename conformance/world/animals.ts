/** What answers show of the animals of the run: whether they are still there (§4.4), and which of them a page lacks (§4.1). */

import type { PetStatus } from '../../spec/operations.ts';
import { type Exchange, happenedBefore } from '../http/exchange.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../http/json.ts';
import { memoize } from '../http/memoize.ts';
import { isAllowed, pageSize, readListing, sentPetOf } from '../http/read-request.ts';
import { animalsOf } from '../http/read-response.ts';
import { ownNameIn } from './names.ts';
import { type CreatedPet, createdBefore, idsOf, isAuthorized, isSameKey, type Page, type World } from './world.ts';

/** The animals of the run by their names, without names that the run has sent twice or that another run may have. */
export const createdByName = memoize((world: World): ReadonlyMap<JsonValue, CreatedPet> => {
  const { exchanges, settings, created } = world;
  const creations = exchanges.filter(({ operation }) => operation === 'createPet');
  const sentNames = Map.groupBy(creations, (exchange) => sentPetOf(exchange)?.name);
  return new Map(
    created.flatMap((pet) => {
      const name = pet.sent?.name;
      const isOwn = name !== undefined && ownNameIn(name, settings) !== undefined;
      return isOwn && sentNames.get(name)?.length === 1 ? [[name, pet]] : [];
    }),
  );
});

/** An animal of the run as an answer shows it. */
export interface AnimalSight {
  readonly pet: CreatedPet;
  readonly animal: JsonObject;
  readonly exchange: Exchange;
}

/** The animals in answers that have the id of an animal of the run, in order; answers to creations are left out. */
export const sightsIn = memoize((world: World): readonly AnimalSight[] =>
  world.answered.flatMap((exchange) => {
    if (exchange.operation === 'createPet' || !isAuthorized(exchange)) return [];
    return animalsOf(exchange).flatMap((animal) => {
      const pet = world.createdById.get(animal['id'] as bigint);
      return pet !== undefined && isSameKey(pet.exchange, exchange) ? [{ pet, animal, exchange }] : [];
    });
  }),
);

/** For each animal of the run, the answers that show it, in order; the answer to its creation is left out. */
export const sightings = memoize((world: World): ReadonlyMap<CreatedPet, readonly Exchange[]> => {
  // An animal that has another name under this id is another one.
  const same = sightsIn(world).filter(
    ({ pet, animal, exchange }) => pet.returned['name'] === animal['name'] && happenedBefore(pet.exchange, exchange),
  );
  const byPet = [...Map.groupBy(same, ({ pet }) => pet)];
  return new Map(byPet.map(([pet, sights]) => [pet, sights.map(({ exchange }) => exchange)]));
});

/**
 * Whether the service still has the animals that the run created before a moment, so that its catalogue was not replaced: an
 * answer of that moment or later shows one of them, or no earlier answer has shown any.
 */
export function isGroundSteady(world: World, moment: Exchange, except?: CreatedPet): boolean {
  const seen = [...sightings(world)].filter(([pet]) => pet !== except && happenedBefore(pet.exchange, moment));
  const isStillThere = seen.some(([, shown]) => shown.some((exchange) => exchange.answered >= moment.answered));
  return isStillThere || !seen.some(([, shown]) => shown.some((exchange) => happenedBefore(exchange, moment)));
}

export interface ListedPage extends Page {
  /** Path, query and kind of key: equal ones ask for the same. */
  readonly query: string;
  readonly status: PetStatus | 'any';
  /** The most animals that it may hold. */
  readonly most: number;
  readonly isDefault: boolean;
  readonly ids: ReadonlySet<bigint>;
}

/** A page with its parameters; undefined if the interface does not allow them. */
const readListedPage = memoize((page: Page): ListedPage | undefined => {
  const { exchange } = page;
  const listing = readListing(exchange);
  const { limit, status } = listing;
  if (!isAllowed(listing) || status === 'invalid') return undefined;
  const query = `${exchange.credential.kind === 'rate-limit' ? 'rate-limit ' : ''}${exchange.request.target}`;
  const most = pageSize(listing);
  return { ...page, query, status, most, isDefault: limit === 'default', ids: new Set(idsOf(page)) };
});

/** The pages of a world, in the order in which they were asked for. */
export const listedPages = memoize(({ pages }: World): readonly ListedPage[] =>
  pages.toSorted((one, other) => one.exchange.sent - other.exchange.sent).flatMap((page) => readListedPage(page) ?? []),
);

export const pagesByQuery = memoize(
  (world: World): ReadonlyMap<string, readonly ListedPage[]> => Map.groupBy(listedPages(world), ({ query }) => query),
);

export function isFull({ entries, most }: ListedPage): boolean {
  return entries.length >= most;
}

/** The animals of the run that were created before a page was asked for, match its query, and are not on it under any id. */
export function missingAnimals(world: World, view: ListedPage): readonly CreatedPet[] {
  const { exchange, entries, status, ids } = view;
  if (isFull(view)) return [];
  const named = new Set(
    entries.flatMap((entry) => (isJsonObject(entry) ? (createdByName(world).get(entry['name'] ?? null) ?? []) : [])),
  );
  // A transition may have changed a status (§3): only one that was sent and returned counts.
  const matches = ({ sent, returned }: CreatedPet): boolean =>
    status === 'any' || ((sent?.status ?? status) === status && returned['status'] === status);
  return createdBefore(world, exchange).filter((pet) => !ids.has(pet.id) && matches(pet) && !named.has(pet));
}
