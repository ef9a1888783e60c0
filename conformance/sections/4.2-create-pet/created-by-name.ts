/** §4.2 Recognizes the animals of the run by their names, where their ids may be wrong. */

import type { JsonValue } from '../../http/json.ts';
import { memoize } from '../../http/memoize.ts';
import { readNewPet } from '../../http/read-request.ts';
import type { CreatedPet, History } from '../../verdict/history.ts';
import { ownNameIn } from '../../verdict/names.ts';

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
