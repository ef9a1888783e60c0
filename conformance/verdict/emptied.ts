/** Splits a record where the catalogue was emptied: a sandbox may start anew, and others may remove all animals (§4.4). */

import { type Exchange, happenedBefore } from '../http/exchange.ts';
import { isInt64, type JsonObject, type JsonValue } from '../http/json.ts';
import { memoize } from '../http/memoize.ts';
import { isAllowed, pageSize, readListing, readPetId } from '../http/read-request.ts';
import { animalsOf, idsShownIn, statusOf } from '../http/read-response.ts';
import type { Finding } from './finding.ts';
import { type CreatedPet, type History, isAuthorized, type Page, readHistory } from './history.ts';

/** A service that loses its animals again within a run keeps none: that is no reset. */
const mostResets = 1;

type Exchanges = ReadonlySet<Exchange>;

/**
 * The old copies of a cache: they repeat an earlier answer to the same request word for word, and show an animal whose id was
 * assigned again in between.
 */
const oldCopiesIn = memoize(({ answered, created }: History): Exchanges => {
  const byId = Map.groupBy(created, ({ id }) => id);
  const seen = new Set<string>();
  const repeating = answered
    .toSorted((one, other) => one.sent - other.sent)
    .filter(({ request, credential, response }) => {
      const answer = `${request.method} ${request.target} ${credential.kind} ${response?.body}`;
      return seen.size === seen.add(answer).size;
    });
  return new Set(
    repeating.filter((exchange) =>
      animalsOf(exchange).some(({ id, name }) => {
        const assigned = isInt64(id) ? (byId.get(id) ?? []) : [];
        const latest = assigned.findLast((pet) => happenedBefore(pet.exchange, exchange));
        return assigned.some((pet) => pet !== latest && pet.returned['name'] === name);
      }),
    ),
  );
});

/** By animal of the run: the event number of the last request whose answer shows its id and its name. Old copies do not count. */
function lastShownOf({ created, answered }: History, copies: Exchanges): ReadonlyMap<CreatedPet, number> {
  const byId = Map.groupBy(created, ({ id }) => id);
  const last = new Map(created.map((pet) => [pet, pet.exchange.sent]));
  for (const exchange of answered) {
    if (exchange.operation === 'createPet' || !isAuthorized(exchange) || copies.has(exchange)) continue;
    for (const { id, name } of animalsOf(exchange)) {
      const shown = isInt64(id) ? (byId.get(id) ?? []) : [];
      for (const pet of shown) {
        const isIt = name === pet.returned['name'] && exchange.sent > pet.exchange.sent;
        if (isIt) last.set(pet, Math.max(last.get(pet)!, exchange.sent));
      }
    }
  }
  return last;
}

/** Whether an unfiltered page had room left, so that it shows the whole catalogue. */
export function hasRoom({ exchange, entries, isCut }: Page): boolean {
  const listing = readListing(exchange);
  return listing.status === 'any' && isAllowed(listing) && !isCut && entries.length < pageSize(listing);
}

/** The animals of the run that were created before a reset, if there was one, and the last request that shows one. */
interface Gone {
  readonly names: ReadonlyMap<bigint, JsonValue | undefined>;
  /** The ids of those that were shown after their creation. */
  readonly shown: ReadonlySet<bigint>;
  readonly moment: number;
}

/**
 * The first answer after a moment that lacks these animals, if the catalogue was emptied by then. Either a page with room
 * showed one of them before, and one to the same request shows none since and is shorter; otherwise newer animals may have
 * taken the place of the oldest. Or their ids are assigned again.
 */
