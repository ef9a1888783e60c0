/** The commands of the stateful model: the requests that a client may send next, given the ids it has seen. */

import fc from 'fast-check';
import { defined } from '../../../spec/defined.ts';
import type { Exchange } from '../../http/exchange.ts';
import type { PlannedRequest } from '../../run/planned-request.ts';
import type { Session } from '../../run/session.ts';
import { learnedAcceptance } from '../4.2-create-pet/creations.ts';
import { fillBody } from '../4.2-create-pet/probes.ts';
import { segmentOf } from '../4.3-get-pet/probes.ts';
import { isRemoved } from '../4.3-get-pet/reads.ts';
import { refusedCredentials } from '../5-authentication/credentials.ts';
import { createPetFrom, getPet, idsIn, listPets, plainCategory } from '../requests.ts';
import { drawnPets, idSegments, invalidBodies, listQueries, unknownIds } from './arbitraries.ts';

/** The knowledge that a sequence has of the target. Other clients may add and remove animals at any time. */
export interface Model {
  /** In the order in which they were seen. */
  ids: readonly bigint[];
}

export type Send = (request: PlannedRequest) => Promise<Exchange>;

export type Command = fc.AsyncCommand<Model, Send, false>;

/** The placeholder in drawn bodies that is replaced by a new name when they are sent. */
export const namePlaceholder = 'cf-000000-00';

function command(text: string, requestOf: (ids: Model['ids']) => PlannedRequest | undefined): Command {
  return {
    check: ({ ids }) => requestOf(ids) !== undefined,
    run: async (model, send) => {
      const exchange = await send(requestOf(model.ids)!);
      model.ids = [...new Set([...model.ids, ...idsIn(exchange)])];
    },
    toString: () => text,
  };
}

/** A gateway may refuse a larger body, whatever its key; UTF-16 units. */
const largestRefused = 250;

/** Commands with a valid key, and the same with keys that must be refused. */
export function commandsFor(session: Session): readonly fc.Arbitrary<Command>[] {
  const canCreate = !session.settings.isReadOnly && session.budget.creationsLeft() > 0;
  const { takesHardNames, takesOtherCategories } = learnedAcceptance(session);
  const always = (requests: fc.Arbitrary<PlannedRequest>): fc.Arbitrary<Command> =>
    requests.map((request) => command(request.target, () => request));
  const list = listQueries.map((query) => listPets(query));
  const create = drawnPets.map(({ affixes, categoryId, status, write }) => {
    const name = takesHardNames ? affixes.join(namePlaceholder) : namePlaceholder;
    const category = (takesOtherCategories ? categoryId : undefined) ?? plainCategory(session);
    return createPetFrom(write(defined({ name, categoryId: category, status })));
  });
  const createInvalid = invalidBodies.map((template) => createPetFrom(fillBody(session, template)));
  const getUnknown = unknownIds.map((id) => getPet(id));
  const getKnown = fc
    .tuple(fc.nat(20), idSegments)
    .map(([at, template]) =>
      command(`/pets/{${at}}`, (ids) =>
        ids.length === 0 ? undefined : getPet(segmentOf(template, ids[at % ids.length]!)),
      ),
    );
  const small = create.filter(({ body = '' }) => body.length < largestRefused);
  const refused = fc
    .tuple(
      fc.oneof(list, ...(canCreate ? [small] : []), ...(isRemoved(session) ? [] : [getUnknown])),
      fc.constantFrom(...refusedCredentials(session.keys)),
    )
    .map(([request, credential]) => ({ ...request, credential }));
  return [
    ...(canCreate ? [always(create), always(createInvalid), always(createInvalid)] : []),
    always(list),
    always(list),
    ...(isRemoved(session) ? [] : [getKnown, always(getUnknown)]),
    always(refused),
  ];
}
