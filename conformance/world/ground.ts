/** Whether the ground has moved: a service may lose the animals of the run at once, by a reset or a restart (§4.4). */

import { type Exchange, happenedBefore } from '../http/exchange.ts';
import { isInt64, type JsonValue } from '../http/json.ts';
import { memoize } from '../http/memoize.ts';
import { readNewPet } from '../http/read-request.ts';
import { animalsOf } from '../http/read-response.ts';
import { type CreatedPet, type History, isAuthorized, isSameKey } from './history.ts';
import { ownNameIn } from './names.ts';

/** The animals of the run by their names, without names that the run has sent twice or that another run may have. */
export const createdByName = memoize((history: History): ReadonlyMap<JsonValue, CreatedPet> => {
  const { exchanges, settings, created } = history;
  const creations = exchanges.filter(({ operation }) => operation === 'createPet');
  const sentNames = Map.groupBy(creations, (exchange) => {
    const reading = readNewPet(exchange);
    return reading.kind === 'invalid' ? undefined : reading.pet?.name;
  });
  return new Map(
    created.flatMap((pet) => {
      const name = pet.sent?.name;
      const isOwn = name !== undefined && ownNameIn(name, settings) !== undefined;
      return isOwn && sentNames.get(name)?.length === 1 ? [[name, pet]] : [];
    }),
  );
});

/** The answers that show an animal of the run, by the animal, in order; none of its creation. */
export const sightings = memoize((history: History): ReadonlyMap<CreatedPet, readonly Exchange[]> => {
  const seen = new Map<CreatedPet, Exchange[]>();
  for (const exchange of history.answered) {
    if (exchange.operation === 'createPet' || !isAuthorized(exchange)) continue;
    for (const { id, name } of animalsOf(exchange)) {
      const pet = isInt64(id) ? history.createdById.get(id) : undefined;
      // An animal that has another name under this id is another one.
      if (pet === undefined || pet.returned['name'] !== name || !happenedBefore(pet.exchange, exchange)) continue;
      if (isSameKey(pet.exchange, exchange)) seen.set(pet, [...(seen.get(pet) ?? []), exchange]);
    }
  }
  return seen;
});

/**
 * Whether the animals of the run that were created before a moment are still there after it, as far as one of them is
 * shown, or none ever was shown before: then what an answer of that moment shows is no other catalogue.
 */
export function isGroundSteady(history: History, moment: Exchange, except?: CreatedPet): boolean {
  const seen = [...sightings(history)].filter(([pet]) => pet !== except && happenedBefore(pet.exchange, moment));
  const isStillThere = seen.some(([, shown]) => shown.some((exchange) => exchange.answered >= moment.answered));
  return isStillThere || !seen.some(([, shown]) => shown.some((exchange) => happenedBefore(exchange, moment)));
}