function firstWithout({ pages, answered }: History, { names, shown, moment }: Gone): number | undefined {
  const isGone = ({ id, name }: JsonObject): boolean => isInt64(id) && names.has(id) && names.get(id) === name;
  const whole = pages.filter(hasRoom);
  const showing = whole.filter(({ exchange }) => exchange.sent <= moment && animalsOf(exchange).some(isGone));
  const byTarget = Map.groupBy(showing, ({ exchange }) => exchange.request.target);
  const later = whole.filter(({ exchange }) => exchange.sent > moment);
  const alike = later.flatMap(
    (page) => byTarget.get(page.exchange.request.target)?.map((before) => [before, page]) ?? [],
  );
  const isShorter = alike.some(([before, page]) => page!.entries.length < before!.entries.length);
  const after = answered.filter((exchange) => exchange.sent > moment && isAuthorized(exchange));
  const assignedIn = (exchange: Exchange): readonly bigint[] =>
    idsShownIn(exchange).filter((id) => names.has(id) && (exchange.operation === 'createPet' || shown.has(id)));
  const assigning = after.filter((exchange) => assignedIn(exchange).length > 0);
  const assigned = new Set(assigning.flatMap(assignedIn)).size;
  if (!(isShorter || assigned >= (alike.length > 0 ? 1 : 2))) return undefined;
  const missing = after.filter((exchange) => {
    const id = readPetId(exchange);
    return statusOf(exchange) === 404 && typeof id === 'bigint' && names.has(id);
  });
  return Math.min(...[...later.map(({ exchange }) => exchange), ...assigning, ...missing].map(({ sent }) => sent));
}

/** The event numbers of the first requests after which no animal is shown any more that the run had created until then. */
function resetsOf(history: History, copies: Exchanges): readonly number[] {
  const last = lastShownOf(history, copies);
  const created = history.created.toSorted((one, other) => one.exchange.sent - other.exchange.sent);
  const resets: number[] = [];
  let gone: CreatedPet[] = [];
  let moment = 0;
  for (const [at, pet] of created.entries()) {
    moment = Math.max(moment, last.get(pet)!);
    gone.push(pet);
    const next = created[at + 1];
    const names = new Map(gone.map(({ id, returned }) => [id, returned['name']]));
    const shown = new Set(gone.filter((one) => last.get(one)! > one.exchange.sent).map(({ id }) => id));
    const without = firstWithout(history, { names, shown, moment });
    // The next animal went with these if nothing shows it from then on.
    if (without === undefined || (next !== undefined && last.get(next)! < without)) continue;
    const survives = next?.exchange.sent ?? Number.POSITIVE_INFINITY;
    if (survives <= moment) continue;
    resets.push(Math.min(without, survives));
    gone = [];
  }
  return resets;
}

/** The parts of a history between which the catalogue was emptied; one part if it never was, or again and again. */
const stretchesOf = memoize((history: History): readonly History[] => {
  const areAssignedAgain = history.createdById.size < history.created.length;
  const copies: Exchanges = areAssignedAgain ? oldCopiesIn(history) : new Set();
  const resets = history.created.length === 0 ? [] : resetsOf(history, copies);
  if (resets.length === 0 || resets.length > mostResets) return [history];
  const { exchanges, settings } = history;
  const partOf = ({ sent }: Exchange): number => resets.filter((reset) => reset <= sent).length;
  const fresh = exchanges.filter((exchange) => !copies.has(exchange));
  return [...Map.groupBy(fresh, partOf).values()].map((part) => {
    const today = settings.today + part[0]!.startedAt - exchanges[0]!.startedAt;
    return readHistory(part, { ...settings, today });
  });
});

/**
 * The part that shows most of what the interface leaves open, where ids start anew with each part. Without that, a service
 * may as well keep its newest animals only, which the whole history shows.
 */
export function longestStretch(history: History): History {
  if (history.createdById.size === history.created.length) return history;
  return stretchesOf(history).reduce((one, other) => (other.exchanges.length > one.exchanges.length ? other : one));
}

/** Judges the animals of each stretch by themselves: what an earlier one showed exists no more, and its ids are free again. */
export function betweenResets(
  judge: (history: History) => Iterable<Finding>,
): (history: History) => readonly Finding[] {
  return (history) => stretchesOf(history).flatMap((stretch) => [...judge(stretch)]);
}
